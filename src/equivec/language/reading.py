"""How formulas are read where people write two things alike: one table, the same in all notations.

A row says what is written, how it is read, how else it could be read, and what is done about it:
strict reading refuses what is doubtful and names both readings; tolerant reading takes the first,
or keeps the part as it is written where neither is safe.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from equivec.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping

READ, KEEP, REFUSE = "read", "keep", "refuse"


@dataclass(frozen=True, slots=True)
class Convention:
    """What is written, its two readings, and whether each way of reading takes the first."""

    form: str
    reading: str
    other: str
    tolerant: Literal["read", "keep"] = "read"
    strict: Literal["read", "refuse"] = "read"


def _doubtful(form: str, reading: str, other: str) -> Convention:
    return Convention(form, reading, other, "read", "refuse")


def _unsafe(form: str, reading: str, other: str) -> Convention:
    return Convention(form, reading, other, "keep", "refuse")


CONVENTIONS: Mapping[str, Convention] = {
    "declared function": Convention(
        "f(x) where f(x) = .. or f: A -> B is written, or f is primed",
        "f applied to x", "the product of f and x",
    ),
    "usual function": Convention(
        "f(x) for f, g, h, F, G, H, P, E, phi, psi, Gamma, zeta",
        "f applied to x", "the product of f and x",
    ),
    "list of arguments": Convention("a(x, y)", "a applied to x and y", "the product"),
    "lone argument": Convention("a(x), a(0)", "a applied: nobody brackets a lone factor",
                                "the product of a and x"),
    "unneeded brackets": _doubtful("C(p^r), where a product needs no brackets",
                                   "C applied to p^r", "the product of C and p^r"),
    "shifted argument": _doubtful("u(t - a) for u, v, x, y", "u applied to t - a",
                                  "the product of u and t - a"),
    "product before a bracket": Convention(
        "a(b + c) where a stands in the formula without a bracket too, or after a factor",
        "the product", "a applied to b + c"),
    "bracket without evidence": _doubtful("a(b + c)", "the product of a and b + c",
                                          "a applied to b + c"),
    "inverse function": Convention("f^{-1}(x)", "the inverse of f, applied", "1/f(x)"),
    "inverse of a named function": Convention(r"\sin^{-1} x", "arcsin(x)", "1/sin(x)"),
    "power of a value": Convention("f^2(x), sin^2 x", "the square of f(x)", "f applied twice"),
    "superscript of a function": Convention("H^k(X)", "a function named H^k",
                                            "the power of H(X)"),
    "argument without brackets": Convention(r"\sin 2x", "the sine of 2x", "sin(2) times x"),
    "argument of several names": _doubtful(r"\sin x y", "the sine of xy", "sin(x) times y"),
    "argument before a stroke": _unsafe(r"\cos 1/x", "cos(1)/x", "cos(1/x)"),
    "names below a stroke": _doubtful("a/b c", "a/(b c)", "(a/b) c"),
    "number below a stroke": _doubtful("1/2 x", "(1/2) x", "1/(2 x)"),
    "letters side by side": Convention("ab", "the product of a and b", "one name ab"),
    "letters like a word": _unsafe("Id, Gal, mod", "one name", "a product of letters"),
    "capitals side by side": _doubtful("ABC where A, B and C stand nowhere alone", "one name",
                                       "a product of letters"),
    "letters of a known name": Convention("sin x, dim V, without a backslash",
                                          "the function", "a product of letters"),
    "thousands": _doubtful("1,000", "one thousand", "1 and 0"),
    "mixed number": _doubtful("2 1/2", "two and a half", "2 times 1/2"),
    "numbers side by side": _unsafe("2 3", "a list", "a product"),
    "transpose": Convention("X^T, X' beside X", "the transpose of X", "a power"),
    "transpose or power": _doubtful("x^T of something that may be a number",
                                    "a power", "the transpose"),
    "label as superscript": Convention("x^{(n)}, x^*, x^+", "a part of the name", "a power"),
    "indices or power": _doubtful("g^{ij}", "the name g with indices i and j",
                                  "the power of g to i j"),
    "letter as superscript": _doubtful("A^c, V^H, C^k", "a label", "a power"),
    "Euler's number": Convention("e^x", "Euler's number to the power x", "a name e"),
    "imaginary unit": Convention("i where it is no index and bound nowhere",
                                 "the imaginary unit", "a name i"),
    "differential": Convention("dx beside an integral or in a fraction dy/dx",
                               "the differential of x", "d times x"),
    "differential alone": _doubtful("dx without an integral", "the differential of x",
                                    "d times x"),
    "letter d before a name": _doubtful("dx beside names", "d times x", "the differential of x"),
    "integral without differential": _doubtful(r"\int f", "the integral of the next product",
                                               "the integral of all that follows"),
    "end of a sum": Convention(r"\sum_k a_k + b", "the sum ends at +", "the sum goes on"),
    "sum that goes on": _doubtful(r"\sum_k a_k + b_k", "the sum goes on, as k is bound",
                                  "the sum ends at +"),
    "pair in square brackets": Convention("[a, b]", "two things in square brackets, no more said",
                                          "a closed interval or a commutator"),
    "square brackets after a name": _doubtful("a[x]", "a applied to x", "the product of a and [x]"),
    "closed interval": Convention(r"[0, 1], x \in [a, b]", "a closed interval", "a list"),
    "pair in round brackets": Convention("(a, b)", "a pair, no more said", "an open interval"),
    "open interval": Convention(r"(0, \infty), x \in (a, b)", "an open interval", "a pair"),
    "conditional": Convention("P(A | B)", "A given B", "A divides B"),
    "divides": _doubtful("a | b outside brackets, for other than numbers and small letters", "a divides b", "a given b"),  # noqa: E501
    "many bars": _unsafe("|a|b|c|", "the products of |a|, b and |c|", "|a|b|c||"),
    "ratio": _doubtful("a : b", "the ratio of a and b", "a such that b"),
    "map": Convention("f: A -> B", "f is a map from A to B", "a label f"),
    "label": Convention("x: y = z", "a name and what is said of it", "a ratio"),
    "list before a relation": _doubtful("a, b > 0", "both are greater than 0", "a; and b > 0"),
    "list after a relation": Convention("i = 1, ..., n", "i takes each of the values",
                                        "i = 1; and others"),
    "side condition": Convention("a = b (n > 0)", "a = b where n > 0", "a product"),
    "change": Convention(r"\Delta x", "the change of x, or its Laplacian",
                         "the product of Delta and x"),
    "and or wedge": Convention(r"a \wedge b", "a neutral sign", "logical and"),
    "braces": Convention("{a, b}", "a set", "brackets"),
    "star as product": _doubtful("f * g", "the product", "the convolution"),
}  # fmt: skip


def conventions_table() -> str:
    """The table of conventions in Markdown, as docs show it."""
    lines = [
        "| written | read as | not as | tolerant | strict |",
        "| --- | --- | --- | --- | --- |",
    ]
    for row in CONVENTIONS.values():
        cells = (row.form, row.reading, row.other, row.tolerant, row.strict)
        lines.append(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |")
    return "\n".join(lines)


_CONSTANTS = frozenset(("e", "E", "i", "I", "j", "pi"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What to take for granted; the defaults are what most texts mean.

    >>> Reading(functions="f u", constants="pi").is_constant("e")
    False
    """

    functions: str = ""  # names that are functions, with blanks between
    variables: str = ""  # names that are none
    constants: str = "e i pi"  # letters that are constants where they can be
    numbers: str = "1,000"  # or "1.000" where the point groups digits and the comma is decimal
    log: str = "as written"  # or the base of a logarithm without one: "e", "10", "2"

    def __post_init__(self) -> None:
        unknown = set(self.constants.replace(",", " ").split()) - _CONSTANTS
        if unknown:
            raise ConfigError(
                f"constants are {', '.join(sorted(_CONSTANTS))}, not {min(unknown)!r}"
            )
        if self.numbers not in ("1,000", "1.000"):
            raise ConfigError(f"numbers are written '1,000' or '1.000', not {self.numbers!r}")
        if self.log not in ("as written", "e", "2", "10"):
            raise ConfigError(
                f"the base of log is 'as written', 'e', '2' or '10', not {self.log!r}"
            )

    def is_constant(self, letter: str) -> bool:
        """Whether a letter can be a constant."""
        return letter in self.constants.replace(",", " ").split()

    def is_function(self, name: str) -> bool:
        """Whether a name was said to be a function."""
        return name in self.functions.replace(",", " ").split()

    def is_variable(self, name: str) -> bool:
        """Whether a name was said to be no function."""
        return name in self.variables.replace(",", " ").split()


DEFAULT_READING = Reading()
