"""Powers, roots, nested radicals, rationalised denominators, absolute values and signs."""

from __future__ import annotations

from equivec.algebra.rules.integers import factor_pair, perfect_power, square_factor
from equivec.algebra.rules.row import Rule, Search, family

POWERS = (
    *family(
        "powers",
        """
        square as a product | a*a = a**2
        cube as a product | a*a**2 = a**3
        fourth power as a product of squares | a**2*a**2 = a**4
        fourth power as a square of a square | (a**2)**2 = a**4
        term by its power | a*a**n -> a**(n + 1) | n!=-1
        product of natural powers | a**m*a**n -> a**(m + n) | m>0, n>0
        one taken out of a power | a**n -> a*a**(n - 1) | n>2
        two taken out of a power | a**n -> a**2*a**(n - 2) | n>3
        quotient of powers, larger above | a**m/a**n -> a**(m - n) | n>0, m>n, nonzero a
        quotient of powers, larger below | a**m/a**n -> 1/a**(n - m) | m>0, n>m
        power by its base | a**n/a -> a**(n - 1) | n>1, nonzero a
        base by its power | a/a**n -> 1/a**(n - 1) | n>1
        power as a quotient | a**n -> a**(n + 1)/a | n>1, nonzero a
        natural power of a natural power | (a**m)**n -> a**(m*n) | m>0, n>0
        even power as a power of a square | a**n -> (a**2)**(n/2) | even n, n>2
        even power as a square | a**n -> (a**(n/2))**2 | even n, n>2
        product of powers | a**b*a**c = a**(b + c) | positive a
        power and one more | a*a**b = a**(b + 1) | positive a
        quotient of powers | a**b/a**c = a**(b - c) | positive a
        power and one less | a**b/a = a**(b - 1) | positive a
        one less a power | a/a**b = a**(1 - b) | positive a
        power of a power | (a**b)**c = a**(b*c) | positive a
        power of a quotient exponent | a**(b/c) = (a**b)**(1/c) | positive a
        power of a product | (a*b)**c = a**c*b**c | positive a b
        integer power of a product | (a*b)**n = a**n*b**n
        power of a quotient | (a/b)**c = a**c/b**c | positive a b
        integer power of a quotient | (a/b)**n = a**n/b**n
        power of a reciprocal | (1/a)**n = 1/a**n | n>0
        power of a reciprocal, any exponent | (1/a)**b = a**(-b) | positive a
        negative exponent | a**(-b) = 1/a**b | positive a
        negative integer power of a quotient | (a/b)**n -> (b/a)**(-n) | n<0, nonzero b
        even exponent | a**(2*b) = (a**b)**2 | positive a
        product with a negative square | a*b**(-2) = a/b**2
        four to a power | 4**a = 2**(2*a)
        eight to a power | 8**a = 2**(3*a)
        nine to a power | 9**a = 3**(2*a)
        a half to a power | (1/2)**a = 2**(-a)
        twice a power of two | 2*2**a = 2**(a + 1)
        two equal powers of two | 2**a + 2**a -> 2**(a + 1)
        square of two to a power | (2**a)**2 = 4**a
        square of three to a power | (3**a)**2 = 9**a
        square of a multiple | (k*a)**2 -> k**2*a**2
        square of a half | (a/2)**2 = a**2/4
        cube of a double | (2*a)**3 = 8*a**3
        square of a fraction | (a/m)**2 -> a**2/m**2 | m!=0
        """,
    ),
    Rule(
        "power of a perfect power",
        "powers",
        "n**a",
        "p**(q*a)",
        two_way=False,
        search=Search("n", "p q", perfect_power),
    ),
    Rule(
        "power of a composite number",
        "powers",
        "n**a",
        "p**a*q**a",
        two_way=False,
        search=Search("n", "p q", factor_pair),
    ),
)

ROOTS = (
    *family(
        "roots",
        """
        root as a power | sqrt(a) = a**(1/2)
        reciprocal root as a power | 1/sqrt(a) = a**(-1/2)
        reciprocal root as an inverse | 1/sqrt(a) = sqrt(a)**(-1)
        root of a root | sqrt(sqrt(a)) = a**(1/4)
        power three halves | a**(3/2) = a*sqrt(a)
        power three halves as a cube | a**(3/2) = sqrt(a)**3
        power three halves as a root | a**(3/2) = sqrt(a**3)
        power five halves | a**(5/2) = a**2*sqrt(a)
        power of halves | a**(k/2) -> sqrt(a)**k | odd k
        root of a product | sqrt(a*b) = sqrt(a)*sqrt(b) | positive a
        root of a quotient, numerator positive | sqrt(a/b) = sqrt(a)/sqrt(b) | positive a
        root of a quotient, denominator positive | sqrt(a/b) = sqrt(a)/sqrt(b) | positive b
        root of a reciprocal | sqrt(1/a) = 1/sqrt(a)
        root of an inverse | sqrt(a**(-1)) = 1/sqrt(a)
        root of a square | sqrt(a**2) = abs(a)
        root of a nonnegative square | sqrt(a**2) = a | nonnegative a
        square of a root | sqrt(a)**2 = a | nonnegative a
        root by itself | sqrt(a)*sqrt(a) = a | nonnegative a
        root of a fourth power | sqrt(a**4) = a**2
        root of an even power | sqrt(a**n) -> abs(a**(n/2)) | even n
        root of a cube | sqrt(a**3) = a*sqrt(a)
        root of a fifth power | sqrt(a**5) = a**2*sqrt(a)
        cube of a root | sqrt(a)**3 = a*sqrt(a)
        fourth power of a root | sqrt(a)**4 = a**2 | nonnegative a
        even power of a root | sqrt(a)**n -> a**(n/2) | even n, nonnegative a
        factor taken under a root | a*sqrt(b) = sqrt(a**2*b) | positive a
        root of a power | sqrt(a**b) = a**(b/2) | positive a
        factor over a root | a/sqrt(b) = sqrt(a**2/b) | positive a
        root over a factor | sqrt(a)/b = sqrt(a/b**2) | positive b
        square taken out of a root | sqrt(a**2*b) = abs(a)*sqrt(b) | nonzero a
        term by its root | a/sqrt(a) = sqrt(a) | nonzero a
        root by its term | sqrt(a)/a = 1/sqrt(a)
        quotient by a root | b/sqrt(a) = b*sqrt(a)/a
        root of a quotient, denominator made rational | sqrt(a/b) = sqrt(a*b)/abs(b)
        root of a quotient, positive denominator made rational | sqrt(a/b) = sqrt(a*b)/b
            | positive b
        root of a quarter | sqrt(a/4) = sqrt(a)/2
        root of a multiple of four | sqrt(4*a) = 2*sqrt(a)
        root of a multiple of nine | sqrt(9*a) = 3*sqrt(a)
        roots of sum and difference | sqrt(a + b)*sqrt(a - b) = sqrt(a**2 - b**2) | positive a b
        roots of neighbours | sqrt(a + 1)*sqrt(a - 1) = sqrt(a**2 - 1) | nonnegative a
        roots about one | sqrt(1 + a)*sqrt(1 - a) = sqrt(1 - a**2)
        quotient of roots about one | sqrt(1 - a)/sqrt(1 + a) = sqrt((1 - a)/(1 + a))
        quotient about one, made rational | sqrt((1 - a)/(1 + a)) = sqrt(1 - a**2)/(1 + a)
        quotient about one, numerator rational | sqrt((1 + a)/(1 - a)) = (1 + a)/sqrt(1 - a**2)
            | varies a
        common factor in a root | sqrt(a**2 + a**2*b**2) = abs(a)*sqrt(1 + b**2) | nonzero a
        quotient in a root of squares | sqrt(1 + b**2/a**2) = sqrt(a**2 + b**2)/abs(a)
        root of a sum with a reciprocal square | sqrt(1 + 1/a**2) = sqrt(a**2 + 1)/abs(a)
        root of one less a reciprocal square | sqrt(1 - 1/a**2) = sqrt(a**2 - 1)/abs(a)
        root of a sum taken out | sqrt(a**2 + b) = a*sqrt(1 + b/a**2) | positive a
        root of term and square | sqrt(a**2 + a) = sqrt(a)*sqrt(a + 1) | positive a
        cube root of a cube | (a**3)**(1/3) = a | nonnegative a
        cube of a cube root | (a**(1/3))**3 -> a | nonnegative a
        sixth root | sqrt(a**(1/3)) = a**(1/6)
        """,
    ),
    Rule(
        "root of an integer with a square factor",
        "roots",
        "sqrt(n)",
        "p*sqrt(q)",
        two_way=False,
        search=Search("n", "p q", square_factor),
    ),
    Rule(
        "root of a multiple with a square factor",
        "roots",
        "sqrt(n*a)",
        "p*sqrt(q*a)",
        two_way=False,
        search=Search("n", "p q", square_factor),
    ),
    Rule(
        "root of a composite number",
        "roots",
        "sqrt(n)",
        "sqrt(p)*sqrt(q)",
        two_way=False,
        search=Search("n", "p q", factor_pair),
    ),
)

NESTED_RADICALS = family(
    "nested radicals",
    """
    root of a sum with a double root | sqrt(a + b + 2*sqrt(a*b)) = sqrt(a) + sqrt(b) | positive a b
    root of a sum less a double root | sqrt(a + b - 2*sqrt(a*b)) = abs(sqrt(a) - sqrt(b))
        | positive a b
    root of one more with a double root | sqrt(a + 1 + 2*sqrt(a)) = sqrt(a) + 1
    root of one more less a double root | sqrt(a + 1 - 2*sqrt(a)) = abs(sqrt(a) - 1)
    root of a term with a double root | sqrt(a + 2*sqrt(a - 1)) = sqrt(a - 1) + 1
    root of a term less a double root | sqrt(a - 2*sqrt(a - 1)) = abs(sqrt(a - 1) - 1)
    root of a term with a root of squares
        | sqrt(a + sqrt(a**2 - b**2)) = sqrt((a + b)/2) + sqrt((a - b)/2) | positive a b
    root of a term with a root of square less one
        | sqrt(a + sqrt(a**2 - 1)) = sqrt((a + 1)/2) + sqrt((a - 1)/2) | positive a
    root of a term less a root of square less one
        | sqrt(a - sqrt(a**2 - 1)) = sqrt((a + 1)/2) - sqrt((a - 1)/2) | positive a
    root of three and two roots of two | sqrt(3 + 2*sqrt(2)) = 1 + sqrt(2)
    root of three less two roots of two | sqrt(3 - 2*sqrt(2)) = sqrt(2) - 1
    root of four and two roots of three | sqrt(4 + 2*sqrt(3)) = 1 + sqrt(3)
    root of five and two roots of six | sqrt(5 + 2*sqrt(6)) = sqrt(2) + sqrt(3)
    root of two and the root of three | sqrt(2 + sqrt(3)) = (sqrt(6) + sqrt(2))/2
    root of two less the root of three | sqrt(2 - sqrt(3)) = (sqrt(6) - sqrt(2))/2
    root of a square and double | sqrt(a**2 + 2*a + 1) = abs(a + 1)
    root of a square less double | sqrt(a**2 - 2*a + 1) = abs(a - 1)
    root of a squared sum | sqrt(a**2 + 2*a*b + b**2) = abs(a + b)
    root of a squared difference | sqrt(a**2 - 2*a*b + b**2) = abs(a - b)
    square of a sum of roots | (sqrt(a) + sqrt(b))**2 = a + b + 2*sqrt(a)*sqrt(b) | positive a b
    square of a difference of roots | (sqrt(a) - sqrt(b))**2 = a + b - 2*sqrt(a)*sqrt(b)
        | positive a b
    square of a root and one | (sqrt(a) + 1)**2 = a + 2*sqrt(a) + 1
    square of a root less one | (sqrt(a) - 1)**2 = a - 2*sqrt(a) + 1
    root of a squared sum of reciprocals | sqrt(a**2 + 2 + 1/a**2) = abs(a + 1/a)
    """,
)

RATIONALISED = family(
    "rationalised denominators",
    """
    one over a sum of roots | 1/(sqrt(a) + sqrt(b)) = (sqrt(a) - sqrt(b))/(a - b) | nonzero a-b
    one over a difference of roots | 1/(sqrt(a) - sqrt(b)) = (sqrt(a) + sqrt(b))/(a - b)
        | nonzero a-b
    one over a root and one | 1/(sqrt(a) + 1) = (sqrt(a) - 1)/(a - 1) | varies a
    one over a root less one | 1/(sqrt(a) - 1) = (sqrt(a) + 1)/(a - 1) | varies a
    one over one less a root | 1/(1 - sqrt(a)) = (1 + sqrt(a))/(1 - a) | varies a
    one over a term and a root | 1/(a + sqrt(b)) = (a - sqrt(b))/(a**2 - b) | nonzero a**2-b
    one over a term less a root | 1/(a - sqrt(b)) = (a + sqrt(b))/(a**2 - b) | nonzero a**2-b
    one over roots of neighbours | 1/(sqrt(a + 1) + sqrt(a)) = sqrt(a + 1) - sqrt(a)
    one over roots of neighbours, subtracted | 1/(sqrt(a + 1) - sqrt(a)) = sqrt(a + 1) + sqrt(a)
    one over a term and the root of square and one | 1/(a + sqrt(a**2 + 1)) = sqrt(a**2 + 1) - a
    one over the root of square and one less a term | 1/(sqrt(a**2 + 1) - a) = sqrt(a**2 + 1) + a
    one over a term and the root of square less one | 1/(a + sqrt(a**2 - 1)) = a - sqrt(a**2 - 1)
    one over a term less the root of square less one | 1/(a - sqrt(a**2 - 1)) = a + sqrt(a**2 - 1)
    difference by a difference of roots | (a - b)/(sqrt(a) - sqrt(b)) -> sqrt(a) + sqrt(b)
        | nonzero a-b
    difference by a sum of roots | (a - b)/(sqrt(a) + sqrt(b)) = sqrt(a) - sqrt(b) | nonzero a
    one less by a root less one | (a - 1)/(sqrt(a) - 1) = sqrt(a) + 1 | varies a
    one less by a root and one | (a - 1)/(sqrt(a) + 1) = sqrt(a) - 1
    root and one by a root less one | (sqrt(a) + 1)/(sqrt(a) - 1) = (sqrt(a) + 1)**2/(a - 1)
        | varies a
    difference of roots of neighbours of one | sqrt(1 + a) - 1 = a/(sqrt(1 + a) + 1)
    root of square and one, less one | sqrt(a**2 + 1) - 1 = a**2/(sqrt(a**2 + 1) + 1)
    one over one and the root of two | 1/(1 + sqrt(2)) = sqrt(2) - 1
    one over two and the root of three | 1/(2 + sqrt(3)) = 2 - sqrt(3)
    one over a difference, by roots | 1/(a - b) = 1/((sqrt(a) - sqrt(b))*(sqrt(a) + sqrt(b)))
        | positive a b, nonzero a-b
    """,
)

ABSOLUTE_VALUES = family(
    "absolute values",
    """
    absolute value of a product | abs(a*b) = abs(a)*abs(b)
    absolute value of a quotient | abs(a/b) = abs(a)/abs(b)
    absolute value of a reciprocal | abs(1/a) = 1/abs(a)
    absolute value of a negative | abs(-a) = abs(a)
    absolute value of a multiple | abs(k*a) -> abs(k)*abs(a)
    absolute value of a difference turned round | abs(a - b) = abs(b - a)
    absolute value of minus a sum | abs(-a - b) -> abs(a + b)
    absolute value twice | abs(abs(a)) -> abs(a)
    absolute value of a nonnegative term | abs(a) = a | nonnegative a
    absolute value of a negative term | abs(a) -> -a | nonnegative -a
    square of an absolute value | abs(a)**2 = a**2
    even power of an absolute value | abs(a)**n -> a**n | even n
    absolute value of a power | abs(a**n) = abs(a)**n
    absolute value by itself | abs(a)*abs(a) -> a**2
    absolute value of a root of a square | abs(a) = (a**2)**(1/2)
    absolute value of a square | abs(a**2) -> a**2
    absolute value of a square less one | abs(a**2 - 1) = abs(a - 1)*abs(a + 1)
    absolute value of one less a square | abs(1 - a**2) -> abs(a**2 - 1)
    term by its absolute value | a/abs(a) = sign(a) | nonzero a
    absolute value by its term | abs(a)/a = sign(a) | nonzero a
    sign by term | sign(a)*a = abs(a)
    sign by absolute value | sign(a)*abs(a) -> a
    sign of a product | sign(a*b) = sign(a)*sign(b)
    sign of a quotient | sign(a/b) = sign(a)*sign(b) | nonzero b, total b
    sign of a negative | sign(-a) = -sign(a)
    sign of a positive term | sign(a) -> 1 | positive a, total a
    sign of a positive multiple | sign(a*b) -> sign(b) | positive a, total a
    square of a sign | sign(a)**2 -> 1 | nonzero a, total a
    sign of a cube | sign(a**3) = sign(a)
    sign of a difference turned round | sign(a - b) = -sign(b - a)
    sign of a sign | sign(sign(a)) -> sign(a)
    square of the absolute value, less | abs(a)**2 - abs(b)**2 -> a**2 - b**2
    """,
)

RULES = (*POWERS, *ROOTS, *NESTED_RADICALS, *RATIONALISED, *ABSOLUTE_VALUES)
