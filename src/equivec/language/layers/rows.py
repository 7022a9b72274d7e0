"""Short hands for the rows of the layers; each gives one operator."""

from __future__ import annotations

from equivec.language.operators import AtLeast, Binding, Form, Notation, Operator, Sort

NUMBER, TRUTH, SET, ANY, VALUE = Sort.NUMBER, Sort.TRUTH, Sort.SET, Sort.ANY, Sort.VALUE
NUMERIC = Sort.NUMBER | Sort.MATRIX  # functions of numbers are also taken of matrices


def infix(
    name: str,
    spelling: str,
    latex: str,
    sign: str = "",
    *,
    binding: int,
    takes: Sort = VALUE,
    gives: Sort = VALUE,
    is_commutative: bool = False,
    is_associative: bool = True,
) -> Operator:
    """A sign between two arguments."""
    notation = Notation(spelling, latex, sign or spelling, Form.INFIX, binding, is_associative)
    return Operator(name, 2, (takes,), gives, notation, is_commutative)


def relation(
    name: str, spelling: str, latex: str, sign: str = "", *, is_commutative: bool = False
) -> Operator:
    """A sign between two sides."""
    return infix(
        name,
        spelling,
        latex,
        sign,
        binding=Binding.RELATION,
        takes=ANY,
        gives=TRUTH,
        is_commutative=is_commutative,
        is_associative=False,
    )


def prefix(
    name: str,
    spelling: str,
    latex: str,
    sign: str = "",
    *,
    binding: int,
    takes: Sort = VALUE,
    gives: Sort = VALUE,
) -> Operator:
    """A sign before its argument."""
    notation = Notation(spelling, latex, sign or spelling, Form.PREFIX, binding)
    return Operator(name, 1, (takes,), gives, notation)


def postfix(
    name: str, spelling: str, latex: str, sign: str = "", *, takes: Sort = VALUE
) -> Operator:
    """A sign after its argument."""
    notation = Notation(spelling, latex, sign or spelling, Form.POSTFIX, Binding.POWER)
    return Operator(name, 1, (takes,), VALUE, notation)


def fence(
    name: str,
    spelling: str,
    latex: str,
    *,
    arity: int | AtLeast = 1,
    takes: Sort = ANY,
    gives: Sort = VALUE,
    is_commutative: bool = False,
) -> Operator:
    """Signs around the arguments."""
    notation = Notation(spelling, latex, "", Form.FENCE)
    return Operator(name, arity, (takes,), gives, notation, is_commutative)


def call(
    name: str,
    latex: str = "",
    infix_name: str = "",
    *,
    arity: int | AtLeast = 1,
    takes: Sort = NUMERIC,
    gives: Sort = NUMERIC,
    is_commutative: bool = False,
) -> Operator:
    """A name before its arguments in brackets; without a command of its own it is set upright."""
    notation = Notation(infix_name or name, latex or rf"\operatorname{{{name}}}")
    return Operator(name, arity, (takes,), gives, notation, is_commutative)


def constant(
    name: str, spelling: str, latex: str, sign: str = "", *, gives: Sort = NUMBER
) -> Operator:
    """A sign without arguments."""
    notation = Notation(spelling, latex, sign or spelling, Form.CONSTANT)
    return Operator(name, 0, (ANY,), gives, notation)


def big(
    name: str, latex: str, sign: str = "", *, takes: Sort = VALUE, gives: Sort = VALUE
) -> Operator:
    """A sign with a body, a domain that binds names, and an upper end; the last two may be left."""
    notation = Notation(name, latex, sign, Form.BIG, Binding.PRODUCT)
    return Operator(
        name, AtLeast(1), (takes, ANY), gives, notation, most=3, binds=1, open_arguments=(2,)
    )


def accent(name: str, latex: str) -> Operator:
    """A sign over more than a letter; over a letter it is a part of the name."""
    return Operator(name, 1, (ANY,), ANY, Notation(name, latex, "", Form.ACCENT))


def own(
    name: str,
    arity: int | AtLeast,
    *,
    takes: tuple[Sort, ...] = (ANY,),
    gives: Sort = VALUE,
    binding: int = Binding.ATOM,
    most: int | None = None,
    binds: int | None = None,
    open_arguments: tuple[int, ...] = (),
    infix_name: str = "",
) -> Operator:
    """An operator whose LaTeX follows no pattern; in plain text it is a call."""
    notation = Notation(infix_name or name, "", "", Form.OWN, binding)
    return Operator(
        name,
        arity,
        takes,
        gives,
        notation,
        most=most,
        binds=binds,
        open_arguments=open_arguments,
    )
