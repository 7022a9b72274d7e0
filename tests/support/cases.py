"""The committed cases of the judge: LEFT, RIGHT, DOMAIN, NOTE, separated by tabs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from equivec.algebra.points import Domain

_DATA = Path(__file__).parent.parent / "data" / "judge"


def read_cases(name: str, domain: Domain) -> list[tuple[str, str]]:
    """The pairs of a file that are meant over a domain."""
    return [(left, right) for left, right, where, _ in _rows(name) if where == domain]


@dataclass(frozen=True, slots=True)
class Trap:
    """A pair made to mislead the judge, and its true relation."""

    kind: str
    left: str
    right: str
    domain: str
    relation: str


def read_traps() -> list[Trap]:
    """All traps, kind by kind."""
    return [Trap(*row) for row in _rows("traps.tsv")]


def _rows(name: str) -> list[list[str]]:
    lines = (_DATA / name).read_text(encoding="utf-8").splitlines()
    return [line.split("\t") for line in lines if line and not line.startswith("#")]
