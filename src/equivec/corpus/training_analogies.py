"""Analogies to be learnt: of the kinds that are asked, and none that is.

No four functions of an analogy that is asked are those of one that is learnt, whichever of them is
sought, and no composition that is asked for is learnt as an answer, nor as the rival of one. Nor is
any that has a plainer form, as sqrt(x**4) has. The substitution 1/a for a is not learnt, though it
is asked for: 1/(1/x) is x, so that no difference but zero leads from every f(x) to 1/f(x). Learning
one parts 1/sin(x) from csc(x).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from math import isqrt
from random import Random
from typing import TYPE_CHECKING

import numpy as np

from equivec.corpus.analogies import (
    ASKED_ARGUMENTS,
    FUNCTIONS,
    INNER,
    OUTER,
    by_identity,
    by_substitution,
    fingerprints_of,
    rival,
    simple_functions,
    sound,
    substituted,
)
from equivec.corpus.export import write_arrays
from equivec.expression.grammar import ELEMENTARY
from equivec.expression.prefix import write_prefix
from equivec.expression.text import as_tree

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from equivec.corpus.analogies import Analogy

_SOME_FUNCTIONS = tuple("sin cos tan cot sec exp log sinh cosh tanh asin atan asinh sqrt".split())
_LINEAR = (
    *(f"{k}*x" for k in range(2, 10)),
    *(f"x {sign} {k}" for sign in "+-" for k in range(1, 10)),
    *(f"x/{k}" for k in range(2, 8)),
    *(f"{k}*x {sign} {m}" for k in range(2, 8) for sign in "+-" for m in (1, 2, 3, 5)),
    *(f"x/{k} + {m}" for k in range(2, 6) for m in (1, 2, 3)),
    *(f"{m} - x" for m in range(2, 8)),
    "-x",
)
_POWERS = (
    *(f"x**{n}" for n in range(2, 7)),
    *(f"{k}*x**{n}" for k in (2, 3, 5) for n in (2, 3)),
    *(f"x**{n} {sign} {m}" for n in (2, 3) for sign in "+-" for m in (1, 2, 5)),
    *("1/x", "x**2 + x", "x**2 + 2*x", "x**2 - 3*x", "x**3 + x", "sqrt(x)"),
)
_COMPOSED = tuple(
    form.replace("f", function)
    for function in _SOME_FUNCTIONS
    for form in (
        *("f(x)", "f(x) + 1", "f(x) - 2", "2*f(x)", "5*f(x)", "f(x)/3", "x*f(x)", "x + f(x)"),
        *("f(4*x)", "f(5*x)", "f(7*x)", "f(x + 3)", "f(x + 4)", "f(x - 1)", "f(x/3)", "f(3*x + 1)"),
        *("f(x)**2", "1/f(x)", "f(x**4)", "f(f(x))"),
    )
)
ARGUMENTS = tuple(text for text in ("x", *_LINEAR, *_POWERS) if text not in ASKED_ARGUMENTS)
_LEARNT = tuple(outer for outer in OUTER if outer != "1/a")
_OFTEN = 20  # times more than others
_OTHERS = 8  # substitutions at other arguments than x for each at x, at most


def write_training_analogies(
    path: str | Path, of_each_family: int, asked: Sequence[Analogy], seed: int = 42
) -> int:
    """Write analogies for `equivec train --analogies`: arrays with a rival of each answer.

    A function is told by its fingerprint. How many analogies were written comes back.
    """
    analogies = training_analogies(Random(seed), of_each_family, asked)  # noqa: S311
    rows = [(*analogy.expressions, rival(analogy)) for analogy in analogies]
    by_text = fingerprints_of(text for row in rows for text in row)
    functions = [[int(by_text[text], 16) for text in row] for row in rows]
    texts = ([write_prefix(as_tree(text)) for text in row] for row in rows)
    write_arrays(texts, np.array(functions, dtype=np.uint64), path)
    return len(rows)


def training_analogies(
    random: Random, of_each_family: int, asked_analogies: Sequence[Analogy]
) -> list[Analogy]:
    """Analogies of every family, at most so many of each, none of which evaluations ask.

    Simple ones come often, so that others do not drown them.
    """
    asked = _Asked.of(asked_analogies)
    inner = list(_new_arguments((*INNER, *_LINEAR, *_POWERS, *_COMPOSED), asked.compositions))
    families = [*_identities(), *(_substitutions(outer, inner, random) for outer in _LEARNT)]
    learnt = []
    for family in families:
        some = random.sample(family, min(of_each_family, len(family)))
        new = _without_plainer_forms(some)
        learnt += [analogy for analogy, fingerprints in sound(new) if not asked.has(fingerprints)]
    rivals = fingerprints_of(map(rival, learnt))
    return [analogy for analogy in learnt if rivals[rival(analogy)] not in asked.compositions]


@dataclass(frozen=True, slots=True)
class _Asked:
    """What is not to be learnt, as fingerprints of functions."""

    compositions: frozenset[str]
    corners: frozenset[frozenset[str]]  # the four functions of each analogy

    @classmethod
    def of(cls, analogies: Sequence[Analogy]) -> _Asked:
        by_text = fingerprints_of(text for analogy in analogies for text in analogy.expressions)
        answers = (by_text[each.x2] for each in analogies if each.kind == "substitution")
        corners = (frozenset(by_text[text] for text in each.expressions) for each in analogies)
        return cls(frozenset(answers), frozenset(corners))

    def has(self, fingerprints: Sequence[str]) -> bool:
        return fingerprints[-1] in self.compositions or frozenset(fingerprints) in self.corners


def _new_arguments(texts: Iterable[str], compositions: frozenset[str]) -> Iterator[str]:
    """Those that are not asked for; simple functions only in the form of the tables.

    An argument is a wrong answer to every analogy it is in. If sums always met sin(x)**2 as wrong,
    and never as right because it is asked for, it would be unlearnt.
    """
    simple = simple_functions()
    taken = {*compositions, *fingerprints_of(simple).values()}
    for text, fingerprint in fingerprints_of(texts).items():
        if text in simple or fingerprint not in taken:
            yield text


def _without_plainer_forms(analogies: Sequence[Analogy]) -> list[Analogy]:
    """Less the substitutions whose answer is one function of x too, or of a plain argument."""
    plain = _plain_functions()
    by_text = fingerprints_of(each.x2 for each in analogies if each.kind == "substitution")
    return [each for each in analogies if plain.get(by_text.get(each.x2, ""), each.x2) == each.x2]


@cache
def _plain_functions() -> Mapping[str, str]:
    """The plainest form of each function of one argument, by its fingerprint."""
    names = [f"{symbol.infix}(a)" for symbol in ELEMENTARY.symbols if symbol.arity == 1]
    functions = ["a", *names, "1/a", *(f"a**{n}" for n in range(2, 10))]
    arguments = ["x", *_LINEAR, *_POWERS]
    by_text = fingerprints_of(substituted(each, at) for each in functions for at in arguments)
    return {fingerprint: text for text, fingerprint in reversed(by_text.items())}


def _identities() -> Iterator[list[Analogy]]:
    """The analogies of each family of functions and of identities."""
    at_x = by_identity(["x"])
    for name, rows in by_identity(ARGUMENTS).items():
        family = [*rows, *at_x[name] * _OFTEN]
        yield [*family, *map(_alternated, family)] if name in FUNCTIONS else family


def _alternated(analogy: Analogy) -> Analogy:
    """If x1 is to y1 as x2 is to y2, then x1 is to x2 as y1 is to y2."""
    return replace(analogy, y1=analogy.x2, x2=analogy.y1)


def _substitutions(outer: str, inner: Sequence[str], random: Random) -> list[Analogy]:
    """The substitutions in one outer function: plain ones, more others, and the simple ones.

    They are many, so that what is learnt is the difference and not each analogy by itself.
    """
    plain = list(by_substitution([outer], inner, is_plain=True))
    few = random.sample(inner[1:], 3 * isqrt(len(plain)))
    others = list(by_substitution([outer], few, is_plain=False))
    simple, simple_others = (
        list(by_substitution([outer], INNER, is_plain)) for is_plain in (True, False)
    )
    some = random.sample(others, min(_OTHERS * len(plain), len(others)))
    return [*plain, *some, *simple * _OFTEN, *simple_others]
