"""The report: every table of the paper beside ours, made of a folder of results and nothing else.

    results/evaluation/                   what `equivec evaluate --out` wrote, all in one run
    results/corpus.json, corpus.png       the corpus, verified too (`scripts/record_corpus.py`)
    results/training.json                 training throughput (`python -m benchmarks.training`)
    results/generation/*.json             accuracy by beam and judge (`equivec accuracy --save`)
    results/benchmark/                    the benchmark (`equivec benchmark --out`), and how much of
                                          it training has (`scripts/record_overlap.py`)
    results/identities_overlap.json       how many identities training's sources have
                                          (`scripts/record_identities.py`)
    results/plots/corpus/                 plots of expressions drawn from a corpus; beside it of the
        committed/, fresh/                package's own set, and of one drawn after all trainings
    results/runs/, default_blends.json    how models were trained, which tables are read by

The first suffices: a folder that `equivec evaluate` wrote can be reported on by itself. The others
are asked before it, and what is nowhere is said to be missing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from equivec.errors import FileFormatError
from equivec.evaluate.pages import Page, Table
from equivec.evaluate.report_cells import EVALUATE
from equivec.evaluate.report_data import data_tables
from equivec.evaluate.report_vectors import vector_tables
from equivec.evaluate.results import read_result, told_of_kind

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_TITLE = "Results: every table of the paper beside ours"
_INTRODUCTION = (
    "The paper is Gangwar & Kani, Semantic Representations of Mathematical Expressions in a "
    "Continuous Vector Space, TMLR 2023. Its figures are as printed, or computed from what its "
    "authors published, on its own corpus and test sets, which are not ours; ours are from the "
    "files of the folder `results` that each section names. Made by `equivec report`; not to be "
    "edited."
)
_SEMVEC = Table(
    "SemVec",
    (),
    (),
    (
        "The 14 SemVec datasets, with the scores of EqNet, EqNet-L and the paper beside ours, have "
        "a report of their own: `docs/semvec.md`, and `results/semvec.html` to look at.",
    ),
)


@dataclass(frozen=True, slots=True)
class ResultsFolder:
    """A folder of results; its files are read when they are asked for."""

    path: Path

    def read(self, name: str) -> dict[str, Any] | None:
        """The JSON object of a file, if it is there."""
        path = self.path / name
        return read_result(path) if path.is_file() else None

    def read_all(self, pattern: str) -> dict[Path, dict[str, Any]]:
        """The JSON objects of the files that a pattern matches, by path, in order."""
        names = sorted(path.relative_to(self.path) for path in self.path.glob(pattern))
        read = {name: self.read(str(name)) for name in names}
        return {name: found for name, found in read.items() if found is not None}

    def evaluated(self, evaluation: str) -> dict[Path, dict[str, Any]]:
        """What `equivec evaluate` found of each model, by path."""
        if self._evaluations:
            return self.read_all(f"{self._evaluations}*/{evaluation}.json")
        found = self.read_all(f"*/{evaluation}.json")
        return {
            path: each
            for path, each in found.items()
            if (self.path / path).with_name("settings.json").exists()
        }

    def by_model(self, evaluation: str) -> Mapping[str, dict[str, Any]]:
        """The same by model."""
        found = self.evaluated(evaluation)
        for path, each in found.items():
            if "model" not in each:
                raise FileFormatError(f"{self.path / path} does not say of which model it is")
        return {each["model"]: each for each in found.values()}

    def of_all_models(self, name: str) -> dict[str, Any] | None:
        """What `equivec evaluate` found that is of no one model, if it did."""
        return self.read(f"{self._evaluations}{name}.json")

    def picture(self, *names: str) -> Path | None:
        """The first of some pictures that is there."""
        paths = (self.path / name for name in names)
        return next((path for path in paths if path.exists()), None)

    @property
    def _evaluations(self) -> str:
        """Where the evaluations are: in a folder of their own, or they are all there is."""
        return "evaluation/" if (self.path / "evaluation").is_dir() else ""


def report_page(folder: Path) -> Page:
    """The report of a folder of results."""
    results = ResultsFolder(folder)
    with told_of_kind(folder):
        tables = (*data_tables(results), *vector_tables(results), _SEMVEC)
    if not any(table.rows for table in tables):
        raise FileFormatError(f"{folder} has no results; `{EVALUATE}` makes some")
    return Page(_TITLE, _INTRODUCTION, tables)
