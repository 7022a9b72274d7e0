"""Analogies of the paper's two kinds, made from tables of identities and of functions.

A family holds relations `left : right` in a letter a that stands for any argument. An analogy
takes two relations of a family at the same argument, or one relation at two arguments.
"""

from __future__ import annotations

from functools import cache
from itertools import permutations, product
from typing import TYPE_CHECKING

from equivec.algebra.fingerprint import fingerprints, says_nothing
from equivec.evaluate.analogies import Analogy
from equivec.expression.infix import parse_infix, write_infix
from equivec.expression.tree import Node

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from random import Random

    Relation = tuple[str, str]

# Functions that stand to each other as those of the other rows do; the two sides are not equal.
FUNCTIONS: Mapping[str, tuple[str, ...]] = {
    "cofunction": ("sin cos", "tan cot", "sec csc"),
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
        *("exp(a + 1) = E*exp(a)", "exp(a/2) = sqrt(exp(a))"),
    ),
    "binomial": (
        *("(a + 1)**2 = a**2 + 2*a + 1", "(a - 1)**2 = a**2 - 2*a + 1"),
        *("(a + 2)**2 = a**2 + 4*a + 4", "(a + 1)*(a - 1) = a**2 - 1"),
        *("(a + 3)*(a - 3) = a**2 - 9", "a*(a + 1) = a**2 + a"),
    ),
}
ARGUMENTS = ("x", "2*x", "3*x", "x/2", "x + 1", "x + 2", "x**2", "sqrt(x)")

# Substitution: `f(a) : a` at two arguments.
OUTER = (
    *("a**2", "a**3", "1/a", "sqrt(a)", "exp(a)", "log(a)"),
    *("sin(a)", "cos(a)", "tan(a)", "atan(a)", "sinh(a)", "cosh(a)", "tanh(a)", "asinh(a)"),
)
INNER = (
    *("x", "2*x", "3*x", "x + 1", "x + 2", "x**2", "x**3", "1/x", "sqrt(x)", "x/2"),
    *("exp(x)", "log(x)", "sin(x)", "cos(x)", "tan(x)", "sinh(x)", "cosh(x)", "atan(x)"),
)


def make_analogies(random: Random, of_each_kind: int) -> list[Analogy]:
    """Analogies by identities, evenly from all families, and as many by substitution."""
    families = {
        **{name: _by_functions(name, rows) for name, rows in FUNCTIONS.items()},
        **{name: _by_identities(name, rows) for name, rows in IDENTITIES.items()},
    }
    identities = _drawn_evenly([list(_sound(family)) for family in families.values()], random)
    halves = [list(_sound(_by_substitution(is_plain))) for is_plain in (True, False)]
    substitutions = _drawn_evenly(halves, random)
    return [*_different(identities, of_each_kind), *_different(substitutions, of_each_kind)]


def _by_functions(family: str, rows: Iterable[str]) -> Iterator[Analogy]:
    relations = [(f"{left}(a)", f"{right}(a)") for left, right in map(str.split, rows)]
    yield from _of_two_relations(family, relations)


def _by_identities(family: str, rows: Iterable[str]) -> Iterator[Analogy]:
    relations = []
    for row in rows:
        left, _, right = row.partition(" = ")
        relations.append((left, right))
    yield from _of_two_relations(family, relations)
    for (left, right), (one, other) in product(relations, permutations(ARGUMENTS, 2)):
        yield _analogy("identity", family, (left, one), (right, one), (right, other), (left, other))
        yield _analogy("identity", family, (right, one), (left, one), (left, other), (right, other))


def _of_two_relations(family: str, relations: list[Relation]) -> Iterator[Analogy]:
    """Every two relations at one argument, in both directions."""
    for ((a, b), (c, d)), at in product(permutations(relations, 2), ARGUMENTS):
        yield _analogy("identity", family, (a, at), (b, at), (d, at), (c, at))
        yield _analogy("identity", family, (b, at), (a, at), (c, at), (d, at))


def _by_substitution(is_plain: bool) -> Iterator[Analogy]:
    """f(a) : a at two arguments; plainly, as the paper has it, the first of them is x."""
    for outer, (one, other) in product(OUTER, permutations(INNER, 2)):
        if (one == "x") == is_plain:
            family = f"a -> {outer}"
            yield _analogy(
                "substitution", family, (outer, one), ("a", one), ("a", other), (outer, other)
            )


def _analogy(kind: str, family: str, *parts: tuple[str, str]) -> Analogy:
    """An analogy of templates, each with its argument."""
    x1, y1, y2, x2 = (_substituted(template, at) for template, at in parts)
    return Analogy(kind, family, x1, y1, y2, x2)


@cache
def _substituted(template: str, argument: str) -> str:
    """The template with an argument for its letter a."""
    return write_infix(_replace(parse_infix(template), parse_infix(argument)))


def _replace(tree: Node, argument: Node) -> Node:
    if tree.symbol == "a":
        return argument
    return Node(tree.symbol, tuple(_replace(part, argument) for part in tree.arguments))


def _sound(analogies: Iterable[Analogy]) -> Iterator[Analogy]:
    """Those whose answer is a function of its own among the other relation's, and exists."""
    analogies = list(analogies)
    texts = list(dict.fromkeys(text for analogy in analogies for text in analogy.expressions))
    marks = dict(zip(texts, fingerprints(texts), strict=True))
    for analogy in analogies:
        x1, y1, y2, x2 = (marks[text] for text in analogy.expressions)
        is_somewhere = not any(map(says_nothing, (x1, y1, y2, x2)))
        is_told_apart = len(set(analogy.expressions)) == 4 and x2 not in (x1, y1)
        if is_somewhere and is_told_apart and (x1 == y1) == (x2 == y2):
            yield analogy


def _drawn_evenly(groups: list[list[Analogy]], random: Random) -> Iterator[Analogy]:
    """One of each group in turn, each group in random order."""
    for group in groups:
        random.shuffle(group)
    for number in range(max(map(len, groups))):
        for group in groups:
            yield from group[number : number + 1]


def _different(analogies: Iterable[Analogy], count: int) -> list[Analogy]:
    """The first that ask different questions."""
    found: dict[tuple[str, ...], Analogy] = {}
    for analogy in analogies:
        found.setdefault(analogy.expressions[:3], analogy)
        if len(found) == count:
            break
    return list(found.values())
