"""The report: every table of the paper beside ours, made of a folder of results and nothing else.

    results/evaluation/                   what `equivec evaluate --out` wrote, all in one run
    results/corpus.json, corpus.png       the corpus, verified too (`record corpus`)
    results/training.json                 training throughput (`python -m benchmarks.training`)
    results/generation/*.json             accuracy by beam and judge (`equivec accuracy --save`)
    results/benchmark/                    the benchmark (`equivec benchmark --out`), and how much of
                                          it training has (`record overlap`)
    results/identities_overlap.json       how many identities training's sources have
                                          (`record identities`)
    results/plots/corpus/                 plots of expressions drawn from a corpus; beside it of the
        committed/, fresh/                package's own set, and of one drawn after all trainings
    results/runs/                         how models were trained, which tables are read by
    results/notes.toml                    what else must be said of these results, by table

`record` is a command of `equivec-reproduction`. The first folder suffices: what `equivec evaluate`
wrote can be reported on by itself. The others are asked before it, and what is nowhere is said to
be missing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from equivec.errors import FileFormatError
from equivec_reproduction.data_tables import data_tables
from equivec_reproduction.folder import ResultsFolder
from equivec_reproduction.pages import Page, Table
from equivec_reproduction.sentences import EVALUATE
from equivec_reproduction.vector_tables import vector_tables

if TYPE_CHECKING:
    from pathlib import Path

_TITLE = "Results: every table of the paper beside ours"
_INTRODUCTION = (
    "The paper is Gangwar & Kani, Semantic Representations of Mathematical Expressions in a "
    "Continuous Vector Space, TMLR 2023. Its figures are as printed, or computed from what its "
    "authors published, on its own corpus and test sets, which are not ours; ours are from the "
    "files of the folder `results` that each section names. Made by `equivec-reproduction "
    "report`; not to be edited."
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


def report_page(folder: Path) -> Page:
    """The report of a folder of results."""
    results = ResultsFolder(folder)
    tables = (*data_tables(results), *vector_tables(results), _SEMVEC)
    if not any(table.rows for table in tables):
        raise FileFormatError(f"{folder} has no results; `{EVALUATE}` makes some")
    return Page(_TITLE, _INTRODUCTION, tables)
