"""A corpus in other formats: the authors' pairs, one expression a line, arrays for training."""

from __future__ import annotations

from itertools import combinations, compress, pairwise
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from equivec.corpus.splitting import SPLITS, TRAIN, UNSEEN, UNSEEN_EQUIVALENT
from equivec.corpus.store import MAX_PAIRS
from equivec.expression.grammar import ELEMENTARY
from equivec.expression.order import in_order
from equivec.expression.prefix import parse_prefix
from equivec.expression.vocabulary import Vocabulary
from equivec.storage.files import renamed_when_complete, written_whole

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from equivec.corpus.store import Corpus
    from equivec.expression.tree import Node


def clusters_of(table: pa.Table) -> Iterator[list[str]]:
    """The texts of each cluster of a table that is sorted by cluster."""
    texts = table["tokens"].to_pylist()
    for start, end in pairwise([*_firsts(table).tolist(), len(texts)]):
        yield texts[start:end]


def functions_of(table: pa.Table) -> NDArray[np.uint64]:
    """The fingerprint of each cluster of a table that is sorted by cluster."""
    fingerprints: NDArray[np.uint64] = table["fingerprint"].to_numpy()
    return fingerprints[_firsts(table)]


def _firsts(table: pa.Table) -> NDArray[np.intp]:
    """The place of each cluster's first row."""
    return np.flatnonzero(np.diff(table["cluster"].to_numpy(), prepend=-1))


def export_pairs(corpus: Corpus, path: str | Path, seed: int = 42) -> int:
    """Write all ordered pairs of the training clusters, at most 100,000 unordered of each."""
    generator = Random(seed)  # noqa: S311
    count = 0
    with written_whole(path) as file:
        for members in clusters_of(corpus.table(TRAIN)):
            pairs = list(combinations(members, 2))
            if len(pairs) > MAX_PAIRS:
                pairs = generator.sample(pairs, MAX_PAIRS)
            for a, b in pairs:
                file.write(f"{a}\t{b}\n{b}\t{a}\n")
                count += 2
    return count


def export_expressions(corpus: Corpus, path: str | Path, split: str) -> int:
    """Write the expressions of a split, one a line."""
    count = 0
    with written_whole(path) as file:
        for text in corpus.expressions(split):
            file.write(f"{text}\n")
            count += 1
    return count


def export_arrays(
    corpus: Corpus,
    path: str | Path,
    split: str = TRAIN,
    *,
    ignore_order: bool = False,
    engine: str | None = None,
) -> int:
    """Write token ids for training, as a compressed archive of four arrays.

    `ids` has the token ids of all expressions one after the other, `lengths` the length of each
    expression, `sizes` the size of each cluster, `functions` its fingerprint; expressions of a
    cluster stand together. With `ignore_order`, one is kept of members that differ only in the
    order of commutative arguments; with an engine, what it found and was given, as far as that
    makes pairs.
    """
    table = corpus.table(split)
    if engine is not None:
        table = _pairs_of(table.filter(pc.equal(table["engine"], engine)))
    clusters = clusters_of(table)
    members = map(_one_of_each_order, clusters) if ignore_order else clusters
    return write_arrays(members, functions_of(table), path)


def _pairs_of(table: pa.Table) -> pa.Table:
    """The clusters of two members or more."""
    clusters = table["cluster"].to_numpy()
    _, places, sizes = np.unique(clusters, return_inverse=True, return_counts=True)
    return table.filter(pa.array(sizes[places] > 1))


def _one_of_each_order(members: list[str]) -> list[str]:
    """The first of the members that are alike but for the order of commutative arguments.

    >>> _one_of_each_order(["add x y", "mul x INT+ 2", "add y x"])
    ['add x y', 'mul x INT+ 2']
    """
    found: dict[Node, str] = {}
    for text in members:
        found.setdefault(in_order(parse_prefix(text)), text)
    return list(found.values())


def export_arrays_without(corpus: Corpus, path: str | Path, other: Corpus) -> int:
    """Write the training arrays of a corpus without what another one holds out.

    A model trained on both has then seen no expression of the other's test sets and no
    equivalent of its unseen functions.
    """
    # It asks the judge, which a machine that only trains on arrays does not have.
    from equivec.corpus.held_out import functions_among

    held_out = other.table(*(split for split in SPLITS if split != TRAIN))
    table = corpus.table(TRAIN)
    unseen, equivalents = (
        frozenset(held_out.filter(pc.equal(held_out["split"], split))["tokens"].to_pylist())
        for split in (UNSEEN, UNSEEN_EQUIVALENT)
    )
    known = pa.array(functions_among(table, unseen, equivalents), pa.int64())
    table = table.filter(pc.invert(pc.is_in(table["cluster"], known)))
    table = table.filter(pc.invert(pc.is_in(table["tokens"], held_out["tokens"].combine_chunks())))
    clusters = list(clusters_of(table))
    is_pair = np.array([len(members) > 1 for members in clusters], dtype=bool)
    return write_arrays(compress(clusters, is_pair), functions_of(table)[is_pair], path)


def export_held_out(corpus: Corpus, path: str | Path, split: str) -> int:
    """Write the expressions of a split, each with one equivalent from training, as arrays."""
    table = corpus.table(split, TRAIN)
    labels = table["split"].to_pylist()
    texts, clusters = table["tokens"].to_pylist(), table["cluster"].to_numpy()
    partners = {
        cluster: text
        for cluster, text, label in zip(clusters, texts, labels, strict=True)
        if label == TRAIN
    }
    fingerprints = table["fingerprint"].to_pylist()
    found = [
        ([text, partners[cluster]], fingerprint)
        for cluster, text, label, fingerprint in zip(
            clusters, texts, labels, fingerprints, strict=True
        )
        if label == split and cluster in partners
    ]
    functions = np.array([fingerprint for _, fingerprint in found], dtype=np.uint64)
    return write_arrays((pair for pair, _ in found), functions, path)


def write_arrays(
    clusters: Iterable[Sequence[str]], functions: NDArray[np.uint64], path: str | Path
) -> int:
    """Write the token ids of clusters of prefix texts, and the fingerprints of their functions."""
    vocabulary = Vocabulary.of(ELEMENTARY)
    ids, lengths, sizes = bytearray(), bytearray(), []
    for cluster in clusters:
        sizes.append(len(cluster))
        for text in cluster:
            encoded = vocabulary.encode(text.split())
            ids += bytes(encoded)
            lengths.append(len(encoded))
    with renamed_when_complete(Path(path)) as temporary, temporary.open("wb") as file:
        np.savez_compressed(
            file,
            ids=np.frombuffer(ids, dtype=np.uint8),
            lengths=np.frombuffer(lengths, dtype=np.uint8),
            sizes=np.array(sizes, dtype=np.uint32),
            functions=functions,
        )
    return len(lengths)
