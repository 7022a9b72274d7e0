"""The vectors of a file of expressions, in parts, so that a killed run goes on where it was."""

from __future__ import annotations

import shutil
import time
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from equivec.errors import ConfigError, EquivecError, FileFormatError
from equivec.storage.checksums import checksum
from equivec.storage.files import count_lines, parts_folder, read_lines, renamed_when_complete

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from equivec.embed.embedder import Embedder, OnError
    from equivec.embed.runtime import Precision

    Floats = NDArray[np.float32]

_LINES_PER_PART = 16_384


class Progress(NamedTuple):
    """How far the embedding of a file is."""

    done: int  # lines
    total: int
    rate: float  # lines a second
    skipped: int  # lines that could not be read


def embed_file(
    embedder: Embedder,
    path: Path,
    out: Path,
    *,
    precision: Precision | None = None,
    on_error: OnError = "raise",
) -> Iterator[Progress]:
    """Write the vectors of a file's lines; the caller shows the progress."""
    if out.suffix not in WRITERS:
        known = " or ".join(WRITERS)
        raise ConfigError(f"{out} must end in {known}")
    precision = embedder.runtime.precision(precision)
    total = count_lines(path)
    how = f"{embedder.checksum} {precision} {on_error}"
    parts = parts_folder(out, input=checksum(path), how=how)
    started, fresh = time.monotonic(), 0
    lines = (line for _, line in read_lines(path))
    number = rows = 0
    while window := list(islice(lines, _LINES_PER_PART)):
        part = parts / f"{number:06d}.npy"
        if not part.exists():
            vectors = _encode(embedder, path, number, window, precision, on_error)
            with renamed_when_complete(part) as temporary:
                np.save(temporary, vectors)
            fresh += len(window)
        rows += len(np.load(part, mmap_mode="r"))
        done = number * _LINES_PER_PART + len(window)
        rate = fresh / max(1e-9, time.monotonic() - started)
        yield Progress(done, total, rate, skipped=done - rows)
        number += 1
    with renamed_when_complete(out) as temporary:
        WRITERS[out.suffix](temporary, parts, number, embedder.width)
    shutil.rmtree(parts)


def _encode(
    embedder: Embedder,
    path: Path,
    number: int,
    window: list[str],
    precision: Precision,
    on_error: OnError,
) -> Floats:
    try:
        return embedder.encode(window, precision=precision, on_error=on_error)
    except EquivecError:
        for place, line in enumerate(window):  # which line was it?
            try:
                embedder.encode([line], precision=precision)
            except EquivecError as error:
                where = f"line {number * _LINES_PER_PART + place + 1} of {path}"
                raise FileFormatError(
                    f"{where}: {error}; leave it out with --on-error skip"
                ) from None
        raise


def _write_npy(out: Path, parts: Path, count: int, width: int) -> None:
    # One part at a time: a machine has fewer open files than a large file has parts.
    paths = [parts / f"{number:06d}.npy" for number in range(count)]
    rows = sum(len(np.load(path, mmap_mode="r")) for path in paths)
    whole = np.lib.format.open_memmap(out, "w+", dtype=np.float32, shape=(rows, width))
    start = 0
    for array in map(np.load, paths):
        whole[start : start + len(array)] = array
        start += len(array)
    whole.flush()


def _write_parquet(out: Path, parts: Path, count: int, width: int) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    kind = pa.list_(pa.float32(), width)
    with pq.ParquetWriter(out, pa.schema([("vector", kind)])) as writer:
        for number in range(count):
            flat = np.load(parts / f"{number:06d}.npy").ravel()
            column = pa.FixedSizeListArray.from_arrays(pa.array(flat), width)
            writer.write_table(pa.table({"vector": column}))


WRITERS: Mapping[str, Callable[[Path, Path, int, int], None]] = {
    ".npy": _write_npy,
    ".parquet": _write_parquet,
}
