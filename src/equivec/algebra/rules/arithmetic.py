"""Sums, products and quotients: order, signs, like terms, factors, fractions, special products."""

from __future__ import annotations

from equivec.algebra.rules.integers import (
    common_factor,
    cube_root,
    half_of_square,
    negated_root,
    roots_of_quadratic,
)
from equivec.algebra.rules.row import Rule, Search, family

ORDER = family(
    "order",
    """
    order of a sum | a + b -> b + a
    order of a product | a*b -> b*a
    grouping of a sum | (a + b) + c = a + (b + c)
    grouping of a product | (a*b)*c = a*(b*c)
    """,
)

SIGNS = family(
    "signs",
    """
    difference turned round | a - b = -(b - a)
    minus a sum | -(a + b) = -a - b
    minus in a first factor | (-a)*b = -(a*b)
    minus a difference as a factor | (a - b)*c = -((b - a)*c)
    product of two negatives | (-a)*(-b) -> a*b
    minus in a numerator | (-a)/b = -(a/b)
    minus in a denominator | a/(-b) = -(a/b)
    quotient of two negatives | (-a)/(-b) -> a/b
    denominator turned round | a/(b - c) = -(a/(c - b))
    numerator turned round | (a - b)/c = -((b - a)/c)
    quotient of differences turned round | (a - b)/(c - d) = (b - a)/(d - c)
    square of a negative | (-a)**2 -> a**2
    even power of a negative | (-a)**n -> a**n | even n
    odd power of a negative | (-a)**n = -a**n | odd n
    square of a difference turned round | (a - b)**2 = (b - a)**2
    even power of a difference turned round | (a - b)**n -> (b - a)**n | even n
    odd power of a difference turned round | (a - b)**n -> -(b - a)**n | odd n
    square of a negative multiple | (n*a)**2 -> ((-n)*a)**2 | n<0
    product of differences turned round | (a - b)*(c - d) = (b - a)*(d - c)
    """,
)

LIKE_TERMS = family(
    "like terms",
    """
    twice a term | a + a = 2*a
    a multiple and one more | k*a + a -> (k + 1)*a
    a multiple less one | k*a - a -> (k - 1)*a
    sum of multiples | k*a + m*a -> (k + m)*a
    one taken out of a multiple | n*a -> (n - 1)*a + a | n>2
    a multiple as a difference | n*a -> (n + 1)*a - a | n>1
    a multiple in two parts | n*a -> (n - 2)*a + 2*a | n>3
    a product and one more | b*a + a = (b + 1)*a
    a product less one | b*a - a = (b - 1)*a
    two halves | a/2 + a/2 = a
    a half and one | a + a/2 = 3*a/2
    a half taken away | a - a/2 = a/2
    fractions of a term | a/k + a/m -> (1/k + 1/m)*a | k!=0, m!=0
    a term and its fraction | a + a/m -> (1 + 1/m)*a | m!=0
    a term less itself | a - a -> 0 | total a
    a term taken from a sum | (a + b) - a -> b | total a
    a sum taken from its term | a - (a + b) -> -b | total a
    a difference taken from its term | a - (a - b) -> b | total a
    sum and difference | (a + b) + (a - b) -> 2*a | total b
    sum less difference | (a + b) - (a - b) -> 2*b | total a
    twice a half | 2*(a/2) = a
    twice a product | a*b + a*b = 2*a*b
    """,
)

DISTRIBUTION = (
    *family(
        "distribution",
        """
        product with a sum | a*(b + c) = a*b + a*c
        product with a difference | a*(b - c) = a*b - a*c
        product with one minus | a*(1 - b) = a - a*b
        product of two sums | (a + b)*(c + d) = a*c + a*d + b*c + b*d
        product of sums with a common term | (a + b)*(a + c) = a**2 + (b + c)*a + b*c
        product of linear factors | (a + k)*(a + m) -> a**2 + (k + m)*a + k*m
        quotient of a sum | (a + b)/c = a/c + b/c
        quotient of a difference | (a - b)/c = a/c - b/c
        common factor of square and term | a**2 + a = a*(a + 1)
        common factor of square less term | a**2 - a = a*(a - 1)
        common factor of term less square | a - a**2 = a*(1 - a)
        common factor of square and product | a**2 + a*b = a*(a + b)
        common factor of square less product | a**2 - a*b = a*(a - b)
        common factor of cube and square | a**3 + a**2 = a**2*(a + 1)
        common factor of cube less square | a**3 - a**2 = a**2*(a - 1)
        common factor of cube and term | a**3 + a = a*(a**2 + 1)
        common factor of cube less term | a**3 - a = a*(a**2 - 1)
        common factor of fourth power and square | a**4 + a**2 = a**2*(a**2 + 1)
        common factor of fourth power less square | a**4 - a**2 = a**2*(a**2 - 1)
        first of two terms taken out | a + b = a*(1 + b/a) | nonzero a
        multiple of a sum with one | n*(a + 1) -> n*a + n
        half of a sum with a multiple | (n*a + b)/n = a + b/n | n!=0
        one more times itself | a*(a + 1) + (a + 1) -> (a + 1)**2
        """,
    ),
    Rule(
        "common factor of integers",
        "distribution",
        "k*a + m",
        "n*(p*a + q)",
        two_way=False,
        search=Search("k m", "n p q", common_factor),
    ),
    Rule(
        "common factor of multiples",
        "distribution",
        "k*a + m*b",
        "n*(p*a + q*b)",
        two_way=False,
        search=Search("k m", "n p q", common_factor),
    ),
)

DIVISION = family(
    "division",
    """
    quotient as a product with a power | a/b = a*b**(-1)
    quotient as a product with a reciprocal | a/b = a*(1/b)
    reciprocal as a power | 1/a = a**(-1)
    reciprocal of a square as a power | 1/a**2 = a**(-2)
    reciprocal of a cube as a power | 1/a**3 = a**(-3)
    reciprocal of a power as a power | 1/a**n -> a**(-n) | n>1
    negative power as a reciprocal | a**n -> 1/a**(-n) | n<0
    quotient by a power | a/b**n -> a*b**(-n) | n>0
    product with a negative power | a*b**n -> a/b**(-n) | n<0
    quotient as the inverse of its inverse | a/b = (b/a)**(-1) | nonzero a
    quotient as one over its inverse | a/b = 1/(b/a) | nonzero a
    one over a quotient | 1/(a/b) -> b/a | nonzero b
    inverse of a quotient | (a/b)**(-1) -> b/a | nonzero b
    one over a reciprocal | 1/(1/a) -> a | nonzero a
    inverse of an inverse | (a**(-1))**(-1) -> a | nonzero a
    inverse of a product | (a*b)**(-1) = a**(-1)*b**(-1)
    reciprocal of a product | 1/(a*b) = (1/a)*(1/b)
    division by a quotient | a/(b/c) = a*c/b | nonzero c
    division of a quotient | (a/b)/c = a/(b*c)
    order of two divisions | (a/b)/c = (a/c)/b
    product with a quotient | a*(b/c) = a*b/c
    product of quotients | (a/b)*(c/d) = (a*c)/(b*d)
    quotient of quotients | (a/b)/(c/d) = (a*d)/(b*c) | nonzero d
    common factor of a quotient | (a*b)/(c*b) -> a/c | nonzero b, total b
    quotient widened by two | a/b = (2*a)/(2*b)
    a term by itself | a/a -> 1 | nonzero a, total a
    a term by its reciprocal | a*(1/a) -> 1 | nonzero a, total a
    a term by its inverse | a*a**(-1) -> 1 | nonzero a, total a
    a product by its factor | (a*b)/a -> b | nonzero a, total a
    a factor by its product | a/(a*b) -> 1/b | nonzero a, total a
    a term by its quotient | a*(b/a) -> b | nonzero a, total a
    a square by its root | a**2/a = a | nonzero a
    a term by its square | a/a**2 = 1/a
    a cube by its square | a**3/a**2 -> a | nonzero a
    division by an integer | a/m -> (1/m)*a | m!=0
    multiple of a fraction | (k/m)*a = k*a/m | m!=0
    multiple of a reciprocal | k*(1/a) = k/a
    multiple in a denominator | a/(k*b) = (1/k)*(a/b) | k!=0
    """,
)

FRACTIONS = family(
    "fractions",
    """
    sum by its first term | (a + b)/a = 1 + b/a
    difference by its first term | (a - b)/a = 1 - b/a
    difference by its last term | (b - a)/a = b/a - 1
    first term by its sum | a/(a + b) = 1/(1 + b/a) | nonzero a
    first term by its sum, as a complement | a/(a + b) = 1 - b/(a + b)
    term by one more | a/(a + 1) = 1 - 1/(a + 1)
    term by one less | a/(a - 1) = 1 + 1/(a - 1)
    term by one minus it | a/(1 - a) = 1/(1 - a) - 1
    one more by one less | (a + 1)/(a - 1) = 1 + 2/(a - 1)
    one less by one more | (a - 1)/(a + 1) = 1 - 2/(a + 1)
    one minus by one plus | (1 - a)/(1 + a) = 2/(1 + a) - 1
    one plus by one minus | (1 + a)/(1 - a) = 2/(1 - a) - 1
    sum by difference | (a + b)/(a - b) = 1 + 2*b/(a - b)
    difference by sum | (a - b)/(a + b) = 1 - 2*b/(a + b)
    linear by linear | (a + k)/(a + m) -> 1 + (k - m)/(a + m) | k!=m
    term by linear | a/(a + m) -> 1 - m/(a + m)
    linear by term | (a + k)/a -> 1 + k/a
    quotient and term | a/b + c = (a + b*c)/b
    quotient less term | a/b - c = (a - b*c)/b
    term less quotient | c - a/b = (b*c - a)/b
    reciprocal and term | 1/a + b = (1 + a*b)/a
    sum of quotients | a/b + c/d = (a*d + b*c)/(b*d)
    difference of quotients | a/b - c/d = (a*d - b*c)/(b*d)
    sum of reciprocals | 1/a + 1/b = (a + b)/(a*b)
    difference of reciprocals | 1/a - 1/b = (b - a)/(a*b)
    one and a reciprocal | 1 + 1/a = (a + 1)/a
    one less a reciprocal | 1 - 1/a = (a - 1)/a
    term and its reciprocal | a + 1/a = (a**2 + 1)/a
    term less its reciprocal | a - 1/a = (a**2 - 1)/a
    reciprocal of a sum of reciprocals | 1/(1/a + 1/b) = a*b/(a + b) | nonzero a b
    one over one and a reciprocal | 1/(1 + 1/a) = a/(a + 1) | nonzero a
    one over one less a reciprocal | 1/(1 - 1/a) = a/(a - 1) | nonzero a
    one over a term and a reciprocal | 1/(a + 1/b) = b/(a*b + 1) | nonzero b
    term by one and a reciprocal | a/(1 + 1/a) = a**2/(a + 1) | nonzero a
    quotient of one and less a reciprocal | (1 + 1/a)/(1 - 1/a) = (a + 1)/(a - 1) | nonzero a
    halves of sum and difference | (a + b)/2 + (a - b)/2 -> a | total b
    mean of two | (a + b)/2 = a/2 + b/2
    reciprocal of a term and its reciprocal | 1/(a + 1/a) = a/(a**2 + 1) | nonzero a
    """,
)

PARTIAL_FRACTIONS = family(
    "partial fractions",
    """
    product with the next | 1/(a*(a + 1)) = 1/a - 1/(a + 1)
    product with the one before | 1/(a*(a - 1)) = 1/(a - 1) - 1/a
    square and term in a denominator | 1/(a**2 + a) = 1/a - 1/(a + 1)
    product with a shifted term | 1/(a*(a + k)) -> (1/a - 1/(a + k))/k | k!=0
    product of linear denominators | 1/((a + k)*(a + m)) -> (1/(a + k) - 1/(a + m))/(m - k) | k!=m
    difference of linear reciprocals | 1/(a + k) - 1/(a + m) -> (m - k)/((a + k)*(a + m)) | k!=m
    square less one in a denominator | 1/(a**2 - 1) = (1/(a - 1) - 1/(a + 1))/2
    one less a square in a denominator | 1/(1 - a**2) = (1/(1 - a) + 1/(1 + a))/2
    term by its square less one | a/(a**2 - 1) = (1/(a - 1) + 1/(a + 1))/2
    difference of squares in a denominator | 1/(a**2 - b**2) = (1/(a - b) - 1/(a + b))/(2*b)
        | nonzero b
    term by a square of one more | a/(a + 1)**2 = 1/(a + 1) - 1/(a + 1)**2
    product with square and one | 1/(a*(a**2 + 1)) = 1/a - a/(a**2 + 1)
    product of square and the next | 1/(a**2*(a + 1)) = 1/a**2 - 1/a + 1/(a + 1)
    square by square and one | a**2/(a**2 + 1) = 1 - 1/(a**2 + 1)
    square by the next | a**2/(a + 1) = a - 1 + 1/(a + 1)
    square by the one before | a**2/(a - 1) = a + 1 + 1/(a - 1)
    cube by square and one | a**3/(a**2 + 1) = a - a/(a**2 + 1)
    sum of reciprocals about one | 1/(1 - a) + 1/(1 + a) = 2/(1 - a**2)
    difference of reciprocals about a term | 1/(a - 1) - 1/(a + 1) = 2/(a**2 - 1)
    next by the square less one | (a + 1)/(a**2 - 1) -> 1/(a - 1) | varies a
    one before by the square less one | (a - 1)/(a**2 - 1) = 1/(a + 1) | varies a
    difference by the difference of squares | (a - b)/(a**2 - b**2) -> 1/(a + b) | nonzero a-b
    sum by the difference of squares | (a + b)/(a**2 - b**2) -> 1/(a - b) | nonzero a+b
    """,
)

BINOMIALS = family(
    "binomials",
    """
    square of a sum | (a + b)**2 = a**2 + 2*a*b + b**2
    square of a difference | (a - b)**2 = a**2 - 2*a*b + b**2
    square of one more | (a + 1)**2 = a**2 + 2*a + 1
    square of one less | (a - 1)**2 = a**2 - 2*a + 1
    square of a linear term | (a + k)**2 -> a**2 + (2*k)*a + k**2
    square of a multiple and one | (k*a + 1)**2 -> k**2*a**2 + (2*k)*a + 1
    cube of a sum | (a + b)**3 = a**3 + 3*a**2*b + 3*a*b**2 + b**3
    cube of a difference | (a - b)**3 = a**3 - 3*a**2*b + 3*a*b**2 - b**3
    cube of one more | (a + 1)**3 = a**3 + 3*a**2 + 3*a + 1
    cube of one less | (a - 1)**3 = a**3 - 3*a**2 + 3*a - 1
    cube of a sum, grouped | (a + b)**3 = a**3 + 3*a*b*(a + b) + b**3
    fourth power of a sum | (a + b)**4 = a**4 + 4*a**3*b + 6*a**2*b**2 + 4*a*b**3 + b**4
    fourth power of one more | (a + 1)**4 = a**4 + 4*a**3 + 6*a**2 + 4*a + 1
    fourth power of one less | (a - 1)**4 = a**4 - 4*a**3 + 6*a**2 - 4*a + 1
    square of a sum of reciprocals | (a + 1/a)**2 = a**2 + 2 + 1/a**2 | nonzero a
    square of a difference of reciprocals | (a - 1/a)**2 = a**2 - 2 + 1/a**2 | nonzero a
    square of a sum of three | (a + b + 1)**2 = a**2 + b**2 + 1 + 2*a*b + 2*a + 2*b
    """,
)

SPECIAL_PRODUCTS = family(
    "special products",
    """
    difference of squares | a**2 - b**2 = (a + b)*(a - b)
    square less one | a**2 - 1 = (a + 1)*(a - 1)
    one less a square | 1 - a**2 = (1 + a)*(1 - a)
    difference of fourth powers | a**4 - b**4 = (a**2 + b**2)*(a**2 - b**2)
    fourth power less one | a**4 - 1 = (a**2 + 1)*(a**2 - 1)
    one less a fourth power | 1 - a**4 = (1 + a**2)*(1 - a**2)
    difference of cubes | a**3 - b**3 = (a - b)*(a**2 + a*b + b**2)
    sum of cubes | a**3 + b**3 = (a + b)*(a**2 - a*b + b**2)
    cube less one | a**3 - 1 = (a - 1)*(a**2 + a + 1)
    cube and one | a**3 + 1 = (a + 1)*(a**2 - a + 1)
    one less a cube | 1 - a**3 = (1 - a)*(1 + a + a**2)
    sixth power less one | a**6 - 1 = (a**3 - 1)*(a**3 + 1)
    difference as a product of roots | a - b = (sqrt(a) - sqrt(b))*(sqrt(a) + sqrt(b))
        | nonnegative a b
    one less as a product of roots | a - 1 = (sqrt(a) - 1)*(sqrt(a) + 1) | nonnegative a
    squares of sum and difference, subtracted | (a + b)**2 - (a - b)**2 = 4*a*b
    squares of sum and difference, added | (a + b)**2 + (a - b)**2 = 2*(a**2 + b**2)
    square of a difference from that of a sum | (a + b)**2 - 4*a*b = (a - b)**2
    square of a sum from that of a difference | (a - b)**2 + 4*a*b = (a + b)**2
    sum of squares from the square of a sum | a**2 + b**2 = (a + b)**2 - 2*a*b
    sum of squares from the square of a difference | a**2 + b**2 = (a - b)**2 + 2*a*b
    square and its reciprocal | a**2 + 1/a**2 = (a + 1/a)**2 - 2
    square less its reciprocal | a**2 - 1/a**2 = (a + 1/a)*(a - 1/a)
    sum of fourth powers and four | a**4 + 4 = (a**2 + 2*a + 2)*(a**2 - 2*a + 2)
    fourth power, square and one | a**4 + a**2 + 1 = (a**2 + a + 1)*(a**2 - a + 1)
    product as a quarter of squares | a*b = ((a + b)**2 - (a - b)**2)/4
    neighbours of a term | (a + 1)*(a - 1) + 1 -> a**2
    squares of neighbours, subtracted | (a + 1)**2 - a**2 = 2*a + 1
    squares about a term, subtracted | (a + 1)**2 - (a - 1)**2 = 4*a
    product of conjugates with one | (1 + a)*(1 - a)*(1 + a**2) = 1 - a**4
    sum of cubes from the cube of a sum | a**3 + b**3 = (a + b)**3 - 3*a*b*(a + b)
    """,
)

COMPLETING_THE_SQUARE = family(
    "completing the square",
    """
    square and twice the term | a**2 + 2*a = (a + 1)**2 - 1
    square less twice the term | a**2 - 2*a = (a - 1)**2 - 1
    square and term | a**2 + a = (a + 1/2)**2 - 1/4
    square less term | a**2 - a = (a - 1/2)**2 - 1/4
    term less square | a - a**2 = 1/4 - (a - 1/2)**2
    square and multiple | a**2 + k*a -> (a + k/2)**2 - (k/2)**2 | k!=0
    square, multiple and integer | a**2 + k*a + m -> (a + k/2)**2 + (m - k**2/4) | k!=0
    square, term and integer | a**2 + a + m -> (a + 1/2)**2 + (m - 1/4)
    square and product | a**2 + 2*a*b = (a + b)**2 - b**2
    square, product and square | a**2 + a*b + b**2 = (a + b/2)**2 + 3*b**2/4
    multiple less a square | k*a - a**2 -> (k/2)**2 - (a - k/2)**2 | k!=0
    multiple of a square and term | n*a**2 + m*a -> n*(a + m/(2*n))**2 - m**2/(4*n) | n!=0, m!=0
    """,
)

GEOMETRIC_SUMS = family(
    "geometric sums",
    """
    geometric sum of two | 1 + a = (1 - a**2)/(1 - a) | varies a
    geometric sum of three | 1 + a + a**2 = (a**3 - 1)/(a - 1) | varies a
    geometric sum of three, turned round | 1 + a + a**2 = (1 - a**3)/(1 - a) | varies a
    geometric sum of four | 1 + a + a**2 + a**3 = (a**4 - 1)/(a - 1) | varies a
    geometric sum of four in factors | 1 + a + a**2 + a**3 = (1 + a)*(1 + a**2)
    alternating sum of three | 1 - a + a**2 = (a**3 + 1)/(a + 1) | varies a
    alternating sum of four | 1 - a + a**2 - a**3 = (1 - a)*(1 + a**2)
    square less one by one less | (a**2 - 1)/(a - 1) = a + 1 | varies a
    square less one by one more | (a**2 - 1)/(a + 1) = a - 1 | varies a
    difference of squares by difference | (a**2 - b**2)/(a - b) = a + b | nonzero a-b
    difference of squares by sum | (a**2 - b**2)/(a + b) = a - b | nonzero a+b
    difference of cubes by difference | (a**3 - b**3)/(a - b) = a**2 + a*b + b**2 | nonzero a-b
    sum of cubes by sum | (a**3 + b**3)/(a + b) = a**2 - a*b + b**2 | nonzero a+b
    fourth power less one by square less one | (a**4 - 1)/(a**2 - 1) = a**2 + 1 | varies a
    geometric sum by Horner's scheme | a**2 + a + 1 = a*(a + 1) + 1
    cubic by Horner's scheme | a**3 + a**2 + a = a*(a*(a + 1) + 1)
    """,
)

FACTORING = (
    Rule(
        "quadratic with integer roots",
        "factoring",
        "a**2 + k*a + m",
        "(a + p)*(a + q)",
        two_way=False,
        search=Search("k m", "p q", roots_of_quadratic),
    ),
    Rule(
        "quadratic with integer roots, term plain",
        "factoring",
        "a**2 + a + m",
        "(a + p)*(a + q)",
        two_way=False,
        search=Search("m", "p q", lambda constant: roots_of_quadratic(1, constant)),
    ),
    Rule(
        "quadratic with integer roots, term negative",
        "factoring",
        "a**2 - a + m",
        "(a + p)*(a + q)",
        two_way=False,
        search=Search("m", "p q", lambda constant: roots_of_quadratic(-1, constant)),
    ),
    Rule(
        "perfect square",
        "factoring",
        "a**2 + k*a + m",
        "(a + n)**2",
        two_way=False,
        search=Search("k m", "n", half_of_square),
    ),
    Rule(
        "square less a square number",
        "factoring",
        "a**2 + k",
        "(a - m)*(a + m)",
        two_way=False,
        search=Search("k", "m", negated_root),
    ),
    Rule(
        "cube and a cube number",
        "factoring",
        "a**3 + k",
        "(a + m)*(a**2 + (-m)*a + m**2)",
        two_way=False,
        search=Search("k", "m", cube_root),
    ),
    *family(
        "factoring",
        """
        square and multiple in factors | a**2 + k*a = a*(a + k)
        multiples of square and term | k*a**2 + k*a = k*a*(a + 1)
        powers with a common square | a**n + a**2 -> a**2*(a**(n - 2) + 1) | n>2
        powers with a common term | a**n + a -> a*(a**(n - 1) + 1) | n>2
        powers with a common term, subtracted | a**n - a -> a*(a**(n - 1) - 1) | n>2
        quadratic two, five, two | 2*a**2 + 5*a + 2 = (2*a + 1)*(a + 2)
        quadratic two, three, one | 2*a**2 + 3*a + 1 = (2*a + 1)*(a + 1)
        four squares less one | 4*a**2 - 1 = (2*a - 1)*(2*a + 1)
        quadratic in two terms | a**2 + 3*a*b + 2*b**2 = (a + b)*(a + 2*b)
        """,
    ),
)

RULES = (
    *ORDER,
    *SIGNS,
    *LIKE_TERMS,
    *DISTRIBUTION,
    *DIVISION,
    *FRACTIONS,
    *PARTIAL_FRACTIONS,
    *BINOMIALS,
    *SPECIAL_PRODUCTS,
    *COMPLETING_THE_SQUARE,
    *GEOMETRIC_SUMS,
    *FACTORING,
)
