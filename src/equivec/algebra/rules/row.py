"""What a row of the table of rules is, and how rows are written down."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from equivec.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True, slots=True)
class Search:
    """Integers of a rule's right side that are computed from integers of its left side.

    `by` takes the values of the letters in `given` and returns those of the letters in `found`,
    or None where there are none and the rule does not apply.
    """

    given: str
    found: str
    by: Callable[..., tuple[int, ...] | None]


@dataclass(frozen=True, slots=True)
class Rule:
    """A law between two patterns, true and domain-preserving under its guards.

    In a pattern the letters a b c d stand for any term and k m n p q for integers. Guards are
    separated by commas: `positive a b` names a test of `guards.GUARDS` and what it is put to,
    `n>2` compares an integer. A rule that is not two-way is used from left to right only. A
    `spelled` rule writes its right side as it stands: 2*3 is not folded to 6.

    >>> rule = Rule("double angle of sine", "double angle", "sin(2*a)", "2*sin(a)*cos(a)")
    >>> rule.two_way, rule.guards
    (True, '')
    """

    name: str
    family: str
    left: str
    right: str
    guards: str = ""
    two_way: bool = True
    search: Search | None = None
    spelled: bool = False

    def __post_init__(self) -> None:
        if self.search is not None and self.two_way:
            raise ConfigError(f"rule {self.name!r} computes integers, so it has one way only")


def family(name: str, table: str) -> tuple[Rule, ...]:
    """The rules of a family, one a line: `name | left = right | guards`, or `->` for one way.

    A line that begins with `|` goes on with the one before.

    >>> family("logarithms", "logarithm of an exponential | log(exp(a)) -> a")[0].two_way
    False
    """
    lines = (line.strip() for line in re.sub(r"\n\s*\|", " |", table).splitlines())
    return tuple(_row(name, line) for line in lines if line)


def _row(family: str, line: str) -> Rule:
    name, law, *guards = (column.strip() for column in line.split("|"))
    two_way = "->" not in law
    left, right = (side.strip() for side in law.split("=" if two_way else "->"))
    return Rule(name, family, left, right, guards[0] if guards else "", two_way)
