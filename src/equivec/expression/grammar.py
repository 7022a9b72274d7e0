"""The three languages of expressions, one row a symbol: adding a symbol is adding a row.

A row gives a symbol's name (which is also its token in prefix form), how many arguments it takes,
and how it is written in infix and LaTeX. Numbers and SymPy objects are the business of `algebra`.
"""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from typing import TYPE_CHECKING

from equivec.errors import ConversionError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from equivec.expression.tree import Node

INTEGER_SIGNS = ("INT+", "INT-")
DIGITS = tuple("0123456789")


@dataclass(frozen=True, slots=True)
class Symbol:
    """One row of a grammar."""

    name: str
    arity: int
    infix: str
    latex: str
    is_commutative: bool = False
    is_variable: bool = False


@dataclass(frozen=True)
class Grammar:
    """A named table of symbols.

    >>> ELEMENTARY["sin"].arity
    1
    >>> "xor" in ELEMENTARY, "xor" in BOOLEAN
    (False, True)
    >>> ELEMENTARY.suggest("coss")
    'cos'
    """

    name: str
    symbols: tuple[Symbol, ...]
    has_integers: bool = False

    @cached_property
    def by_name(self) -> Mapping[str, Symbol]:
        """The rows by the symbol's name."""
        return {symbol.name: symbol for symbol in self.symbols}

    @cached_property
    def by_infix(self) -> Mapping[str, Symbol]:
        """The rows by the symbol's infix spelling."""
        return {symbol.infix: symbol for symbol in self.symbols}

    @cached_property
    def by_latex(self) -> Mapping[str, Symbol]:
        """The rows by the symbol's LaTeX spelling."""
        return {symbol.latex: symbol for symbol in self.symbols}

    @cached_property
    def variables(self) -> tuple[str, ...]:
        """The names of the variables, in the order of the table."""
        return tuple(symbol.name for symbol in self.symbols if symbol.is_variable)

    @cached_property
    def tokens(self) -> tuple[str, ...]:
        """Every token of the prefix form; a token's place here gives it its id."""
        numbers = (*INTEGER_SIGNS, *DIGITS) if self.has_integers else ()
        return (*(symbol.name for symbol in self.symbols), *numbers)

    def __getitem__(self, name: str) -> Symbol:
        return self.by_name[name]

    def __contains__(self, name: object) -> bool:
        return name in self.by_name

    def check(self, tree: Node) -> Node:
        """The tree itself, refused where it is not one of this grammar.

        >>> from equivec.expression.tree import Node
        >>> ELEMENTARY.check(Node("true"))
        Traceback (most recent call last):
        equivec.errors.ConversionError: 'true' is not a symbol of the elementary grammar
        """
        for node in tree.nodes():
            row = self.by_name.get(node.symbol) if isinstance(node.symbol, str) else None
            if row is None and not (node.is_integer and self.has_integers):
                raise ConversionError(f"{node.symbol!r} is not a symbol of the {self.name} grammar")
            arity = 0 if row is None else row.arity
            if len(node.arguments) != arity:
                raise ConversionError(
                    f"{node.symbol!r} of the {self.name} grammar takes {arity} arguments, "
                    f"not {len(node.arguments)}"
                )
        return tree

    def suggest(self, name: str, among: Iterable[str] | None = None) -> str | None:
        """The known name nearest to a misspelt one, if any is near."""
        known = self.by_name if among is None else among
        matches = get_close_matches(name, list(known), n=1, cutoff=0.7)
        return matches[0] if matches else None


def _functions(*rows: tuple[str, str]) -> tuple[Symbol, ...]:
    return tuple(Symbol(name, 1, name, latex) for name, latex in rows)


def _named(*names: str) -> tuple[Symbol, ...]:
    """Functions that LaTeX has no command for, set upright under their own name."""
    return tuple(Symbol(name, 1, name, rf"\operatorname{{{name}}}") for name in names)


def _variables(names: str) -> tuple[Symbol, ...]:
    return tuple(Symbol(name, 0, name, name, is_variable=True) for name in names)


ELEMENTARY = Grammar(
    "elementary",
    (
        Symbol("add", 2, "+", "+", is_commutative=True),
        Symbol("mul", 2, "*", r"\cdot", is_commutative=True),
        Symbol("div", 2, "/", r"\frac"),
        Symbol("pow", 2, "**", "^"),
        Symbol("sqrt", 1, "sqrt", r"\sqrt"),
        Symbol("abs", 1, "abs", r"\left|"),
        Symbol("ln", 1, "log", r"\ln"),
        Symbol("exp", 1, "exp", r"\exp"),
        *_functions(
            ("sin", r"\sin"),
            ("cos", r"\cos"),
            ("tan", r"\tan"),
            ("cot", r"\cot"),
            ("sec", r"\sec"),
            ("csc", r"\csc"),
            ("asin", r"\arcsin"),
            ("acos", r"\arccos"),
            ("atan", r"\arctan"),
            ("sinh", r"\sinh"),
            ("cosh", r"\cosh"),
            ("tanh", r"\tanh"),
            ("coth", r"\coth"),
            ("asinh", r"\operatorname{arsinh}"),
            ("acosh", r"\operatorname{arcosh}"),
            ("atanh", r"\operatorname{artanh}"),
        ),
        *_named("sech", "csch"),
        *_functions(
            ("acot", r"\operatorname{arccot}"),
            ("asec", r"\operatorname{arcsec}"),
            ("acsc", r"\operatorname{arccsc}"),
            ("acoth", r"\operatorname{arcoth}"),
            ("asech", r"\operatorname{arsech}"),
            ("acsch", r"\operatorname{arcsch}"),
        ),
        *_named("sign"),
        Symbol("pi", 0, "pi", r"\pi"),
        Symbol("E", 0, "e", "e"),
        *_variables("xyztuvw"),
        *_variables("abcdkmnpq"),
    ),
    has_integers=True,
)

BOOLEAN = Grammar(
    "boolean",
    (
        Symbol("and", 2, "&", r"\land", is_commutative=True),
        Symbol("or", 2, "|", r"\lor", is_commutative=True),
        Symbol("xor", 2, "^", r"\oplus", is_commutative=True),
        Symbol("implies", 2, ">>", r"\Rightarrow"),
        Symbol("not", 1, "~", r"\neg"),
        Symbol("true", 0, "True", r"\top"),
        Symbol("false", 0, "False", r"\bot"),
        *_variables("abcdefghij"),
    ),
)

POLYNOMIAL = Grammar(
    "polynomial",
    (
        Symbol("add", 2, "+", "+", is_commutative=True),
        Symbol("subtract", 2, "-", "-"),
        Symbol("multiply", 2, "*", r"\cdot", is_commutative=True),
        *_variables("abcdefghij"),
    ),
)

GRAMMARS: Mapping[str, Grammar] = {
    grammar.name: grammar for grammar in (ELEMENTARY, BOOLEAN, POLYNOMIAL)
}

# Inverse pairs: what a superscript -1 on a function's name means in LaTeX.
INVERSES: Mapping[str, str] = {
    name: f"a{name}"
    for name in (
        *("sin", "cos", "tan", "cot", "sec", "csc"),
        *("sinh", "cosh", "tanh", "coth", "sech", "csch"),
    )
}

# Other spellings that people and programs use, as rows of (spelling, name).
ALIASES: Mapping[str, str] = {
    "ln": "ln",
    "Abs": "abs",
    "sgn": "sign",
    **{f"arc{name}": f"a{name}" for name in INVERSES},
    **{f"ar{name}": f"a{name}" for name in INVERSES if name.endswith("h")},
    "arcosech": "acsch",
    "arcosec": "acsc",
    "cosec": "csc",
    "ctg": "cot",
    "tg": "tan",
    "sh": "sinh",
    "ch": "cosh",
    "th": "tanh",
}

# The types of elementary operators that the paper tells apart.
ARITHMETIC = "arithmetic"
OPERATOR_TYPES: Mapping[str, frozenset[str]] = {
    ARITHMETIC: frozenset("add mul div pow sqrt abs sign".split()),
    "trigonometric": frozenset("sin cos tan cot sec csc asin acos atan acot asec acsc".split()),
    "hyperbolic": frozenset(
        "sinh cosh tanh coth sech csch asinh acosh atanh acoth asech acsch".split()
    ),
    "logarithmic/exponential": frozenset("ln exp".split()),
}
