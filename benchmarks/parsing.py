"""Texts read per second: infix beside `parse_expr`, LaTeX beside `parse_latex`, prefix alone.

The texts are SymPy's own prints of random expressions, so that each side reads what it knows.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import sympy
from sympy.parsing.latex import LaTeXParsingError
from sympy.parsing.latex import parse_latex as sympy_parse_latex

from benchmarks.timing import Row, duel, solo, typical
from benchmarks.work import sample_sympy, sample_trees
from equivec import EquivecError, Node, parse_infix, parse_latex, parse_prefix, write_prefix

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_INFIX, _LATEX, _PREFIX, _WARM_UP = 1_000, 200, 5_000, 20
_INFIX_GOAL, _LATEX_GOAL = 10.0, 50.0


def parsing(seed: int) -> Iterator[Row]:
    """Rates at the median text, over the texts that both sides read, and how many those are."""
    generator = random.Random(seed)
    expressions = [expression for _, expression in sample_sympy(generator, _INFIX + _WARM_UP)]
    infix = [str(expression) for expression in expressions]
    yield from _race("infix", infix, parse_infix, sympy.parse_expr, _INFIX_GOAL)
    latex = [sympy.latex(expression) for expression in expressions[: _LATEX + _WARM_UP]]
    yield from _race("LaTeX", latex, parse_latex, sympy_parse_latex, _LATEX_GOAL)
    prefix = [write_prefix(tree) for tree in sample_trees(generator, _PREFIX)]
    ours = 1 / typical(solo(prefix, parse_prefix))
    yield Row(benchmark="parsing", what="prefix", ours=ours, unit="texts/s")


def _race(
    what: str,
    texts: list[str],
    ours: Callable[[str], Node],
    alternative: Callable[[str], Any],
    goal: float,
) -> Iterator[Row]:
    bouts = list(duel(texts, lambda text: _read(ours, text), lambda text: _read(alternative, text)))
    bouts = bouts[_WARM_UP:]
    both = [bout for bout in bouts if None not in (bout.ours.result, bout.alternative.result)]
    our_time = typical(bout.ours for bout in both)
    other_time = typical(bout.alternative for bout in both)
    yield Row(
        benchmark="parsing",
        what=what,
        ours=1 / our_time,
        alternative=1 / other_time,
        unit="texts/s",
        ratio=other_time / our_time,
        goal=goal,
    )
    yield Row(
        benchmark="parsing",
        what=f"{what}, of {len(bouts)} texts read",
        ours=sum(bout.ours.result is not None for bout in bouts),
        alternative=sum(bout.alternative.result is not None for bout in bouts),
        unit="texts",
    )


def _read(parse: Callable[[str], Any], text: str) -> Any | None:
    """What the text spells, or None where it is refused."""
    try:
        return parse(text)
    except (EquivecError, LaTeXParsingError):
        return None
