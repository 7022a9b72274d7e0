"""Sentences that several of the report's tables share: what one should know to read them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Mapping

    from equivec.evaluate.report import ResultsFolder

    Json = Mapping[str, Any]

UNIT_LENGTH = "Our models' vectors have length 1; the paper does not say whether its have."


def precision(
    results: ResultsFolder, *others: Json, among: Container[str] | None = None
) -> Iterator[str]:
    """Which models ran in eight bits, and which of the others with weights of eight bits."""
    every = [
        each
        for each in (*results.evaluated("settings").values(), *others)
        if among is None or each["model"] in among
    ]
    quick, small = (
        list(dict.fromkeys(each["model"] for each in every if each.get(name) == value))
        for name, value in (("precision", "uint8"), ("has_small_weights", True))
    )
    small = [model for model in small if model not in quick]
    if quick:
        yield f"In eight bits: {', '.join(quick)}; the others in float32."
    if small:
        yield f"In float32, but with weights of eight bits: {', '.join(small)}."


# Parts of an objective that are what a table measures.
_LESSONS = {
    "margin": "{} was trained to hold functions of other operator types further apart (margin {}), "
    "and those types are the classes here: its purity was taught.",
    "analogy": "{} was trained on analogies of these kinds (weight {}), none of them "
    "asked: its algebra was taught.",
    "mutants": "{} was trained to tell expressions from mutants ({}), other ones, as those of "
    "retrieval and detection are: that was taught, too.",
}


def taught(results: ResultsFolder, part: str) -> Iterator[str]:
    """Which models were trained on what a table measures."""
    for path, run in results.read_all("runs/*.json").items():
        value = run["training"]["objective"].get(part)
        if value and value != "none":
            yield _LESSONS[part].format(path.stem, value)
