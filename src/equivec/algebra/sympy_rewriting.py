"""The paper's way to equivalent forms: SymPy's functions, applied to an expression.

Runs inside a worker. Each function has a time limit of its own, kept by an alarm signal; whatever
an alarm cannot stop is the time box's to kill.
"""

from __future__ import annotations

import signal
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import sympy
from sympy.simplify.fu import TR8, TRmorrie

from equivec.algebra.sympy_bridge import from_sympy, to_sympy
from equivec.errors import ConversionError, LimitError
from equivec.expression.limits import DEFAULT_LIMITS, check_tree
from equivec.expression.prefix import parse_prefix, write_prefix

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

_SECONDS = 1.0

_FUNCTIONS: Mapping[str, Callable[[Any], Any]] = {
    "expand": sympy.expand,
    "factor": sympy.factor,
    "cancel": sympy.cancel,
    "expand_log": lambda e: sympy.expand_log(e, force=False),
    "logcombine": sympy.logcombine,
}
_SLOW_FUNCTIONS: Mapping[str, Callable[[Any], Any]] = {
    "simplify": sympy.simplify,
    "trigsimp": sympy.trigsimp,
}
# Beyond the paper: what people do with fractions, radicals and products of waves.
_MORE_FUNCTIONS: Mapping[str, Callable[[Any], Any]] = {
    "apart": lambda e: sympy.apart(e, *sorted(e.free_symbols, key=str)[:1]),
    "together": sympy.together,
    "expand_trig": sympy.expand_trig,
    "product to sum": TR8,
    "sum to product": TRmorrie,
    "radsimp": sympy.radsimp,
    "sqrtdenest": sympy.sqrtdenest,
    "powsimp": sympy.powsimp,
    "trigsimp": sympy.trigsimp,
}
_TRIGONOMETRIC = (sympy.sin, sympy.cos, sympy.tan, sympy.cot, sympy.sec, sympy.csc)
_HYPERBOLIC = (sympy.sinh, sympy.cosh, sympy.tanh, sympy.coth)
_INFINITE = (sympy.nan, sympy.zoo, sympy.oo, -sympy.oo)


@dataclass(frozen=True, slots=True)
class SymPyVariant:
    """A form that a function found, in prefix tokens; or an empty text and the problem."""

    function: str
    text: str
    problem: str = ""


class _Alarm(BaseException):
    # BaseException: SymPy catches Exception and would swallow the time limit.
    pass


def sympy_variants(
    source: str, with_slow_functions: bool, with_more_functions: bool = False
) -> list[SymPyVariant]:
    """The forms SymPy finds of a source, which is given in prefix tokens.

    >>> for variant in sympy_variants("pow add x INT+ 1 INT+ 2", False):
    ...     print(variant.function, variant.text)
    construction pow add INT+ 1 x INT+ 2
    expand add add INT+ 1 pow x INT+ 2 mul INT+ 2 x
    """
    try:
        expression = to_sympy(parse_prefix(source))
    except MemoryError:
        raise
    except Exception:  # SymPy divides by zero, and worse, while it builds some constants.
        return [SymPyVariant("to_sympy", "", "failed")]
    if expression.has(*_INFINITE):
        return [SymPyVariant("to_sympy", "", "undefined")]
    found: dict[str, SymPyVariant] = {source: SymPyVariant("", source)}
    for name, function in _applicable(expression, with_slow_functions, with_more_functions):
        variant = _apply(name, function, expression)
        found.setdefault(variant.text or name, variant)
    return [variant for key, variant in found.items() if key != source]


def _applicable(
    expression: Any, with_slow_functions: bool, with_more_functions: bool
) -> Iterator[tuple[str, Callable[[Any], Any]]]:
    # Building the SymPy object is a rewriting of its own: it folds, sorts and collects.
    yield "construction", lambda e: e
    slow = _SLOW_FUNCTIONS if with_slow_functions else {}
    more = _MORE_FUNCTIONS if with_more_functions else {}
    yield from {**_FUNCTIONS, **slow, **more}.items()  # what two tables have is applied once
    for family in (_TRIGONOMETRIC, _HYPERBOLIC):
        if expression.has(*family):
            for target in (*family, sympy.exp):
                yield f"rewrite {target.__name__}", _rewriting(target)


def _rewriting(target: Any) -> Callable[[Any], Any]:
    return lambda e: e.rewrite(target)


def _apply(name: str, function: Callable[[Any], Any], expression: Any) -> SymPyVariant:
    try:
        with _time_limit(_SECONDS):
            result = function(expression)
        if result.has(*_INFINITE):
            return SymPyVariant(name, "", "undefined")
        text = write_prefix(check_tree(from_sympy(result), DEFAULT_LIMITS))
        if len(text) > DEFAULT_LIMITS.characters:
            return SymPyVariant(name, "", "too long")
        return SymPyVariant(name, text)
    except _Alarm:
        return SymPyVariant(name, "", "time limit")
    except MemoryError:
        raise
    except (ConversionError, LimitError):
        return SymPyVariant(name, "", "not in the grammar")
    except Exception:  # SymPy raises whatever its many algorithms raise.
        return SymPyVariant(name, "", "failed")


@contextmanager
def _time_limit(seconds: float) -> Iterator[None]:
    def ring(*_: object) -> None:
        raise _Alarm

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
