"""Which rules may apply to a term, told by the symbols at and just below its root."""

from __future__ import annotations

from collections import defaultdict
from itertools import accumulate, chain, product
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from equivec.algebra.rules.patterns import ANY_INTEGER

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from equivec.algebra.rules.patterns import DirectedRule, Form, Head
    from equivec.algebra.rules.terms import Term

Key: TypeAlias = tuple[str | int, ...]
# A rule, with the forms of its that may match.
Choice: TypeAlias = "tuple[DirectedRule, tuple[Form, ...]]"

# Stand for every variable, and for every integer that no pattern names.
_VARIABLE = "x"
_OTHER_INTEGER = 1 << 40
_CONSTANTS = frozenset(("pi", "E"))


class Candidates(NamedTuple):
    """Rules with the forms of theirs that may match, and the running sum of their weights."""

    rules: tuple[Choice, ...]
    bounds: tuple[float, ...]


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
        # Every form with its rule's number, and where those are with given heads.
        self._forms: list[tuple[int, Form]] = []
        self._places: dict[tuple[Head, ...], list[int]] = defaultdict(list)
        self._literals: set[Head] = set()
        self._known: dict[Key, Candidates] = {}
        # Kinds of terms share these: one each would be objects for the garbage collector to visit.
        self._choices: dict[tuple[int, ...], Choice] = {}
        for number, (rule, _) in enumerate(self._weighted):
            for form in rule.forms:
                self._places[form.root, *form.arguments].append(len(self._forms))
                self._forms.append((number, form))
                self._literals.update((form.root, *form.arguments))

    def candidates(self, term: Term) -> Candidates:
        """The rules that may apply to a term at its root."""
        if type(term) is not tuple:
            key: Key = (self._head(term),)
        elif len(term) == 2:
            key = (term[0], self._head(term[1]))
        else:
            key = (term[0], self._head(term[1]), self._head(term[2]))
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._find(key)
        return found

    def _head(self, part: Term) -> str | int:
        if type(part) is tuple:
            return part[0]  # type: ignore[no-any-return]
        if type(part) is int:
            return part if part in self._literals else _OTHER_INTEGER
        return part if part in _CONSTANTS else _VARIABLE

    def _find(self, key: Key) -> Candidates:
        found: dict[int, list[int]] = defaultdict(list)
        for heads in _heads_of_forms(key):
            for place in sorted(chain(*(self._places.get(each, ()) for each in heads))):
                found[self._forms[place][0]].append(place)
        numbers = sorted(found)
        return Candidates(
            tuple(self._choice(number, tuple(found[number])) for number in numbers),
            tuple(accumulate(self._weighted[number][1] for number in numbers)),
        )

    def _choice(self, number: int, places: tuple[int, ...]) -> Choice:
        if places not in self._choices:
            forms = tuple(self._forms[place][1] for place in places)
            self._choices[places] = self._weighted[number][0], forms
        return self._choices[places]


def _heads_of_forms(key: Key) -> Iterator[list[tuple[Head, ...]]]:
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
