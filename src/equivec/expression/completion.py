"""Which tokens may come next: an expression in prefix form is complete when no argument is missing.

A table for anyone who writes expressions token by token; it knows nothing of networks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from equivec.expression.grammar import DIGITS, INTEGER_SIGNS

if TYPE_CHECKING:
    from equivec.expression.grammar import Grammar
    from equivec.expression.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True)
class TokenTable:
    """For each token id, what it does to an unfinished expression."""

    opened: tuple[int, ...]  # the change in the number of open arguments
    is_sign: tuple[bool, ...]  # must be followed by a digit
    is_digit: tuple[bool, ...]  # may only follow a sign or another digit
    is_special: tuple[bool, ...]  # padding, start and end: no part of an expression

    @classmethod
    def of(cls, vocabulary: Vocabulary, grammar: Grammar) -> TokenTable:
        """The table of a vocabulary.

        >>> from equivec.expression.grammar import ELEMENTARY
        >>> from equivec.expression.vocabulary import Vocabulary
        >>> vocabulary = Vocabulary.of(ELEMENTARY)
        >>> table = TokenTable.of(vocabulary, ELEMENTARY)
        >>> [table.opened[id] for id in vocabulary.encode("add sin x INT+ 1 2".split())]
        [1, 0, -1, -1, 0, 0]
        """
        tokens = vocabulary.tokens
        return cls(
            tuple(_opened(token, grammar) for token in tokens),
            tuple(token in INTEGER_SIGNS for token in tokens),
            tuple(token in DIGITS for token in tokens),
            tuple(_is_special(token, grammar) for token in tokens),
        )


def _opened(token: str, grammar: Grammar) -> int:
    if token in grammar:
        return grammar[token].arity - 1
    return -1 if token in INTEGER_SIGNS else 0


def _is_special(token: str, grammar: Grammar) -> bool:
    return token not in grammar and token not in INTEGER_SIGNS and token not in DIGITS
