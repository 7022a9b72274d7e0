"""The committed cases of the judge: LEFT, RIGHT, DOMAIN, NOTE, separated by tabs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from equivec.algebra.points import Domain

_DATA = Path(__file__).parent.parent / "data" / "judge"


def read_cases(name: str, domain: Domain) -> list[tuple[str, str]]:
    """The pairs of a file that are meant over a domain."""
    lines = (_DATA / name).read_text(encoding="utf-8").splitlines()
    rows = [line.split("\t") for line in lines if line and not line.startswith("#")]
    return [(left, right) for left, right, where, _ in rows if where == domain]
