"""What stands over an operand: powers, labels, primes, transposes, indices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from equivec.language import tokens
from equivec.language.reader.cursor import (
    GIVEN_UP,
    make,
    plain_name,
    plain_number,
)
from equivec.language.reader.parts import Parts
from equivec.language.reader.signs import (
    STARS,
)
from equivec.language.tree import Number, Opaque, Tree, Variable, is_applied

if TYPE_CHECKING:
    from equivec.language.tokens import Token

_TRANSPOSES = frozenset((r"\intercal", "true"))
_TENSOR_LETTERS = frozenset(
    "i j k l m mu nu rho sigma lambda alpha beta gamma delta kappa a b c d e".split()
)
_SURE_TENSOR_LETTERS = frozenset("mu nu rho sigma lambda kappa".split())
_POWER, _PRIME, _LABEL, _TRANSPOSE, _DEGREE = "power", "prime", "label", "transpose", "degree"
_TENSORS = frozenset(
    "g T R C F A G S h Gamma delta epsilon varepsilon eta sigma Lambda omega J t L K".split()
)
_ANGLE_NAMES = frozenset("alpha beta gamma delta theta phi psi varphi x A B C n".split())


class Superscripts(Parts):
    """What stands over an operand: powers, labels, primes, transposes, indices."""

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
        if token.value == "t" and isinstance(base, Variable) and base.font == "bf":
            return token.font == ""
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
