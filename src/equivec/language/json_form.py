"""Trees as JSON: stable, versioned, the same in every release that reads the version.

A number is `{"number": "0.5"}`, a bare name a string, a name with more to it an object with its
parts, an operator a list of its name and its arguments, a part not understood
`{"opaque": text, "reason": why}`.
"""

from __future__ import annotations

import json
from typing import Any

from equivec.errors import ConversionError, EquivecError, ParseError
from equivec.language.layers import SIGNATURE
from equivec.language.limits import DEFAULT_LIMITS, Limits, check_length, check_tree
from equivec.language.tree import Apply, Number, Opaque, Tree, Variable

VERSION = 1


def to_json(tree: Tree) -> Any:
    """The tree as lists, strings and objects.

    >>> from equivec.language.latex_reader import read_latex
    >>> to_json(read_latex("x_1 + 2"))
    ['add', {'name': 'x', 'subscript': {'number': '1'}}, {'number': '2'}]
    """
    if isinstance(tree, Number):
        return {"number": tree.text}
    if isinstance(tree, Opaque):
        return {"opaque": tree.text, "reason": tree.reason}
    if isinstance(tree, Variable):
        return tree.base if tree.is_plain else _name(tree)
    assert isinstance(tree, Apply)
    return [tree.name, *map(to_json, tree.arguments)]


def _name(name: Variable) -> dict[str, Any]:
    parts: dict[str, Any] = {"name": name.base}
    if name.font:
        parts["font"] = name.font
    if name.accents:
        parts["accents"] = list(name.accents)
    if name.subscript is not None:
        parts["subscript"] = to_json(name.subscript)
    if name.superscript is not None:
        parts["superscript"] = to_json(name.superscript)
    if name.primes:
        parts["primes"] = name.primes
    return parts


def from_json(value: Any) -> Tree:
    """The tree that lists, strings and objects stand for."""
    try:
        return _tree(value)
    except RecursionError:
        raise ConversionError("the JSON form is nested too deeply to be read") from None


def _tree(value: Any) -> Tree:
    if isinstance(value, str):
        return Variable(value)
    if isinstance(value, list) and value and isinstance(value[0], str):
        return Apply(SIGNATURE[value[0]], tuple(map(_tree, value[1:])))
    if isinstance(value, dict):
        return _leaf(value)
    raise ConversionError(f"{str(value)[:40]!r} is not a tree: a string, a list or an object is")


def _leaf(value: dict[str, Any]) -> Tree:
    if isinstance(value.get("number"), str):
        return Number(value["number"])
    if isinstance(value.get("opaque"), str):
        return Opaque(value["opaque"], str(value.get("reason", "")))
    base, font = value.get("name"), value.get("font", "")
    accents, primes = value.get("accents", []), value.get("primes", 0)
    is_sound = (
        isinstance(base, str)
        and isinstance(font, str)
        and isinstance(primes, int)
        and (isinstance(accents, list) and all(isinstance(accent, str) for accent in accents))
    )
    if not is_sound or set(value) - _PARTS:
        raise ConversionError(f"{str(value)[:60]!r} is neither a number, a name nor a part")
    scripts = [
        _tree(value[part]) if part in value else None for part in ("subscript", "superscript")
    ]
    return Variable(str(base), font, tuple(accents), scripts[0], scripts[1], primes)


_PARTS = {"name", "font", "accents", "subscript", "superscript", "primes"}


def write_json(tree: Tree) -> str:
    """The JSON text of a tree, with the version of the form."""
    return json.dumps({"version": VERSION, "tree": to_json(check_tree(tree))}, ensure_ascii=False)


def read_json(text: str, limits: Limits = DEFAULT_LIMITS) -> Tree:
    """The tree of a JSON text."""
    check_length(text, limits)
    try:
        record = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ParseError(f"this is not JSON: {error}") from None
    if not isinstance(record, dict) or record.get("version") != VERSION or "tree" not in record:
        raise ParseError(f'a tree in JSON is {{"version": {VERSION}, "tree": ...}}')
    try:
        return check_tree(from_json(record["tree"]), limits)
    except ParseError:
        raise
    except EquivecError as error:
        raise ParseError(str(error)) from None
