"""`equivec-reproduction`, as a user would type it."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest

import support.command

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "results"
run = partial(support.command.run, program="equivec_reproduction.command")


def test_the_report_of_semvec_is_made_without_torch() -> None:
    result = run("semvec-report", str(RESULTS), without=("torch",))
    assert result.stdout.startswith("# SemVec")


def test_the_report_is_written_where_asked(tmp_path: Path) -> None:
    markdown, html = tmp_path / "page.md", tmp_path / "page.html"
    paths = ("--markdown", str(markdown), "--html", str(html))
    result = run("semvec-report", str(RESULTS), *paths)
    assert (result.code, result.stdout) == (0, "")
    assert result.stderr == f"wrote {markdown}\nwrote {html}\n"
    assert html.read_text(encoding="utf-8").startswith("<!doctype html>")
    tables = json.loads(run("semvec-report", str(RESULTS), "--json").stdout)
    assert tables[0]["title"] == "Unseen classes, trained on the training rows alone (score_5)"


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("report", "{docs}"), "docs has no results; `equivec evaluate MODEL... --out results"),
        (
            ("report", "{results}", "--markdown", "{out}", "--html", "{out}"),
            "both pages would be {out}; name two files",
        ),
        (("semvec-report", "nowhere"), "nowhere has no results: semvec/*.json are lists of rows"),
        (("make-evaluation-sets", "lists"), "'lists' is not an evaluation set; use analogies, "),
        (("record", "blends", "half"), "'half' is not SHARE=FOLDER, such as 0.3=out/blend"),
        (("record", "semvec", "{docs}", "untrained", "c", "1"), "untrained is recorded already; "),
        (
            ("record", "semvec", "{docs}", "new", "c", "1"),
            "is not what a training leaves: it needs",
        ),
    ],
    ids=["no results", "one page", "no SemVec", "no set", "no blend", "a known name", "no rows"],
)
def test_bad_input_is_one_sentence(
    arguments: tuple[str, ...], problem: str, tmp_path: Path
) -> None:
    names = {"docs": ROOT / "docs", "results": RESULTS, "out": tmp_path / "out"}
    result = run(*(argument.format(**names) for argument in arguments))
    assert result.code == 2
    assert not (tmp_path / "out").exists()
    assert problem.format(**names) in result.stderr
    assert "Traceback" not in result.stderr
    assert len(result.stderr.splitlines()) == 1
