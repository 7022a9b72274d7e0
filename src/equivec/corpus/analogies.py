"""Families of analogies of the paper's two kinds, from tables of identities and of functions.

A family holds relations `left : right` in a letter a that stands for any argument. An analogy
takes two relations of a family at the same argument, or one relation at two arguments.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import permutations, product
from typing import TYPE_CHECKING

from equivec.algebra.fingerprint import fingerprints, is_uninformative
from equivec.expression.infix import parse_infix, write_infix
from equivec.expression.tree import Node

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    Relation = tuple[str, str]
    Fingerprints = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Analogy:
    """x1 is to y1 as x2 is to y2, by an identity or by a substitution; infix texts."""

    kind: str
    family: str
    x1: str
    y1: str
    y2: str
    x2: str

    @property
    def expressions(self) -> tuple[str, str, str, str]:
        """The four expressions; the last is the one that is sought."""
        return self.x1, self.y1, self.y2, self.x2


# Functions that stand to each other as those of the other rows do; the two sides are not equal.
FUNCTIONS: Mapping[str, tuple[str, ...]] = {
    "cofunction": ("cos sin", "tan cot", "sec csc"),
    "reciprocal function": ("sin csc", "cos sec", "tan cot", "sinh csch", "cosh sech", "tanh coth"),
    "hyperbolic counterpart": (
        *("sin sinh", "cos cosh", "tan tanh", "cot coth"),
        *("asin asinh", "acos acosh", "atan atanh"),
    ),
    "inverse function": (
        *("sin asin", "cos acos", "tan atan", "sinh asinh", "cosh acosh", "tanh atanh", "exp log"),
    ),
}

# Identities, `left = right`; those of a family are said in the same words.
IDENTITIES: Mapping[str, tuple[str, ...]] = {
    "odd and even": (
        *(f"{f}(-a) = -{f}(a)" for f in "sin tan cot csc asin atan sinh tanh coth asinh".split()),
        *(f"{f}(-a) = {f}(a)" for f in "cos sec cosh sech".split()),
    ),
    "reciprocal": (
        *("1/sin(a) = csc(a)", "1/cos(a) = sec(a)", "1/tan(a) = cot(a)"),
        *("1/sinh(a) = csch(a)", "1/cosh(a) = sech(a)", "1/tanh(a) = coth(a)"),
    ),
    "quotient": (
        *("sin(a)/cos(a) = tan(a)", "cos(a)/sin(a) = cot(a)"),
        *("sinh(a)/cosh(a) = tanh(a)", "cosh(a)/sinh(a) = coth(a)"),
    ),
    "Pythagorean": (
        *("1 - cos(a)**2 = sin(a)**2", "1 - sin(a)**2 = cos(a)**2"),
        *("1 + tan(a)**2 = sec(a)**2", "1 + cot(a)**2 = csc(a)**2"),
        *("1 + sinh(a)**2 = cosh(a)**2", "1 - tanh(a)**2 = sech(a)**2"),
    ),
    "double argument": (
        *("2*sin(a)*cos(a) = sin(2*a)", "1 - 2*sin(a)**2 = cos(2*a)"),
        *("2*sinh(a)*cosh(a) = sinh(2*a)", "1 + 2*sinh(a)**2 = cosh(2*a)"),
    ),
    "shift": (
        *("sin(a + pi/2) = cos(a)", "cos(a - pi/2) = sin(a)"),
        *("sec(a - pi/2) = csc(a)", "csc(a + pi/2) = sec(a)"),
        *("sin(a + pi) = -sin(a)", "cos(a + pi) = -cos(a)", "tan(a + pi) = tan(a)"),
    ),
    "exponential form": (
        *("(exp(a) - exp(-a))/2 = sinh(a)", "(exp(a) + exp(-a))/2 = cosh(a)"),
        *("2/(exp(a) - exp(-a)) = csch(a)", "2/(exp(a) + exp(-a)) = sech(a)"),
    ),
    "logarithm": (
        *("log(a**2) = 2*log(a)", "log(a**3) = 3*log(a)", "log(sqrt(a)) = log(a)/2"),
        *("log(1/a) = -log(a)", "log(2*a) = log(a) + log(2)", "log(a/3) = log(a) - log(3)"),
    ),
    "exponential": (
        *("exp(2*a) = exp(a)**2", "exp(3*a) = exp(a)**3", "exp(-a) = 1/exp(a)"),
        *("exp(a + 1) = e*exp(a)", "exp(a/2) = sqrt(exp(a))"),
    ),
    "binomial": (
        *("(a + 1)**2 = a**2 + 2*a + 1", "(a - 1)**2 = a**2 - 2*a + 1"),
        *("(a + 2)**2 = a**2 + 4*a + 4", "(a + 1)*(a - 1) = a**2 - 1"),
        *("(a + 3)*(a - 3) = a**2 - 9", "a*(a + 1) = a**2 + a"),
    ),
}
# Substitution: `f(a) : a` at two arguments. f(x) : x at g(x) and g(x) : x at f(x) ask the same
# question, x1 + y2 - x. Of its two answers f(g(x)) and g(f(x)) only that one is used whose outer
# function comes later here: powers of functions rather than functions of powers, as in the paper.
OUTER = (
    *(f"{name}(a)" for name in "sin cos tan cot sec csc asin acos atan".split()),
    *(f"{name}(a)" for name in "sinh cosh tanh coth asinh exp log abs".split()),
    *("sqrt(a)", "1/a", "a**2", "a**3", "a**4", "a**5", "a**6"),
)
INNER = (
    *("x", "2*x", "3*x", "4*x", "5*x", "x/2", "x/3", "-x"),
    *("x + 1", "x + 2", "x + 3", "x - 1", "x - 2", "2*x + 1", "1 - x"),
    *("x**2", "x**3", "x**4", "1/x", "sqrt(x)", "x**2 + 1", "x**2 + x"),
    *(f"{name}(x)" for name in "sin cos tan cot sec csc asin acos atan".split()),
    *(f"{name}(x)" for name in "sinh cosh tanh coth asinh exp log abs".split()),
)
# The arguments at which evaluations ask for identities, beside x; training has others.
ASKED_ARGUMENTS = (
    *("6*x", "x/5", "x + 7", "x - 4"),
    *("4*x + 7", "x**2 + 3", "x**2 - x", "x/6 + 1"),
)
_ARROW = "a -> "


def by_identity(arguments: Sequence[str]) -> dict[str, list[Analogy]]:
    """The analogies of each family of functions and of identities, at some arguments."""
    functions = {
        name: list(_by_functions(name, rows, arguments)) for name, rows in FUNCTIONS.items()
    }
    identities = {
        name: list(_by_identities(name, rows, arguments)) for name, rows in IDENTITIES.items()
    }
    return functions | identities


def by_substitution(
    outers: Sequence[str], inner: Sequence[str], is_plain: bool
) -> Iterator[Analogy]:
    """f(a) : a at two arguments; plainly, as the paper has it, the first of them is x."""
    places = _places_at_x()
    for outer in outers:
        place = OUTER.index(outer)
        others = [each for each in inner if places.get(each, -1) <= place]
        firsts = ["x"] if is_plain else [each for each in others if each != "x"]
        for one, other in product(firsts, others):
            if one != other:
                parts = (outer, one), ("a", one), ("a", other), (outer, other)
                yield _analogy("substitution", f"{_ARROW}{outer}", *parts)


def rival(analogy: Analogy) -> str:
    """A wrong answer that is like the right one: g(f(x)) for f(g(x)), or else its negative."""
    if not analogy.family.startswith(_ARROW):
        return substituted("-a", analogy.x2)
    outer = parse_infix(substituted(analogy.family.removeprefix(_ARROW), "x"))
    return write_infix(_replace(parse_infix(analogy.y2), "x", outer))


@cache
def substituted(template: str, argument: str) -> str:
    """The template with an argument for its letter a."""
    return write_infix(_replace(parse_infix(template), "a", parse_infix(argument)))


@cache
def simple_functions() -> frozenset[str]:
    """The arguments of the table, and its functions at x."""
    return frozenset((*INNER, *_places_at_x()))


def fingerprints_of(texts: Iterable[str]) -> dict[str, str]:
    """The fingerprint of each expression's function, each text looked at once."""
    each = list(dict.fromkeys(texts))
    return dict(zip(each, fingerprints(each), strict=True))


def sound(analogies: Sequence[Analogy]) -> Iterator[tuple[Analogy, Fingerprints]]:
    """Those whose answer exists and is not the other relation's, each with its fingerprints."""
    known = fingerprints_of(text for analogy in analogies for text in analogy.expressions)
    for analogy in analogies:
        x1, y1, y2, x2 = found = tuple(known[text] for text in analogy.expressions)
        is_somewhere = not any(map(is_uninformative, found))
        is_told_apart = len(set(analogy.expressions)) == 4 and x2 not in (x1, y1)
        if is_somewhere and is_told_apart and (x1 == y1) == (x2 == y2):
            yield analogy, found


@cache
def _places_at_x() -> dict[str, int]:
    """The place in the table of each outer function, by its form at x."""
    return {substituted(outer, "x"): place for place, outer in enumerate(OUTER)}


def _by_functions(family: str, rows: Iterable[str], arguments: Sequence[str]) -> Iterator[Analogy]:
    relations = [(f"{left}(a)", f"{right}(a)") for left, right in map(str.split, rows)]
    yield from _of_two_relations(family, relations, arguments)


def _by_identities(family: str, rows: Iterable[str], arguments: Sequence[str]) -> Iterator[Analogy]:
    relations = []
    for row in rows:
        left, _, right = row.partition(" = ")
        relations.append((left, right))
    yield from _of_two_relations(family, relations, arguments)
    for (left, right), (one, other) in product(relations, permutations(arguments, 2)):
        yield _analogy("identity", family, (left, one), (right, one), (right, other), (left, other))
        yield _analogy("identity", family, (right, one), (left, one), (left, other), (right, other))


def _of_two_relations(
    family: str, relations: list[Relation], arguments: Sequence[str]
) -> Iterator[Analogy]:
    """Every two relations at one argument, in both directions."""
    for ((a, b), (c, d)), at in product(permutations(relations, 2), arguments):
        yield _analogy("identity", family, (a, at), (b, at), (d, at), (c, at))
        yield _analogy("identity", family, (b, at), (a, at), (c, at), (d, at))


def _analogy(kind: str, family: str, *parts: tuple[str, str]) -> Analogy:
    """An analogy of templates, each with its argument."""
    x1, y1, y2, x2 = (substituted(template, at) for template, at in parts)
    return Analogy(kind, family, x1, y1, y2, x2)


def _replace(tree: Node, letter: str, argument: Node) -> Node:
    if tree.symbol == letter:
        return argument
    return Node(tree.symbol, tuple(_replace(part, letter, argument) for part in tree.arguments))
