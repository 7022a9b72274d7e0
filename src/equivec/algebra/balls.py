"""Rigorous evaluation at a point: balls that provably hold the true value (FLINT's arb).

A value is a ball; or UNDEFINED, proved to be outside the real domain; or UNDECIDED, when this
precision cannot tell. Equations of the domain: see the table of functions at the end.
"""

from __future__ import annotations

import operator
import threading
from enum import Enum, auto
from typing import TYPE_CHECKING, Any

from flint import arb, ctx

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from flint import fmpq

    from equivec.algebra.program import Operation, Program


class Outcome(Enum):
    """What an evaluation ends with when it is not a ball."""

    UNDEFINED = auto()
    UNDECIDED = auto()


UNDEFINED, UNDECIDED = Outcome.UNDEFINED, Outcome.UNDECIDED

# FLINT's working precision is one global setting; whoever changes it must hold this.
_precision_lock = threading.RLock()


class working_precision:  # noqa: N801
    """FLINT set to a precision, for one thread at a time.

    A class, because a generator would take longer than most of what is computed within.
    """

    __slots__ = ("_before", "_bits")

    def __init__(self, bits: int) -> None:
        self._bits = bits

    def __enter__(self) -> None:
        _precision_lock.acquire()
        self._before = ctx.prec
        ctx.prec = self._bits

    def __exit__(self, *_: object) -> None:
        ctx.prec = self._before
        _precision_lock.release()


class BallEvaluator:
    """The values of a program's operations at one point and precision, each computed once.

    Evaluators of one program and precision may share their constants.

    >>> from equivec.algebra.program import Program
    >>> from equivec.expression.text import parse
    >>> program, (root, other) = Program.of([parse("sqrt(x)"), parse("log(-x)")])
    >>> evaluator = BallEvaluator(program, {"x": 2.0}, 64)
    >>> evaluator.value(root).str(8, radius=False), evaluator.value(other)
    ('1.4142136', <Outcome.UNDEFINED: 1>)
    """

    def __init__(
        self,
        program: Program,
        point: Mapping[str, float | fmpq],
        bits: int,
        constants: dict[int, arb | Outcome] | None = None,
    ) -> None:
        self._program = program
        self._point = point
        self._bits = bits
        self._known: dict[int, arb | Outcome] = {}
        self._constants = {} if constants is None else constants

    def value(self, place: int) -> arb | Outcome:
        """The value at a place of the program."""
        known, constants = self._known, self._constants
        if place not in known:
            operations = self._program.operations
            with working_precision(self._bits):
                for needed in self._program.needs(place):
                    if needed in known:
                        continue
                    if needed in constants:
                        known[needed] = constants[needed]
                        continue
                    operation = operations[needed]
                    known[needed] = value = self._apply(operation)
                    if operation.is_constant:
                        constants[needed] = value
        return known[place]

    def span(self, places: Iterable[int]) -> int:
        """How many bits it takes to see the smallest and the largest of what values are made of."""
        operations = self._program.operations
        needed = {each for place in places for each in self._program.needs(place)}
        bits = 0
        for place in needed:
            symbol, arguments, _, exact, _, _ = operations[place]
            if exact is not None:
                bits = max(bits, int(exact.p.bit_length()), int(exact.q.bit_length()))
            elif symbol in _STEEP:
                bits = max(bits, _magnitude(self.value(place)))
            elif symbol in _LIMITED:
                bits = max(bits, _beyond_one(self.value(arguments[0])))
        return bits

    def _apply(self, operation: Operation) -> arb | Outcome:
        symbol, places, _, exact, _, _ = operation
        if exact is not None:
            return _from_fraction(exact)
        assert isinstance(symbol, str)
        if not places:
            if symbol in _CONSTANTS:
                return _CONSTANTS[symbol]()
            number = self._point[symbol]
            return arb(number) if isinstance(number, float) else _from_fraction(number)
        first: Any = self._known[places[0]]
        last: Any = self._known[places[-1]]
        if type(first) is Outcome:
            return first
        if type(last) is Outcome:
            return last
        if symbol == "pow":
            result = _power(first, last, self._program.operations[places[1]].exact)
        elif len(places) == 1:
            result = BALL_FUNCTIONS[symbol](first)
        else:
            result = BALL_FUNCTIONS[symbol](first, last)
        return result if isinstance(result, Outcome) or result.is_finite() else UNDECIDED


# Functions whose values may be of any size, and those that lie exp(-2*u) from 1.
_STEEP = frozenset(("exp", "pow", "sinh", "cosh", "sech", "csch"))
_LIMITED = frozenset(("tanh", "coth"))
_LARGEST_SPAN = 1 << 20


def _magnitude(value: arb | Outcome) -> int:
    """How many bits a value lies from 1 in order of magnitude."""
    if isinstance(value, Outcome) or value.contains(0):
        return 0
    mantissa, exponent = value.mid().man_exp()
    return min(abs(int(exponent) + int(mantissa.bit_length())), _LARGEST_SPAN)


def _beyond_one(argument: arb | Outcome) -> int:
    if isinstance(argument, Outcome) or not abs(argument) < _LARGEST_SPAN:
        return 0
    return int(3 * abs(float(argument.mid())))


def accuracy(value: arb) -> int:
    """How many bits of the value are certain; all of them where it is exact."""
    return 1 << 30 if value.is_exact() else int(value.rel_accuracy_bits())


def _from_fraction(value: fmpq) -> arb:
    # Of a fraction FLINT makes a rounded ball, even of one that is an integer.
    return arb(value.p) if value.q == 1 else arb(value)


def _inverse(value: arb) -> arb | Outcome:
    if value.contains(0):
        return UNDEFINED if value.is_zero() else UNDECIDED
    return 1 / value


# A ball holds 2^(2^40) in a few bytes; as an integer it would take all memory there is.
_LARGEST_EXPONENT = 2**64


def _power(base: arb, exponent: arb, exact: fmpq | None) -> arb | Outcome:
    if exact is not None and exact.q == 1:
        return _integer_power(base, int(exact.p))
    if base > 0:
        return base**exponent
    if base.is_zero():
        if exponent > 0:
            return arb(0)
        return UNDEFINED if exponent < 0 else UNDECIDED
    if base < 0:
        if exact is not None or not exponent.contains_integer():
            return UNDEFINED
        if abs(exponent) > _LARGEST_EXPONENT:
            return UNDECIDED
        whole = exponent.unique_fmpz() if exponent.is_exact() else None
        return UNDECIDED if whole is None else base ** int(whole)
    return UNDECIDED


def _integer_power(base: arb, exponent: int) -> arb | Outcome:
    if exponent >= 0:
        return base**exponent
    inverse = _inverse(base)
    return inverse if isinstance(inverse, Outcome) else inverse**-exponent


def _on(
    is_inside: Callable[[arb], bool],
    is_outside: Callable[[arb], bool],
    function: Callable[[arb], arb],
) -> Callable[[arb], arb | Outcome]:
    """A function with a domain; a ball across its border is undecided."""

    def apply(value: arb) -> arb | Outcome:
        if is_inside(value):
            return function(value)
        return UNDEFINED if is_outside(value) else UNDECIDED

    return apply


def _of_inverse(function: Callable[[arb], arb | Outcome]) -> Callable[[arb], arb | Outcome]:
    """The function of 1/u, as the inverses of the reciprocal functions are defined."""

    def apply(value: arb) -> arb | Outcome:
        inverse = _inverse(value)
        return inverse if isinstance(inverse, Outcome) else function(inverse)

    return apply


def _one_over(function: Callable[[arb], arb]) -> Callable[[arb], arb | Outcome]:
    return lambda value: _inverse(function(value))


def _quotient(numerator: arb, denominator: arb) -> arb | Outcome:
    inverse = _inverse(denominator)
    return inverse if isinstance(inverse, Outcome) else numerator * inverse


def _tangent(value: arb) -> arb | Outcome:
    return _quotient(value.sin(), value.cos())


def _cotangent(value: arb) -> arb | Outcome:
    return _quotient(value.cos(), value.sin())


def _sign(value: arb) -> arb | Outcome:
    if value > 0:
        return arb(1)
    if value < 0:
        return arb(-1)
    return arb(0) if value.is_zero() else UNDECIDED


def _acot(value: arb) -> arb | Outcome:
    return arb.pi() / 2 if value.is_zero() else _of_inverse(arb.atan)(value)


_sqrt = _on(lambda u: u >= 0, lambda u: u < 0, arb.sqrt)
_ln = _on(lambda u: u > 0, lambda u: u <= 0, arb.log)
_asin = _on(lambda u: abs(u) <= 1, lambda u: abs(u) > 1, arb.asin)
_acos = _on(lambda u: abs(u) <= 1, lambda u: abs(u) > 1, arb.acos)
_acosh = _on(lambda u: u >= 1, lambda u: u < 1, arb.acosh)
_atanh = _on(lambda u: abs(u) < 1, lambda u: abs(u) >= 1, arb.atanh)

_CONSTANTS: Mapping[str, Callable[[], arb]] = {"pi": arb.pi, "E": arb.const_e}

BALL_FUNCTIONS: Mapping[str, Callable[..., arb | Outcome]] = {
    "add": operator.add,
    "mul": operator.mul,
    "div": _quotient,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "sqrt": _sqrt,
    "abs": abs,
    "sign": _sign,
    "ln": _ln,
    "exp": arb.exp,
    "sin": arb.sin,
    "cos": arb.cos,
    "tan": _tangent,
    "cot": _cotangent,
    "sec": _one_over(arb.cos),
    "csc": _one_over(arb.sin),
    "asin": _asin,
    "acos": _acos,
    "atan": arb.atan,
    "acot": _acot,
    "asec": _of_inverse(_acos),
    "acsc": _of_inverse(_asin),
    "sinh": arb.sinh,
    "cosh": arb.cosh,
    "tanh": arb.tanh,
    "coth": _one_over(arb.tanh),
    "sech": _one_over(arb.cosh),
    "csch": _one_over(arb.sinh),
    "asinh": arb.asinh,
    "acosh": _acosh,
    "atanh": _atanh,
    "acoth": _of_inverse(_atanh),
    "asech": _of_inverse(_acosh),
    "acsch": _of_inverse(arb.asinh),
}
