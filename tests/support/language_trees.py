"""Random trees of every layer of the language, those that its notations can tell apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

from equivec.language.layers import SIGNATURE
from equivec.language.operators import AtLeast, Form, Operator, Sort
from equivec.language.tree import Apply, Number, Tree, Variable

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

LETTERS = "a b c k m n p q r s t u v w x y z A B K M N Q R S U V W X Y alpha beta theta".split()
FUNCTIONS = "f g h F phi psi".split()
NAMED = [
    Variable("x", subscript=Number(1)),
    Variable("x", subscript=Variable("i")),
    Variable("y", accents=("hat",)),
    Variable("F", accents=("vec",)),
    Variable("R", font="bb"),
    Variable("L", font="cal"),
    Variable("v", font="bf"),
    Variable("cost"),
    Variable("a", subscript=Apply(SIGNATURE["index"], (Variable("i"), Variable("j")))),
    Variable("a", subscript=Apply(SIGNATURE["list"], (Variable("i"), Number(2)))),
    Variable("z", primes=2),
    Variable("z", superscript=Variable("*")),
    Variable("x", superscript=Apply(SIGNATURE["parentheses"], (Variable("n"),))),
    Variable("x", subscript=Variable("n") + 1),
    Variable("g", subscript=Variable("k"), superscript=Variable("i")),
]
# Rows that have a place only within others, or that no text of their own makes.
INNER = frozenset(
    "row index parentheses given missing sided inverse labelled chain list rows mixed starred "
    "indexed prescript plus_sign minus_sign annotated differential derivative_operator blank "
    "partial_operator partial_sign change figure angle triangle brackets apply_brackets "
    "apply_braces system bra ket evaluated forall exists exists_one exists_no where both either "
    "then therefore because mapping cases matrix determinant matrix_norm set_where modulo root "
    "log_base derivative partial integral integral_between integral_over contour_integral apply "
    "pow angles dots nabla divergence rotation argmax argmin esssup true false over_bar over_hat "
    "over_vec over_left over_tilde over_dot over_ddot over_arc under_bar degree upwards downwards".split()  # noqa: E501
)  # fmt: skip


class Sampler:
    """Draws trees; the same seed gives the same trees."""

    def __init__(self, generator: random.Random) -> None:
        self.random = generator
        self.plain = [
            row for row in SIGNATURE if row.name not in INNER and row.form is not Form.CONSTANT
        ]
        self.values = [row for row in self.plain if row.gives != Sort.TRUTH]

    def leaf(self) -> Tree:
        """A number, a name or a constant."""
        kind = self.random.random()
        if kind < 0.25:
            return Number(self.random.choice(["0", "1", "2", "3", "10", "0.5", "12.25"]))
        if kind < 0.75:
            return Variable(self.random.choice(LETTERS))
        if kind < 0.95:
            return self.random.choice(NAMED)
        return Apply(SIGNATURE[self.random.choice(["pi", "infinity", "empty_set"])])

    def letter(self) -> Variable:
        """A bare name."""
        return Variable(self.random.choice(LETTERS))

    def value(self, depth: int) -> Tree:
        """A tree that can be an operand."""
        if depth <= 0 or self.random.random() < 0.15:
            return self.leaf()
        if self.random.random() < 0.4:
            return self.random.choice(_MADE)(self, depth - 1)
        return self.applied(self.random.choice(self.values), depth - 1)

    def applied(self, row: Operator, depth: int) -> Tree:
        """A plain row with arguments of its sorts."""
        if row.form is Form.BIG:
            return self.big(row, depth)
        count = (
            row.arity if isinstance(row.arity, int) else row.arity.least + self.random.randint(0, 2)
        )
        if isinstance(row.arity, AtLeast) and row.name in ("set", "tuple"):
            count = self.random.randint(2, 3)
        arguments = tuple(self.value(depth) for _ in range(count))
        try:
            return Apply(row, arguments)
        except Exception:
            return self.leaf()

    def big(self, row: Operator, depth: int) -> Tree:
        """A large sign with a domain."""
        name = self.letter()
        body = self.value(depth)
        arrow = row.name in ("lim", "limsup", "liminf", "injective_limit", "projective_limit")
        if arrow:
            return Apply(row, (body, SIGNATURE["to"](name, self.leaf())))
        if self.random.random() < 0.5 or row.name in ("max", "min", "sup", "inf"):
            return Apply(row, (body, SIGNATURE["in"](name, self.letter())))
        return Apply(row, (body, SIGNATURE["eq"](name, Number(1)), self.letter()))

    def statement(self, depth: int) -> Tree:
        """A relation, a chain, or logic."""
        kind = self.random.random()
        if kind < 0.5 or depth <= 0:
            name = self.random.choice(
                "eq ne lt le gt ge in approx similar subset to equivalent".split()
            )
            return SIGNATURE[name](self.value(depth), self.value(depth))
        if kind < 0.65:
            first, second, third = (self.value(depth - 1) for _ in range(3))
            return SIGNATURE["chain"](
                SIGNATURE["lt"](first, second), SIGNATURE["le"](second, third)
            )
        if kind < 0.85:
            name = self.random.choice(["and", "or", "implies", "iff"])
            return SIGNATURE[name](self.statement(depth - 1), self.statement(depth - 1))
        if kind < 0.92:
            domain = SIGNATURE["in"](self.letter(), self.letter())
            name = self.random.choice(["forall", "exists"])
            return SIGNATURE[name](domain, self.statement(depth - 1))
        return SIGNATURE["not"](self.statement(depth - 1))

    def tree(self, depth: int) -> Tree:
        """A formula."""
        kind = self.random.random()
        if kind < 0.5:
            return self.value(depth)
        if kind < 0.85:
            return self.statement(depth)
        if kind < 0.93:
            return SIGNATURE["list"](self.statement(depth - 1), self.statement(depth - 1))
        if kind < 0.97:
            return SIGNATURE["where"](self.statement(depth - 1), self.statement(depth - 1))
        return SIGNATURE["rows"](self.statement(depth - 1), self.statement(depth - 1))

    def call(self, depth: int) -> Tree:
        """An unknown function, or a conditional probability."""
        if self.random.random() < 0.2:
            return Variable("P")(SIGNATURE["given"](self.letter(), self.letter()))
        head = self.random.choice([*FUNCTIONS, "a", "rho", "Var"])
        return Variable(head)(*(self.value(depth) for _ in range(self.random.randint(1, 3))))

    def inverse(self, depth: int) -> Tree:
        """The inverse of a function, applied."""
        return SIGNATURE["apply"](SIGNATURE["inverse"](Variable("f")), self.value(depth))

    def power(self, depth: int) -> Tree:
        """A power."""
        return self.value(depth) ** self.value(depth - 1)

    def derivative(self, depth: int) -> Tree:
        """A derivative of one name or two."""
        pairs: list[Tree | int] = [self.letter(), self.random.choice([1, 2, 3])]
        name = self.random.choice(["derivative", "partial"])
        if name == "partial" and self.random.random() < 0.4:
            pairs += [Variable("y"), 1]
        return SIGNATURE[name](self.value(depth), *pairs)

    def integral(self, depth: int) -> Tree:
        """An integral of each kind."""
        body, name = self.value(depth), self.letter()
        kind = self.random.randrange(3)
        if kind == 0:
            return SIGNATURE["integral"](body, name)
        if kind == 1:
            return SIGNATURE["integral_between"](body, name, self.leaf(), self.leaf())
        return SIGNATURE["integral_over"](body, name, Variable("D"))

    def matrix(self, depth: int) -> Tree:
        """A matrix of two rows."""
        rows = [SIGNATURE["row"](self.value(depth), self.leaf()) for _ in range(2)]
        return SIGNATURE[self.random.choice(["matrix", "determinant"])](*rows)

    def cases(self, depth: int) -> Tree:
        """Cases with a condition each."""
        return SIGNATURE["cases"](
            *(SIGNATURE["row"](self.value(depth), self.statement(0)) for _ in range(2))
        )

    def builder(self, depth: int) -> Tree:
        """A set by a condition."""
        element = SIGNATURE["in"](self.letter(), Variable("R", font="bb"))
        return SIGNATURE["set_where"](element, self.statement(depth - 1))

    def rooted(self, depth: int) -> Tree:
        """A root or a logarithm with a base."""
        name = self.random.choice(["root", "log_base"])
        return SIGNATURE[name](self.value(depth), Number(self.random.choice([3, 5, 7])))

    def transposed(self, depth: int) -> Tree:
        """A transpose."""
        return SIGNATURE["transpose"](self.value(depth))

    def number_of_degrees(self, _: int) -> Tree:
        """An angle in degrees."""
        return SIGNATURE["degree"](Number(self.random.choice([30, 45])))


_MADE: list[Callable[[Sampler, int], Tree]] = [
    Sampler.call, Sampler.inverse, Sampler.power, Sampler.derivative, Sampler.integral,
    Sampler.matrix, Sampler.cases, Sampler.builder, Sampler.rooted, Sampler.transposed,
    Sampler.number_of_degrees,
]  # fmt: skip
