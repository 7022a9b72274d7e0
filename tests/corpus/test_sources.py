"""Sources of special kinds: distinct, repeatable, and of that kind."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import TYPE_CHECKING

import pytest

from equivec.corpus.sources import SOURCE_KINDS, file_sources, special_sources
from equivec.errors import ConfigError, FileFormatError
from equivec.expression.grammar import ARITHMETIC, OPERATOR_TYPES
from equivec.expression.limits import DEFAULT_LIMITS, check_tree
from equivec.expression.text import parse

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("kind", SOURCE_KINDS)
def test_sources_are_distinct_expressions_with_a_variable(kind: str) -> None:
    found = list(special_sources(kind, 300, Random(3)))
    assert len(set(found)) == 300
    for tree in found:
        assert tree.variables
        check_tree(tree, DEFAULT_LIMITS)


@pytest.mark.parametrize("kind", SOURCE_KINDS)
def test_the_same_seed_gives_the_same_sources(kind: str) -> None:
    draws = [list(special_sources(kind, 40, Random(seed))) for seed in (1, 1, 2)]
    assert draws[0] == draws[1] != draws[2]


def test_rational_sources_have_no_other_functions() -> None:
    symbols = {
        node.symbol
        for tree in special_sources("rational", 200, Random(0))
        for node in tree.walk()
        if node.arguments
    }
    assert symbols <= {"add", "mul", "div", "pow"}


def test_unmixed_sources_have_functions_of_one_type_at_most() -> None:
    types = Counter(
        tuple(
            name
            for name, symbols in OPERATOR_TYPES.items()
            if name != ARITHMETIC and any(node.symbol in symbols for node in tree.walk())
        )
        for tree in special_sources("unmixed", 400, Random(0))
    )
    assert set(types) == {(), *((name,) for name in OPERATOR_TYPES if name != ARITHMETIC)}
    assert min(types.values()) > 400 / 10


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(ConfigError, match="'odd' is not a kind of sources; choose from laws"):
        next(special_sources("odd", 1, Random(0)))


def test_of_a_file_only_the_lines_asked_for_are_parsed(tmp_path: Path) -> None:
    path = tmp_path / "own.txt"
    path.write_text("sin(\nx + 1\n2*x\ncos(\n")
    assert list(file_sources(str(path), 1, 2)) == [parse("x + 1"), parse("2*x")]
    assert list(file_sources(str(path), 4, 2)) == []
    with pytest.raises(FileFormatError, match=r"own\.txt, line 4"):
        list(file_sources(str(path), 2, 2))
