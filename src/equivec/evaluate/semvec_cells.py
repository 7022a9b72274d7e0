"""The cells of the SemVec tables: what is printed for a score, and when it reaches a goal.

A cell of ours is a number from a results file, with its steps, or says that it was not run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from equivec.evaluate.pages import NOT_RUN

if TYPE_CHECKING:
    from collections.abc import Iterable

    from equivec.evaluate.semvec_results import Results, ScoredNetwork

AT_OR_ABOVE, ROUNDED, BELOW = "✓", "≈", "✗"
MARKS_EXPLAINED = (
    f"{AT_OR_ABOVE} at or above, or at the metric's ceiling; {ROUNDED} below, but equal at the one "
    f"decimal that the papers print; {BELOW} below."
)


def mark(ours: float | None, goal: float, ceiling: float | None) -> str:
    """Whether a score reaches a printed one, which rounding may have lifted above the ceiling.

    >>> [mark(ours, 98.9, 98.895) for ours in (98.895, 98.88, 98.3, None)]
    ['✓', '≈', '✗ -0.6', 'not run']
    """
    if ours is None:
        return NOT_RUN
    if ours >= min(goal, 100.0 if ceiling is None else ceiling):
        return AT_OR_ABOVE
    return ROUNDED if round(ours, 1) >= goal else f"{BELOW} {ours - goal:.1f}"


def count_marks(marks: Iterable[str], goal: str) -> str:
    """The sentence that sums marks up."""
    every = list(marks)
    above, rounded, below = (
        sum(text.startswith(sign) for text in every) for sign in (AT_OR_ABOVE, ROUNDED, BELOW)
    )
    return (
        f"Ours is at or above {goal} in {above} of {len(every)} rows, equal at the printed decimal "
        f"in {rounded}, below in {below}, and not run in {every.count(NOT_RUN)}."
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
    """The score of the network chosen on validation, which one it is, and whether it is enough."""
    network = results.of(dataset)
    score = network.score_5(split) if network else None
    if network is None or score is None:
        return NOT_RUN, NOT_RUN, NOT_RUN
    return f"{score:.1f}", network.name, mark(score, goal, results.ceiling(dataset, split))


def ceiling_cell(results: Results, dataset: str, split: str) -> str:
    """The highest score that the metric allows."""
    value = results.ceiling(dataset, split)
    return NOT_RUN if value is None else f"{value:.1f}"
