"""The figures of docs/scaling.md, from results/benchmarks/: `python -m benchmarks.scaling`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import ceil, sqrt
from typing import TYPE_CHECKING

from benchmarks.readme import ROOT, read_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.timing import Row

PAGE = ROOT / "docs" / "scaling.md"
_BLOCK = re.compile(r"(<!-- figures -->\n).*?(<!-- /figures -->)", re.DOTALL)
_ALL = 1_000_000_000
# Rows that one machine may be given.
_SHARDS = (1_000_000, 10_000_000, 50_000_000)


@dataclass(frozen=True, slots=True)
class Measured:
    """What one expression takes and what one query costs, in an index of so many."""

    rows: int
    width: int
    bytes_on_disk: float
    bytes_in_memory: float
    query_milliseconds: float
    lookup_milliseconds: float
    recall: float
    embedded_a_second: float

    @classmethod
    def of(cls, rows: Sequence[Row]) -> Measured:
        """The measurements of the search and service benchmarks."""
        folder = _row(rows, "size of the folder")
        found = re.search(r"([\d,]+) x (\d+)", folder.what)
        assert found is not None, folder.what
        count = int(found[1].replace(",", ""))
        return cls(
            rows=count,
            width=int(found[2]),
            bytes_on_disk=1e6 * folder.ours / count,
            bytes_in_memory=1e6 * _row(rows, "memory of the opened index").ours / count,
            query_milliseconds=1e3 / _row(rows, "one by one").ours,
            lookup_milliseconds=1e3 / _row(rows, "lookups by key").ours,
            recall=_row(rows, "recall@10").ours,
            embedded_a_second=_row(rows, "expressions embedded in bulk").ours,
        )

    def milliseconds_in(self, shard: int) -> float:
        """The cost of a query in a shard: lists grow as the root of the rows, and so do scans."""
        return self.query_milliseconds * sqrt(shard / self.rows) + self.lookup_milliseconds


def _row(rows: Sequence[Row], beginning: str) -> Row:
    return next(row for row in rows if row.what.startswith(beginning))


def with_figures(page: str, rows: Sequence[Row]) -> str:
    """The page with its figures."""
    measured = Measured.of(rows)
    lines = [*_one_expression(measured), "", *_a_billion(measured), "", *_by_shards(measured), ""]
    return _BLOCK.sub(lambda match: match[1] + "\n".join(lines) + match[2], page)


def _one_expression(measured: Measured) -> list[str]:
    return [
        f"| measured with {measured.rows:,} expressions, {measured.width} numbers each | |",
        "| --- | --- |",
        "| on disk: vectors in int8, text, keys, compressed index "
        f"| {_bytes(measured.bytes_on_disk)} each |",
        "| in memory: compressed index, text, what filters look at "
        f"| {_bytes(measured.bytes_in_memory)} each |",
        f"| nearest neighbours of a query, one core | {measured.query_milliseconds:.2f} ms |",
        f"| recall@10 of that | {measured.recall:.3f} |",
        f"| looking up a fingerprint | {measured.lookup_milliseconds:.3f} ms |",
        f"| embedding | {measured.embedded_a_second:,.0f} expressions/s on this machine |",
    ]


def _a_billion(measured: Measured) -> list[str]:
    days = _ALL / measured.embedded_a_second / 86_400
    return [
        "| a billion expressions | |",
        "| --- | --- |",
        f"| on disk | {_bytes(_ALL * measured.bytes_on_disk)} |",
        f"| in memory | {_bytes(_ALL * measured.bytes_in_memory)} |",
        f"| float32 vectors alone would take | {_bytes(4.0 * _ALL * measured.width)} |",
        f"| embedding on one such machine | {days:,.1f} days |",
        f"| embedding on 100 such machines | {24 * days / 100:,.1f} hours |",
    ]


def _by_shards(measured: Measured) -> list[str]:
    lines = [
        "| rows in a shard | shards | memory of a shard | one query in a shard | in all shards |",
        "| --- | --- | --- | --- | --- |",
    ]
    for rows in _SHARDS:
        count, cost = ceil(_ALL / rows), measured.milliseconds_in(rows)
        lines.append(
            f"| {rows:,} | {count:,} | {_bytes(rows * measured.bytes_in_memory)} "
            f"| {cost:.1f} ms | {count * cost / 1e3:.2f} core-seconds |"
        )
    return lines


def _bytes(count: float) -> str:
    """A number of bytes as people say it.

    >>> _bytes(376.4), _bytes(7.2e10)
    ('376 B', '72 GB')
    """
    for unit, size in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6)):
        if count >= size:
            return f"{count / size:,.3g} {unit}"
    return f"{count:,.0f} B"


def main() -> None:
    """Rewrite the page."""
    PAGE.write_text(with_figures(PAGE.read_text(encoding="utf-8"), read_rows()), encoding="utf-8")


if __name__ == "__main__":
    main()
