"""A corpus: a folder of Parquet files and a manifest that says how they were made."""

from __future__ import annotations

import hashlib
import json
import platform
import shutil
from collections import Counter
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from equivec import __version__
from equivec.corpus.records import read_table, write_table
from equivec.errors import FileFormatError
from equivec.storage.checksums import check_content, checksum
from equivec.storage.files import read_json, write_json

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

MANIFEST = "manifest.json"
_OLDER, _FORMAT = 1, 2  # manifests of the older format have no checksum of their own
_DIGEST = "sha256"
_ROWS_PER_PART = 500_000
# The paper takes at most this many unordered pairs of a cluster.
MAX_PAIRS = 100_000


@dataclass(frozen=True, slots=True)
class Corpus:
    """An opened corpus folder."""

    folder: Path
    manifest: Mapping[str, Any]

    @classmethod
    def open(cls, folder: str | Path) -> Corpus:
        """The corpus in a folder; its files are read when they are asked for."""
        folder = Path(folder)
        path = folder / MANIFEST
        if not path.is_file():
            raise FileFormatError(f"{folder} is not a finished corpus: it has no {MANIFEST}")
        manifest = read_json(path)
        if not isinstance(manifest, dict) or manifest.get("format") not in (_OLDER, _FORMAT):
            raise FileFormatError(f"{path} is not of format {_OLDER} or {_FORMAT}")
        for name in ("counts", "files"):
            if not isinstance(manifest.get(name), dict):
                raise FileFormatError(f"{path} does not list its {name}; make the corpus again")
        if manifest["format"] == _FORMAT and manifest.get(_DIGEST) != _digest(manifest):
            raise FileFormatError(f"{path} is damaged: its checksum does not fit its content")
        return cls(folder, manifest)

    @property
    def parts(self) -> list[Path]:
        """The Parquet files, in order."""
        return [self.folder / name for name in self.manifest["files"]]

    def table(self, *splits: str) -> pa.Table:
        """All rows, or those of some splits, sorted by cluster."""
        table = pa.concat_tables(list(self._parts()))
        if splits:
            table = table.filter(pc.is_in(table["split"], pa.array(splits)))
        return table

    def expressions(self, *splits: str) -> Iterator[str]:
        """The prefix texts of some splits, in order."""
        for table in self._parts():
            if splits:
                table = table.filter(pc.is_in(table["split"], pa.array(splits)))
            yield from table["tokens"].to_pylist()

    def run(self, start: int, count: int) -> Iterator[str]:
        """The prefix texts of `count` rows from row `start`, in order."""
        for path in self.parts:
            self._check(path)
            rows = pq.read_metadata(path).num_rows
            if start < rows and count > 0:
                found = read_table(path)["tokens"].slice(max(start, 0), count)
                count -= len(found)
                yield from found.to_pylist()
            start -= rows

    def _parts(self) -> Iterator[pa.Table]:
        """The rows of each part, as they were written."""
        for path in self.parts:
            self._check(path)
            yield read_table(path)

    def _check(self, path: Path) -> None:
        """Raise unless a part is as it was written."""
        expected = self.manifest["files"][path.relative_to(self.folder).as_posix()]
        try:
            check_content(path, expected, MANIFEST)
        except FileNotFoundError:
            sentence = f"{path} is missing; restore it, or make the corpus again"
            raise FileFormatError(sentence) from None

    def damaged_files(self) -> list[str]:
        """The files that are missing or whose checksum is not the manifest's."""
        return [
            name
            for name, expected in self.manifest["files"].items()
            if not (self.folder / name).is_file() or checksum(self.folder / name) != expected
        ]


def _digest(manifest: Mapping[str, Any]) -> str:
    """The checksum of all that a manifest says but its checksum."""
    facts = {name: value for name, value in manifest.items() if name != _DIGEST}
    as_read = json.loads(json.dumps(facts))  # every name a text
    return hashlib.sha256(json.dumps(as_read, sort_keys=True).encode()).hexdigest()


def write_corpus(folder: Path, table: pa.Table, facts: Mapping[str, Any]) -> Corpus:
    """Write the parts and, last, the manifest; until then the folder is no corpus."""
    parts = folder / "parts"
    shutil.rmtree(parts, ignore_errors=True)
    parts.mkdir(parents=True)
    files = {}
    for number, start in enumerate(range(0, max(1, len(table)), _ROWS_PER_PART)):
        path = parts / f"part-{number:04d}.parquet"
        write_table(path, table.slice(start, _ROWS_PER_PART))
        files[f"parts/{path.name}"] = checksum(path)
    manifest = {
        "format": _FORMAT,
        "versions": versions(),
        "counts": counts(table),
        "files": files,
        **facts,
    }
    manifest[_DIGEST] = _digest(manifest)
    write_json(folder / MANIFEST, manifest)
    return Corpus(folder, manifest)


def counts(table: pa.Table) -> dict[str, Any]:
    """How many expressions, clusters and pairs there are, and how many in each split."""
    sizes = cluster_sizes(table)
    return {
        "expressions": len(table),
        "clusters": len(sizes),
        # As the paper counts: two ordered pairs for every equivalent found of a source.
        "pairs": int(2 * (sizes - 1).sum()),
        "pairs in clusters": int(2 * np.minimum(sizes * (sizes - 1) // 2, MAX_PAIRS).sum()),
        "splits": dict(sorted(Counter(table["split"].to_pylist()).items())),
        "engines": dict(sorted(Counter(table["engine"].to_pylist()).items())),
    }


def cluster_sizes(table: pa.Table) -> NDArray[np.int64]:
    """The size of each cluster of a table that is sorted by cluster."""
    return np.unique(table["cluster"].to_numpy(), return_counts=True)[1]


def versions() -> dict[str, str]:
    """What the bytes of a corpus depend on."""
    own = {"equivec": __version__, "python": platform.python_version()}
    return own | {name: version(name) for name in ("numpy", "pyarrow", "python-flint", "sympy")}
