"""Verdicts on the same pairs: `compare` beside SymPy's `simplify(a - b) == 0` in its worker."""

from __future__ import annotations

import random
from collections import Counter
from statistics import fmean
from typing import TYPE_CHECKING, Any

from benchmarks.pairs import corpus_pairs, known_pairs, near_misses
from benchmarks.timing import Bout, Row, Timed, duel, solo, typical
from equivec import Node, Relation, SymPyJudge, SymPyVerdict, Verdict, compare, compare_many
from equivec.algebra.compare import PAPER_JUDGE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    Pair = tuple[Node, Node]
    PairBout = Bout[Pair, Verdict, SymPyVerdict]

_TRUE, _NEAR_MISSES, _BATCHES = 80, 40, 3
_GOAL = 200.0


def judge(seed: int) -> Iterator[Row]:
    """Time per pair, and how many pairs each judge leaves undecided."""
    generator = random.Random(seed)
    pairs = {
        "pairs of the corpus": corpus_pairs(generator, _TRUE),
        "pairs of the tests": known_pairs(generator, _TRUE),
        "near misses": near_misses(generator, _NEAR_MISSES),
    }
    with SymPyJudge() as sympy_judge:
        bouts = {kind: _fight(some, sympy_judge) for kind, some in pairs.items()}
    for kind, some in bouts.items():
        yield from _times(kind, some, goal=None if kind == "near misses" else _GOAL)
    true = bouts["pairs of the corpus"] + bouts["pairs of the tests"]
    yield _in_one_batch(true)
    yield from _outcomes(true, bouts["near misses"])


def _fight(pairs: list[Pair], sympy_judge: SymPyJudge) -> list[PairBout]:
    """Each pair once by each judge; SymPy's cache would make a second time meaningless."""

    def wait_for_worker() -> None:
        # A worker that was killed at the time limit has to be replaced first.
        while sympy_judge.compare("x", "x") is not SymPyVerdict.EQUAL:
            pass

    return list(
        duel(
            pairs,
            lambda pair: compare(*pair, PAPER_JUDGE),
            lambda pair: sympy_judge.compare(*pair),
            prepare_alternative=wait_for_worker,
        )
    )


def _times(kind: str, bouts: list[PairBout], goal: float | None) -> Iterator[Row]:
    for name, average in (("median", typical), ("mean", _mean)):
        ours = average(bout.ours for bout in bouts)
        alternative = average(bout.alternative for bout in bouts)
        yield Row(
            benchmark="judge",
            what=f"{name} time, {len(bouts)} {kind}",
            ours=1e3 * ours,
            alternative=1e3 * alternative,
            unit="ms/pair",
            ratio=alternative / ours,
            goal=goal if name == "median" else None,
        )


def _in_one_batch(bouts: list[PairBout]) -> Row:
    batch = [bout.work for bout in bouts]
    ours = len(batch) / typical(
        solo([batch] * _BATCHES, lambda some: compare_many(some, PAPER_JUDGE))
    )
    alternative = 1 / _mean(bout.alternative for bout in bouts)
    return Row(
        benchmark="judge",
        what="true pairs in one batch",
        ours=ours,
        alternative=alternative,
        unit="pairs/s",
        ratio=ours / alternative,
    )


def _outcomes(true: list[PairBout], misses: list[PairBout]) -> Iterator[Row]:
    """Counts of what is undecided and what is wrong; for a near miss, `not shown` is right."""
    ours = Counter(bout.ours.result.relation for bout in true)
    sympy = Counter(bout.alternative.result for bout in true)
    unknown = ours[Relation.UNKNOWN]
    yield _count("true pairs undecided", unknown, len(true) - sympy[SymPyVerdict.EQUAL])
    yield _count("- unknown / not shown", unknown, sympy[SymPyVerdict.NOT_SHOWN])
    yield _count("- time limit", 0, sympy[SymPyVerdict.TIME_LIMIT])
    yield _count("- failed", 0, sympy[SymPyVerdict.FAILED])
    yield _count("true pairs called different", len(true) - ours[Relation.EQUAL] - unknown, 0)
    ours = Counter(bout.ours.result.relation for bout in misses)
    sympy = Counter(bout.alternative.result for bout in misses)
    gave_up = sympy[SymPyVerdict.TIME_LIMIT] + sympy[SymPyVerdict.FAILED]
    yield _count("near misses undecided", ours[Relation.UNKNOWN], gave_up)
    called_equal = len(misses) - ours[Relation.DIFFERENT] - ours[Relation.UNKNOWN]
    yield _count("near misses called equal", called_equal, sympy[SymPyVerdict.EQUAL])


def _count(what: str, ours: int, alternative: int) -> Row:
    return Row(benchmark="judge", what=what, ours=ours, alternative=alternative, unit="pairs")


def _mean(timings: Iterable[Timed[Any]]) -> float:
    return fmean(timing.seconds for timing in timings)
