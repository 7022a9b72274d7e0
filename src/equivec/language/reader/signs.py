"""Sets of signs that several parts of the reader ask for."""

from __future__ import annotations

from equivec.language import symbols, tokens
from equivec.language.operators import Binding

STARTERS = frozenset((
    tokens.NUMBER, tokens.NAME, tokens.WORD, tokens.FUNCTION, tokens.BIG, tokens.INTEGRAL,
    tokens.CONSTANT, tokens.ACCENT, tokens.OPEN, tokens.LBRACE, tokens.BEGIN, tokens.UNKNOWN,
))  # fmt: skip
STARTING_COMMANDS = frozenset(
    "frac sqrt binom dbinom tbinom partial nabla bra ket braket abs norm underbrace overbrace "
    "overbracket underbracket mathord mathinner".split()
)
LABELLED = frozenset(
    "overset underset stackrel xrightarrow xleftarrow xlongequal xRightarrow xmapsto "
    "xhookrightarrow xleftrightarrow".split()
)
MODULO = frozenset(("pmod", "mod", "pod"))
QUANTIFIERS = {"forall": "forall", "exists": "exists", "nexists": "exists_no"}
TWO_SIGNS = {
    ("<", "="): "le", (">", "="): "ge", ("<", "<"): r"much_less", (">", ">"): "much_greater",
    ("=", "="): "eq", ("=", ":"): "defines", (":", "="): "defined_as",
}  # fmt: skip
RELATION_SIGNS = frozenset(
    spelling for spelling, row in symbols.INFIX.items() if row.notation.binding == Binding.RELATION
) | frozenset(symbols.NEGATED_COMMANDS)
RELATION_SIGNS |= frozenset(f"not {sign}" for sign in RELATION_SIGNS)
LARGE = {
    r"\cup": "big_union", r"\cap": "big_intersection", r"\oplus": "big_direct_sum",
    r"\otimes": "big_tensor", r"\vee": "big_or", r"\wedge": "big_and",
    r"\sqcup": "big_disjoint_union",
}  # fmt: skip
IMPLICATIONS = frozenset(
    spelling for spelling, row in symbols.INFIX.items() if row.notation.binding == Binding.IMPLIES
)
LOGIC_SIGNS = frozenset((r"\land", r"\lor", r"\wedge", r"\vee", r"\implies", r"\iff"))
WEDGES = frozenset((r"\wedge", r"\vee", r"\land", r"\lor", r"\implies", r"\iff"))
ENDS = frozenset((
    tokens.END, tokens.CLOSE, tokens.RBRACE, tokens.COMMA, tokens.ROW, tokens.CELL, tokens.FINISH,
    tokens.NULL,
))  # fmt: skip
SCRIPTS = frozenset((
    tokens.SUP, tokens.SUB, tokens.PRIME, tokens.FACTORIAL, tokens.POSTFIX, tokens.APPLY,
))  # fmt: skip
TERM_ENDS = frozenset((
    tokens.END, tokens.CLOSE, tokens.RBRACE, tokens.COMMA, tokens.ROW, tokens.CELL, tokens.FINISH,
    tokens.NULL, tokens.GAP, tokens.TEXT, tokens.BIG, tokens.BAR,
))  # fmt: skip
BRACKETED = {"[": "apply_brackets", r"\{": "apply_braces"}
STARS = {
    "*": "*", r"\ast": "*", r"\star": "⋆", r"\dagger": "†", r"\ddagger": "‡", "+": "+", "-": "-",
    r"\perp": "⊥", r"\bot": "⊥", r"\times": "×", r"\complement": "∁", r"\pm": "±", r"\mp": "∓",
    r"\#": "#", r"\sharp": "♯", r"\flat": "♭", r"\natural": "♮", r"\vee": "∨", r"\wedge": "∧",
    r"\bullet": "•", r"\otimes": "⊗", r"\oplus": "⊕", r"\circ": "∘", r"\to": "→", r"\odot": "⊙",
    r"\leftarrow": "←", r"\diamond": "⋄", r"\cdot": "·", r"\vdash": "⊢", r"\uparrow": "↑",
    r"\downarrow": "↓", "!": "!",
}  # fmt: skip
