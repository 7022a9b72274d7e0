"""`equivec corpus`: a small corpus from build to verify, as a user would type it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from support.command import run


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("corpus") / "small"
    result = run(
        *("corpus", "build", "-o", str(folder), "--size", "1500", "--sources-per-shard", "40"),
        *("--engine", "both", "--workers", "2", "--sympy-fraction", "0.1"),
    )
    assert result.code == 0, result.stderr
    assert f"wrote {folder}: " in result.stderr
    assert result.stdout == ""
    return folder


def test_a_corpus_that_holds_nothing_out_is_all_for_training(tmp_path: Path) -> None:
    few = ("--size", "200", "--sources-per-shard", "20", "--hold-nothing-out")
    assert run("corpus", "build", "-o", str(tmp_path / "all"), *few).code == 0
    counts = json.loads((tmp_path / "all" / "manifest.json").read_text())["counts"]
    assert counts["splits"] == {"train": counts["expressions"]}
    both = run("corpus", "build", "-o", str(tmp_path / "none"), *few, "--held-out", str(tmp_path))
    assert both.code == 2
    assert both.stderr == "--held-out and --hold-nothing-out exclude each other; give only one\n"
    assert not (tmp_path / "none").exists()


def test_describe_prints_the_statistics_of_the_paper(folder: Path, tmp_path: Path) -> None:
    page, chart = tmp_path / "page.html", tmp_path / "chart.svg"
    result = run("corpus", "describe", str(folder), "-o", str(page), "-o", str(chart))
    assert "operators" in result.stdout
    assert "of their length apart in edits" in result.stdout
    assert page.read_text().startswith("<!doctype html>")
    assert "<math" in page.read_text()
    assert "<svg" in chart.read_text()


def test_describe_shows_a_corpus_that_does_not_count_proposals(tmp_path: Path) -> None:
    sample, page = Path(__file__).parents[2] / "data" / "sample", tmp_path / "page.html"
    assert "proposals" not in json.loads((sample / "manifest.json").read_text())
    result = run("corpus", "describe", str(sample), "-o", str(page))
    assert result.code == 0, result.stderr
    assert "<math" in page.read_text()


def test_describe_as_json(folder: Path) -> None:
    answer = json.loads(run("corpus", "describe", str(folder), "--json").stdout)
    assert set(answer["counts"]["engines"]) == {"rules", "sympy"}
    assert answer["operators"]["train"]["mean"] > 3


def test_verify_finds_nothing_wrong(folder: Path) -> None:
    result = run(
        "corpus", "verify", str(folder), "--sample", "200", "--sympy-sample", "5", "--json"
    )
    answer = json.loads(result.stdout)
    assert result.code == 0
    assert answer["damaged files"] == []
    assert sum(answer["verdicts"]["ours"].values()) == 200
    assert not {"DIFFERENT", "EQUAL_ON_COMMON_DOMAIN"} & set(answer["verdicts"]["ours"])
    assert sum(answer["verdicts"]["sympy"].values()) == 5


def test_export_says_what_it_wrote(folder: Path, tmp_path: Path) -> None:
    result = run("corpus", "export", str(folder), "-o", str(tmp_path / "pairs.txt"))
    count = len((tmp_path / "pairs.txt").read_text().splitlines())
    assert result.stderr == f"wrote {tmp_path / 'pairs.txt'}: {count:,} pairs\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["describe", "nowhere"], "nowhere is not a finished corpus: it has no manifest.json"),
        (["build", "-o", "x", "--size", "0"], "size must be at least 1 pair, not 0"),
        (["build", "-o", "x", "--workers", "0"], "workers must be at least 1, not 0"),
        (["build", "-o", "x", "--seed", "-1"], "seed must be at least 0, not -1"),
        (["sample", "x", "-o", "y", "--seed", "-1"], "seed must be at least 0, not -1"),
        (["sample", "x", "-o", "y", "--clusters", "0"], "a sample needs at least 1 cluster, not 0"),
        (
            ["export", "x", "-o", "y", "--split", "validation"],
            "--split has no effect with --to pairs; leave one of them out",
        ),
        (
            ["export", "x", "-o", "y", "--to", "expressions", "--without", "z"],
            "--without has no effect with --to expressions; leave one of them out",
        ),
        (
            ["export", "x", "-o", "y", "--to", "arrays", "--without", "z", "--ignore-order"],
            "--ignore-order has no effect with --to arrays --without; leave one of them out",
        ),
        (
            ["export", "x", "-o", "y", "--found-by", "sympy"],
            "--found-by has no effect with --to pairs; leave one of them out",
        ),
    ],
)
def test_mistakes_end_in_a_sentence(arguments: list[str], message: str) -> None:
    result = run("corpus", *arguments)
    assert (result.code, result.stderr) == (2, f"{message}\n")


@pytest.mark.parametrize(
    "arguments", [["sources", "-o", "x", "--count"], ["verify", "x", "--sample"]]
)
def test_less_than_nothing_cannot_be_asked_for(arguments: list[str]) -> None:
    result = run("corpus", *arguments, "-1")
    assert result.code == 2
    assert "should be greater than or equal to" in result.stderr


def test_analogies_are_written_as_arrays_of_five_with_their_functions(tmp_path: Path) -> None:
    path = tmp_path / "analogies.npz"
    result = run("corpus", "analogies", "-o", str(path), "--of-each-family", "5")
    with np.load(path) as arrays:
        functions = arrays["functions"]  # of x1, y1, y2, x2 and the rival
        count = len(functions)
        assert (arrays["sizes"] == 5).all()
        assert len(arrays["lengths"]) == 5 * count
        assert len(set(functions[:, 3].tolist())) > count / 2
        same = functions[:, 0] == functions[:, 1]
        assert same.any(), "there are identities"
        np.testing.assert_array_equal(same, functions[:, 3] == functions[:, 2])
    assert result.stderr == f"wrote {path}: {count:,} analogies\n"
