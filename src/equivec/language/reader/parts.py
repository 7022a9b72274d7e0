"""What the parts of the reader ask of each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from equivec.language.reader.cursor import Cursor

if TYPE_CHECKING:
    from equivec.language.reader.evidence import Evidence
    from equivec.language.tokens import Token
    from equivec.language.tree import Tree, Variable


class Parts(Cursor):
    """The methods that parts of the reader define for the others."""

    def expression(self, binding: int) -> Tree:
        """An expression of signs that bind more tightly than a given one."""
        raise NotImplementedError

    def statement(self, binding: int = 0) -> Tree:
        """Relations and logic, whose sides are kept where they cannot be read."""
        raise NotImplementedError

    def side(self, binding: int) -> Tree:
        """One side of a relation or logical sign."""
        raise NotImplementedError

    def climb(self, left: Tree, binding: int) -> Tree:
        """What follows an operand."""
        raise NotImplementedError

    def prefix(self) -> Tree:
        """An operand with its scripts, or a sign before one."""
        raise NotImplementedError

    def clause(self) -> Tree:
        """Items with words and commas between them."""
        raise NotImplementedError

    def items(self) -> list[Tree]:
        """Items with commas between them."""
        raise NotImplementedError

    def listed(self, items: list[Tree]) -> Tree:
        """One tree of several items."""
        raise NotImplementedError

    def group(self) -> Tree:
        """What stands in braces."""
        raise NotImplementedError

    def argument(self) -> Tree:
        """The argument of a command: a group or one token."""
        raise NotImplementedError

    def bracket(self) -> Tree:
        """What stands in brackets, without its scripts."""
        raise NotImplementedError

    def arguments(self) -> list[Tree]:
        """What stands in the brackets after a function."""
        raise NotImplementedError

    def postfix(self, tree: Tree) -> Tree:
        """An operand with the scripts that follow it."""
        raise NotImplementedError

    def named(self, leaf: Variable, *, is_word: bool = False) -> Tree:
        """A name with its scripts, applied if it is."""
        raise NotImplementedError

    def subscript(self) -> Tree | None:
        """What stands under a name."""
        raise NotImplementedError

    def scripted_name(self) -> Variable:
        """The name of this token, with its subscript and primes."""
        raise NotImplementedError

    def script_argument(self, fence: str) -> Tree | None:
        """What stands over or under a large sign."""
        raise NotImplementedError

    def starts_operand(self, index: int) -> bool:
        """Whether an operand can begin at a token."""
        raise NotImplementedError

    def is_differential(self, index: int) -> bool:
        """Whether the letter there is the d of a differential."""
        raise NotImplementedError

    def differential(self) -> Tree:
        """A differential: dx."""
        raise NotImplementedError

    def derivative_fraction(self) -> Tree | None:
        """A derivative written as a fraction, if this is one."""
        raise NotImplementedError

    def large(self) -> Tree:
        """A large sign with its body."""
        raise NotImplementedError

    def integral(self) -> Tree:
        """An integral."""
        raise NotImplementedError

    def function(self) -> Tree:
        """A known function with its argument."""
        raise NotImplementedError

    def environment(self) -> Tree:
        """What stands between begin and end."""
        raise NotImplementedError

    def superscript(self, base: Tree) -> tuple[str, Tree | None]:
        """What a superscript is, and the tree of it."""
        raise NotImplementedError

    def is_application(self, leaf: Variable, primes: int) -> bool:
        """Whether the bracket after a name holds its arguments."""
        raise NotImplementedError

    def has_relation(self, start: int, stop: int) -> bool:
        """Whether a relation stands between two tokens, in no bracket."""
        raise NotImplementedError

    def called(
        self, name: Variable, power: tuple[str, Tree | None] | None, *, is_word: bool
    ) -> Tree | None:
        """The name applied to the bracket that follows; None where that is a factor."""
        raise NotImplementedError

    def scripted(self, leaf: Variable) -> tuple[Variable, tuple[str, Tree | None] | None]:
        """The name with the scripts that are part of it, and the power that is not."""
        raise NotImplementedError

    def raised(self, base: Tree, what: str, tree: Tree | None) -> Tree:
        """An operand with what stands over it."""
        raise NotImplementedError

    def evaluated(self, left: Tree) -> Tree:
        """A value at a place or between two."""
        raise NotImplementedError

    def letter_leaf(self, token: Token) -> Tree:
        """The leaf of one letter: a constant or a name."""
        raise NotImplementedError

    def accent_name(self) -> Tree:
        """What an accent and its argument make."""
        raise NotImplementedError

    def word_named(self, leaf: Variable, start: int) -> Tree:
        """A word with its scripts and its argument."""
        raise NotImplementedError

    def connector(self) -> str | None:
        """The operator of a word that joins two formulas, past the word."""
        raise NotImplementedError

    def is_end_bar(self, index: int) -> bool:
        """Whether a bar closes or divides rather than opens."""
        raise NotImplementedError

    def is_marked_call(self) -> bool:
        """Whether a mark of application follows."""
        raise NotImplementedError

    def is_braced_bracket(self) -> bool:
        """Whether braces follow that hold one bracket and no more."""
        raise NotImplementedError

    def marked_arguments(self) -> list[Tree]:
        """The arguments after a mark of application."""
        raise NotImplementedError

    def has_top_level(self, start: int, stop: int, kind: str) -> bool:
        """Whether a kind of token stands between two tokens, in no bracket."""
        raise NotImplementedError

    def group_content(self, close: int) -> Tree:
        """What stands between two braces."""
        raise NotImplementedError

    def divider(self, close: int) -> int:
        r"""Where `\over` or `\choose` parts the tokens; -1 where nothing does."""
        raise NotImplementedError

    def simple_index(self, inside: list[Token]) -> Tree | None:
        """Letters, numbers and words side by side or between commas: an index, never a product."""
        raise NotImplementedError

    def bar_after(self, left: Tree, binding: int, token: Token) -> Tree | None:
        """A bar where an operator is expected: it closes, or divides, or begins a factor."""
        raise NotImplementedError

    def bars_ahead(self, value: str) -> int:
        """How many such bars stand from here to the end of this bracket."""
        raise NotImplementedError

    def is_missing_side(self) -> bool:
        """Whether a relation stands where an operand should."""
        raise NotImplementedError

    def missing_side(self, which: str) -> Tree:
        """What is put where a side is missing: nothing in a script, else a part not understood."""
        raise NotImplementedError

    def ends_operand(self, index: int) -> bool:
        """Whether nothing more can follow: the end, a comma or a closing bracket."""
        raise NotImplementedError

    def relation(self, left: Tree, binding: int, token: Token) -> Tree | None:
        """A chain of relations."""
        raise NotImplementedError

    def starts_condition(self) -> bool:
        """Whether a bracket with a relation follows: a side condition."""
        raise NotImplementedError

    def limits_of_sign(self) -> tuple[Tree | None, Tree | None]:
        """What stands under and over a large sign."""
        raise NotImplementedError

    def begins_body(self) -> bool:
        """Whether an operand follows."""
        raise NotImplementedError

    def plain_sign(self, left: Tree, binding: int, token: Token) -> Tree | None:
        """A sign between two operands that groups to the left."""
        raise NotImplementedError

    def juxtapose(self, left: Tree, binding: int) -> Tree | None:
        """A factor without a sign before it, or a side condition."""
        raise NotImplementedError

    def command_after(self, left: Tree, binding: int, token: Token) -> Tree | None:
        """A command after an operand."""
        raise NotImplementedError

    def quantifier(self) -> Tree:
        """A quantifier, its names and its statement."""
        raise NotImplementedError

    def colon(self, left: Tree, binding: int, token: Token) -> Tree | None:
        """`:` is a definition with `=`, part of a set, a map, such that, or a ratio."""
        raise NotImplementedError

    def labelled(self, left: Tree, binding: int, value: str) -> Tree | None:
        r"""A relation with a label over it: `\overset{!}{=}`, `\xrightarrow{f}`."""
        raise NotImplementedError

    def rest_of_chain(self, left: Tree) -> tuple[Tree, ...]:
        """The relations that go on after one that is labelled."""
        raise NotImplementedError

    def label(self, index: int) -> Tree:
        """The label of a relation."""
        raise NotImplementedError

    @property
    def evidence(self) -> Evidence:
        """What the formula itself says of its names."""
        raise NotImplementedError
