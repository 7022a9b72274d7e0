"""Letters: single ones, runs of them, those under accents, and those that are constants."""

from __future__ import annotations

from equivec.language import names, symbols, tokens
from equivec.language.reader.cursor import make, plain_name
from equivec.language.reader.parts import Parts
from equivec.language.tokens import Token
from equivec.language.tree import Opaque, Tree, Variable

_PI, _E, _I = make("pi"), make("e"), make("i")
_SECOND_OF_PRODUCT = frozenset("xyzuvwtknbmpqsrch")
_KNOWN = frozenset((*symbols.WORDS, *symbols.BIG_WORDS, *names.FUNCTION_WORDS)) - {
    "sh", "ch", "th", "cl", "int", "im", "st", "rg", "lk", "sn", "cn", "dn", "arg", "lb", "id",
    "Sp", "SU", "SL", "SO", "GL", "rk", "cor", "Ci", "Si", "Li", "i", "e", "or", "mod", "tg",
}  # fmt: skip
_GROUPS = frozenset(
    "GL SL SO SU PSL PGL PSU Sp Id Gal Hom End Aut Ext Tor Res Ind Spec Sym Gr".split()
)


class Letters(Parts):
    """Reads names letter by letter."""

    run_end = -1  # runs of letters up to here were looked at

    def name(self) -> Tree:
        """A letter with its scripts, or the word or differential that it begins."""
        index = self.i
        token = self.tokens[index]
        value = token.value
        if value == "d" and self.is_differential(index):
            return self.postfix(self.differential())
        if value == "d" and token.font == "" and self.is_doubtful_d(index):
            self.follow("letter d before a name")
        following = self.tokens[index + 1]
        if (
            following.kind == tokens.NAME
            and index >= self.run_end
            and following.start == token.end
            and len(value) == 1
            and token.font == "" == following.font
            and len(following.value) == 1
            and token.end - token.start == 1
        ):
            word = self.run(index)
            if word is not None:
                return word
        if (
            value == "Delta"
            and following.kind in (tokens.NAME, tokens.ACCENT, tokens.WORD)
            and token.font == ""
        ):
            return self.change()
        self.i = index + 1
        if following.kind in _PLAIN_AFTER:
            if value in _CONSTANT_LETTERS and token.font in ("", "rm"):
                return self.letter_leaf(token)
            return plain_name(value, token.font)
        return self.letter(token)

    def is_doubtful_d(self, index: int) -> bool:
        """Whether a d touches a name, and nothing says that it is a name of its own."""
        token, following = self.tokens[index], self.tokens[index + 1]
        return (
            following.kind in (tokens.NAME, tokens.ACCENT)
            and following.start == token.end
            and not self.evidence.has_lone_d
            and self.fence not in ("script", "domain")
        )

    def letter(self, token: Token) -> Tree:
        """A letter with scripts or a bracket after it."""
        value = token.value
        if value in _CONSTANT_LETTERS and token.font in ("", "rm"):
            leaf = self.letter_leaf(token)
            following = self.tokens[self.i].kind
            if not isinstance(leaf, Variable) and following not in (tokens.SUB, tokens.PRIME):
                is_call = value == "pi" and (
                    following == tokens.APPLY
                    or (following == tokens.OPEN and self.is_lone_pi())
                    or (following == tokens.LBRACE and self.is_marked_call())
                )
                if not is_call:
                    return self.postfix(leaf)
        return self.named(plain_name(value, token.font))

    def is_lone_pi(self) -> bool:
        """Whether pi stands before one name in brackets, as the function that counts primes does."""  # noqa: E501
        close = self.partner[self.i]
        return close == self.i + 2 and self.tokens[self.i + 1].kind == tokens.NAME

    def letter_leaf(self, token: Token) -> Tree:
        value, font = token.value, token.font
        if value == "pi" and font == "" and self.reading.is_constant("pi"):
            return _PI
        if (
            value == "e"
            and self.reading.is_constant("e")
            and (font == "rm" or (font == "" and self.is_raised()))
        ):
            return _E
        if value == "E" and font == "" and self.reading.is_constant("E"):
            return _E
        if (
            value in ("i", "I", "j")
            and self.reading.is_constant(value)
            and (font == "rm" or (font == "" and (value != "i" or self.is_imaginary())))
        ):
            return _I
        return plain_name(value, font)

    def is_raised(self) -> bool:
        """Whether a superscript follows, past a closing brace perhaps."""
        kind = self.tokens[self.i].kind
        return kind == tokens.SUP or (
            kind == tokens.RBRACE
            and self.partner[self.i] == self.i - 2
            and self.tokens[self.i + 1].kind == tokens.SUP
        )

    def is_imaginary(self) -> bool:
        """Whether i is the imaginary unit: no index here, and used as the unit is."""
        if self._imaginary is None:
            self._imaginary = self.find_imaginary()
        return self._imaginary and self.fence != "script"

    _imaginary: bool | None = None

    def find_imaginary(self) -> bool:
        """Whether the formula shows i as a unit: in an exponent of e, beside pi, after a sum."""
        if "i" in self.evidence.index_letters:
            return False
        is_unit = False
        has_j = any(token.value == "j" and token.kind == tokens.NAME for token in self.tokens)
        for index, token in enumerate(self.tokens):
            if token.kind != tokens.NAME or token.value != "i" or token.font != "":
                continue
            before = self.tokens[index - 1] if index else None
            following = self.tokens[index + 1]
            if following.kind == tokens.SIGN and following.value in (
                "=",
                r"\in",
                "<",
                ">",
                r"\le",
                r"\ge",
                r"\ne",
                r"\to",
            ):
                return False
            if before is not None and (
                before.kind == tokens.BIG
                or (before.kind == tokens.COMMAND and before.value in ("forall", "exists"))
                or (before.kind == tokens.OPEN and following.kind == tokens.CLOSE)
            ):
                return False
            if before is not None and (
                (before.kind == tokens.NAME and before.value in ("pi",))
                or (before.kind == tokens.SIGN and before.value in ("+", "-", r"\pm", r"\mp"))
                or before.kind == tokens.NUMBER
                or self.is_after_signed_name(index)
            ):
                is_unit = is_unit or not has_j  # beside j an i is an index
            if following.kind == tokens.NAME and following.value in (
                "pi",
                "hbar",
                "theta",
                "omega",
            ):
                is_unit = True
            if (
                index >= 3
                and before is not None
                and before.kind == tokens.LBRACE
                and (
                    self.tokens[index - 2].kind == tokens.SUP
                    and self.tokens[index - 3].value == "e"
                )
            ):
                is_unit = True
        return is_unit

    def is_after_signed_name(self, index: int) -> bool:
        """Whether a sign and a name stand before: the i of a + bi."""
        sign, name = self.tokens[index - 2], self.tokens[index - 1]
        return (
            index >= 2
            and sign.kind == tokens.SIGN
            and sign.value in ("+", "-")
            and name.kind == tokens.NAME
            and self.tokens[index + 1].kind in (tokens.CLOSE, tokens.END, tokens.SIGN)
        )

    def change(self) -> Tree:
        r"""`\Delta x`: the change of the name that follows."""
        self.follow("change")
        self.i += 1
        token = self.tokens[self.i]
        if token.kind == tokens.ACCENT:
            name: Tree = self.accent_name()
        else:
            name = self.scripted_name()
            if (
                self.at(tokens.OPEN, "(")
                and self.partner[self.i] > 0
                and self.is_application(Variable(token.value, token.font), name.primes)
            ):
                name = make("apply", name, *self.arguments())
        return self.postfix(make("change", name))

    # -- runs of letters

    def run(self, index: int) -> Tree | None:  # noqa: C901 - a list of cases
        """What a run of adjacent letters is when it is no product; None when it is one."""
        last = index
        while self.is_next_of_run(last):
            last += 1
        word = "".join(token.value for token in self.tokens[index : last + 1])
        self.run_end = last + 1
        if word in _KNOWN and (len(word) > 2 or word in ("ln", "lg", "tr", "Tr")):
            return self.known_word(word, index, last)
        if 3 < len(word) <= 6 and word not in _KNOWN and word.endswith(_ENDINGS):
            self.run_end = index + 1  # i sin without a blank: the next letter begins a run
            return None
        if len(word) > 3:
            head = next(
                (name for name in ("sin", "cos", "tan", "log", "exp") if word.startswith(name)),
                None,
            )
            if (
                head is not None
                and len(word) - len(head) <= 2
                and head + word[len(head) :] not in _KNOWN
            ):
                self.run_end = index + len(head)
                return self.known_word(head, index, index + len(head) - 1)
        if word in ("Re", "Im") and self.tokens[last + 1].kind == tokens.OPEN:
            return self.known_word(word, index, last)
        if word[-1] == "e" and len(word) == 2 and self.tokens[last + 1].kind == tokens.SUP:
            return None
        if len(word) > 2 and word.isupper() and not self.is_differential_ahead(index, last):
            return self.capitals(word, index, last)
        if not _is_like_word(word) or self.is_differential_ahead(index, last):
            return None
        is_called = self.tokens[last + 1].kind == tokens.OPEN
        if word in _GROUPS or (is_called and len(word) >= 3 and self.tokens[last + 1].value == "("):
            self.follow("letters of a known name")
            self.i = last + 1
            return self.named(plain_name(word), is_word=True)
        if self.is_strict:
            self.follow("letters like a word")
        if len(word) >= 4 or (word[0].isupper() and len(word) >= 3):
            self.i = last + 1
            return self.named(plain_name(word), is_word=True)
        self.follow("letters like a word")
        return None

    def capitals(self, word: str, index: int, last: int) -> Tree | None:
        """ABC: a product where its letters stand alone too, else one name."""
        others = {
            token.value
            for place, token in enumerate(self.tokens)
            if token.kind == tokens.NAME and not index <= place <= last
        }
        if set(word) <= others or self.tokens[last + 1].kind in (tokens.SUP, tokens.SUB):
            return None
        self.follow("capitals side by side", index)
        self.i = last + 1
        return self.named(plain_name(word), is_word=True)

    def is_next_of_run(self, index: int) -> bool:
        """Whether the letter after this one touches it and is as plain."""
        token, following = self.tokens[index], self.tokens[index + 1]
        return (
            following.kind == tokens.NAME
            and following.start == token.end
            and len(following.value) == 1
            and following.font == ""
            and following.end - following.start == 1
        )

    def is_differential_ahead(self, index: int, last: int) -> bool:
        """Whether the run ends in a differential: ydx."""
        return (
            last > index and self.tokens[last - 1].value == "d" and self.is_differential(last - 1)
        )

    def known_word(self, word: str, index: int, last: int) -> Tree:
        """A function whose backslash was forgotten."""
        self.follow("letters of a known name")
        first, end = self.tokens[index], self.tokens[last]
        if word in symbols.BIG_WORDS:
            self.i = last
            self.tokens[last] = Token(
                tokens.BIG, symbols.BIG_WORDS[word].name, first.start, end.end
            )
            return self.large()
        if word in symbols.WORDS:
            self.i = last
            self.tokens[last] = Token(
                tokens.FUNCTION, symbols.WORDS[word].name, first.start, end.end
            )
            return self.function()
        self.i = last + 1
        return self.word_named(plain_name(word), index)

    # -- accents

    def accented(self) -> Tree:
        """An accent over a letter is part of its name, over more it is an operator."""
        tree = self.accent_name()
        if isinstance(tree, Variable):
            return self.named(tree)
        return self.postfix(tree)

    def accent_name(self) -> Tree:
        """What an accent and its argument make."""
        accent = self.tokens[self.i].value
        self.i += 1
        token = self.tokens[self.i]
        if token.kind == tokens.NAME:
            self.i += 1
            return Variable(token.value, token.font, (accent,))
        if token.kind == tokens.LBRACE and self.partner[self.i] == self.i + 2:
            inner = self.tokens[self.i + 1]
            if inner.kind in (tokens.NAME, tokens.WORD):
                self.i += 3
                return Variable(inner.value, inner.font, (accent,))
        inside = self.accent_name() if token.kind == tokens.ACCENT else self.argument()
        if (
            isinstance(inside, Variable)
            and inside.subscript is None
            and not inside.primes
            and inside.superscript is None
        ):
            return inside.replaced(accents=(*inside.accents, accent))
        if isinstance(inside, Opaque):
            return inside
        if accent not in names.ACCENT_OPERATORS:
            raise self.fail("this accent stands over one letter only", kind="accent")
        return make(names.ACCENT_OPERATORS[accent], inside)


def _is_like_word(word: str) -> bool:
    """Whether a run of letters looks like a word or an abbreviation rather than a product."""
    if len(word) == 2:
        return word[0].isupper() and word[1].islower() and word[1] not in _SECOND_OF_PRODUCT
    small = word.lower()
    vowels = set(small) & set("aeiou")
    is_ordered = list(small) == sorted(small)
    if word[0].isupper() and word[1:].islower():
        return bool(vowels) or len(word) > 3
    if word[0].isupper() and not word.isupper() and not word[1:].islower() and word[-1].isupper():
        return True  # like an abbreviation: ChR
    if word in (
        "mod",
        "dim",
        "ker",
        "deg",
        "div",
        "rot",
        "vol",
        "min",
        "max",
        "and",
        "for",
        "not",
        "the",
    ):
        return True
    if len(word) >= 6 and vowels and len(set(small)) > 4 and not word.isupper():
        return True
    return (
        len(word) >= 4 and word.islower() and bool(vowels) and not is_ordered and len(set(word)) > 2
    )


_ENDINGS = ("sin", "cos", "tan", "log", "exp")
_CONSTANT_LETTERS = frozenset(("pi", "e", "i", "I", "j", "E"))
_PLAIN_AFTER = frozenset((
    tokens.SIGN, tokens.END, tokens.CLOSE, tokens.RBRACE, tokens.COMMA, tokens.NAME, tokens.NUMBER,
    tokens.COMMAND, tokens.GAP, tokens.ROW, tokens.CELL, tokens.BAR, tokens.CONSTANT,
))  # fmt: skip
