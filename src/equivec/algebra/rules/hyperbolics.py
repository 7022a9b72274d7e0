"""The hyperbolic functions, family by family, and their exponential forms."""

from __future__ import annotations

from equivec.algebra.rules.row import family

EXPONENTIAL_FORMS = family(
    "exponential forms",
    """
    hyperbolic sine by exponentials | sinh(a) = (exp(a) - exp(-a))/2
    hyperbolic cosine by exponentials | cosh(a) = (exp(a) + exp(-a))/2
    hyperbolic tangent by exponentials | tanh(a) = (exp(a) - exp(-a))/(exp(a) + exp(-a))
    hyperbolic cotangent by exponentials | coth(a) = (exp(a) + exp(-a))/(exp(a) - exp(-a))
    hyperbolic secant by exponentials | sech(a) = 2/(exp(a) + exp(-a))
    hyperbolic cosecant by exponentials | csch(a) = 2/(exp(a) - exp(-a))
    hyperbolic sine by one exponential | sinh(a) = (exp(2*a) - 1)/(2*exp(a))
    hyperbolic cosine by one exponential | cosh(a) = (exp(2*a) + 1)/(2*exp(a))
    hyperbolic tangent by one exponential | tanh(a) = (exp(2*a) - 1)/(exp(2*a) + 1)
    hyperbolic tangent by a decaying exponential | tanh(a) = (1 - exp(-2*a))/(1 + exp(-2*a))
    hyperbolic tangent as a complement | tanh(a) = 1 - 2/(exp(2*a) + 1)
    hyperbolic cotangent by one exponential | coth(a) = (exp(2*a) + 1)/(exp(2*a) - 1)
    hyperbolic secant by one exponential | sech(a) = 2*exp(a)/(exp(2*a) + 1)
    hyperbolic cosecant by one exponential | csch(a) = 2*exp(a)/(exp(2*a) - 1)
    sum of exponentials | exp(a) + exp(-a) = 2*cosh(a)
    difference of opposite exponentials | exp(a) - exp(-a) = 2*sinh(a)
    sum of an exponential and its reciprocal | exp(a) + 1/exp(a) = 2*cosh(a)
    exponential less its reciprocal | exp(a) - 1/exp(a) = 2*sinh(a)
    exponential by hyperbolics | exp(a) = cosh(a) + sinh(a)
    negative exponential by hyperbolics | exp(-a) = cosh(a) - sinh(a)
    power of a sum of hyperbolics | (cosh(a) + sinh(a))**b = cosh(a*b) + sinh(a*b)
    exponential of a double, less one | exp(2*a) - 1 = 2*exp(a)*sinh(a)
    exponential of a double, and one | exp(2*a) + 1 = 2*exp(a)*cosh(a)
    hyperbolic cotangent less one | coth(a) - 1 = 2/(exp(2*a) - 1)
    one less hyperbolic tangent | 1 - tanh(a) = 2/(exp(2*a) + 1)
    one and hyperbolic tangent | 1 + tanh(a) = 2/(1 + exp(-2*a))
    quotient about hyperbolic tangent | (1 + tanh(a))/(1 - tanh(a)) = exp(2*a)
    exponential by the tangent of its half | exp(a) = (1 + tanh(a/2))/(1 - tanh(a/2))
    exponential less one by its half | exp(a) - 1 = 2*exp(a/2)*sinh(a/2)
    exponential and one by its half | exp(a) + 1 = 2*exp(a/2)*cosh(a/2)
    """,
)

QUOTIENT = family(
    "hyperbolic quotient",
    """
    hyperbolic tangent as a quotient | tanh(a) = sinh(a)/cosh(a)
    hyperbolic cotangent as a quotient | coth(a) = cosh(a)/sinh(a)
    hyperbolic cotangent as a reciprocal | coth(a) = 1/tanh(a)
    hyperbolic tangent as a reciprocal | tanh(a) = 1/coth(a) | nonzero a
    hyperbolic secant as a reciprocal | sech(a) = 1/cosh(a)
    hyperbolic cosecant as a reciprocal | csch(a) = 1/sinh(a)
    hyperbolic secant as an inverse | sech(a) = cosh(a)**(-1)
    hyperbolic cosecant as an inverse | csch(a) = sinh(a)**(-1)
    hyperbolic cosine as a reciprocal | cosh(a) = 1/sech(a)
    hyperbolic sine as a reciprocal | sinh(a) = 1/csch(a) | nonzero a
    hyperbolic tangent as a product | tanh(a) = sinh(a)*sech(a)
    hyperbolic cotangent as a product | coth(a) = cosh(a)*csch(a)
    hyperbolic sine as a product | sinh(a) = tanh(a)*cosh(a)
    hyperbolic cosine as a product | cosh(a) = coth(a)*sinh(a) | nonzero a
    hyperbolic sine over tangent | sinh(a)/tanh(a) = cosh(a) | nonzero a
    hyperbolic tangent over sine | tanh(a)/sinh(a) = sech(a) | nonzero a
    hyperbolic tangent by cotangent | tanh(a)*coth(a) -> 1 | nonzero a, total a
    hyperbolic cosine by secant | cosh(a)*sech(a) -> 1 | total a
    hyperbolic sine by cosecant | sinh(a)*csch(a) -> 1 | nonzero a, total a
    squared hyperbolic secant as a reciprocal | sech(a)**2 = 1/cosh(a)**2
    squared hyperbolic cosecant as a reciprocal | csch(a)**2 = 1/sinh(a)**2
    squared hyperbolic tangent as a quotient | tanh(a)**2 = sinh(a)**2/cosh(a)**2
    """,
)

PYTHAGOREAN = family(
    "hyperbolic Pythagorean",
    """
    difference of hyperbolic squares | cosh(a)**2 - sinh(a)**2 -> 1 | total a
    one and squared hyperbolic sine | 1 + sinh(a)**2 = cosh(a)**2
    squared hyperbolic cosine less one | cosh(a)**2 - 1 = sinh(a)**2
    one less squared hyperbolic tangent | 1 - tanh(a)**2 = sech(a)**2
    one less squared hyperbolic tangent, by cosine | 1 - tanh(a)**2 = 1/cosh(a)**2
    one less squared hyperbolic secant | 1 - sech(a)**2 = tanh(a)**2
    squared hyperbolic cotangent less one | coth(a)**2 - 1 = csch(a)**2
    one and squared hyperbolic cosecant | 1 + csch(a)**2 = coth(a)**2
    hyperbolic cosine as a root | cosh(a) = sqrt(1 + sinh(a)**2)
    absolute hyperbolic sine | abs(sinh(a)) = sqrt(cosh(a)**2 - 1)
    hyperbolic secant as a root | sech(a) = sqrt(1 - tanh(a)**2)
    absolute hyperbolic tangent | abs(tanh(a)) = sqrt(1 - sech(a)**2)
    hyperbolic sum by difference | (cosh(a) + sinh(a))*(cosh(a) - sinh(a)) -> 1 | total a
    reciprocal of a hyperbolic sum | 1/(cosh(a) + sinh(a)) = cosh(a) - sinh(a)
    difference of hyperbolic fourth powers | cosh(a)**4 - sinh(a)**4 = cosh(2*a)
    hyperbolic tangent by sine | tanh(a) = sinh(a)/sqrt(1 + sinh(a)**2)
    squared hyperbolic sine in factors | sinh(a)**2 = (cosh(a) - 1)*(cosh(a) + 1)
    square of a hyperbolic sum | (sinh(a) + cosh(a))**2 = exp(2*a)
    """,
)

_ODD = ("sinh", "tanh", "coth", "csch")
_EVEN = ("cosh", "sech")

PARITY = family(
    "hyperbolic parity",
    "\n".join(
        f"""
        {f} of a negative | {f}(-a) = -{f}(a)
        {f} of a difference turned round | {f}(a - b) = -{f}(b - a)
        {f} of a negative multiple | {f}(n*a) -> -{f}((-n)*a) | n<0
        """
        for f in _ODD
    )
    + "\n".join(
        f"""
        {f} of a negative | {f}(-a) = {f}(a)
        {f} of a difference turned round | {f}(a - b) = {f}(b - a)
        {f} of a negative multiple | {f}(n*a) -> {f}((-n)*a) | n<0
        {f} of an absolute value | {f}(abs(a)) = {f}(a)
        """
        for f in _EVEN
    ),
)

SUM_AND_DIFFERENCE = family(
    "hyperbolic sum and difference",
    """
    hyperbolic sine of a sum | sinh(a + b) = sinh(a)*cosh(b) + cosh(a)*sinh(b)
    hyperbolic sine of a difference | sinh(a - b) = sinh(a)*cosh(b) - cosh(a)*sinh(b)
    hyperbolic cosine of a sum | cosh(a + b) = cosh(a)*cosh(b) + sinh(a)*sinh(b)
    hyperbolic cosine of a difference | cosh(a - b) = cosh(a)*cosh(b) - sinh(a)*sinh(b)
    hyperbolic tangent of a sum | tanh(a + b) = (tanh(a) + tanh(b))/(1 + tanh(a)*tanh(b))
    hyperbolic tangent of a difference | tanh(a - b) = (tanh(a) - tanh(b))/(1 - tanh(a)*tanh(b))
    hyperbolic cotangent of a sum | coth(a + b) = (1 + coth(a)*coth(b))/(coth(a) + coth(b))
        | nonzero a b
    hyperbolic sines of sum and difference | sinh(a + b)*sinh(a - b) = sinh(a)**2 - sinh(b)**2
    sum of hyperbolic tangents | tanh(a) + tanh(b) = sinh(a + b)/(cosh(a)*cosh(b))
    difference of hyperbolic tangents | tanh(a) - tanh(b) = sinh(a - b)/(cosh(a)*cosh(b))
    """,
)

MULTIPLE_ARGUMENTS = family(
    "hyperbolic double and half",
    """
    double argument of sinh | sinh(2*a) = 2*sinh(a)*cosh(a)
    double argument of cosh, by sinh | cosh(2*a) = 1 + 2*sinh(a)**2
    double argument of cosh, by cosh | cosh(2*a) = 2*cosh(a)**2 - 1
    double argument of cosh, by both | cosh(2*a) = cosh(a)**2 + sinh(a)**2
    double argument of tanh | tanh(2*a) = 2*tanh(a)/(1 + tanh(a)**2)
    double argument of coth | coth(2*a) = (coth(a)**2 + 1)/(2*coth(a)) | nonzero a
    double argument of sinh, by tanh | sinh(2*a) = 2*tanh(a)/(1 - tanh(a)**2)
    double argument of cosh, by tanh | cosh(2*a) = (1 + tanh(a)**2)/(1 - tanh(a)**2)
    product of sinh and cosh | sinh(a)*cosh(a) = sinh(2*a)/2
    one and cosh of a double | 1 + cosh(2*a) = 2*cosh(a)**2
    cosh of a double less one | cosh(2*a) - 1 = 2*sinh(a)**2
    triple argument of sinh | sinh(3*a) = 3*sinh(a) + 4*sinh(a)**3
    triple argument of cosh | cosh(3*a) = 4*cosh(a)**3 - 3*cosh(a)
    triple argument of tanh | tanh(3*a) = (3*tanh(a) + tanh(a)**3)/(1 + 3*tanh(a)**2)
    even multiple of sinh | sinh(n*a) -> 2*sinh(n/2*a)*cosh(n/2*a) | even n, n>2
    even multiple of cosh | cosh(n*a) -> 2*cosh(n/2*a)**2 - 1 | even n, n>2
    squared sinh of a half | sinh(a/2)**2 = (cosh(a) - 1)/2
    squared cosh of a half | cosh(a/2)**2 = (cosh(a) + 1)/2
    cosh of a half as a root | cosh(a/2) = sqrt((cosh(a) + 1)/2)
    absolute sinh of a half as a root | abs(sinh(a/2)) = sqrt((cosh(a) - 1)/2)
    tanh of a half | tanh(a/2) = sinh(a)/(cosh(a) + 1)
    tanh of a half, turned round | tanh(a/2) = (cosh(a) - 1)/sinh(a) | nonzero a
    tanh of a half, by coth and csch | tanh(a/2) = coth(a) - csch(a) | nonzero a
    coth of a half, by coth and csch | coth(a/2) = coth(a) + csch(a)
    coth of a half | coth(a/2) = sinh(a)/(cosh(a) - 1)
    sinh by its half | sinh(a) = 2*sinh(a/2)*cosh(a/2)
    cosh by its half | cosh(a) = 2*cosh(a/2)**2 - 1
    cosh by the sinh of its half | cosh(a) = 1 + 2*sinh(a/2)**2
    tanh and coth | tanh(a) + coth(a) = 2*coth(2*a)
    coth less tanh | coth(a) - tanh(a) = 2*csch(2*a)
    tanh by double arguments | tanh(a) = sinh(2*a)/(1 + cosh(2*a))
    sinh of a double over sinh | sinh(2*a)/sinh(a) = 2*cosh(a) | nonzero a
    sinh of a double over cosh | sinh(2*a)/cosh(a) = 2*sinh(a)
    sech squared of a double | sech(a)**2 = 2/(1 + cosh(2*a))
    """,
)

POWERS_AND_PRODUCTS = family(
    "hyperbolic powers and products",
    """
    squared sinh | sinh(a)**2 = (cosh(2*a) - 1)/2
    squared cosh | cosh(a)**2 = (cosh(2*a) + 1)/2
    squared tanh | tanh(a)**2 = (cosh(2*a) - 1)/(cosh(2*a) + 1)
    cubed sinh | sinh(a)**3 = (sinh(3*a) - 3*sinh(a))/4
    cubed cosh | cosh(a)**3 = (cosh(3*a) + 3*cosh(a))/4
    product of squares of sinh and cosh | sinh(a)**2*cosh(a)**2 = sinh(2*a)**2/4
    product of sinh and cosh of two terms | sinh(a)*cosh(b) = (sinh(a + b) + sinh(a - b))/2
    product of two cosh | cosh(a)*cosh(b) = (cosh(a + b) + cosh(a - b))/2
    product of two sinh | sinh(a)*sinh(b) = (cosh(a + b) - cosh(a - b))/2
    sum of two sinh | sinh(a) + sinh(b) = 2*sinh((a + b)/2)*cosh((a - b)/2)
    difference of two sinh | sinh(a) - sinh(b) = 2*cosh((a + b)/2)*sinh((a - b)/2)
    sum of two cosh | cosh(a) + cosh(b) = 2*cosh((a + b)/2)*cosh((a - b)/2)
    difference of two cosh | cosh(a) - cosh(b) = 2*sinh((a + b)/2)*sinh((a - b)/2)
    """,
)

LOGARITHM_ARGUMENTS = family(
    "hyperbolics of logarithms",
    """
    sinh of a logarithm | sinh(log(a)) = (a - 1/a)/2 | positive a
    sinh of a logarithm, one fraction | sinh(log(a)) = (a**2 - 1)/(2*a) | positive a
    cosh of a logarithm | cosh(log(a)) = (a + 1/a)/2 | positive a
    cosh of a logarithm, one fraction | cosh(log(a)) = (a**2 + 1)/(2*a) | positive a
    tanh of a logarithm | tanh(log(a)) = (a**2 - 1)/(a**2 + 1) | positive a
    coth of a logarithm | coth(log(a)) = (a**2 + 1)/(a**2 - 1) | positive a
    sech of a logarithm | sech(log(a)) = 2*a/(a**2 + 1) | positive a
    csch of a logarithm | csch(log(a)) = 2*a/(a**2 - 1) | positive a
    tanh of half a logarithm | tanh(log(a)/2) = (a - 1)/(a + 1) | positive a
    coth of half a logarithm | coth(log(a)/2) = (a + 1)/(a - 1) | positive a
    """,
)

RULES = (
    *EXPONENTIAL_FORMS,
    *QUOTIENT,
    *PYTHAGOREAN,
    *PARITY,
    *SUM_AND_DIFFERENCE,
    *MULTIPLE_ARGUMENTS,
    *POWERS_AND_PRODUCTS,
    *LOGARITHM_ARGUMENTS,
)
