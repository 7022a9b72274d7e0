"""Clusters of equivalent expressions: random walks through the table of rules.

A walk starts at the source; each step rewrites one place of the expression by one rule. What is
met on the way is equivalent to the source as far as the rules go: the judge has the last word.
"""

from __future__ import annotations

from bisect import bisect
from collections import Counter
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import TYPE_CHECKING, TypeAlias

from equivec.algebra.rules import RULES
from equivec.algebra.rules.folding import make
from equivec.algebra.rules.index import RuleIndex
from equivec.algebra.rules.patterns import direct
from equivec.algebra.rules.terms import (
    COMMUTATIVE,
    canonical_key,
    from_tuple,
    operands,
    to_tuple,
)
from equivec.errors import ConfigError, require_at_least

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from random import Random

    from equivec.algebra.rules import Rule
    from equivec.algebra.rules.patterns import DirectedRule
    from equivec.algebra.rules.terms import Term
    from equivec.expression.tree import Node

# How often a family is drawn compared with the others, which have 1: laws that apply nearly
# everywhere less often, the textbook's identities that seldom apply more often.
FAMILY_WEIGHTS: Mapping[str, float] = {
    "order": 0.15,
    **dict.fromkeys(("shift", "cofunction"), 0.3),
    **dict.fromkeys(("signs", "like terms", "division", "spelling of numbers"), 0.5),
    **dict.fromkeys(
        (
            *("partial fractions", "binomials", "special products", "completing the square"),
            *("factoring", "nested radicals", "rationalised denominators", "change of base"),
            *("Pythagorean", "sum and difference", "double angle", "triple angle", "half angle"),
            *("power reduction", "product to sum", "sum to product", "harmonic addition"),
            *("hyperbolic Pythagorean", "hyperbolic sum and difference"),
            *("hyperbolic double and half", "hyperbolic powers and products"),
            *("exponential forms", "inverse hyperbolics"),
        ),
        3.0,
    ),
}
# Rules with a bare letter on the left match everywhere; this is their weight.
_LEAST_WEIGHT = 0.02
# Draws of a rule at one place and of a place in one term, and forms of a rule, before giving up.
_DRAWS, _PLACES, _FORMS = 5, 5, 6
_LEAF_SHARE = 0.03
# Members are chosen from this many times as many.
_SURPLUS = 1.3
_REGROUPED_SHARE = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class RewritingConfig:
    """How large clusters and their members become, and how they are looked for."""

    min_members: int = 8
    max_members: int = 16
    walks: int = 10
    steps: int = 7
    max_operators: int = 8
    growth: int = 4
    detour: int = 2
    restraint: float = 0.8
    max_tokens: int = 40
    reordered: int = 1
    # Compared, but not hashed: a dict has no hash.
    weights: Mapping[str, float] = field(default_factory=lambda: FAMILY_WEIGHTS, hash=False)

    def __post_init__(self) -> None:
        if not 1 <= self.min_members <= self.max_members:
            raise ConfigError(
                f"min_members must lie between 1 and max_members, not at {self.min_members}"
            )
        require_at_least(
            1,
            walks=self.walks,
            steps=self.steps,
            max_operators=self.max_operators,
            max_tokens=self.max_tokens,
        )
        require_at_least(0, growth=self.growth, detour=self.detour, reordered=self.reordered)
        if not 0 < self.restraint <= 1:
            raise ConfigError(
                f"restraint must lie above 0 and at most at 1, not at {self.restraint}"
            )

    def operator_limit(self, source: int) -> int:
        """The most operators a member may have: no more than the source, if that has too many."""
        return max(source, min(source + self.growth, self.max_operators))

    def token_limit(self, source: int) -> int:
        """The most tokens a member may have."""
        return max(source, self.max_tokens)


@dataclass(frozen=True, slots=True)
class Variant:
    """An expression equivalent to the source, and the names of the rules that led there."""

    tree: Node
    rules: tuple[str, ...]


class Rewriter:
    """Finds clusters of equivalents.

    >>> from random import Random
    >>> from equivec.expression.text import parse
    >>> cluster = Rewriter().cluster(parse("sin(2*x)"), Random(1))
    >>> 8 <= len(cluster) <= 16, parse("sin(2*x)") in [variant.tree for variant in cluster]
    (True, False)
    """

    def __init__(
        self, rules: Iterable[Rule] = RULES, config: RewritingConfig | None = None
    ) -> None:
        self.config = config or RewritingConfig()
        _check_families(self.config.weights)
        self._index = RuleIndex(
            [(way, self._weight(way)) for rule in rules for way in direct(rule)]
        )

    def cluster(self, source: Node, random: Random) -> list[Variant]:
        """Different equivalents of a source, itself left out; fewer where the rules find fewer."""
        term = to_tuple(source)
        wanted = random.randint(self.config.min_members, self.config.max_members)
        found = self._explore(term, _SURPLUS * wanted, random)
        return [
            Variant(from_tuple(member), found[member])
            for member in self._select(term, list(found), wanted, random)
        ]

    def step(self, term: Term, random: Random) -> tuple[Term, str] | None:
        """The term rewritten at a random place, and the rule's name; None if none was found."""
        return self._step(_Places(term), self.config.max_operators, random)

    def _step(self, places: _Places, room: int, random: Random) -> tuple[Term, str] | None:
        """The same, by a rule that adds no more operators than there is room for."""
        for _ in range(_PLACES):
            place = places.draw(random)
            part, rest = _regroup(place[0], random)
            found = self._rewrite(part, room, random)
            if found is not None:
                new, name = found
                if rest is not None:
                    new = make(part[0], rest, new)  # type: ignore[index]
                return places.replace(place, new), name
        return None

    def _explore(self, source: Term, wanted: float, random: Random) -> dict[Term, tuple[str, ...]]:
        """Terms met on walks from the source that are within the limits, with their histories."""
        start = _Places(source)
        most_operators = self.config.operator_limit(len(start.inner))
        most_tokens = self.config.token_limit(start.tokens)
        found: dict[Term, tuple[str, ...]] = {}
        for _ in range(self.config.walks):
            for places, history in self._walk(start, most_operators + self.config.detour, random):
                if len(places.inner) <= most_operators and places.tokens <= most_tokens:
                    found.setdefault(places.term, history)
            if len(found) >= wanted:
                break
        found.pop(source, None)
        return found

    def _walk(
        self, start: _Places, most_operators: int, random: Random
    ) -> Iterator[tuple[_Places, tuple[str, ...]]]:
        """What is met on one walk, with the rules so far; steps that lead too far are not taken."""
        places, history = start, tuple[str, ...]()
        for _ in range(self.config.steps):
            step = self._step(places, most_operators - len(places.inner), random)
            if step is None:
                return
            ahead = _Places(step[0])
            if len(ahead.inner) <= most_operators:
                places, history = ahead, (*history, step[1])
                yield places, history

    def _select(
        self, source: Term, found: list[Term], wanted: int, random: Random
    ) -> Iterator[Term]:
        """Members in random order, few of which are another one with its arguments reordered."""
        random.shuffle(found)
        keys = Counter((canonical_key(source),))
        reordered = count = 0
        for term in found:
            key = canonical_key(term)
            if keys[key]:
                if reordered == self.config.reordered:
                    continue
                reordered += 1
            keys[key] += 1
            yield term
            count += 1
            if count == wanted:
                return

    def _rewrite(self, term: Term, room: int, random: Random) -> tuple[Term, str] | None:
        """The term rewritten at its root by a rule drawn by weight."""
        rules, bounds = self._index.candidates(term)
        for _ in range(_DRAWS if rules else 0):
            rule, forms = rules[bisect(bounds, random.random() * bounds[-1])]
            if rule.growth > room:
                continue
            if len(forms) > 1:
                start = int(random.random() * len(forms))
                forms = (forms[start:] + forms[:start])[:_FORMS]
            new = rule.rewrite_by(forms, term)
            if new is not None and new != term:
                return new, rule.name
        return None

    def _weight(self, rule: DirectedRule) -> float:
        """A rule's weight: what matches rarely or makes the term smaller is tried first."""
        rarity = rule.operators or _LEAST_WEIGHT
        weight = self.config.weights.get(rule.family, 1.0) * rarity
        return weight * self.config.restraint ** max(0, rule.growth)


def _check_families(weights: Mapping[str, float]) -> None:
    known = dict.fromkeys(rule.family for rule in RULES)
    for name in weights:
        if name not in known:
            near = get_close_matches(name, known, n=1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise ConfigError(f"{name!r} is not a family of rules{hint}")


# A part of a term, the number of the part it is an argument of, and which argument it is.
_Place: TypeAlias = "tuple[Term, int, int]"


class _Places:
    """Every part of a term: those with arguments, and the leaves."""

    __slots__ = ("inner", "leaves", "term", "tokens")

    def __init__(self, term: Term) -> None:
        inner: list[_Place] = []
        leaves: list[_Place] = []
        number = digits = 0
        stack: list[_Place] = [(term, -1, 0)]
        while stack:
            place = stack.pop()
            part = place[0]
            if type(part) is tuple:
                inner.append(place)
                stack.append((part[1], number, 1))
                if len(part) == 3:
                    stack.append((part[2], number, 2))
                number += 1
            else:
                leaves.append(place)
                if type(part) is int:
                    digits += len(str(abs(part)))
        self.term, self.inner, self.leaves = term, inner, leaves
        self.tokens = len(inner) + len(leaves) + digits

    def draw(self, random: Random) -> _Place:
        """A random place; seldom a leaf, where hardly any rule applies."""
        is_leaf = not self.inner or random.random() < _LEAF_SHARE
        among = self.leaves if is_leaf else self.inner
        return among[int(random.random() * len(among))]

    def replace(self, place: _Place, new: Term) -> Term:
        """The term with another part at a place; what is above it is folded."""
        _, parent, argument = place
        while parent >= 0:
            part, above, above_argument = self.inner[parent]
            assert type(part) is tuple
            if len(part) == 2:
                new = make(part[0], new)
            elif argument == 1:
                new = make(part[0], new, part[2])
            else:
                new = make(part[0], part[1], new)
            parent, argument = above, above_argument
        return new


def _regroup(term: Term, random: Random) -> tuple[Term, Term | None]:
    """Two operands of a longer sum or product, and the rest: rules see any two as neighbours."""
    if type(term) is not tuple or term[0] not in COMMUTATIVE:
        return term, None
    symbol, first, last = term
    if not (type(first) is tuple and first[0] == symbol) and not (
        type(last) is tuple and last[0] == symbol
    ):
        return term, None
    if random.random() >= _REGROUPED_SHARE:
        return term, None
    parts = operands(symbol, term)
    random.shuffle(parts)
    rest = parts[2]
    for part in parts[3:]:
        rest = (symbol, rest, part)
    return (symbol, parts[0], parts[1]), rest
