"""What the writers share: written text with how tightly it binds, and lists that stay lists."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from equivec.language.binding import names_bound_by
from equivec.language.operators import Binding
from equivec.language.reader.lists import is_statement
from equivec.language.tree import Tree, Variable, is_applied

if TYPE_CHECKING:
    from collections.abc import Sequence


# Signs that are read as looser where others stand beside them: a wedge beside a relation is logic,
# an equivalence beside logic joins statements.
LOOSE = {"wedge": Binding.RELATION, "vee": Binding.RELATION, "equivalent": Binding.IMPLIES}
# Beside these signs a pair in brackets is read as an interval.
SET_SIGNS = frozenset(
    "in not_in contains subset subset_or_equal proper_subset superset superset_or_equal union "
    "intersection without not_subset".split()
)


@dataclass(frozen=True, slots=True)
class Written:
    """Written text and how tightly its outermost sign binds."""

    text: str
    binding: int = Binding.ATOM


def separator(items: Sequence[Tree]) -> str:
    """A comma, or a semicolon where a comma would join a value to a relation."""
    statements = [is_statement(item) for item in items]
    return "; " if any(statements) and not all(statements) else ", "


def continues_sum(left: Tree, right: Tree) -> bool:
    """Whether a sum on the left would be read on over the term on the right."""
    while is_applied(left, "add", "sub"):
        left = left.arguments[1]
    if not is_applied(left, "sum", "prod") or len(left.arguments) < 2:
        return False
    bound = {name.base for name in names_bound_by(left.arguments[1])}
    return any(base in bound for base in bases(right))


def bases(tree: Tree) -> set[str]:
    """The bases of all names, those in scripts too."""
    found: set[str] = set()
    stack = [tree]
    while stack:
        node = stack.pop()
        if isinstance(node, Variable):
            found.add(node.base)
            stack += [script for script in (node.subscript, node.superscript) if script is not None]
        stack += node.arguments
    return found
