"""The judge: are two expressions the same function?

Both expressions are evaluated in float64 at a few hundred points. Wherever the numbers disagree, or
only one of them exists, balls decide what is true at that point; a disagreement of balls is a
proof. Where the numbers agree, balls of hundreds of accurate bits must agree at a few points too.

EQUAL therefore means: no point was found where the values differ, the values agree to hundreds of
bits at several points, and the domains are the same at every sampled point. Domains are compared up
to isolated points: (x**2 - 1)/(x - 1) equals x + 1. A difference that lives only between two
neighbouring sample points (3% of x apart from 0.02 to 40, more outside) can be missed. DIFFERENT is
a proof.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from enum import IntEnum, StrEnum, auto
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from equivec.algebra.balls import UNDECIDED, BallEvaluator, Outcome, accuracy
from equivec.algebra.floats import run
from equivec.algebra.points import Domain, sample_points
from equivec.algebra.program import Program
from equivec.errors import ConfigError, require_at_least
from equivec.expression.text import as_tree

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from flint import arb
    from numpy.typing import NDArray

    from equivec.algebra.floats import Values
    from equivec.expression.tree import Node

# Pairs that are sampled together; more would only take memory.
_CHUNK = 512
# Precision at which points are looked at where float64 sees a difference.
_SUSPECT_BITS = 128
_ZERO_RADIUS = 2.0**-1000
# Easily read points that are tried for a witness before an arbitrary one is shown.
_PLAIN_POINTS = (
    (1.0, 2.0, 3.0, 5.0),
    (2.0, 3.0, 5.0, 7.0),
    (0.5, 1.5, 2.5, 3.5),
    (-1.0, -2.0, 3.0),
)


class Relation(StrEnum):
    """How two expressions stand to each other."""

    EQUAL = "equal"
    EQUAL_ON_COMMON_DOMAIN = "equal on common domain"
    DIFFERENT = "different"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Witness:
    """A point, and the value of each expression there; None where it is undefined."""

    point: Mapping[str, float]
    left: str | None
    right: str | None


@dataclass(frozen=True, slots=True)
class Verdict:
    """The relation of two expressions and what it rests on."""

    relation: Relation
    reason: str
    witness: Witness | None = None

    @property
    def is_equal(self) -> bool:
        """Whether values and domains are the same."""
        return self.relation is Relation.EQUAL


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeConfig:
    """How hard the judge looks."""

    domain: Domain = Domain.POSITIVE
    tolerance: float = 1e-8
    confirmations: int = 3
    accurate_bits: int = 400
    max_bits: int = 4096
    points_seed: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "domain", Domain(self.domain))  # accept the enum's string value
        if not 0 < self.tolerance < 1:
            raise ConfigError(f"tolerance must lie between 0 and 1, not at {self.tolerance:g}")
        require_at_least(1, confirmations=self.confirmations)
        if self.accurate_bits < 53 or self.precisions[0] > self.max_bits:
            raise ConfigError(
                f"accurate_bits must be at least 53, and max_bits {self.precisions[0]} for "
                f"{self.accurate_bits} of them"
            )

    @property
    def precisions(self) -> tuple[int, ...]:
        """The working precisions that are tried in turn, each twice the one before."""
        first = self.accurate_bits + max(64, self.accurate_bits // 4)
        doublings = range(max(1, (self.max_bits // first).bit_length()))
        return tuple(first << doubling for doubling in doublings)


DEFAULT_JUDGE = JudgeConfig()


def compare(left: str | Node, right: str | Node, config: JudgeConfig = DEFAULT_JUDGE) -> Verdict:
    """Whether two expressions are the same function.

    >>> compare("sin(x)/cos(x)", "tan(x)").relation.name
    'EQUAL'
    >>> compare("tanh(20 + x)", "1").relation.name
    'DIFFERENT'
    >>> verdict = compare("sqrt(x)**2", "x", JudgeConfig(domain=Domain.REAL))
    >>> verdict.relation.name, verdict.witness.left, verdict.witness.right
    ('EQUAL_ON_COMMON_DOMAIN', None, '-1')
    """
    return compare_many([(left, right)], config)[0]


def compare_with_first(
    first: str | Node, others: Iterable[str | Node], config: JudgeConfig = DEFAULT_JUDGE
) -> list[Verdict]:
    """The verdict of each expression against the first; their common subterms are shared work.

    >>> [verdict.is_equal for verdict in compare_with_first("2*x", ["x + x", "x*x"])]
    [True, False]
    """
    tree = as_tree(first)
    return compare_many([(tree, other) for other in others], config)


def compare_many(
    pairs: Sequence[tuple[str | Node, str | Node]], config: JudgeConfig = DEFAULT_JUDGE
) -> list[Verdict]:
    """The verdict of each pair, in order; a pair's verdict does not depend on the others."""
    return list(compare_each(pairs, config))


def compare_each(
    pairs: Sequence[tuple[str | Node, str | Node]], config: JudgeConfig = DEFAULT_JUDGE
) -> Iterator[Verdict]:
    """The verdict of each pair, in order, when it is asked for; what pairs share is done once.

    >>> verdicts = compare_each([("x + x", "2*x"), ("x", "x + 1"), ("y", "sin(x)**y")])
    >>> next(verdicts).is_equal, next(verdicts).is_equal
    (True, False)
    """
    trees = [(as_tree(left), as_tree(right)) for left, right in pairs]
    variables = {id(tree): tree.variables for tree in _distinct(trees)}
    groups = [variables[id(left)] | variables[id(right)] for left, right in trees]
    alike: dict[frozenset[str], list[tuple[Node, Node]]] = defaultdict(list)
    for group, pair in zip(groups, trees, strict=True):
        alike[group].append(pair)
    verdicts = {group: _verdicts(some, config) for group, some in alike.items()}
    return (next(verdicts[group]) for group in groups)


def _verdicts(pairs: Sequence[tuple[Node, Node]], config: JudgeConfig) -> Iterator[Verdict]:
    """The verdicts of pairs over the same variables."""
    for start in range(0, len(pairs), _CHUNK):
        yield from _Batch(pairs[start : start + _CHUNK], config).verdicts()


def _distinct(pairs: Sequence[tuple[Node, Node]]) -> Iterable[Node]:
    """The trees of some pairs; one that stands in many of them comes once."""
    return {id(tree): tree for pair in pairs for tree in pair}.values()


class _AtPoint(IntEnum):
    """What balls say of two expressions at one point."""

    DIFFER = auto()
    AGREE = auto()
    NOT_APART = auto()
    ONE_UNDEFINED = auto()
    BOTH_UNDEFINED = auto()
    UNDECIDED = auto()


# By names of their own: to look a member up in its enum takes longer than to compare two balls.
_AT_POINT = tuple(_AtPoint)
_DIFFER, _AGREE, _NOT_APART, _ONE_UNDEFINED, _BOTH_UNDEFINED, _UNDECIDED = _AT_POINT


_POOR = 0.5  # the share of points that float64 must know


class _Screen:
    """What float64 says of pairs, as (pairs, points); the values of all left sides come first."""

    def __init__(self, values: Values, config: JudgeConfig) -> None:
        a, b = np.split(values.numbers, 2)
        is_known = np.logical_and(*np.split(values.known, 2))
        self._is_apart = is_known & (np.isnan(a) != np.isnan(b))
        with np.errstate(all="ignore"):
            is_shared = is_known & ~np.isnan(a + b)
            distance = np.abs(a - b) / np.maximum(np.abs(a), np.abs(b))
        is_off = is_shared & (distance > config.tolerance)
        pairs = np.flatnonzero((is_off | self._is_apart).any(axis=1))
        suspects = _suspects(distance[pairs], is_off[pairs], self._is_apart[pairs])
        self._suspects = dict(zip(pairs.tolist(), suspects, strict=True))
        is_close = is_shared & ~is_off
        self.close = is_close.sum(axis=1).tolist()
        self._confirming = _spread(is_close, config.confirmations)
        # Where float64 cannot tell at most points, balls have to look at many.
        self.is_poor = (is_known.mean(axis=1) < _POOR).tolist()

    def candidates(self, pair: int) -> Iterator[tuple[int, bool]]:
        """Points by what float64 says of them: suspect, likely to confirm, and the rest."""
        for index in self._suspects.get(pair, ()):
            yield index, True
        for index in self._confirming[pair]:
            yield index, False
        for index in _spread(~self._is_apart[[pair]], 24)[0]:
            yield index, False


def _suspects(
    distance: NDArray[np.float64], is_off: NDArray[np.bool_], is_apart: NDArray[np.bool_]
) -> Iterator[list[int]]:
    """For each pair the points where values or domains seem to differ, the worst values first."""
    order = np.argsort(np.where(is_off, distance, -1.0), axis=1)[:, :-4:-1]
    worst = np.where(np.take_along_axis(is_off, order, axis=1), order, -1).tolist()
    for points in zip(worst, _spread(is_off, 8), _spread(is_apart, 5), strict=True):
        yield [index for index in dict.fromkeys(chain(*points)) if index >= 0]


class _Batch:
    """Pairs over the same variables, sampled together."""

    def __init__(self, pairs: Sequence[tuple[Node, Node]], config: JudgeConfig) -> None:
        self.config = config
        self._precisions = config.precisions
        self.program = Program()
        places = {id(tree): self.program.add(tree) for tree in _distinct(pairs)}
        self.pairs = [(places[id(left)], places[id(right)]) for left, right in pairs]
        self.points = sample_points(self.program.variables, config.domain, config.points_seed)
        self._evaluators: dict[tuple[int, int], BallEvaluator] = {}
        # By precision: what does not depend on the point is computed once for all points.
        self._constants: dict[int, dict[int, arb | Outcome]] = defaultdict(dict)

    def verdicts(self) -> Iterator[Verdict]:
        for number, (left, right) in enumerate(self.pairs):
            yield self._verdict(number, left, right)

    def _verdict(self, number: int, left: int, right: int) -> Verdict:
        if left == right:
            return Verdict(Relation.EQUAL, "both are the same expression")
        need = min(self.config.confirmations, self.points.count)
        counts = dict.fromkeys(_AT_POINT, 0)
        gap: Witness | None = None
        is_poor = self._screen.is_poor[number]
        for index, is_suspect in self._screen.candidates(number):
            if is_suspect or is_poor or counts[_AGREE] < need:
                finding, bits = self._at(left, right, index, is_suspect=is_suspect)
                counts[finding] += 1
                if finding is _DIFFER:
                    witness = self._show(left, right, index, bits, finding)
                    return Verdict(Relation.DIFFERENT, "the values differ, by proof", witness)
                if finding is _ONE_UNDEFINED and gap is None:
                    gap = self._show(left, right, index, bits, finding)
            # Here and not above, so that no more points are looked for than are needed.
            if counts[_AGREE] >= need and not is_suspect and not is_poor:
                break
        return self._conclude(number, counts, need, gap)

    @cached_property
    def _screen(self) -> _Screen:
        lefts, rights = zip(*self.pairs, strict=True)
        values = run(self.program, self.points, [*lefts, *rights])
        return _Screen(values, self.config)

    def _conclude(
        self, number: int, counts: Mapping[_AtPoint, int], need: int, gap: Witness | None
    ) -> Verdict:
        agreed = counts[_AGREE]
        if agreed < need:
            return Verdict(Relation.UNKNOWN, self._doubt(counts, need), gap)
        where = f"at {self._screen.close[number]} points in float64, at {agreed} "
        is_constant = self.points.count == 1
        reason = f"agree {'' if is_constant else where}to {self.config.accurate_bits} bits"
        if gap is not None:
            return Verdict(Relation.EQUAL_ON_COMMON_DOMAIN, f"{reason}; the domains differ", gap)
        return Verdict(Relation.EQUAL, reason)

    def _doubt(self, counts: Mapping[_AtPoint, int], need: int) -> str:
        agreed = counts[_AGREE]
        if agreed and (counts[_BOTH_UNDEFINED] or counts[_ONE_UNDEFINED]):
            return f"both are defined, and agree, at {agreed} of the {need} points needed"
        if counts[_ONE_UNDEFINED]:
            return "no region was found where both expressions are defined"
        if counts[_BOTH_UNDEFINED]:
            return "neither expression is defined at the sampled points"
        return (
            f"only {agreed} of {need} points could be decided "
            f"with {self.config.precisions[-1]} bits"
        )

    def _at(self, left: int, right: int, index: int, *, is_suspect: bool) -> tuple[_AtPoint, int]:
        """What balls say at a point, and the precision that settled it."""
        if is_suspect:
            # A hundred bits tell a difference from the noise of float64, but confirm nothing.
            finding = self._relate(left, right, index, _SUSPECT_BITS)
            if finding is _AGREE:
                return _NOT_APART, _SUSPECT_BITS
            if finding is not _UNDECIDED:
                return finding, _SUSPECT_BITS
        for bits in self._precisions:
            finding = self._relate(left, right, index, bits)
            if finding is not _UNDECIDED:
                break
        return finding, bits

    def _relate(self, left: int, right: int, index: int, bits: int) -> _AtPoint:
        evaluator = self._evaluator(index, bits)
        is_last = bits == self._precisions[-1]
        accurate = 96 if bits == _SUSPECT_BITS else self.config.accurate_bits
        return _relate(evaluator.value(left), evaluator.value(right), accurate, is_last=is_last)

    def _evaluator(self, index: int, bits: int) -> BallEvaluator:
        key = (index, bits)
        if key not in self._evaluators:
            self._evaluators[key] = BallEvaluator(
                self.program, self.points.at(index), bits, self._constants[bits]
            )
        return self._evaluators[key]

    def _show(self, left: int, right: int, index: int, bits: int, finding: _AtPoint) -> Witness:
        """A witness of a finding: an easily read point where there is one, else this point."""
        names = sorted(self.program.variables)
        for numbers in _PLAIN_POINTS:
            is_inside = self.config.domain is Domain.REAL or min(numbers) > 0
            if not names or len(names) > len(numbers) or not is_inside:
                continue
            point = dict(zip(names, numbers, strict=False))
            evaluator = BallEvaluator(self.program, point, self._precisions[0])
            values = evaluator.value(left), evaluator.value(right)
            if _relate(*values, self.config.accurate_bits, is_last=False) is finding:
                return Witness(point, *_decimals(*values))
        evaluator = self._evaluator(index, bits)
        values = evaluator.value(left), evaluator.value(right)
        return Witness(self.points.at(index), *_decimals(*values))


def _relate(a: arb | Outcome, b: arb | Outcome, accurate_bits: int, *, is_last: bool) -> _AtPoint:
    """How two values stand to each other, if their precision can tell."""
    if a is UNDECIDED or b is UNDECIDED:
        return _UNDECIDED
    if isinstance(a, Outcome) or isinstance(b, Outcome):
        return _BOTH_UNDEFINED if a is b else _ONE_UNDEFINED
    if not a.overlaps(b):
        return _DIFFER
    if accuracy(a) >= accurate_bits and accuracy(b) >= accurate_bits:
        return _AGREE
    # Two values that cannot be told from 0 with all the bits there are: the same zero.
    is_zero = a.contains(0) and b.contains(0) and max(a.rad(), b.rad()) < _ZERO_RADIUS
    return _AGREE if is_last and is_zero else _UNDECIDED


def _spread(masks: NDArray[np.bool_], count: int) -> list[list[int]]:
    """Of each row of masks at most `count` of the places where it holds, from end to end."""
    # The places of all rows behind each other; numpy finds them fastest in a flat array.
    places = np.append(np.flatnonzero(masks) % masks.shape[1], 0)
    totals = masks.sum(axis=1)
    starts = totals.cumsum() - totals
    # Where there are fewer places than asked for, the steps meet each of them.
    last = np.maximum(totals - 1, 0)[:, None]
    steps = (np.arange(count) * last + (count - 1) // 2) // max(count - 1, 1)
    chosen = places[starts[:, None] + steps].tolist()
    return [
        list(dict.fromkeys(row)) if total else [] for row, total in zip(chosen, totals, strict=True)
    ]


def _decimals(left: arb | Outcome, right: arb | Outcome) -> tuple[str | None, str | None]:
    """Both values in decimals, with as many digits as it takes to see that they differ."""
    for digits in (12, 20, 40, 80, 120):
        texts = [
            None if isinstance(value, Outcome) else _decimal(value, digits)
            for value in (left, right)
        ]
        if texts[0] != texts[1]:
            break
    return texts[0], texts[1]


def _decimal(value: arb, digits: int) -> str:
    text: str = value.str(digits, radius=False)
    return text if "e" in text or "." not in text else text.rstrip("0").rstrip(".")
