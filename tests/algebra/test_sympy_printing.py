"""What SymPy prints is read back as the same function, or refused; never as another one."""

from __future__ import annotations

import random
from collections import Counter
from typing import TYPE_CHECKING

import pytest
import sympy

from equivec.algebra.compare import PAPER_JUDGE, Relation, compare_many
from equivec.algebra.sympy_bridge import from_sympy, to_sympy
from equivec.errors import ConversionError, ParseError
from equivec.expression.text import parse
from support.trees import random_tree

if TYPE_CHECKING:
    from collections.abc import Callable

    from equivec.expression.tree import Node


def sympy_expressions(count: int, seed: int) -> list[tuple[sympy.Expr, Node]]:
    """Random SymPy objects over all functions, with the tree that each of them is."""
    generator = random.Random(seed)
    found: list[tuple[sympy.Expr, Node]] = []
    while len(found) < count:
        tree = random_tree(generator, depth=generator.randint(2, 4))
        if any(node.symbol == "pow" and node.arguments[1].is_integer for node in tree.walk()):
            small = all(abs(int(n.symbol)) < 100 for n in tree.walk() if n.is_integer)
            if not small:
                continue
        try:
            expression = to_sympy(tree)
            found.append((expression, from_sympy(expression)))
        except ConversionError:
            continue  # SymPy made something complex or infinite of it
    return found


def read_back(
    count: int, seed: int, printer: Callable[[sympy.Expr], str], format: str
) -> Counter[str]:
    """How many texts come back how; a text that is read wrongly ends the test."""
    counts: Counter[str] = Counter()
    pairs: list[tuple[Node, Node]] = []
    texts: list[str] = []
    for expression, tree in sympy_expressions(count, seed):
        text = printer(expression)
        try:
            pairs.append((tree, parse(text, format)))
            texts.append(text)
        except ParseError as error:
            # SymPy writes d*x as "d x", and Euler's number in its own infix as E.
            has_two_readings = "differential" in str(error) or "Euler" in str(error)
            counts["two readings" if has_two_readings else "refused"] += 1
    for text, pair, verdict in zip(texts, pairs, compare_many(pairs, PAPER_JUDGE), strict=True):
        relation = verdict.relation
        if relation is Relation.UNKNOWN and to_sympy(pair[0]) == to_sympy(pair[1]):
            relation = Relation.EQUAL  # defined nowhere, but the same object
        assert relation is not Relation.DIFFERENT, text
        assert relation is not Relation.EQUAL_ON_COMMON_DOMAIN, text
        counts[relation.value] += 1
    return counts


@pytest.mark.parametrize(
    "count", [1_000, pytest.param(10_000, marks=pytest.mark.slow)], ids="{:,}".format
)
@pytest.mark.parametrize(("printer", "format"), [(sympy.latex, "latex"), (str, "infix")])
def test_what_sympy_prints_is_read_back(
    count: int, printer: Callable[[sympy.Expr], str], format: str
) -> None:
    counts = read_back(count, seed=count, printer=printer, format=format)
    assert counts.total() == count
    assert counts["equal"] + counts["two readings"] >= 0.995 * count, counts
    assert counts["two readings"] <= 0.06 * count, counts
