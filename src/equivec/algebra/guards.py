"""What can be told of a term by looking at it: its sign, its range, whether it is defined.

Every test is sufficient, never necessary: a yes is a promise for all positive values of the
variables, a no says nothing. Like domains everywhere here, promises hold up to isolated points:
tan(x) counts as total. A term that is nowhere zero but at isolated points is nonzero.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from equivec.algebra.rules.terms import Term

# The signs a term may take, as a set of bits.
NEGATIVE, ZERO, POSITIVE = 1, 2, 4
_ANY = NEGATIVE | ZERO | POSITIVE
_SIGN_BITS = {-1: NEGATIVE, 0: ZERO, 1: POSITIVE}
_CONSTANTS = frozenset(("pi", "E"))

_ALWAYS_POSITIVE = frozenset(("exp", "cosh", "sech"))
_NEVER_NEGATIVE = frozenset(("acos", "acosh", "asec", "asech"))
# Functions that have the sign of their argument; where they have a pole at 0, 0 is not a value.
_SIGN_KEEPING = frozenset("sinh tanh asinh asin atan atanh coth csch acsc acoth acsch sign".split())
_WITHIN_ONE = frozenset(("sin", "cos", "tanh", "sech", "sign"))
_RISING = frozenset("exp ln sqrt sinh tanh asinh asin atan acosh atanh".split())


def signs(term: Term) -> int:
    """The signs that a term may take where it is defined.

    >>> signs(("exp", "x")) == POSITIVE, signs(("pow", ("sin", "x"), 2)) == ZERO | POSITIVE
    (True, True)
    """
    if type(term) is int:
        return POSITIVE if term > 0 else NEGATIVE if term else ZERO
    if type(term) is not tuple:
        return POSITIVE
    symbol = term[0]
    if len(term) == 3:
        return _SIGNS_OF_PAIRS[symbol](term[1], term[2])
    if symbol in _ALWAYS_POSITIVE:
        return POSITIVE
    if symbol in _NEVER_NEGATIVE:
        return ZERO | POSITIVE
    if symbol == "ln":
        return POSITIVE if exceeds_one(term[1]) else _ANY
    inner = signs(term[1])
    if symbol in _SIGN_KEEPING:
        return inner
    if symbol == "acot":  # acot(0) is pi/2
        return inner & ~ZERO | POSITIVE if inner & ZERO else inner
    if symbol in ("sqrt", "abs"):
        return ZERO | POSITIVE if inner & ZERO else POSITIVE
    return _ANY


def is_positive(term: Term) -> bool:
    """Whether a term is positive wherever it is defined.

    >>> is_positive(("add", "x", 1)), is_positive(("add", "x", -1))
    (True, False)
    """
    return signs(term) == POSITIVE


def is_nonnegative(term: Term) -> bool:
    """Whether a term is never negative.

    >>> is_nonnegative(("sqrt", ("sin", "x")))
    True
    """
    return not signs(term) & NEGATIVE


def is_nonzero(term: Term) -> bool:
    """Whether a term is zero at most at isolated points.

    >>> is_nonzero(("add", "x", -1)), is_nonzero(("add", "x", ("mul", -1, "x")))
    (True, False)
    """
    return not signs(term) & ZERO or varies(term)


def is_total(term: Term) -> bool:
    """Whether a term is defined everywhere but at isolated points.

    >>> is_total(("div", 1, ("add", "x", -1))), is_total(("ln", ("add", "x", -1)))
    (True, False)
    """
    if type(term) is not tuple:
        return True
    if not all(map(is_total, term[1:])):
        return False
    if term[0] == "pow":
        return _power_is_total(term[1], term[2])
    test = _DEFINED_IF.get(term[0])
    return test is None or test(term[-1])


def exceeds_one(term: Term) -> bool:
    """Whether a term is greater than 1 wherever it is defined.

    >>> exceeds_one(("add", 1, "x")), exceeds_one("x")
    (True, False)
    """
    if type(term) is int:
        return term > 1
    if type(term) is not tuple:
        return term in _CONSTANTS
    symbol, first, last = term[0], term[1], term[-1]
    if symbol == "add":
        return _is_at_least_one(first, last) or _is_at_least_one(last, first)
    if symbol == "mul":
        return exceeds_one(first) and exceeds_one(last)
    if symbol == "pow":
        return exceeds_one(first) and is_positive(last)
    if symbol in ("exp", "cosh"):
        return is_positive(first) or (symbol == "cosh" and signs(first) == NEGATIVE)
    return symbol in ("sqrt", "coth") and (
        exceeds_one(first) if symbol == "sqrt" else is_positive(first)
    )


def _is_at_least_one(first: Term, other: Term) -> bool:
    """Whether the first is at least 1 and the other positive, or the other way round."""
    is_enough = first >= 1 if type(first) is int else exceeds_one(first)
    return is_enough and (is_positive(other) or (exceeds_one(first) and is_nonnegative(other)))


def is_within_one(term: Term) -> bool:
    """Whether a term lies between -1 and 1 wherever it is defined.

    >>> is_within_one(("mul", -1, ("sin", "x"))), is_within_one("x")
    (True, False)
    """
    if type(term) is int:
        return -1 <= term <= 1
    if type(term) is not tuple:
        return False
    symbol, first, last = term[0], term[1], term[-1]
    if symbol == "div":
        return type(first) is int and type(last) is int and abs(first) <= abs(last)
    if symbol == "mul":
        return is_within_one(first) and is_within_one(last)
    if symbol == "pow":
        return is_within_one(first) and is_natural(last)
    if symbol == "exp":
        return not signs(first) & POSITIVE
    return symbol in _WITHIN_ONE or (symbol == "abs" and is_within_one(first))


def varies(term: Term) -> bool:
    """Whether a term is constant on no interval.

    >>> varies(("sin", "x")), varies(("sin", "pi")), varies(("add", "x", ("mul", -1, "x")))
    (True, False, False)
    """
    counts = variable_counts(term)
    return any(count == 1 and _passes_on(term, variable) for variable, count in counts.items()) or (
        bool(counts) and _rises(term)
    )


def is_constant(term: Term) -> bool:
    """Whether a term has no variable in it.

    >>> is_constant(("sin", "pi")), is_constant(("sin", "x"))
    (True, False)
    """
    return not variable_counts(term)


def has_variables(term: Term) -> bool:
    """Whether a term has a variable in it."""
    return not is_constant(term)


def is_integer(term: Term) -> bool:
    """Whether a term is an integer literal."""
    return type(term) is int


def is_natural(term: Term) -> bool:
    """Whether a term is a positive integer literal."""
    return type(term) is int and term > 0


def is_even(term: Term) -> bool:
    """Whether a term is an even integer literal."""
    return type(term) is int and term % 2 == 0


def is_odd(term: Term) -> bool:
    """Whether a term is an odd integer literal."""
    return type(term) is int and term % 2 == 1


def variable_counts(term: Term) -> dict[str, int]:
    """How often each variable occurs in a term.

    >>> variable_counts(("add", "x", ("mul", "x", "pi")))
    {'x': 2}
    """
    counts: dict[str, int] = {}
    stack = [term]
    while stack:
        part = stack.pop()
        if type(part) is tuple:
            stack.extend(part[1:])
        elif type(part) is str and part not in _CONSTANTS:
            counts[part] = counts.get(part, 0) + 1
    return counts


def _signs_of_sum(first: Term, last: Term) -> int:
    for number, other in ((first, last), (last, first)):
        if type(number) is int and number:
            if number >= 1 and is_within_one(other):
                return POSITIVE if number > 1 else ZERO | POSITIVE
            if number == -1 and exceeds_one(other):
                return POSITIVE
    return _SUM[signs(first)][signs(last)]


def _signs_of_product(first: Term, last: Term) -> int:
    return _PRODUCT[signs(first)][signs(last)]


def _signs_of_quotient(first: Term, last: Term) -> int:
    # Where the quotient is defined, its denominator is not zero.
    return _PRODUCT[signs(first)][signs(last) & ~ZERO]


def _signs_of_power(base: Term, exponent: Term) -> int:
    inner = signs(base)
    if inner == POSITIVE:
        return POSITIVE
    if type(exponent) is not int:
        # A negative base has no real power but where the exponent happens to be an integer.
        return ZERO | POSITIVE if _is_fraction(exponent) or varies(exponent) else _ANY
    if exponent == 0:
        return POSITIVE
    kept = inner & ~ZERO if exponent < 0 else inner
    return _PRODUCT[kept][kept] & ~NEGATIVE if exponent % 2 == 0 else kept


def _is_fraction(term: Term) -> bool:
    """Whether a term is a quotient of integers that is no integer itself."""
    if type(term) is not tuple or term[0] != "div":
        return False
    numerator, denominator = term[1:]
    is_ratio = type(numerator) is int and type(denominator) is int
    return is_ratio and denominator != 0 and numerator % denominator != 0


def _power_is_total(base: Term, exponent: Term) -> bool:
    inner = signs(base)
    if type(exponent) is int:
        return exponent >= 0 or is_nonzero(base)
    return inner == POSITIVE or (not inner & NEGATIVE and is_nonzero(base))


def _combine(operation: Callable[[int, int], int]) -> tuple[tuple[int, ...], ...]:
    """For two sets of signs, the signs that the operation may give."""

    def possible(left: int, right: int) -> int:
        bits = 0
        for (a, bit_a), (b, bit_b) in product(_SIGN_BITS.items(), repeat=2):
            if left & bit_a and right & bit_b:
                bits |= operation(a, b)
        return bits

    return tuple(tuple(possible(left, right) for right in range(8)) for left in range(8))


_SUM = _combine(lambda a, b: _ANY if a * b < 0 else _SIGN_BITS[a or b])
_PRODUCT = _combine(lambda a, b: _SIGN_BITS[a * b])
_SIGNS_OF_PAIRS: Mapping[str, Callable[[Term, Term], int]] = {
    "add": _signs_of_sum,
    "mul": _signs_of_product,
    "div": _signs_of_quotient,
    "pow": _signs_of_power,
}


# What the (last) argument must be for a function to be defined; the others always are.
_DEFINED_IF: Mapping[str, Callable[[Term], bool]] = {
    "div": is_nonzero,
    "sqrt": is_nonnegative,
    "ln": lambda term: is_nonnegative(term) and is_nonzero(term),
    **dict.fromkeys(("tan", "cot", "sec", "csc"), varies),
    **dict.fromkeys(("coth", "csch", "acsch"), is_nonzero),
    **dict.fromkeys(("asin", "acos"), is_within_one),
    **dict.fromkeys(("acosh", "acoth", "asec", "acsc"), exceeds_one),
    "atanh": lambda term: is_within_one(term) and varies(term),
    "asech": lambda term: is_positive(term) and is_within_one(term),
}


def _passes_on(term: Term, variable: str) -> bool:
    """Whether a term moves with a variable that occurs in it once."""
    if type(term) is not tuple:
        return term == variable
    if len(term) == 2:
        return term[0] != "sign" and _passes_on(term[1], variable)
    first, last = term[1], term[2]
    is_first = variable in variable_counts(first)
    path, other = (first, last) if is_first else (last, first)
    if term[0] == "pow" and not is_first:
        return (exceeds_one(first) or varies(first)) and _passes_on(path, variable)
    return (term[0] == "add" or is_nonzero(other)) and _passes_on(path, variable)


def _rises(term: Term) -> bool:
    """Whether a term grows with each of its variables, all of them being positive."""
    if type(term) is not tuple:
        return type(term) is str and term not in _CONSTANTS
    symbol, first, last = term[0], term[1], term[-1]
    if symbol in ("add", "mul"):
        parts_rise = [_rises(part) or is_constant(part) for part in (first, last)]
        is_signed = symbol == "add" or (is_positive(first) and is_positive(last))
        return all(parts_rise) and is_signed and not is_constant(term)
    if symbol == "pow":
        return _rises(first) and is_positive(first) and is_natural(last)
    if symbol == "cosh":
        return is_positive(first) and _rises(first)
    return symbol in _RISING and _rises(first)


# The words that may stand in front of letters in a rule's guards.
GUARDS: Mapping[str, Callable[[Term], bool]] = {
    "positive": is_positive,
    "nonnegative": is_nonnegative,
    "nonzero": is_nonzero,
    "total": is_total,
    "varies": varies,
    "above-one": exceeds_one,
    "within-one": is_within_one,
    "constant": is_constant,
    "even": is_even,
    "odd": is_odd,
}
