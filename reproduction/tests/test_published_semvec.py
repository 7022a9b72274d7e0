"""The published figures: complete, consistent, and those of the paper's source where it is here."""

import os
import re
from pathlib import Path

import pytest

from equivec.semvec.dataset import COMPOSITIONS, SEMVEC_SPECS
from equivec_reproduction.published_semvec import (
    PUBLISHED_COMPOSITIONALITY,
    PUBLISHED_SEEN,
    PUBLISHED_SIZES,
    PUBLISHED_UNSEEN,
    PUBLISHED_UNSEEN_BY_WIDTH,
    PUBLISHED_VALIDATION,
    WIDTHS,
    Figures,
    best_published,
)

NAMES = {spec.name for spec in SEMVEC_SPECS}
BY_DATASET = (PUBLISHED_UNSEEN, PUBLISHED_VALIDATION, PUBLISHED_SEEN, PUBLISHED_UNSEEN_BY_WIDTH)


def test_every_table_has_all_datasets_in_the_order_of_the_paper() -> None:
    assert set(PUBLISHED_UNSEEN) == NAMES
    for table in (*BY_DATASET, PUBLISHED_SIZES):
        assert list(table) == list(PUBLISHED_UNSEEN)
    assert tuple(PUBLISHED_COMPOSITIONALITY) == COMPOSITIONS


def test_what_two_tables_print_is_the_same() -> None:
    for name, row in PUBLISHED_UNSEEN.items():
        assert row["StructEmb"] == PUBLISHED_UNSEEN_BY_WIDTH[name]["StructEmb"]


def test_the_goal_is_the_best_of_the_row() -> None:
    assert (best_published("Poly8"), best_published("Bool5")) == (87.3, 73.7)


@pytest.fixture(scope="module")
def paper() -> str:
    shared = Path(__file__).parents[3] / "shared" / "paper.tex"
    path = Path(os.environ.get("EQUIVEC_PAPER", shared))
    if not path.is_file():
        pytest.skip("the source of the paper is not here; EQUIVEC_PAPER can name it")
    return path.read_text(encoding="utf-8")


def printed_after(paper: str, label: str) -> list[list[str]]:
    """The rows of the table with a label, cell by cell."""
    table = paper[paper.index(f"\\label{{{label}}}") :]
    table = re.sub(r"\\textsc\{([^}]*)\}", r"\1", table[: table.index("\\bottomrule")])
    lines = table[table.index("\\midrule") :].splitlines()[1:]
    return [
        [cell.strip(" \\") for cell in line.split("&")]
        for line in lines
        if line.strip().endswith(r"\\")
    ]


def as_printed(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f}"


@pytest.mark.parametrize(
    ("label", "figures"),
    [
        ("table:semvec_validation_results", PUBLISHED_VALIDATION),
        ("table:semvec_seeneqcls_results", PUBLISHED_SEEN),
        ("table:expemba_detailed_results", PUBLISHED_UNSEEN_BY_WIDTH),
    ],
)
def test_the_figures_by_width_are_those_of_the_paper(
    paper: str, label: str, figures: Figures
) -> None:
    columns = (*WIDTHS, "SemEmb")
    ours = [
        [name, *(as_printed(row[c]) for c in columns if c in row)] for name, row in figures.items()
    ]
    assert printed_after(paper, label) == ours


def test_the_figures_of_unseen_classes_are_those_of_the_paper(paper: str) -> None:
    ours = [
        [
            name,
            *(as_printed(row[column]) for column in ("EqNet", "EqNet-L", "StructEmb")),
            f"{PUBLISHED_SIZES[name][0]:,}",
            as_printed(row["SemEmb"]),
            f"{PUBLISHED_SIZES[name][1]:,}",
        ]
        for name, row in PUBLISHED_UNSEEN.items()
    ]
    assert printed_after(paper, "tab:semvec_comparison") == ours


def test_the_figures_of_compositionality_are_those_of_the_paper(paper: str) -> None:
    ours = [
        [f"{source} $\\rightarrow$ {target}", as_printed(value)]
        for (source, target), value in PUBLISHED_COMPOSITIONALITY.items()
    ]
    assert printed_after(paper, "table:semvec_compositionality_results") == ours
