"""The README's table of speed, from results/benchmarks/: `python -m benchmarks.readme`."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "results" / "benchmarks"
_BLOCK = re.compile(r"(<!-- benchmarks -->\n).*?(<!-- /benchmarks -->)", re.DOTALL)


def read_rows() -> list[Mapping[str, Any]]:
    """The rows of all benchmarks that were kept, by their names."""
    files = sorted(RESULTS.glob("*.json"))
    return [row for path in files for row in json.loads(path.read_text(encoding="utf-8"))["rows"]]


def with_table(readme: str, rows: Iterable[Mapping[str, Any]]) -> str:
    """The README with the rows that compare us with somebody, goal or not."""
    lines = ["| what | ours | alternative | ratio | goal |", "| --- | --- | --- | --- | --- |"]
    lines += [
        f"| {row['benchmark']}: {row['what']} | {_number(row['ours'])} {row['unit']} "
        f"| {_number(row['alternative'])} {row['unit']} | {_number(row['ratio'])}x "
        f"| {_number(row['goal']) + 'x' if row['goal'] else ''} |"
        for row in rows
        if row["ratio"] is not None
    ]
    return _BLOCK.sub(lambda match: match[1] + "\n".join([*lines, ""]) + match[2], readme)


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def main() -> None:
    """Rewrite the README."""
    path = ROOT / "README.md"
    path.write_text(with_table(path.read_text(encoding="utf-8"), read_rows()), encoding="utf-8")


if __name__ == "__main__":
    main()
