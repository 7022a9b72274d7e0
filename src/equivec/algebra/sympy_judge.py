"""The paper's judge: `simplify(a - b) == 0` by SymPy, in a worker process with a time limit.

That SymPy does not reach 0 proves nothing; it is how the paper counts a failure.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from equivec.algebra.points import PAPER_DOMAIN, Domain
from equivec.expression.prefix import parse_prefix, write_prefix
from equivec.expression.text import as_tree
from equivec.jobs.timebox import Answer, TimeBox, TimeBoxConfig
from equivec.jobs.workers import Failure

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Self

    from equivec.expression.tree import Node


class SymPyVerdict(StrEnum):
    """How SymPy's attempt can end."""

    EQUAL = "equal"
    NOT_SHOWN = "not shown"
    TIME_LIMIT = "time limit"
    FAILED = "failed"

    def reason(self, time_limit: float) -> str:
        """What the verdict rests on, in words.

        >>> SymPyVerdict.TIME_LIMIT.reason(2.0)
        'SymPy was stopped after 2 s'
        """
        return _REASONS[self].format(time_limit)


_REASONS = {
    SymPyVerdict.EQUAL: "SymPy simplifies the difference to 0",
    SymPyVerdict.NOT_SHOWN: "SymPy does not simplify the difference to 0, which proves nothing",
    SymPyVerdict.TIME_LIMIT: "SymPy was stopped after {:g} s",
    SymPyVerdict.FAILED: "SymPy failed on the difference",
}


class SymPyJudge:
    """Compares expressions through SymPy; close it, or use it in a `with` block.

    >>> with SymPyJudge(TimeBoxConfig(time_limit=20)) as judge:
    ...     judge.compare("sin(x)**2 + cos(x)**2", "1").name
    'EQUAL'
    """

    def __init__(self, config: TimeBoxConfig | None = None, domain: Domain = PAPER_DOMAIN) -> None:
        self._box = TimeBox(config, preload=("equivec.algebra.sympy_bridge",))
        self._domain = domain

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop the workers at once."""
        self._box.close()

    def compare(self, left: str | Node, right: str | Node) -> SymPyVerdict:
        """SymPy's word on one pair."""
        return next(self.compare_many([(left, right)]))

    def compare_many(
        self, pairs: Iterable[tuple[str | Node, str | Node]]
    ) -> Iterator[SymPyVerdict]:
        """SymPy's word on each pair, in order, all workers busy."""
        work = [
            (write_prefix(as_tree(left)), write_prefix(as_tree(right)), self._domain.value)
            for left, right in pairs
        ]
        for answer in self._box.map(_simplifies_to_zero, work):
            yield _verdict(answer)


def _verdict(answer: Answer[SymPyVerdict]) -> SymPyVerdict:
    if answer.value is not None:
        return answer.value
    is_slow = answer.failure is Failure.TIME_LIMIT
    return SymPyVerdict.TIME_LIMIT if is_slow else SymPyVerdict.FAILED


def _simplifies_to_zero(left: str, right: str, domain: str) -> SymPyVerdict:
    """In the worker: what SymPy makes of the difference."""
    # Imported here so that the process that asks never has to load SymPy.
    import sympy

    from equivec.algebra.sympy_bridge import to_sympy

    try:
        a, b = (to_sympy(parse_prefix(text), Domain(domain)) for text in (left, right))
        is_zero = bool(sympy.simplify(a - b) == 0)
    except MemoryError:
        raise
    except Exception:  # SymPy raises whatever its many algorithms raise, construction included.
        return SymPyVerdict.FAILED
    return SymPyVerdict.EQUAL if is_zero else SymPyVerdict.NOT_SHOWN
