"""Where a function may break: roots of what stands under a root, a logarithm, a bar or a fraction.

|x**2 - 63*x + 992| and x**2 - 63*x + 992 differ between 31 and 32 only. Points that are fixed
beforehand hardly ever fall into such a gap; here the argument of every function that may change
its formula or end at a value is taken as a rational function of one variable, the others held
fixed, and its roots bound the gaps. An argument that is no rational function is passed over.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise, product
from math import prod
from typing import TYPE_CHECKING, NamedTuple

from flint import arb, fmpq, fmpq_poly
from flint.utils.flint_exceptions import DomainError

from equivec.algebra.balls import BallEvaluator, working_precision
from equivec.algebra.points import Domain, decimal
from equivec.algebra.program import is_whole

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from random import Random

    from equivec.algebra.program import Operation, Program

    Point = Mapping[str, fmpq]
    Values = Mapping[str, Sequence[fmpq]]

_BITS = 192
# Larger polynomials, and more readings of bars, take longer than they are worth.
_MOST_DEGREE, _MOST_BITS, _MOST_FORMS = 24, 20_000, 4
_LARGEST = fmpq(10) ** 250
# Arguments that are looked at in a pair, and points that come of them.
_MOST_ARGUMENTS, _MOST_POINTS = 24, 48
# Places of the other variables, for each argument and variable.
_PLACES = 3
# A gap that is wider than this ratio gets a point near each end.
_WIDE = 16

_HALF_TURN, _QUARTER_TURN = fmpq(22, 7), fmpq(11, 7)
# The values of an argument at which a function changes its formula, or ends.
_LEVELS: Mapping[str, tuple[int, ...]] = {
    **dict.fromkeys(("abs", "sign", "sqrt", "ln", "div", "pow", "exp", "acot", "acsch"), (0,)),
    **dict.fromkeys(("asin", "acos", "atanh", "acoth"), (-1, 1)),
    **dict.fromkeys(("asec", "acsc"), (-1, 0, 1)),
    "acosh": (1,),
    "asech": (0, 1),
}
_PERIODIC = frozenset(("sin", "cos", "tan", "cot", "sec", "csc"))
# Functions that are inverse to one period of a periodic one.
_FOLDING = frozenset(("asin", "acos", "atan", "acot", "asec", "acsc", "abs", "sign", "sqrt", "ln"))
_TURNS = (-_HALF_TURN, -_QUARTER_TURN, _QUARTER_TURN, _HALF_TURN)
_SUMS = frozenset(("add", "subtract"))


class _Argument(NamedTuple):
    """A term, the values of it that matter, and whether it has a peak where it comes near them."""

    place: int
    levels: tuple[fmpq | int, ...]
    may_peak: bool


class _Root(NamedTuple):
    """Where an argument reaches a value, or comes nearest to it: a peak."""

    at: fmpq
    is_peak: bool


class _Ratio(NamedTuple):
    """A rational function of one variable."""

    numerator: fmpq_poly
    denominator: fmpq_poly


@dataclass(slots=True)
class Breaks:
    """The breaks of a program's functions."""

    program: Program
    roots: Sequence[int]
    domain: Domain
    arguments: list[_Argument] = field(init=False)
    _variables: dict[int, list[str]] = field(default_factory=dict)
    _constants: dict[int, list[_Ratio]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.arguments = list(dict.fromkeys(self._arguments()))[:_MOST_ARGUMENTS]

    def points(self, random: Random, others: Sequence[Point]) -> list[Point]:
        """Points in the gaps between breaks; the others say where variables are held fixed."""
        names = sorted(self.program.variables)
        alone = {
            name: [each for each in self.arguments if self._names(each.place) == [name]]
            for name in names
        }
        inside = {name: self._values(some, name, {}, random) for name, some in alone.items()}
        return [
            *_combined(inside, random, others),
            *(point for name in names for point in self._mixed(name, inside, random, others)),
        ]

    def _mixed(
        self, name: str, inside: Values, random: Random, others: Sequence[Point]
    ) -> Iterator[Point]:
        """Points in the gaps of one variable, of terms in several that are held at some places."""
        some = [each for each in self.arguments if name in self._names(each.place)]
        if all(len(self._names(each.place)) == 1 for each in some):
            return
        for other in others[:_PLACES]:
            held = _held(other, inside, random)
            for value in self._values(some, name, held, random):
                yield {**held, name: value}

    def _arguments(self) -> Iterator[_Argument]:
        operations = self.program.operations
        needed = {place for root in self.roots for place in self.program.needs(root)}
        for place in sorted(needed):
            operation = operations[place]
            if operation.is_constant or not operation.arguments:
                continue
            symbol = str(operation.symbol)
            for argument in self._places(operation):
                if symbol in _LEVELS and self._is_telling(argument, _LEVELS[symbol]):
                    yield _Argument(argument, _LEVELS[symbol], symbol in ("exp", "div", "pow"))
                inner = operations[argument]
                if symbol in _FOLDING and inner.symbol in _PERIODIC and not inner.is_constant:
                    yield _Argument(inner.arguments[0], _TURNS, may_peak=False)

    def _places(self, operation: Operation) -> Iterator[int]:
        """The arguments of an operation at whose roots it may break."""
        symbol, arguments = operation.symbol, operation.arguments
        operations = self.program.operations
        if symbol == "div":
            yield arguments[1]
        elif symbol == "pow":
            base, exponent = arguments
            known = operations[exponent].exact
            if operations[base].is_constant:
                yield exponent
            elif not (known is not None and is_whole(known) and known >= 0):
                yield base
        elif len(arguments) == 1:
            yield arguments[0]

    def _is_telling(self, place: int, levels: tuple[int, ...]) -> bool:
        """Whether a term may reach the values elsewhere than at 0 or 1."""
        needed = self.program.needs(place)
        operations = self.program.operations
        if operations[place].is_constant or not operations[place].arguments:
            return False
        return any(levels) or any(operations[each].symbol in _SUMS for each in needed)

    def _names(self, place: int) -> list[str]:
        if place not in self._variables:
            symbols = {str(self.program.operations[each].symbol) for each in self._needs(place)}
            self._variables[place] = sorted(symbols & self.program.variables)
        return self._variables[place]

    def _needs(self, place: int) -> list[int]:
        return self.program.needs(place)

    def _values(
        self, arguments: Sequence[_Argument], name: str, held: Point, random: Random
    ) -> list[fmpq]:
        """Values of one variable in all gaps between the breaks of some arguments."""
        roots: dict[fmpq, bool] = {}
        for argument in arguments:
            for form in self._forms(argument.place, name, held):
                for root in _roots(form, argument):
                    if _is_within(root.at, self.domain):
                        roots[root.at] = roots.get(root.at, False) or root.is_peak
        return list(_inside(roots, random, self.domain)) if roots else []

    def _forms(self, place: int, name: str, held: Point) -> list[_Ratio]:
        """A term as rational functions of one variable, one for each reading of its bars."""
        known: dict[int, list[_Ratio]] = {}
        for needed in self._needs(place):
            operation = self.program.operations[needed]
            if operation.symbol == name:
                known[needed] = [_Ratio(fmpq_poly([0, 1]), _ONE)]
            elif operation.is_constant:
                known[needed] = self._constant(needed)
            elif not operation.arguments:
                known[needed] = [_Ratio(fmpq_poly([held[str(operation.symbol)]]), _ONE)]
            else:
                known[needed] = list(self._applied(operation, known))[:_MOST_FORMS]
        return known[place]

    def _constant(self, place: int) -> list[_Ratio]:
        """A constant term, rounded if it is no fraction."""
        if place not in self._constants:
            exact = self.program.operations[place].exact
            value = BallEvaluator(self.program, {}, _BITS).value(place) if exact is None else None
            if isinstance(value, arb):
                exact = _fraction(value)
            self._constants[place] = [] if exact is None else [_Ratio(fmpq_poly([exact]), _ONE)]
        return self._constants[place]

    def _applied(self, operation: Operation, known: Mapping[int, list[_Ratio]]) -> Iterator[_Ratio]:
        symbol, arguments = operation.symbol, operation.arguments
        firsts, lasts = known[arguments[0]], known[arguments[-1]]
        if symbol in ("abs", "sign", "sqrt"):
            for form in firsts:
                yield from _readings(str(symbol), form)
        elif symbol == "pow":
            exponent = self.program.operations[arguments[1]].exact
            if exponent is not None and is_whole(exponent):
                yield from (_power(form, int(exponent.p)) for form in firsts if _fits(form))
        elif symbol in _ARITHMETIC:
            for first in firsts:
                for last in lasts:
                    if _fits(first) and _fits(last) and (symbol != "div" or last.numerator):
                        yield _ARITHMETIC[str(symbol)](first, last)


_ONE = fmpq_poly([1])


def _sum(first: _Ratio, last: _Ratio) -> _Ratio:
    if first.denominator == last.denominator:
        return _Ratio(first.numerator + last.numerator, first.denominator)
    return _Ratio(
        first.numerator * last.denominator + last.numerator * first.denominator,
        first.denominator * last.denominator,
    )


def _product(first: _Ratio, last: _Ratio) -> _Ratio:
    return _Ratio(first.numerator * last.numerator, first.denominator * last.denominator)


def _minus(form: _Ratio) -> _Ratio:
    return _Ratio(-form.numerator, form.denominator)


_ARITHMETIC: Mapping[str, Callable[[_Ratio, _Ratio], _Ratio]] = {
    "add": _sum,
    "subtract": lambda first, last: _sum(first, _minus(last)),
    "mul": _product,
    "multiply": _product,
    "div": lambda first, last: _product(first, _Ratio(last.denominator, last.numerator)),
}


def _power(form: _Ratio, exponent: int) -> _Ratio:
    size = abs(exponent)
    if size * max(form.numerator.degree(), form.denominator.degree()) > _MOST_DEGREE:
        return form if exponent > 0 else _Ratio(form.denominator, form.numerator)  # its own roots
    first, last = form.numerator**size, form.denominator**size
    return _Ratio(first, last) if exponent >= 0 or not first else _Ratio(last, first)


def _readings(symbol: str, form: _Ratio) -> Iterator[_Ratio]:
    """What a function of a ratio is on either side of its break, where that is a ratio too."""
    if symbol == "sign":
        yield from (_Ratio(_ONE, _ONE), _Ratio(-_ONE, _ONE))
    elif symbol == "abs":
        yield from (form, _minus(form))
    else:
        try:
            root = _Ratio(form.numerator.sqrt(), form.denominator.sqrt())
        except (DomainError, ValueError):  # no square of a polynomial
            return
        yield from (root, _minus(root))


def _fits(form: _Ratio) -> bool:
    """Whether a ratio is small enough to go on with."""
    return all(
        each.degree() <= _MOST_DEGREE and each.denom().bit_length() <= _MOST_BITS for each in form
    )


def _roots(form: _Ratio, argument: _Argument) -> Iterator[_Root]:
    """Where a ratio has a value that matters, or is not defined."""
    for level in argument.levels:
        yield from _zeros(form.numerator - level * form.denominator, argument.may_peak)
    yield from _zeros(form.denominator, may_peak=False)


def _zeros(polynomial: fmpq_poly, may_peak: bool) -> Iterator[_Root]:
    """The real roots of a polynomial and, where there may be peaks, those nearest to real ones."""
    degree = polynomial.degree()
    if not 1 <= degree <= _MOST_DEGREE or not _fits(_Ratio(polynomial, _ONE)):
        return
    if degree == 1:
        yield _Root(-polynomial[0] / polynomial[1], is_peak=False)
        return
    with working_precision(_BITS):
        for root, times in polynomial.numer().complex_roots():
            is_real = bool(root.imag.contains(0))
            at = _fraction(root.real) if is_real or may_peak else None
            if at is not None:
                yield _Root(at, may_peak and (times > 1 or not is_real))


def _fraction(value: arb) -> fmpq | None:
    """The middle of a ball, if it is not so large or small that it takes much room."""
    mantissa, exponent = value.mid().man_exp()
    if not mantissa or abs(exponent) > _MOST_BITS:
        return None if mantissa else fmpq(0)
    return fmpq(mantissa) * fmpq(2) ** int(exponent)


def _is_within(value: fmpq, domain: Domain) -> bool:
    """Whether a value is one of the domain, and float64 can hold it."""
    if domain is Domain.POSITIVE and value <= 0:
        return False
    return bool(value == 0 or 1 / _LARGEST < abs(value) < _LARGEST)


def _inside(roots: Mapping[fmpq, bool], random: Random, domain: Domain) -> Iterator[fmpq]:
    """A value in every gap between neighbouring roots, beyond the last, and beside every peak."""
    ends = sorted({*roots, fmpq(0)})
    gaps = [gap for low, high in pairwise(ends) for gap in _gaps(low, high)]
    if ends[-1] > 0:
        gaps.append((ends[-1], 2 * ends[-1]))
    if domain is Domain.REAL and ends[0] < 0:
        gaps.append((2 * ends[0], ends[0]))
    for low, high in gaps:
        yield decimal(low, high, random)
    for root, is_peak in roots.items():
        if is_peak and root != 0:
            # Beside and not at it: a function need not be defined at the very point.
            yield root * (1 + fmpq(1 + random.randrange(1 << 20), 1 << 84))


def _gaps(low: fmpq, high: fmpq) -> Iterator[tuple[fmpq, fmpq]]:
    """The gap between two neighbours; of one over many orders of magnitude the parts at its ends.

    Towards 0 the points that all pairs share are many enough.
    """
    if low * high > 0 and max(low / high, high / low) < _WIDE:
        yield low, high
        return
    if low != 0:
        yield low, low * 2 if low > 0 else low / 2
    if high != 0:
        yield high / 2 if high > 0 else high * 2, high


def _combined(inside: Values, random: Random, others: Sequence[Point]) -> Iterator[Point]:
    """Every variable in each of its gaps, with every gap of the others; some, if they are many."""
    if not any(inside.values()):
        return
    columns = [values or [others[0][name]] for name, values in inside.items()]
    if prod(map(len, columns)) <= _MOST_POINTS:
        rows: Iterable[Sequence[fmpq]] = product(*columns)
    else:
        rows = ([random.choice(column) for column in columns] for _ in range(_MOST_POINTS))
    for row in rows:
        yield dict(zip(inside, row, strict=True))


def _held(point: Point, inside: Values, random: Random) -> dict[str, fmpq]:
    """A point, some of its values moved into gaps of other arguments."""
    return {
        name: random.choice(inside[name]) if inside.get(name) and random.random() < 0.5 else value
        for name, value in point.items()
    }
