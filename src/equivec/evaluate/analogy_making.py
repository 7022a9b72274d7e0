"""Analogies of the paper's two kinds, made from tables of identities and of functions.

A family holds relations `left : right` in a letter a that stands for any argument. An analogy
takes two relations of a family at the same argument, or one relation at two arguments. Some are
asked in evaluations, others are learnt: identities at other arguments, other compositions.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from itertools import islice, permutations, product
from math import isqrt
from typing import TYPE_CHECKING

from equivec.algebra.fingerprint import fingerprints, says_nothing
from equivec.evaluate.analogies import Analogy, generated_analogies, paper_analogies
from equivec.expression.infix import parse_infix, write_infix
from equivec.expression.tree import Node

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from random import Random

    Relation = tuple[str, str]

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
        *("exp(a + 1) = E*exp(a)", "exp(a/2) = sqrt(exp(a))"),
    ),
    "binomial": (
        *("(a + 1)**2 = a**2 + 2*a + 1", "(a - 1)**2 = a**2 - 2*a + 1"),
        *("(a + 2)**2 = a**2 + 4*a + 4", "(a + 1)*(a - 1) = a**2 - 1"),
        *("(a + 3)*(a - 3) = a**2 - 9", "a*(a + 1) = a**2 + a"),
    ),
}
# The paper asks identities at x; these are other arguments, at which no substitution is asked.
ARGUMENTS = ("6*x", "x/5", "x + 7", "x - 4", "4*x + 7", "x**2 + 3", "x**2 - x", "x/6 + 1")

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
_ASKED_SHARE = 1 / 3  # of all compositions; the others may be learnt


@dataclass(frozen=True, slots=True)
class Material:
    """What analogies are made of, beside the identities."""

    functions: Mapping[str, tuple[str, ...]]
    arguments: tuple[str, ...]
    outer: tuple[str, ...]
    inner: tuple[str, ...]


ASKED = Material(FUNCTIONS, ARGUMENTS, OUTER, INNER)

_SOME_FUNCTIONS = tuple("sin cos tan cot sec exp log sinh cosh tanh asin atan asinh sqrt".split())
_LINEAR = (
    *(f"{k}*x" for k in range(2, 10)),
    *(f"x {sign} {k}" for sign in "+-" for k in range(1, 10)),
    *(f"x/{k}" for k in range(2, 8)),
    *(f"{k}*x + {m}" for k in range(2, 6) for m in (1, 3)),
    "-x",
)
_POWERS = (*(f"x**{n}" for n in range(2, 7)), "1/x", "x**2 + 1", "x**2 + x", "5*x**2", "x**3 + 2")
_COMPOSED = tuple(
    form.replace("f", function)
    for function in _SOME_FUNCTIONS
    for form in (
        *("f(x)", "f(x) + 1", "f(x) - 2", "2*f(x)", "5*f(x)", "f(x)/3", "x*f(x)", "x + f(x)"),
        *("f(4*x)", "f(5*x)", "f(7*x)", "f(x + 3)", "f(x + 4)", "f(x - 1)", "f(x/3)", "f(3*x + 1)"),
        *("f(x)**2", "1/f(x)", "f(x**4)", "f(f(x))"),
    )
)
LEARNT = Material(
    functions=FUNCTIONS,
    arguments=tuple(text for text in ("x", *_LINEAR, *_POWERS) if text not in ARGUMENTS),
    outer=OUTER,
    inner=tuple(dict.fromkeys((*INNER, *_LINEAR, *_POWERS, *_COMPOSED))),
)


def make_analogies(random: Random, of_each_kind: int) -> list[Analogy]:
    """Analogies to be asked: by identities, evenly from all families, as many by substitution."""
    identities = _drawn_evenly([list(_sound(row)) for row in _by_identity(ASKED).values()], random)
    substitutions = _drawn_evenly(_asked_substitutions(random), random)
    return [*_different(identities, of_each_kind), *_different(substitutions, of_each_kind)]


def _asked_substitutions(random: Random) -> list[list[Analogy]]:
    """Plain ones and others; their answers are a random share of all compositions."""
    compositions = [_substituted(outer, inner) for outer, inner in product(OUTER, INNER)]
    answers = set(random.sample(compositions, round(_ASKED_SHARE * len(compositions))))
    return [
        [analogy for analogy in _sound(_by_substitution(ASKED, is_plain)) if analogy.x2 in answers]
        for is_plain in (True, False)
    ]


def training_analogies(
    random: Random, of_each_family: int, arguments: Sequence[str] = ()
) -> list[Analogy]:
    """Analogies to be learnt, at most so many of each family.

    No answer that is asked for is their answer, nor the rival of an answer, and no four functions
    of an analogy that is asked are those of one that is learnt, whichever of them is sought.
    More arguments may be given for the substitutions: of few, a network learns the sums by heart.
    Half of the substitutions are plain, that is, of x and another argument.
    """
    asked = _Asked.of([*generated_analogies(), *paper_analogies()])
    inner = tuple(_arguments((*LEARNT.inner, *arguments), asked.answers))
    material = replace(LEARNT, inner=inner)
    families: list[Iterable[Analogy]] = []
    for name, rows in _by_identity(material).items():
        family = list(rows)
        if name in FUNCTIONS:
            family += [_alternated(analogy) for analogy in family]
        families.append(_shuffled(family, random))
    families += [
        _substitutions(replace(material, outer=(outer,)), random) for outer in material.outer
    ]
    some = (islice(family, of_each_family) for family in families)
    sound = [analogy for family in some for analogy in _sound(family, asked)]
    marks = zip(sound, fingerprints(map(rival, sound)), strict=True)
    return [analogy for analogy, mark in marks if mark not in asked.answers]


@dataclass(frozen=True, slots=True)
class _Asked:
    """What is not to be learnt."""

    answers: frozenset[str] = frozenset()
    corners: frozenset[frozenset[str]] = frozenset()  # the four functions of each analogy

    @classmethod
    def of(cls, analogies: Sequence[Analogy]) -> _Asked:
        marks = [tuple(fingerprints(analogy.expressions)) for analogy in analogies]
        return cls(frozenset(row[-1] for row in marks), frozenset(map(frozenset, marks)))

    def has(self, *marks: str) -> bool:
        """Whether the answer of the four functions is asked for, or they are asked about."""
        return marks[-1] in self.answers or frozenset(marks) in self.corners


def _arguments(texts: Sequence[str], known: frozenset[str]) -> Iterator[str]:
    """Those that are no answer that is asked for; simple functions only in the form of the tables.

    An argument is a wrong answer to every analogy it is in. If sums always met sin(x)**2 as wrong,
    and never as right because it is asked for, it would be unlearnt.
    """
    simple = {*INNER, *_places_at_x()}
    taken = {*known, *fingerprints(simple)}
    for text, mark in zip(texts, fingerprints(texts), strict=True):
        if text in simple or mark not in taken:
            yield text


_OFTEN = 20  # as many as there are others at these arguments


def _substitutions(material: Material, random: Random) -> list[Analogy]:
    """The substitutions in one outer function, as many plain ones as others, in random order.

    Those at the simple arguments of the table come often, so that the others do not drown them.
    """
    plain = list(_by_substitution(material, is_plain=True))
    few = replace(material, inner=tuple(random.sample(material.inner[1:], isqrt(len(plain)) + 1)))
    others = _shuffled(_by_substitution(few, is_plain=False), random)
    simple = replace(material, inner=INNER)
    often = [*_by_substitution(simple, is_plain=True)] * _OFTEN
    often += _by_substitution(simple, is_plain=False)
    return _shuffled([*plain, *others[: len(plain)], *often], random)


def _shuffled(analogies: Iterable[Analogy], random: Random) -> list[Analogy]:
    rows = list(analogies)
    return random.sample(rows, len(rows))


def _alternated(analogy: Analogy) -> Analogy:
    """If x1 is to y1 as x2 is to y2, then x1 is to x2 as y1 is to y2."""
    return replace(analogy, y1=analogy.x2, x2=analogy.y1)


@cache
def _places_at_x() -> dict[str, int]:
    """The place in the table of each outer function, by its form at x."""
    return {_substituted(outer, "x"): place for place, outer in enumerate(OUTER)}


def _by_identity(material: Material) -> dict[str, Iterator[Analogy]]:
    """The analogies of each family."""
    return {
        **{name: _by_functions(name, rows, material) for name, rows in material.functions.items()},
        **{name: _by_identities(name, rows, material) for name, rows in IDENTITIES.items()},
    }


def _by_functions(family: str, rows: Iterable[str], material: Material) -> Iterator[Analogy]:
    relations = [(f"{left}(a)", f"{right}(a)") for left, right in map(str.split, rows)]
    yield from _of_two_relations(family, relations, material)


def _by_identities(family: str, rows: Iterable[str], material: Material) -> Iterator[Analogy]:
    relations = []
    for row in rows:
        left, _, right = row.partition(" = ")
        relations.append((left, right))
    yield from _of_two_relations(family, relations, material)
    for (left, right), (one, other) in product(relations, permutations(material.arguments, 2)):
        yield _analogy("identity", family, (left, one), (right, one), (right, other), (left, other))
        yield _analogy("identity", family, (right, one), (left, one), (left, other), (right, other))


def _of_two_relations(
    family: str, relations: list[Relation], material: Material
) -> Iterator[Analogy]:
    """Every two relations at one argument, in both directions."""
    for ((a, b), (c, d)), at in product(permutations(relations, 2), material.arguments):
        yield _analogy("identity", family, (a, at), (b, at), (d, at), (c, at))
        yield _analogy("identity", family, (b, at), (a, at), (c, at), (d, at))


def _by_substitution(material: Material, is_plain: bool) -> Iterator[Analogy]:
    """f(a) : a at two arguments; plainly, as the paper has it, the first of them is x."""
    places = _places_at_x()
    firsts = ["x"] if is_plain else [inner for inner in material.inner if inner != "x"]
    for outer, one, other in product(material.outer, firsts, material.inner):
        place = OUTER.index(outer)
        if one != other and all(places.get(inner, -1) <= place for inner in (one, other)):
            family = f"{_ARROW}{outer}"
            yield _analogy(
                "substitution", family, (outer, one), ("a", one), ("a", other), (outer, other)
            )


_ARROW = "a -> "


def rival(analogy: Analogy) -> str:
    """A wrong answer that is like the right one: g(f(x)) for f(g(x)), or else its negative."""
    if not analogy.family.startswith(_ARROW):
        return _substituted("-a", analogy.x2)
    outer = parse_infix(_substituted(analogy.family.removeprefix(_ARROW), "x"))
    return write_infix(_replace(parse_infix(analogy.y2), "x", outer))


def _analogy(kind: str, family: str, *parts: tuple[str, str]) -> Analogy:
    """An analogy of templates, each with its argument."""
    x1, y1, y2, x2 = (_substituted(template, at) for template, at in parts)
    return Analogy(kind, family, x1, y1, y2, x2)


@cache
def _substituted(template: str, argument: str) -> str:
    """The template with an argument for its letter a."""
    return write_infix(_replace(parse_infix(template), "a", parse_infix(argument)))


def _replace(tree: Node, letter: str, argument: Node) -> Node:
    if tree.symbol == letter:
        return argument
    return Node(tree.symbol, tuple(_replace(part, letter, argument) for part in tree.arguments))


def _sound(analogies: Iterable[Analogy], asked: _Asked | None = None) -> Iterator[Analogy]:
    """Those whose answer exists, is not the other relation's, and is not asked for."""
    asked = asked or _Asked()
    analogies = list(analogies)
    texts = list(dict.fromkeys(text for analogy in analogies for text in analogy.expressions))
    marks = dict(zip(texts, fingerprints(texts), strict=True))
    for analogy in analogies:
        x1, y1, y2, x2 = (marks[text] for text in analogy.expressions)
        is_somewhere = not any(map(says_nothing, (x1, y1, y2, x2)))
        is_told_apart = len(set(analogy.expressions)) == 4 and x2 not in (x1, y1)
        is_new = not asked.has(x1, y1, y2, x2)
        if is_somewhere and is_told_apart and is_new and (x1 == y1) == (x2 == y2):
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
