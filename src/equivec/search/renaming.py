"""Names of variables that do not matter: letters by order of appearance, and all ways to match.

A stored expression is renamed once: its first variable becomes x, the second y, and so on. Equal
functions may still differ in which variable comes first, so a query is tried under every way to
give its variables these letters.
"""

from __future__ import annotations

from itertools import islice, permutations
from typing import TYPE_CHECKING

from equivec.expression.grammar import ELEMENTARY

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from equivec.expression.tree import Node

LETTERS = ELEMENTARY.variables
# All orders of five variables; of more, those that leave the first ones in place.
_MOST_RENAMINGS = 120
# An expression may name variables that its function does not depend on, as y - y + x does.
_FEWEST_LETTERS = 3


def names_in_order(*trees: Node) -> tuple[str, ...]:
    """The variables in the order in which they first appear.

    >>> from equivec.expression.text import parse
    >>> names_in_order(parse("q/p + q"))
    ('q', 'p')
    """
    found: dict[str, None] = {}
    for tree in trees:
        names = tree.variables
        found.update((str(node.symbol), None) for node in tree.walk() if node.symbol in names)
    return tuple(found)


def canonical(*trees: Node) -> list[Node]:
    """The trees under common letters, given by order of appearance.

    >>> from equivec.expression.text import parse, write
    >>> [write(tree) for tree in canonical(parse("q/p"), parse("p**2"))]
    ['x/y', 'y**2']
    """
    names = dict(zip(names_in_order(*trees), LETTERS, strict=False))
    return [tree.rename(names) for tree in trees]


def renamings(tree: Node) -> Iterator[dict[str, str]]:
    """The ways to give a tree's variables canonical letters; order of appearance is the first.

    >>> from equivec.expression.text import parse
    >>> list(renamings(parse("sin(t)")))
    [{'t': 'x'}, {'t': 'y'}, {'t': 'z'}]
    """
    names = names_in_order(tree)
    letters = LETTERS[: max(_FEWEST_LETTERS, len(names))] if names else ()
    for chosen in islice(permutations(letters, len(names)), _MOST_RENAMINGS):
        yield dict(zip(names, chosen, strict=True))


def names_of_letters(letters: Mapping[str, str], names: Iterable[str]) -> dict[str, str]:
    """Where a query's variables go in an expression with these names, in order of appearance.

    >>> names_of_letters({"a": "y", "b": "x"}, ("p", "q"))
    {'a': 'q', 'b': 'p'}
    >>> names_of_letters({"a": "x", "b": "y"}, ("b",))
    {'a': 'b', 'b': 'x'}
    """
    given = tuple(names)
    free = (letter for letter in LETTERS if letter not in given)
    own = dict(zip(LETTERS, (*given, *free), strict=True))
    return {name: own[letter] for name, letter in letters.items()}
