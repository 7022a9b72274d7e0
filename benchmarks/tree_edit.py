"""Tree edit distances per second: ours beside zss, which the paper used, on random trees."""

from __future__ import annotations

import random
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
import zss

from benchmarks.timing import Row, solo
from benchmarks.work import sample_trees
from equivec.evaluate.tree_edit_distance import Forest, forest_distances

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from equivec import Node

_TREES, _PAIRS, _ZSS_PAIRS, _GOAL = 2_000, 100_000, 400, 100.0


def tree_edit(seed: int) -> Iterator[Row]:
    """Rates over random pairs, from trees that are ready and with their conversion."""
    generator = random.Random(seed)
    trees = sample_trees(generator, _TREES)
    lefts, rights = np.random.default_rng(seed).integers(0, _TREES, (2, _PAIRS))
    forest = Forest.of(trees)
    forest_distances(forest, lefts[:1], rights[:1])  # compiles
    ready = [_to_zss(tree) for tree in trees]
    some = list(zip(lefts[:_ZSS_PAIRS].tolist(), rights[:_ZSS_PAIRS].tolist(), strict=True))
    found = forest_distances(forest, lefts, rights)
    timings = solo(some, lambda pair: _distance(ready[pair[0]], ready[pair[1]]))
    if [timing.result for timing in timings] != found[:_ZSS_PAIRS].tolist():
        raise AssertionError("the distances are not those of zss")
    alternative = _ZSS_PAIRS / sum(timing.seconds for timing in timings)
    ours = _rate(lambda: forest_distances(forest, lefts, rights))
    yield _row("pairs of trees", ours, alternative, _GOAL)
    fresh = [trees[place] for pair in zip(lefts, rights, strict=True) for place in pair][:_PAIRS]
    yield _row("pairs of trees, each converted anew", _converting_rate(fresh), alternative)


def _row(what: str, ours: float, alternative: float, goal: float | None = None) -> Row:
    return Row(
        benchmark="tree edit distance",
        what=what,
        ours=ours,
        alternative=alternative,
        unit="pairs/s",
        ratio=ours / alternative,
        goal=goal,
    )


def _rate(work: Callable[[], object]) -> float:
    start = perf_counter()
    work()
    return _PAIRS / (perf_counter() - start)


def _converting_rate(trees: Sequence[Node]) -> float:
    """Pairs per second where each tree of a pair is converted anew, as zss's are not."""
    start = perf_counter()
    places = np.arange(0, len(trees), 2)
    forest_distances(Forest.of(trees), places, places + 1)
    return len(places) / (perf_counter() - start)


def _distance(left: zss.Node, right: zss.Node) -> int:
    distance: int = zss.simple_distance(left, right, label_dist=_unit_cost)
    return distance


def _unit_cost(left: Any, right: Any) -> int:
    return int(left != right)


def _to_zss(tree: Node) -> zss.Node:
    return zss.Node(tree.symbol, [_to_zss(argument) for argument in tree.arguments])
