"""SemVec results files read back: networks with their scores, and how one is chosen among them.

No test query takes part in a choice. Among the networks of a dataset, that with the highest
validation score is ours, whose neighbours are sought among all rows, as published; where classes
were held out in folds, they choose the setting first. Rows of regenerated data have other splits:
they are no part of this.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from statistics import fmean
from typing import TYPE_CHECKING, TypeVar

from equivec.errors import FileFormatError
from equivec.evaluate.provenance import Recorded, read_recorded
from equivec.semvec.worlds_rows import WorldsRow
from equivec.storage.values import Record, read_record, read_records
from equivec_reproduction.folder import ResultsFolder

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

S = TypeVar("S", bound="ScoreRow")
# Settings that are shown the training rows alone: nothing deduced, nothing renamed.
FROM_ROWS = ("SemEmb", "SemEmb+contrastive")

WORLDS = "semvec_worlds.json"
SET_NAME = re.compile(r"(?P<source>.+)_(?P<target>.+)_(?P<sizes>\d+-\d+)(_0)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreRow(Record):
    """The scores of a network, or of several seeds joined, on a split of a dataset, in percent."""

    dataset: str
    data: str  # published, or enumerated and split anew
    setting: str
    split: str
    score_1: float
    score_5: float
    score_10: float
    score_15: float
    score_5_corrected: float
    ceiling_5: float
    seed: int | tuple[int, ...]
    steps: int
    seconds: float

    @property
    def seeds(self) -> tuple[int, ...]:
        """The seeds of the networks."""
        return self.seed if isinstance(self.seed, tuple) else (self.seed,)


@dataclass(frozen=True, slots=True, kw_only=True)
class CompositionRow(ScoreRow):
    """The same on another dataset than that of the training."""

    trained_on: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingSet(Record):
    """How large a training set is, and the shares of the splits that it contains."""

    expressions: int
    share_of_validation: float | None = None
    share_of_seen: float | None = None
    share_of_unseen: float | None = None
    share_of_target_unseen: float | None = None

    def share_of(self, split: str) -> float | None:
        """The share of a split that it contains."""
        return {
            "validation": self.share_of_validation,
            "seen": self.share_of_seen,
            "unseen": self.share_of_unseen,
        }[split]


@dataclass(frozen=True, slots=True)
class TrainingNumbers(Record):
    """The numbers of a training that the report tells."""

    batch_size: int
    learning_rate: float
    average_decay: float
    attention_dropout: float = 0.0
    steps: int | None = None
    patience: int | None = None


@dataclass(frozen=True, slots=True)
class RunConfig(Record):
    """What a training was asked to do, as far as the report tells it."""

    training: TrainingNumbers


@dataclass(frozen=True, slots=True)
class RunSettings(Record):
    """What a training left: its configuration and its training sets, by name."""

    sets: Mapping[str, TrainingSet]
    config: RunConfig | None = None


@dataclass(frozen=True, slots=True)
class Run(Record):
    """A recorded training; its command, commit and machine stand beside."""

    settings: RunSettings


@dataclass(frozen=True, slots=True)
class Renaming(Record):
    """The shares of unseen expressions and classes that are training, renamed."""

    share_of_unseen_expressions: float
    share_of_unseen_classes: float


@dataclass(frozen=True, slots=True)
class Runs(Record):
    """All recorded trainings by the name of their file, and what renaming gives by dataset."""

    runs: Mapping[str, Run]
    renaming: Mapping[str, Renaming] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Deduction(Record):
    """What deduction scores on a dataset without a network, and what `larger` shows."""

    union_find: float
    shown_to_combined: float
    unseen_classes: int
    classes_shown_by_larger: int
    unseen_expressions: int
    expressions_shown_by_larger: int


@dataclass(frozen=True, slots=True)
class Deductions(Record):
    """The same by dataset."""

    datasets: Mapping[str, Deduction]


@dataclass(frozen=True, slots=True)
class Worlds(Record):
    """The scores of learned operators in latent worlds, which learn from training rows alone."""

    rows: tuple[WorldsRow, ...]
    compositionality: tuple[WorldsRow, ...]
    held_out: tuple[WorldsRow, ...]

    def unseen(self, dataset: str) -> list[float]:
        """The score_5 of each seed on the unseen classes of a dataset."""
        return [r.score_5 for r in self.rows if (r.dataset, r.split) == (dataset, "unseen")]

    def composed(self, source: str, target: str) -> list[float]:
        """The same on the unseen classes of another dataset than that of the training."""
        pair = (source, target)
        return [r.score_5 for r in self.compositionality if (r.trained_on, r.dataset) == pair]

    def states(self, dataset: str) -> str:
        """The configuration that held-out classes chose."""
        return next((row.states for row in self.rows if row.dataset == dataset), "-")


@dataclass(frozen=True, slots=True)
class ScoredNetwork:
    """A network, or several of different seeds joined, with its scores by split."""

    file: str  # the results file it is from
    dataset: str
    setting: str
    seeds: tuple[int, ...]
    steps: int
    scores: Mapping[str, ScoreRow]  # by split

    def score_5(self, split: str) -> float | None:
        """The published score of a split, if it was measured."""
        return self.scores[split].score_5 if split in self.scores else None

    def corrected(self, split: str) -> float | None:
        """The same with the query left out of its own class."""
        return self.scores[split].score_5_corrected if split in self.scores else None

    @property
    def name(self) -> str:
        """What tells it from others of its dataset."""
        seeds = "+".join(map(str, self.seeds))
        kind = "seed" if len(self.seeds) == 1 else "seeds joined"
        return f"{self.setting}, {kind} {seeds}, {self.steps:,} steps"


@dataclass(frozen=True, slots=True)
class Results:
    """All that a folder of results says of SemVec."""

    networks: tuple[ScoredNetwork, ...]
    compositions: tuple[CompositionRow, ...]
    held_out: tuple[ScoreRow, ...]  # scores on folds of training classes
    sets: Mapping[str, TrainingSet]  # of the trainings, by name
    renaming: Mapping[str, Renaming]  # by dataset
    trainings: Mapping[str, TrainingNumbers]  # behind each file
    deduction: Recorded[Deductions] | None
    worlds: Recorded[Worlds] | None
    folder: ResultsFolder  # with what else is said of these results

    @classmethod
    def read(cls, folder: Path) -> Results:
        """The results in `semvec/*.json` and the files beside it."""
        networks = [n for path in sorted(folder.glob("semvec/*.json")) for n in _networks(path)]
        if not networks:
            raise FileFormatError(f"{folder} has no results: semvec/*.json are lists of rows")
        path, deduction = folder / "semvec_runs.json", folder / "semvec_deduction.json"
        worlds = folder / WORLDS
        recorded = read_record(path, Runs) if path.is_file() else Runs({})
        settings = {name: run.settings for name, run in recorded.runs.items()}
        return cls(
            networks=tuple(networks),
            compositions=tuple(_rows(folder / "semvec_compositionality.json", CompositionRow)),
            held_out=tuple(_rows(folder / "semvec_selection.json", ScoreRow)),
            sets={
                key: part
                for each in settings.values()
                for key, part in each.sets.items()
                if part.share_of_seen is not None  # where folds are held out, no tests are shared
            },
            renaming=recorded.renaming,
            trainings={
                name: each.config.training for name, each in settings.items() if each.config
            },
            deduction=read_recorded(deduction, Deductions) if deduction.is_file() else None,
            worlds=read_recorded(worlds, Worlds) if worlds.is_file() else None,
            folder=ResultsFolder(folder),
        )

    @property
    def deduced(self) -> Mapping[str, Deduction]:
        """What deduction scores, by dataset."""
        return self.deduction.result.datasets if self.deduction else {}

    def of(self, dataset: str, *settings: str) -> ScoredNetwork | None:
        """The network of a dataset that validation prefers, of some settings or of all.

        Where scores are equal at k = 5, those at 10 and 15 decide, and then longer training.
        """
        preferred = settings or self.preferred_settings(dataset)
        found = [
            network
            for network in self.networks
            if network.dataset == dataset
            and (not preferred or network.setting in preferred)
            and network.steps
            and "validation" in network.scores
        ]
        return max(found, key=_by_validation, default=None)

    def untrained(self, dataset: str) -> ScoredNetwork | None:
        """A network of random weights, scored on a dataset as a control."""
        return next((n for n in self.networks if n.dataset == dataset and not n.steps), None)

    def preferred_settings(self, dataset: str) -> tuple[str, ...]:
        """The setting with the highest mean over the folds of a dataset, if there are folds."""
        means = {name: fmean(scores) for name, scores in self.fold_scores(dataset).items()}
        return tuple(sorted(means, key=lambda name: -means[name])[:1])

    def fold_scores(self, dataset: str) -> dict[str, list[float]]:
        """For each setting of a dataset its scores on held-out classes."""
        scores: dict[str, list[float]] = defaultdict(list)
        for row in self.held_out:
            if row.dataset == dataset:
                scores[row.setting].append(row.score_5)
        return scores

    def fold_ceiling(self, dataset: str) -> float:
        """The highest mean score that the metric allows on the folds of a dataset."""
        found = [row.ceiling_5 for row in self.held_out if row.dataset == dataset]
        return sum(found) / len(found)

    def set_for(self, source: str, target: str) -> TrainingSet | None:
        """The set that was deduced from a dataset within the sizes of another, or of itself."""
        found = [
            part
            for key, part in self.sets.items()
            if (name := SET_NAME.fullmatch(key))
            and (name["source"], name["target"]) == (source, target)
            and name["sizes"].startswith("1-")
        ]
        return found[-1] if found else None

    def ceiling(self, dataset: str, split: str) -> float | None:
        """The highest score that the metric allows on a split."""
        found = (
            n.scores[split] for n in self.networks if n.dataset == dataset and split in n.scores
        )
        return next((score.ceiling_5 for score in found), None)

    def composition(self, source: str, target: str, setting: str) -> CompositionRow | None:
        """The scores on one dataset of the network longest trained on another."""
        found = [
            row
            for row in self.compositions
            if (row.trained_on, row.dataset, row.setting) == (source, target, setting) and row.steps
        ]
        return max(found, key=lambda row: row.steps, default=None)

    def untrained_composition(self, source: str, target: str) -> CompositionRow | None:
        """The scores on one dataset of random weights in the shape of another's networks."""
        pair = (source, target)
        found = (row for row in self.compositions if (row.trained_on, row.dataset) == pair)
        return next((row for row in found if not row.steps), None)


def _by_validation(network: ScoredNetwork) -> tuple[float, float, float, int]:
    score = network.scores["validation"]
    return score.score_5, score.score_10, score.score_15, network.steps


def _networks(path: Path) -> Iterator[ScoredNetwork]:
    """The networks of a results file, in its order."""
    groups: dict[tuple[str, str, tuple[int, ...], int], dict[str, ScoreRow]] = defaultdict(dict)
    for row in _rows(path, ScoreRow):
        groups[row.dataset, row.setting, row.seeds, row.steps][row.split] = row
    for (dataset, setting, seeds, steps), scores in groups.items():
        yield ScoredNetwork(path.stem, dataset, setting, seeds, steps, scores)


def _rows(path: Path, kind: type[S]) -> Iterator[S]:
    """The rows of a file, if it is there, that are of published data."""
    found = read_records(path, kind) if path.is_file() else ()
    return (row for row in found if row.data == "published")
