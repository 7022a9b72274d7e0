"""More functions of numbers, and the signs that people put before and after them."""

from __future__ import annotations

from equivec.language.layers.rows import (
    ANY,
    NUMBER,
    VALUE,
    call,
    constant,
    fence,
    infix,
    own,
    postfix,
    prefix,
)
from equivec.language.operators import AtLeast, Binding, Signature

_MANY = AtLeast(1)


FUNCTIONS = Signature(
    "functions",
    (
        call("log", r"\log"),
        own("log_base", 2, takes=(VALUE,), infix_name="logb"),
        own("root", 2, takes=(VALUE,)),
        call("lg", r"\lg"),
        call("lb"),
        call("sgn"),
        call("round"),
        call("sinc"),
        call("cis"),
        call("erf"),
        call("erfc"),
        call("Li", arity=AtLeast(1), takes=VALUE),
        call("Ei"),
        call("Si"),
        call("Ci"),
        call("atan2", arity=2),
        call("heaviside", r"\operatorname{heaviside}"),
        call("logit"),
        fence("floor", "floor( )", r"\left\lfloor \right\rfloor", takes=VALUE),
        fence("ceil", "ceil( )", r"\left\lceil \right\rceil", takes=VALUE),
        fence("nearest", "nearest( )", r"\left\lfloor \right\rceil", takes=VALUE),
        fence("norm", "norm( )", r"\left\| \right\|", takes=VALUE),
        call("gcd", r"\gcd", arity=_MANY, takes=VALUE),
        call("lcm", arity=_MANY, takes=VALUE),
        infix("mod", "mod", r"\bmod", "mod", binding=Binding.PRODUCT),
        own("binomial", 2, takes=(VALUE,)),
        postfix("factorial", "!", "!"),
        postfix("double_factorial", "!!", "!!"),
        postfix("percent", "%", r"\%", "%"),
        postfix("degree", "°", r"^{\circ}", "°"),
        infix("plus_minus", "+-", r"\pm", "±", binding=Binding.SUM),
        infix("minus_plus", "-+", r"\mp", "∓", binding=Binding.SUM),
        prefix("either_sign", "+-", r"\pm", "±", binding=Binding.SIGN),
        prefix("other_sign", "-+", r"\mp", "∓", binding=Binding.SIGN),
        infix("times", "><", r"\times", "×", binding=Binding.PRODUCT),
        constant("infinity", "oo", r"\infty", "∞", gives=NUMBER),
        own("mixed", 2, takes=(NUMBER,)),
        # other functions of anything (dim, Var, Gal) are names that are applied
        call("det", r"\det", takes=ANY, gives=VALUE),
        call("tr", takes=ANY, gives=VALUE),
        call("arg", r"\arg"),
        call("Re"),
        call("Im"),
    ),
)
