r"""Trees written in LaTeX; reading it gives the same tree back.

Marks that are not seen say what only context would: `f{\left(x\right)}` is an application,
`\left[\mathinner{a, b}\right]` an interval, `x^{\mathord{i}}` a name with a label.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from equivec.language import names, symbols
from equivec.language.limits import check_tree
from equivec.language.operators import Binding, Form
from equivec.language.reader.signs import STARS
from equivec.language.tree import Apply, Number, Opaque, Tree, Variable, is_applied
from equivec.language.writing import LOOSE, SET_SIGNS, Written, continues_sum, separator

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_LABELS = {label: sign for sign, label in STARS.items() if sign not in (r"\ast", r"\bot")}
_RISKY_EXPONENTS = frozenset("T t c C H i j k l mu nu rho sigma lambda kappa e I E d pi".split())
_SAFE_EXPONENTS = frozenset(
    "neg add sub mul div pow sqrt pi infinity e i apply abs factorial".split()
)
_NO_PRODUCT = frozenset("d e i pi Delta".split())
_JOINS = {"where": "where", "both": "and", "either": "or", "then": "then"}
_INTERVALS = {
    "interval": ("[", "]"), "interval_open": ("(", ")"), "interval_left_open": ("(", "]"),
    "interval_right_open": ("[", ")"),
}  # fmt: skip
_TABLES = {
    "matrix": "pmatrix",
    "determinant": "vmatrix",
    "matrix_norm": "Vmatrix",
    "cases": "cases",
}
_BRACKETS = {"apply_brackets": ("[", "]"), "apply_braces": (r"\{", r"\}"), "apply": ("(", ")")}
_QUANTIFIERS = {
    "forall": r"\forall", "exists": r"\exists", "exists_one": r"\exists!", "exists_no": r"\nexists",
}  # fmt: skip
_ALONE = frozenset(operator.name for operator in symbols.ALONE.values())


def write_latex(tree: Tree) -> str:
    r"""The LaTeX of a tree.

    >>> from equivec.language.latex_reader import read_latex
    >>> write_latex(read_latex(r"E=mc^2 + \sum_{k=1}^n f(k)"))
    'E = m c^{2} + \\sum_{k = 1}^{n} f{\\left(k\\right)}'
    """
    return _Writer().write(check_tree(tree)).text


class _Writer:
    def __init__(self) -> None:
        self.scripts = 0
        self.sets = 0

    def write(self, tree: Tree) -> Written:
        """The text of a tree and how tightly it binds."""
        if isinstance(tree, Number):
            return Written(tree.text)
        if isinstance(tree, Variable):
            return Written(self.name(tree))
        if isinstance(tree, Opaque):
            return Written(tree.text)
        assert isinstance(tree, Apply)
        own = _OWN.get(tree.name)
        if own is not None:
            return own(self, tree)
        return _FORMS[tree.operator.form](self, tree)

    def within(self, tree: Tree, binding: int) -> str:
        """The text as an operand that must bind at least this tightly."""
        written = self.write(tree)
        if is_applied(tree, "list", "index"):
            return f"{{{written.text}}}"
        return written.text if written.binding >= binding else rf"\left({written.text}\right)"

    def plain(self, tree: Tree) -> str:
        """The text where nothing stands beside it."""
        return self.write(tree).text

    def script(self, tree: Tree) -> str:
        """The text in a script, where letters side by side would be indices."""
        self.scripts += 1
        text = self.plain(tree)
        self.scripts -= 1
        return text

    def items(self, items: tuple[Tree, ...], mark: str = ", ") -> str:
        """Items with commas; a list among them keeps its own braces."""
        return mark.join(
            self.plain(item) if is_applied(item, "given") else self.within(item, Binding.WHERE + 1)
            for item in items
        )

    # -- names

    def name(self, name: Variable) -> str:
        """A name with all that belongs to it."""
        text = self.base(name)
        for accent in name.accents:
            text = f"\\{names.ACCENT_COMMANDS.get(accent, accent)}{{{text}}}"
        if name.subscript is not None:
            text += f"_{{{self.script(name.subscript)}}}"
        text += "'" * name.primes
        return text if name.superscript is None else f"{text}^{{{self.label(name.superscript)}}}"

    def base(self, name: Variable) -> str:
        """The letters of a name in their font."""
        base = f"\\{name.base}" if name.base in names.LETTERS else name.base
        if name.font:
            return f"\\{names.FONT_COMMANDS[name.font]}{{{base}}}"
        if "." in name.base or " " in name.base:
            return rf"\text{{{base}}}"
        if len(name.base) > 1 and name.base.isalpha() and name.base not in names.LETTERS:
            return rf"\mathrm{{{base}}}"
        return base

    def label(self, label: Tree) -> str:
        """What stands over a name and is part of it."""
        if isinstance(label, Variable) and label.is_plain and label.base in _LABELS:
            return _LABELS[label.base]
        if is_applied(label, "parentheses"):
            return rf"\left({self.script(label.arguments[0])}\right)"
        return rf"\mathord{{{self.script(label)}}}"

    # -- forms

    def infix(self, tree: Apply) -> Written:
        operator = tree.operator
        own = operator.notation.binding
        self.sets += operator.name in SET_SIGNS
        left, right = tree.arguments
        is_chain = operator.notation.is_associative
        first = self.within(left, own if is_chain else own + 1)
        if operator.name in ("add", "sub") and continues_sum(left, right):
            first = rf"\left({first}\right)"
        text = f"{first} {self.sign(tree)} {self.within(right, own + 1)}"
        self.sets -= operator.name in SET_SIGNS
        return Written(text, LOOSE.get(operator.name, own))

    def sign(self, tree: Apply) -> str:
        """The sign of an operator between two arguments."""
        return _SIGNS.get(tree.name, tree.operator.notation.latex)

    def prefix(self, tree: Apply) -> Written:
        own = tree.operator.notation.binding
        return Written(
            f"{tree.operator.notation.latex} {self.within(tree.arguments[0], own + 1)}".replace(
                "- ", "-", 1
            ),
            own,
        )

    def postfix(self, tree: Apply) -> Written:
        return Written(
            f"{self.within(tree.arguments[0], Binding.ATOM)}{tree.operator.notation.latex}",
            Binding.POWER,
        )

    def fence(self, tree: Apply) -> Written:
        opening, closing = tree.operator.notation.latex.split(" ")
        items = tree.arguments
        is_pair = tree.name in ("tuple", "brackets") and len(items) == 2
        mark = "; " if is_pair and (self.sets or _is_like_interval(items)) else ", "
        if tree.name == "set":
            inside = mark.join(
                self.within(item, Binding.COLON + 1)
                if not is_applied(item, "list")
                else f"{{{self.plain(item)}}}"
                for item in items
            )
        else:
            inside = self.items(items, mark)
        return Written(f"{opening}{' ' if opening[-1].isalpha() else ''}{inside}{closing}")

    def call(self, tree: Apply) -> Written:
        return Written(
            rf"{tree.operator.notation.latex}{{\left({self.items(tree.arguments)}\right)}}"
        )

    def constant(self, tree: Apply) -> Written:
        latex = tree.operator.notation.latex
        return Written(rf"\left({latex}\right)" if tree.name in _ALONE else latex)

    def big(self, tree: Apply) -> Written:
        body, *limits = tree.arguments
        text = tree.operator.notation.latex
        if limits and not is_applied(limits[0], "missing"):
            text += f"_{{{self.script(limits[0])}}}"
        if len(limits) > 1:
            text += f"^{{{self.script(limits[1])}}}"
        if is_applied(body, "missing"):
            return Written(text, Binding.LOOSEST)
        inside = self.within(body, Binding.PRODUCT)
        return Written(
            f"{text} {{{inside}}}" if inside.startswith(r"\left") else f"{text} {inside}",
            Binding.SIGN,
        )

    def accent(self, tree: Apply) -> Written:
        return Written(f"{tree.operator.notation.latex}{{{self.plain(tree.arguments[0])}}}")

    # -- arithmetic

    def product(self, tree: Apply) -> Written:
        left, right = tree.arguments
        is_plain = not self.scripts and _ends_plainly(left) and _is_plain_letter(right)
        before, after = self.within(left, Binding.PRODUCT), self.within(right, Binding.PRODUCT + 1)
        return Written(
            f"{before} {after}"
            if is_plain or (_is_power_of_letter(right) and _ends_plainly(left) and not self.scripts)
            else rf"{before} \cdot {after}",
            Binding.PRODUCT,
        )

    def quotient(self, tree: Apply) -> Written:
        above, below = tree.arguments
        if _begins_with_d(above) and _begins_with_d(below):
            return Written(
                f"{self.within(above, Binding.ATOM)} / {self.within(below, Binding.ATOM)}",
                Binding.PRODUCT,
            )
        return Written(rf"\frac{{{self.plain(above)}}}{{{self.plain(below)}}}", Binding.POWER)

    def power(self, tree: Apply) -> Written:
        base, exponent = tree.arguments
        over = self.script(exponent)
        if not _is_safe_exponent(exponent):
            over = rf"\mathinner{{{over}}}"
        if (
            isinstance(base, Apply)
            and base.operator.form is Form.CALL
            and isinstance(exponent, Number)
        ):
            head = base.operator.notation.latex
            return Written(
                rf"{head}^{{{over}}}{{\left({self.items(base.arguments)}\right)}}", Binding.POWER
            )
        text = self.within(base, Binding.ATOM)
        if isinstance(base, Variable) and base.superscript is not None:
            text = rf"\left({text}\right)"
        return Written(f"{text}^{{{over}}}", Binding.POWER)

    def root(self, tree: Apply) -> Written:
        if tree.name == "sqrt":
            return Written(rf"\sqrt{{{self.plain(tree.arguments[0])}}}")
        inside, degree = tree.arguments
        return Written(rf"\sqrt[{{{self.plain(degree)}}}]{{{self.plain(inside)}}}")

    def logarithm(self, tree: Apply) -> Written:
        argument, base = tree.arguments
        return Written(rf"\log_{{{self.script(base)}}}{{\left({self.items((argument,))}\right)}}")

    def two_above(self, tree: Apply) -> Written:
        above, below = tree.arguments
        return Written(rf"\binom{{{self.plain(above)}}}{{{self.plain(below)}}}")

    def mixed(self, tree: Apply) -> Written:
        whole, part = tree.arguments
        return Written(rf"{self.plain(whole)} \mathord{{{self.plain(part)}}}", Binding.PRODUCT)

    def degree(self, tree: Apply) -> Written:
        base = tree.arguments[0]
        sign = r"\degree" if isinstance(base, Variable) else r"^{\circ}"
        return Written(f"{self.within(base, Binding.ATOM)}{sign}", Binding.POWER)

    # -- application

    def application(self, tree: Apply) -> Written:
        head, *arguments = tree.arguments
        opening, closing = _BRACKETS[tree.name]
        if is_applied(head, "inverse"):
            name = f"{self.within(head.arguments[0], Binding.ATOM)}^{{-1}}"
        else:
            name = self.within(
                head, Binding.ATOM if not is_applied(head, "apply", "prescript") else Binding.POWER
            )
        if (
            isinstance(head, Variable)
            and len(head.base) > 1
            and head.is_plain
            and head.base.isalpha()
            and head.base not in names.LETTERS
        ):
            name = rf"\operatorname{{{head.base}}}"
        return Written(
            rf"{name}{{\left{opening}{self.items(tuple(arguments))}\right{closing}}}",
            Binding.POWER,
        )

    def inverse(self, tree: Apply) -> Written:
        return Written(f"{self.within(tree.arguments[0], Binding.ATOM)}^{{-1}}", Binding.POWER)

    def scripted(self, tree: Apply) -> Written:
        base, script = tree.arguments
        text = self.within(base, Binding.ATOM)
        if tree.name == "indexed":
            return Written(f"{text}_{{{self.script(script)}}}", Binding.POWER)
        if isinstance(script, Variable) and set(script.base) == {"'"}:
            return Written(f"{text}{script.base}", Binding.POWER)
        return Written(f"{text}^{{{self.label(script)}}}", Binding.POWER)

    def prescript(self, tree: Apply) -> Written:
        base, lower, upper = tree.arguments
        scripts = "".join(
            f"{sign}{{{self.script(script)}}}"
            for sign, script in (("_", lower), ("^", upper))
            if not is_applied(script, "missing")
        )
        return Written(f"{{}}{scripts}{self.within(base, Binding.POWER)}", Binding.POWER)

    def transposed(self, tree: Apply) -> Written:
        return Written(
            rf"{self.within(tree.arguments[0], Binding.ATOM)}^{{\mathsf{{T}}}}", Binding.POWER
        )

    # -- calculus

    def derivative(self, tree: Apply) -> Written:
        is_operator = tree.name.endswith("_operator")
        body = None if is_operator else tree.arguments[0]
        pairs = tree.arguments if is_operator else tree.arguments[1:]
        sign = r"\partial" if tree.name.startswith("partial") else "d"
        below = " ".join(
            f"{sign} {self.plain(variable)}"
            + ("" if order == Number(1) else f"^{{{self.script(order)}}}")
            for variable, order in zip(pairs[::2], pairs[1::2], strict=True)
        )
        orders = [order.value for order in pairs[1::2] if isinstance(order, Number)]
        total = sum(orders) if len(orders) == len(pairs) // 2 else None
        above = sign if total == 1 else f"{sign}^{{{total or self.script(pairs[1])}}}"
        text = rf"\frac{{{above}}}{{{below}}}"
        if body is None:
            return Written(text)
        inside = self.within(body, Binding.POWER)
        if inside.startswith(r"\left") and self.write(body).binding < Binding.ATOM:
            inside = rf"\left({self.plain(body)}\right)"
        return Written(f"{text} {inside}", Binding.SIGN)

    def differential(self, tree: Apply) -> Written:
        variable, *order = tree.arguments
        sign = r"\mathrm{d}" + "".join(f"^{{{self.script(part)}}}" for part in order)
        if isinstance(variable, Variable) and variable.superscript is None:
            return Written(f"{sign} {self.plain(variable)}", Binding.POWER)
        return Written(rf"{sign}\left({self.plain(variable)}\right)", Binding.POWER)

    def integral(self, tree: Apply) -> Written:
        body, variable, *limits = tree.arguments
        text = r"\oint" if tree.name == "contour_integral" else r"\int"
        if limits and not is_applied(limits[0], "missing"):
            text += f"_{{{self.script(limits[0])}}}"
        if len(limits) > 1:
            text += f"^{{{self.script(limits[1])}}}"
        if is_applied(variable, "missing"):
            inside = "" if is_applied(body, "missing") else f" {{{self.plain(body)}}}"
            return Written(f"{text}{inside}", Binding.SIGN if inside else Binding.LOOSEST)
        variables = variable.arguments if is_applied(variable, "list") else (variable,)
        ends = r" \, ".join(
            rf"\mathrm{{d}} {self.plain(part)}"
            if isinstance(part, Variable) and part.superscript is None
            else rf"\mathrm{{d}}\left({self.plain(part)}\right)"
            for part in variables
        )
        return Written(rf"{text} {self.within(body, Binding.PRODUCT)} \, {ends}", Binding.SIGN)

    def evaluated(self, tree: Apply) -> Written:
        inside, lower, *upper = tree.arguments
        text = rf"\left. {self.plain(inside)} \right|_{{{self.script(lower)}}}"
        return Written(text + "".join(f"^{{{self.script(part)}}}" for part in upper))

    def before(self, tree: Apply) -> Written:
        r"""`\partial x`, `\nabla f`, `\Delta x`."""
        operand, *scripts = tree.arguments
        sign = _BEFORE[tree.name] + "".join(
            f"{mark}{{{self.script(part)}}}"
            for mark, part in zip("_^", scripts, strict=False)
            if not is_applied(part, "missing")
        )
        if is_applied(operand, "missing"):
            return Written(sign, Binding.LOOSEST)
        return Written(f"{sign} {self.within(operand, Binding.POWER)}", Binding.SIGN)

    def figure(self, tree: Apply) -> Written:
        inside = tree.arguments[0]
        if is_applied(inside, "index"):
            corners = " ".join(self.plain(part) for part in inside.arguments)
        else:
            corners = self.within(inside, Binding.POWER)
        return Written(f"{tree.operator.notation.latex} {corners}", Binding.SIGN)

    # -- statements

    def chain(self, tree: Apply) -> Written:
        first, *rest = tree.arguments
        own = _link_binding(first)
        left = self.plain(first)
        return Written(left + "".join(f" {self.link(part, own)}" for part in rest), own)

    def link(self, tree: Tree, binding: int = Binding.RELATION) -> str:
        """A relation without its left side."""
        sign, right = self.relation_sign(tree)
        self.sets += 1
        text = f"{sign} {self.within(right, binding + 1)}"
        self.sets -= 1
        return text

    def relation_sign(self, tree: Tree) -> tuple[str, Tree]:
        """The sign of a relation, labelled or negated, and its right side."""
        assert isinstance(tree, Apply)
        if tree.name == "labelled":
            sign, right = self.relation_sign(tree.arguments[0])
            return rf"\overset{{{self.script(tree.arguments[1])}}}{{{sign}}}", right
        if tree.name == "not":
            sign, right = self.relation_sign(tree.arguments[0])
            return rf"\not{sign}", right
        return self.sign(tree), tree.arguments[1]

    def labelled(self, tree: Apply) -> Written:
        relation = tree.arguments[0]
        while is_applied(relation, "not", "labelled"):
            relation = relation.arguments[0]
        left = relation.arguments[0]
        return Written(
            f"{self.within(left, Binding.RELATION + 1)} {self.link(tree)}", Binding.RELATION
        )

    def modulo(self, tree: Apply) -> Written:
        left, modulus = tree.arguments
        return Written(
            rf"{self.within(left, Binding.MODULO + 1)} \pmod{{{self.plain(modulus)}}}",
            Binding.MODULO,
        )

    def quantifier(self, tree: Apply) -> Written:
        domain, *body = tree.arguments
        names_part = domain.arguments if is_applied(domain, "list") else (domain,)
        text = f"{_QUANTIFIERS[tree.name]} " + ", ".join(
            self.within(part, Binding.AND + 1) for part in names_part
        )
        if not body:
            return Written(text, Binding.LOOSEST)
        return Written(
            rf"{text} \colon {self.within(body[0], Binding.QUANTIFIER)}", Binding.QUANTIFIER
        )

    def joined(self, tree: Apply) -> Written:
        left, right = tree.arguments
        before = (
            self.plain(left) if is_applied(left, "list") else self.within(left, Binding.WHERE + 1)
        )
        after = (
            self.plain(right) if is_applied(right, "list") else self.within(right, Binding.WHERE)
        )
        return Written(rf"{before} \text{{ {_JOINS[tree.name]} }} {after}", Binding.WHERE)

    # -- containers

    def list(self, tree: Apply) -> Written:
        return Written(self.items(tree.arguments, separator(tree.arguments)), Binding.LIST)

    def index(self, tree: Apply) -> Written:
        return Written(
            " ".join(self.within(part, Binding.ATOM) for part in tree.arguments), Binding.LIST
        )

    def rows(self, tree: Apply) -> Written:
        inside = r" \\ ".join(
            self.plain(part) if not is_applied(part, "rows") else f"{{{self.plain(part)}}}"
            for part in tree.arguments
        )
        return Written(rf"\begin{{aligned}} {inside} \end{{aligned}}")

    def table(self, tree: Apply) -> Written:
        name = _TABLES[tree.name]
        inside = r" \\ ".join(
            " & ".join(self.plain(cell) for cell in row.arguments)
            if is_applied(row, "row")
            else self.plain(row)
            for row in tree.arguments
        )
        return Written(rf"\begin{{{name}}} {inside} \end{{{name}}}")

    def system(self, tree: Apply) -> Written:
        return Written(rf"\left\{{{self.plain(tree.arguments[0])}\right.")

    def set_where(self, tree: Apply) -> Written:
        elements, condition = (
            self.plain(part) if is_applied(part, "list") else self.within(part, Binding.COLON + 1)
            for part in tree.arguments
        )
        return Written(rf"\left\{{{elements} \mid {condition}\right\}}")

    def given(self, tree: Apply) -> Written:
        before, after = (
            self.plain(part) if is_applied(part, "list") else self.within(part, Binding.COLON + 1)
            for part in tree.arguments
        )
        return Written(rf"{before} \mid {after}", Binding.LOOSEST)

    def interval(self, tree: Apply) -> Written:
        opening, closing = _INTERVALS[tree.name]
        inside = self.items(tree.arguments)
        if opening + closing in ("[]", "()"):
            inside = rf"\mathinner{{{inside}}}"
        return Written(rf"\left{opening}{inside}\right{closing}")

    def parentheses(self, tree: Apply) -> Written:
        return Written(rf"\left({self.plain(tree.arguments[0])}\right)")

    def dirac(self, tree: Apply) -> Written:
        inside = self.plain(tree.arguments[0])
        if tree.name == "ket":
            return Written(rf"\left|{inside}\right\rangle")
        return Written(rf"\left\langle {inside}\right|")

    def annotated(self, tree: Apply) -> Written:
        inside, note = tree.arguments
        return Written(rf"\underbrace{{{self.plain(inside)}}}_{{{self.script(note)}}}")


def _link_binding(link: Tree) -> int:
    """How tightly the sign of a chain binds: a relation, or an implication."""
    if isinstance(link, Apply) and link.name not in ("labelled", "not"):
        return link.operator.notation.binding
    return Binding.RELATION


def _is_like_interval(items: tuple[Tree, ...]) -> bool:
    return any(
        isinstance(item, Number)
        or any(is_applied(node, "infinity") or isinstance(node, Number) for node in item.walk())
        for item in items
    )


def _is_plain_letter(tree: Tree) -> bool:
    return (
        isinstance(tree, Variable)
        and tree.font == ""
        and not tree.accents
        and ((len(tree.base) == 1 or tree.base in names.LETTERS) and tree.base not in _NO_PRODUCT)
        and tree.superscript is None
    )


def _is_power_of_letter(tree: Tree) -> bool:
    return is_applied(tree, "pow") and _is_plain_letter(tree.arguments[0])


def _ends_plainly(tree: Tree) -> bool:
    """Whether a letter can follow without a sign."""
    while is_applied(tree, "mul"):
        tree = tree.arguments[1]
    return isinstance(tree, Number) or _is_plain_letter(tree) or _is_power_of_letter(tree)


def _begins_with_d(tree: Tree) -> bool:
    while is_applied(tree, "mul", "pow"):
        tree = tree.arguments[0]
    return is_applied(tree, "differential", "partial_sign", "partial_alone")


def _is_safe_exponent(exponent: Tree) -> bool:
    """Whether an exponent is read as a power without a mark."""
    if isinstance(exponent, Number):
        return True
    if isinstance(exponent, Variable):
        return (
            exponent.font == ""
            and exponent.base not in _RISKY_EXPONENTS
            and (len(exponent.base) == 1 or exponent.base in names.LETTERS)
            and exponent.is_plain
        )
    if is_applied(exponent, "pi", "e", "i", "infinity"):
        return True
    return is_applied(exponent, *_SAFE_EXPONENTS) or (
        isinstance(exponent, Apply) and exponent.operator.form is Form.CALL
    )


_SIGNS = {"mapping": r"\colon", "ratio": "∶", "divides": r"\mathrel{\mid}"}
_BEFORE = {
    "partial_sign": r"\partial", "nabla": r"\nabla", "divergence": r"\nabla \cdot",
    "rotation": r"\nabla \times", "change": r"\Delta",
}  # fmt: skip
_FORMS: Mapping[Form, Callable[[_Writer, Apply], Written]] = {
    Form.INFIX: _Writer.infix, Form.PREFIX: _Writer.prefix, Form.POSTFIX: _Writer.postfix,
    Form.FENCE: _Writer.fence, Form.CALL: _Writer.call, Form.CONSTANT: _Writer.constant,
    Form.BIG: _Writer.big, Form.ACCENT: _Writer.accent,
}  # fmt: skip
_OWN: Mapping[str, Callable[[_Writer, Apply], Written]] = {
    "mul": _Writer.product, "div": _Writer.quotient, "pow": _Writer.power, "sqrt": _Writer.root,
    "root": _Writer.root, "log_base": _Writer.logarithm, "binomial": _Writer.two_above,
    "mixed": _Writer.mixed, "degree": _Writer.degree, "inverse": _Writer.inverse,
    "indexed": _Writer.scripted, "starred": _Writer.scripted, "prescript": _Writer.prescript,
    "transpose": _Writer.transposed, "differential": _Writer.differential,
    "evaluated": _Writer.evaluated, "angle": _Writer.figure, "triangle": _Writer.figure,
    "chain": _Writer.chain, "labelled": _Writer.labelled, "modulo": _Writer.modulo,
    "list": _Writer.list, "index": _Writer.index, "rows": _Writer.rows, "row": _Writer.list,
    "system": _Writer.system, "set_where": _Writer.set_where, "given": _Writer.given,
    "parentheses": _Writer.parentheses, "ket": _Writer.dirac, "bra": _Writer.dirac,
    "annotated": _Writer.annotated,
    **dict.fromkeys(_BRACKETS, _Writer.application),
    **dict.fromkeys(_TABLES, _Writer.table),
    **dict.fromkeys(_INTERVALS, _Writer.interval),
    **dict.fromkeys(_QUANTIFIERS, _Writer.quantifier),
    **dict.fromkeys(_JOINS, _Writer.joined),
    **dict.fromkeys(_BEFORE, _Writer.before),
    **dict.fromkeys(("derivative", "partial", "derivative_operator", "partial_operator"), _Writer.derivative),  # noqa: E501
    **dict.fromkeys(("integral", "integral_between", "integral_over", "contour_integral"), _Writer.integral),  # noqa: E501
}  # fmt: skip
