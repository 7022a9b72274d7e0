"""Textbook identities: a development set. No training reads it, but training has most of it."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import resources
from typing import TYPE_CHECKING

from equivec.expression.infix import parse_infix

if TYPE_CHECKING:
    from equivec.expression.tree import Node


@dataclass(frozen=True, slots=True)
class Identity:
    """Two forms of one function of positive variables, and the chapter they belong to."""

    left: Node
    right: Node
    family: str

    @property
    def variables(self) -> frozenset[str]:
        """The names of the variables that occur on either side."""
        return self.left.variables | self.right.variables


def read_identities() -> tuple[Identity, ...]:
    """Every identity of the development set; several may be forms of one function.

    >>> from equivec.expression.infix import write_infix
    >>> first = read_identities()[0]
    >>> write_infix(first.left), write_infix(first.right), first.family
    ('sin(x)**2 + cos(x)**2', '1', 'Pythagorean')
    """
    file = resources.files("equivec.evaluate") / "data" / "identities.tsv"
    lines = file.read_text(encoding="utf-8").splitlines()
    return tuple(_identity(line) for line in lines if not line.startswith("#"))


def _identity(line: str) -> Identity:
    left, right, family = line.split("\t")
    return Identity(parse_infix(left), parse_infix(right), family)
