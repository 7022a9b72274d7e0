"""The table of rules: laws between expressions, family by family.

Variables are positive reals. Under its guards every row is true and preserves the domain: both
sides are defined at the same points, but for isolated ones. An expression is defined only where
every part of it is real.
"""

from __future__ import annotations

from equivec.algebra.rules import (
    arithmetic,
    constants,
    hyperbolics,
    inverses,
    logarithms,
    powers,
    trigonometry,
)
from equivec.algebra.rules.row import Rule

__all__ = ["RULES", "Rule"]

RULES: tuple[Rule, ...] = (
    *arithmetic.RULES,
    *powers.RULES,
    *logarithms.RULES,
    *trigonometry.RULES,
    *hyperbolics.RULES,
    *inverses.RULES,
    *constants.RULES,
)
