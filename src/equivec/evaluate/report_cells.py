"""What the tables of the report share: missing sections, where numbers are from, comparisons."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from equivec.evaluate.pages import Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

NOT_MEASURED = "Not measured yet."
# Of the paper's shape, and trained for its task alone: it wrote from all states of its input.
PLAIN = "SemEmb-plain"
EVALUATE = "equivec evaluate run MODEL... --out results --corpus CORPUS"


def missing(title: str, command: str) -> Table:
    """A section that has no results."""
    return Table(title, (), (), (f"{NOT_MEASURED} Measure it with `{command}`.",))


def origin(results: Iterable[Mapping[str, Any]]) -> str:
    """The command, commit, seed and machine of results; of several commands, of the first."""
    rows = dict.fromkeys(
        (
            f"`{each['command']}` (commit {each['commit']}, {_seed(each)}"
            f"{each['machine']['cpu']}, {each['machine']['cores']} cores)"
        )
        for each in results
    )
    first, *others = rows
    more = " and by others; each result file names its own" if others else ""
    return f"Measured by {first}{more}."


def _seed(result: Mapping[str, Any]) -> str:
    return "" if result["seed"] is None else f"seed {result['seed']}, "


def against(ours: float, theirs: float, digits: int = 3) -> str:
    """How a figure of ours compares with one of the paper.

    >>> against(0.7, 0.626), against(0.4, 0.441)
    ('0.700, above the 0.626', '0.400, below the 0.441')
    """
    word = "above" if ours > theirs else "below" if ours < theirs else "equal to"
    return f"{ours:.{digits}f}, {word} the {theirs:.{digits}f}"


def code(expression: str) -> str:
    """An expression in a cell."""
    return f"`{expression}`"


def share(value: float) -> str:
    """A share with three decimals."""
    return f"{value:.3f}"
