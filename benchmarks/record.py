"""Results on disk: the numbers, and what it takes to measure them again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from equivec.evaluate.provenance import provenance
from equivec.storage.files import write_json

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path


def save_results(
    path: Path, *, command: str, seed: int, rows: Sequence[Mapping[str, Any]], commit: str = ""
) -> None:
    """Write rows as JSON, with the command, the commit, the machine and the date beside them."""
    results = {**provenance(command, seed, commit), "rows": list(rows)}
    path.parent.mkdir(parents=True, exist_ok=True)
    write_json(path, results)
