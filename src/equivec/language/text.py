"""One way in and one way out for every notation, and the guess which notation a text is in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from equivec.errors import ConfigError
from equivec.language.infix_reader import read_infix
from equivec.language.infix_writer import write_infix
from equivec.language.json_form import read_json, write_json
from equivec.language.latex_reader import read_latex
from equivec.language.latex_writer import write_latex
from equivec.language.limits import DEFAULT_LIMITS
from equivec.language.mathml_reader import read_mathml
from equivec.language.mathml_writer import write_mathml
from equivec.language.reading import DEFAULT_READING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from equivec.language.latex_macros import Macro
    from equivec.language.latex_reader import OnUnknown
    from equivec.language.limits import Limits
    from equivec.language.reading import Reading
    from equivec.language.tree import Tree

NOTATIONS = ("infix", "latex", "mathml", "json")


def parse(
    text: str,
    notation: str = "auto",
    *,
    reading: Reading = DEFAULT_READING,
    on_unknown: OnUnknown = "refuse",
    limits: Limits = DEFAULT_LIMITS,
    macros: Mapping[str, Macro] | None = None,
) -> Tree:
    r"""The tree that a text spells, in a notation of `NOTATIONS` or one guessed from it.

    >>> parse(r"\frac{\sin x}{2} \le 1") == parse("sin(x)/2 <= 1")
    True
    """
    chosen = detect_notation(text) if notation == "auto" else notation
    if chosen == "latex":
        return read_latex(text, reading, on_unknown, limits, macros)
    if chosen == "infix":
        return read_infix(text, reading, on_unknown, limits)
    if chosen == "mathml":
        return read_mathml(text, reading, on_unknown, limits)
    if chosen == "json":
        return read_json(text, limits)
    raise ConfigError(f"{notation!r} is not a notation; use auto, {', '.join(NOTATIONS)}")


def write(tree: Tree, notation: str = "infix") -> str:
    r"""The text of a tree in a notation of `NOTATIONS`.

    >>> write(parse("x^2/2"), "latex")
    '\\frac{x^{2}}{2}'
    """
    if notation not in _WRITERS:
        raise ConfigError(f"{notation!r} is not a notation; use {', '.join(NOTATIONS)}")
    return _WRITERS[notation](tree)


def detect_notation(text: str) -> str:
    r"""The notation a text is most likely in.

    >>> [detect_notation(text) for text in (r"\sin x", "sin(x)", "<math/>", "{\"tree\": 1}", "x_{12}")]
    ['latex', 'infix', 'mathml', 'json', 'latex']
    """  # noqa: E501
    stripped = text.lstrip()
    if stripped.startswith("<") and ">" in stripped and stripped[1:2].isalpha():
        return "mathml"
    if stripped.startswith("{") and '"tree"' in stripped:
        return "json"
    if "\\" in text or "$" in text or "_{" in text or "^{" in text:
        return "latex"
    return "infix"


_WRITERS: Mapping[str, Callable[[Tree], str]] = {
    "infix": write_infix,
    "latex": write_latex,
    "mathml": write_mathml,
    "json": write_json,
}
