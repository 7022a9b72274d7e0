"""The evaluations of the paper on some models: a corpus in, a folder of results out.

Every result is a file of its own, written whole; what is there is not done again, so that a run
that was stopped goes on where it was. The vectors of a corpus are kept in parts, so that no more
than one part is ever lost.

    out/MODEL/settings.json        what the results of this model belong to
    out/MODEL/vectors/00000.npy    the vectors of the training expressions, in parts
    out/MODEL/EVALUATION.json      one file for each evaluation, and a page and a picture for plots
    out/tree_edit_distance.json    every two models against each other
"""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np

from equivec.corpus.records import write_json
from equivec.corpus.splitting import TEST, TRAIN
from equivec.corpus.store import Corpus
from equivec.errors import ConfigError, FileFormatError
from equivec.evaluate.analogies import generated_analogies, paper_analogies, solve_analogies
from equivec.evaluate.distance_analysis import analyse_distances, find_neighbours, paper_queries
from equivec.evaluate.embedding_plots import plot_embeddings
from equivec.evaluate.encoders import load_encoder
from equivec.evaluate.plot_page import write_plot_page, write_plot_picture
from equivec.evaluate.plot_set import plot_expressions, read_labelled
from equivec.evaluate.pool import Pool
from equivec.evaluate.tree_edit_comparison import TreeEditComparison, compare_neighbours
from equivec.expression.files import renamed_when_complete

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from equivec.evaluate.embedding_plots import MapName
    from equivec.evaluate.encoders import Encoder

SETTINGS, COMPARISON = "settings.json", "tree_edit_distance.json"
_NEIGHBOURS, _FILES = "neighbours", "corpus files"


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationConfig:
    """What is evaluated on; `corpus` and `plot_file` are paths."""

    corpus: str | None = None
    plot_file: str | None = None
    queries: int = 2_000
    seed: int = 42
    rows_per_part: int = 50_000

    def __post_init__(self) -> None:
        for name in ("queries", "rows_per_part"):
            if getattr(self, name) < 1:
                raise ConfigError(f"{name} must be at least 1, not {getattr(self, name)}")


@dataclass(frozen=True, slots=True)
class Progress:
    """How far an evaluation of a model is."""

    model: str
    step: str
    done: int
    wanted: int


class _Subject:
    """A model under evaluation, its folder, and what several evaluations share."""

    def __init__(self, encoder: Encoder, folder: Path, config: EvaluationConfig) -> None:
        self.encoder = encoder
        self.folder = folder
        self.config = config
        self.parts = folder / "vectors"

    @cached_property
    def corpus(self) -> Corpus:
        if self.config.corpus is None:
            raise ConfigError("this evaluation needs the expressions of a corpus; name its folder")
        return Corpus.open(self.config.corpus)

    @cached_property
    def texts(self) -> list[str]:
        return list(dict.fromkeys(self.corpus.expressions(TRAIN)))

    @cached_property
    def queries(self) -> list[str]:
        """Random expressions of the test set."""
        texts = list(self.corpus.expressions(TEST))
        generator = Random(self.config.seed)  # noqa: S311
        return generator.sample(texts, min(self.config.queries, len(texts)))

    @cached_property
    def pool(self) -> Pool:
        paths = sorted(self.parts.glob("*.npy"))
        return Pool(self.texts, tuple(np.load(path, mmap_mode="r") for path in paths))

    def make_vectors(self) -> Iterator[Progress]:
        """Encode the training expressions, part by part, but for the parts that are there."""
        self.parts.mkdir(exist_ok=True)
        rows = self.config.rows_per_part
        for number, start in enumerate(range(0, len(self.texts), rows)):
            path = self.parts / f"{number:05d}.npy"
            some = self.texts[start : start + rows]
            if not path.exists():
                vectors = self.encoder.encode(some)
                with renamed_when_complete(path) as temporary, temporary.open("wb") as file:
                    np.save(file, vectors)
            yield Progress(self.encoder.name, "vectors", start + len(some), len(self.texts))


def _paper_analogies(subject: _Subject) -> dict[str, Any]:
    return solve_analogies(subject.encoder, paper_analogies(), subject.pool).to_json()


def _generated_analogies(subject: _Subject) -> dict[str, Any]:
    return solve_analogies(subject.encoder, generated_analogies(), subject.pool).to_json()


def _distance_analysis(subject: _Subject) -> dict[str, Any]:
    return analyse_distances(subject.encoder, subject.pool, paper_queries()).to_json()


def _neighbours(subject: _Subject) -> dict[str, Any]:
    """The neighbours that the tree edit distances of all models are taken from."""
    found = find_neighbours(subject.encoder, subject.pool, subject.queries)
    return {"model": subject.encoder.name, "queries": subject.queries, "neighbours": found}


def _plot(subject: _Subject, name: MapName) -> dict[str, Any]:
    own = subject.config.plot_file
    expressions = plot_expressions() if own is None else read_labelled(Path(own))
    plot = plot_embeddings(subject.encoder, expressions, name, subject.config.seed)
    write_plot_page(subject.folder / f"plot_{name}.html", plot)
    write_plot_picture(subject.folder / f"plot_{name}.png", plot)
    return plot.measures.to_json()


EVALUATIONS: Mapping[str, Callable[[_Subject], dict[str, Any]]] = {
    "plot_pca": lambda subject: _plot(subject, "pca"),
    "plot_tsne": lambda subject: _plot(subject, "tsne"),
    "distance_analysis": _distance_analysis,
    _NEIGHBOURS: _neighbours,
    "paper_analogies": _paper_analogies,
    "generated_analogies": _generated_analogies,
}
_WITHOUT_CORPUS = frozenset({"plot_pca", "plot_tsne"})


def evaluate_models(
    models: Sequence[str], out: Path, config: EvaluationConfig, only: Sequence[str] = ()
) -> Iterator[Progress]:
    """Run the evaluations that are not there yet; the caller shows the progress."""
    chosen = _chosen(only, config)
    encoders = [load_encoder(model) for model in models]
    for encoder in encoders:
        subject = _Subject(encoder, out / _folder_name(encoder.name), config)
        _prepare(subject)
        missing = [name for name in chosen if not (subject.folder / f"{name}.json").exists()]
        if not _WITHOUT_CORPUS.issuperset(missing):
            yield from subject.make_vectors()
        for number, name in enumerate(missing):
            yield Progress(encoder.name, name, number, len(missing))
            write_json(subject.folder / f"{name}.json", EVALUATIONS[name](subject))
    if _NEIGHBOURS in chosen and len(encoders) > 1:
        yield Progress("all models", "tree edit distance", 0, 1)
        write_json(out / COMPARISON, _comparison(out).to_json())


def read_results(out: Path) -> dict[str, dict[str, Any]]:
    """What the folder of an evaluation holds: for each model, the results by evaluation."""
    results: dict[str, dict[str, Any]] = {}
    for settings in sorted(out.glob(f"*/{SETTINGS}")):
        files = {name: settings.parent / f"{name}.json" for name in EVALUATIONS}
        model = _read(settings)["model"]
        results[model] = {name: _read(path) for name, path in files.items() if path.exists()}
    return results


def _comparison(out: Path) -> TreeEditComparison:
    """Every two models of the folder whose neighbours are of the same queries."""
    found = {
        model: each[_NEIGHBOURS] for model, each in read_results(out).items() if _NEIGHBOURS in each
    }
    queries = next(iter(found.values()))["queries"]
    for model, each in found.items():
        if each["queries"] != queries:
            raise FileFormatError(f"{model} was evaluated with other queries than the others")
    return compare_neighbours(queries, {model: each["neighbours"] for model, each in found.items()})


def _chosen(only: Sequence[str], config: EvaluationConfig) -> list[str]:
    for name in only:
        if name not in EVALUATIONS:
            raise ConfigError(f"{name!r} is not an evaluation; use {', '.join(EVALUATIONS)}")
    chosen = [name for name in EVALUATIONS if not only or name in only]
    if config.corpus is None and not _WITHOUT_CORPUS.issuperset(chosen):
        raise ConfigError(
            "neighbours and analogies are sought in a corpus; name its folder, or choose "
            + " and ".join(sorted(_WITHOUT_CORPUS))
        )
    return chosen


def _prepare(subject: _Subject) -> None:
    """Make the model's folder, or see that its results are of the same settings."""
    path = subject.folder / SETTINGS
    settings = _settings(subject)
    before = _read(path) if path.exists() else settings
    # Plots need no corpus; one may be named later, or not again.
    settings[_FILES] = settings[_FILES] or before[_FILES]
    if settings != {**before, _FILES: before[_FILES] or settings[_FILES]}:
        raise FileFormatError(
            f"{subject.folder} has results of other settings; choose another folder for these"
        )
    subject.folder.mkdir(parents=True, exist_ok=True)
    write_json(path, settings)


def _settings(subject: _Subject) -> dict[str, Any]:
    """The model, the settings and, of a corpus, the checksums that tell it from any other."""
    config = asdict(subject.config)
    has_corpus = config.pop("corpus") is not None
    files = dict(subject.corpus.manifest["files"]) if has_corpus else {}
    return {"model": subject.encoder.name, **config, _FILES: files}


def _folder_name(model: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", model.lower()).strip("-")


def _read(path: Path) -> dict[str, Any]:
    try:
        value: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except json.JSONDecodeError as error:
        raise FileFormatError(f"{path} is damaged: {error}") from error
    return value
