"""How much of a list of formulas is read: wholly, with parts kept, or not; why; and how fast."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, field
from time import thread_time
from typing import TYPE_CHECKING, Any

from equivec.errors import EquivecError
from equivec.language.latex_reader import read_latex
from equivec.language.reading import DEFAULT_READING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from equivec.language.latex_reader import OnUnknown
    from equivec.language.tree import Tree

_EXAMPLES = 3


@dataclass(slots=True)
class Coverage:
    """Counts of formulas by how they were read, and what stood in the way."""

    formulas: int = 0
    whole: int = 0
    with_parts: int = 0
    unread: int = 0
    kept: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    examples: dict[str, list[str]] = field(default_factory=dict)
    milliseconds: list[float] = field(default_factory=list)

    def add(self, text: str, read: Callable[[str], Tree]) -> str:
        """Read one formula and count it; how it was read."""
        self.formulas += 1
        start = thread_time()
        try:
            tree = read(text)
        except EquivecError as error:
            self.milliseconds.append((thread_time() - start) * 1000)
            return self._unread(text, _reason(error))
        self.milliseconds.append((thread_time() - start) * 1000)
        parts = tree.opaque_parts
        if not parts:
            self.whole += 1
            return "whole"
        for part in parts:
            self._note(self.kept, part.reason, text)
        if sum(len(part.text) for part in parts) * 2 > len(text):
            return self._unread(text, "more than half is kept as it is written")
        self.with_parts += 1
        return "with parts"

    def _unread(self, text: str, reason: str) -> str:
        self.unread += 1
        self._note(self.refused, reason, text)
        return "unread"

    def _note(self, counter: Counter[str], reason: str, text: str) -> None:
        counter[reason] += 1
        examples = self.examples.setdefault(reason, [])
        if len(examples) < _EXAMPLES:
            examples.append(text)

    def at(self, share: float) -> float:
        """The milliseconds within which a share of the formulas was read."""
        times = sorted(self.milliseconds)
        return times[min(int(len(times) * share), len(times) - 1)] if times else 0.0

    def as_json(self) -> dict[str, Any]:
        """All of it, for a file of results."""
        shares = {
            name: round(100 * count / max(self.formulas, 1), 2)
            for name, count in (
                ("whole", self.whole),
                ("with_parts", self.with_parts),
                ("unread", self.unread),
            )
        }
        record = asdict(self)
        del record["milliseconds"]
        return {
            **record,
            "kept": dict(self.kept.most_common()),
            "refused": dict(self.refused.most_common()),
            "percent": shares,
            "milliseconds": {
                "median": round(self.at(0.5), 4),
                "p99": round(self.at(0.99), 4),
                "max": round(self.at(1.0), 4),
                "mean": round(sum(self.milliseconds) / max(self.formulas, 1), 4),
            },
        }


def _reason(error: EquivecError) -> str:
    """The error without what differs from formula to formula."""
    text = getattr(error, "problem", str(error))
    if "can be read in two ways, as " in text:
        return text.split("can be read in two ways, as ", 1)[1].split(" can: ", 1)[0]
    return " ".join(word for word in text.split() if "'" not in word)[:60]


def cover(
    formulas: Iterable[str],
    on_unknown: OnUnknown = "keep",
    read: Callable[[str], Tree] | None = None,
) -> Coverage:
    r"""The coverage of formulas in LaTeX.

    >>> cover(["x^2", r"x + y + z = \foo{y}"]).with_parts
    1
    """
    coverage = Coverage()

    def by_default(text: str) -> Tree:
        return read_latex(text, DEFAULT_READING, on_unknown)

    for formula in formulas:
        coverage.add(formula, read or by_default)
    return coverage
