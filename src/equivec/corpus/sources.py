"""Where sources come from: random trees, instances of the rules' own laws, or a file."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from equivec.algebra.rules import RULES
from equivec.algebra.rules.instances import sample_instance
from equivec.algebra.rules.patterns import direct
from equivec.algebra.rules.terms import from_tuple
from equivec.corpus.sampler import UNARY_WEIGHTS, Sampler, SamplerConfig
from equivec.errors import ConfigError
from equivec.expression.files import read_expressions
from equivec.expression.grammar import ARITHMETIC, OPERATOR_TYPES
from equivec.expression.limits import is_readable
from equivec.expression.tree import Node, negate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from random import Random

    from equivec.algebra.rules.patterns import DirectedRule


def random_sources(
    count: int, config: SamplerConfig, instance_fraction: float, random: Random
) -> Iterator[Node]:
    """Random trees and, for a share of the sources, instances of random rules.

    Many laws that people know by heart hardly ever occur in random trees.
    """
    sampler = Sampler(config)
    for _ in range(count):
        drawn = random_instance(random) if random.random() < instance_fraction else None
        yield sampler.draw(random) if drawn is None else drawn


def random_instance(random: Random) -> Node | None:
    """One side of a random law with small terms in its letters; None where x is not in it."""
    pair = sample_instance(random.choice(_directed_rules()), random)
    tree = from_tuple(pair[0]) if pair is not None else None
    return tree if tree is not None and tree.variables else None


def special_sources(kind: str, count: int, random: Random) -> Iterator[Node]:
    """Distinct expressions of a kind that random trees seldom are; parsers read them all."""
    if kind not in SOURCE_KINDS:
        raise ConfigError(
            f"{kind!r} is not a kind of sources; choose from {', '.join(SOURCE_KINDS)}"
        )
    seen: set[Node] = set()
    attempts = 0
    while len(seen) < count:
        attempts += 1
        if attempts > _ATTEMPTS * count:
            raise ConfigError(f"there are fewer than {count:,} sources of the kind {kind!r}")
        tree = SOURCE_KINDS[kind](random)
        if tree is not None and tree.variables and tree not in seen and is_readable(tree):
            seen.add(tree)
            yield tree


def file_sources(path: str, start: int, count: int) -> Iterator[Node]:
    """Some lines of a file of expressions, in any input format."""
    return read_expressions(path, "auto", start=start, stop=start + count)


@cache
def _directed_rules() -> tuple[DirectedRule, ...]:
    return tuple(way for rule in RULES for way in direct(rule))


def _law(random: Random) -> Node | None:
    """One side of a law, every family alike, however many rules it has."""
    families = _families()
    pair = sample_instance(random.choice(families[random.choice(list(families))]), random)
    return from_tuple(pair[0]) if pair is not None else None


@cache
def _families() -> dict[str, list[DirectedRule]]:
    """The rules of each family."""
    families: dict[str, list[DirectedRule]] = {}
    for way in _directed_rules():
        families.setdefault(way.family, []).append(way)
    return families


def _rational(random: Random, operators: int | None = None) -> Node:
    """A quotient, product or sum of such, with small integers."""
    size = random.choice((2, 3, 4, 4, 5, 5, 6)) if operators is None else operators
    if size == 0:
        return Node("x") if random.random() < 0.6 else Node(random.choice(_SMALL))
    symbol = random.choice(("add", "add", "subtract", "mul", "div", "div", "pow"))
    left = random.randrange(size)
    if symbol == "pow":
        return Node("pow", (_rational(random, size - 1), Node(random.choice((2, 2, 3, -1)))))
    first, second = _rational(random, left), _rational(random, size - 1 - left)
    if symbol == "subtract":
        return Node("add", (first, negate(second)))
    return Node(symbol, (first, second))


def _trigonometric(random: Random) -> Node:
    """A sum, product or quotient of functions of multiples and shifts of x."""
    count = random.choice((1, 2, 2, 2, 3))
    terms = [_wave(random) for _ in range(count)]
    symbol = random.choice(("add", "add", "mul", "mul", "div"))
    tree = terms[0]
    for term in terms[1:]:
        is_less = symbol == "add" and random.random() < 0.4
        tree = Node(symbol, (tree, negate(term) if is_less else term))
    return tree


def _wave(random: Random) -> Node:
    hyperbolic = ("sinh", "cosh", "tanh") if random.random() < 0.25 else ()
    name = random.choice(hyperbolic or ("sin", "sin", "cos", "cos", "tan", "cot", "sec", "csc"))
    wave = Node(name, (_angle(random, is_shifted=not hyperbolic),))
    if random.random() < 0.3:
        wave = Node("pow", (wave, Node(random.choice((2, 2, 3, 4)))))
    if random.random() < 0.3:
        wave = Node("mul", (Node(random.randint(2, 5)), wave))
    return wave


def _angle(random: Random, *, is_shifted: bool) -> Node:
    factor = random.choice((1, 1, 1, 2, 2, 3, 4, 5, 6))
    angle = Node("x") if factor == 1 else Node("mul", (Node(factor), Node("x")))
    if random.random() < 0.1:
        angle = Node("div", (Node("x"), Node(2)))
    if is_shifted and random.random() < 0.2:
        shift = Node("div", (Node("pi"), Node(random.choice((2, 3, 4, 6)))))
        angle = Node("add", (angle, shift if random.random() < 0.5 else negate(shift)))
    return angle


def _constant(random: Random) -> Node:
    """x together with a constant that has a simpler form."""
    value = random.choice(_EXACT)(random)
    symbol = random.choice(("mul", "mul", "add", "pow", "div"))
    parts = (Node("x"), value) if symbol in ("pow", "div") else (value, Node("x"))
    tree = Node(symbol, parts)
    if random.random() < 0.4:
        tree = Node("add", (tree, random.choice(_EXACT)(random)))
    return tree


def _of_pi(random: Random) -> Node:
    part = Node("div", (Node("pi"), Node(random.choice((2, 3, 4, 5, 6, 8, 10, 12)))))
    turn = random.choice((1, 1, 2, 3, 5))
    angle = part if turn == 1 else Node("mul", (Node(turn), part))
    return Node(random.choice(("sin", "cos", "tan", "sec", "csc", "cot")), (angle,))


def _root(random: Random) -> Node:
    radicand = Node("sqrt", (Node(random.choice((2, 3, 5, 6, 7, 8, 12, 18, 20, 27, 50))),))
    if random.random() < 0.5:
        return radicand
    scaled = Node("mul", (Node(random.randint(2, 4)), radicand))
    return Node("sqrt", (Node("add", (Node(random.randint(3, 12)), scaled)),))


def _power(random: Random) -> Node:
    base, exponent = random.choice((4, 8, 9, 16, 25, 27, 32, 64, 81)), random.choice((2, 3, 4))
    share = Node("div", (Node(random.choice((1, 1, 2, 3))), Node(exponent)))
    return Node("pow", (Node(base), share))


def _logarithm(random: Random) -> Node:
    base = random.choice((2, 3, 5, 10))
    power = Node(base ** random.randint(2, 4))
    return Node("div", (Node("ln", (power,)), Node("ln", (Node(base),))))


def _inverse(random: Random) -> Node:
    name = random.choice(("asin", "acos", "atan"))
    value = random.choice((Node(1), Node("div", (Node(1), Node(2))), Node("sqrt", (Node(3),))))
    return Node("mul", (Node(random.randint(2, 6)), Node(name, (value,))))


def _composition(random: Random) -> Node:
    """A function, or a function of a function, mostly of x itself."""
    tree = Node("x") if random.random() < 0.7 else _linear(random)
    for _ in range(random.choice((1, 2, 2))):
        tree = _function_of(tree, random)
    return tree


def _linear(random: Random) -> Node:
    number = Node(random.randint(2, 9))
    return random.choice(
        (
            *(Node("mul", (number, Node("x"))), Node("div", (Node("x"), number))),
            *(Node("add", (Node("x"), number)), Node("add", (Node("x"), negate(number)))),
            negate(Node("x")),
        )
    )


def _function_of(tree: Node, random: Random) -> Node:
    if random.random() < 0.2:
        return Node("pow", (tree, Node(random.randint(2, 6))))
    if random.random() < 0.2:
        return Node("div", (Node(1), tree)) if random.random() < 0.7 else negate(tree)
    return Node(random.choice(tuple(UNARY_WEIGHTS)), (tree,))


def _unmixed(random: Random) -> Node:
    """A random tree with functions of one type at most."""
    return random.choice(_unmixed_samplers()).draw(random)


@cache
def _unmixed_samplers() -> tuple[Sampler, ...]:
    """A sampler for each type of functions, and one for arithmetic alone."""
    plain = OPERATOR_TYPES[ARITHMETIC]
    tables = (
        {name: weight for name, weight in UNARY_WEIGHTS.items() if name in plain | names}
        for names in OPERATOR_TYPES.values()
    )
    return tuple(Sampler(SamplerConfig(unary=table)) for table in tables)


_ATTEMPTS = 200  # for each source that is wanted
_SMALL = (1, 1, 1, 2, 2, 3, 4, 5, 6, -1, -2, -3)
_EXACT: tuple[Callable[[Random], Node], ...] = (_of_pi, _of_pi, _root, _power, _logarithm, _inverse)

SOURCE_KINDS: Mapping[str, Callable[[Random], Node | None]] = {
    "laws": _law,
    "rational": _rational,
    "trigonometric": _trigonometric,
    "constants": _constant,
    "compositions": _composition,
    "unmixed": _unmixed,
}
