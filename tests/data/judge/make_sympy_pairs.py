"""Prints candidates for the second half of true_pairs.tsv: expressions and what SymPy made of them.

    python make_sympy_pairs.py > candidates.tsv

SymPy calculates over the complex numbers and is not always right over the reals: a candidate went
into the test set only after both sides had agreed, in value and in domain, under strict real
evaluation at several hundred points. The seed fixes the expressions; which of SymPy's calls run
into the time limit depends on the machine, so two runs may differ in a few lines.
"""

from __future__ import annotations

import operator
import signal
from collections import Counter
from contextlib import contextmanager
from operator import methodcaller
from random import Random
from typing import TYPE_CHECKING

import sympy

from equivec.errors import EquivecError
from equivec.expression.infix import parse_infix, write_infix
from equivec.expression.tree import Node

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SEED = 20240229
SAMPLES = 6_000
SECONDS = 2
PAIRS_PER_NOTE = 42
PAIRS_PER_SAMPLE = 3
LARGEST = 60  # nodes in a result

X = sympy.Symbol("x", positive=True)
COMMON = ("sqrt", "ln", "exp", "sin", "cos", "tan", "sinh", "cosh", "tanh", "atan")
RARE = (
    *("abs", "cot", "sec", "csc", "asin", "acos", "coth", "sech", "csch", "asinh", "acosh"),
    *("atanh", "acot", "asec", "acsc", "acoth", "asech", "acsch", "sign"),
)
OPERATORS = ("add", "add", "add", "mul", "mul", "mul", "div", "div", "pow")
EXPONENTS = (Node(2), Node(2), Node(3), Node(4), Node(-1), Node("div", (Node(1), Node(2))))

TO_SYMPY: dict[str, Callable[..., sympy.Expr]] = {
    "add": operator.add,
    "mul": operator.mul,
    "div": operator.truediv,
    "pow": operator.pow,
    "ln": sympy.log,
    "abs": sympy.Abs,
    "pi": lambda: sympy.pi,
    "x": lambda: X,
    **{name: getattr(sympy, name) for name in (*COMMON, *RARE) if name not in ("ln", "abs")},
}

REWRITES = ("exp", "log", "sqrt", "sin", "cos", "tan", "cot", "sec", "sinh", "cosh", "tanh", "atan")
TRANSFORMS: dict[str, Callable[[sympy.Expr], sympy.Expr]] = {
    "expand": sympy.expand,
    "expand_trig": sympy.expand_trig,
    "expand with trig": lambda expression: sympy.expand(expression, trig=True),
    "expand_log": sympy.expand_log,
    "logcombine": sympy.logcombine,
    "factor": sympy.factor,
    "cancel": sympy.cancel,
    "together": sympy.together,
    "apart": lambda expression: sympy.apart(expression, X),
    "powsimp": sympy.powsimp,
    "radsimp": sympy.radsimp,
    "trigsimp": sympy.trigsimp,
    "simplify": sympy.simplify,
    **{f"rewrite as {name}": methodcaller("rewrite", getattr(sympy, name)) for name in REWRITES},
}


class OutOfTimeError(BaseException):
    """A BaseException: SymPy catches Exception and would swallow the time limit."""


# What SymPy's own calls end in on random input; an EquivecError is a result we cannot read.
STUMBLES = (
    *(OutOfTimeError, EquivecError, ArithmeticError, AttributeError, NotImplementedError),
    *(RecursionError, TypeError, ValueError, sympy.PolynomialError),
)


def _stop(*_: object) -> None:
    raise OutOfTimeError


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raises OutOfTimeError in the body once the time is over."""
    signal.signal(signal.SIGALRM, _stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def sample(rng: Random, operators: int) -> Node:
    """A random expression with that many operators."""
    if operators == 0:
        return Node("x") if rng.random() < 0.65 else _constant(rng)
    if rng.random() < 0.5:
        names = COMMON if rng.random() < 0.6 else RARE
        return Node(rng.choice(names), (sample(rng, operators - 1),))
    name = rng.choice(OPERATORS)
    if name == "pow":
        return Node("pow", (sample(rng, operators - 1), rng.choice(EXPONENTS)))
    first = rng.randrange(operators)
    return Node(name, (sample(rng, first), sample(rng, operators - 1 - first)))


def _constant(rng: Random) -> Node:
    return Node("pi") if rng.random() < 0.05 else Node(rng.choice((1, 1, 2, 2, 3, 4, 5, -1, -2)))


def to_sympy(tree: Node) -> sympy.Expr:
    """The tree as SymPy builds it, with its automatic simplifications."""
    if isinstance(tree.symbol, int):
        return sympy.Integer(tree.symbol)
    return TO_SYMPY[tree.symbol](*map(to_sympy, tree.arguments))


def transform(expression: sympy.Expr, note: str) -> str:
    """The text of SymPy's result; empty when it is the same, too large or outside our grammar."""
    try:
        with time_limit(SECONDS):
            result = TRANSFORMS[note](expression)
            text = str(result).replace("Abs(", "abs(")
            is_pair = result != expression and parse_infix(text).size <= LARGEST
            return text if is_pair else ""
    except STUMBLES:
        return ""


def pairs(rng: Random) -> Iterator[tuple[str, str, str]]:
    """Left side, right side and the name of the transform; few of each kind."""
    made: Counter[str] = Counter()
    for _ in range(SAMPLES):
        tree = sample(rng, rng.randint(2, 6))
        expression = _build(tree)
        if expression is None:
            continue
        results: dict[str, str] = {}
        for note in rng.sample(list(TRANSFORMS), len(TRANSFORMS)):
            if made[note] >= PAIRS_PER_NOTE or len(results) == PAIRS_PER_SAMPLE:
                continue
            text = transform(expression, note)
            if text and text not in results:
                results[text] = note
                made[note] += 1
                yield write_infix(tree), text, note


def _build(tree: Node) -> sympy.Expr | None:
    """The expression, if it has an x in it and is a number wherever x is one."""
    try:
        with time_limit(SECONDS):
            expression = to_sympy(tree)
            return expression if expression.free_symbols and not expression.has(sympy.I) else None
    except STUMBLES:
        return None


if __name__ == "__main__":
    for left, right, note in pairs(Random(SEED)):
        print(left, right, "positive", f"sympy {note}", sep="\t", flush=True)  # noqa: T201
