r"""LaTeX cut into tokens: fonts, text, sizes and spacing are dealt with here, once."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from equivec.errors import LimitError
from equivec.language import names, symbols, tokens
from equivec.language.latex_macros import group_end
from equivec.language.layers import SIGNATURE
from equivec.language.tokens import Token
from equivec.language.words import CONNECTORS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_TOKEN = re.compile(
    r"(?P<letter>[A-Za-z])"
    r"|(?P<space>(?:[\s~$\u00a0\u200b]|\\[,;:!> /\n])+)"
    r"|(?P<number>\d{1,3}(?:(?:\{,\}|\\,)\d{3})+(?!\d)(?:\.\d+)?|\d+(?:\.\d+|\{,\}\d+)?|\.\d+)"
    r"|(?P<command>\\[A-Za-z]+)"
    r"|(?P<prime>['’′]+)"
    r"|(?P<other>\\.|.)",
    re.DOTALL,
)
_DELIMITER = re.compile(r"\s*(\\[A-Za-z]+|\\.|.)", re.DOTALL)
_ARGUMENT = re.compile(r"\s*(\\[A-Za-z]+|\\.|\d|.)", re.DOTALL)
_PLAIN_WORD = re.compile(r"[A-Za-z]+(?:[-'/.][A-Za-z0-9]+)*")
_OPTION = re.compile(r"\s*\[[^\]]*\]")
_SPECIFICATION = re.compile(r"\s*(?:\[[a-z]?\])?\s*(?=\{)")
_LOST_LINE_END = re.compile(
    r"(?<![\\\d\s])%(?=\s|$|\\)|(?<=\s)%(?=\s|$|\\)|^%|(?<=\d)%(?=\s*[\d\\^.{}a-zA-Z(])"
)
_ENTITY = re.compile(r"&(lt|gt|amp|nbsp|quot|le|ge);|\\displaystyle amp;")
_GROUPED = re.compile(r"\d{1,3}(?:(?:\{,\}|\\,)\d{3})+(?:\.\d+)?")
_UPRIGHT_RUN = re.compile(r"[A-Za-z]{2,}")
_DEEPEST = 60
_COMMENT = re.compile(r"(?<!\\)%[^\n]*\n\s*")

DROPPED = frozenset(
    "displaystyle textstyle scriptstyle scriptscriptstyle limits nolimits nonumber notag "
    "allowbreak hfill hfil hline thinspace enspace negthickspace negthinspace negmedspace "
    "medspace thickspace strut mathstrut null noindent centering bigskip medskip smallskip relax "
    "protect large Large LARGE small normalsize tiny huge Huge footnotesize scriptsize "
    "unboldmath displaylimits nobreak mathord mathbin mathrel mathopen mathclose mathpunct "
    "ensuremath toprule midrule bottomrule linebreak nolinebreak leavevmode normalfont rmfamily "
    "itshape pause displaybreak nopagebreak pagebreak onslide smash mathclap mathllap mathrlap "
    "cancel bcancel xcancel boxed fbox llap rlap clap vphantom_ middle_ rmfamily sffamily upshape "
    "mathstrut mathop operator@font mybxbg mybxsm lowercase uppercase bigl_ displaylines par quad_".split()  # noqa: E501
)
_DROPPED_WITH_ARGUMENT = frozenset(
    "label tag eqref index hspace vspace phantom hphantom vphantom color mspace footnote cite marginpar "  # noqa: E501
    "cline cssId class bbox definecolor mbx uncover only hskip kern mkern mskip index "
    "htmlClass require".split()
)
_SIZES = frozenset(
    f"{size}{side}" for size in ("big", "Big", "bigg", "Bigg") for side in ("", "l", "r", "m")
)
_STARRED = frozenset("operatorname hspace vspace tag".split())
_FRACTIONS = frozenset("frac dfrac tfrac cfrac nicefrac sfrac xfrac flatfrac".split())
_COMMANDS_WITH_ARGUMENTS = frozenset(
    "sqrt root of binom dbinom tbinom overset underset stackrel xrightarrow xleftarrow xlongequal "
    "xRightarrow underbrace overbrace overbracket underbracket substack pmod mod pod partial "
    "nabla forall exists nexists prime over choose atop bra ket braket Delta_ abs norm mathinner "
    "mathord colon sideset xmapsto xhookrightarrow xleftrightarrow".split()
)


def _table() -> dict[str, tuple[str, str]]:  # noqa: C901 - one table after the other
    """What each command without arguments of its own is: the kind of its token and its value."""
    table: dict[str, tuple[str, str]] = {}
    for kind, rows in (
        (tokens.CONSTANT, symbols.CONSTANTS),
        (tokens.SIGN, symbols.PREFIX),
        (tokens.SIGN, symbols.INFIX),
        (tokens.FUNCTION, symbols.FUNCTIONS),
        (tokens.BIG, symbols.BIG),
    ):
        for spelling, row in rows.items():
            table[spelling] = (kind, row.notation.latex if kind == tokens.SIGN else row.name)
    for spelling, row in list(symbols.INFIX.items()) + list(symbols.PREFIX.items()):
        if row.notation.sign and not row.notation.sign.isascii():
            table.setdefault(row.notation.sign, (tokens.SIGN, row.notation.latex or r"\div"))
        if row.name == "div":
            table[spelling] = (tokens.SIGN, "/")
    table["*"] = (tokens.SIGN, "*")
    table["/"] = (tokens.SIGN, "/")
    for row in [*symbols.CONSTANTS.values(), *symbols.BIG.values()]:
        if row.notation.sign and not row.notation.sign.isascii():
            kind = tokens.CONSTANT if row in symbols.CONSTANTS.values() else tokens.BIG
            table.setdefault(row.notation.sign, (kind, row.name))
    for spelling in symbols.NEGATED_COMMANDS:
        table[spelling] = (tokens.SIGN, spelling)
    for spelling in symbols.INTEGRALS:
        table[spelling] = (tokens.INTEGRAL, spelling)
    table["∫"] = (tokens.INTEGRAL, r"\int")
    for name, sign in names.LETTERS.items():
        table[f"\\{name}"] = table[sign] = (tokens.NAME, name)
    for alias, name in names.LETTER_ALIASES.items():
        table[f"\\{alias}"] = (tokens.NAME, name)
    for accent in names.ACCENTS:
        table[f"\\{accent}"] = (tokens.ACCENT, names.ACCENTS[accent])
    for command in _COMMANDS_WITH_ARGUMENTS:
        table[f"\\{command}"] = (tokens.COMMAND, command)
    for command in _FRACTIONS:
        table[f"\\{command}"] = (tokens.COMMAND, "frac")
    for spelling, bracket in symbols.BRACKETS.items():
        kind = tokens.OPEN if bracket in symbols.OPENING else tokens.CLOSE
        table[spelling] = (kind, bracket)
    for function in names.FUNCTION_WORDS:
        table.setdefault(f"\\{function}", (tokens.WORD, function))
    return table | _OTHERS


_OTHERS: dict[str, tuple[str, str]] = {
    "{": (tokens.LBRACE, "{"), "}": (tokens.RBRACE, "}"), "^": (tokens.SUP, "^"),
    "_": (tokens.SUB, "_"), ",": (tokens.COMMA, ","), ";": (tokens.COMMA, ";"),
    "，": (tokens.COMMA, ","), "；": (tokens.COMMA, ";"), "。": (tokens.DOT, "."),
    ".": (tokens.DOT, "."), "&": (tokens.CELL, "&"), "\\\\": (tokens.ROW, "\\\\"),
    r"\cr": (tokens.ROW, "\\\\"), r"\newline": (tokens.ROW, "\\\\"),
    r"\tabularnewline": (tokens.ROW, "\\\\"), "\N{FUNCTION APPLICATION}": (tokens.APPLY, ""),
    "!": (tokens.FACTORIAL, "!"), "%": (tokens.POSTFIX, "percent"),
    r"\%": (tokens.POSTFIX, "percent"), "°": (tokens.POSTFIX, "degree"),
    r"\degree": (tokens.POSTFIX, "degree"), r"\quad": (tokens.GAP, ""),
    r"\qquad": (tokens.GAP, ""), r"\lbrace": (tokens.OPEN, r"\{"), "−": (tokens.SIGN, "-"),
    "–": (tokens.SIGN, "-"), "·": (tokens.SIGN, r"\cdot"), ":": (tokens.SIGN, ":"),
    "：": (tokens.SIGN, ":"), r"\colon": (tokens.SIGN, r"\colon"), "（": (tokens.OPEN, "("),
    "）": (tokens.CLOSE, ")"), "+": (tokens.SIGN, "+"), "-": (tokens.SIGN, "-"),
    r"\R": (tokens.NAME, "R"), r"\N": (tokens.NAME, "N"), r"\Z": (tokens.NAME, "Z"),
    r"\Q": (tokens.NAME, "Q"), r"\C": (tokens.NAME, "C"), r"\reals": (tokens.NAME, "R"),
    r"\_": (tokens.SUB, "_"), r"\*": (tokens.SIGN, "*"), "?": (tokens.CONSTANT, "blank"), r"\dag": (tokens.SIGN, r"\dagger"),  # noqa: E501
    r"\dagger": (tokens.SIGN, r"\dagger"), r"\ddagger": (tokens.SIGN, r"\ddagger"),
    r"\intercal": (tokens.SIGN, r"\intercal"), r"\sharp": (tokens.SIGN, r"\sharp"),
    r"\flat": (tokens.SIGN, r"\flat"), r"\natural": (tokens.SIGN, r"\natural"),
    r"\complement": (tokens.SIGN, r"\complement"), r"\#": (tokens.SIGN, r"\#"),
    r"\S": (tokens.UNKNOWN, r"\S"), "∂": (tokens.COMMAND, "partial"),
    "∇": (tokens.COMMAND, "nabla"), "∀": (tokens.COMMAND, "forall"),
    "∃": (tokens.COMMAND, "exists"), "√": (tokens.COMMAND, "sqrt"),
    r"\mid": (tokens.BAR, "mid"), "ℝ": (tokens.NAME, "R"), "ℕ": (tokens.NAME, "N"),
    "∶": (tokens.SIGN, "∶"), "ℜ": (tokens.FUNCTION, "Re"), "ℑ": (tokens.FUNCTION, "Im"), "ℤ": (tokens.NAME, "Z"), "ℚ": (tokens.NAME, "Q"), "ℂ": (tokens.NAME, "C"),  # noqa: E501
    "²": (tokens.UNKNOWN, "²"), r"\measuredangle": (tokens.SIGN, r"\angle"),
}  # fmt: skip
_BLACKBOARD = frozenset([r"\R", r"\N", r"\Z", r"\Q", r"\C", r"\reals", "ℝ", "ℕ", "ℤ", "ℚ", "ℂ"])
_COMMANDS = _table()
# Commands that stand for a bar; `\mid` is one that never opens.
for _spelling, _bar in symbols.BARS.items():
    _COMMANDS[_spelling] = (tokens.BAR, _bar)


def cut_latex(text: str) -> list[Token]:
    r"""The tokens of a LaTeX text, the last of them the end.

    >>> cut_latex(r"\mathbf{x}^2 \leq 1")
    [name:x, ^:^, number:2, sign:\le, number:1, end:]
    """
    if "%" in text:
        if "\n" in text:
            text = _COMMENT.sub(lambda match: " " * len(match[0]), text)
        text = _LOST_LINE_END.sub(" ", text)
    if ";" in text and "&" in text:
        text = _ENTITY.sub(_entity, text)
    return _Lexer(text).run()


class _Lexer:
    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens: list[Token] = []
        self.place = 0
        self.font = ""
        self.fonts: list[str] = []
        self.depth = 0  # groups in fonts within each other

    def run(self) -> list[Token]:
        """All tokens."""
        self.cut(0, len(self.text))
        self.tokens.append(Token(tokens.END, "", len(self.text), len(self.text)))
        return self.tokens

    def cut(self, start: int, stop: int) -> None:
        """The tokens of a part of the text."""
        text, found, match_at, table = self.text, self.tokens, _TOKEN.match, _COMMANDS
        place = start
        while place < stop:
            match = match_at(text, place)
            assert match is not None
            kind, end = match.lastgroup, match.end()
            if kind == "letter" and self.font == "rm" and _UPRIGHT_RUN.match(text, place, stop):
                end = self.upright_run(place, stop)
            elif kind == "letter":
                found.append(Token(tokens.NAME, match[0], place, end, self.font))
            elif kind == "number":
                digits = _digits(match[0])
                found.append(Token(tokens.NUMBER, digits, place, end))
            elif kind == "prime":
                found.append(Token(tokens.PRIME, "'" * (end - place), place, end))
            elif kind != "space":
                spelling = match[0]
                row = table.get(spelling)
                if row is None or spelling in _SPECIAL:
                    self.place = end
                    self.special(spelling, place)
                    end = self.place
                elif row[0] == tokens.BAR:
                    found.append(
                        Token(
                            tokens.BAR,
                            row[1].rstrip("lr"),
                            place,
                            end,
                            row[1][-1] if row[1][-1] in "lr" else "",
                        )
                    )
                else:
                    font = ""
                    if row[0] == tokens.NAME:
                        font = "bb" if spelling in _BLACKBOARD else self.font
                    elif row[0] == tokens.LBRACE:
                        self.fonts.append(self.font)
                    elif row[0] == tokens.RBRACE and self.fonts:
                        self.font = self.fonts.pop()
                    found.append(Token(row[0], row[1], place, end, font))
            place = end

    def add(self, kind: str, value: str, start: int, font: str = "") -> None:
        """One more token, up to the current place."""
        self.tokens.append(Token(kind, value, start, self.place, font))

    def upright_run(self, place: int, stop: int) -> int:
        """Upright letters side by side make a word; the place after it."""
        match = _UPRIGHT_RUN.match(self.text, place, stop)
        assert match is not None
        self.place = match.end()
        self.word(match[0], place)
        return self.place

    def special(self, spelling: str, start: int) -> None:
        """A command that needs a look at what follows it, or one that is not known."""
        name = spelling[1:]
        if name in _STARRED and self.text[self.place : self.place + 1] == "*":
            self.place += 1
        if name == "mathrel" and self.text.startswith(r"{\mid}", self.place):
            self.place += len(r"{\mid}")
            self.add(tokens.SIGN, r"\mid", start)
            return
        handler = _SPECIAL.get(spelling)
        if handler is not None:
            handler(self, name, start)
        elif name in names.SWITCHES and spelling[0] == "\\":
            self.font = names.SWITCHES[name]
        elif spelling != "\\" and (spelling[0] != "\\" or name not in DROPPED):
            self.add(tokens.UNKNOWN, spelling, start)

    def argument(self) -> tuple[int, int]:
        """Where the next argument begins and ends, without its braces; the place is after it."""
        match = _ARGUMENT.match(self.text, self.place)
        if match is None:
            return self.place, self.place
        if match[1] != "{":
            self.place = match.end()
            return match.start(1), match.end(1)
        end = group_end(self.text, match.start(1))
        if end < 0:
            self.place = len(self.text)
            return match.end(1), self.place
        self.place = end
        return match.end(1), end - 1

    def drop(self, name: str, start: int) -> None:
        """A command whose argument says nothing."""
        if name in ("hspace", "kern", "hskip", "mspace", "mkern"):
            if name in ("kern", "hskip", "mkern", "mskip"):
                match = re.compile(r"\s*-?[\d.]*\s*[a-z]{2}").match(self.text, self.place)
                self.place = match.end() if match else self.place
                return
            self.argument()
            self.add(tokens.GAP, "", start)
            return
        option = _OPTION.match(self.text, self.place)
        self.place = option.end() if option and name == "color" else self.place
        self.argument()

    def set_font(self, name: str, start: int) -> None:
        r"""A letter or more in a font: `\mathbf{x}`."""
        first, last = self.argument()
        font = names.FONTS.get(name, "rm")
        content = self.text[first:last].strip()
        if len(content) == 1 and content.isalpha() and content.isascii():
            self.add(tokens.NAME, content, start, font)
            return
        row = _COMMANDS.get(content)
        if row is not None and row[0] == tokens.NAME:
            self.add(tokens.NAME, row[1], start, font)
            return
        if content.isascii() and content.isalpha():
            self.word(content, start, "" if font == "rm" else font)
            return
        self.enclosed(first, last, font, start)

    def enclosed(self, first: int, last: int, font: str, start: int) -> None:
        """A group in a font, cut further."""
        self.depth += 1
        if self.depth > _DEEPEST:
            raise LimitError(f"nested deeper than {_DEEPEST} levels", self.text, start)
        outer, self.font, end = self.font, font, self.place
        self.tokens.append(Token(tokens.LBRACE, "{", start, first))
        self.cut(first, last)
        self.place = end
        self.tokens.append(Token(tokens.RBRACE, "}", last, end))
        self.font = outer
        self.depth -= 1

    def word(self, word: str, start: int, font: str = "", *, is_operator: bool = False) -> None:
        """Upright letters: a known function, a large operator, or a name."""
        if word in symbols.WORDS and not font:
            self.add(tokens.FUNCTION, symbols.WORDS[word].name, start)
        elif word in symbols.BIG_WORDS and not font:
            self.add(tokens.BIG, symbols.BIG_WORDS[word].name, start)
        else:
            self.add(tokens.WORD, word, start, font)
            self.tokens[-1].is_operator = is_operator

    def upright(self, name: str, start: int) -> None:
        r"""`\mathrm{..}`, `\operatorname{..}`: a letter, a word, or a group of them."""
        first, last = self.argument()
        content = re.sub(r"\\[,;:! ]|~", " ", self.text[first:last]).strip()
        joined = content.replace(" ", "")
        if (
            name == "operatorname"
            and joined.isascii()
            and joined.isalnum()
            and joined[:1].isalpha()
        ):
            self.word(joined, start, is_operator=True)
        elif content.lower() in CONNECTORS:
            self.add(tokens.TEXT, content, start)
        elif content == "d" or (len(content) == 1 and content.isascii() and content.isalpha()):
            self.add(tokens.NAME, content, start, "rm")
        elif content in _COMMANDS and _COMMANDS[content][0] == tokens.NAME:
            self.add(tokens.NAME, _COMMANDS[content][1], start, "rm")
        elif content.isascii() and content.isalpha() and content.lower() not in CONNECTORS:
            self.word(content, start)
        elif (
            joined.isascii()
            and joined.isalpha()
            and joined != content
            and joined.islower() is False
            and name == "mathrm"
        ):
            self.word(joined, start)
        elif name.startswith("text"):
            self.prose(name, start, first, last)
        elif not content:
            return
        elif _is_prose(content):
            self.add(tokens.TEXT, content, start)
        else:
            self.enclosed(first, last, "rm", start)

    def text_group(self, name: str, start: int) -> None:
        r"""`\text{..}`: prose, or a name when it is one word."""
        first, last = self.argument()
        self.prose(name, start, first, last)

    def prose(self, name: str, start: int, first: int, last: int) -> None:
        """What stands in a text group."""
        raw = self.text[first:last]
        content = " ".join(raw.replace("~", " ").replace(r"\ ", " ").split())
        bare = content.strip(".,;:()")
        if not content:
            self.add(tokens.GAP, "", start)
        elif set(content) <= set(",;"):
            self.add(tokens.COMMA, ",", start)
        elif content == ".":
            self.add(tokens.DOT, ".", start)
        elif bare.lower() in CONNECTORS:
            self.add(tokens.TEXT, content, start)
        elif content.isdigit():
            self.add(tokens.NUMBER, content, start)
        elif len(content) == 1 and content.isalpha() and content.isascii():
            self.add(tokens.NAME, content, start, "rm")
        elif _PLAIN_WORD.fullmatch(content) and raw == raw.strip() and content.isalpha():
            self.word(content, start)
        elif "$" in raw or "\\" in raw:
            self.enclosed(first, last, "rm", start) if "$" not in raw and not _is_prose(
                content
            ) else (self.add(tokens.TEXT, content, start))
        else:
            self.add(tokens.TEXT, content, start)

    def delimiter(self, name: str, start: int) -> None:
        r"""`\left(`, `\right|`, `\big)`: a bracket that knows its side."""
        match = _DELIMITER.match(self.text, self.place)
        if match is None:
            return
        self.place = match.end()
        found = match[1]
        if found == "{":
            end = group_end(self.text, match.start(1))
            found = self.text[match.end() : max(end - 1, match.end())].strip()
            self.place = max(end, self.place)
        spelling = {"<": r"\langle", ">": r"\rangle"}.get(found, found)
        side = "l" if name == "left" else "r" if name == "right" else ""
        if name[-1] in "lr" and name not in ("left", "right"):
            side = name[-1]
        if spelling == ".":
            if name in ("left", "right"):
                self.add(tokens.NULL, side, start)
        elif spelling in symbols.BARS:
            self.add(tokens.BAR, symbols.BARS[spelling].rstrip("lr"), start, side)
        elif spelling in symbols.BRACKETS:
            bracket = symbols.BRACKETS[spelling]
            is_opening = bracket in symbols.OPENING
            if side == "l":
                is_opening = True
            elif side == "r":
                is_opening = False
            self.add(tokens.OPEN if is_opening else tokens.CLOSE, bracket, start, side)
        elif spelling in _COMMANDS:
            row = _COMMANDS[spelling]
            self.add(row[0], row[1], start)
        else:
            self.add(tokens.UNKNOWN, spelling, start)

    def negated(self, name: str, start: int) -> None:
        r"""`\not=`: a sign and its negation in one."""
        match = _DELIMITER.match(self.text, self.place)
        row = _COMMANDS.get(match[1]) if match else None
        if match is None or row is None:
            self.add(tokens.UNKNOWN, r"\not", start)
            return
        self.place = match.end()
        if row[0] == tokens.SIGN:
            self.add(tokens.SIGN, f"not {row[1]}", start)
        elif row[0] == tokens.BAR:
            self.add(tokens.SIGN, r"\nmid", start)
        elif row[1] == "exists":
            self.add(tokens.COMMAND, "nexists", start)
        else:
            self.add(tokens.UNKNOWN, r"\not", start)

    def environment(self, name: str, start: int) -> None:
        r"""`\begin{..}` and `\end{..}`, with what they take beside the name."""
        first, last = self.argument()
        title = self.text[first:last].strip().rstrip("*")
        if name == "begin" and title in ("array", "alignat", "alignedat", "tabular", "subarray"):
            match = _SPECIFICATION.match(self.text, self.place)
            if match:
                self.place = match.end()
                self.argument()
        elif name == "begin" and title in ("aligned", "gathered", "cases", "split"):
            match = re.compile(r"\s*\[[tbc]\]").match(self.text, self.place)
            self.place = match.end() if match else self.place
        self.add(tokens.BEGIN if name == "begin" else tokens.FINISH, title, start)

    def row(self, name: str, start: int) -> None:
        r"""`\\`, with the distance that may follow it."""
        match = re.compile(r"\*?(?:\[\s*-?[\d.]*\s*[a-z]{2,3}\s*\])?").match(self.text, self.place)
        self.place = match.end() if match else self.place
        self.add(tokens.ROW, "\\\\", start)

    def scripted(self, name: str, start: int) -> None:
        """Superscript digits of plain text."""
        self.tokens.append(Token(tokens.SUP, "^", start, start))
        self.add(tokens.NUMBER, {"²": "2", "³": "3", "¹": "1"}[self.text[start]], start)


def _digits(text: str) -> str:
    """The digits of a number without the marks that group them; a decimal comma is a point."""
    if "{,}" not in text and "\\," not in text:
        return text
    if _GROUPED.fullmatch(text):
        return text.replace("{,}", "").replace(r"\,", "")
    return text.replace("{,}", ".")


def _entity(match: re.Match[str]) -> str:
    """A character that a web page spelt out, in as much room."""
    sign = {"lt": "<", "gt": ">", "amp": "&", "le": "≤", "ge": "≥"}.get(match[1] or "", " ")
    return sign.ljust(len(match[0]))


def _is_prose(content: str) -> bool:
    words = content.split()
    return len(words) > 1 and all(
        re.fullmatch(r"[A-Za-z][A-Za-z'\-]*[.,]?", word) for word in words
    )


_SPECIAL: Mapping[str, Callable[[_Lexer, str, int], None]] = {
    **dict.fromkeys((f"\\{name}" for name in _DROPPED_WITH_ARGUMENT), _Lexer.drop),
    **dict.fromkeys((f"\\{name}" for name in names.FONTS), _Lexer.set_font),
    **dict.fromkeys((f"\\{name}" for name in names.UPRIGHT if name != "rm"), _Lexer.upright),
    **dict.fromkeys((f"\\{name}" for name in names.TEXTS), _Lexer.text_group),
    **dict.fromkeys((f"\\{name}" for name in ("left", "right", "middle", *_SIZES)),
                    _Lexer.delimiter),
    r"\not": _Lexer.negated,
    r"\begin": _Lexer.environment,
    r"\end": _Lexer.environment,
    "\\\\": _Lexer.row,
    "²": _Lexer.scripted,
    "³": _Lexer.scripted,
    "¹": _Lexer.scripted,
}  # fmt: skip
for _name in ("cal", "scr", "frak", "it", "mit"):  # switches unless a group follows
    _SPECIAL = {key: value for key, value in _SPECIAL.items() if key != f"\\{_name}"}
assert SIGNATURE
