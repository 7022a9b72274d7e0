"""Trees written in plain text; reading it gives the same tree back.

Signs stand between their arguments where plain text has them; all else is a call by the name of
the operator: `sum(k^2, k=1..n)`, `matrix(row(a, b), row(c, d))`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from equivec.language import names
from equivec.language.infix_names import RESERVED
from equivec.language.limits import check_tree
from equivec.language.operators import Binding, Form
from equivec.language.tree import Apply, Number, Opaque, Tree, Variable, is_applied
from equivec.language.writing import LOOSE, SET_SIGNS, Written

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_IDENTIFIER = re.compile(r"\??[A-Za-z][A-Za-z0-9]*")
_USUAL = frozenset("f g h F P E phi psi Gamma zeta".split())


def write_infix(tree: Tree) -> str:
    """The plain text of a tree.

    >>> from equivec.language.latex_reader import read_latex
    >>> write_infix(read_latex(r"\\frac{x_1^2}{2} + \\sin 2x"))
    'x_1^2/2 + sin(2*x)'
    """
    return _write(check_tree(tree)).text


def _write(tree: Tree) -> Written:
    if isinstance(tree, Number):
        return Written(tree.text)
    if isinstance(tree, Variable):
        return Written(_name(tree))
    if isinstance(tree, Opaque):
        return Written(f"⟦{tree.text}⟧")
    assert isinstance(tree, Apply)
    own = _OWN.get(tree.name)
    if own is not None:
        return own(tree)
    form = _FORMS.get(tree.operator.form)
    return form(tree) if form is not None else _call(tree)


def _within(tree: Tree, binding: int) -> str:
    written = _write(tree)
    return written.text if written.binding >= binding else f"({written.text})"


def _call(tree: Apply, name: str = "") -> Written:
    inside = ", ".join(_within(argument, Binding.LIST + 1) for argument in tree.arguments)
    return Written(f"{name or tree.operator.notation.infix}({inside})")


def _infix(tree: Apply) -> Written:
    if tree.name in SET_SIGNS and _has_pair(tree):
        return _call(tree, tree.name)  # beside these signs a pair would be an interval
    notation = tree.operator.notation
    left, right = tree.arguments
    own = notation.binding
    first = _within(left, own if notation.is_associative else own + 1)
    sign = notation.infix
    text = (
        f"{first}{sign}{_within(right, own + 1)}"
        if sign in "*/^"
        else (f"{first} {sign} {_within(right, own + 1)}")
    )
    return Written(text, LOOSE.get(tree.name, own))


def _has_pair(tree: Tree) -> bool:
    return any(is_applied(node, "tuple") and len(node.arguments) == 2 for node in tree.walk())


def _prefix(tree: Apply) -> Written:
    notation = tree.operator.notation
    gap = " " if notation.infix.isalpha() or len(notation.infix) > 1 else ""
    inside = _within(tree.arguments[0], notation.binding + 1)
    return Written(f"{notation.infix}{gap}{inside}", notation.binding)


def _postfix(tree: Apply) -> Written:
    return Written(
        f"{_within(tree.arguments[0], Binding.ATOM)}{tree.operator.notation.infix}", Binding.POWER
    )


def _constant(tree: Apply) -> Written:
    spelling = _CONSTANTS.get(tree.name)
    return Written(spelling if spelling is not None else f"{tree.name}()")


def _quotient(tree: Apply) -> Written:
    above, below = tree.arguments
    return Written(
        f"{_within(above, Binding.PRODUCT)}/{_within(below, Binding.PRODUCT + 1)}", Binding.PRODUCT
    )


def _power(tree: Apply) -> Written:
    base, exponent = tree.arguments
    over = _within(exponent, Binding.ATOM)
    return Written(f"{_within(base, Binding.ATOM)}^{over}", Binding.POWER)


def _application(tree: Apply) -> Written:
    head, *arguments = tree.arguments
    is_word = isinstance(head, Variable) and (
        (len(head.base) > 1 and head.base not in names.LETTERS) or head.primes > 0
    )
    is_sure = isinstance(head, Variable) and (
        is_word
        or head.base in _USUAL
        or len(arguments) > 1
        or (len(arguments) == 1 and _is_lone(arguments[0]))
    )
    if (
        not isinstance(head, Variable)
        or not is_sure
        or head.superscript is not None
        or not arguments
    ):
        return _call(tree)
    inside = ", ".join(
        _write(part).text if is_applied(part, "given") else _within(part, Binding.LIST + 1)
        for part in arguments
    )
    return Written(f"{_name(head)}({inside})")


def _is_lone(tree: Tree) -> bool:
    """Whether nobody would multiply by it in brackets: a plain name or a number."""
    return isinstance(tree, Number) or (isinstance(tree, Variable) and tree.is_plain)


def _given(tree: Apply) -> Written:
    return _call(tree)


def _fence(tree: Apply) -> Written:
    if tree.name == "set" and tree.arguments:
        return Written(
            f"{{{', '.join(_within(part, Binding.COLON + 1) for part in tree.arguments)}}}"
        )
    if tree.name == "tuple" and not any(is_applied(node, "infinity") for node in tree.walk()):
        return Written(f"({', '.join(_within(part, Binding.LIST + 1) for part in tree.arguments)})")
    return _call(tree, tree.name)


def _big(tree: Apply) -> Written:
    arguments = tree.arguments
    if len(arguments) == 3 and is_applied(arguments[1], "eq"):
        body, domain, upper = arguments
        name, lower = domain.arguments
        ends = f"{_within(lower, Binding.SUM)}..{_within(upper, Binding.SUM)}"
        return Written(
            f"{tree.name}({_within(body, Binding.LIST + 1)}, {_within(name, Binding.RELATION + 1)}={ends})"  # noqa: E501
        )
    return _call(tree)


def _chain(tree: Apply) -> Written:
    if not all(
        is_applied(part) or (isinstance(part, Apply) and part.operator.form is Form.INFIX)
        for part in tree.arguments
    ):
        return _call(tree)
    if _has_pair(tree) and any(
        isinstance(part, Apply) and part.name in SET_SIGNS for part in tree.arguments
    ):
        return _call(tree)
    first, *rest = tree.arguments
    assert isinstance(first, Apply)
    own = first.operator.notation.binding
    text = _write(first).text
    for part in rest:
        assert isinstance(part, Apply)
        text += f" {part.operator.notation.infix} {_within(part.arguments[1], own + 1)}"
    return Written(text, own)


def _half_open(tree: Apply) -> Written:
    opening, closing = ("(", "]") if tree.name == "interval_left_open" else ("[", ")")
    left, right = (_within(part, Binding.LIST + 1) for part in tree.arguments)
    return Written(f"{opening}{left}, {right}{closing}")


def _name(name: Variable) -> str:
    text = _base(name)
    for accent in name.accents:
        text = f"{accent}({text})"
    if name.subscript is not None:
        text += f"_{_script(name.subscript)}"
    text += "'" * name.primes
    return text if name.superscript is None else f"{text}^[{_inside(name.superscript)}]"


def _base(name: Variable) -> str:
    is_identifier = _IDENTIFIER.fullmatch(name.base) is not None
    text = name.base if is_identifier else f'"{name.base}"'
    if name.font:
        return f"{name.font}.{text}"
    is_taken = (name.base in RESERVED and name.base not in names.LETTERS) or name.base in (
        "pi",
        "e",
        "I",
    )
    return (
        f"it.{text}"
        if (is_taken and name.subscript is None and not name.accents)
        or (is_taken and name.base != "pi")
        else text
    )


def _script(tree: Tree) -> str:
    is_simple = (isinstance(tree, Number) and tree.is_integer) or (
        isinstance(tree, Variable) and tree.is_plain and _IDENTIFIER.fullmatch(tree.base)
    )
    return _inside(tree) if is_simple else f"{{{_inside(tree)}}}"


def _inside(tree: Tree) -> str:
    """A script without its brackets."""
    if is_applied(tree, "index"):
        return " ".join(_within(part, Binding.ATOM) for part in tree.arguments)
    if is_applied(tree, "list"):
        return ", ".join(
            f"{{{_inside(part)}}}"
            if is_applied(part, "index", "list")
            else _within(part, Binding.LIST + 1)
            for part in tree.arguments
        )
    if isinstance(tree, Variable) and tree.is_plain and _IDENTIFIER.fullmatch(tree.base):
        return tree.base
    return _write(tree).text


_CONSTANTS = {"pi": "pi", "e": "e", "i": "I", "infinity": "oo", "dots": "...", "empty_set": "∅",
              "true": "true", "false": "false"}  # fmt: skip
_FORMS: Mapping[Form, Callable[[Apply], Written]] = {
    Form.INFIX: _infix, Form.PREFIX: _prefix, Form.POSTFIX: _postfix, Form.CONSTANT: _constant,
    Form.FENCE: _fence, Form.BIG: _big,
}  # fmt: skip
_OWN: Mapping[str, Callable[[Apply], Written]] = {
    "div": _quotient, "pow": _power, "apply": _application, "chain": _chain, "given": _given,
    "interval_left_open": _half_open, "interval_right_open": _half_open,
    "abs": lambda tree: _call(tree, "abs"), "mapping": lambda tree: _call(tree, "mapping"),
    "angle": _call, "triangle": _call, "divides": lambda tree: _call(tree, "divides"),
}  # fmt: skip
