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


def test_the_readme_hides_no_missed_goal_and_no_lost_race() -> None:
    rows = [row for row in read_rows() if row["ratio"] is not None]
    shown = headlines(rows)
    assert {row["benchmark"] for row in shown} == {row["benchmark"] for row in rows}
    assert all(row in shown for row in rows if is_lost(row))


def test_every_lost_race_is_explained_and_no_other() -> None:
    page = SPEED.read_text(encoding="utf-8")
    explained = re.findall(r"^- \*(.+?)\*, (.+?):", page, re.MULTILINE)
    lost = [row for row in read_rows() if row["ratio"] is not None and is_lost(row)]
    for row in lost:
        about = [words for name, words in explained if name == row["benchmark"]]
        assert any(words in row["what"] for words in about), row["what"]
    assert {name for name, _ in explained} == {row["benchmark"] for row in lost}


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
    assert is_lost({"benchmark": benchmark, "ratio": ratio, "goal": goal}) is expected


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
    counts = f"on the {true:,} true pairs, {near:,} near misses and {trap:,} domain traps committed"
    assert counts in " ".join(README.split())
