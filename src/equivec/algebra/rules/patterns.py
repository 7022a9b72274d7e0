"""Rows of the table made ready for use: patterns that match terms, guards that test them.

A pattern is a term whose letters stand for other terms. It is compiled, once for every order in
which its sums and products can be written, to a short list of checks.
"""

from __future__ import annotations

import operator
import re
from dataclasses import dataclass, field
from functools import cache
from itertools import islice, permutations, product
from typing import TYPE_CHECKING, Any, TypeAlias

from equivec.algebra.guards import GUARDS, has_variables
from equivec.algebra.rules.folding import make
from equivec.algebra.rules.terms import COMMUTATIVE, Term, measure, operands, to_tuple
from equivec.errors import ConfigError
from equivec.expression.infix import parse_infix

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from equivec.algebra.rules.row import Rule, Search

ANY_LETTERS = "abcd"
INTEGER_LETTERS = "kmnpq"
_SLOT: Mapping[str, int] = {
    letter: index for index, letter in enumerate(ANY_LETTERS + INTEGER_LETTERS)
}

# The kinds of checks: a symbol, a literal, a letter's first place, and its later ones.
_OPEN, _LITERAL, _BIND, _BIND_INTEGER, _SAME = range(5)
Checks: TypeAlias = tuple[tuple[int, Any], ...]
Slots: TypeAlias = list[Any]

# Ways to write one pattern that are tried; longer sums have more of them than are worth trying.
_MOST_ORDERS = 48

# What a place in a pattern asks for: a symbol, a literal, any integer, or (None) anything.
Head: TypeAlias = str | int | None
ANY_INTEGER = "integer"


def parse_pattern(text: str) -> Term:
    """The pattern that a text spells.

    >>> parse_pattern("sin(a)**2")
    ('pow', ('sin', 'a'), 2)
    """
    return to_tuple(parse_infix(text))


def letters_of(pattern: Term) -> frozenset[str]:
    """The letters of a pattern.

    >>> sorted(letters_of(parse_pattern("a**n + x")))
    ['a', 'n']
    """
    if type(pattern) is tuple:
        return frozenset().union(*(letters_of(part) for part in pattern[1:]))
    return frozenset((pattern,)) if type(pattern) is str and pattern in _SLOT else frozenset()


def fill(pattern: Term, slots: Slots, build: Callable[..., Term] = make) -> Term:
    """The pattern with terms in place of its letters.

    >>> fill(parse_pattern("2*a"), ["x"]), fill(parse_pattern("2*a"), [3])
    (('mul', 2, 'x'), 6)
    """
    if type(pattern) is tuple:
        if len(pattern) == 2:
            return build(pattern[0], fill(pattern[1], slots, build))
        return build(pattern[0], fill(pattern[1], slots, build), fill(pattern[2], slots, build))
    if type(pattern) is str and pattern in _SLOT:
        return slots[_SLOT[pattern]]  # type: ignore[no-any-return]
    return pattern


def write_out(symbol: str, *arguments: Term) -> Term:
    """A symbol applied to arguments, as it stands."""
    return (symbol, *arguments)


@dataclass(frozen=True, slots=True)
class Form:
    """One order of writing a pattern: what stands at its root and below it, and its checks.

    Probes are what must stand two levels below the root: argument, its argument, symbol or literal.
    """

    root: Head
    arguments: tuple[Head, ...]
    probes: tuple[tuple[int, int, Head], ...]
    checks: Checks


@dataclass(frozen=True, slots=True)
class DirectedRule:
    """A rule in one direction.

    >>> from equivec.algebra.rules.row import Rule
    >>> rule = direct(Rule("double angle of sine", "double angle", "sin(2*a)", "2*sin(a)*cos(a)"))
    >>> rule[1].rewrite(("mul", ("cos", "x"), ("mul", 2, ("sin", "x"))))
    ('sin', ('mul', 2, 'x'))
    """

    name: str
    family: str
    left: Term
    right: Term
    forms: tuple[Form, ...]
    guards: tuple[Guard, ...]
    search: Search | None
    build: Callable[..., Term]
    operators: int = field(init=False)
    growth: int = field(init=False)

    def __post_init__(self) -> None:
        # How many operators the left side has, and how many more the right side.
        object.__setattr__(self, "operators", measure(self.left)[0])
        object.__setattr__(self, "growth", measure(self.right)[0] - self.operators)

    def rewrite(self, term: Term) -> Term | None:
        """The right side, where the left side matches the term and the guards hold."""
        for form in self.forms:
            slots = match(form.checks, term)
            if slots is not None and self._admits(slots):
                return fill(self.right, slots, self.build)
        return None

    def rewrite_by(self, forms: tuple[Form, ...], term: Any) -> Term | None:
        """The same by some of the forms, whose root and arguments are known to fit the term."""
        for form in forms:
            # Most forms that do not match fail here, before anything is set up.
            for argument, place, head in form.probes:
                part = term[argument][place]
                if (part[0] if type(part) is tuple else part) != head:
                    break
            else:
                slots = match(form.checks, term)
                if slots is not None and self._admits(slots):
                    return fill(self.right, slots, self.build)
        return None

    def _admits(self, slots: Slots) -> bool:
        for test, pattern in self.guards:
            if not test(fill(pattern, slots)):
                return False
        return self.search is None or _solve(self.search, slots)


# A test, and the pattern of what it is put to.
Guard: TypeAlias = "tuple[Callable[[Any], bool], Term]"


@cache
def direct(rule: Rule) -> tuple[DirectedRule, ...]:
    """The one or two directions of a rule, made once in a process: they have thousands of forms."""
    left, right = parse_pattern(rule.left), parse_pattern(rule.right)
    found = frozenset(rule.search.found.split() if rule.search else ())
    build = write_out if rule.spelled else make
    sides = ((left, right), (right, left)) if rule.two_way else ((left, right),)
    for source, target in sides:
        unknown = letters_of(target) - letters_of(source) - found
        if unknown:
            raise ConfigError(
                f"rule {rule.name!r} cannot be used from {source!r} to {target!r}: "
                f"nothing tells what {', '.join(sorted(unknown))} is"
            )
    return tuple(
        DirectedRule(
            rule.name,
            rule.family,
            source,
            target,
            tuple(_forms(source)),
            tuple(_guards(rule, source)),
            rule.search,
            build,
        )
        for source, target in sides
    )


def match(checks: Checks, term: Term) -> Slots | None:
    """The terms that a pattern's letters stand for in a term; None where it does not match."""
    slots: Slots = [None] * len(_SLOT)
    stack = [term]
    for kind, value in checks:
        part = stack.pop()
        if kind == _OPEN:
            if type(part) is not tuple or part[0] != value:
                return None
            stack.extend(part[:0:-1])
        elif kind == _BIND:
            slots[value] = part
        elif kind == _LITERAL:
            if part != value:
                return None
        elif kind == _SAME:
            if part != slots[value]:
                return None
        elif type(part) is int:
            slots[value] = part
        else:
            return None
    return slots


def _solve(search: Search, slots: Slots) -> bool:
    """Whether the integers that a rule computes exist; if so, they are put into the slots."""
    values = search.by(*(slots[_SLOT[letter]] for letter in search.given.split()))
    if values is None:
        return False
    for letter, value in zip(search.found.split(), values, strict=True):
        slots[_SLOT[letter]] = value
    return True


_COMPARISON = re.compile(r"([kmn])(>=|<=|!=|>|<)(-?\d+|[kmn])")
_COMPARISONS: Mapping[str, Callable[[int, int], bool]] = {
    ">": operator.gt,
    "<": operator.lt,
    ">=": operator.ge,
    "<=": operator.le,
    "!=": operator.ne,
}


def _guards(rule: Rule, source: Term) -> Iterator[Guard]:
    """The guards of a rule that is used from the source pattern on."""
    if isinstance(source, str) and source in ANY_LETTERS:
        # A number is not dressed up: x + sinh(asinh(1)) is nobody's way to write x + 1.
        yield has_variables, source
    yield from _parse_guards(rule.guards)


def _parse_guards(text: str) -> Iterator[Guard]:
    for clause in filter(None, (clause.strip() for clause in text.split(","))):
        comparison = _COMPARISON.fullmatch(clause)
        if comparison is not None:
            yield _comparison(*comparison.groups())
            continue
        word, *arguments = clause.split()
        if word not in GUARDS or not arguments:
            raise ConfigError(f"{clause!r} is not a guard; use one of {', '.join(GUARDS)}")
        for argument in arguments:
            yield GUARDS[word], parse_pattern(argument)


def _comparison(left: str, sign: str, right: str) -> Guard:
    """A comparison of integers, as a test of their difference."""
    holds = _COMPARISONS[sign]
    # A difference too large to be folded stays a term, and the rule is not used.
    return lambda difference: type(difference) is int and holds(difference, 0), parse_pattern(
        f"{left}-({right})"
    )


def _forms(pattern: Term) -> Iterator[Form]:
    for order in dict.fromkeys(islice(_orders(pattern), _MOST_ORDERS)):
        arguments = order[1:] if isinstance(order, tuple) else ()
        yield Form(
            _head(order),
            tuple(map(_head, arguments)),
            tuple(map(_shared, _probes(order))),
            tuple(map(_shared, _checks(order))),
        )


@cache
def _shared(check: tuple[int, ...]) -> Any:
    """The check itself: thousands of forms consist of few different ones, which stay at hand."""
    return check


def _head(pattern: Term) -> Head:
    if isinstance(pattern, tuple):
        return str(pattern[0])
    if isinstance(pattern, str) and pattern in _SLOT:
        return None if pattern in ANY_LETTERS else ANY_INTEGER
    return pattern


def _probes(pattern: Term) -> Iterator[tuple[int, int, Head]]:
    arguments = pattern[1:] if isinstance(pattern, tuple) else ()
    for number, argument in enumerate(arguments, 1):
        for place, part in enumerate(argument[1:] if isinstance(argument, tuple) else (), 1):
            if _head(part) not in (None, ANY_INTEGER):
                yield number, place, _head(part)


def _checks(pattern: Term) -> Iterator[tuple[int, Any]]:
    seen: set[str] = set()
    stack = [pattern]
    while stack:
        part = stack.pop()
        if isinstance(part, tuple):
            yield _OPEN, part[0]
            stack.extend(part[:0:-1])
        elif isinstance(part, int) or part not in _SLOT:
            yield _LITERAL, part
        elif part in seen:
            yield _SAME, _SLOT[part]
        else:
            seen.add(part)
            yield _BIND if part in ANY_LETTERS else _BIND_INTEGER, _SLOT[part]


def _orders(pattern: Term) -> Iterator[Term]:
    """The ways to write a pattern: its sums and products in every order and grouping."""
    if type(pattern) is not tuple:
        yield pattern
    elif pattern[0] in COMMUTATIVE:
        parts = [list(_orders(part)) for part in operands(pattern[0], pattern)]
        for arrangement in product(*parts):
            for order in permutations(arrangement):
                yield from _groupings(pattern[0], order)
    else:
        for arguments in product(*map(_orders, pattern[1:])):
            yield (pattern[0], *arguments)


def _groupings(symbol: str, parts: tuple[Term, ...]) -> Iterator[Term]:
    """The ways to set parentheses in a sum or product."""
    if len(parts) == 1:
        yield parts[0]
    for split in range(len(parts) - 1, 0, -1):
        for left in _groupings(symbol, parts[:split]):
            for right in _groupings(symbol, parts[split:]):
                yield (symbol, left, right)
