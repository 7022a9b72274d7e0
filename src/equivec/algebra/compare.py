"""The judge: are two expressions the same function?

Both expressions are evaluated in float64 at a few hundred points. Wherever the numbers disagree, or
only one of them exists, balls decide what is true at that point; a disagreement of balls is a
proof. Where the numbers agree, balls of hundreds of accurate bits must agree at a few points too,
and at one to thousands of bits; rational functions must agree exactly. Then the pair gets points of
its own: short decimals of any size, drawn for this pair, and points between its breaks.

EQUAL therefore means: no difference was found at any of these points, neither of values nor of
domains; it is no proof. A difference can be missed that lives in a narrow gap between breaks of
terms that are no rational functions, or that is smaller than the bits that were looked at. Domains
and values are compared up to sets that are so thin that no point of the kind hits them:
(x**2 - 1)/(x - 1) equals x + 1, and sign(x)**2 equals 1. DIFFERENT is a proof.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING

from equivec.algebra.balls import BallEvaluator, Outcome
from equivec.algebra.floats import require_numeric, run
from equivec.algebra.own_points import OwnPoints
from equivec.algebra.points import PAPER_DOMAIN, Domain, sample_points
from equivec.algebra.program import EXACT_BITS, Program
from equivec.algebra.relate import AT_POINT, ZERO_BITS, AtPoint, decimals, relate
from equivec.algebra.screen import Screen
from equivec.errors import ConfigError, EquivecError, require_at_least
from equivec.expression.text import as_tree

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from flint import arb, fmpq

    from equivec.expression.tree import Node

    Point = Mapping[str, float] | Mapping[str, fmpq]

# Pairs that are sampled together; more would only take memory.
_CHUNK = 512
# Precision at which points are looked at where float64 sees a difference, and what it must know.
_SUSPECT_BITS, _SUSPECT_ACCURACY = 128, 96
# Bits beyond which no subterm, however small or large, is looked at.
_MOST_BITS = 24_000
# Points that all the bits there are left undecided: after so many, fewer bits have to do.
_HOPELESS = 2
# Easily read points that are tried for a witness before an arbitrary one is shown.
_PLAIN_POINTS = (
    (1.0, 2.0, 3.0, 5.0),
    (2.0, 3.0, 5.0, 7.0),
    (0.5, 1.5, 2.5, 3.5),
    (-1.0, -2.0, 3.0),
)
_DIFFER, _AGREE, _NOT_APART, _ONE_UNDEFINED, _BOTH_UNDEFINED, _UNDECIDED = AT_POINT


class Relation(StrEnum):
    """How two expressions stand to each other."""

    EQUAL = "equal"
    EQUAL_ON_COMMON_DOMAIN = "equal on common domain"
    DIFFERENT = "different"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Witness:
    """A point, and the value of each expression there; None where it is undefined.

    The point is given in float64; where the values were computed at a short decimal, or at a longer
    one in a narrow gap, its numbers are the nearest to that.
    """

    point: Mapping[str, float]
    left: str | None
    right: str | None


@dataclass(frozen=True, slots=True)
class Verdict:
    """The relation of two expressions over a domain, and what it rests on."""

    relation: Relation
    reason: str
    domain: Domain
    witness: Witness | None = None

    @property
    def is_equal(self) -> bool:
        """Whether values and domains are the same."""
        return self.relation is Relation.EQUAL


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeConfig:
    """Over which domain the judge looks, and how hard.

    `confirmations` points must agree to `accurate_bits`, one of them to `deep_bits` (0: none);
    `own_points` are drawn for each pair alone, beside those between its breaks (0: neither).
    """

    domain: Domain = Domain.REAL
    tolerance: float = 1e-8
    confirmations: int = 3
    accurate_bits: int = 400
    deep_bits: int = 1500
    max_bits: int = 4096
    own_points: int = 24
    points_seed: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "domain", Domain(self.domain))  # accept the enum's string value
        if not 0 < self.tolerance < 1:
            raise ConfigError(f"tolerance must lie between 0 and 1, not at {self.tolerance:g}")
        require_at_least(1, confirmations=self.confirmations)
        require_at_least(0, deep_bits=self.deep_bits, own_points=self.own_points)
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
# What the paper's data are judged by.
PAPER_JUDGE = JudgeConfig(domain=PAPER_DOMAIN)


def compare(left: str | Node, right: str | Node, config: JudgeConfig = DEFAULT_JUDGE) -> Verdict:
    """Whether two expressions are the same function.

    >>> compare("sin(x)/cos(x)", "tan(x)").relation.name
    'EQUAL'
    >>> compare("sqrt(x**2)", "x").relation.name
    'DIFFERENT'
    >>> compare("sqrt(x**2)", "x", JudgeConfig(domain=Domain.POSITIVE)).relation.name
    'EQUAL'
    >>> verdict = compare("sqrt(x)**2", "x")
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
    trees = list(_read(pairs))
    variables = {id(tree): tree.variables for tree in _distinct(trees)}
    groups = [variables[id(left)] | variables[id(right)] for left, right in trees]
    alike: dict[frozenset[str], list[tuple[Node, Node]]] = defaultdict(list)
    for group, pair in zip(groups, trees, strict=True):
        alike[group].append(pair)
    verdicts = {group: _verdicts(some, config) for group, some in alike.items()}
    return (next(verdicts[group]) for group in groups)


def _read(pairs: Sequence[tuple[str | Node, str | Node]]) -> Iterator[tuple[Node, Node]]:
    """Both sides of each pair as trees; an error says which pair cannot be judged."""
    seen: set[int] = set()
    for number, pair in enumerate(pairs):
        try:
            left, right = as_tree(pair[0]), as_tree(pair[1])
            for tree in (left, right):
                if id(tree) not in seen:
                    require_numeric(tree)
        except EquivecError as error:
            if len(pairs) > 1:
                error.args = (f"pairs[{number}]: {error}",)
            raise
        # Only trees of the caller's stay where they are as long as this runs.
        seen.update(id(each) for each in pair if not isinstance(each, str))
        yield left, right


def _verdicts(pairs: Sequence[tuple[Node, Node]], config: JudgeConfig) -> Iterator[Verdict]:
    """The verdicts of pairs over the same variables."""
    for start in range(0, len(pairs), _CHUNK):
        yield from _Batch(pairs[start : start + _CHUNK], config).verdicts()


def _distinct(pairs: Sequence[tuple[Node, Node]]) -> Iterable[Node]:
    """The trees of some pairs; one that stands in many of them comes once."""
    return {id(tree): tree for pair in pairs for tree in pair}.values()


class _Batch:
    """Pairs over the same variables, sampled together."""

    def __init__(self, pairs: Sequence[tuple[Node, Node]], config: JudgeConfig) -> None:
        self.config = config
        self.trees = pairs
        self.program = Program()
        places = {id(tree): self.program.add(tree) for tree in _distinct(pairs)}
        self.pairs = [(places[id(left)], places[id(right)]) for left, right in pairs]
        self.points = sample_points(self.program.variables, config.domain, config.points_seed)
        self._evaluators: dict[tuple[int, int], BallEvaluator] = {}
        self.precisions = config.precisions
        # By precision: what does not depend on the point is computed once for all points.
        self._constants: dict[int, dict[int, arb | Outcome]] = defaultdict(dict)

    def verdicts(self) -> Iterator[Verdict]:
        for number in range(len(self.pairs)):
            yield _Trial(self, number).verdict()

    @cached_property
    def screen(self) -> Screen:
        lefts, rights = zip(*self.pairs, strict=True)
        values = run(self.program, self.points, [*lefts, *rights])
        return Screen(values, self.config.tolerance, self.config.confirmations)

    def evaluator(self, index: int, bits: int) -> BallEvaluator:
        """Balls of so many bits at a shared point."""
        key = (index, bits)
        if key not in self._evaluators:
            self._evaluators[key] = BallEvaluator(
                self.program, self.points.at(index), bits, self._constants[bits]
            )
        return self._evaluators[key]


class _Trial:
    """One pair before the judge."""

    def __init__(self, bench: _Batch, number: int) -> None:
        self._bench = bench
        self._number = number
        self._roots = bench.pairs[number]
        self._config = bench.config
        self._need = min(bench.config.confirmations, bench.points.count)
        self._counts = dict.fromkeys(AT_POINT, 0)
        self._gap: Witness | None = None
        # A point where float64 sees values differ, which balls cannot decide.
        self._undecided: Point | None = None
        # A point at which the two agree, with its balls, and what else was found.
        self._agreeing: tuple[Point, BallEvaluator, tuple[int, int]] | None = None
        self._close, self._agreed, self._exact, self._depth_reached = 0, 0, 0, 0
        self._constants: dict[int, dict[int, arb | Outcome]] = defaultdict(dict)

    def verdict(self) -> Verdict:
        left, right = self._roots
        if left == right:
            return self._judge(Relation.EQUAL, "both are the same expression")
        difference = (
            self._at_shared_points() or self._at_own_points() or self._exactly() or self._deeper()
        )
        if difference is not None:
            reason = "the values differ, by proof"
            return self._judge(Relation.DIFFERENT, reason, difference)
        return self._conclude()

    def _judge(self, relation: Relation, reason: str, witness: Witness | None = None) -> Verdict:
        return Verdict(relation, reason, self._config.domain, witness)

    # The shared points: where float64 sees a difference, and where it does not.

    def _at_shared_points(self) -> Witness | None:
        screen, counts, number = self._bench.screen, self._counts, self._number
        is_poor = screen.is_poor[number]
        self._close = screen.close[number]
        for index, is_suspect in screen.candidates(number):
            if is_suspect or is_poor or counts[_AGREE] < self._need:
                finding, bits = self._at(index, is_suspect=is_suspect)
                counts[finding] += 1
                if finding is _UNDECIDED and screen.sees_values_differ(number, index):
                    self._undecided = self._undecided or self._bench.points.at(index)
                if finding is _DIFFER:
                    return self._show(self._bench.points.at(index), bits, finding)
                if finding is _ONE_UNDEFINED and self._gap is None:
                    self._gap = self._show(self._bench.points.at(index), bits, finding)
                if finding is _AGREE and self._agreeing is None:
                    evaluator = self._bench.evaluator(index, bits)
                    self._agreeing = self._bench.points.at(index), evaluator, self._roots
            # Here and not above, so that no more points are looked for than are needed.
            if counts[_AGREE] >= self._need and not is_suspect and not is_poor:
                break
        return None

    def _at(self, index: int, *, is_suspect: bool) -> tuple[AtPoint, int]:
        """What balls say at a shared point, and the precision that settled it."""
        left, right = self._roots
        finding, bits = _UNDECIDED, _SUSPECT_BITS
        if is_suspect:
            # A hundred bits tell a difference from the noise of float64, but confirm nothing.
            evaluator = self._bench.evaluator(index, bits)
            finding = relate(evaluator.value(left), evaluator.value(right), _SUSPECT_ACCURACY)
            if finding is _AGREE:
                return _NOT_APART, bits
        if finding is _UNDECIDED:
            for bits in self._precisions():
                evaluator = self._bench.evaluator(index, bits)
                finding = self._relate(evaluator.value(left), evaluator.value(right), bits)
                if finding is not _UNDECIDED:
                    break
        return finding, bits

    def _precisions(self) -> tuple[int, ...]:
        """The precisions to try: all, until it is clear that they do not help."""
        some = self._bench.precisions
        return some[:1] if self._counts[_UNDECIDED] >= _HOPELESS else some

    def _relate(self, a: arb | Outcome, b: arb | Outcome, bits: int) -> AtPoint:
        is_last = bits == self._bench.precisions[-1]
        return relate(a, b, self._config.accurate_bits, ZERO_BITS if is_last else None)

    # Points of the pair's own.

    @cached_property
    def _own(self) -> OwnPoints:
        left, right = self._bench.trees[self._number]
        config = self._config
        return OwnPoints(left, right, config.domain, config.own_points, config.points_seed)

    def _at_own_points(self) -> Witness | None:
        config, own = self._config, self._own
        if not config.own_points or not own.program.variables:
            return None
        close, doubtful = own.screened(config.tolerance)
        self._close += close
        # Powers of negative numbers exist at thin sets alone, which tell nothing of domains.
        powers = own.at_powers()
        return (
            self._look_at(doubtful)
            or self._look_at(powers, tells_of_domains=False)
            or self._confirm(powers)
        )

    def _look_at(self, points: Iterable[Point], *, tells_of_domains: bool = True) -> Witness | None:
        """Look for a difference at points, with few bits."""
        for point in points:
            finding, bits = self._near(point)
            self._agreed += finding is _AGREE
            if finding is _DIFFER:
                return self._show(point, bits, finding)
            if finding is _ONE_UNDEFINED and tells_of_domains and self._gap is None:
                self._gap = self._show(point, bits, finding)
        return None

    def _near(self, point: Point) -> tuple[AtPoint, int]:
        """What few bits say at a point, and their number."""
        for bits in (_SUSPECT_BITS, self._bench.precisions[0]):
            finding = relate(*self._values(point, bits), _SUSPECT_ACCURACY)
            if finding is not _UNDECIDED or self._counts[_UNDECIDED] >= _HOPELESS:
                break
        return finding, bits

    def _confirm(self, powers: Sequence[Point]) -> Witness | None:
        """Look for the points that are still needed, if the pair is defined at a few at all."""
        is_defined = self._close or self._agreed
        rounds = range(2 * self._need if is_defined else 0)
        points = chain.from_iterable(self._own.between_breaks() for _ in rounds)
        for point in chain(points, powers if is_defined else ()):
            if self._counts[_AGREE] >= self._need:
                break
            for bits in self._precisions():
                finding = self._relate(*self._values(point, bits), bits)
                if finding is not _UNDECIDED:
                    break
            if finding is _DIFFER:
                return self._show(point, bits, finding)
            if finding in (_AGREE, _UNDECIDED):
                self._counts[finding] += 1
            if finding is _AGREE and self._agreeing is None:
                self._agreeing = point, self._evaluator(point, bits), self._own.roots
        return None

    def _values(self, point: Point, bits: int) -> tuple[arb | Outcome, arb | Outcome]:
        """The values of both at any point."""
        evaluator, (left, right) = self._evaluator(point, bits), self._own.roots
        return evaluator.value(left), evaluator.value(right)

    def _evaluator(self, point: Point, bits: int) -> BallEvaluator:
        return BallEvaluator(self._own.program, point, bits, self._constants[bits])

    # What a few hundred bits do not tell.

    def _exactly(self) -> Witness | None:
        """Compare fractions as fractions, as far as they do not grow too long."""
        program, roots = self._own.program, self._own.roots
        if not (self._config.deep_bits and all(program.operations[r].is_rational for r in roots)):
            return None
        for point in self._own.scattered[: self._need] if program.variables else [{}]:
            values = [program.exact_value(root, point) for root in roots]
            if values[0] is None or values[1] is None:
                continue
            if values[0] != values[1]:
                return self._show(point, 2 * EXACT_BITS, _DIFFER)
            self._exact += 1
        return None

    def _deeper(self) -> Witness | None:
        """Compare at one point to thousands of bits, more where a subterm is that small."""
        deep_bits = self._config.deep_bits
        if not deep_bits or self._exact or self._agreeing is None:
            return None
        point, evaluator, roots = self._agreeing
        accurate = max(deep_bits, min(2 * evaluator.span(roots) + 64, _MOST_BITS))
        bits = accurate + accurate // 4
        finding = relate(*self._values(point, bits), accurate, accurate)
        if finding is _AGREE:
            self._depth_reached = accurate
        return self._show(point, bits, finding) if finding is _DIFFER else None

    def _conclude(self) -> Verdict:
        if self._counts[_AGREE] < self._need and not self._exact:
            return self._judge(Relation.UNKNOWN, self._doubt(), self._gap)
        if self._undecided is not None:
            where = ", ".join(f"{name} = {value:g}" for name, value in self._undecided.items())
            reason = f"they seem to differ at {where}, which could not be decided"
            return self._judge(Relation.UNKNOWN, reason, self._gap)
        if self._exact and self._bench.points.count == 1:
            return self._judge(Relation.EQUAL, "both are the same number, exactly")
        reason = f"no difference found: they agree {self._findings()}"
        if self._gap is not None:
            reason = f"{reason}; the domains differ"
            return self._judge(Relation.EQUAL_ON_COMMON_DOMAIN, reason, self._gap)
        return self._judge(Relation.EQUAL, reason)

    def _findings(self) -> str:
        """At how many points the two agree, and how exactly."""
        most = max(self._config.accurate_bits, self._depth_reached)
        if self._bench.points.count == 1:
            return f"to {most:,} bits"
        # Points that confirm are mostly among those at which float64 agrees.
        points = max(self._close, self._counts[_AGREE]) + self._agreed
        exactly = f"at {self._exact} exactly" if self._exact else f"up to {most:,} bits"
        return f"at {points:,} points, {exactly}"

    def _doubt(self) -> str:
        counts, need = self._counts, self._need
        agreed = counts[_AGREE]
        if agreed and (counts[_BOTH_UNDEFINED] or counts[_ONE_UNDEFINED]):
            return f"both are defined, and agree, at {agreed} of the {need} points needed"
        if counts[_ONE_UNDEFINED]:
            return "no region was found where both expressions are defined"
        if counts[_BOTH_UNDEFINED]:
            return "neither expression is defined at the sampled points"
        return (
            f"only {agreed} of {need} points could be decided "
            f"with {self._bench.precisions[-1]} bits"
        )

    def _show(self, point: Point, bits: int, finding: AtPoint) -> Witness:
        """A witness of a finding: an easily read point where there is one, else this point."""
        names = sorted(self._own.program.variables)
        for numbers in _PLAIN_POINTS:
            is_inside = self._config.domain is Domain.REAL or min(numbers) > 0
            if not names or len(names) > len(numbers) or not is_inside:
                continue
            plain = dict(zip(names, numbers, strict=False))
            values = self._values(plain, self._bench.precisions[0])
            if relate(*values, self._config.accurate_bits) is finding:
                return Witness(plain, *decimals(*values))
        shown = {name: float(number) for name, number in point.items()}
        return Witness(shown, *decimals(*self._values(point, bits)))
