"""The pieces that all readers cut their text into."""

from __future__ import annotations

NUMBER = "number"
NAME = "name"  # one letter, or a word in plain text; its font beside it
WORD = "word"  # several upright letters
TEXT = "text"  # prose between formulas
SIGN = "sign"  # an operator by its LaTeX spelling
FUNCTION = "function"
BIG = "big"
INTEGRAL = "integral"
CONSTANT = "constant"
ACCENT = "accent"
COMMAND = "command"  # a LaTeX command with arguments
OPEN = "open"
CLOSE = "close"
BAR = "bar"
SUP = "^"
SUB = "_"
PRIME = "prime"
LBRACE = "{"
RBRACE = "}"
COMMA = ","
DOT = "."
CELL = "&"
ROW = "row"
GAP = "gap"
BEGIN = "begin"
FINISH = "finish"
APPLY = "apply"
NULL = "null"  # \left. and \right.
FACTORIAL = "!"
POSTFIX = "postfix"  # % and °
UNKNOWN = "unknown"
END = "end"


class Token:
    """A piece of the text: its kind, its spelling in one form, and where it stands."""

    __slots__ = ("end", "font", "is_operator", "kind", "start", "value")

    def __init__(self, kind: str, value: str, start: int, end: int, font: str = "") -> None:
        self.kind = kind
        self.value = value
        self.start = start
        self.end = end
        self.is_operator = False  # of a word: whether it is set as the name of a function
        self.font = font  # of a name; of a bar or bracket its side, l, r or m

    def __repr__(self) -> str:
        return f"{self.kind}:{self.value}"
