"""Seeded random expressions for the benchmarks to work on: the corpus's own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import sympy

from equivec import LimitError, Node, evaluate_at, sample_points, to_sympy
from equivec.corpus.sampler import Sampler, SamplerConfig
from equivec.expression.limits import DEFAULT_LIMITS, check_tree

if TYPE_CHECKING:
    import random

# The share of the sampled points at which an expression has to have a value.
_DEFINED = 0.25
_BATCH = 200
# Small integers only: what lambdify compiles cannot take huge ones.
_CONFIG = SamplerConfig(integers=((1, 20, 1.0),))


def sample_trees(generator: random.Random, count: int) -> list[Node]:
    """Different expressions in x, each with a value at a good part of the points."""
    found: dict[Node, None] = {}
    while len(found) < count:
        found.update(dict.fromkeys(_defined_trees(generator)))
    return list(found)[:count]


def sample_sympy(generator: random.Random, count: int) -> list[tuple[Node, Any]]:
    """Expressions with their SymPy objects, which are real and still have an x in them."""
    pairs: list[tuple[Node, Any]] = []
    while len(pairs) < count:
        for tree in sample_trees(generator, _BATCH):
            expression = as_sympy(tree)
            if expression is not None:
                pairs.append((tree, expression))
    return pairs[:count]


def as_sympy(tree: Node) -> Any | None:
    """The SymPy object of a tree, unless SymPy's own simplifying leaves the real functions of x."""
    try:
        expression = to_sympy(tree)
    except Exception:  # SymPy raises whatever it likes while it builds some constants.
        return None
    is_real = not expression.has(sympy.I, sympy.zoo, sympy.nan, sympy.oo)
    return expression if is_real and expression.free_symbols else None


def _defined_trees(generator: random.Random) -> list[Node]:
    sampler = Sampler(_CONFIG)
    trees = [tree for _ in range(_BATCH) if _is_readable(tree := sampler.draw(generator))]
    values = evaluate_at(trees, sample_points(["x"]))
    shares = (values.known & ~np.isnan(values.numbers)).mean(axis=1)
    return [tree for tree, share in zip(trees, shares, strict=True) if share >= _DEFINED]


def _is_readable(tree: Node) -> bool:
    """Whether our parsers accept such an expression."""
    try:
        check_tree(tree, DEFAULT_LIMITS)
    except LimitError:
        return False
    return True
