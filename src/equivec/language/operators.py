"""Operators, the sorts of what they take and give, and signatures: tables of them that compose."""

from __future__ import annotations

from dataclasses import dataclass, field
from difflib import get_close_matches
from enum import Enum, IntFlag
from typing import TYPE_CHECKING

from equivec.errors import ConfigError, ConversionError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from equivec.language.tree import Apply, Tree


class Sort(IntFlag):
    """What a formula can stand for; a name may stand for any of them until it is used.

    Two sorts fit when they share a kind, so that people's habits (a sum of sets, a matrix in an
    exponent) pass and a truth where a number must stand does not.
    """

    NUMBER = 1
    TRUTH = 2
    SET = 4
    TUPLE = 8
    MATRIX = 16
    FUNCTION = 32
    VALUE = NUMBER | SET | TUPLE | MATRIX | FUNCTION
    ANY = VALUE | TRUTH

    def __str__(self) -> str:
        names = [_SORT_NAMES[kind] for kind in Sort if kind in self]
        return "anything" if self == Sort.ANY else " or ".join(names)


_SORT_NAMES = {
    Sort.NUMBER: "a number",
    Sort.TRUTH: "a truth",
    Sort.SET: "a set",
    Sort.TUPLE: "a tuple",
    Sort.MATRIX: "a matrix",
    Sort.FUNCTION: "a function",
}


@dataclass(frozen=True, slots=True)
class AtLeast:
    """An arity without an upper end."""

    least: int


class Form(Enum):
    """How an operator is set: between, before or after its arguments, around them, or otherwise."""

    INFIX = "infix"
    PREFIX = "prefix"
    POSTFIX = "postfix"
    FENCE = "fence"
    CALL = "call"
    CONSTANT = "constant"
    BIG = "big"  # a large sign with a body, and a domain and an upper end as its scripts
    ACCENT = "accent"  # a sign over the argument
    OWN = "own"  # a writer and a reader of its own


class Binding:
    """How tightly signs bind, in one scale for all notations; a tighter one is larger."""

    LOOSEST = 0
    LIST = 1
    WHERE = 4
    QUANTIFIER = 6
    IMPLIES = 8
    OR = 10
    AND = 12
    COLON = 16
    MODULO = 18
    RELATION = 20
    BAR = 24
    NOT = 26
    SUM = 30
    WEDGE = 35
    PRODUCT = 40
    SIGN = 38
    POWER = 60
    ATOM = 70


@dataclass(frozen=True, slots=True)
class Notation:
    """How an operator is spelt in plain text and in LaTeX, and its sign in Unicode.

    A fence has both ends in each spelling, with a blank between them.
    """

    infix: str
    latex: str
    sign: str = ""
    form: Form = Form.CALL
    binding: int = Binding.ATOM
    is_associative: bool = False  # whether a chain of it needs no brackets on its left


@dataclass(frozen=True, slots=True, eq=False)
class Operator:
    """One row of a signature.

    >>> from equivec.language.layers import SIGNATURE
    >>> from equivec.language.tree import Variable
    >>> print(SIGNATURE["sin"](Variable("x") + 1))
    sin(x + 1)
    """

    name: str
    arity: int | AtLeast
    takes: tuple[Sort, ...]
    gives: Sort
    notation: Notation
    is_commutative: bool = False
    most: int | None = None  # arguments at most, where the arity is AtLeast
    binds: int | None = None  # the argument whose names are bound in all arguments but OPEN ones
    open_arguments: tuple[int, ...] = field(default=())
    takes_anything: bool = field(init=False)
    masks: tuple[int, ...] = field(init=False)  # what it takes, as integers, which are quick

    def __post_init__(self) -> None:
        anything = all(sort == Sort.ANY for sort in self.takes)
        object.__setattr__(self, "takes_anything", anything)
        object.__setattr__(self, "masks", tuple(int(sort) for sort in self.takes))

    def __call__(self, *arguments: Tree | int | str) -> Apply:
        """The operator applied; integers and names become leaves."""
        from equivec.language.tree import Apply, as_leaf

        return Apply(self, tuple(as_leaf(argument) for argument in arguments))

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Operator) and self.name == other.name)

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return f"<operator {self.name}>"

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return (_by_name, (self.name,))

    @property
    def form(self) -> Form:
        """How it is set."""
        return self.notation.form

    def accepts(self, count: int) -> bool:
        """Whether it takes so many arguments."""
        if isinstance(self.arity, int):
            return count == self.arity
        return count >= self.arity.least and (self.most is None or count <= self.most)

    def sort_at(self, index: int) -> Sort:
        """The sort that it takes at a place; the last one goes on."""
        return self.takes[min(index, len(self.takes) - 1)]

    @property
    def arity_in_words(self) -> str:
        """How many arguments it takes, for sentences."""
        if isinstance(self.arity, int):
            return f"{self.arity} argument{'s' if self.arity != 1 else ''}"
        least = f"at least {self.arity.least}"
        return least if self.most is None else f"{self.arity.least} to {self.most}"


def _by_name(name: str) -> Operator:
    from equivec.language.layers import SIGNATURE

    return SIGNATURE[name]


@dataclass(frozen=True, eq=False)
class Signature:
    """A named table of operators; `+` composes two of them.

    >>> from equivec.language.layers import ELEMENTARY, RELATIONS
    >>> "lt" in ELEMENTARY, "lt" in ELEMENTARY + RELATIONS
    (False, True)
    """

    name: str
    operators: tuple[Operator, ...]
    by_name: Mapping[str, Operator] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        by_name: dict[str, Operator] = {}
        for operator in self.operators:
            known = by_name.setdefault(operator.name, operator)
            if known is not operator:
                raise ConfigError(f"the operator {operator.name!r} stands twice in {self.name}")
        object.__setattr__(self, "by_name", by_name)

    def __getitem__(self, name: str) -> Operator:
        if name not in self.by_name:
            near = get_close_matches(name, self.by_name, n=1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise ConversionError(f"{name!r} is not an operator of {self.name}{hint}")
        return self.by_name[name]

    def __contains__(self, name: object) -> bool:
        return name in self.by_name

    def __iter__(self) -> Iterator[Operator]:
        return iter(self.operators)

    def __add__(self, other: Signature) -> Signature:
        """Both tables in one."""
        return compose(f"{self.name} + {other.name}", (self, other))

    def check(self, tree: Tree) -> Tree:
        """The tree itself, refused where an operator of it is not one of this signature."""
        for node in tree.walk():
            operator = getattr(node, "operator", None)
            if operator is not None and operator.name not in self.by_name:
                raise ConversionError(f"{operator.name!r} is not an operator of {self.name}")
        return tree


def compose(name: str, signatures: Iterable[Signature]) -> Signature:
    """One signature of several."""
    rows: dict[str, Operator] = {}
    for signature in signatures:
        for operator in signature.operators:
            if rows.setdefault(operator.name, operator) is not operator:
                raise ConfigError(f"the operator {operator.name!r} stands twice in {name}")
    return Signature(name, tuple(rows.values()))
