"""MathML read into trees: presentation by way of LaTeX, so that one set of rules reads both;
content element by element."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from typing import TYPE_CHECKING

from equivec.errors import ConversionError, LimitError, ParseError, SortError
from equivec.language import names, symbols
from equivec.language.latex_reader import OnUnknown, read_latex
from equivec.language.limits import DEFAULT_LIMITS, Limits, check_length, check_tree
from equivec.language.mathml_content import read_content
from equivec.language.mathml_writer import _ACCENTS, _SIGNS, _UNDER
from equivec.language.reading import DEFAULT_READING, Reading

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from equivec.language.tree import Tree

_LATEX_OF = {sign: latex for latex, sign in reversed(list(_SIGNS.items())) if not sign.isascii()}
_LATEX_OF |= {"{": r"\{", "}": r"\}", "−": "-", "∣": r"\mathrel{\mid}", "∑": r"\sum", "∏": r"\prod",
              "∶": "∶", "\u2061": "\u2061", "\u2062": " ", "\u2063": ",", "\u2064": "+", "ⅆ": r"\mathrm{d}", "ⅇ": r"\mathrm{e}",  # noqa: E501
              "ⅈ": r"\mathrm{i}", "‖": r"\|", "%": r"\%", "·": r"\cdot ", "*": "*", "∗": r"\ast ", "≔": ":=",  # noqa: E501
              "′": "'", "'": "'", "…": r"\ldots ", "⋯": r"\cdots ", "~": r"\sim ", "∼": r"\sim ", "ϕ": r"\phi ",  # noqa: E501
              "→": r"\to ", "⋅": r"\cdot ", "\u00a0": " ", "⟂": r"\perp "}  # fmt: skip
_VARIANTS = {
    "bold": "mathbf", "double-struck": "mathbb", "script": "mathcal", "fraktur": "mathfrak",
    "sans-serif": "mathsf", "monospace": "mathtt", "normal": "mathrm", "bold-italic": "mathbf",
}  # fmt: skip
_OVER = {sign: name for name, sign in reversed(_ACCENTS.items())} | {
    "^": "hat", "¯": "bar", "‾": "bar", "→": "vec", "~": "tilde", "˜": "tilde", "ˆ": "hat", ".": "dot",  # noqa: E501
}  # fmt: skip
_DEEPEST = 150
_OPENING, _CLOSING = frozenset("([{⟨⌊⌈|‖"), frozenset(")]}⟩⌋⌉|‖")


def read_mathml(
    text: str,
    reading: Reading = DEFAULT_READING,
    on_unknown: OnUnknown = "refuse",
    limits: Limits = DEFAULT_LIMITS,
) -> Tree:
    """The tree that presentation or content MathML spells.

    >>> print(read_mathml("<math><mi>x</mi><mo>=</mo><mn>2</mn></math>"))
    x = 2
    """
    root = parse_xml(text, limits)
    if _is_content(root):
        try:
            return check_tree(read_content(root), limits)
        except (ConversionError, SortError) as error:
            raise ParseError(str(error)) from None
    return read_latex(to_latex(root), reading, on_unknown, limits)


def parse_xml(text: str, limits: Limits) -> ElementTree.Element:
    """The root element of a text without a document type, whose entities could grow without end."""
    check_length(text, Limits(characters=limits.characters * 20))
    if "<!" in text:
        raise ParseError(
            "MathML with '<!' is not read: give the math element alone", text, text.index("<!")
        )
    named = re.sub(r"&([A-Za-z]+);", _entity, text)
    try:
        root = ElementTree.fromstring(named)  # noqa: S314 - no document type, so no entities
    except (ElementTree.ParseError, ValueError) as error:
        raise ParseError(f"this is not MathML: {error}") from None
    _check_depth(root)
    return root


def _entity(match: re.Match[str]) -> str:
    from html.entities import html5

    if match[1] in ("lt", "gt", "amp", "quot", "apos"):
        return match[0]
    return html5.get(f"{match[1]};", match[0])


def _check_depth(root: ElementTree.Element) -> None:
    level, depth = [root], 0
    while level:
        depth += 1
        if depth > _DEEPEST:
            raise LimitError(f"elements nested deeper than {_DEEPEST} levels")
        level = [child for element in level for child in element]


def _tag(element: ElementTree.Element) -> str:
    return str(element.tag).rsplit("}", 1)[-1]


def _is_content(root: ElementTree.Element) -> bool:
    return any(_tag(element) in ("apply", "ci", "cn", "csymbol") for element in root.iter())


def to_latex(element: ElementTree.Element) -> str:
    """The LaTeX of an element of presentation MathML."""
    method = _ELEMENTS.get(_tag(element))
    if method is None:
        raise ParseError(
            f"'{_tag(element)[:30]}' is not an element of presentation MathML that is read"
        )
    return method(element)


def _text(element: ElementTree.Element) -> str:
    return " ".join("".join(element.itertext()).split())


def _row(element: ElementTree.Element) -> str:
    children = [child for child in element if _tag(child) not in ("annotation", "annotation-xml")]
    intent = element.get("intent", "")
    if intent == "evaluated":
        return _evaluated(children)
    if intent == "modulo":
        return rf" \pmod{{{''.join(to_latex(child) for child in children[2:-1])}}}"
    if intent == "system":
        inside = "".join(to_latex(child) for child in children[1:])
        return rf"\left{to_latex(children[0]).strip()} {inside}\right. "
    body = "".join(_with_bars(children))
    if intent == "interval":
        return rf"\mathinner{{{body}}}"
    if intent == "label":
        return rf"\mathord{{{body}}}"
    if intent == "group":
        return f"{{{body}}}"
    return body


def _with_bars(children: list[ElementTree.Element]) -> list[str]:
    """The children, fences that stand at both ends of a row knowing their sides."""
    texts = [to_latex(child) for child in children]
    if (
        len(children) >= 2
        and _is_fence(children[0], _OPENING)
        and _is_fence(children[-1], _CLOSING)
    ):
        texts[0], texts[-1] = rf"\left{texts[0].strip()} ", rf"\right{texts[-1].strip()} "
        is_table = len(children) == 3 and _tag(children[1]) == "mtable"
        if is_table:
            name = {"(": "pmatrix", "[": "bmatrix", "|": "vmatrix", "‖": "Vmatrix"}.get(
                _text(children[0]), ""
            )
            if name:
                return [texts[1].replace("{matrix}", f"{{{name}}}")]
    elif (
        children
        and _tag(children[-1]) == "mtable"
        and _text(children[0]) == "{"
        and len(children) == 2
    ):
        return [texts[1].replace("{matrix}", "{cases}")]
    return texts


def _is_fence(element: ElementTree.Element, signs: frozenset[str]) -> bool:
    return _tag(element) == "mo" and _text(element) in signs


def _evaluated(children: list[ElementTree.Element]) -> str:
    body = "".join(to_latex(child) for child in children[:-1])
    return rf"\left. {body} \right| "


def _identifier(element: ElementTree.Element) -> str:
    text = _text(element)
    if not text:
        return ""
    variant = element.get("mathvariant", "")
    font = element.get("class", "")
    letter = _LATEX_OF.get(text, text)
    if variant and variant != "italic":
        command = names.FONT_COMMANDS.get(font) or _VARIANTS.get(variant)
        if variant == "normal" and f"\\{text}" in symbols.FUNCTIONS and len(text) > 1:
            return f"\\{text} "
        if command and variant == "normal" and len(text) > 1:
            return _word(text)
        if command:
            return rf"\{command}{{{letter.strip()}}}"
    if len(text) > 1 and text.isascii() and text.isalpha():
        return (
            f"\\{text} "
            if f"\\{text}" in symbols.FUNCTIONS or f"\\{text}" in symbols.BIG
            else _word(text)
        )
    return f"{letter} "


def _word(text: str) -> str:
    """A name of several letters, upright; the mark of application is a sign of its own."""
    return rf"\mathrm{{{text}}}" if text.isalpha() else rf"\operatorname{{{text}}}"


def _number(element: ElementTree.Element) -> str:
    return f"{_text(element)} "


def _operator(element: ElementTree.Element) -> str:
    text = _text(element)
    if text in ("∧", "∨"):
        is_logic = element.get("class") == "logic"
        return {
            "∧": r"\land " if is_logic else r"\wedge ",
            "∨": r"\lor " if is_logic else r"\vee ",
        }[text]
    if text.endswith("\N{COMBINING LONG SOLIDUS OVERLAY}"):
        return rf"\not{_sign(text[:-1])}"
    if text == "mod":
        return r"\bmod "
    if text.isascii() and text.isalpha() and len(text) > 1:
        return f"\\{text} " if f"\\{text}" in symbols.BIG else rf"\operatorname*{{{text}}}"
    return _sign(text)


def _sign(text: str) -> str:
    if text and set(text) <= {"′", "'"}:
        return "'" * len(text)
    latex = _LATEX_OF.get(text)
    if latex is not None:
        return (
            f"{latex} " if latex.startswith("\\") and latex not in (r"\{", r"\}", r"\|") else latex
        )
    return text if text not in ("\\", "_", "^", "&", "#", "$") else f"\\{text} "


def _words(element: ElementTree.Element) -> str:
    raw = " ".join("".join(element.itertext()).replace("\u00a0", " ").split(" "))
    return rf"\text{{{raw}}}" if raw.strip() else " "


def _parts(element: ElementTree.Element, count: int) -> list[str]:
    children = list(element)
    if len(children) != count:
        raise ParseError(f"'{_tag(element)}' has {count} parts, not {len(children)}")
    return [to_latex(child) for child in children]


def _fraction(element: ElementTree.Element) -> str:
    above, below = _parts(element, 2)
    if element.get("linethickness", "").strip("0pxemt.") == "" and element.get("linethickness"):
        return rf"\binom{{{above}}}{{{below}}}"
    return rf"\frac{{{above}}}{{{below}}}"


def _square_root(element: ElementTree.Element) -> str:
    return rf"\sqrt{{{_row(element)}}}"


def _root(element: ElementTree.Element) -> str:
    inside, degree = _parts(element, 2)
    return rf"\sqrt[{{{degree}}}]{{{inside}}}"


def _base(element: ElementTree.Element) -> str:
    """A base of scripts, in braces where it is more than one sign."""
    latex = to_latex(element)
    is_row = _tag(element) == "mrow" and len(element) != 1
    is_fenced = latex.lstrip().startswith((r"\left", r"\begin"))
    return f"{{{latex}}}" if is_row and not is_fenced else latex


def _script(latex: str, sign: str) -> str:
    stripped = latex.strip()
    if sign == "^" and stripped and set(stripped) <= {"'"}:
        return stripped
    if sign == "^" and stripped.startswith("'"):
        primes = len(stripped) - len(stripped.lstrip("'"))
        rest = stripped[primes:].strip()
        while rest.startswith("{") and rest.endswith("}"):
            rest = rest[1:-1]
        return f"{stripped[:primes]}^{{{rest}}}"
    return f"{sign}{{{stripped}}}"


def _scripts(*signs: str) -> Callable[[ElementTree.Element], str]:
    def write(element: ElementTree.Element) -> str:
        _parts(element, len(signs) + 1)
        base, *scripts = list(element)
        text = (
            _base(base).rstrip()
            if len(base) or len((base.text or "").strip())
            else ("{}" if not _text(base) else _base(base).rstrip())
        )
        return (
            text
            + "".join(
                _script(to_latex(script), sign) for sign, script in zip(signs, scripts, strict=True)
            )
            + " "
        )

    return write


def _over(element: ElementTree.Element) -> str:
    base, sign = list(element)
    mark = _text(sign)
    if _tag(sign) == "mo" and mark in _OVER and _tag(base) != "mo":
        return rf"\{_OVER[mark]}{{{to_latex(base).strip()}}}"
    if _tag(base) == "mo":
        return (
            rf"\overset{{{to_latex(sign)}}}{{{to_latex(base).strip()}}}"
            if not _is_big(base)
            else rf"{to_latex(base).strip()}^{{{to_latex(sign)}}}"
        )
    return rf"\overset{{{to_latex(sign)}}}{{{to_latex(base)}}}"


def _is_big(element: ElementTree.Element) -> bool:
    latex = to_latex(element).strip()
    return latex in symbols.BIG or latex in symbols.INTEGRALS


def _under(element: ElementTree.Element) -> str:
    base, below = list(element)
    if _tag(base) == "munder" and _text(base[1]) == "⏟":
        return rf"\underbrace{{{to_latex(base[0])}}}_{{{to_latex(below)}}}"
    mark = _text(below)
    by_sign = {sign: name for name, sign in _UNDER.items()}
    if _tag(below) == "mo" and mark in by_sign:
        return rf"\{by_sign[mark]}{{{to_latex(base)}}}"
    return f"{_base(base).rstrip()}_{{{to_latex(below)}}} "


def _table(element: ElementTree.Element) -> str:
    rows = [" & ".join("".join(to_latex(part) for part in cell) for cell in row) for row in element]
    body = r" \\ ".join(rows)
    return rf"\begin{{matrix}} {body} \end{{matrix}}"


def _fenced(element: ElementTree.Element) -> str:
    opening, closing = element.get("open", "("), element.get("close", ")")
    mark = (element.get("separators", ",") or ",").strip()[:1]
    body = f"{mark} ".join(to_latex(child) for child in element)
    return rf"\left{_sign(opening).strip() or '.'} {body}\right{_sign(closing).strip() or '.'} "


def _space(_: ElementTree.Element) -> str:
    return " "


def _classed_row(element: ElementTree.Element) -> str:
    latex = _row(element)
    if element.get("class") == "aligned":
        return latex.replace("{matrix}", "{aligned}")
    return latex


def _semantics(element: ElementTree.Element) -> str:
    return to_latex(next(iter(element)))


_ELEMENTS: Mapping[str, Callable[[ElementTree.Element], str]] = {
    "math": _classed_row, "mrow": _classed_row, "mstyle": _row, "mpadded": _row, "mphantom": _space,
    "mi": _identifier, "mn": _number, "mo": _operator, "mtext": _words, "ms": _words,
    "mspace": _space, "mfrac": _fraction, "msqrt": _square_root, "mroot": _root,
    "msup": _scripts("^"), "msub": _scripts("_"), "msubsup": _scripts("_", "^"),
    "munderover": _scripts("_", "^"), "mover": _over, "munder": _under, "mtable": _table,
    "mfenced": _fenced, "semantics": _semantics, "merror": _row, "menclose": _row,
    "annotation": _space,
}  # fmt: skip
