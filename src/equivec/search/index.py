"""The index people hold: build it, add to it, and ask it for what is equal and what is similar."""

from __future__ import annotations

import shutil
import time
import weakref
from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING

import numpy as np

from equivec.embed.encoder import unit, vectors_of
from equivec.errors import ConfigError, EquivecError, FileFormatError, require_at_least
from equivec.expression.prefix import parse_prefix, write_prefix
from equivec.expression.text import as_tree
from equivec.search.entries import describe, keys_of
from equivec.search.filters import EVERYTHING, Filter
from equivec.search.folder import FolderStore
from equivec.search.judging import Hit, Judging, SearchConfig, in_order
from equivec.search.manifest import NeighbourConfig
from equivec.search.renaming import canonical, renamings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from numpy.typing import NDArray

    from equivec.embed.encoder import Encoder
    from equivec.expression.tree import Node
    from equivec.search.entries import Entries
    from equivec.search.manifest import Precision
    from equivec.search.store import Found, IndexInfo, Store

REMOTE = "milvus://"
_MOST_HITS = 10_000
# Vectors that are stored in eight bits are still as like as this to what they were.
_LEAST_LIKENESS = 0.99
DEFAULT_SEARCH = SearchConfig()


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexConfig:
    """How an index is laid out."""

    precision: Precision = "int8"
    # Expressions that are made safe together.
    batch: int = 20_000
    neighbours: NeighbourConfig = field(default_factory=NeighbourConfig)

    def __post_init__(self) -> None:
        require_at_least(1, batch=self.batch)


@dataclass(frozen=True, slots=True)
class IndexProgress:
    """Expressions that were read, and those of them that were new."""

    read: int
    added: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Timings:
    """Where the seconds of a search went."""

    encode: float = 0.0
    lookup: float = 0.0
    neighbours: float = 0.0
    judge: float = 0.0

    @property
    def total(self) -> float:
        """All of them together."""
        return self.encode + self.lookup + self.neighbours + self.judge


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The answer to a search: expressions by how equal they are, then the others by cosine."""

    hits: tuple[Hit, ...]
    timings: Timings


class Index:
    """Expressions and their vectors, searched by meaning.

    Whatever `build`, `add` and `remove` have returned from is on the disk; `save` writes a copy.
    Any number of threads may search while one writes.
    """

    def __init__(self, store: Store, encoder: Encoder) -> None:
        self.store = store
        self.encoder = encoder

    def check_encoder(self) -> None:
        """Raise unless the encoder is the one that the index was made with.

        A stored expression is encoded again: a model may change and keep its name.
        """
        info, encoder = self.store.info(), self.encoder
        if (info.encoder, info.width) != (encoder.name, encoder.width):
            raise ConfigError(
                f"{info.where} was made with the encoder {info.encoder!r} of width {info.width}, "
                f"not with {encoder.name!r} of width {encoder.width}"
            )
        texts, vectors = self.store.view().sample(1)
        again = self.encode(map(parse_prefix, texts))
        if ((again * unit(vectors)).sum(axis=1) < _LEAST_LIKENESS).any():
            raise ConfigError(
                f"{info.where} was made with another encoder called {encoder.name!r}; "
                "build it again with this one"
            )

    @classmethod
    def build(
        cls,
        expressions: Iterable[str | Node],
        encoder: Encoder,
        where: str | Path | None = None,
        config: IndexConfig | None = None,
        *,
        resume: bool = False,
        report: Callable[[IndexProgress], None] = lambda _: None,
    ) -> Index:
        """A new index of expressions, in a folder or at milvus://host:port/collection.

        A build that was stopped goes on with `resume` and the same expressions. Without a place it
        is kept in a temporary folder, which goes with the index.
        """
        config = config or IndexConfig()
        if where is None:
            return cls._build_for_now(expressions, encoder, config, report)
        index = cls(begin_store(where, encoder, config, resume=resume), encoder)
        index.check_encoder()
        with index.store.writing():
            try:
                index._add_all(expressions, config.batch, report)
                index.store.finish()
            except EquivecError:
                # Where nothing was stored yet there is nothing to continue.
                if isinstance(index.store, FolderStore) and not resume and not len(index):
                    _delete(Path(where))
                raise
        return index

    @classmethod
    def _build_for_now(
        cls,
        expressions: Iterable[str | Node],
        encoder: Encoder,
        config: IndexConfig,
        report: Callable[[IndexProgress], None],
    ) -> Index:
        folder = mkdtemp(prefix="equivec-index-")
        try:
            index = cls.build(expressions, encoder, folder, config, report=report)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        weakref.finalize(index, shutil.rmtree, folder, ignore_errors=True)
        return index

    @classmethod
    def open(cls, where: str | Path, encoder: Encoder) -> Index:
        """The index in a folder, or at milvus://host:port/collection."""
        index = cls(open_store(where), encoder)
        index.check_encoder()
        return index

    @classmethod
    def load(cls, folder: str | Path, encoder: Encoder) -> Index:
        """The index that `save` wrote."""
        return cls.open(folder, encoder)

    def save(self, folder: str | Path) -> None:
        """Write a copy of the index, as it is now, to a new folder; it appears whole."""
        if not isinstance(self.store, FolderStore):
            raise ConfigError(f"{self.info().where} is kept by its server; it cannot be copied")
        self.store.save(Path(folder))

    def __len__(self) -> int:
        return self.store.info().expressions

    def info(self) -> IndexInfo:
        """What the index holds and how it is searched."""
        return self.store.info()

    def refresh(self) -> None:
        """See what other processes have written since; their changes are not seen before."""
        self.store.refresh()

    def add(
        self,
        expressions: Iterable[str | Node],
        *,
        report: Callable[[IndexProgress], None] = lambda _: None,
    ) -> int:
        """Add expressions; how many were new comes back, and then they are safe."""
        with self.store.writing():
            added = self._add_all(expressions, IndexConfig().batch, report)
            self.store.settle()
        return added

    def remove(self, expressions: Iterable[str | Node]) -> int:
        """Remove expressions, exactly as they were written; how many were there comes back."""
        with self.store.writing():
            removed = self.store.remove(describe(expressions))
            self.store.settle()
        return removed

    def search(
        self,
        query: str | Node,
        k: int = 10,
        *,
        filter: Filter = EVERYTHING,  # noqa: A002
        config: SearchConfig = DEFAULT_SEARCH,
    ) -> SearchResult:
        """The expressions equal to a query, found by key and confirmed, then its neighbours."""
        _check_k(k)
        tree, clock = as_tree(query), _Clock()
        view = self.store.view()
        vector = self.encode([tree])[0]
        clock.lap("encode")
        letters = list(renamings(tree))
        keys = keys_of([tree.rename(names) for names in letters])
        matches = view.matching(keys, vector, filter)
        clock.lap("lookup")
        near = view.nearest(vector[None], k, filter)[0]
        clock.lap("neighbours")
        judging = Judging(tree, config)
        by_key: dict[int, list[dict[str, str]]] = defaultdict(list)
        for key, names in zip(keys.tolist(), letters, strict=True):
            by_key[key].append(names)
        confirmed = judging.confirmed(matches, by_key, k)
        hits = in_order(confirmed, _others(near, confirmed, judging, k))
        clock.lap("judge")
        return SearchResult(tuple(hits[:k]), clock.timings())

    def similar_to(
        self,
        expression: str | Node,
        k: int = 10,
        *,
        filter: Filter = EVERYTHING,  # noqa: A002
        config: SearchConfig = DEFAULT_SEARCH,
    ) -> SearchResult:
        """The neighbours of an expression by cosine alone, itself left out."""
        _check_k(k)
        tree, clock = as_tree(expression), _Clock()
        vector = self.encode([tree])[0]
        clock.lap("encode")
        near = self.store.view().nearest(vector[None], k + 1, filter)[0]
        clock.lap("neighbours")
        judging = Judging(tree, config)
        others = [found for found in near if found.text != write_prefix(tree)][:k]
        hits = tuple(judging.hits(others))
        clock.lap("judge")
        return SearchResult(hits, clock.timings())

    def analogy(
        self,
        x1: str | Node,
        y1: str | Node,
        y2: str | Node,
        k: int = 10,
        *,
        filter: Filter = EVERYTHING,  # noqa: A002
    ) -> SearchResult:
        """The expressions x2 for which x1 is to y1 as x2 is to y2.

        They are the nearest to emb(x1) - emb(y1) + emb(y2), the three themselves left out
        (Gangwar & Kani, TMLR 2023, Embedding Algebra).
        """
        _check_k(k)
        trees, clock = [as_tree(x1), as_tree(y1), as_tree(y2)], _Clock()
        first, second, third = vectors_of(self.encoder, canonical(*trees), normalize=False)
        target = first - second + third
        target = (target / (np.linalg.norm(target) or 1))[None]
        clock.lap("encode")
        near = self.store.view().nearest(target, k + len(trees), filter)[0]
        given = {write_prefix(tree) for tree in trees}
        others = [found for found in near if found.text not in given][:k]
        clock.lap("neighbours")
        hits = tuple(Hit(parse_prefix(found.text), found.cosine, None, {}) for found in others)
        return SearchResult(hits, clock.timings())

    def encode(self, trees: Iterable[Node]) -> NDArray[np.float32]:  # (trees, width)
        """The vectors of trees as those of the index are made: each under canonical letters."""
        renamed = [canonical(tree)[0] for tree in trees]
        return vectors_of(self.encoder, renamed, normalize=True)

    def sample(self, count: int) -> tuple[list[str], NDArray[np.float32]]:
        """At most so many of the expressions, in prefix form, and their vectors."""
        return self.store.view().sample(count)

    def _add_all(
        self,
        expressions: Iterable[str | Node],
        batch: int,
        report: Callable[[IndexProgress], None],
    ) -> int:
        read = added = 0
        for some in _batches(expressions, batch):
            read += len(some)
            added += self._add(describe(some))
            report(IndexProgress(read, added))
        return added

    def _add(self, entries: Entries) -> int:
        new = [row for row, is_there in enumerate(self.store.has(entries)) if not is_there]
        entries = entries.take(new)
        if new:
            self.store.append(entries, vectors_of(self.encoder, entries.renamed, normalize=True))
        return len(new)


def open_store(where: str | Path) -> Store:
    """The place where an index is kept; it knows the name of the encoder that made it."""
    if str(where).startswith(REMOTE):
        from equivec.search.milvus import MilvusStore

        return MilvusStore.open(str(where))
    return FolderStore.open(Path(where))


def begin_store(where: str | Path, encoder: Encoder, config: IndexConfig, *, resume: bool) -> Store:
    """A new store, or one whose build was begun and is to go on."""
    if str(where).startswith(REMOTE):
        from equivec.search.milvus import MilvusStore

        return MilvusStore.create(str(where), encoder.name, encoder.width, resume=resume)
    folder = Path(where)
    if not FolderStore.exists(folder):
        return FolderStore.create(
            folder, encoder.name, encoder.width, config.precision, config.neighbours
        )
    store = FolderStore.open(folder, unfinished=resume)
    if not resume:
        raise FileFormatError(f"{folder} already holds an index; add to it with: equivec index add")
    begun = store.info().precision
    if begun != config.precision:
        raise ConfigError(
            f"{folder} was begun with the precision {begun}, not {config.precision}; "
            f"continue it with --vector-type {begun}"
        )
    return store


def _delete(folder: Path) -> None:
    for path in folder.iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    # A link to a folder stays, and so does a folder that the system holds.
    with suppress(OSError):
        folder.rmdir()


def _others(near: list[Found], confirmed: list[Hit], judging: Judging, k: int) -> list[Hit]:
    """The neighbours that there is room for beside the hits there are, judged as well."""
    known = {write_prefix(hit.tree) for hit in confirmed}
    others = [found for found in near if found.text not in known]
    return list(judging.hits(others[: max(0, k - len(confirmed))]))


class _Clock:
    """Seconds since the last look, by name."""

    def __init__(self) -> None:
        self._last = time.perf_counter()
        self._laps: dict[str, float] = {}

    def lap(self, name: str) -> None:
        now = time.perf_counter()
        self._laps[name] = now - self._last
        self._last = now

    def timings(self) -> Timings:
        return Timings(**self._laps)


def _batches(expressions: Iterable[str | Node], size: int) -> Iterator[list[str | Node]]:
    source = iter(expressions)
    while some := list(islice(source, size)):
        yield some


def _check_k(k: int) -> None:
    if not 1 <= k <= _MOST_HITS:
        raise ConfigError(f"k must lie between 1 and {_MOST_HITS:,}, not at {k:,}")
