"""A class of the user's own is a model for every command, by module:Class."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest

from support.command import run

if TYPE_CHECKING:
    from pathlib import Path

OWN = """
import numpy as np

class Sizes:
    name, width, checksum = "sizes", 2, "1"

    def encode(self, trees, *, normalize=True):
        rows = np.array([[tree.size, tree.depth ** 2] for tree in trees], dtype=np.float32)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True) if normalize else rows

class Widthless:
    name, checksum, encode = "widthless", "1", Sizes.encode
"""
MODEL = ("--model", "own:Sizes")


@pytest.fixture(autouse=True)
def _in_the_folder_of_the_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own.py").write_text(OWN)
    (tmp_path / "some.txt").write_text("x\nsin(x)\nx + y + z\n")
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("workers", [(), ("--executor", "local", "--workers", "1")], ids=str)
def test_an_index_is_built_and_searched_by_it(workers: tuple[str, ...]) -> None:
    built = run("index", "build", "some.txt", "--index", "index", *MODEL, *workers)
    assert built.code == 0, built.stderr
    found = run("search", "cos(t)", "--index", "index", "--json", *MODEL, "-k", "1")
    assert [hit["infix"] for hit in json.loads(found.stdout)["hits"]] == ["sin(x)"]
    asked = run("search", "x", "--index", "index")
    assert asked.code == 2
    assert asked.stderr.startswith("index was made with the model 'sizes'; name it with --model")


def test_it_embeds_expressions_and_files(tmp_path: Path) -> None:
    vector = json.loads(run("embed", "sin(x)", *MODEL).stdout)
    assert vector == {"model": "sizes", "vector": [0.447214, 0.894427]}
    assert run("similarity", "sin(x)", "cos(t)", *MODEL).stdout == "1.0000\n"
    (tmp_path / "some.txt").write_text("x\nsin(x)\nx + y + z\nsin(\n")
    skipping = run("embed", "some.txt", "-o", "vectors.npy", "--on-error", "skip", *MODEL)
    assert skipping.code == 0, skipping.stderr
    assert np.load("vectors.npy").shape == (3, 2)
    stopped = run("embed", "some.txt", "-o", "all.npy", *MODEL)
    assert (stopped.code, stopped.stderr.split(":")[0]) == (2, "line 4 of some.txt")


def test_it_is_evaluated(tmp_path: Path) -> None:
    rows = "sin(x)\tsmall\ncos(x)\tsmall\nsin(cos(x + y))\tlarge\ncos(sin(x + y))\tlarge\n"
    (tmp_path / "plot.tsv").write_text(rows)
    options = ("--out", "out", "--only", "plot_pca", "--plot-file", "plot.tsv")
    done = run("evaluate", "run", "own:Sizes", "bag-of-tokens", *options)
    assert done.code == 0, done.stderr
    assert (tmp_path / "out" / "sizes" / "plot_pca.json").is_file()


def test_what_lacks_something_and_what_writes_nothing_are_told_in_a_sentence() -> None:
    lacking = run("similarity", "x", "y", "--model", "own:Widthless")
    assert lacking.code == 2
    assert lacking.stderr == (
        "the class Widthless of own:Widthless has no 'width'; an encoder has name, width, "
        "checksum and encode\n"
    )
    writing = run("equivalents", "x", *MODEL)
    assert writing.code == 2
    assert writing.stderr == "own:Sizes has no decoder; it writes no expressions\n"
