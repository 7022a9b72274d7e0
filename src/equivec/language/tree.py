"""The tree that every formula is: numbers, names, operators applied, and parts not understood.

Trees are frozen, compared by structure and cheap to hash. Nothing is reordered or simplified: two
ways of writing a function are two trees.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from equivec.errors import ConversionError, SortError
from equivec.language.operators import Operator, Sort

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


class Tree:
    """What all nodes share.

    >>> x, y = Variable("x"), Variable("y")
    >>> tree = x**2 + 3*y
    >>> print(tree), tree.size, tree.depth
    x^2 + 3*y
    (None, 7, 3)
    >>> sorted(map(str, tree.free_variables))
    ['x', 'y']
    """

    __slots__ = ("_hash", "depth", "size", "sort")

    _hash: int
    size: int  # how many nodes
    depth: int  # how many nodes on the longest way to a leaf
    sort: Sort

    @property
    def arguments(self) -> tuple[Tree, ...]:
        """The nodes below, none for a leaf."""
        return ()

    @property
    def is_leaf(self) -> bool:
        """Whether there is no node below."""
        return not self.arguments

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"trees do not change; {name!r} cannot be set")

    def __hash__(self) -> int:
        return self._hash

    def __str__(self) -> str:
        from equivec.language.infix_writer import write_infix

        return write_infix(self)

    def __repr__(self) -> str:
        text = str(self)
        return f"{type(self).__name__}({text if len(text) <= 60 else text[:59] + '…'})"

    def _repr_latex_(self) -> str:
        from equivec.language.latex_writer import write_latex

        return f"${write_latex(self)}$"

    def walk(self) -> Iterator[Tree]:
        """Every node, parents before children, left before right."""
        stack: list[Tree] = [self]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(reversed(node.arguments))

    @property
    def free_variables(self) -> frozenset[Variable]:
        """The variables that no binder within binds."""
        from equivec.language.binding import free_variables

        return free_variables(self)

    def substitute(self, replacements: Mapping[Variable, Tree]) -> Tree:
        """The tree with free variables replaced; bound names step aside, so none is captured."""
        from equivec.language.binding import substitute

        return substitute(self, replacements)

    def alpha_equal(self, other: Tree) -> bool:
        """Whether the trees differ at most in the names that their binders bind."""
        from equivec.language.binding import canonical

        return canonical(self) == canonical(other)

    @property
    def opaque_parts(self) -> list[Opaque]:
        """The parts that were not understood."""
        parts: list[Opaque] = []
        for node in self.walk():
            if isinstance(node, Opaque):
                parts.append(node)
            elif isinstance(node, Variable):
                for script in (node.subscript, node.superscript):
                    parts += script.opaque_parts if script is not None else ()
        return parts

    def __add__(self, other: Tree | int) -> Apply:
        return _apply("add", self, other)

    def __radd__(self, other: int) -> Apply:
        return _apply("add", other, self)

    def __sub__(self, other: Tree | int) -> Apply:
        return _apply("sub", self, other)

    def __rsub__(self, other: int) -> Apply:
        return _apply("sub", other, self)

    def __mul__(self, other: Tree | int) -> Apply:
        return _apply("mul", self, other)

    def __rmul__(self, other: int) -> Apply:
        return _apply("mul", other, self)

    def __truediv__(self, other: Tree | int) -> Apply:
        return _apply("div", self, other)

    def __rtruediv__(self, other: int) -> Apply:
        return _apply("div", other, self)

    def __pow__(self, other: Tree | int) -> Apply:
        return _apply("pow", self, other)

    def __rpow__(self, other: int) -> Apply:
        return _apply("pow", other, self)

    def __neg__(self) -> Apply:
        return _apply("neg", self)

    def __abs__(self) -> Apply:
        return _apply("abs", self)

    def __lt__(self, other: Tree | int) -> Apply:
        return _apply("lt", self, other)

    def __le__(self, other: Tree | int) -> Apply:
        return _apply("le", self, other)

    def __gt__(self, other: Tree | int) -> Apply:
        return _apply("gt", self, other)

    def __ge__(self, other: Tree | int) -> Apply:
        return _apply("ge", self, other)


_set = object.__setattr__


class Number(Tree):
    """An exact number as it is written: an integer or a decimal, never negative.

    >>> Number("0.50").value, Number("0.50") == Number("0.5")
    (Fraction(1, 2), False)
    """

    __slots__ = ("text",)

    text: str

    def __init__(self, text: str | int) -> None:
        text = str(text)
        if not text.isascii() or not text.replace(".", "", 1).isdigit():
            raise ConversionError(f"{text[:40]!r} is not a number: digits and at most one point")
        _set(self, "text", text)
        _set(self, "size", 1)
        _set(self, "depth", 1)
        _set(self, "sort", Sort.NUMBER)
        _set(self, "_hash", hash(("number", text)))

    @property
    def value(self) -> Fraction:
        """The number exactly."""
        return Fraction(self.text)

    @property
    def is_integer(self) -> bool:
        """Whether it is written without a point."""
        return "." not in self.text

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Number) and self.text == other.text

    __hash__ = Tree.__hash__

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return (Number, (self.text,))


class Variable(Tree):
    """A name as it is written: a letter or a word, its font, accents, scripts and primes.

    >>> print(Variable("x", subscript=Number(1)), Variable("F", accents=("vec",)))
    x_1 vec(F)
    >>> Variable("x") == Variable("X"), Variable("R", font="bb") == Variable("R")
    (False, False)
    """

    __slots__ = ("accents", "base", "font", "primes", "subscript", "superscript")

    base: str
    font: str
    accents: tuple[str, ...]  # the innermost first
    subscript: Tree | None
    superscript: Tree | None  # a label: an index or a star, never a power
    primes: int

    def __init__(
        self,
        base: str,
        font: str = "",
        accents: tuple[str, ...] = (),
        subscript: Tree | None = None,
        superscript: Tree | None = None,
        primes: int = 0,
    ) -> None:
        if not base:
            raise ConversionError("a name has at least one letter")
        size = depth = 1
        for script in (subscript, superscript):
            if script is not None:
                size += script.size
                depth = max(depth, script.depth + 1)
        _set(self, "base", base)
        _set(self, "font", font)
        _set(self, "accents", accents)
        _set(self, "subscript", subscript)
        _set(self, "superscript", superscript)
        _set(self, "primes", primes)
        _set(self, "size", size)
        _set(self, "depth", depth)
        _set(self, "sort", Sort.ANY)
        _set(self, "_hash", hash((base, font, accents, subscript, superscript, primes)))

    @property
    def parts(self) -> tuple[Any, ...]:
        """All that makes the name, as its constructor takes it."""
        return (
            self.base,
            self.font,
            self.accents,
            self.subscript,
            self.superscript,
            self.primes,
        )

    @property
    def is_plain(self) -> bool:
        """Whether the name is a base and nothing more."""
        return self.parts[1:] == ("", (), None, None, 0)

    @property
    def is_metavariable(self) -> bool:
        """Whether it stands for any subtree, in a rule: `?a`."""
        return self.base.startswith("?")

    def replaced(self, **parts: Any) -> Variable:
        """The name with some of its parts replaced."""
        names = ("base", "font", "accents", "subscript", "superscript", "primes")
        return Variable(*(parts.get(name, getattr(self, name)) for name in names))

    def __call__(self, *arguments: Tree | int | str) -> Apply:
        """The name as a function, applied."""
        return _apply("apply", self, *arguments)

    def __eq__(self, other: object) -> bool:
        return self is other or (
            isinstance(other, Variable) and self._hash == other._hash and self.parts == other.parts
        )

    __hash__ = Tree.__hash__

    def __reduce__(self) -> tuple[object, tuple[Any, ...]]:
        return (Variable, self.parts)


class Apply(Tree):
    """An operator with its arguments, whose number and sorts are checked."""

    __slots__ = ("_arguments", "operator")

    operator: Operator
    _arguments: tuple[Tree, ...]

    def __init__(self, operator: Operator, arguments: tuple[Tree, ...] = ()) -> None:
        if not operator.accepts(len(arguments)):
            raise ConversionError(
                f"{operator.name!r} takes {operator.arity_in_words}, not {len(arguments)}"
            )
        if not operator.takes_anything:
            _check_sorts(operator, arguments)
        size, depth = 1, 0
        for argument in arguments:
            size += argument.size
            if argument.depth > depth:
                depth = argument.depth
        _set(self, "operator", operator)
        _set(self, "_arguments", arguments)
        _set(self, "size", size)
        _set(self, "depth", depth + 1)
        _set(self, "sort", operator.gives)
        _set(self, "_hash", hash((operator.name, arguments)))

    @property
    def arguments(self) -> tuple[Tree, ...]:
        """The nodes below."""
        return self._arguments

    @property
    def name(self) -> str:
        """The name of the operator."""
        return self.operator.name

    def __eq__(self, other: object) -> bool:
        return self is other or (
            isinstance(other, Apply) and self._hash == other._hash and _same(self, other)
        )

    __hash__ = Tree.__hash__

    def __reduce__(self) -> tuple[object, tuple[Any, ...]]:
        return (Apply, (self.operator, self._arguments))


class Opaque(Tree):
    """A part that was not understood: its source, and why."""

    __slots__ = ("reason", "text")

    text: str
    reason: str

    def __init__(self, text: str, reason: str = "not understood") -> None:
        _set(self, "text", text)
        _set(self, "reason", reason)
        _set(self, "size", 1)
        _set(self, "depth", 1)
        _set(self, "sort", Sort.ANY)
        _set(self, "_hash", hash(("opaque", text)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Opaque) and self.text == other.text

    __hash__ = Tree.__hash__

    def __reduce__(self) -> tuple[object, tuple[str, str]]:
        return (Opaque, (self.text, self.reason))


def is_applied(tree: Tree | None, *names: str) -> bool:
    """Whether the tree is one of these operators applied."""
    return isinstance(tree, Apply) and tree.operator.name in names


def as_leaf(value: Tree | int | str) -> Tree:
    """The tree itself, a number for an integer, a variable for a string."""
    if isinstance(value, Tree):
        return value
    if isinstance(value, int):
        return Number(value) if value >= 0 else _apply("neg", Number(-value))
    return Variable(value)


def _apply(name: str, *arguments: Tree | int | str) -> Apply:
    from equivec.language.layers import SIGNATURE

    return SIGNATURE[name](*arguments)


def _check_sorts(operator: Operator, arguments: tuple[Tree, ...]) -> None:
    masks, last = operator.masks, len(operator.masks) - 1
    for index, argument in enumerate(arguments):
        if not argument.sort.value & masks[min(index, last)]:
            raise SortError(
                f"{operator.name!r} takes {operator.sort_at(index)!s} as argument {index + 1}, "
                f"not {argument.sort!s}"
            )


def _same(left: Tree, right: Tree) -> bool:
    """Whether two trees of one hash are equal, without recursion."""
    stack: list[tuple[Tree, Tree]] = [(left, right)]
    while stack:
        first, second = stack.pop()
        if first is second:
            continue
        if not isinstance(first, Apply) or not isinstance(second, Apply):
            if first != second:
                return False
            continue
        if (
            first._hash != second._hash
            or first.operator.name != second.operator.name
            or len(first._arguments) != len(second._arguments)
        ):
            return False
        stack.extend(zip(first._arguments, second._arguments, strict=True))
    return True
