"""The README's table of speed, from results/benchmarks.json: `python -m benchmarks.readme`."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "results" / "benchmarks.json"
_BLOCK = re.compile(r"(<!-- benchmarks -->\n).*?(<!-- /benchmarks -->)", re.DOTALL)


def with_table(readme: str, results: dict[str, Any]) -> str:
    """The README with the rows that compare us with somebody, goal or not."""
    rows = [row for row in results["rows"] if row["ratio"] is not None]
    lines = ["| what | ours | alternative | ratio | goal |", "| --- | --- | --- | --- | --- |"]
    lines += [
        f"| {row['benchmark']}: {row['what']} | {_number(row['ours'])} {row['unit']} "
        f"| {_number(row['alternative'])} {row['unit']} | {_number(row['ratio'])}x "
        f"| {_number(row['goal']) + 'x' if row['goal'] else ''} |"
        for row in rows
    ]
    machine = results["machine"]
    lines += [
        "",
        f"Commit {results['commit']}, seed {results['seed']}, {machine['cores']} cores "
        f"({machine['cpu']}); `{results['command']}`.",
        "",
    ]
    return _BLOCK.sub(lambda match: match[1] + "\n".join(lines) + match[2], readme)


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def main() -> None:
    """Rewrite the README."""
    path = ROOT / "README.md"
    results = json.loads(RESULTS.read_text(encoding="utf-8"))
    path.write_text(with_table(path.read_text(encoding="utf-8"), results), encoding="utf-8")


if __name__ == "__main__":
    main()
