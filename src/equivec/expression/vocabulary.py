"""Tokens as numbers: what a network reads and writes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from equivec.errors import ParseError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from equivec.expression.grammar import Grammar

PADDING, START, END = "PAD", "SOE", "EOE"
SPECIAL_TOKENS = (PADDING, START, END)
PADDING_ID, START_ID, END_ID = range(3)  # in every vocabulary


@dataclass(frozen=True)
class Vocabulary:
    """An ordered list of tokens; a token's id is its place.

    >>> from equivec.expression.grammar import ELEMENTARY
    >>> vocabulary = Vocabulary.of(ELEMENTARY)
    >>> ids = vocabulary.encode(["sin", "x"])
    >>> vocabulary.decode(ids)
    ['sin', 'x']
    """

    tokens: tuple[str, ...]

    @classmethod
    def of(cls, grammar: Grammar) -> Vocabulary:
        """The special tokens, then the tokens of a grammar."""
        return cls((*SPECIAL_TOKENS, *grammar.tokens))

    @cached_property
    def ids(self) -> Mapping[str, int]:
        """The id of each token."""
        return {token: index for index, token in enumerate(self.tokens)}

    def __len__(self) -> int:
        return len(self.tokens)

    def encode(self, tokens: Iterable[str]) -> list[int]:
        """The ids of tokens."""
        try:
            return [self.ids[token] for token in tokens]
        except KeyError as error:
            raise ParseError(f"{error.args[0]!r} is not a token of this vocabulary") from None

    def decode(self, ids: Iterable[int]) -> list[str]:
        """The tokens that ids stand for."""
        return [self.tokens[index] for index in ids]
