"""Which expressions a search may answer with, by what can be seen without computing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from equivec.errors import ConfigError, require_at_least
from equivec.expression.grammar import ALIASES, ELEMENTARY

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from equivec.expression.tree import Node
    from equivec.search.entries import Traits

# A symbol's bit in the 64-bit set of those that an expression contains.
SYMBOLS = tuple(symbol.name for symbol in ELEMENTARY.symbols)
_BITS = {name: 1 << place for place, name in enumerate(SYMBOLS)}
assert len(SYMBOLS) <= 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """Symbols that must or must not occur, and how many operators and variables there may be.

    >>> Filter(contains={"sin"}, max_operators=5).max_operators
    5
    >>> Filter(contains={"sine"})
    Traceback (most recent call last):
    equivec.errors.ConfigError: 'sine' is not a symbol of expressions; did you mean 'sin'?
    """

    contains: frozenset[str] | set[str] = frozenset()
    excludes: frozenset[str] | set[str] = frozenset()
    min_operators: int = 0
    max_operators: int | None = None
    variables: int | None = None

    def __post_init__(self) -> None:
        for side in ("contains", "excludes"):
            known = frozenset(_known(name) for name in getattr(self, side))
            object.__setattr__(self, side, known)
        if both := sorted(self.contains & self.excludes):
            raise ConfigError(f"{both[0]!r} cannot be both contained and excluded")
        highest = np.inf if self.max_operators is None else self.max_operators
        require_at_least(0, min_operators=self.min_operators)
        if self.min_operators > highest:
            raise ConfigError(
                f"no number of operators lies between {self.min_operators} and {self.max_operators}"
            )
        require_at_least(0, variables=self.variables)

    @property
    def admits_all(self) -> bool:
        """Whether nothing is left out."""
        return self == EVERYTHING

    def admits(self, traits: Traits) -> NDArray[np.bool_]:
        """Whether each row may be an answer."""
        required, forbidden = (
            np.uint64(symbol_set(names)) for names in (self.contains, self.excludes)
        )
        mask: NDArray[np.bool_] = (traits.symbols & required) == required
        mask &= (traits.symbols & forbidden) == 0
        mask &= traits.operators >= self.min_operators
        if self.max_operators is not None:
            mask &= traits.operators <= self.max_operators
        if self.variables is not None:
            mask &= traits.variables == self.variables
        return mask


EVERYTHING = Filter()


def symbol_set(names: Iterable[str]) -> int:
    """A set of symbols as bits."""
    bits = 0
    for name in names:
        bits |= _BITS[name]
    return bits


def symbols_of(tree: Node) -> set[str]:
    """The symbols that occur in a tree, numbers left out."""
    return {node.symbol for node in tree.walk() if isinstance(node.symbol, str)}


def _known(name: str) -> str:
    """The symbol that a name, also another spelling of it, stands for."""
    symbol = ELEMENTARY.by_infix.get(name) or ELEMENTARY.by_name.get(ALIASES.get(name, name))
    if symbol is None:
        nearest = ELEMENTARY.suggest(name)
        hint = f"; did you mean {nearest!r}?" if nearest else f"; use {', '.join(SYMBOLS)}"
        raise ConfigError(f"{name!r} is not a symbol of expressions{hint}")
    return symbol.name
