"""The README: its commands print what it says, and its numbers come from results files."""

from __future__ import annotations

import doctest
import re
import shlex
from pathlib import Path

import pytest

from benchmarks import scaling
from benchmarks.readme import read_rows, with_table
from equivec.algebra.points import Domain
from support.cases import read_cases
from support.command import run

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


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


def test_the_table_of_speed_is_that_of_the_results() -> None:
    rows = read_rows()
    assert rows
    assert with_table(README, rows) == README


def test_the_figures_of_a_billion_expressions_are_those_of_the_results() -> None:
    page = scaling.PAGE.read_text(encoding="utf-8")
    assert scaling.with_figures(page, read_rows()) == page


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
