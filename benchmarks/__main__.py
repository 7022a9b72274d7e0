"""The command `python -m benchmarks [NAMES...] [--seed N] [--vectors PATH] [--save FOLDER]`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.corpus import corpus
from benchmarks.decoding import decoding
from benchmarks.encoding import encoding
from benchmarks.evaluation import evaluation
from benchmarks.fairness import fairness
from benchmarks.fingerprint import fingerprint
from benchmarks.judge import judge
from benchmarks.parsing import parsing
from benchmarks.record import save_results
from benchmarks.search import search
from benchmarks.semvec import semvec
from benchmarks.service import service, service_memory
from benchmarks.tree_edit import tree_edit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from benchmarks.timing import Row

BENCHMARKS: Mapping[str, Callable[..., Iterable[Row]]] = {
    "judge": judge,
    "parsing": parsing,
    "evaluation": evaluation,
    "fingerprint": fingerprint,
    "corpus": corpus,
    "encoding": encoding,
    "decoding": decoding,
    "search": search,
    "service": service,
    "service-memory": service_memory,
    "service-fairness": fairness,
    "tree-edit": tree_edit,
    "semvec": semvec,
}
_HEADINGS = ("benchmark", "what", "ours", "alternative", "unit", "ratio", "goal")
_TEXTS = ("benchmark", "what", "unit")


def main(arguments: Sequence[str]) -> None:
    """Run the chosen benchmarks, print their table and, if asked to, keep it."""
    options = _options(arguments)
    rows: list[Row] = []
    for name in options.names or BENCHMARKS:
        print(f"{name} ...", file=sys.stderr, flush=True)
        more = {"vectors": options.vectors} if name == "search" else {}
        found = list(BENCHMARKS[name](options.seed, **more))
        rows += found
        if options.save:
            path = options.save / f"{name}.json"
            given = f" --vectors {options.vectors.name}" if more.get("vectors") else ""
            command = f"python -m benchmarks {name} --seed {options.seed}{given}"
            save_results(path, command=command, seed=options.seed, rows=found)
            print(f"wrote {path}", file=sys.stderr)
    print(_table(rows))


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    known = ", ".join(BENCHMARKS)
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description="Every speed claim, ours beside the alternative in one run.",
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"from {known}; default: all")
    parser.add_argument("--seed", type=int, default=42, help="seed of the random expressions")
    parser.add_argument(
        "--vectors", type=Path, metavar="PATH", help="search: a .npy file or an index"
    )
    parser.add_argument("--save", type=Path, metavar="FOLDER", help="keep the numbers as JSON")
    options = parser.parse_args(arguments)
    for name in options.names:
        if name not in BENCHMARKS:
            parser.error(f"{name!r} is not a benchmark; choose from {known}")
    return options


def _table(rows: Iterable[Row]) -> str:
    """The rows under their headings; text to the left, numbers to the right."""
    lines = [_HEADINGS, *(_cells(row) for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(_line(cells, widths) for cells in lines)


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    placed = [
        cell.ljust(width) if heading in _TEXTS else cell.rjust(width)
        for heading, cell, width in zip(_HEADINGS, cells, widths, strict=True)
    ]
    return "  ".join(placed).rstrip()


def _cells(row: Row) -> tuple[str, ...]:
    """A row as text."""
    return (
        row.benchmark,
        row.what,
        _number(row.ours),
        _number(row.alternative),
        row.unit,
        _number(row.ratio, "x"),
        _number(row.goal, "x"),
    )


def _number(value: float | None, suffix: str = "") -> str:
    """Three digits that count, or a dash."""
    if value is None:
        return "-"
    digits = 0 if float(value).is_integer() or abs(value) >= 100 else 2 if abs(value) < 10 else 1
    return f"{value:,.{digits}f}{suffix}"


if __name__ == "__main__":
    main(sys.argv[1:])
