"""What a corpus looks like: the paper's statistics, and how varied its clusters are."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Annotated

import numpy as np
import pyarrow.compute as pc

from equivec.corpus.export import clusters_of
from equivec.corpus.store import cluster_sizes
from equivec.evaluate.results import Result
from equivec.expression.grammar import ELEMENTARY, OPERATOR_TYPES
from equivec.expression.order import in_order
from equivec.expression.prefix import parse_prefix
from equivec.storage.values import InJson, record_from

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import pyarrow as pa

    from equivec.corpus.store import Corpus

_OPERATORS = frozenset(row.name for row in ELEMENTARY.symbols if row.arity)


@dataclass(frozen=True, slots=True)
class Spread(Result):
    """A mean and a standard deviation."""

    mean: float
    deviation: float

    def __str__(self) -> str:
        return f"{self.mean:.2f} ± {self.deviation:.2f}"


@dataclass(frozen=True, slots=True)
class CorpusStatistics(Result):
    """The paper's statistics of a corpus."""

    operators: Mapping[str, Spread]
    lengths: Mapping[str, Spread]
    with_operator: Mapping[str, int]
    by_types: Mapping[int, int]
    cluster_sizes: Mapping[int, int]


@dataclass(frozen=True, slots=True)
class Diversity(Result):
    """How different the members of a cluster are, over sampled pairs."""

    pairs: int
    edit_distance: float
    only_reordered: float


@dataclass(frozen=True, slots=True)
class CorpusCounts(Result):
    """How many there are, as the manifest of a corpus counts."""

    expressions: int
    clusters: int
    pairs: int  # as the paper counts them
    pairs_in_clusters: Annotated[int, InJson("pairs in clusters")]
    engines: Mapping[str, int]
    splits: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class CorpusDescription(Result):
    """All that is known of what a corpus looks like."""

    counts: CorpusCounts
    operators: Mapping[str, Spread]
    lengths: Mapping[str, Spread]
    with_operator: Mapping[str, int]
    by_types: Mapping[int, int]
    cluster_sizes: Mapping[int, int]
    diversity: Mapping[str, Diversity]  # by engine

    def sentences(self) -> Iterator[str]:
        """The counts, and operators and lengths of each set."""
        counts = self.counts
        yield (
            f"corpus: {counts.expressions:,} expressions in {counts.clusters:,} clusters, "
            f"{counts.pairs:,} ordered pairs"
        )
        for name, operators in self.operators.items():
            yield (
                f"  {name}: {counts.splits[name]:,} expressions, operators {operators}, tokens "
                f"{self.lengths[name]}"
            )


def describe(corpus: Corpus) -> CorpusDescription:
    """The counts of a corpus, the paper's statistics of it, and how varied its clusters are."""
    table = corpus.table()
    counts = record_from(corpus.manifest["counts"], CorpusCounts, corpus.folder / "manifest.json")
    spread = {}
    for engine in counts.engines:
        clusters = list(clusters_of(only_engine(table, engine)))
        if any(len(members) > 1 for members in clusters):
            spread[engine] = diversity(clusters)
    found = statistics(table)
    return CorpusDescription(
        counts=counts,
        operators=found.operators,
        lengths=found.lengths,
        with_operator=found.with_operator,
        by_types=found.by_types,
        cluster_sizes=found.cluster_sizes,
        diversity=spread,
    )


def statistics(table: pa.Table) -> CorpusStatistics:
    """The statistics of a table of rows; operators and lengths for each split."""
    operators: dict[str, list[int]] = {}
    lengths: dict[str, list[int]] = {}
    with_operator: Counter[str] = Counter()
    by_types: Counter[int] = Counter()
    for text, split in zip(table["tokens"].to_pylist(), table["split"].to_pylist(), strict=True):
        tokens = text.split()
        present = _OPERATORS.intersection(tokens)
        with_operator.update(present)
        by_types[sum(bool(present & some) for some in OPERATOR_TYPES.values())] += 1
        operators.setdefault(split, []).append(sum(token in _OPERATORS for token in tokens))
        lengths.setdefault(split, []).append(len(tokens))
    sizes = np.unique(cluster_sizes(table), return_counts=True)
    return CorpusStatistics(
        {split: _spread(values) for split, values in sorted(operators.items())},
        {split: _spread(values) for split, values in sorted(lengths.items())},
        dict(with_operator.most_common()),
        dict(sorted(by_types.items())),
        dict(zip(*(column.tolist() for column in sizes), strict=True)),
    )


def diversity(clusters: Iterable[Sequence[str]], seed: int = 42, pairs: int = 20_000) -> Diversity:
    """How far the members of clusters are apart, over at most so many random pairs."""
    generator = random.Random(seed)  # noqa: S311
    every = [
        pair
        for members in clusters
        for pair in combinations(generator.sample(list(members), min(4, len(members))), 2)
    ]
    chosen = generator.sample(every, min(pairs, len(every)))
    split = [(a.split(), b.split()) for a, b in chosen]
    distances = [edit_distance(a, b) / max(len(a), len(b)) for a, b in split]
    reordered = [in_order(parse_prefix(a)) == in_order(parse_prefix(b)) for a, b in chosen]
    return Diversity(len(chosen), float(np.mean(distances)), float(np.mean(reordered)))


def only_engine(table: pa.Table, engine: str) -> pa.Table:
    """The rows that one engine made."""
    return table.filter(pc.equal(table["engine"], engine))


def edit_distance(left: Sequence[str], right: Sequence[str]) -> int:
    """Levenshtein's distance between two sequences of tokens.

    >>> edit_distance("add x y".split(), "mul x".split())
    2
    """
    row = list(range(len(right) + 1))
    for i, a in enumerate(left, 1):
        previous, row[0] = row[0], i
        for j, b in enumerate(right, 1):
            previous, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, previous + (a != b))
    return row[-1]


def _spread(values: list[int]) -> Spread:
    return Spread(float(np.mean(values)), float(np.std(values)))
