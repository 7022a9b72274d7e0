"""What models are evaluated on: drawn once from a corpus, the same for every model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from equivec.algebra.fingerprint import fingerprints
from equivec.corpus.splitting import TEST, TRAIN, UNSEEN, UNSEEN_EQUIVALENT
from equivec.corpus.store import Corpus
from equivec.errors import ConfigError, FileFormatError, require_at_least
from equivec.evaluate.plot_set import CLASSES, make_plot_set, plot_expressions, read_labelled
from equivec.evaluate.retrieval import read_identities
from equivec.expression.prefix import write_prefix
from equivec.storage.values import Record

if TYPE_CHECKING:
    from collections.abc import Sequence

    from equivec.embed.runtime import Precision
    from equivec.evaluate.plot_set import Labelled

_PLOT_SIZE, _LARGEST_PLOT = 7_040, 100_000
BEAMS = (1, 10, 50)  # as in the paper


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationConfig:
    """What is evaluated on; `corpus` and `plot_file` are paths, `pool` None is all of training."""

    corpus: str | None = None
    plot_file: str | None = None
    plot_size: int = _PLOT_SIZE
    queries: int = 2_000
    pool: int | None = None
    distractors: int = 100_000
    beams: tuple[int, ...] = BEAMS
    precision: Precision | None = None  # the finest that a model has
    seed: int = 42
    rows_per_part: int = 20_000

    def __post_init__(self) -> None:
        require_at_least(0, seed=self.seed)
        if self.seed >= 2**32:
            raise ConfigError(f"seed must be less than 2**32, not {self.seed}")
        require_at_least(
            1,
            queries=self.queries,
            rows_per_part=self.rows_per_part,
            pool=self.pool,
            distractors=self.distractors,
            plot_size=self.plot_size,
            beam=min(self.beams, default=1),
        )
        if self.plot_size > _LARGEST_PLOT:
            raise ConfigError(
                f"plot_size must be at most {_LARGEST_PLOT:,}, not {self.plot_size:,}"
            )
        is_drawn = self.corpus is not None and self.plot_file is None
        if not is_drawn and self.plot_size != _PLOT_SIZE:
            raise ConfigError(
                "plot_size is of plots drawn from a corpus; the committed set and a file are "
                "plotted whole"
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderSettings(Record):
    """What the results of all models in a folder have in common; of files the checksums."""

    corpus: Mapping[str, str]
    distractors: int
    plot_file: str | None
    plot_size: int
    pool: int | None
    queries: int
    seed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSettings(FolderSettings):
    """What the results of a model belong to."""

    model: str
    weights: str | None  # their checksum; baselines have none
    has_small_weights: bool = False
    beams: tuple[int, ...] = BEAMS
    precision: str | None = None  # of models alone
    rows_per_part: int


@dataclass(frozen=True, slots=True)
class Questions:
    """Queries, the answer that each shall find, and the expressions that may come before it."""

    queries: Sequence[str]
    answers: Sequence[str]
    distractors: Sequence[str]


class EvaluationData:
    """What every model is given, made when it is first asked for; each part has its own seed."""

    def __init__(self, config: EvaluationConfig) -> None:
        self.config = config

    @cached_property
    def corpus(self) -> Corpus:
        """The corpus that is named."""
        if self.config.corpus is None:
            raise ConfigError("this evaluation needs the expressions of a corpus; name its folder")
        corpus = Corpus.open(self.config.corpus)
        if damaged := corpus.damaged_files():
            raise FileFormatError(
                f"{corpus.folder / damaged[0]} is missing, or is not the file that the corpus was "
                "made with; restore it, or build the corpus again"
            )
        return corpus

    @cached_property
    def training(self) -> list[str]:
        """All training expressions, as prefix texts."""
        return list(dict.fromkeys(self.corpus.expressions(TRAIN)))

    @cached_property
    def pool(self) -> list[str]:
        """The training expressions among which neighbours are sought."""
        wanted = self.config.pool
        if wanted is None or wanted >= len(self.training):
            return self.training
        places = self._random("pool").sample(range(len(self.training)), wanted)
        return [self.training[place] for place in sorted(places)]

    @cached_property
    def queries(self) -> list[str]:
        """Random expressions of the test set, whose neighbours are compared as trees."""
        texts = list(self.corpus.expressions(TEST))
        return self._random("queries").sample(texts, min(self.config.queries, len(texts)))

    @cached_property
    def plot_set(self) -> list[Labelled]:
        """Expressions of several classes: a file's, the corpus's and new ones, or the committed."""
        if self.config.plot_file is not None:
            return read_labelled(Path(self.config.plot_file))
        if self.config.corpus is None:
            return plot_expressions()
        of_each_class = max(2, self.config.plot_size // len(CLASSES))
        random, candidates = self._random("plots"), self._shortest_forms()
        return make_plot_set(random, of_each_class, self.training, candidates=candidates)

    @cached_property
    def equivalents(self) -> Questions:
        """For every function that training does not have, two forms, among random training."""
        table = self.corpus.table(UNSEEN, UNSEEN_EQUIVALENT)
        columns = (table[name].to_pylist() for name in ("cluster", "split", "tokens"))
        random, queries, answers = self._random("equivalents"), [], []
        for _, cluster in groupby(zip(*columns, strict=True), key=lambda row: row[0]):
            members = list(cluster)
            asked = [text for _, split, text in members if split == UNSEEN]
            others = [text for _, split, text in members if split == UNSEEN_EQUIVALENT]
            if asked and others:
                queries.append(asked[0])
                answers.append(random.choice(others))
        return Questions(queries, answers, [text for text, _ in self._distractors])

    @cached_property
    def identities(self) -> Questions:
        """Textbook identities in x alone, left to right, among training that equals none."""
        chosen = [row for row in read_identities() if row.variables == {"x"}]
        known = {int(fingerprint, 16) for fingerprint in fingerprints([row.left for row in chosen])}
        return Questions(
            [write_prefix(row.left) for row in chosen],
            [write_prefix(row.right) for row in chosen],
            [text for text, fingerprint in self._distractors if fingerprint not in known],
        )

    def _shortest_forms(self) -> list[str]:
        """Of each cluster the training expressions that none is shorter than.

        A class goes by operators: log(exp(x)) is no logarithm to anybody who knows that it is x.
        """
        table = self.corpus.table(TRAIN)
        texts = table["tokens"].to_pylist()
        shortest: dict[int, int] = {}
        lengths = [text.count(" ") for text in texts]
        clusters = table["cluster"].to_pylist()
        for cluster, length in zip(clusters, lengths, strict=True):
            shortest[cluster] = min(length, shortest.get(cluster, length))
        rows = zip(texts, clusters, lengths, strict=True)
        return [text for text, cluster, length in rows if length == shortest[cluster]]

    @cached_property
    def _distractors(self) -> list[tuple[str, int]]:
        """Random training expressions, each with the fingerprint of its function."""
        table = self.corpus.table(TRAIN)
        wanted = min(self.config.distractors, len(table))
        places = sorted(self._random("distractors").sample(range(len(table)), wanted))
        chosen = table.take(places)
        return list(
            zip(chosen["tokens"].to_pylist(), chosen["fingerprint"].to_pylist(), strict=True)
        )

    def _random(self, name: str) -> Random:
        return Random(f"{self.config.seed} {name}")  # noqa: S311
