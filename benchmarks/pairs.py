"""Pairs for the judges: true ones as the corpus makes them, near misses, and those of the tests."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.work import sample_trees
from equivec import Node, parse_infix
from equivec.algebra.rewriting import Rewriter

if TYPE_CHECKING:
    import random

    Pair = tuple[Node, Node]

_DATA = Path(__file__).parent.parent / "tests" / "data" / "judge"


def corpus_pairs(generator: random.Random, count: int) -> list[Pair]:
    """Random expressions with an equivalent that our rules find; no judge has seen them."""
    rewriter = Rewriter()
    clusters = [
        (tree, rewriter.cluster(tree, generator)) for tree in sample_trees(generator, count)
    ]
    return [(tree, generator.choice(variants).tree) for tree, variants in clusters if variants]


def known_pairs(generator: random.Random, count: int) -> list[Pair]:
    """Pairs of the tests that are equal for positive x: by hand, and by SymPy's functions."""
    return _read(generator, "true_pairs.tsv", count)


def near_misses(generator: random.Random, count: int) -> list[Pair]:
    """Pairs that differ by little, half of them from the tests."""
    known = _read(generator, "near_misses.tsv", count // 2)
    trees = sample_trees(generator, count - len(known))
    return known + [(tree, _nudge(tree, generator)) for tree in trees]


def _read(generator: random.Random, name: str, count: int) -> list[Pair]:
    """Pairs over the positive reals, the domain of the paper, from a table of the tests."""
    lines = (_DATA / name).read_text(encoding="utf-8").splitlines()
    rows = [line.split("\t") for line in lines if line and not line.startswith("#")]
    positive = [(row[0], row[1]) for row in rows if row[2] == "positive"]
    chosen = generator.sample(positive, count)
    return [(parse_infix(left), parse_infix(right)) for left, right in chosen]


def _nudge(tree: Node, generator: random.Random) -> Node:
    """The tree times a number that is not quite 1."""
    factor = 1 + Fraction(1, 10 ** generator.randint(9, 15))
    return Node("mul", (Node("div", (Node(factor.numerator), Node(factor.denominator))), tree))
