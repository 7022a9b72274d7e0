"""Every spelling of every sign, one table for all notations, made from the rows of the layers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from equivec.language.layers import SIGNATURE
from equivec.language.operators import Form

if TYPE_CHECKING:
    from collections.abc import Mapping

    from equivec.language.operators import Operator


def _by_latex(form: Form) -> dict[str, Operator]:
    rows = (row for row in SIGNATURE if row.form is form)
    return {row.notation.latex: row for row in rows if row.notation.latex}


def _also(table: dict[str, Operator], aliases: str) -> dict[str, Operator]:
    """The table with further commands: `name: command command` a line."""
    for line in aliases.strip().splitlines():
        name, commands = line.split(":", 1)
        for command in commands.split():
            table[command] = SIGNATURE[name.strip()]
    return table


INFIX: Mapping[str, Operator] = _also(
    _by_latex(Form.INFIX),
    r"""
    ratio: ∶
    mul: * \cdotp \centerdot
    div: / \div \slash ÷
    times: \x
    le: ≤ \leq \leqslant \leqq ⩽
    ge: ≥ \geq \geqslant \geqq ⩾
    lt: \lt
    gt: \gt
    ne: ≠ \neq
    approx: \approxeq \thickapprox
    equivalent: \Equiv
    similar: \thicksim \backsim
    congruent: \congr
    proportional: \varpropto
    defined_as: \coloneqq \coloneq \triangleq \defeq \eqdef \doteqdot
    defines: \eqqcolon
    perpendicular: \bot \Perp
    parallel: \shortparallel
    less_or_similar: \lessapprox \lesseqgtr
    greater_or_similar: \gtrapprox
    much_less: \lll
    much_greater: \ggg
    precedes: \prec
    precedes_or_equal: \preccurlyeq \precsim
    succeeds_or_equal: \succcurlyeq
    models: \vDash
    normal_subgroup: \lhd \vartriangleleft
    normal_subgroup_or_equal: \unlhd \trianglelefteqslant
    contains_normal: \rhd \vartriangleright
    contains_normal_or_equal: \unrhd
    in: \isin
    contains: \owns
    proper_subset: \subsetneqq \varsubsetneq \varsubsetneqq
    proper_superset: \supsetneqq \varsupsetneq
    subset_or_equal: \subseteqq
    superset_or_equal: \supseteqq
    not_subset: \nsubset
    to: \rightarrow \longrightarrow \longto
    maps_to: \longmapsto
    from: \leftarrow \gets \longleftarrow
    both_ways: \longleftrightarrow
    embeds: \longhookrightarrow
    squiggly_to: \leadsto
    implies: \Rightarrow \Longrightarrow
    iff: \Leftrightarrow \Longleftrightarrow
    implied_by: \Leftarrow \Longleftarrow
    without: \smallsetminus \backslash
    symmetric_difference: \vartriangle \triangle
    """,
)
# Signs whose negation has a row of its own; any other one becomes `not`.
NEGATED: Mapping[str, str] = {
    "eq": "ne", "in": "not_in", "subset": "not_subset", "divides": "not_divides",
    "subset_or_equal": "not_subset_or_equal", "parallel": "not_parallel",
}  # fmt: skip
NEGATED_COMMANDS: Mapping[str, str] = {
    r"\nleq": r"\le", r"\ngeq": r"\ge", r"\nless": r"<", r"\ngtr": r">", r"\nsim": r"\sim",
    r"\ncong": r"\cong", r"\nvdash": r"\vdash", r"\nvDash": r"\models", r"\nsupseteq": r"\supseteq",
    r"\nrightarrow": r"\to", r"\nRightarrow": r"\implies", r"\ntriangleleft": r"\triangleleft",
    r"\nprec": r"\prec", r"\nleqslant": r"\le", r"\ngeqslant": r"\ge", r"\nequiv": r"\equiv",
    r"\ntrianglelefteq": r"\trianglelefteq",
}  # fmt: skip

PREFIX: Mapping[str, Operator] = _also(_by_latex(Form.PREFIX), "not: \\lnot")

CONSTANTS: Mapping[str, Operator] = _also(
    {k: v for k, v in _by_latex(Form.CONSTANT).items() if k not in ("+", "-", "{}", r"\mathrm{e}",
     r"\mathrm{i}", r"\cdot", r"\star", r"\ast", r"\bullet", r"\dagger", r"\bot", r"\pi",
     r"\partial", r"\nabla", r"\square")},
    r"""
    empty_set: \varnothing \empty
    infinity: \infin
    square_sign: \Diamond \blacksquare \lozenge
    blank: \square
    dots: \cdots \dots \dotsc \dotsb \dotsm \dotsi \dotso \vdots \ddots \hdots \iddots \mathellipsis \textellipsis \adots
    """,  # noqa: E501
)  # fmt: skip
# Operator signs that can also stand alone, as names of themselves: (G, \cdot), A^\star.
ALONE: Mapping[str, Operator] = {
    r"\cdot": SIGNATURE["dot_placeholder"], r"\star": SIGNATURE["star_sign"],
    "*": SIGNATURE["asterisk_sign"], r"\ast": SIGNATURE["asterisk_sign"],
    r"\bullet": SIGNATURE["bullet_sign"], "+": SIGNATURE["plus_sign"],
    "-": SIGNATURE["minus_sign"], r"\bot": SIGNATURE["false"], r"\perp": SIGNATURE["false"],
}  # fmt: skip

FUNCTIONS: Mapping[str, Operator] = {
    **_also(
        _by_latex(Form.CALL),
        r"""
    tan: \tg
    cot: \ctg \cotg
    csc: \cosec
    atan: \arctg
    Re: \Re
    Im: \Im
    tr: \tr \Tr \trace
    sgn: \sgn \sign
    """,
    ),
    **{f"\\{name}": SIGNATURE[name] for name in "sech csch lcm erf erfc".split()},
}
BIG: Mapping[str, Operator] = _also(
    _by_latex(Form.BIG),
    r"""
    limsup: \varlimsup
    liminf: \varliminf
    injective_limit: \injlim
    projective_limit: \projlim
    argmax: \argmax
    argmin: \argmin
    esssup: \esssup
    lim: \plim
    """,
)
INTEGRALS: Mapping[str, int] = {
    r"\int": 1, r"\iint": 2, r"\iiint": 3, r"\oint": 1, r"\oiint": 2, r"\intop": 1, r"\fint": 1,
    r"\idotsint": 1, r"\iiiint": 4,
}  # fmt: skip

# Words that stand for functions, in any upright setting or in plain text.
WORDS: Mapping[str, Operator] = {
    **{row.name: row for row in FUNCTIONS.values()},
    **{row.notation.infix: row for row in FUNCTIONS.values()},
    **{
        word: SIGNATURE[name]
        for name, words in {
            "asin": "arcsin", "acos": "arccos", "atan": "arctan arctg", "acot": "arccot arcctg",
            "asec": "arcsec", "acsc": "arccsc arccosec", "asinh": "arcsinh arsinh arsh",
            "acosh": "arccosh arcosh arch", "atanh": "arctanh artanh arth", "acoth": "arccoth arcoth",  # noqa: E501
            "asech": "arcsech arsech", "acsch": "arccsch arcsch", "sgn": "sign sgn", "tan": "tg",
            "cot": "ctg", "csc": "cosec", "tr": "Tr trace", "sinh": "sh", "cosh": "ch", "tanh": "th",  # noqa: E501
        }.items()
        for word in words.split()
    },
}  # fmt: skip
BIG_WORDS: Mapping[str, Operator] = {
    **{name: SIGNATURE[name] for name in "lim max min sup inf limsup liminf argmax argmin".split()},
    "esssup": SIGNATURE["esssup"], "essinf": SIGNATURE["inf"], "plim": SIGNATURE["lim"],
}  # fmt: skip

# Brackets: their other spellings, and what closes them.
BRACKETS: Mapping[str, str] = {
    "(": "(", ")": ")", "[": "[", "]": "]", r"\{": r"\{", r"\}": r"\}", r"\lbrace": r"\{",
    r"\rbrace": r"\}", r"\lbrack": "[", r"\rbrack": "]", r"\langle": r"\langle",
    r"\rangle": r"\rangle", r"\lang": r"\langle", r"\rang": r"\rangle", r"\lfloor": r"\lfloor",
    r"\rfloor": r"\rfloor", r"\lceil": r"\lceil", r"\rceil": r"\rceil", r"\lparen": "(",
    r"\rparen": ")", r"\lgroup": "(", r"\rgroup": ")", "⟨": r"\langle", "⟩": r"\rangle",
    "⌊": r"\lfloor", "⌋": r"\rfloor", "⌈": r"\lceil", "⌉": r"\rceil",
    r"\llbracket": "⟦", r"\rrbracket": "⟧", "⟦": "⟦", "⟧": "⟧",
}  # fmt: skip
OPENING: Mapping[str, str] = {
    "(": ")", "[": "]", r"\{": r"\}", r"\langle": r"\rangle", r"\lfloor": r"\rfloor",
    r"\lceil": r"\rceil", "⟦": "⟧",
}  # fmt: skip
BARS: Mapping[str, str] = {
    "|": "|", r"\vert": "|", r"\lvert": "|l", r"\rvert": "|r", r"\|": "||", r"\Vert": "||",
    r"\lVert": "||l", r"\rVert": "||r", "∥": "||", "‖": "||", r"\mvert": "|",
}  # fmt: skip
