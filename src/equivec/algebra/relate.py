"""How two values at a point stand to each other, and how they are shown."""

from __future__ import annotations

from enum import IntEnum, auto

from flint import arb

from equivec.algebra.balls import UNDECIDED, Outcome, accuracy

# A value that cannot be told from 0 with all the bits there are is 0 if its ball is this small.
ZERO_BITS = 1_000
# How many digits are shown, if fewer do not tell two values apart.
_DIGITS = (12, 20, 40, 80, 120)


class AtPoint(IntEnum):
    """What balls say of two expressions at one point."""

    DIFFER = auto()
    AGREE = auto()
    NOT_APART = auto()
    ONE_UNDEFINED = auto()
    BOTH_UNDEFINED = auto()
    UNDECIDED = auto()


# By names of their own: to look a member up in its enum takes longer than to compare two balls.
AT_POINT = tuple(AtPoint)
_DIFFER, _AGREE, _NOT_APART, _ONE_UNDEFINED, _BOTH_UNDEFINED, _UNDECIDED = AT_POINT


def relate(
    a: arb | Outcome, b: arb | Outcome, accurate_bits: int, zero_bits: int | None = None
) -> AtPoint:
    """How two values stand to each other, if their precision can tell.

    With `zero_bits` two values that are both so close to 0, and not told from it, agree.
    """
    if a is UNDECIDED or b is UNDECIDED:
        return _UNDECIDED
    if isinstance(a, Outcome) or isinstance(b, Outcome):
        return _BOTH_UNDEFINED if a is b else _ONE_UNDEFINED
    if not a.overlaps(b):
        return _DIFFER
    if accuracy(a) >= accurate_bits and accuracy(b) >= accurate_bits:
        return _AGREE
    if zero_bits is None or not (a.contains(0) and b.contains(0)):
        return _UNDECIDED
    tiny = arb(2) ** -zero_bits
    return _AGREE if abs(a) < tiny and abs(b) < tiny else _UNDECIDED


def decimals(left: arb | Outcome, right: arb | Outcome) -> tuple[str | None, str | None]:
    """Both values in decimals, with as many digits as it takes to see that they differ.

    Where that is too many, the second value is shown as the first with their difference.
    """
    for digits in _DIGITS:
        texts = [
            None if isinstance(value, Outcome) else _decimal(value, digits)
            for value in (left, right)
        ]
        if texts[0] != texts[1]:
            return texts[0], texts[1]
    if isinstance(left, Outcome) or isinstance(right, Outcome):
        return texts[0], texts[1]
    if right.is_exact():
        shown = _decimal(right, _DIGITS[0])
        return _beside(shown, left - right), shown
    shown = _decimal(left, _DIGITS[0])
    return shown, _beside(shown, right - left)


def _beside(shown: str, difference: arb) -> str:
    return f"{shown} {'-' if difference < 0 else '+'} {_decimal(abs(difference), 4)}"


def _decimal(value: arb, digits: int) -> str:
    text: str = value.str(digits, radius=False)
    return text if "e" in text or "." not in text else text.rstrip("0").rstrip(".")
