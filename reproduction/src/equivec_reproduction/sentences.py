"""What the tables of the report share: missing sections, origins, comparisons, readings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from equivec_reproduction.pages import Table

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Mapping

    from equivec.evaluate.provenance import Provenance
    from equivec.pipeline.evaluation_data import ModelSettings
    from equivec_reproduction.folder import ResultsFolder

NOT_MEASURED = "Not measured yet."
EVALUATE = "equivec evaluate MODEL... --out results --corpus CORPUS"
UNIT_LENGTH = "Our models' vectors have length 1; the paper does not say whether its have."


def missing(title: str, command: str) -> Table:
    """A section that has no results."""
    return Table(title, (), (), (f"{NOT_MEASURED} Measure it with `{command}`.",))


def origin(results: Iterable[Provenance]) -> str:
    """The command, commit, seed and machine of results; of several commands, of the first."""
    rows = dict.fromkeys(
        (
            f"`{each.command}` (commit {each.commit}, {_seed(each)}"
            f"{each.machine['cpu']}, {each.machine['cores']} cores)"
        )
        for each in results
    )
    first, *others = rows
    more = " and by others; each result file names its own" if others else ""
    return f"Measured by {first}{more}."


def _seed(result: Provenance) -> str:
    return "" if result.seed is None else f"seed {result.seed}, "


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


def precision(
    results: ResultsFolder, *others: ModelSettings, among: Container[str] | None = None
) -> Iterator[str]:
    """Which models ran in eight bits, and which of the others with weights of eight bits."""
    every = [
        each for each in (*results.settings(), *others) if among is None or each.model in among
    ]
    quick = list(dict.fromkeys(each.model for each in every if each.precision == "uint8"))
    small = dict.fromkeys(each.model for each in every if each.has_small_weights)
    small_alone = [model for model in small if model not in quick]
    if quick:
        yield f"In eight bits: {', '.join(quick)}; the others in float32."
    if small_alone:
        yield f"In float32, but with weights of eight bits: {', '.join(small_alone)}."


Lesson = Literal["margin", "analogy", "mutants"]
# Parts of an objective that are what a table measures.
_LESSONS: Mapping[Lesson, str] = {
    "margin": "{} was trained to hold functions of other operator types further apart (margin {}), "
    "and those types are the classes here: its purity was taught.",
    "analogy": "{} was trained on analogies of these kinds (weight {}), none of them "
    "asked: its algebra was taught.",
    "mutants": "{} was trained to tell expressions from mutants ({}), other ones, as those of "
    "retrieval and detection are: that was taught, too.",
}


def taught(results: ResultsFolder, part: Lesson) -> Iterator[str]:
    """Which models were trained on what a table measures."""
    for model, run in results.runs.items():
        value = getattr(run.training.objective, part)
        if value and value != "none":
            yield _LESSONS[part].format(model, value)
