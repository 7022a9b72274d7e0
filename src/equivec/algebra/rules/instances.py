"""Instances of rules: terms in which a rule finds its left side, and what it makes of them."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from equivec.algebra.rules.patterns import (
    ANY_LETTERS,
    INTEGER_LETTERS,
    fill,
    letters_of,
    parse_pattern,
    write_out,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    from equivec.algebra.rules.patterns import DirectedRule
    from equivec.algebra.rules.terms import Term

_LETTERS = ANY_LETTERS + INTEGER_LETTERS
_ATTEMPTS = 2_000
_INTEGERS = (*range(-8, 13), 16, 18, 20, 24, 27)

# What usually stands in the place of a letter.
SUBTERMS: tuple[Term, ...] = tuple(
    parse_pattern(text)
    for text in (
        *("x", "x", "x", "x", "2*x", "3*x", "x/2", "x + 1", "x - 1", "x**2", "1/x", "sqrt(x)"),
        *("exp(x)", "log(x)", "sin(x)", "cos(x)", "tan(x)", "sinh(x)", "cosh(x)", "tanh(x)"),
        *("atan(x)", "x**3", "exp(-x)", "x**2 + 1", "2", "3", "5", "1/2"),
    )
)


def sample_subterm(random: Random) -> Term:
    """A small term in x."""
    return random.choice(SUBTERMS)


def sample_instance(
    rule: DirectedRule, random: Random, subterm: Callable[[Random], Term] = sample_subterm
) -> tuple[Term, Term] | None:
    """A random term that the rule rewrites at its root, and the result; None if none was found.

    Sources drawn in this way show all rules equally often, however rare they are in random trees.

    >>> from random import Random
    >>> from equivec.algebra.rules.patterns import direct
    >>> from equivec.algebra.rules.row import Rule
    >>> rule, _ = direct(Rule("tangent as a quotient", "quotient", "tan(a)", "sin(a)/cos(a)"))
    >>> sample_instance(rule, Random(1), lambda random: "x")
    (('tan', 'x'), ('div', ('sin', 'x'), ('cos', 'x')))
    """
    letters = letters_of(rule.left)
    for _ in range(_ATTEMPTS):
        slots = [
            None
            if letter not in letters
            else subterm(random)
            if letter in ANY_LETTERS
            else random.choice(_INTEGERS)
            for letter in _LETTERS
        ]
        pair = _apply(rule, slots)
        if pair is not None:
            return pair
    return None


def simplest_instance(rule: DirectedRule) -> tuple[Term, Term]:
    """The first instance with a variable for every letter, where the guards admit that."""
    letters = letters_of(rule.left)
    choices = [_simple(letter) if letter in letters else (None,) for letter in _LETTERS]
    return next(pair for slots in product(*choices) if (pair := _apply(rule, list(slots))))


def _simple(letter: str) -> tuple[Term, ...]:
    if letter in INTEGER_LETTERS:
        return (*range(2, 13), -1, -2, -3, -4, -8, -9, 1, 18, 0)
    variable = "xyzt"[ANY_LETTERS.index(letter)]
    shifted = ("add", variable, 1)
    return (variable, ("sin", variable), shifted, ("mul", -1, variable), 2)


def _apply(rule: DirectedRule, slots: list[Term | None]) -> tuple[Term, Term] | None:
    left = fill(rule.left, slots, write_out)
    right = rule.rewrite(left)
    return None if right is None or right == left else (left, right)
