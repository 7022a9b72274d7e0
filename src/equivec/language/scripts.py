"""Names with their scripts: indices, powers, primes, stars and transposes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from equivec.language import tokens
from equivec.language.cursor import GIVEN_UP, as_unread, make, plain_name, plain_number
from equivec.language.layers import SIGNATURE
from equivec.language.parts import Parts
from equivec.language.tree import Apply, Number, Opaque, Tree, Variable, is_applied

if TYPE_CHECKING:
    from equivec.language.tokens import Token

# Signs that stand as superscripts, and the label each is in a name.
STARS = {
    "*": "*", r"\ast": "*", r"\star": "⋆", r"\dagger": "†", r"\ddagger": "‡", "+": "+", "-": "-",
    r"\perp": "⊥", r"\bot": "⊥", r"\times": "×", r"\complement": "∁", r"\pm": "±", r"\mp": "∓",
    r"\#": "#", r"\sharp": "♯", r"\flat": "♭", r"\natural": "♮", r"\vee": "∨", r"\wedge": "∧",
    r"\bullet": "•", r"\otimes": "⊗", r"\oplus": "⊕", r"\circ": "∘", r"\to": "→", r"\odot": "⊙",
    r"\leftarrow": "←", r"\diamond": "⋄", r"\cdot": "·", r"\vdash": "⊢", r"\uparrow": "↑",
    r"\downarrow": "↓", "!": "!",
}  # fmt: skip
_TRANSPOSES = frozenset((r"\intercal", "true"))
_INDEX_TOKENS = frozenset((tokens.NAME, tokens.NUMBER, tokens.WORD, tokens.TEXT, tokens.PRIME))
_TENSOR_LETTERS = frozenset(
    "i j k l m mu nu rho sigma lambda alpha beta gamma delta kappa a b c d e".split()
)
_SURE_TENSOR_LETTERS = frozenset("mu nu rho sigma lambda kappa".split())
_POWER, _PRIME, _LABEL, _TRANSPOSE, _DEGREE = "power", "prime", "label", "transpose", "degree"


class Scripts(Parts):
    """Reads what stands under, over and after an operand."""

    def named(self, leaf: Variable, *, is_word: bool = False) -> Tree:
        kind = self.tokens[self.i].kind
        if kind not in _AFTER_NAME:
            return leaf
        name, power = self.scripted(leaf)
        following = self.tokens[self.i]
        if following.kind in _CALLS:
            called = self.called(name, power, is_word=is_word)
            if called is not None:
                return self.postfix(called)
        if power is not None:
            return self.postfix(self.raised(name, *power))
        return self.postfix(name) if following.kind in _AFTER_OPERAND else name

    def scripted(self, leaf: Variable) -> tuple[Variable, tuple[str, Tree | None] | None]:
        """The name with the scripts that are part of it, and the power that is not."""
        sub: Tree | None = leaf.subscript
        label: Tree | None = leaf.superscript
        primes = leaf.primes
        power: tuple[str, Tree | None] | None = None
        while True:
            token = self.tokens[self.i]
            if token.kind == tokens.SUB and sub is None:
                sub = self.subscript()
            elif token.kind == tokens.PRIME and power is None:
                self.i += 1
                primes += len(token.value)
            elif token.kind == tokens.SUP and power is None and label is None:
                index = self.i
                what, tree = self.superscript(leaf if sub is None else leaf.replaced(subscript=sub))
                if what == _PRIME:
                    primes += tree.value.numerator if isinstance(tree, Number) else 1
                elif what == _LABEL:
                    label = tree
                elif what:
                    power = (what, tree)
                    if index == self.i:
                        break
            elif (
                token.kind == tokens.LBRACE
                and self.partner[self.i] == self.i + 1
                and self.tokens[self.i + 2].kind in (tokens.SUB, tokens.SUP)
            ):
                self.i += 2  # an empty group keeps staggered indices apart: R^a{}_b
            else:
                break
        if sub is None and label is None and not primes:
            return leaf, power
        return Variable(leaf.base, leaf.font, leaf.accents, sub, label, primes), power

    def raised(self, base: Tree, what: str, tree: Tree | None) -> Tree:
        """An operand with what stands over it."""
        if what == _TRANSPOSE:
            return make("transpose", base)
        if what == _DEGREE:
            return make("degree", base)
        if what == _POWER and tree is not None:
            if is_applied(base, "neg"):
                return make("pow", base, tree)
            return make("pow", base, tree)
        return make("starred", base, tree if tree is not None else Variable("'"))

    def postfix(self, tree: Tree) -> Tree:
        while True:
            token = self.tokens[self.i]
            kind = token.kind
            if kind == tokens.SUP:
                what, value = self.superscript(tree)
                if what == _PRIME:
                    count = value.value.numerator if isinstance(value, Number) else 1
                    tree = make("starred", tree, Variable("'" * count))
                elif what == _LABEL and value is not None:
                    tree = make("starred", tree, value)
                elif what:
                    tree = self.raised(tree, what, value)
            elif kind == tokens.SUB:
                sub = self.subscript()
                if sub is not None:
                    tree = make("indexed", tree, sub)
            elif kind == tokens.PRIME:
                self.i += 1
                tree = make("starred", tree, Variable("'" * len(token.value)))
            elif kind == tokens.FACTORIAL:
                following = self.tokens[self.i + 1]
                if following.kind == tokens.FACTORIAL and following.start == token.end:
                    self.i += 2
                    tree = make("double_factorial", tree)
                else:
                    self.i += 1
                    tree = make("factorial", tree)
            elif kind == tokens.POSTFIX:
                self.i += 1
                tree = make(token.value, tree)
            elif kind == tokens.APPLY:
                self.i += 1
                tree = make("apply", tree, *self.arguments())
            elif kind == tokens.LBRACE and self.is_marked_call():
                tree = make("apply", tree, *self.marked_arguments())
            elif kind == tokens.OPEN and is_applied(tree, "apply") and self.is_lone_bracket():
                tree = make("apply", tree, *self.arguments())
            else:
                return tree

    def is_lone_bracket(self) -> bool:
        """Whether a round bracket with one name or a list follows: f(a)(b)."""
        close = self.partner[self.i]
        inside = self.tokens[self.i + 1 : close]
        return self.tokens[self.i].value == "(" and (
            len(inside) == 1 and inside[0].kind in (tokens.NAME, tokens.NUMBER)
        )

    # -- subscripts

    def subscript(self) -> Tree | None:
        self.i += 1
        token = self.tokens[self.i]
        if token.kind == tokens.LBRACE:
            close = self.partner[self.i]
            if close < 0:
                raise self.fail("'{' is never closed", kind="brace")
            inside = self.tokens[self.i + 1 : close]
            if not inside:
                self.i = close + 1
                return None
            simple = self.simple_index(inside)
            if simple is not None:
                self.i = close + 1
                return simple
        return self.script_argument("script")

    def simple_index(self, inside: list[Token]) -> Tree | None:
        """Letters, numbers and words side by side or between commas: an index, never a product."""
        if len(inside) == 1:
            return self.index_leaf(inside[0])
        items: list[list[Tree]] = [[]]
        for place, token in enumerate(inside):
            if token.kind == tokens.COMMA:
                items.append([])
                continue
            leaf = self.index_leaf(token)
            if leaf is None or (
                token.kind == tokens.SIGN
                and (token.value not in _SIGNS_OF_INDEX or 0 < place < len(inside) - 1)
            ):
                return None
            items[-1].append(leaf)
        if not all(items):
            return None
        if len(items) == 1 and self.is_number_before_letters(inside):
            return None
        word = self.word_in_script(inside)
        if word is not None:
            return word
        parts = [part[0] if len(part) == 1 else make("index", *part) for part in items]
        return parts[0] if len(parts) == 1 else make("list", *parts)

    def is_number_before_letters(self, inside: list[Token]) -> bool:
        """2n and 2k are products in a script; 1j is two indices."""
        return (
            len(inside) == 2
            and inside[0].kind == tokens.NUMBER
            and inside[0].value not in ("0", "1")
            and inside[1].kind == tokens.NAME
            and inside[1].value in ("n", "k", "m", "p", "N", "r")
        )

    def word_in_script(self, inside: list[Token]) -> Tree | None:
        """max in x_{max}: letters that make a word."""
        if len(inside) < 3 or any(
            token.kind != tokens.NAME or len(token.value) != 1 or token.font for token in inside
        ):
            return None
        word = "".join(token.value for token in inside)
        if word in ("cyc", "sym", "max", "min"):
            return plain_name(word)
        if inside[-1].end - inside[0].start != len(word):
            return None
        if (
            set(word) <= set("ijklmnpqrstabcdxyzuvw")
            and len(word) < 4
            and not set(word) & set("aeiou") - {"a", "i"}
        ):
            return None
        has_vowel = bool(set(word.lower()) & set("aeiouy"))
        return plain_name(word) if has_vowel and list(word) != sorted(word) else None

    def index_leaf(self, token: Token) -> Tree | None:
        """The leaf of one token of an index."""
        kind, value = token.kind, token.value
        if kind == tokens.NAME:
            return plain_name(value, token.font)
        if kind == tokens.NUMBER:
            return plain_number(value)
        if kind in (tokens.WORD, tokens.FUNCTION, tokens.BIG):
            return Variable(value, token.font)
        if kind == tokens.TEXT:
            return Variable(value, "text")
        if kind == tokens.CONSTANT:
            return Apply(SIGNATURE[value])
        if kind == tokens.SIGN and value in STARS:
            return Variable(STARS[value])
        return None

    def script_argument(self, fence: str) -> Tree | None:
        token = self.tokens[self.i]
        if token.kind == tokens.LBRACE:
            close = self.partner[self.i]
            if close == self.i + 1:
                self.i = close + 1
                return None
            if close == self.i + 2:
                leaf = self.script_leaf(self.tokens[self.i + 1], fence)
                if leaf is not None:
                    self.i = close + 1
                    return leaf
        else:
            leaf = self.script_leaf(token, fence)
            if leaf is not None:
                if token.kind == tokens.NUMBER and fence != "script" and len(token.value) > 1:
                    return self.argument()
                self.i += 1
                return leaf
            if token.kind == tokens.OPEN:
                raise self.fail("a script of several signs needs braces", kind="script")
        close = self.partner[self.i] if token.kind == tokens.LBRACE else -1
        if fence == "domain" and close > 0:
            inside = self.tokens[self.i + 1 : close]
            if all(inner.kind == tokens.NAME for inner in inside):
                simple = self.simple_index(inside)
                if simple is not None:
                    self.i = close + 1
                    return simple
        state = self.enter(fence)
        try:
            if close < 0:
                return self.argument()
            tree = self.script_group(close)
        finally:
            self.leave(state)
        self.i = close + 1
        return tree

    def script_group(self, close: int) -> Tree:
        """A script in braces, kept where it cannot be read."""
        start = self.i + 1
        self.i = start
        try:
            return self.group_content(close)
        except GIVEN_UP as error:
            unread = as_unread(error, self.i)
            if self.is_strict:
                raise
            return Opaque(self.source(start, close), unread.kind)

    def script_leaf(self, token: Token, fence: str) -> Tree | None:
        """The leaf of one token over or under a sign; a value there, an index elsewhere."""
        if fence != "script" and token.kind == tokens.NAME:
            return self.letter_leaf(token)
        return self.index_leaf(token)

    # -- superscripts

    def superscript(self, base: Tree) -> tuple[str, Tree | None]:
        self.i += 1
        token = self.tokens[self.i]
        if token.kind == tokens.PRIME:
            self.i += 1
            return _PRIME, plain_number(str(len(token.value)))
        if token.kind == tokens.LBRACE:
            close = self.partner[self.i]
            if close < 0:
                raise self.fail("'{' is never closed", kind="brace")
            first, last, end = self.i + 1, close, close + 1
            while (
                last - first >= 2
                and self.tokens[first].kind == tokens.LBRACE
                and self.partner[first] == last - 1
            ):
                first, last = first + 1, last - 1
        else:
            first, last, end = self.i, self.i + 1, self.i + 1
        inside = self.tokens[first:last]
        if not inside:
            self.i = end
            return "", None
        sign = self.sign_over(inside, base)
        if sign is not None:
            self.i = end
            return sign
        label = self.label_over(inside, base, first, last, end)
        if label is not None:
            return label
        return _POWER, self.power(first, last, end)

    def power(self, first: int, last: int, end: int) -> Tree:
        """The exponent as an expression."""
        token = self.tokens[first]
        if last == first + 1:
            if token.kind == tokens.NUMBER and end == last and len(token.value) > 1:
                return self.argument()  # without braces one digit alone is the exponent
            if token.kind == tokens.NUMBER:
                self.i = end
                return plain_number(token.value)
            if token.kind == tokens.NAME and token.value not in ("pi", "i", "e"):
                self.i = end
                return plain_name(token.value, token.font)
        state = self.enter("power")
        try:
            if end == last:
                return self.argument()
            self.i = first
            tree = self.clause()
            if self.i != last:
                raise self.unexpected()
        except GIVEN_UP:
            if self.is_strict or end == last:
                raise
            tree = Opaque(self.source(first, last), "superscript")
        finally:
            self.leave(state)
        self.i = end
        return tree

    def sign_over(self, inside: list[Token], base: Tree) -> tuple[str, Tree | None] | None:
        """Signs that are no power: primes, stars, a transpose, degrees."""
        if all(_is_prime(token) for token in inside):
            count = sum(len(token.value) if token.kind == tokens.PRIME else 1 for token in inside)
            return _PRIME, plain_number(str(count))
        token = inside[0]
        if len(inside) == 1:
            if token.kind == tokens.POSTFIX and token.value == "degree":
                return _DEGREE, None
            if token.kind == tokens.SIGN and token.value == r"\circ":
                is_degree = (
                    isinstance(base, Number)
                    or not isinstance(base, Variable)
                    or (base.is_plain and (base.base in _ANGLE_NAMES))
                )
                return (_DEGREE, None) if is_degree else (_LABEL, Variable("∘"))
            if token.value in _TRANSPOSES and token.kind in (tokens.SIGN, tokens.CONSTANT):
                return _TRANSPOSE, None
            if token.kind == tokens.CONSTANT and token.value == "false":
                return _LABEL, Variable("⊥")
            if self.is_transpose(token, base):
                return _TRANSPOSE, None
            if token.kind in (tokens.WORD, tokens.TEXT, tokens.FUNCTION):
                return _LABEL, Variable(token.value, "text" if token.kind == tokens.TEXT else "")
            if (
                token.kind == tokens.NAME
                and token.font in ("rm", "sf")
                and token.value not in "eid"
            ):
                return _LABEL, plain_name(token.value, token.font)
        if len(inside) == 2 and token.kind == tokens.NUMBER and inside[1].value in ("+", "-"):
            return _LABEL, Variable(token.value + inside[1].value)
        if all(
            token.kind in (tokens.SIGN, tokens.FACTORIAL) and token.value in STARS
            for token in inside
        ):
            return _LABEL, Variable("".join(STARS[token.value] for token in inside))
        return None

    def is_transpose(self, token: Token, base: Tree) -> bool:
        """Whether an upright or slanted T over a base is its transpose."""
        if token.value not in ("T", "t", "top") or token.kind not in (tokens.NAME, tokens.WORD):
            return False
        if token.font in ("rm", "sf"):
            return True
        if token.value != "T" or token.font not in ("", "text"):
            return False
        if _is_matrix_like(base):
            return True
        if isinstance(base, Variable):
            return base.base != "e"
        if isinstance(base, Number):
            return False
        self.follow("transpose or power")
        return False

    def label_over(
        self, inside: list[Token], base: Tree, first: int, last: int, end: int
    ) -> tuple[str, Tree | None] | None:
        """A label in brackets, indices, or a letter that is none but a label."""
        token = inside[0]
        if token.kind == tokens.COMMAND and token.value == "mathord" and end > last:
            self.i = first + 1
            tree = self.script_argument("script")
            if self.i != last:
                raise self.unexpected()
            self.i = end
            return _LABEL, tree
        is_name = isinstance(base, Variable) or is_applied(base, "apply")
        if (
            token.kind == tokens.OPEN
            and token.value in ("(", "[", r"\langle")
            and is_name
            and self.partner[first] == last - 1
            and last - first >= 3
        ):
            self.i = first + 1
            state = self.enter("label")
            try:
                tree = self.clause()
                if self.i != last - 1:
                    raise self.unexpected()
            finally:
                self.leave(state)
            self.i = end
            return _LABEL, make("parentheses" if token.value == "(" else "brackets", tree)
        if isinstance(base, Variable) and base.base != "e":
            return self.indices_over(inside, base, end)
        return None

    def indices_over(
        self, inside: list[Token], base: Variable, end: int
    ) -> tuple[str, Tree | None] | None:
        """g^{ij}: indices rather than the power of a product."""
        if any(token.kind not in (tokens.NAME, tokens.COMMA) for token in inside):
            return None
        letters = [token.value for token in inside if token.kind == tokens.NAME]
        if not letters:
            return None
        has_comma = len(letters) < len(inside)
        if len(inside) == 1:
            letter = letters[0]
            if (
                letter in ("c", "C", "H", "\\complement")
                and base.base.isupper()
                and inside[0].font == ""
            ):
                self.follow("letter as superscript")
                self.i = end
                return _LABEL, plain_name(letter)
            is_index = (
                (letter in _SURE_TENSOR_LETTERS and letter in self.evidence.index_letters)
                or (base.subscript is not None and letter in _SURE_TENSOR_LETTERS)
                or (
                    letter in ("i", "j", "k", "l")
                    and base.subscript is not None
                    and not isinstance(base.subscript, Number)
                )
            )
            if not is_index:
                return None
            self.follow("indices or power")
            self.i = end
            return _LABEL, plain_name(letter)
        is_tensor = has_comma or (
            set(letters) <= _TENSOR_LETTERS
            and (
                (set(letters) <= {"i", "j", "k", "l"} and base.base in _TENSORS)
                or set(letters) <= _SURE_TENSOR_LETTERS | {"alpha", "beta", "gamma", "delta"}
                or bool(set(letters) & self.evidence.index_letters)
            )
        )
        if not is_tensor:
            return None
        self.follow("indices or power")
        tree = self.simple_index(inside)
        if tree is None:
            return None
        self.i = end
        return _LABEL, tree


def _is_prime(token: Token) -> bool:
    return token.kind == tokens.PRIME or (token.kind == tokens.COMMAND and token.value == "prime")


def _is_matrix_like(tree: Tree) -> bool:
    """Whether a capital, bold or accented name or a matrix is in it."""
    for node in tree.walk():
        if isinstance(node, Variable):
            if node.font in ("bf",) or node.accents or node.base[-1:].isupper():
                return True
        elif is_applied(node, "matrix", "transpose"):
            return True
    return False


_TENSORS = frozenset(
    "g T R C F A G S h Gamma delta epsilon varepsilon eta sigma Lambda omega J t L K".split()
)
_SIGNS_OF_INDEX = frozenset((r"\cdot", "*", r"\ast", r"\bullet", r"\star"))
_ANGLE_NAMES = frozenset("alpha beta gamma delta theta phi psi varphi x A B C n".split())
_AFTER_OPERAND = frozenset((
    tokens.SUP, tokens.SUB, tokens.PRIME, tokens.FACTORIAL, tokens.POSTFIX, tokens.APPLY,
))  # fmt: skip
_CALLS = frozenset((tokens.OPEN, tokens.APPLY, tokens.LBRACE))
_AFTER_NAME = _AFTER_OPERAND | _CALLS
