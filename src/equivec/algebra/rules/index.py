"""Which rules may apply to a term, told by the symbols at and just below its root."""

from __future__ import annotations

from bisect import bisect
from collections import defaultdict
from dataclasses import dataclass
from itertools import accumulate, chain, count, product
from typing import TYPE_CHECKING, TypeAlias

from equivec.algebra.rules.patterns import ANY_INTEGER

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from random import Random

    from equivec.algebra.rules.patterns import DirectedRule, Form, Head
    from equivec.algebra.rules.terms import Term

Key: TypeAlias = tuple[str | int, ...]
# A form's place in the order of all forms, the number of its rule, and the form.
_Ranked: TypeAlias = "tuple[int, int, Form]"

# Stand for every variable, and for every integer that no pattern names.
_VARIABLE = "x"
_OTHER_INTEGER = 1 << 40
_CONSTANTS = frozenset(("pi", "E"))


@dataclass(frozen=True, slots=True)
class Candidates:
    """Rules with the forms of theirs that may match, and the running sum of their weights."""

    rules: tuple[tuple[DirectedRule, tuple[Form, ...]], ...]
    bounds: tuple[float, ...]

    def draw(self, random: Random) -> tuple[DirectedRule, tuple[Form, ...]]:
        """A rule by its weight."""
        return self.rules[bisect(self.bounds, random.random() * self.bounds[-1])]


class RuleIndex:
    """Finds the rules that may apply to a term; each kind of term is looked up once.

    >>> from equivec.algebra.rules.patterns import direct
    >>> from equivec.algebra.rules.row import Rule
    >>> ways = direct(Rule("tangent as a quotient", "quotient", "tan(a)", "sin(a)/cos(a)"))
    >>> index = RuleIndex([(way, 1.0) for way in ways])
    >>> len(index.candidates(("tan", "x")).rules), len(index.candidates(("sin", "x")).rules)
    (1, 0)
    """

    def __init__(self, weighted: Iterable[tuple[DirectedRule, float]]) -> None:
        self._weighted = tuple(weighted)
        # Forms, with their rank and their rule's, by what they have at the root and just below it.
        self._forms: dict[tuple[Head, ...], list[_Ranked]] = defaultdict(list)
        self._literals: set[Head] = set()
        self._known: dict[Key, Candidates] = {}
        ranks = count()
        for number, (rule, _) in enumerate(self._weighted):
            for form in rule.forms:
                self._forms[form.root, *form.arguments].append((next(ranks), number, form))
                self._literals.update((form.root, *form.arguments))

    def candidates(self, term: Term) -> Candidates:
        """The rules that may apply to a term at its root."""
        if isinstance(term, tuple):
            key: Key = (
                term[0],
                *[part[0] if type(part) is tuple else self._leaf(part) for part in term[1:]],
            )
        else:
            key = (self._leaf(term),)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._find(key)
        return found

    def _leaf(self, leaf: str | int) -> str | int:
        if type(leaf) is int:
            return leaf if leaf in self._literals else _OTHER_INTEGER
        return leaf if leaf in _CONSTANTS else _VARIABLE

    def _find(self, key: Key) -> Candidates:
        found: dict[int, list[Form]] = defaultdict(list)
        for places in _places(key):
            for _, number, form in sorted(chain(*(self._forms.get(place, ()) for place in places))):
                found[number].append(form)
        numbers = sorted(found)
        return Candidates(
            tuple((self._weighted[number][0], tuple(found[number])) for number in numbers),
            tuple(accumulate(self._weighted[number][1] for number in numbers)),
        )


def _places(key: Key) -> Iterator[list[tuple[Head, ...]]]:
    """What a form may have at its root and below it to match a term with this key.

    Those with the same first argument stand together, the most special first.
    """
    root, *arguments = key
    if arguments:
        first, *others = map(_heads, arguments)
        for head in first:
            yield [(root, head, *rest) for rest in product(*others)]
    else:
        yield [(root,)]
    if not arguments and type(root) is int:
        yield [(ANY_INTEGER,)]
    yield [(None,)]


def _heads(found: str | int) -> tuple[Head, ...]:
    return (found, ANY_INTEGER, None) if type(found) is int else (found, None)
