"""The authors' files: read as they are, written whole or not at all."""

from __future__ import annotations

import gzip
import random
from typing import TYPE_CHECKING

import pytest

from equivec.errors import FileFormatError
from equivec.expression.files import (
    Pair,
    read_expressions,
    read_pairs,
    write_expressions,
    write_pairs,
)
from equivec.expression.text import parse
from support.trees import random_tree

if TYPE_CHECKING:
    from pathlib import Path

    from equivec.expression.tree import Node

endings = pytest.mark.parametrize("ending", ["txt", "txt.gz"])


@pytest.fixture
def expressions() -> list[Node]:
    generator = random.Random(3)
    return [random_tree(generator, depth=3) for _ in range(50)]


@endings
def test_expressions_come_back(tmp_path: Path, expressions: list[Node], ending: str) -> None:
    path = tmp_path / f"set.{ending}"
    assert write_expressions(path, expressions) == len(expressions)
    assert list(read_expressions(path)) == expressions


@endings
def test_pairs_come_back(tmp_path: Path, expressions: list[Node], ending: str) -> None:
    pairs = [Pair(a, b) for a, b in zip(expressions, reversed(expressions), strict=True)]
    path = tmp_path / f"pairs.{ending}"
    assert write_pairs(path, pairs) == len(pairs)
    assert list(read_pairs(path)) == pairs


def test_the_published_format_is_tokens_with_a_tab_between(tmp_path: Path) -> None:
    path = tmp_path / "pairs.txt"
    write_pairs(path, [Pair(parse("x - 1"), parse("sin(x)"))])
    assert path.read_text() == "add x INT- 1\tsin x\n"


def test_a_file_in_infix_can_be_read(tmp_path: Path) -> None:
    path = tmp_path / "own.txt"
    path.write_text("x + 1\nsin(x)\n")
    assert list(read_expressions(path, "infix")) == [parse("x + 1"), parse("sin(x)")]


def test_a_bad_line_is_named(tmp_path: Path) -> None:
    path = tmp_path / "set.txt"
    path.write_text("x\nadd x\n")
    with pytest.raises(FileFormatError, match=r"set.txt, line 2: the text ends where argument 2"):
        list(read_expressions(path))


def test_a_line_without_a_tab_is_no_pair(tmp_path: Path) -> None:
    path = tmp_path / "pairs.txt"
    path.write_text("x\ty\nx y\n")
    with pytest.raises(FileFormatError, match="line 2: expected input<TAB>output, found 1 column"):
        list(read_pairs(path))


def test_a_damaged_archive_is_named(tmp_path: Path) -> None:
    path, whole = tmp_path / "set.gz", gzip.compress(b"x\n" * 1000)
    for damaged in (whole[:-8], whole[:10] + b"\xff" * 20, b"no archive"):
        path.write_bytes(damaged)
        with pytest.raises(FileFormatError, match="is not a readable text file"):
            list(read_expressions(path))


def test_a_file_that_fails_half_way_leaves_nothing(tmp_path: Path, expressions: list[Node]) -> None:
    path = tmp_path / "set.txt"

    def broken() -> list[Node]:
        yield expressions[0]
        raise RuntimeError("the source broke")

    with pytest.raises(RuntimeError, match="the source broke"):
        write_expressions(path, broken())
    assert list(tmp_path.iterdir()) == []


def test_the_same_lines_give_the_same_compressed_bytes(
    tmp_path: Path, expressions: list[Node]
) -> None:
    paths = [tmp_path / "a.gz", tmp_path / "b.gz"]
    for path in paths:
        write_expressions(path, expressions)
    first, second = (path.read_bytes() for path in paths)
    assert first == second
    assert not any(first[4:8]), "the header names no time"
