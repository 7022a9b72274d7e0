"""The vectors of a file of expressions, in parts, so that a killed run goes on where it was."""

from __future__ import annotations

import shutil
import time
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from equivec.embed.embedder import Embedder
from equivec.embed.encoder import precision_of, vectors_of
from equivec.errors import ConfigError, EquivecError, FileFormatError
from equivec.expression.text import as_tree
from equivec.storage.checksums import checksum
from equivec.storage.files import count_lines, parts_folder, read_lines, renamed_when_complete

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from equivec.embed.embedder import OnError
    from equivec.embed.encoder import Encoder
    from equivec.expression.tree import Node

    Floats = NDArray[np.float32]

_LINES_PER_PART = 16_384


class Progress(NamedTuple):
    """How far the embedding of a file is."""

    done: int  # lines
    total: int
    rate: float  # lines a second
    skipped: int  # lines that could not be read


def embed_file(
    encoder: Encoder,
    path: Path,
    out: Path,
    *,
    on_error: OnError = "raise",
) -> Iterator[Progress]:
    """Write the vectors of a file's lines; the caller shows the progress."""
    if out.suffix not in WRITERS:
        known = " or ".join(WRITERS)
        raise ConfigError(f"{out} must end in {known}")
    total = count_lines(path)
    how = f"{encoder.checksum} {precision_of(encoder)} {on_error}"
    parts = parts_folder(out, input=checksum(path), how=how)
    started, fresh = time.monotonic(), 0
    lines = (line for _, line in read_lines(path))
    number = rows = 0
    while window := list(islice(lines, _LINES_PER_PART)):
        part = parts / f"{number:06d}.npy"
        if not part.exists():
            vectors = _encode(encoder, path, number, window, on_error)
            with renamed_when_complete(part) as temporary:
                np.save(temporary, vectors)
            fresh += len(window)
        rows += len(np.load(part, mmap_mode="r"))
        done = number * _LINES_PER_PART + len(window)
        rate = fresh / max(1e-9, time.monotonic() - started)
        yield Progress(done, total, rate, skipped=done - rows)
        number += 1
    with renamed_when_complete(out) as temporary:
        WRITERS[out.suffix](temporary, parts, number, encoder.width)
    shutil.rmtree(parts)


def _encode(
    encoder: Encoder, path: Path, number: int, window: list[str], on_error: OnError
) -> Floats:
    try:
        return _vectors(encoder, window, on_error)
    except EquivecError:
        for place, line in enumerate(window):  # which line was it?
            try:
                _vectors(encoder, [line], on_error)
            except EquivecError as error:
                where = f"line {number * _LINES_PER_PART + place + 1} of {path}"
                raise FileFormatError(
                    f"{where}: {error}; leave it out with --on-error skip"
                ) from None
        raise


def _vectors(encoder: Encoder, texts: list[str], on_error: OnError) -> Floats:
    """The vectors of texts; of those that cannot be read none with skip, NaN with nan."""
    if isinstance(encoder, Embedder):
        return encoder.encode(texts, on_error=on_error)
    trees = [_read(text, on_error) for text in texts]
    readable = [row for row, tree in enumerate(trees) if tree is not None]
    vectors = np.full((len(texts), encoder.width), np.nan, dtype=np.float32)
    if readable:
        vectors[readable] = vectors_of(encoder, list(filter(None, trees)), normalize=True)
    return vectors[readable] if on_error == "skip" else vectors


def _read(text: str, on_error: OnError) -> Node | None:
    try:
        return as_tree(text)
    except EquivecError:
        if on_error == "raise":
            raise
        return None


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
