"""The cells of the SemVec tables: what is printed for a score, and when it reaches a goal.

A cell of ours is a number from a results file, with its steps, or says that it was not run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from equivec_reproduction.pages import NOT_RUN
from equivec_reproduction.semvec_results import FROM_ROWS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from equivec_reproduction.semvec_results import Results, ScoredNetwork

ABOVE, EQUAL, BELOW = "✓", "=", "✗"
MARKS_EXPLAINED = (
    f"{ABOVE} above, {EQUAL} equal, {BELOW} below, at the one decimal that papers print."
)


def mark(ours: float | None, goal: float) -> str:
    """How a score compares with a printed one, at its one decimal.

    >>> [mark(ours, 98.9) for ours in (99.2, 98.895, 98.3, None)]
    ['✓', '=', '✗ -0.6', 'not run']
    """
    if ours is None:
        return NOT_RUN
    printed = round(ours, 1)
    return ABOVE if printed > goal else EQUAL if printed == goal else f"{BELOW} {ours - goal:.1f}"


def count_marks(marks: Iterable[str], goal: str, ours: str = "Ours") -> str:
    """The sentence that sums marks up."""
    every = list(marks)
    above, equal, below = (
        sum(text.startswith(sign) for text in every) for sign in (ABOVE, EQUAL, BELOW)
    )
    not_run = f", not run on {count}" if (count := every.count(NOT_RUN)) else ""
    return (
        f"{ours} is above {goal} on {above} of {len(every)}, equal to it on {equal}, below it on "
        f"{below}{not_run}."
    )


def published_cell(value: float | None) -> str:
    """A published score, if there is one."""
    return "-" if value is None else f"{value:.1f}"


def percent_cell(share: float | None) -> str:
    """A share in percent, if there is one."""
    return "-" if share is None else f"{100 * share:.1f}%"


def our_cell(network: ScoredNetwork | None, split: str) -> str:
    """A score of ours with its steps."""
    score = network.score_5(split) if network else None
    return NOT_RUN if network is None or score is None else f"{score:.1f} ({network.steps:,})"


def chosen_cells(results: Results, dataset: str, split: str, goal: float) -> tuple[str, str, str]:
    """Of the networks of training rows the one chosen on validation: score, name, and mark."""
    network = results.of(dataset, *FROM_ROWS)
    score = network.score_5(split) if network else None
    if network is None or score is None:
        return NOT_RUN, NOT_RUN, NOT_RUN
    return f"{score:.1f}", network.name, mark(score, goal)


def ceiling_cell(results: Results, dataset: str, split: str) -> str:
    """The highest score that the metric allows."""
    value = results.ceiling(dataset, split)
    return NOT_RUN if value is None else f"{value:.1f}"
