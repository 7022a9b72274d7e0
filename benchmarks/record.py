"""Results on disk: the numbers, and what it takes to measure them again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from equivec.evaluate.provenance import provenance
from equivec.storage.files import write_json

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from equivec.storage.values import Record


def save_results(
    path: Path, *, command: str, seed: int, rows: Sequence[Record], commit: str = ""
) -> None:
    """Write rows as JSON, with the command, the commit, the machine and the date beside them."""
    results = {
        **provenance(command, seed, commit).to_json(),
        "rows": [row.to_json() for row in rows],
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    write_json(path, results)
