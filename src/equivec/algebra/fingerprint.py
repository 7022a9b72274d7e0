"""A short hash of the function itself, equal for equal expressions whatever their form.

The values at a few fixed points, computed with balls to far more bits than are kept, are rounded to
a grid and hashed. For two forms of one function this fails to match only where

- a form is undecidable at a fixed point: a zero in disguise stands where a sign is needed, as in
  sqrt(sin(x)**2 + cos(x)**2 - 1);
- the domains differ at a fixed point: sqrt(x)**2 and x over the reals; or
- a value lies within 2**-100 of a border of the grid, odds of about 2**-60.

A fingerprint belongs to a domain. Over positive numbers, as in the paper's corpora, |x| and x have
the same; who looks for the same formula in a document or in a check asks for it over the reals,
where points of both signs come behind the positive ones. So a function that exists for positive
numbers only is told from others no worse there.

Different functions share a fingerprint when they agree at all the fixed points to a dozen digits,
so a match is a candidate that `compare` must confirm; it never decides alone.
"""

from __future__ import annotations

import random
from functools import cache
from hashlib import blake2b
from string import ascii_lowercase
from typing import TYPE_CHECKING

from flint import arb, fmpq

from equivec.algebra.balls import BallEvaluator, Outcome, accuracy, working_precision
from equivec.algebra.points import PAPER_DOMAIN, Domain
from equivec.algebra.program import Program
from equivec.expression.text import as_tree

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from equivec.expression.tree import Node

# To be raised with every change that gives some expression another fingerprint: what is stored
# under the old ones would not be found under the new.
FINGERPRINT_VERSION = 1
_PRECISIONS = (192, 768, 3072)
_ACCURATE_BITS = 110
# Cells of the grid per unit of log(1 + |value|); the offset keeps round values off their borders.
_CELLS = 1 << 36
_OFFSET = fmpq(0x5DEECE66D2B3, 1 << 47)
_POINTS = 6
_UNDEFINED, _NOWHERE = "undefined", "nowhere"
_SEED = 1969


def fingerprint(expression: str | Node, domain: Domain = PAPER_DOMAIN) -> str:
    """The fingerprint of an expression over a domain, 16 hexadecimal digits.

    >>> fingerprint("abs(x)") == fingerprint("x")
    True
    >>> fingerprint("abs(x)", Domain.REAL) == fingerprint("x", Domain.REAL)
    False
    >>> fingerprint("sin(x)/cos(x)") == fingerprint("tan(x)") != fingerprint("cot(x)")
    True
    """
    return fingerprints([expression], domain)[0]


def fingerprints(expressions: Iterable[str | Node], domain: Domain = PAPER_DOMAIN) -> list[str]:
    """The fingerprints of expressions; subterms that they share are computed once."""
    domain = Domain(domain)  # accept the enum's string value
    program, roots = Program.of([as_tree(expression) for expression in expressions])
    constants: dict[int, dict[int, arb | Outcome]] = {bits: {} for bits in _PRECISIONS}
    near, far = (
        [
            [BallEvaluator(program, point, bits, constants[bits]) for bits in _PRECISIONS]
            for point in points
        ]
        for points in (_points(domain), _far_points(domain))
    )
    return [_hash(_cells(near, root) or _cells(far, root) or [_NOWHERE]) for root in roots]


def is_uninformative(value: str) -> bool:
    """Whether a fingerprint is shared by all functions that are undefined at every fixed point."""
    return value == _hash([_NOWHERE])


def _cells(ladders: list[list[BallEvaluator]], root: int) -> list[str]:
    """The cells at some points; none where the function is defined at no one of them."""
    cells = [_cell(ladder, root) for ladder in ladders]
    return cells if any(cell != _UNDEFINED for cell in cells) else []


@cache
def _points(domain: Domain) -> tuple[Mapping[str, float], ...]:
    """The fixed points: a value for every letter, the same whatever else is in the expression."""
    columns = {letter: _column(letter, domain) for letter in ascii_lowercase}
    return tuple(
        {letter: column[index] for letter, column in columns.items()}
        for index in range(len(columns["x"]))
    )


@cache
def _far_points(domain: Domain) -> tuple[Mapping[str, float], ...]:
    """The fixed points scaled up, for functions that begin further out, as log(x - 50) does."""
    scales = [float(16 << (3 * (index % _POINTS))) for index in range(len(_points(domain)))]
    return tuple(
        {letter: scale * value for letter, value in point.items()}
        for scale, point in zip(scales, _points(domain), strict=True)
    )


def _column(letter: str, domain: Domain) -> list[float]:
    """Short binary fractions on both sides of 1, where many domains end.

    Over the reals the same again follow, half of them negative.
    """
    generator = random.Random(_SEED + ord(letter))  # noqa: S311
    small = [generator.randrange(24, 250) / 256 for _ in range(_POINTS // 2)]
    large = [generator.randrange(262, 1400) / 256 for _ in range(_POINTS // 2)]
    column = [*small, *large]
    generator.shuffle(column)
    if domain is Domain.REAL:
        mixed = [-value if index % 2 else value for index, value in enumerate(column)]
        generator.shuffle(mixed)
        column += mixed
    return column


def _cell(evaluators: list[BallEvaluator], root: int) -> str:
    """The cell of the grid in which the value lies, or why there is none."""
    for evaluator, bits in zip(evaluators, _PRECISIONS, strict=True):
        value = evaluator.value(root)
        if value is Outcome.UNDEFINED:
            return _UNDEFINED
        if value is Outcome.UNDECIDED or isinstance(value, Outcome):
            continue
        is_small = value.rad() < 2.0**-_ACCURATE_BITS
        if is_small or accuracy(value) >= _ACCURATE_BITS:
            with working_precision(bits):
                size = (1 + abs(value)).log() * _CELLS
                cell = ((size if value >= 0 else -size) + arb(_OFFSET)).floor().unique_fmpz()
            if cell is not None:
                return str(cell)
    return "undecided"


def _hash(cells: list[str]) -> str:
    return blake2b(" ".join(cells).encode(), digest_size=8).hexdigest()
