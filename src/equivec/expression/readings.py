r"""What a text may mean besides what it is read as: each rule once, for infix and for LaTeX.

`docs/expressions.md` has the table of conventions. Where there are two readings, the text is
refused, both are named, and so is the spelling of the one that this package reads.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


class _Piece(Protocol):
    """A token of any format."""

    @property
    def text(self) -> str: ...


def application(name: str, times: str) -> str:
    """The two readings of a name in front of a bracket that a product would not need."""
    return (
        f"is '{name}(...)' a product or the value of a function? write {name}{times}(...) for the "
        "product; functions of other names are not read yet"
    )


def differential(name: str, times: str) -> str:
    """The two readings of the letter d in front of a name."""
    return (
        f"is 'd{name}' a product or a differential? write d{times}{name} for the product; "
        "calculus is not read yet"
    )


def upright(letter: str) -> str:
    """The two readings of a letter that is set upright."""
    is_d = letter == "d"
    other, unread = ("a differential", "calculus is") if is_d else ("a unit", "units are")
    return (
        f"is the upright '{letter}' the sign of {other} or a variable? "
        f"write {letter} for the variable; {unread} not read yet"
    )


def word(name: str) -> str:
    """The two readings of letters that spell a word."""
    return (
        f"is '{name}' a word or a product? write {' '.join(name)} for the product; "
        "words are not read yet"
    )


EULER = "Euler's number is written e; an energy or another name E is not read yet"
NORM = (
    "is '||...||' a norm or an absolute value? write |...| for the absolute value; "
    "norms are not read yet"
)
SET = "is '\\{...\\}' a set or a bracket? write (...) for the bracket; sets are not read yet"
SQUARE = (
    "is '[...]' a bracket, a floor or an index? write (...) for the bracket; "
    "floors and indices are not read yet"
)
LABEL = "is this a number or the label of a formula? write the number without brackets"
SIZE = (
    "is this a product or the size of a table? write \\cdot for the product; sizes are not read yet"
)
GAP = (
    "does this wide gap part two formulas or two factors? "
    "give one formula at a time, or write \\cdot"
)
INDEX = (
    "is a superscript in brackets a power or an index? write it without brackets for the power; "
    "derivatives and indices are not read yet"
)
REPEATING = (
    "are the digits in brackets a factor or the repeating end of a decimal? write * or \\cdot for "
    "the product; repeating decimals are not read yet"
)
ORDINAL = "is 'nd' a power or the end of an ordinal? write n \\cdot d for the power"
SUBSCRIPT = "subscripts are not read yet; use a plain letter as the variable"

# Words that letters of the grammar spell.
WORDS = frozenset("and any det max nan".split())

_GREEK = (
    "alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu nu xi "
    "rho sigma tau upsilon phi varphi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon "
    "Phi Psi Omega"
).split()
_RELATION = "this is an equation or a relation; give one expression at a time"
_CALCULUS = "'{}' is calculus; only expressions without it are read"
_GREEK_LETTER = "'{}': Greek letters other than pi are not read yet"
_COMPLEX = "'{}': complex numbers are not supported; expressions here are real"


def _table(*rows: tuple[Iterable[str], str]) -> dict[str, str]:
    """The reason for each spelling of each row, with the spelling in place of {}."""
    return {text: reason.replace("{}", text) for texts, reason in rows for text in texts}


# What is not read, by name, and why.
UNREAD_NAMES: Mapping[str, str] = _table((_GREEK, _GREEK_LETTER), ("iIj", _COMPLEX), ("E", EULER))

_ROWS: Sequence[tuple[str, str]] = (
    (
        r"= < > \le \leq \ge \geq \lt \gt \ne \neq \approx \equiv \sim \simeq \cong \in \notin "
        r"\Rightarrow \Leftrightarrow \iff \implies \propto \subset \subseteq \mid \ll \gg",
        _RELATION,
    ),
    (
        r"\int \iint \iiint \oint \sum \prod \lim \limsup \liminf \partial \nabla \infty "
        r"\max \min \sup \inf \to",
        _CALCULUS,
    ),
    (
        r"\vec \hat \bar \dot \ddot \tilde \check \breve \widehat \widetilde \overline \underline "
        r"\overrightarrow \overset \underset \stackrel",
        "'{}': letters with accents and bars are not read yet; use a plain letter",
    ),
    (
        r"\mathbf \mathbb \mathcal \mathfrak \mathscr \mathsf \boldsymbol \bm \textbf \textit",
        "'{}': letters in other fonts (vectors, sets) are not read yet; use a plain letter",
    ),
    (
        r"\begin \end \matrix \pmatrix \cases & \\",
        "'{}': matrices, cases and rows of formulas are not read yet",
    ),
    (
        r"\cup \cap \setminus \emptyset \varnothing \forall \exists \land \lor \wedge \vee \neg",
        "'{}': sets and logic are not read yet",
    ),
    (r"\dots \ldots \cdots \vdots \ddots", "'{}': ellipses are not read yet"),
    (r"\{ \}", SET),
    (r"\|", NORM),
    ("[", SQUARE),
    ("_", SUBSCRIPT),
    ("!", "'!' is a factorial; factorials are not read yet"),
    ("' \\prime", "a prime is a derivative or part of a name; neither is read yet"),
    (",", "',' parts the items of a list, a point or an interval; these are not read yet"),
)

# What is not read in LaTeX, by the text of its token, and why.
UNREAD_LATEX: Mapping[str, str] = _table(
    ([rf"\{name}" for name in _GREEK], _GREEK_LETTER),
    *((texts.split(), reason) for texts, reason in _ROWS),
)

_OPENING = frozenset(("(", "[", "{", "|("))
_CLOSING = frozenset((")", "]", "}", ")|"))
_OPERATORS = frozenset(("+", "-", "*", "/", "^", "**"))


def may_be_applied(tokens: Sequence[_Piece], opening: int) -> bool:
    r"""Whether what stands in front of a bracket may be a function of what the bracket holds.

    Nobody puts brackets around a factor that needs none: `x(t + 1)` is a product and so is
    `x(-t/2)^2`, but `x(t)`, `x(-t)`, `x(2t)` and `x(y, z)` need not be.
    """
    closing = opening + 1
    depth, bars, has_sum = 1, False, False
    while depth and closing < len(tokens):
        text = tokens[closing].text
        depth += (text in _OPENING) - (text in _CLOSING)
        bars ^= text == "|"
        if depth == 1 and not bars:
            if text == ",":
                return True
            before = tokens[closing - 1].text
            is_binary = closing > opening + 1 and before not in _OPERATORS
            has_sum = has_sum or (text in ("+", "-") and is_binary)
        closing += 1
    if depth or has_sum:
        return False
    following = tokens[closing].text if closing < len(tokens) else ""
    return following not in ("^", "**") or is_lone(tokens, opening, closing - 1)


def is_lone(tokens: Sequence[_Piece], opening: int, closing: int) -> bool:
    """Whether one name or number, perhaps with a sign, is all that two brackets hold."""
    inside = closing - opening - 1
    return inside == 1 or (inside == 2 and tokens[opening + 1].text in ("+", "-"))


def may_repeat(tokens: Sequence[_Piece], opening: int) -> bool:
    """Whether digits in brackets stand behind a decimal, as in `0.(3)`."""
    inside = [token.text for token in tokens[opening + 1 : opening + 3]]
    is_decimal = "." in tokens[opening - 1].text
    return is_decimal and inside[1:] == [")"] and inside[0].isdigit()


def is_label(tokens: Sequence[_Piece]) -> bool:
    """Whether a number in brackets, as formulas are numbered, is the whole text."""
    texts = [token.text for token in tokens if token.text not in ("{", "}", "")]
    return len(texts) == 3 and (texts[0], texts[2]) == ("(", ")") and texts[1][0].isdigit()
