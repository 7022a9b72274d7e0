"""Integers that rules look for: factors, roots and powers of the integers they met."""

from __future__ import annotations

from math import gcd, isqrt

# Beyond this no factors are looked for: trying them one by one takes the square root in steps.
_LARGEST = 10**6


def factor_pair(number: int) -> tuple[int, int] | None:
    """The smallest proper factor of a number and the other one.

    >>> factor_pair(12), factor_pair(7)
    ((2, 6), None)
    """
    for factor in range(2, _tried(number) + 1):
        if number % factor == 0:
            return factor, number // factor
    return None


def _tried(number: int) -> int:
    """The largest divisor that is tried on a number; 0, where it is negative or too large."""
    return isqrt(number) if 0 <= number <= _LARGEST else 0


def common_factor(first: int, second: int) -> tuple[int, int, int] | None:
    """The greatest common factor of two numbers, if it is not 1, and what it leaves of them.

    >>> common_factor(4, -6), common_factor(2, 3)
    ((2, 2, -3), None)
    """
    factor = gcd(first, second)
    return (factor, first // factor, second // factor) if factor > 1 else None


def exact_root(number: int) -> tuple[int] | None:
    """The number that has this square, from 2 on.

    >>> exact_root(9), exact_root(8)
    ((3,), None)
    """
    root = isqrt(max(number, 0))
    return (root,) if root > 1 and root * root == number else None


def negated_root(number: int) -> tuple[int] | None:
    """The number whose square is minus this.

    >>> negated_root(-9)
    (3,)
    """
    return exact_root(-number)


def cube_root(number: int) -> tuple[int] | None:
    """The number, not -1, 0 or 1, that has this cube.

    >>> cube_root(-8), cube_root(9)
    ((-2,), None)
    """
    for root in range(2, 10):
        if root**3 == abs(number):
            return (root if number > 0 else -root,)
    return None


def square_factor(number: int) -> tuple[int, int] | None:
    """The largest number whose square divides this, and what the square leaves, both over 1.

    >>> square_factor(72), square_factor(6)
    ((6, 2), None)
    """
    for root in range(_tried(number), 1, -1):
        if number % (root * root) == 0 and number != root * root:
            return root, number // (root * root)
    return None


def perfect_power(number: int) -> tuple[int, int] | None:
    """The smallest base and the exponent, over 1, of which this is the power.

    >>> perfect_power(8), perfect_power(6)
    ((2, 3), None)
    """
    for base in range(2, _tried(number) + 1):
        power, exponent = base, 1
        while power < number:
            power, exponent = power * base, exponent + 1
        if power == number:
            return base, exponent
    return None


def roots_of_quadratic(linear: int, constant: int) -> tuple[int, int] | None:
    """Two numbers with this sum and this product: u**2 + linear*u + constant falls into factors.

    >>> roots_of_quadratic(5, 6), roots_of_quadratic(1, 1)
    ((2, 3), None)
    """
    discriminant = linear * linear - 4 * constant
    root = isqrt(max(discriminant, 0))
    if root * root != discriminant or constant == 0:
        return None
    return (linear - root) // 2, (linear + root) // 2


def half_of_square(linear: int, constant: int) -> tuple[int] | None:
    """The number whose double and whose square these are.

    >>> half_of_square(6, 9), half_of_square(6, 8)
    ((3,), None)
    """
    return (linear // 2,) if linear and linear * linear == 4 * constant else None


def mixed_number(numerator: int, denominator: int) -> tuple[int, int] | None:
    """The whole part of a fraction over 1, and the numerator of the rest.

    >>> mixed_number(7, 2), mixed_number(1, 2)
    ((3, 1), None)
    """
    if denominator < 2 or numerator < denominator or numerator % denominator == 0:
        return None
    return numerator // denominator, numerator % denominator
