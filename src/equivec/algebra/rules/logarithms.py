"""Logarithms, exponentials, change of base, and what becomes of one in the other."""

from __future__ import annotations

from equivec.algebra.rules.integers import factor_pair, perfect_power
from equivec.algebra.rules.row import Rule, Search, family

LOGARITHMS = (
    *family(
        "logarithms",
        """
        logarithm of a product | log(a*b) = log(a) + log(b) | positive a
        logarithm of a quotient, numerator positive | log(a/b) = log(a) - log(b) | positive a
        logarithm of a quotient, denominator positive | log(a/b) = log(a) - log(b) | positive b
        logarithm of a reciprocal | log(1/a) = -log(a)
        logarithm of an inverse | log(a**(-1)) = -log(a)
        logarithm of a quotient turned round | log(a/b) = -log(b/a)
        logarithm of a power | log(a**b) = b*log(a) | positive a
        logarithm of a square | log(a**2) = 2*log(abs(a))
        logarithm of a positive square | log(a**2) = 2*log(a) | positive a
        logarithm of an even power | log(a**n) -> n*log(abs(a)) | even n, n!=0
        logarithm of an odd power | log(a**n) = n*log(a) | odd n
        logarithm of a root | log(sqrt(a)) = log(a)/2
        logarithm of a root as a multiple | log(sqrt(a)) = (1/2)*log(a)
        logarithm of an absolute value | log(abs(a)) = log(a**2)/2
        logarithm of the absolute value of a product | log(abs(a*b)) = log(abs(a)) + log(abs(b))
        logarithm of the absolute value of a quotient | log(abs(a/b)) = log(abs(a)) - log(abs(b))
        logarithm of an exponential | log(exp(a)) = a
        logarithm of a power of e | log(e**a) = a
        logarithm of a multiple of e | log(e*a) = 1 + log(a)
        logarithm of a fraction of e | log(a/e) = log(a) - 1
        logarithm of a product with an exponential | log(a*exp(b)) = log(a) + b
        logarithm of a quotient by an exponential | log(a/exp(b)) = log(a) - b
        logarithm of a quotient of an exponential | log(exp(a)/b) = a - log(b)
        logarithm of a sum by its first term | log(a + b) = log(a) + log(1 + b/a) | positive a
        logarithm of one and a reciprocal | log(1 + 1/a) = log(a + 1) - log(a) | positive a
        logarithm of a difference of squares | log(a**2 - b**2) = log(a - b) + log(a + b)
            | positive a b
        logarithm of a square less one | log(a**2 - 1) = log(a - 1) + log(a + 1) | positive a
        logarithm of one less a square | log(1 - a**2) = log(1 - a) + log(1 + a)
        logarithm of a quotient about one | log((1 + a)/(1 - a)) = log(1 + a) - log(1 - a)
        logarithm of a quotient of neighbours | log((a + 1)/(a - 1)) = log(a + 1) - log(a - 1)
            | positive a
        logarithm of a square and term | log(a**2 + a) = log(a) + log(a + 1) | positive a
        fraction of a logarithm | log(a)/b = log(a**(1/b)) | positive a
        sum of multiples of logarithms | m*log(a) + n*log(b) = log(a**m*b**n) | positive a b
        difference of logarithm and multiple | log(a) - n*log(b) -> log(a/b**n) | positive a b, n>0
        square of a logarithm of a reciprocal | log(1/a)**2 = log(a)**2
        logarithm of a double | log(2*a) = log(2) + log(a)
        logarithm of a half | log(a/2) = log(a) - log(2)
        logarithm of a product of powers | log(a**b*c) = b*log(a) + log(c) | positive a
        logarithm of one and an exponential | log(1 + exp(a)) = a + log(1 + exp(-a))
        logarithm of an exponential less one | log(exp(a) - 1) = a + log(1 - exp(-a))
        logarithm of a sum of exponentials | log(exp(a) + exp(b)) = a + log(1 + exp(b - a))
            | total b
        logarithm of a square of a sum with its root
            | log(a + sqrt(a**2 + 1)) = -log(sqrt(a**2 + 1) - a)
        logarithm of a term less its root | log(a - sqrt(a**2 - 1)) = -log(a + sqrt(a**2 - 1))
        one by a logarithm of a reciprocal | 1/log(1/a) = -1/log(a)
        """,
    ),
    Rule(
        "logarithm of a perfect power",
        "logarithms",
        "log(n)",
        "q*log(p)",
        two_way=False,
        search=Search("n", "p q", perfect_power),
    ),
    Rule(
        "logarithm of a composite number",
        "logarithms",
        "log(n)",
        "log(p) + log(q)",
        two_way=False,
        search=Search("n", "p q", factor_pair),
    ),
)

CHANGE_OF_BASE = family(
    "change of base",
    """
    logarithms exchanged | log(a)/log(b) = 1/(log(b)/log(a)) | nonzero log(a)
    logarithm to a square base | log(a)/log(b**2) = log(a)/(2*log(b)) | positive b
    logarithm to a root base | log(a)/log(sqrt(b)) = 2*log(a)/log(b)
    logarithm to a reciprocal base | log(a)/log(1/b) = -log(a)/log(b)
    logarithm to a base of a power | log(a**b)/log(c) = b*(log(a)/log(c)) | positive a
    logarithm to a base of a product | log(a*b)/log(c) = log(a)/log(c) + log(b)/log(c) | positive a
    logarithm to a base of a quotient | log(a/b)/log(c) = log(a)/log(c) - log(b)/log(c) | positive b
    chain of bases | (log(a)/log(b))*(log(b)/log(c)) -> log(a)/log(c)
        | positive b, nonzero log(b), total b
    power to a logarithm exchanged | a**log(b) = b**log(a) | positive a b
    base to its own logarithm | a**(log(b)/log(a)) -> b | positive a b, nonzero log(a), total a
    base to the reciprocal of its logarithm | a**(1/log(a)) -> e
        | positive a, nonzero log(a), total a
    base to a quotient by its logarithm | a**(b/log(a)) -> exp(b)
        | positive a, nonzero log(a), total a
    logarithm of a base to itself | log(a)/log(a**n) -> 1/n
        | positive a, nonzero log(a), total a, n!=0
    logarithm to base four | log(a)/log(4) = log(a)/(2*log(2))
    logarithm to base eight | log(a)/log(8) = log(a)/(3*log(2))
    logarithm of four to base two | log(4)/log(2) -> 2
    logarithm of eight to base two | log(8)/log(2) -> 3
    logarithm of nine to base three | log(9)/log(3) -> 2
    logarithm of a hundred to base ten | log(100)/log(10) -> 2
    logarithm of a double to base two | log(2*a)/log(2) = 1 + log(a)/log(2)
    logarithm of a tenfold to base ten | log(10*a)/log(10) = 1 + log(a)/log(10)
    """,
)

EXPONENTIALS = family(
    "exponentials",
    """
    exponential of a sum | exp(a + b) = exp(a)*exp(b)
    exponential of a difference | exp(a - b) = exp(a)/exp(b)
    exponential of a negative | exp(-a) = 1/exp(a)
    exponential of a negative as an inverse | exp(-a) = exp(a)**(-1)
    exponential of a negative multiple | exp(n*a) -> 1/exp((-n)*a) | n<0
    exponential of a product | exp(a*b) = exp(a)**b
    exponential of a double | exp(2*a) = exp(a)**2
    exponential of a double as a product | exp(2*a) = exp(a)*exp(a)
    exponential of a multiple in two parts | exp(n*a) -> exp((n - 1)*a)*exp(a) | n>2
    exponential of a half | exp(a/2) = sqrt(exp(a))
    exponential of a quotient | exp(a/b) = exp(a)**(1/b)
    exponential as a power of e | exp(a) = e**a
    quotient by an exponential | a/exp(b) = a*exp(-b)
    product of e and an exponential | e*exp(a) = exp(a + 1)
    quotient of an exponential by e | exp(a)/e = exp(a - 1)
    exponential of one | exp(1) = e
    exponential of minus one | exp(-1) = 1/e
    exponential of a logarithm | exp(log(a)) = a | positive a
    e to a logarithm | e**log(a) = a | positive a
    exponential of minus a logarithm | exp(-log(a)) = 1/a | positive a
    exponential of half a logarithm | exp(log(a)/2) = sqrt(a) | positive a
    exponential of twice a logarithm | exp(2*log(a)) = a**2 | positive a
    exponential of a multiple of a logarithm | exp(a*log(b)) = b**a | positive b
    exponential of a logarithm and a term | exp(log(a) + b) = a*exp(b) | positive a
    exponential of a term less a logarithm | exp(b - log(a)) = exp(b)/a | positive a
    square of an exponential and one | (exp(a) + 1)**2 = exp(2*a) + 2*exp(a) + 1
    exponential of a double less one | exp(2*a) - 1 = (exp(a) - 1)*(exp(a) + 1)
    difference of exponentials | exp(a) - exp(b) = exp(b)*(exp(a - b) - 1)
    logistic function | 1/(1 + exp(-a)) = exp(a)/(1 + exp(a))
    logistic function of a negative | 1/(1 + exp(a)) = exp(-a)/(1 + exp(-a))
    complement of the logistic function | 1 - 1/(1 + exp(-a)) = 1/(1 + exp(a))
    logistic function by a hyperbolic tangent | 1/(1 + exp(-a)) = (1 + tanh(a/2))/2
    derivative of the logistic function | exp(-a)/(1 + exp(-a))**2 = exp(a)/(1 + exp(a))**2
    logistic function and its complement | exp(a)/(1 + exp(a)) = 1 - 1/(1 + exp(a))
    quotient of exponentials about one | (exp(a) - 1)/(exp(a) + 1) = tanh(a/2)
    exponential of a square of a sum | exp((a + b)**2) = exp(a**2)*exp(2*a*b)*exp(b**2)
    power of ten | 10**a = exp(a*log(10))
    power of two | 2**a = exp(a*log(2))
    """,
)

RULES = (*LOGARITHMS, *CHANGE_OF_BASE, *EXPONENTIALS)
