"""Content MathML read into trees, by the names of its elements."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from equivec.errors import ParseError
from equivec.language.layers import SIGNATURE
from equivec.language.reader.cursor import make
from equivec.language.tree import Apply, Number, Tree, Variable

if TYPE_CHECKING:
    import xml.etree.ElementTree as ElementTree
    from collections.abc import Mapping

# What an element is called here, where the name differs.
_NAMES: Mapping[str, str] = {
    "plus": "add", "minus": "sub", "times": "mul", "divide": "div", "power": "pow", "quotient": "floor",  # noqa: E501
    "rem": "mod", "factorial": "factorial", "ceiling": "ceil", "arcsin": "asin",
    "arccos": "acos", "arctan": "atan", "arccot": "acot", "arcsec": "asec", "arccsc": "acsc",
    "arcsinh": "asinh", "arccosh": "acosh", "arctanh": "atanh", "neq": "ne", "leq": "le",
    "geq": "ge", "notin": "not_in", "subset": "subset_or_equal", "prsubset": "subset",
    "setdiff": "without", "intersect": "intersection", "implies": "implies", "equivalent": "iff",
    "approx": "approx", "vector": "tuple", "list": "brackets", "determinant": "det",
    "real": "Re", "imaginary": "Im", "tendsto": "to", "matrixrow": "row", "cartesianproduct": "times",  # noqa: E501
}  # fmt: skip
_CONSTANTS: Mapping[str, str] = {
    "pi": "pi", "exponentiale": "e", "imaginaryi": "i", "infinity": "infinity", "true": "true",
    "false": "false", "emptyset": "empty_set",
}  # fmt: skip
_SETS = {"reals": "R", "integers": "Z", "naturalnumbers": "N", "rationals": "Q", "complexes": "C"}
_FOLDED = frozenset("add mul and or union intersection times".split())
_CHAINED = frozenset("eq ne lt le gt ge approx in subset subset_or_equal".split())


def _tag(element: ElementTree.Element) -> str:
    return str(element.tag).rsplit("}", 1)[-1]


def read_content(element: ElementTree.Element) -> Tree:
    """The tree of an element of content MathML."""
    tag = _tag(element)
    children = list(element)
    if tag in (
        "math",
        "semantics",
        "lowlimit",
        "uplimit",
        "degree",
        "logbase",
        "condition",
        "bvar",
    ):
        if not children:
            raise ParseError(f"'{tag}' is empty")
        return read_content(children[0])
    if tag == "cn":
        return _number(element)
    if tag in ("ci", "csymbol"):
        return _name(element)
    if tag in _CONSTANTS:
        return make(_CONSTANTS[tag])
    if tag in _SETS:
        return Variable(_SETS[tag], "bb")
    if tag == "apply":
        return _apply(children)
    if tag in ("set", "list", "vector", "matrix", "matrixrow"):
        name = _NAMES.get(tag, tag)
        return Apply(SIGNATURE[name], tuple(map(read_content, children)))
    if tag == "interval" and len(children) == 4:  # as SymPy writes it: whether each end is open
        left, right = (_tag(child) == "true" for child in children[2:])
        name = {(True, True): "interval_open", (True, False): "interval_left_open"}.get(
            (left, right), "interval_right_open" if right else "interval"
        )
        return make(name, *map(read_content, children[:2]))
    if tag == "interval":
        kinds = {
            "open": "interval_open",
            "open-closed": "interval_left_open",
            "closed-open": "interval_right_open",
        }
        return make(
            kinds.get(element.get("closure", "closed"), "interval"), *map(read_content, children)
        )
    if tag == "piecewise":
        return Apply(SIGNATURE["cases"], tuple(_piece(child) for child in children))
    raise ParseError(f"'{tag[:30]}' is not an element of content MathML that is read")


def _piece(element: ElementTree.Element) -> Tree:
    parts = [read_content(child) for child in element]
    if _tag(element) == "otherwise":
        parts.append(Variable("otherwise"))
    return Apply(SIGNATURE["row"], tuple(parts))


def _number(element: ElementTree.Element) -> Tree:
    parts = [
        " ".join((text or "").split())
        for text in (element.text, *(child.tail for child in element))
    ]
    kind = element.get("type", "real")
    values = [_signed(part) for part in parts if part]
    if kind == "rational" and len(values) == 2:
        return make("div", *values)
    if kind == "e-notation" and len(values) == 2:
        return make("mul", values[0], make("pow", Number(10), values[1]))
    if len(values) != 1:
        raise ParseError(f"'cn' of type {kind!r} is not read")
    return values[0]


def _signed(text: str) -> Tree:
    if text.startswith("-"):
        return make("neg", Number(text[1:].strip()))
    return Number(text)


def _name(element: ElementTree.Element) -> Tree:
    text = " ".join("".join(element.itertext()).split())
    if not text:
        raise ParseError("a name is empty")
    return Variable(text)


def _apply(children: list[ElementTree.Element]) -> Tree:
    if not children:
        raise ParseError("'apply' is empty")
    head, *rest = children
    tag = _tag(head)
    by_role = {
        role: [child for child in rest if _tag(child) == role]
        for role in (
            "bvar",
            "lowlimit",
            "uplimit",
            "degree",
            "logbase",
            "condition",
            "domainofapplication",
        )
    }
    arguments = [read_content(child) for child in rest if _tag(child) not in by_role]
    if tag in ("sum", "product", "int", "limit", "forall", "exists", "diff", "partialdiff"):
        return _binder(tag, by_role, arguments)
    if tag == "root":
        degree = by_role["degree"]
        return (
            make("root", *arguments, read_content(degree[0]))
            if degree
            else make("sqrt", *arguments)
        )
    if tag == "log":
        base = by_role["logbase"]
        return (
            make("log_base", *arguments, read_content(base[0])) if base else make("log", *arguments)
        )
    if tag == "minus" and len(arguments) == 1:
        return make("neg", *arguments)
    name = _NAMES.get(tag, tag)
    if tag in ("ci", "csymbol", "apply") or name not in SIGNATURE:
        function = read_content(head) if tag in ("ci", "csymbol", "apply") else Variable(tag)
        return make("apply", function, *arguments)
    return _operator(name, arguments)


def _operator(name: str, arguments: list[Tree]) -> Tree:
    """An operator on as many arguments as there are."""
    if len(arguments) > 2 and name in _FOLDED:
        tree = arguments[0]
        for argument in arguments[1:]:
            tree = make(name, tree, argument)
        return tree
    if len(arguments) > 2 and name in _CHAINED:
        links = [make(name, *pair) for pair in pairwise(arguments)]
        return make("chain", *links)
    if len(arguments) == 1 and name in _FOLDED:
        return arguments[0]
    return make(name, *arguments)


def _binder(tag: str, by_role: dict[str, list[ElementTree.Element]], arguments: list[Tree]) -> Tree:
    """An operator that binds names."""
    names = [read_content(child) for child in by_role["bvar"]]
    low = [read_content(child) for child in by_role["lowlimit"]]
    high = [read_content(child) for child in by_role["uplimit"]]
    conditions = [read_content(child) for child in by_role["condition"]]
    if not names or len(arguments) != 1:
        raise ParseError(f"'{tag}' has a bound name and one body")
    body, name = arguments[0], names[0]
    if tag in ("forall", "exists"):
        domain = (
            conditions[0] if conditions else (name if len(names) == 1 else make("list", *names))
        )
        return make(tag, domain, body)
    if tag in ("diff", "partialdiff"):
        pairs: list[Tree] = []
        for child, variable in zip(by_role["bvar"], names, strict=True):
            degrees = [part for part in child if _tag(part) == "degree"]
            pairs += [variable, read_content(degrees[0]) if degrees else Number(1)]
        return make("derivative" if tag == "diff" else "partial", body, *pairs)
    if tag == "int":
        if low and high:
            return make("integral_between", body, name, low[0], high[0])
        return (
            make("integral_over", body, name, conditions[0])
            if conditions
            else make("integral", body, name)
        )
    if tag == "limit":
        return make("lim", body, conditions[0] if conditions else make("to", name, *low))
    operator = "sum" if tag == "sum" else "prod"
    if low:
        return make(operator, body, make("eq", name, low[0]), *high)
    return make(operator, body, conditions[0] if conditions else name)
