"""Trees to SymPy objects and back, node by node: no strings, no eval."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Any

import sympy
from sympy.logic import boolalg

from equivec.algebra.points import PAPER_DOMAIN, Domain
from equivec.errors import ConversionError
from equivec.expression.grammar import BOOLEAN, ELEMENTARY, Grammar
from equivec.expression.tree import Node

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

# An integer power is computed by SymPy at once; larger ones than this would fill the memory.
_MAX_POWER_BITS = 1 << 16

_FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "add": sympy.Add,
    "mul": sympy.Mul,
    "div": lambda a, b: a / b,
    "sqrt": sympy.sqrt,
    "abs": sympy.Abs,
    "ln": sympy.log,
    "subtract": lambda a, b: a - b,
    "multiply": sympy.Mul,
    "and": sympy.And,
    "or": sympy.Or,
    "xor": sympy.Xor,
    "implies": sympy.Implies,
    "not": sympy.Not,
    **{
        name: getattr(sympy, name)
        for name in (
            *("exp", "sign"),
            *("sin", "cos", "tan", "cot", "sec", "csc"),
            *("asin", "acos", "atan", "acot", "asec", "acsc"),
            *("sinh", "cosh", "tanh", "coth", "sech", "csch"),
            *("asinh", "acosh", "atanh", "acoth", "asech", "acsch"),
        )
    },
}
_CONSTANTS: Mapping[str, Any] = {
    "pi": sympy.pi,
    "E": sympy.E,
    "true": sympy.true,
    "false": sympy.false,
}
_ASSUMPTIONS: Mapping[Domain, Mapping[str, bool]] = {
    Domain.POSITIVE: {"positive": True},
    Domain.REAL: {"real": True},
}


def to_sympy(tree: Node, domain: Domain = PAPER_DOMAIN) -> Any:
    """The SymPy object of a tree; SymPy reorders and simplifies as it always does.

    >>> from equivec.expression.text import parse
    >>> to_sympy(parse("x + x"))
    2*x
    """
    nodes = list(tree.walk())
    is_logic = any(node.symbol in BOOLEAN and node.symbol not in ELEMENTARY for node in nodes)
    assumptions = {} if is_logic else _ASSUMPTIONS[domain]
    stack: list[Any] = []
    for node in reversed(nodes):
        arguments = [stack.pop() for _ in node.arguments]
        stack.append(_apply(node.symbol, arguments, assumptions))
    return stack.pop()


def from_sympy(expression: Any, grammar: Grammar = ELEMENTARY) -> Node:
    """The tree of a SymPy object.

    >>> from equivec.expression.infix import write_infix
    >>> x = sympy.Symbol("x")
    >>> write_infix(from_sympy(sympy.sin(x) / 2))
    '1/2*sin(x)'
    >>> from_sympy(sympy.gamma(x))
    Traceback (most recent call last):
    equivec.errors.ConversionError: SymPy's gamma has no counterpart in the elementary grammar
    """
    if isinstance(expression, sympy.Symbol):
        if expression.name in grammar.variables:
            return Node(expression.name)
        raise ConversionError(f"the symbol {expression.name!r} is not a variable of this grammar")
    if isinstance(expression, sympy.Rational):
        return _from_rational(expression)
    name = _LEAVES.get(expression) or _NAMES.get(type(expression))
    if isinstance(expression, sympy.Pow):
        return _from_power(expression, grammar)
    if name is None or name not in grammar:
        kind = type(expression).__name__
        raise ConversionError(f"SymPy's {kind} has no counterpart in the {grammar.name} grammar")
    arguments = [from_sympy(argument, grammar) for argument in expression.args]
    if not arguments:
        return Node(name)
    if grammar[name].arity == 2:
        return reduce(lambda left, right: Node(name, (left, right)), arguments)
    return Node(name, tuple(arguments))


def _apply(symbol: str | int, arguments: list[Any], assumptions: Mapping[str, bool]) -> Any:
    if isinstance(symbol, int):
        return sympy.Integer(symbol)
    if symbol == "pow":
        return _power(arguments[0], arguments[1])
    if symbol in _FUNCTIONS:
        return _FUNCTIONS[symbol](*arguments)
    if symbol in _CONSTANTS:
        return _CONSTANTS[symbol]
    return sympy.Symbol(symbol, **assumptions)


def _power(base: Any, exponent: Any) -> Any:
    if isinstance(base, sympy.Rational) and isinstance(exponent, sympy.Rational):
        bits = max(int(base.p).bit_length(), int(base.q).bit_length())
        if bits * abs(exponent) > _MAX_POWER_BITS:
            raise ConversionError(f"({base})**({exponent}) is too large for SymPy to write out")
    return base**exponent


def _from_rational(number: Any) -> Node:
    if number.q == 1:
        return Node(int(number.p))
    return Node("div", (Node(int(number.p)), Node(int(number.q))))


def _from_power(expression: Any, grammar: Grammar) -> Node:
    base, exponent = expression.args
    if exponent == sympy.S.Half:
        return Node("sqrt", (from_sympy(base, grammar),))
    return Node("pow", (from_sympy(base, grammar), from_sympy(exponent, grammar)))


_NAMES: Mapping[type, str] = {
    sympy.Add: "add",
    sympy.Mul: "mul",
    boolalg.And: "and",
    boolalg.Or: "or",
    boolalg.Xor: "xor",
    boolalg.Implies: "implies",
    boolalg.Not: "not",
    **{
        function: name
        for name, function in _FUNCTIONS.items()
        if isinstance(function, type) and issubclass(function, sympy.Function)
    },
}
_LEAVES: Mapping[Any, str] = {value: name for name, value in _CONSTANTS.items()}
