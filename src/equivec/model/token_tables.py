"""What tokens are, as tables: types of operators, variables, and what may stand in their place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from equivec.expression.completion import TokenTable
from equivec.expression.grammar import ARITHMETIC, DIGITS, OPERATOR_TYPES
from equivec.expression.vocabulary import Vocabulary

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from equivec.expression.grammar import Grammar

NO_MUTANTS = "none"
# What may be replaced in a mutant: digits, or symbols of so many arguments.
MUTANTS: Mapping[str, frozenset[object]] = {
    NO_MUTANTS: frozenset(),
    "operators": frozenset({1, 2}),
    "all": frozenset({"digit", 0, 1, 2}),
}
_CHOICES = 60  # how many alternatives a row of the table has; a multiple keeps them nearly even


def operator_types(grammar: Grammar) -> NDArray[np.uint8]:  # (tokens,)
    """For each token id a bit for the type of operator that it is; arithmetic has none."""
    vocabulary = Vocabulary.of(grammar)
    table = np.zeros(len(vocabulary), dtype=np.uint8)
    rows = (names for name, names in OPERATOR_TYPES.items() if name != ARITHMETIC)
    for place, names in enumerate(rows):
        table[vocabulary.encode(sorted(filter(grammar.__contains__, names)))] = 1 << place
    return table


def variable_bits(grammar: Grammar) -> NDArray[np.uint16]:  # (tokens,)
    """For each token id a bit if it is a variable."""
    vocabulary = Vocabulary.of(grammar)
    table = np.zeros(len(vocabulary), dtype=np.uint16)
    variables = vocabulary.encode(grammar.variables)
    table[variables] = 1 << np.arange(len(variables))
    return table


def operators_on_variables(
    ids: NDArray[np.uint8], grammar: Grammar
) -> NDArray[np.bool_]:  # (tokens of all expressions,)
    """Which tokens of expressions in prefix form are operators on what has a variable in it.

    In sinh(x*cos(2)) all but cos are. The arguments of such an operator are not complete before the
    next variable: up to there never fewer are open than were before it.
    """
    table = TokenTable.of(Vocabulary.of(grammar), grammar)
    opened = np.array(table.opened, dtype=np.int8)
    is_operator = (opened >= 0) & ~np.array(table.is_digit)
    places = np.flatnonzero(is_operator[ids])
    opened = opened[ids]
    still_open = np.cumsum(opened, dtype=np.int32)  # so many arguments after each token
    is_variable = variable_bits(grammar)[ids] > 0
    following = np.where(is_variable, np.arange(len(ids)), len(ids))
    following = np.minimum.accumulate(following[::-1])[::-1]
    spans = np.stack([places, following[places]], axis=1).ravel()
    fewest = np.minimum.reduceat(np.append(still_open, 0), spans)[::2]
    found = np.zeros(len(ids), dtype=np.bool_)
    found[places] = fewest >= (still_open - opened)[places]
    return found


def bits_of_members(
    bits: NDArray[np.unsignedinteger], lengths: NDArray[np.integer[Any]]
) -> NDArray[np.int64]:  # (expressions,)
    """The bits of all tokens of each expression."""
    ends = np.cumsum(lengths.astype(np.int64))
    return np.bitwise_or.reduceat(bits, ends - lengths).astype(np.int64)


def shortest_members(
    lengths: NDArray[np.integer[Any]], sizes: NDArray[np.integer[Any]]
) -> NDArray[np.int64]:  # (clusters,)
    """The place of the shortest member of each cluster among all expressions."""
    owners = np.repeat(np.arange(len(sizes)), sizes)
    order = np.lexsort((lengths, owners))
    return order[np.cumsum(sizes.astype(np.int64)) - sizes]


def alternatives(grammar: Grammar, mutants: str) -> list[list[int]]:
    """For each token id, tokens that may stand in its place and mean something else.

    Signs stay: below an even function they mean nothing. Variables stay: they are renamed instead.
    """
    vocabulary = Vocabulary.of(grammar)
    kinds: dict[object, list[str]] = {"digit": list(DIGITS[1:])} if grammar.has_integers else {}
    for symbol in grammar.symbols:
        if not symbol.is_variable:
            kinds.setdefault(symbol.arity, []).append(symbol.name)
    kinds = {kind: names for kind, names in kinds.items() if kind in MUTANTS[mutants]}
    table = [[place] * _CHOICES for place in range(len(vocabulary))]
    for names in kinds.values():
        for place in vocabulary.encode(names):
            others = [other for other in vocabulary.encode(names) if other != place]
            table[place] = [others[choice % len(others)] for choice in range(_CHOICES)]
    return table
