"""The table of rules as a page: `python -m equivec.algebra.rules.table > docs/rules.md`."""

from __future__ import annotations

import sys
from itertools import groupby
from typing import TYPE_CHECKING

from equivec.algebra.rules import RULES
from equivec.algebra.rules.instances import simplest_instance
from equivec.algebra.rules.patterns import direct
from equivec.algebra.rules.terms import from_tuple
from equivec.expression.infix import write_infix

if TYPE_CHECKING:
    from collections.abc import Iterable

    from equivec.algebra.rules import Rule

_HEAD = """\
# The rules

{count} rules in {families} families. Variables are positive reals; `a b c d` stand for any term,
`k m n p q` for integers. Under its guards a rule is true and preserves the domain, but for isolated
points. `=` is used both ways, `→` from left to right only.
"""
_COLUMNS = "| rule | law | guards | example |\n| --- | --- | --- | --- |"


def write_table(rules: Iterable[Rule] = RULES) -> str:
    """The page: a table for each family, with an example for each rule."""
    families = [(name, list(rows)) for name, rows in groupby(rules, lambda rule: rule.family)]
    count = sum(len(rows) for _, rows in families)
    parts = [_HEAD.format(count=f"{count:,}", families=len(families))]
    parts += [_section(name, rows) for name, rows in families]
    return "\n".join(parts)


def _section(name: str, rules: list[Rule]) -> str:
    rows = "\n".join(map(_row, rules))
    return f"## {name[0].upper()}{name[1:]}\n\n{_COLUMNS}\n{rows}\n"


def _row(rule: Rule) -> str:
    sign = "=" if rule.two_way else "→"
    law = f"`{rule.left}` {sign} `{rule.right}`"
    left, right = (write_infix(from_tuple(term)) for term in simplest_instance(direct(rule)[0]))
    return f"| {rule.name} | {law} | {rule.guards} | `{left}` = `{right}` |"


if __name__ == "__main__":
    sys.stdout.write(write_table())
