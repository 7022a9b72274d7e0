"""Building terms: exact arithmetic on literals and the laws of 0 and 1, and nothing else.

Folding never loses a part of the domain: 0*u becomes 0 only where u is defined everywhere.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import isqrt
from typing import TYPE_CHECKING

from equivec.algebra.guards import is_nonzero, is_total

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from equivec.algebra.rules.terms import Term

# Larger numerators and denominators are left as they are written.
_LARGEST = 999
_LARGEST_EXPONENT = 6


# Making a fraction takes longer than finding one, and the same few numbers stand everywhere.
_fraction = lru_cache(maxsize=4096)(Fraction)


def make(symbol: str, first: Term, last: Term | None = None) -> Term:
    """A symbol applied to one or two arguments, folded where that is exact.

    >>> make("add", 2, ("add", "x", ("div", 1, 2)))
    ('add', 'x', ('div', 5, 2))
    >>> make("mul", 0, "x"), make("mul", 0, ("ln", ("sin", "x")))
    (0, ('mul', 0, ('ln', ('sin', 'x'))))
    """
    if last is None:
        folded = _fold_function(symbol, first) if type(first) is int else None
        return (symbol, first) if folded is None else folded
    folded = _FOLDS[symbol](first, last)
    return (symbol, first, last) if folded is None else folded


def fraction_of(term: Term) -> Fraction | None:
    """The value of an integer or a quotient of integers.

    >>> fraction_of(("div", 1, 2)), fraction_of("x")
    (Fraction(1, 2), None)
    """
    if type(term) is int:
        return _fraction(term)
    if type(term) is tuple and term[0] == "div" and _is_ratio(term[1], term[2]):
        return _fraction(term[1], term[2])
    return None


def literal(value: Fraction) -> Term | None:
    """The term of a number, if it is small enough to be written out."""
    if abs(value.numerator) > _LARGEST or value.denominator > _LARGEST:
        return None
    if value.denominator == 1:
        return value.numerator
    return ("div", value.numerator, value.denominator)


def _is_ratio(numerator: Term, denominator: Term) -> bool:
    return type(numerator) is int and type(denominator) is int and denominator != 0


def _fold_sum(a: Term, b: Term) -> Term | None:
    if a == 0:
        return b
    if b == 0:
        return a
    return _fold_literals("add", a, b)


def _fold_product(a: Term, b: Term) -> Term | None:
    if a == 1:
        return b
    if b == 1:
        return a
    if (a == 0 and is_total(b)) or (b == 0 and is_total(a)):
        return 0
    return _fold_literals("mul", a, b)


def _fold_literals(symbol: str, a: Term, b: Term) -> Term | None:
    """Two literals as one, also where one of them stands inside a sum or product."""
    left, right = fraction_of(a), fraction_of(b)
    if left is not None and right is not None:
        return literal(_ARITHMETIC[symbol](left, right))
    if left is not None:
        return _fold_into(symbol, left, b)
    return _fold_into(symbol, right, a) if right is not None else None


def _fold_into(symbol: str, value: Fraction, chain: Term) -> Term | None:
    if type(chain) is not tuple or chain[0] != symbol:
        return None
    for place, other in ((1, 2), (2, 1)):
        inner = fraction_of(chain[place])
        if inner is not None:
            folded = literal(_ARITHMETIC[symbol](value, inner))
            pair = (folded, chain[other]) if place == 1 else (chain[other], folded)
            return None if folded is None else make(symbol, *pair)
    return None


def _fold_quotient(a: Term, b: Term) -> Term | None:
    if b == 1:
        return a
    if b == -1:
        return make("mul", -1, a)
    if a == 0 and is_total(b) and is_nonzero(b):
        return 0
    if type(b) is int and b != 0 and type(a) is tuple and a[0] == "mul":
        coefficient = a[1]
        if type(coefficient) is int and coefficient % b == 0:
            return make("mul", coefficient // b, a[2])
    left, right = fraction_of(a), fraction_of(b)
    return literal(left / right) if left is not None and right else None


def _fold_power(a: Term, b: Term) -> Term | None:
    if b == 1:
        return a
    if b == 0 and is_total(a) and is_nonzero(a):
        return 1
    if a == 1 and is_total(b):
        return 1
    base = fraction_of(a)
    if base and type(b) is int and abs(b) <= _LARGEST_EXPONENT:
        return literal(base**b)
    return None


def _fold_function(symbol: str, argument: int) -> Term | None:
    if symbol == "sqrt" and argument > 1 and isqrt(argument) ** 2 == argument:
        return isqrt(argument)
    if symbol == "abs":
        return abs(argument)
    return _EXACT.get((symbol, argument))


_ARITHMETIC: Mapping[str, Callable[[Fraction, Fraction], Fraction]] = {
    "add": Fraction.__add__,
    "mul": Fraction.__mul__,
}
_FOLDS: Mapping[str, Callable[[Term, Term], Term | None]] = {
    "add": _fold_sum,
    "mul": _fold_product,
    "div": _fold_quotient,
    "pow": _fold_power,
}
_EXACT: Mapping[tuple[str, int], int] = {
    **{(symbol, 0): 0 for symbol in "sqrt sin tan sinh tanh asin atan asinh atanh sign".split()},
    **{(symbol, 0): 1 for symbol in "exp cos sec cosh sech".split()},
    **{(symbol, 1): 0 for symbol in "ln acos acosh asec asech".split()},
    ("sqrt", 1): 1,
}
