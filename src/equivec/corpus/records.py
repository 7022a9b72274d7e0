"""Rows of a corpus as Parquet files that appear whole or not at all."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from equivec.errors import FileFormatError
from equivec.storage.files import renamed_when_complete

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

# One row an expression: which cluster it is in, its prefix tokens, and where it comes from.
SCHEMA = pa.schema(
    [
        pa.field("cluster", pa.int64()),
        pa.field("tokens", pa.string()),
        pa.field("fingerprint", pa.uint64()),
        pa.field("engine", pa.string()),
        pa.field("rule", pa.string()),
        pa.field("is_source", pa.bool_()),
        pa.field("split", pa.string()),
    ]
)


@dataclass(frozen=True, slots=True)
class Row:
    """An expression of a cluster; `rule` names what turned the source into it."""

    cluster: int
    tokens: str
    fingerprint: int
    engine: str
    rule: str
    is_source: bool
    split: str = ""


def to_table(rows: Sequence[Row]) -> pa.Table:
    """The rows as an Arrow table."""
    columns = [[getattr(row, name) for row in rows] for name in SCHEMA.names]
    arrays = [pa.array(column, field.type) for column, field in zip(columns, SCHEMA, strict=True)]
    return pa.Table.from_arrays(arrays, schema=SCHEMA)


def write_table(path: Path, table: pa.Table, metadata: Mapping[str, Any] | None = None) -> None:
    """Write a table, with a JSON object of our own in its metadata."""
    if metadata is not None:
        text = json.dumps(metadata, sort_keys=True)
        table = table.replace_schema_metadata({b"equivec": text.encode()})
    with renamed_when_complete(path) as temporary:
        # Shards are in no manifest: what their pages hold is checked by the format's own sums.
        has_sums = metadata is not None
        pq.write_table(table, temporary, compression="zstd", write_page_checksum=has_sums)


def read_table(path: Path) -> pa.Table:
    """A table that `write_table` wrote."""
    try:
        table = pq.read_table(path, page_checksum_verification=True)
    except FileNotFoundError:
        raise FileFormatError(f"{path} is missing; restore it, or make the corpus again") from None
    except (pa.ArrowInvalid, OSError) as error:
        raise FileFormatError(f"{path} is not a readable Parquet file: {error}") from error
    if table.schema.names != SCHEMA.names:
        raise FileFormatError(f"{path} has the columns {table.schema.names}, not a corpus's")
    return table


def read_metadata(path: Path) -> dict[str, Any]:
    """The JSON object in a table's metadata."""
    metadata = pq.read_schema(path).metadata or {}
    text = metadata.get(b"equivec")
    if text is None:
        raise FileFormatError(f"{path} was not written as part of a corpus")
    value: dict[str, Any] = json.loads(text)
    return value
