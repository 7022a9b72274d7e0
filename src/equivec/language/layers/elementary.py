"""Elementary functions: arithmetic, powers, logarithms, and the circular and hyperbolic ones."""

from __future__ import annotations

from equivec.language.layers.rows import NUMERIC, VALUE, call, constant, fence, infix, own, prefix
from equivec.language.operators import Binding, Signature

ELEMENTARY = Signature(
    "elementary",
    (
        infix("add", "+", "+", binding=Binding.SUM, is_commutative=True),
        infix("sub", "-", "-", "\N{MINUS SIGN}", binding=Binding.SUM),
        infix(
            "mul", "*", r"\cdot", "\N{DOT OPERATOR}", binding=Binding.PRODUCT, is_commutative=True
        ),
        own("div", 2, takes=(VALUE,), binding=Binding.PRODUCT),
        prefix("neg", "-", "-", "\N{MINUS SIGN}", binding=Binding.SIGN),
        own("pow", 2, takes=(VALUE,), binding=Binding.POWER),
        own("sqrt", 1, takes=(VALUE,)),
        fence("abs", "| |", r"\left| \right|", takes=VALUE),
        call("ln", r"\ln"),
        call("exp", r"\exp"),
        call("sin", r"\sin"),
        call("cos", r"\cos"),
        call("tan", r"\tan"),
        call("cot", r"\cot"),
        call("sec", r"\sec"),
        call("csc", r"\csc"),
        call("asin", r"\arcsin"),
        call("acos", r"\arccos"),
        call("atan", r"\arctan"),
        call("acot", r"\operatorname{arccot}"),
        call("asec", r"\operatorname{arcsec}"),
        call("acsc", r"\operatorname{arccsc}"),
        call("sinh", r"\sinh"),
        call("cosh", r"\cosh"),
        call("tanh", r"\tanh"),
        call("coth", r"\coth"),
        call("sech"),
        call("csch"),
        call("asinh", r"\operatorname{arsinh}"),
        call("acosh", r"\operatorname{arcosh}"),
        call("atanh", r"\operatorname{artanh}"),
        call("acoth", r"\operatorname{arcoth}"),
        call("asech", r"\operatorname{arsech}"),
        call("acsch", r"\operatorname{arcsch}"),
        constant("pi", "pi", r"\pi", "\N{GREEK SMALL LETTER PI}"),
        constant("e", "e", r"\mathrm{e}", "e"),
        constant("i", "i", r"\mathrm{i}", "i", gives=NUMERIC),
    ),
)
