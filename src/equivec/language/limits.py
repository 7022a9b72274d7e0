"""How large a formula may be; what is larger is refused with a sentence, never cut."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from equivec.errors import ConfigError, LimitError

if TYPE_CHECKING:
    from equivec.language.tree import Tree


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The largest formula that is read or written."""

    characters: int = 20_000
    nodes: int = 4_000
    depth: int = 200
    digits: int = 1_000
    nesting: int = 60  # brackets and groups within each other, while text is read

    def __post_init__(self) -> None:
        for field in fields(self):
            if getattr(self, field.name) < 1:
                raise ConfigError(
                    f"the limit on {field.name} must be at least 1, not {getattr(self, field.name)}"
                )


DEFAULT_LIMITS = Limits()


def check_length(text: str, limits: Limits) -> None:
    """Refuse text longer than the limit, before anything else looks at it."""
    if len(text) > limits.characters:
        raise LimitError(
            f"the text has {len(text):,} characters; at most {limits.characters:,} are read"
        )


def check_tree(tree: Tree, limits: Limits = DEFAULT_LIMITS) -> Tree:
    """The tree itself, refused when it is too large or too deep."""
    if tree.size > limits.nodes:
        raise LimitError(
            f"the formula has {tree.size:,} nodes; at most {limits.nodes:,} are handled"
        )
    if tree.depth > limits.depth:
        raise LimitError(
            f"the formula is {tree.depth:,} levels deep; at most {limits.depth:,} are handled"
        )
    return tree
