"""Numbers: a batch of expressions at many points beside `lambdify` in a loop."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy

from benchmarks.timing import Row, duel, solo, typical
from benchmarks.work import sample_sympy
from equivec import Node, Points, evaluate_at, sample_points

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_ROUNDS, _EXPRESSIONS = 5, 1_000
_GOAL = 20.0
_X = sympy.Symbol("x", positive=True)


def evaluation(seed: int) -> Iterator[Row]:
    """Expression-points per second in the median round; every round has new expressions."""
    generator = random.Random(seed)
    points = sample_points(["x"])
    evaluate_at([tree for tree, _ in sample_sympy(generator, 20)], points)
    rounds = [sample_sympy(generator, _EXPRESSIONS) for _ in range(_ROUNDS)]
    bouts = list(
        duel(
            rounds,
            lambda work: evaluate_at([tree for tree, _ in work], points),
            lambda work: _lambdify(work, points),
            stretch=_ROUNDS,
        )
    )
    ours = typical(bout.ours for bout in bouts)
    calls = typical(solo([bout.alternative.result for bout in bouts], _call_all(points)))
    yield _row("with compilation", points, ours, typical(b.alternative for b in bouts), _GOAL)
    yield _row("without compilation", points, ours, calls, None)


def _lambdify(work: list[tuple[Node, Any]], points: Points) -> list[Callable[..., Any]]:
    """Every expression compiled and called once."""
    functions = [sympy.lambdify(_X, expression, "numpy") for _, expression in work]
    _call_all(points)(functions)
    return functions


def _call_all(points: Points) -> Callable[[list[Callable[..., Any]]], None]:
    def call(functions: list[Callable[..., Any]]) -> None:
        with np.errstate(all="ignore"):
            for function in functions:
                function(points.values["x"])

    return call


def _row(what: str, points: Points, ours: float, alternative: float, goal: float | None) -> Row:
    size = _EXPRESSIONS * points.count
    return Row(
        benchmark="evaluation",
        what=f"{_EXPRESSIONS:,} expressions at {points.count} points, lambdify {what}",
        ours=size / ours,
        alternative=size / alternative,
        unit="expression-points/s",
        ratio=alternative / ours,
        goal=goal,
    )
