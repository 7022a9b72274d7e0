"""SemVec on a CPU: the datasets made anew, beside SymPy, and scored exactly, beside faiss."""

from __future__ import annotations

import operator
import tracemalloc
from typing import TYPE_CHECKING, Any

import faiss
import numpy as np
import sympy

from benchmarks.timing import Row, settle, timed
from equivec.embed.neighbours import nearest_neighbours, unit_vectors
from equivec.semvec.dataset import SEMVEC_SPECS, Split, semvec_spec
from equivec.semvec.enumeration import enumerate_semvec
from equivec.semvec.score import LARGEST_K, score

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import numpy.typing as npt

    from equivec import Node
    from equivec.embed.neighbours import Floats, Rows
    from equivec.semvec.dataset import SemVecDataset

_CLASSIFIED, _LARGEST, _WIDTH = "Poly8", "Bool8", 64
_TESTS = (Split.VALIDATION, Split.SEEN, Split.UNSEEN)
_SYMPY_TREES, _COMPARED_QUERIES = 2_000, 10_000
_APPLIED: Mapping[str | int, Any] = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
}


def semvec(seed: int) -> Iterator[Row]:
    """How long all 14 datasets and the largest score take, and two rates beside alternatives."""
    settle()
    yield _classification(seed)
    seconds = timed(lambda specs: [enumerate_semvec(spec) for spec in specs], SEMVEC_SPECS).seconds
    what = f"all {len(SEMVEC_SPECS)} datasets made anew"
    yield Row(benchmark="semvec", what=what, ours=seconds, unit="s")
    dataset = enumerate_semvec(semvec_spec(_LARGEST))
    vectors = _vectors(dataset, np.random.default_rng(seed))
    yield _neighbours(dataset, vectors)
    yield from _scores(dataset, vectors)


def _classification(seed: int) -> Row:
    """Expressions sorted into classes per second: SymPy by expanding each."""
    made = timed(enumerate_semvec, semvec_spec(_CLASSIFIED))
    dataset = made.result
    generator = np.random.default_rng(seed)
    rows = generator.choice(len(dataset), _SYMPY_TREES, replace=False)
    trees = [dataset.tree(row) for row in rows.tolist()]
    expanded = timed(lambda some: [sympy.expand(_to_sympy(tree)) for tree in some], trees)
    if not _are_same_classes(expanded.result, dataset.class_ids[rows].tolist()):
        raise AssertionError("the classes are not those of SymPy")
    ours, alternative = len(dataset) / made.seconds, len(trees) / expanded.seconds
    return Row(
        benchmark="semvec",
        what=f"{_CLASSIFIED} made and sorted into classes, beside SymPy's expand alone",
        ours=ours,
        alternative=alternative,
        unit="expressions/s",
        ratio=ours / alternative,
    )


def _to_sympy(tree: Node) -> Any:
    if not tree.arguments:
        return sympy.Symbol(tree.symbol)
    return _APPLIED[tree.symbol](*map(_to_sympy, tree.arguments))


def _are_same_classes(forms: list[Any], classes: list[int]) -> bool:
    """Whether one form goes with one class and one class with one form."""
    return len(set(forms)) == len(set(classes)) == len(set(zip(forms, classes, strict=True)))


def _vectors(dataset: SemVecDataset, generator: np.random.Generator) -> Floats:
    """What a middling network would give: a direction for each class, and noise."""
    centres = generator.standard_normal((dataset.class_count, _WIDTH), dtype=np.float32)
    noise = generator.standard_normal((len(dataset), _WIDTH), dtype=np.float32)
    vectors: npt.NDArray[np.float32] = centres[dataset.class_ids] + noise
    return vectors


def _neighbours(dataset: SemVecDataset, vectors: Floats) -> Row:
    """Neighbours of some test expressions, a perfect tie in the last bits left aside."""
    queries = dataset.rows(Split.UNSEEN)[:_COMPARED_QUERIES]
    units = unit_vectors(vectors)
    flat = faiss.IndexFlatIP(_WIDTH)
    flat.add(units)

    def alternative(rows: Rows) -> Rows:
        found: Rows = flat.search(units[rows], LARGEST_K + 1)[1]
        return found[:, 1:]  # the first is the query itself

    def ours(rows: Rows) -> Rows:
        return nearest_neighbours(vectors, rows, LARGEST_K)

    for work in (ours, alternative):
        work(queries[:100])  # threads are started
    mine, other = timed(ours, queries), timed(alternative, queries)
    if (mine.result == other.result).mean() < 0.999:
        raise AssertionError("the neighbours are not those of faiss")
    return Row(
        benchmark="semvec",
        what=f"neighbours of {len(queries):,} among {len(units):,}, beside faiss IndexFlatIP",
        ours=len(queries) / mine.seconds,
        alternative=len(queries) / other.seconds,
        unit="queries/s",
        ratio=other.seconds / mine.seconds,
    )


def _scores(dataset: SemVecDataset, vectors: Floats) -> Iterator[Row]:
    """Every test expression of a dataset, as a training scores it in the end."""
    tracemalloc.start()
    whole = timed(lambda splits: [score(dataset, vectors, split) for split in splits], _TESTS)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    count = sum(found.query_count for found in whole.result)
    what = f"{dataset.spec.name} scored: {count:,} tests among {len(dataset):,}"
    yield Row(benchmark="semvec", what=what, ours=whole.seconds, unit="s")
    yield Row(benchmark="semvec", what="- memory that takes", ours=most / 1e6, unit="MB")
