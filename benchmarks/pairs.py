"""Pairs for the judges: true ones and near misses, made here by SymPy and read from the tests."""

from __future__ import annotations

from fractions import Fraction
from operator import methodcaller
from pathlib import Path
from typing import TYPE_CHECKING, Any

import sympy

from benchmarks.work import as_sympy, sample_trees
from equivec import (
    ConversionError,
    Node,
    Relation,
    TimeBox,
    compare,
    from_sympy,
    parse_infix,
    parse_prefix,
    write_prefix,
)

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Mapping

    Pair = tuple[Node, Node]

_DATA = Path(__file__).parent.parent / "tests" / "data" / "judge"
_REWRITES = ("exp", "log", "sqrt", "sin", "cos", "tan", "sinh", "cosh", "tanh")
_TRANSFORMS: Mapping[str, Callable[[Any], Any]] = {
    "expand": lambda expression: sympy.expand(expression, trig=True),
    "expand_log": sympy.expand_log,
    "factor": sympy.factor,
    "cancel": sympy.cancel,
    "together": sympy.together,
    "powsimp": sympy.powsimp,
    "radsimp": sympy.radsimp,
    **{name: methodcaller("rewrite", getattr(sympy, name)) for name in _REWRITES},
}
_LARGEST = 60  # nodes in what SymPy made


def true_pairs(generator: random.Random, count: int) -> list[Pair]:
    """Pairs that are equal for positive x, half of them from the tests where those are present."""
    known = _read(generator, "true_pairs.tsv", count // 2)
    return known + _make_true(generator, count - len(known))


def near_misses(generator: random.Random, count: int) -> list[Pair]:
    """Pairs that differ by little, half of them from the tests where those are present."""
    known = _read(generator, "near_misses.tsv", count // 2)
    trees = sample_trees(generator, count - len(known))
    return known + [(tree, _nudge(tree, generator)) for tree in trees]


def _read(generator: random.Random, name: str, count: int) -> list[Pair]:
    """Pairs over the positive reals, the domain of the paper, from a table of the tests."""
    if not (_DATA / name).exists():
        return []
    lines = (_DATA / name).read_text(encoding="utf-8").splitlines()
    rows = [line.split("\t") for line in lines if line and not line.startswith("#")]
    positive = [(row[0], row[1]) for row in rows if row[2] == "positive"]
    chosen = generator.sample(positive, count)
    return [(parse_infix(left), parse_infix(right)) for left, right in chosen]


def _make_true(generator: random.Random, count: int) -> list[Pair]:
    pairs: list[Pair] = []
    with TimeBox(preload=("benchmarks.pairs",)) as box:
        while len(pairs) < count:
            work = [
                (write_prefix(tree), generator.choice(list(_TRANSFORMS)))
                for tree in sample_trees(generator, count)
            ]
            for (left, _), answer in zip(work, box.map(rewritten, work), strict=True):
                if answer.value is not None:
                    pair = (parse_prefix(left), parse_prefix(answer.value))
                    pairs.extend([] if _is_refuted(pair) else [pair])
    return pairs[:count]


def rewritten(text: str, transform: str) -> str | None:
    """In a worker: what SymPy makes of an expression, if that is another one we can read."""
    expression = as_sympy(parse_prefix(text))
    if expression is None:
        return None
    try:
        result = _TRANSFORMS[transform](expression)
    except Exception:  # SymPy raises whatever its many algorithms raise.
        return None
    if result == expression:
        return None
    try:
        tree = from_sympy(result)
    except ConversionError:
        return None
    return write_prefix(tree) if tree.size <= _LARGEST else None


def _is_refuted(pair: Pair) -> bool:
    # SymPy thinks over the complex numbers: some of its rewrites are false over the reals, or
    # defined elsewhere. A proof of that drops a pair; our UNKNOWN stays and counts against us.
    return compare(*pair).relation in (Relation.DIFFERENT, Relation.EQUAL_ON_COMMON_DOMAIN)


def _nudge(tree: Node, generator: random.Random) -> Node:
    """The tree times a number that is not quite 1."""
    factor = 1 + Fraction(1, 10 ** generator.randint(9, 15))
    return Node("mul", (Node("div", (Node(factor.numerator), Node(factor.denominator))), tree))
