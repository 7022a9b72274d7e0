"""The names that plain text keeps for operators, fonts and accents."""

from __future__ import annotations

from equivec.language import names
from equivec.language.layers import SIGNATURE
from equivec.language.operators import Form

FONTS = frozenset((*names.FONT_COMMANDS, "it"))
ACCENTS = frozenset(names.ACCENT_COMMANDS)
# Calls by name: every operator, by its name and by its spelling in plain text.
CALLS = {
    **{row.name: row for row in SIGNATURE if row.name not in ("pi", "e", "i", "true", "false")},
    **{
        row.notation.infix: row
        for row in SIGNATURE
        if row.form in (Form.CALL, Form.OWN, Form.BIG)
    },
    **{
        alias: SIGNATURE[name]
        for alias, name in {
            "arcsin": "asin", "arccos": "acos", "arctan": "atan", "arcsinh": "asinh",
            "arccosh": "acosh", "arctanh": "atanh", "Abs": "abs", "sign": "sgn", "Sum": "sum",
            "Product": "prod", "product": "prod", "ceiling": "ceil", "diff": "derivative",
            "Derivative": "derivative", "Integral": "integral", "Union": "union",
            "Intersection": "intersection", "Max": "max", "Min": "min", "trace": "tr", "re": "Re",
            "im": "Im", "choose": "binomial", "integrate": "integral", "limit": "lim",
            "Limit": "lim",
        }.items()
    },
}  # fmt: skip
CONSTANTS = {
    "pi": "pi", "oo": "infinity", "inf": "infinity", "infinity": "infinity", "true": "true",
    "false": "false", "e": "e", "I": "i",
}  # fmt: skip
WORD_SIGNS = {
    row.notation.infix: row
    for row in SIGNATURE
    if row.form in (Form.INFIX, Form.PREFIX)
    and row.notation.infix.isalpha()
    and row.notation.infix.isascii()
}
RESERVED = frozenset((*CALLS, *CONSTANTS, *WORD_SIGNS, *ACCENTS))
