"""An index of many expressions: shards embedded by worker processes, here or on Ray, then joined.

A shard is a small index of its own, in a folder that appears whole. It depends on the source, the
model and the settings alone, so a build that was killed and resumed ends in the same rows and
vectors, byte for byte, whatever the number of workers. How neighbours of many are found is chosen
by measuring, and may differ from machine to machine.
"""

from __future__ import annotations

import logging
import shutil
from dataclasses import asdict, dataclass, replace
from functools import cache
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING

from equivec.corpus.sources import file_sources
from equivec.corpus.store import MANIFEST, Corpus
from equivec.embed.registry import load_encoder
from equivec.errors import ConfigError, FileFormatError
from equivec.jobs.shards import check_executor, run_shards
from equivec.search.folder import FolderStore
from equivec.search.index import REMOTE, Index, IndexConfig, IndexProgress, begin_store
from equivec.search.manifest import NeighbourConfig
from equivec.storage.checksums import checksum
from equivec.storage.files import (
    PARTIAL,
    count_lines,
    folder_renamed_when_complete,
    read_json,
    write_json,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from equivec.embed.encoder import Encoder
    from equivec.expression.tree import Node
    from equivec.jobs.shards import ExecutorConfig
    from equivec.search.manifest import Precision
    from equivec.search.store import Store

_LOGGER = logging.getLogger(__name__)
_SETTINGS = "work.json"
_SHARDS = "shards"


@dataclass(frozen=True, slots=True, kw_only=True)
class BulkConfig:
    """How many expressions a shard has, and how their vectors are stored."""

    shard: int = 20_000
    precision: Precision = "int8"

    def __post_init__(self) -> None:
        if self.shard < 1:
            raise ConfigError(f"a shard needs at least 1 expression, not {self.shard}")


@dataclass(frozen=True, slots=True)
class EmbedWork:
    """Makes numbered shards of a source's expressions; a shard that is there is left alone."""

    source: str
    folder: str
    model: str
    config: BulkConfig

    def path(self, shard: int) -> Path:
        """Where a shard is or will be."""
        return Path(self.folder) / f"{shard:06d}"

    @property
    def settings(self) -> Path:
        """The file that says what the shards are made from."""
        return Path(self.folder) / _SETTINGS

    def __call__(self, shard: int) -> int:
        """Make a shard; how many different expressions it has comes back."""
        path = self.path(shard)
        if not path.is_dir():
            size = self.config.shard
            with folder_renamed_when_complete(path) as temporary:
                Index.build(
                    _run(Path(self.source), shard * size, size),
                    _encoder(self.model),
                    temporary,
                    IndexConfig(
                        precision=self.config.precision,
                        batch=size,
                        # Neighbours are found in the whole, not in its parts.
                        neighbours=NeighbourConfig(exact_below=max(1_000, size + 1)),
                    ),
                )
        return FolderStore.open(path).view().manifest.rows


@cache
def _encoder(model: str) -> Encoder:
    """An encoder in one thread: other workers have the other processors."""
    return load_encoder(model, threads=1)


def build_index(
    source: str | Path,
    where: str | Path,
    model: str,
    executor: ExecutorConfig,
    config: BulkConfig | None = None,
    *,
    shards: Path | None = None,
    resume: bool = False,
) -> Iterator[IndexProgress]:
    """Build an index of a corpus or a file of expressions; the caller shows the progress.

    With Milvus, and with Ray, `shards` must be a folder that every worker sees.
    """
    config = config or BulkConfig()
    check_executor(executor)
    if _is_remote(where):
        # Milvus keeps vectors as they are given to it.
        config = replace(config, precision="float32")
    work = EmbedWork(str(source), str(_shard_folder(where, shards)), model, config)
    count = _count(Path(source))
    if not count:
        raise FileFormatError(f"{source} has no expressions; there is nothing to build an index of")
    encoder = load_encoder(model)
    store = begin_store(where, encoder, IndexConfig(precision=config.precision), resume=resume)
    numbers = range(ceil(count / config.shard))
    if _is_adopted(store, work):
        numbers = range(0)
    else:
        _prepare(work, encoder, resume=resume)
    added = 0
    for done, each in enumerate(run_shards(work, numbers, executor), 1):
        added += each.value
        yield IndexProgress(min(count, done * config.shard), added)
    _LOGGER.info("joining %d shards", len(numbers))
    with store.writing():
        if numbers:
            views = [FolderStore.open(work.path(shard)).view() for shard in numbers]
            store.adopt([segment for view in views for segment in view.segments])
        store.finish()
    # A folder of shards is ours if it says so.
    if work.settings.exists():
        shutil.rmtree(work.folder)


def _is_adopted(store: Store, work: EmbedWork) -> bool:
    """Whether all shards are in the store: a folder takes them all or none."""
    info = store.info()
    if _is_remote(info.where) or not info.expressions:
        return False
    if not info.is_complete and not work.settings.exists():
        raise FileFormatError(
            f"{info.where} was begun without workers; continue the build without --executor"
        )
    return True


def _is_remote(where: str | Path) -> bool:
    return str(where).startswith(REMOTE)


def _shard_folder(where: str | Path, shards: Path | None) -> Path:
    if shards is not None:
        return shards
    if _is_remote(where):
        raise ConfigError(
            f"{where} is not a folder; name a folder for the shards with --shards DIR"
        )
    return Path(where) / _SHARDS


def _prepare(work: EmbedWork, encoder: Encoder, *, resume: bool) -> None:
    """Make the folder of the shards, or see that it was begun with the same work."""
    source = Path(work.source)
    settings = {
        **asdict(work.config),
        "source": checksum(source / MANIFEST if source.is_dir() else source),
        "model": encoder.checksum,
    }
    path = work.settings
    if path.exists():
        if not resume:
            raise FileFormatError(f"{path.parent} holds shards of another build; delete them")
        if read_json(path) != settings:
            raise FileFormatError(
                f"{path.parent} was begun with other settings, another source or another model; "
                "use those, or delete it"
            )
    elif any(not each.name.startswith(PARTIAL) for each in path.parent.glob("*")):
        raise FileFormatError(f"{path.parent} holds other files; name a new folder for the shards")
    path.parent.mkdir(parents=True, exist_ok=True)
    write_json(path, settings)


def _count(source: Path) -> int:
    """How many expressions a corpus or a file has."""
    if source.is_dir():
        return int(Corpus.open(source).manifest["counts"]["expressions"])
    if not source.is_file():
        raise FileFormatError(f"there is no file or corpus {source}")
    return count_lines(source)


def _run(source: Path, start: int, count: int) -> Iterable[str | Node]:
    """Some expressions of a corpus or a file, in order."""
    if source.is_dir():
        return Corpus.open(source).run(start, count)
    return file_sources(str(source), start, count)
