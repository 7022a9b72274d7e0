"""The README: its commands print what it says, and its numbers come from results files."""

from __future__ import annotations

import doctest
import json
import re
import shlex
from pathlib import Path

import pytest

from benchmarks import scaling
from benchmarks.readme import README as README_PATH
from benchmarks.readme import SPEED, headlines, is_lost, read_rows, with_all_rows, with_figures
from benchmarks.timing import Row
from equivec import Embedder
from equivec.algebra.points import Domain
from support.cases import read_cases
from support.command import run

ROOT = Path(__file__).parent.parent
MODELS = ("SemEmb", "SemEmb-plain", "StructEmb")
README = README_PATH.read_text(encoding="utf-8")


def console_examples() -> list[tuple[str, str]]:
    """The commands after a `$ equivec` and what is printed under each."""
    blocks = re.findall(r"```console\n(.*?)```", README, flags=re.DOTALL)
    found: list[tuple[str, str]] = []
    for block in blocks:
        for part in block.split("$ equivec ")[1:]:
            command, _, output = part.partition("\n")
            found.append((command, output))
    return found


@pytest.mark.parametrize(("command", "output"), console_examples())
def test_a_command_prints_what_the_readme_shows(command: str, output: str) -> None:
    # Inside double quotes a shell leaves a backslash before most letters alone, as shlex does.
    result = run(*shlex.split(command))
    printed = result.stdout + result.stderr
    assert doctest.OutputChecker().check_output(output, printed, doctest.ELLIPSIS), printed


def test_the_readme_has_examples() -> None:
    assert len(console_examples()) >= 4


def test_the_tables_are_those_of_the_results() -> None:
    """Else: python -m benchmarks.readme."""
    assert with_figures(README) == README
    speed = SPEED.read_text(encoding="utf-8")
    assert with_all_rows(speed) == speed


def quality_rows() -> list[list[str]]:
    """The cells of the table of what models find and write."""
    (table,) = re.findall(r"<!-- quality -->\n(.*?)<!-- /quality -->", README, flags=re.DOTALL)
    return [line.strip("| ").split(" | ") for line in table.splitlines()[2:]]


def measured(pattern: str) -> set[str]:
    """The models with a result in the files of a pattern."""
    paths = (ROOT / "results").glob(pattern)
    return {json.loads(path.read_text(encoding="utf-8"))["model"] for path in paths}


@pytest.mark.parametrize(
    ("words", "pattern"),
    [
        ("functions that training has in no form", "evaluation/*/retrieval.json"),
        ("textbook identities", "evaluation/*/identities.json"),
        ("analogies of the paper", "evaluation/*/paper_analogies.json"),
        ("on a plane by PCA", "plots/fresh/*/plot_pca.json"),
        ("SymPy judges", "generation/*-rules-free-sympy.json"),
        ("the input itself may not be written", "generation/*-rules-other-ours.json"),
    ],
)
def test_no_row_leaves_out_a_model_that_was_measured(words: str, pattern: str) -> None:
    (row,) = (row for row in quality_rows() if words in row[0])
    entries = [entry.strip() for cell in row[1:3] for entry in cell.split(";")]
    models = (
        measured(pattern)
        if "generation" not in pattern
        else {path.name.split("-rules-")[0] for path in (ROOT / "results").glob(pattern)}
    )
    for model in models:
        assert any(re.fullmatch(rf"{model} [\d(].*", entry) for entry in entries), model


def test_a_model_named_in_the_table_is_explained_before_it() -> None:
    before = README[: README.index("<!-- quality -->")]
    assert all(name in before for name in (*MODELS, "`default`", "bag of tokens"))
    assert "the text model is all-MiniLM-L6-v2" in before


def test_semvec_is_told_by_training_rows_alone_and_deduction_stands_beside_what_it_gave() -> None:
    alone, deduced = (row for row in quality_rows() if row[0].startswith("SemVec"))
    assert "trained on the training rows alone" in alone[0]
    assert alone[1].startswith("LatentWorlds ")
    ours = "our SemEmb networks, the best on validation 81.7 (above the best published on 2 of 14"
    assert ours in alone[2]
    assert all(text in alone[2] for text in ("EqNet", "random weights", "the best published"))
    assert "most expressions of the unseen classes are among their inputs" in deduced[0]
    assert "above" not in deduced[1], "no verdict where training saw what is asked"
    assert "without any network" in deduced[2]
    assert "(above the best published on 8 of 12, equal on 1, below on 3)" in deduced[2]


def test_every_row_says_whether_it_can_be_measured_again() -> None:
    for row in quality_rows():
        assert len(row) == 4
        assert re.search(r"\byes\b|\bno\b|with a corpus that you build", row[3]), row


def test_the_identities_that_training_has_are_told_beside_the_table() -> None:
    found = json.loads((ROOT / "results" / "identities_overlap.json").read_text(encoding="utf-8"))
    known, both = (
        f"{found[key] / found['identities']:.0%}"
        for key in ("function_in_training", "both_sides_verbatim")
    )
    told = f"function of {known} of the identities in some form, and both sides of {both}"
    assert told in " ".join(README.split())


def test_a_package_that_is_not_released_is_installed_from_this_folder() -> None:
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert "(not released)" in changes, "then the docs may name the package in an index"
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    assert not [page.name for page in pages if "pip install 'equivec[" in page.read_text("utf-8")]
    assert "not on PyPI yet" in README


def test_what_make_installs_beside_the_environment_is_told() -> None:
    assert "apt-get install -y -qq chromium" in (ROOT / "Makefile").read_text(encoding="utf-8")
    start = README[README.index("## Start") : README.index("```console\nmake demo")]
    assert "chromium with `apt-get`" in " ".join(start.split())


def test_the_goals_of_speed_are_explained_before_the_table() -> None:
    assert "The goal is the ratio" in " ".join(
        README[: README.index("<!-- benchmarks -->")].split()
    )


def test_the_readme_hides_no_missed_goal_and_no_lost_race() -> None:
    rows = [row for row in read_rows() if row.ratio is not None]
    shown = headlines(rows)
    assert {row.benchmark for row in shown} == {row.benchmark for row in rows}
    assert all(row in shown for row in rows if is_lost(row))


def test_every_lost_race_is_explained_and_no_other() -> None:
    page = SPEED.read_text(encoding="utf-8")
    explained = re.findall(r"^- \*(.+?)\*, (.+?):", page, re.MULTILINE)
    lost = [row for row in read_rows() if row.ratio is not None and is_lost(row)]
    for row in lost:
        about = [words for name, words in explained if name == row.benchmark]
        assert any(words in row.what for words in about), row.what
    assert {name for name, _ in explained} == {row.benchmark for row in lost}


@pytest.mark.parametrize(
    ("benchmark", "ratio", "goal", "expected"),
    [
        ("judge", 199.0, 200.0, True),
        ("judge", 200.0, 200.0, False),
        ("evaluation", 0.9, None, True),
        ("search", 0.97, 0.95, False),
        ("service-memory", 1.2, 1.1, True),
        ("service-memory", 1.0, 1.1, False),
    ],
)
def test_what_counts_as_lost(
    benchmark: str, ratio: float, goal: float | None, expected: bool
) -> None:
    row = Row(benchmark=benchmark, what="", ours=1.0, unit="", ratio=ratio, goal=goal)
    assert is_lost(row) is expected


def test_the_figures_of_a_billion_expressions_are_those_of_the_results() -> None:
    page = scaling.PAGE.read_text(encoding="utf-8")
    assert scaling.with_figures(page, read_rows()) == page


@pytest.mark.parametrize(
    ("card", "model"),
    [
        ("src/equivec/embed/models/default", "default"),
        ("models/SemEmb", "sememb"),
        ("models/SemEmb-plain", "sememb-plain"),
        ("models/StructEmb", "structemb"),
    ],
)
def test_the_figures_of_a_model_card_are_those_of_the_results(card: str, model: str) -> None:
    unseen, known = (
        json.loads((ROOT / "results" / "evaluation" / model / name).read_text(encoding="utf-8"))
        for name in ("retrieval.json", "identities.json")
    )
    text = " ".join((ROOT / card / "README.md").read_text(encoding="utf-8").split())
    assert (
        f"Recall@1 of an equivalent {unseen['recall_1']:.3f} on unseen functions, "
        f"{known['recall_1']:.3f} on textbook identities" in text
    )


@pytest.mark.parametrize("card", ["default", *MODELS])
def test_what_was_measured_are_the_models_that_are_published(card: str) -> None:
    """Commands name folders as they were called where they ran; the weights tell."""
    folder = ROOT / "models" / card
    found = [
        json.loads(path.read_text(encoding="utf-8"))
        for path in (ROOT / "results").glob(f"*/**/{card.lower()}/settings.json")
    ]
    assert len(found) == 4  # evaluations, and plots of three sets
    weights = Embedder(folder if folder.exists() else card).checksum
    assert {each["weights"] for each in found} == {weights}


@pytest.mark.parametrize("page", ["README.md", "docs/service.md"])
def test_pictures_are_there_and_small(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    names = re.findall(r'(?:src|srcset)="([^"]+)"|!\[[^]]*\]\(([^)]+)\)', text)
    assert names
    for name in (first or second for first, second in names):
        assert (ROOT / page).parent.joinpath(name).stat().st_size < 200_000, name


def test_the_judges_cases_are_as_many_as_the_readme_says() -> None:
    true, near, trap = (
        sum(len(read_cases(f"{kind}.tsv", domain)) for domain in Domain)
        for kind in ("true_pairs", "near_misses", "domain_traps")
    )
    counts = f"on the {true:,} true pairs, {near:,} near misses and {trap:,} domain traps in"
    assert counts in " ".join(README.split())
