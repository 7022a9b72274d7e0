"""Exact values, and numbers written in other ways."""

from __future__ import annotations

from equivec.algebra.rules.integers import (
    cube_root,
    exact_root,
    factor_pair,
    mixed_number,
    perfect_power,
)
from equivec.algebra.rules.row import Rule, Search, family

EXACT_VALUES = family(
    "exact values",
    """
    sine of an eighth of a turn | sin(pi/4) = sqrt(2)/2
    sine of a twelfth of a turn | sin(pi/6) = 1/2
    sine of a sixth of a turn | sin(pi/3) = sqrt(3)/2
    sine of a quarter turn | sin(pi/2) -> 1
    sine of half a turn | sin(pi) -> 0
    sine of half turns | sin(n*pi) -> 0
    sine of a third of a turn | sin(2*pi/3) = sqrt(3)/2
    sine of three eighths of a turn | sin(3*pi/4) = sqrt(2)/2
    sine of five twelfths of a turn | sin(5*pi/6) = 1/2
    sine of a 24th of a turn | sin(pi/12) = (sqrt(6) - sqrt(2))/4
    cosine of an eighth of a turn | cos(pi/4) = sqrt(2)/2
    cosine of a sixth of a turn | cos(pi/3) = 1/2
    cosine of a twelfth of a turn | cos(pi/6) = sqrt(3)/2
    cosine of a quarter turn | cos(pi/2) -> 0
    cosine of half a turn | cos(pi) -> -1
    cosine of turns | cos(n*pi) -> 1 | even n
    cosine of turns and a half | cos(n*pi) -> -1 | odd n
    cosine of a third of a turn | cos(2*pi/3) = -1/2
    cosine of three eighths of a turn | cos(3*pi/4) -> -sqrt(2)/2
    cosine of a tenth of a turn | cos(pi/5) = (1 + sqrt(5))/4
    cosine of a fifth of a turn | cos(2*pi/5) = (sqrt(5) - 1)/4
    cosine of a 24th of a turn | cos(pi/12) = (sqrt(6) + sqrt(2))/4
    cosine of a 16th of a turn | cos(pi/8) = sqrt(2 + sqrt(2))/2
    tangent of an eighth of a turn | tan(pi/4) -> 1
    tangent of a sixth of a turn | tan(pi/3) = sqrt(3)
    tangent of a twelfth of a turn | tan(pi/6) = sqrt(3)/3
    tangent of a twelfth of a turn, unrationalised | tan(pi/6) = 1/sqrt(3)
    tangent of half turns | tan(n*pi) -> 0
    tangent of half a turn | tan(pi) -> 0
    tangent of a 24th of a turn | tan(pi/12) = 2 - sqrt(3)
    tangent of a 16th of a turn | tan(pi/8) = sqrt(2) - 1
    cotangent of an eighth of a turn | cot(pi/4) -> 1
    cotangent of a twelfth of a turn | cot(pi/6) = sqrt(3)
    secant of a sixth of a turn | sec(pi/3) -> 2
    secant of an eighth of a turn | sec(pi/4) = sqrt(2)
    cosecant of a twelfth of a turn | csc(pi/6) -> 2
    cosecant of an eighth of a turn | csc(pi/4) = sqrt(2)
    asin of one | asin(1) = pi/2
    asin of a half | asin(1/2) = pi/6
    asin of half the root of two | asin(sqrt(2)/2) = pi/4
    asin of half the root of three | asin(sqrt(3)/2) = pi/3
    acos of zero | acos(0) -> pi/2
    acos of a half | acos(1/2) = pi/3
    acos of minus one | acos(-1) = pi
    acos of minus a half | acos(-1/2) = 2*pi/3
    acos of half the root of two | acos(sqrt(2)/2) = pi/4
    acos of half the root of three | acos(sqrt(3)/2) = pi/6
    atan of one | atan(1) = pi/4
    four times atan of one | 4*atan(1) = pi
    twice asin of one | 2*asin(1) = pi
    atan of the root of three | atan(sqrt(3)) = pi/3
    atan of a third of the root of three | atan(sqrt(3)/3) = pi/6
    atan of one by the root of three | atan(1/sqrt(3)) = pi/6
    atan of the root of two less one | atan(sqrt(2) - 1) = pi/8
    acot of one | acot(1) = pi/4
    acot of zero | acot(0) -> pi/2
    asec of two | asec(2) = pi/3
    acsc of two | acsc(2) = pi/6
    atan of a half and of a third | atan(1/2) + atan(1/3) = pi/4
    Machin's formula | 4*atan(1/5) - atan(1/239) = pi/4
    atan of two and of three | atan(2) + atan(3) = 3*pi/4
    logarithm of e | log(e) -> 1
    logarithm of an integer's reciprocal | log(1/m) = -log(m) | m>1
    logarithm of the root of an integer | log(sqrt(n)) = log(n)/2 | n>1
    sinh of the logarithm of two | sinh(log(2)) = 3/4
    cosh of the logarithm of two | cosh(log(2)) = 5/4
    tanh of the logarithm of two | tanh(log(2)) = 3/5
    asinh of one | asinh(1) = log(1 + sqrt(2))
    acosh of two | acosh(2) = log(2 + sqrt(3))
    atanh of a half | atanh(1/2) = log(3)/2
    cosh of one | cosh(1) = (e + 1/e)/2
    sinh of one | sinh(1) = (e - 1/e)/2
    tanh of one | tanh(1) = (e**2 - 1)/(e**2 + 1)
    exponential of an integer | exp(n) = e**n
    root of a half | sqrt(1/2) = sqrt(2)/2
    one by the root of two | 1/sqrt(2) = sqrt(2)/2
    one by the root of three | 1/sqrt(3) = sqrt(3)/3
    square of the root of an integer | sqrt(n)**2 -> n | n>1
    product of roots of integers | sqrt(m)*sqrt(n) -> sqrt(m*n) | m>1, n>1
    quotient of roots of integers | sqrt(m)/sqrt(n) -> sqrt(m/n) | m>1, n>1
    golden ratio squared | ((1 + sqrt(5))/2)**2 = (3 + sqrt(5))/2
    golden ratio inverted | 2/(1 + sqrt(5)) = (sqrt(5) - 1)/2
    """,
)

SPELLING_OF_NUMBERS = (
    Rule(
        "composite number as a product",
        "spelling of numbers",
        "n",
        "p*q",
        two_way=False,
        search=Search("n", "p q", factor_pair),
        spelled=True,
    ),
    Rule(
        "square number as a square",
        "spelling of numbers",
        "n",
        "p**2",
        two_way=False,
        search=Search("n", "p", exact_root),
        spelled=True,
    ),
    Rule(
        "cube number as a cube",
        "spelling of numbers",
        "n",
        "p**3",
        two_way=False,
        search=Search("n", "p", cube_root),
        spelled=True,
    ),
    Rule(
        "perfect power as a power",
        "spelling of numbers",
        "n",
        "p**q",
        two_way=False,
        search=Search("n", "p q", perfect_power),
        spelled=True,
    ),
    Rule(
        "number as one more than the one before",
        "spelling of numbers",
        "n",
        "p + 1",
        guards="n>1",
        two_way=False,
        search=Search("n", "p", lambda number: (number - 1,)),
        spelled=True,
    ),
    Rule(
        "number as one less than the next",
        "spelling of numbers",
        "n",
        "p + (-1)",
        guards="n>1",
        two_way=False,
        search=Search("n", "p", lambda number: (number + 1,)),
        spelled=True,
    ),
    Rule(
        "fraction over one as a mixed number",
        "spelling of numbers",
        "k/m",
        "p + q/m",
        two_way=False,
        search=Search("k m", "p q", mixed_number),
        spelled=True,
    ),
    Rule(
        "fraction as a multiple of a unit fraction",
        "spelling of numbers",
        "k/m",
        "k*(1/m)",
        guards="k>1, m>1",
        two_way=False,
        spelled=True,
    ),
    Rule(
        "unit fraction as an inverse",
        "spelling of numbers",
        "1/m",
        "m**(-1)",
        guards="m>1",
        two_way=False,
        spelled=True,
    ),
    Rule(
        "fraction as a product with an inverse",
        "spelling of numbers",
        "k/m",
        "k*m**(-1)",
        guards="k!=1, m>1",
        two_way=False,
        spelled=True,
    ),
    *family(
        "spelling of numbers",
        """
        sum of integers | k + m -> k + m
        product of integers | k*m -> k*m
        power of integers | k**m -> k**m
        quotient of integers | k/m -> k/m | m!=0
        sum of fractions | k/m + p/q -> k/m + p/q
        product of fractions | (k/m)*(p/q) -> (k/m)*(p/q)
        integer and fraction | k + m/n -> k + m/n
        integer by fraction | k*(m/n) -> k*(m/n)
        """,
    ),
)

RULES = (*EXACT_VALUES, *SPELLING_OF_NUMBERS)
