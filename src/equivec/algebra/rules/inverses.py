"""Inverse functions: of each other, in each other, of negatives, and as logarithms.

Rows that would widen the domain are not here: sin(asin(a)) is a only where a lies within one.
"""

from __future__ import annotations

from equivec.algebra.rules.row import family

FUNCTIONS_OF_INVERSES = family(
    "functions of inverses",
    """
    sin of asin | sin(asin(a)) -> a | within-one a
    cos of acos | cos(acos(a)) -> a | within-one a
    tan of atan | tan(atan(a)) = a
    cot of acot | cot(acot(a)) -> a | nonzero a
    sin of acos | sin(acos(a)) = sqrt(1 - a**2)
    cos of asin | cos(asin(a)) = sqrt(1 - a**2)
    tan of asin | tan(asin(a)) = a/sqrt(1 - a**2)
    tan of acos | tan(acos(a)) = sqrt(1 - a**2)/a
    cot of asin | cot(asin(a)) = sqrt(1 - a**2)/a
    cot of acos | cot(acos(a)) = a/sqrt(1 - a**2)
    sec of asin | sec(asin(a)) = 1/sqrt(1 - a**2)
    csc of acos | csc(acos(a)) = 1/sqrt(1 - a**2)
    sin of atan | sin(atan(a)) = a/sqrt(1 + a**2)
    cos of atan | cos(atan(a)) = 1/sqrt(1 + a**2)
    sec of atan | sec(atan(a)) = sqrt(1 + a**2)
    csc of atan | csc(atan(a)) = sqrt(1 + a**2)/a
    cot of atan | cot(atan(a)) = 1/a
    sin of acot | sin(acot(a)) = 1/sqrt(1 + a**2) | positive a
    cos of acot | cos(acot(a)) = a/sqrt(1 + a**2) | positive a
    tan of acot | tan(acot(a)) = 1/a
    sin of asec | sin(asec(a)) = sqrt(1 - 1/a**2)
    sin of asec, positive | sin(asec(a)) = sqrt(a**2 - 1)/a | positive a
    cos of acsc | cos(acsc(a)) = sqrt(1 - 1/a**2)
    cos of acsc, positive | cos(acsc(a)) = sqrt(a**2 - 1)/a | positive a
    tan of asec | tan(asec(a)) = sqrt(a**2 - 1) | positive a
    tan of acsc | tan(acsc(a)) = 1/sqrt(a**2 - 1) | positive a
    cot of asec | cot(asec(a)) = 1/sqrt(a**2 - 1) | positive a
    squared cos of atan | cos(atan(a))**2 = 1/(1 + a**2)
    squared sec of atan | sec(atan(a))**2 = 1 + a**2
    sin of twice asin | sin(2*asin(a)) = 2*a*sqrt(1 - a**2)
    sin of twice acos | sin(2*acos(a)) = 2*a*sqrt(1 - a**2)
    sin of twice atan | sin(2*atan(a)) = 2*a/(1 + a**2)
    cos of twice atan | cos(2*atan(a)) = (1 - a**2)/(1 + a**2)
    tan of twice atan | tan(2*atan(a)) = 2*a/(1 - a**2)
    tan of twice asin | tan(2*asin(a)) = 2*a*sqrt(1 - a**2)/(1 - 2*a**2)
    tan of half atan | tan(atan(a)/2) = a/(1 + sqrt(1 + a**2))
    tan of half atan, turned round | tan(atan(a)/2) = (sqrt(1 + a**2) - 1)/a | nonzero a
    tan of half asin | tan(asin(a)/2) = a/(1 + sqrt(1 - a**2))
    tan of half acos | tan(acos(a)/2) = sqrt((1 - a)/(1 + a)) | varies a
    sin of half acos | sin(acos(a)/2) = sqrt((1 - a)/2) | nonnegative a
    tan of a sum of atan | tan(atan(a) + atan(b)) = (a + b)/(1 - a*b)
    tan of a difference of atan | tan(atan(a) - atan(b)) = (a - b)/(1 + a*b)
    sin of a sum of asin | sin(asin(a) + asin(b)) = a*sqrt(1 - b**2) + b*sqrt(1 - a**2)
    sin of a sum with acos | sin(asin(a) + acos(b)) = a*b + sqrt(1 - a**2)*sqrt(1 - b**2)
    cos of a sum of acos | cos(acos(a) + acos(b)) = a*b - sqrt(1 - a**2)*sqrt(1 - b**2)
    sin of atan of a quotient | sin(atan(a/b)) = a/sqrt(a**2 + b**2) | positive b
    cos of atan of a quotient | cos(atan(a/b)) = b/sqrt(a**2 + b**2) | positive b
    """,
)

FUNCTIONS_OF_INVERSE_HYPERBOLICS = family(
    "functions of inverse hyperbolics",
    """
    sinh of asinh | sinh(asinh(a)) = a
    asinh of sinh | asinh(sinh(a)) -> a
    acosh of cosh | acosh(cosh(a)) = abs(a)
    atanh of tanh | atanh(tanh(a)) = a
    acoth of coth | acoth(coth(a)) -> a | nonzero a
    asech of sech | asech(sech(a)) = abs(a)
    acsch of csch | acsch(csch(a)) -> a | nonzero a
    csch of acsch | csch(acsch(a)) -> a | nonzero a
    cosh of asinh | cosh(asinh(a)) = sqrt(1 + a**2)
    tanh of asinh | tanh(asinh(a)) = a/sqrt(1 + a**2)
    coth of asinh | coth(asinh(a)) = sqrt(1 + a**2)/a
    sech of asinh | sech(asinh(a)) = 1/sqrt(1 + a**2)
    csch of asinh | csch(asinh(a)) = 1/a
    sinh of acosh | sinh(acosh(a)) = sqrt(a**2 - 1) | positive a
    tanh of acosh | tanh(acosh(a)) = sqrt(a**2 - 1)/a | positive a
    coth of acosh | coth(acosh(a)) = a/sqrt(a**2 - 1) | positive a
    csch of acosh | csch(acosh(a)) = 1/sqrt(a**2 - 1) | positive a
    sinh of atanh | sinh(atanh(a)) = a/sqrt(1 - a**2)
    cosh of atanh | cosh(atanh(a)) = 1/sqrt(1 - a**2)
    sech of atanh | sech(atanh(a)) = sqrt(1 - a**2) | varies a
    csch of atanh | csch(atanh(a)) = sqrt(1 - a**2)/a | varies a
    sinh of acoth | sinh(acoth(a)) = 1/sqrt(a**2 - 1) | positive a
    cosh of acoth | cosh(acoth(a)) = a/sqrt(a**2 - 1) | positive a
    sinh of acsch | sinh(acsch(a)) = 1/a
    cosh of acsch | cosh(acsch(a)) = sqrt(1 + 1/a**2)
    tanh of acsch | tanh(acsch(a)) = 1/sqrt(1 + a**2) | positive a
    sinh of asech | sinh(asech(a)) = sqrt(1 - a**2)/a | positive a
    tanh of asech | tanh(asech(a)) = sqrt(1 - a**2) | positive a
    sinh of twice asinh | sinh(2*asinh(a)) = 2*a*sqrt(1 + a**2)
    cosh of twice asinh | cosh(2*asinh(a)) = 1 + 2*a**2
    tanh of twice asinh | tanh(2*asinh(a)) = 2*a*sqrt(1 + a**2)/(1 + 2*a**2)
    sinh of twice acosh | sinh(2*acosh(a)) = 2*a*sqrt(a**2 - 1) | positive a
    tanh of half asinh | tanh(asinh(a)/2) = a/(1 + sqrt(1 + a**2))
    cosh of half acosh | cosh(acosh(a)/2) = sqrt((a + 1)/2) | above-one a
    sinh of half acosh | sinh(acosh(a)/2) = sqrt((a - 1)/2)
    sinh of a sum of asinh | sinh(asinh(a) + asinh(b)) = a*sqrt(1 + b**2) + b*sqrt(1 + a**2)
    exp of asinh | exp(asinh(a)) = a + sqrt(a**2 + 1)
    exp of minus asinh | exp(-asinh(a)) = sqrt(a**2 + 1) - a
    exp of acosh | exp(acosh(a)) = a + sqrt(a**2 - 1) | positive a
    exp of minus acosh | exp(-acosh(a)) = a - sqrt(a**2 - 1) | positive a
    exp of atanh | exp(atanh(a)) = sqrt((1 + a)/(1 - a)) | varies a
    """,
)

INVERSE_RELATIONS = family(
    "inverse relations",
    """
    asin by acos | asin(a) = pi/2 - acos(a)
    acos by asin | acos(a) = pi/2 - asin(a)
    asin and acos | asin(a) + acos(a) -> pi/2 | within-one a, total a
    atan by atan of the reciprocal | atan(a) = pi/2 - atan(1/a) | positive a
    atan and atan of the reciprocal | atan(a) + atan(1/a) -> pi/2 | positive a, total a
    atan and acot | atan(a) + acot(a) -> pi/2 | positive a, total a
    atan by acot | atan(a) = pi/2 - acot(a) | nonnegative a
    acot by atan | acot(a) = pi/2 - atan(a) | nonnegative a
    acot as atan of the reciprocal | acot(a) = atan(1/a) | nonzero a
    atan as acot of the reciprocal | atan(a) = acot(1/a) | nonzero a
    asec as acos of the reciprocal | asec(a) = acos(1/a)
    acsc as asin of the reciprocal | acsc(a) = asin(1/a)
    acos as asec of the reciprocal | acos(a) = asec(1/a) | nonzero a
    asin as acsc of the reciprocal | asin(a) = acsc(1/a) | nonzero a
    asec by acsc | asec(a) = pi/2 - acsc(a)
    acoth as atanh of the reciprocal | acoth(a) = atanh(1/a)
    asech as acosh of the reciprocal | asech(a) = acosh(1/a)
    acsch as asinh of the reciprocal | acsch(a) = asinh(1/a)
    atanh as acoth of the reciprocal | atanh(a) = acoth(1/a) | nonzero a
    acosh as asech of the reciprocal | acosh(a) = asech(1/a) | nonzero a
    asinh as acsch of the reciprocal | asinh(a) = acsch(1/a) | nonzero a
    atan as asin | atan(a) = asin(a/sqrt(1 + a**2))
    atan as acos | atan(a) = acos(1/sqrt(1 + a**2)) | nonnegative a
    asin as atan | asin(a) = atan(a/sqrt(1 - a**2)) | varies a
    acos as atan | acos(a) = atan(sqrt(1 - a**2)/a) | positive a
    asin as acos | asin(a) = acos(sqrt(1 - a**2)) | nonnegative a
    acos as asin | acos(a) = asin(sqrt(1 - a**2)) | nonnegative a
    acos as twice atan | acos(a) = 2*atan(sqrt((1 - a)/(1 + a))) | varies a
    asin as twice atan | asin(a) = 2*atan(a/(1 + sqrt(1 - a**2)))
    atan as twice atan | atan(a) = 2*atan(a/(1 + sqrt(1 + a**2)))
    asec as atan | asec(a) = atan(sqrt(a**2 - 1)) | positive a
    acsc as atan | acsc(a) = atan(1/sqrt(a**2 - 1)) | positive a, varies a
    twice acos | 2*acos(a) = acos(2*a**2 - 1) | nonnegative a
    twice asin | 2*asin(a) = acos(1 - 2*a**2) | nonnegative a
    twice asin of a root | 2*asin(sqrt(a)) = acos(1 - 2*a)
    asin of a root | asin(sqrt(a)) = acos(sqrt(1 - a))
    twice atan of a root | 2*atan(sqrt(a)) = acos((1 - a)/(1 + a))
    twice atan as acos | 2*atan(a) = acos((1 - a**2)/(1 + a**2)) | nonnegative a
    difference of two atan | atan(a) - atan(b) = atan((a - b)/(1 + a*b)) | positive a b
    atan of neighbours | atan(a + 1) - atan(a) = atan(1/(1 + a + a**2))
    atan less an eighth of a turn | atan(a) - pi/4 = atan((a - 1)/(a + 1)) | positive a
    atan of sinh | atan(sinh(a)) = asin(tanh(a))
    atan of sinh by a half | atan(sinh(a)) = 2*atan(tanh(a/2))
    atan of sinh by an exponential | atan(sinh(a)) = 2*atan(exp(a)) - pi/2
    atan of an exponential | atan(exp(a)) = pi/2 - atan(exp(-a))
    """,
)

INVERSE_PARITY = family(
    "inverse parity",
    "\n".join(
        f"""
        {f} of a negative | {f}(-a) = -{f}(a){guard}
        {f} of a difference turned round | {f}(a - b) = -{f}(b - a){turned}
        {f} of a negative multiple | {f}(n*a) -> -{f}((-n)*a) | n<0{"," if guard else ""}{guard[2:]}
        """
        for f, guard, turned in (
            ("asin", "", ""),
            ("atan", "", ""),
            ("acot", "| nonzero a", "| nonzero a-b"),
            ("acsc", "", ""),
            ("asinh", "", ""),
            ("atanh", "", ""),
            ("acoth", "", ""),
            ("acsch", "", ""),
        )
    )
    + """
    acos of a negative | acos(-a) = pi - acos(a)
    acos of a difference turned round | acos(a - b) = pi - acos(b - a)
    asec of a negative | asec(-a) = pi - asec(a)
    """,
)

INVERSE_HYPERBOLICS = family(
    "inverse hyperbolics",
    """
    asinh as a logarithm | asinh(a) = log(a + sqrt(a**2 + 1))
    acosh as a logarithm | acosh(a) = log(a + sqrt(a**2 - 1))
    acosh as a logarithm, roots apart | acosh(a) = log(a + sqrt(a - 1)*sqrt(a + 1))
    atanh as a logarithm | atanh(a) = log((1 + a)/(1 - a))/2
    atanh as logarithms | atanh(a) = (log(1 + a) - log(1 - a))/2
    acoth as a logarithm | acoth(a) = log((a + 1)/(a - 1))/2
    asech as a logarithm | asech(a) = log((1 + sqrt(1 - a**2))/a)
    acsch as a logarithm | acsch(a) = log(1/a + sqrt(1/a**2 + 1))
    half a logarithm of a quotient | (1/2)*log((1 + a)/(1 - a)) = atanh(a)
    logarithm of a quotient about one, as atanh | log((1 + a)/(1 - a)) = 2*atanh(a)
    logarithm of a root of a quotient, as atanh | log(sqrt((1 + a)/(1 - a))) = atanh(a)
    logarithm as atanh | log(a) = 2*atanh((a - 1)/(a + 1)) | positive a
    logarithm as asinh | log(a) = asinh((a**2 - 1)/(2*a)) | positive a
    asinh as atanh | asinh(a) = atanh(a/sqrt(1 + a**2))
    atanh as asinh | atanh(a) = asinh(a/sqrt(1 - a**2))
    acosh as asinh | acosh(a) = asinh(sqrt(a**2 - 1)) | positive a
    asinh as acosh | asinh(a) = acosh(sqrt(a**2 + 1)) | nonnegative a
    acosh as atanh | acosh(a) = atanh(sqrt(a**2 - 1)/a) | positive a
    acosh as twice asinh | acosh(a) = 2*asinh(sqrt((a - 1)/2))
    twice asinh | 2*asinh(a) = asinh(2*a*sqrt(1 + a**2))
    twice acosh | 2*acosh(a) = acosh(2*a**2 - 1) | positive a
    twice asinh as acosh | 2*asinh(a) = acosh(1 + 2*a**2) | nonnegative a
    """,
)

RULES = (
    *FUNCTIONS_OF_INVERSES,
    *FUNCTIONS_OF_INVERSE_HYPERBOLICS,
    *INVERSE_RELATIONS,
    *INVERSE_PARITY,
    *INVERSE_HYPERBOLICS,
)
