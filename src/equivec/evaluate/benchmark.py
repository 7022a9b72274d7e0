"""The benchmark: five tasks on committed sets, for anything that gives expressions vectors.

- retrieval: the nearest expression to a query in the pool of all equivalents and mutants. Ties are
  lost. `recall_at_1` and the mean reciprocal rank of the first equivalent are over the whole pool;
  `beats_mutants` is the share of pairs of an equivalent and a mutant of the query in which the
  equivalent is nearer.
- detection: equal or not, by the cosine of a pair; half of the pairs are near misses.
- clustering: k-means with the true number of clusters, the mean adjusted Rand index of ten runs.
- analogies: x1 - y1 + y2 among the expressions of all analogies.
- robustness: the cosine between an expression and its rewrite after 1, 2, ... steps, and between
  different expressions for comparison.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from equivec.embed.encoder import vectors_of
from equivec.embed.neighbours import ROUNDING, unit_vectors
from equivec.evaluate import benchmark_sets as sets
from equivec.evaluate.analogies import AnalogyScore, generated_analogies, solve_analogies
from equivec.evaluate.encoders import encode_once
from equivec.evaluate.measures import (
    F1,
    adjusted_rand_index,
    area_under_curve,
    best_f1,
    k_means,
)
from equivec.evaluate.pool import Pool, prefix_text
from equivec.evaluate.provenance import Provenance
from equivec.evaluate.results import ModelResult, Result, result_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from equivec.corpus.analogies import Analogy
    from equivec.embed.encoder import Encoder
    from equivec.embed.neighbours import Floats
    from equivec.evaluate.benchmark_sets import DetectionPair, RetrievalCase, Walk
    from equivec.evaluate.results import Steps

SEED = 42
_RUNS = 10  # of k-means


@dataclass(frozen=True, slots=True)
class RetrievalScore(Result):
    """How well equivalents are found among mutants."""

    queries: int
    pool: int
    recall_at_1: float
    mean_reciprocal_rank: float
    beats_mutants: float


@dataclass(frozen=True, slots=True)
class DetectionScore(Result):
    """How well the cosine tells equal pairs from near misses."""

    pairs: int
    area_under_curve: float
    best_f1: F1


@dataclass(frozen=True, slots=True)
class ClusteringScore(Result):
    """How well k-means finds the clusters again."""

    clusters: int
    expressions: int
    adjusted_rand_index: float  # the mean of several runs
    deviation: float  # of one run


@dataclass(frozen=True, slots=True)
class RobustnessScore(Result):
    """The mean cosine with the source after 1, 2, ... rewrites, and with the source of another."""

    walks: int
    mean_cosines: tuple[float, ...]
    others: float


@dataclass(frozen=True, slots=True)
class BenchmarkResult(ModelResult):
    """A model's scores in the five tasks."""

    retrieval: RetrievalScore
    detection: DetectionScore
    clustering: ClusteringScore
    analogies: tuple[AnalogyScore, ...]
    robustness: RobustnessScore

    @property
    def row(self) -> Mapping[str, float]:
        """The figures that a table shows."""
        return {name: figure(self) for name, figure in FIGURES.items()}

    def to_json(self) -> dict[str, Any]:
        """The result as JSON has it, with the figures that a table shows."""
        return {**Result.to_json(self), "row": dict(self.row)}

    def sentences(self) -> Iterator[str]:
        """The figures that a table shows."""
        yield ", ".join(f"{name} {value:.3f}" for name, value in self.row.items())


@dataclass(frozen=True, slots=True)
class BenchmarkFile(Provenance):
    """The benchmark of several models, as `equivec benchmark` keeps it."""

    models: tuple[BenchmarkResult, ...] = ()
    precision: str | None = None  # of our models' encoders


# In the order of a table. More is better, but for cosines: those with rewrites say something only
# beside that with another expression.
COSINES = ("cosine after 1 step", "cosine after the last", "cosine with another")
FIGURES: Mapping[str, Callable[[BenchmarkResult], float]] = {
    "retrieval, recall@1": lambda found: found.retrieval.recall_at_1,
    "retrieval, MRR": lambda found: found.retrieval.mean_reciprocal_rank,
    "beats mutants": lambda found: found.retrieval.beats_mutants,
    "detection, AUC": lambda found: found.detection.area_under_curve,
    "detection, F1": lambda found: found.detection.best_f1.value,
    "clustering, ARI": lambda found: found.clustering.adjusted_rand_index,
    "analogies, recall@1": lambda found: found.analogies[-1].exact_at_1 / found.analogies[-1].count,
    "analogies, recall@5": lambda found: found.analogies[-1].exact_at_5 / found.analogies[-1].count,
    "cosine after 1 step": lambda found: found.robustness.mean_cosines[0],
    "cosine after the last": lambda found: found.robustness.mean_cosines[-1],
    "cosine with another": lambda found: found.robustness.others,
}


def run_benchmark(encoder: Encoder) -> BenchmarkResult:
    """All five tasks on the committed sets."""
    return result_of(benchmark_in_steps(encoder))


def benchmark_in_steps(encoder: Encoder) -> Steps[BenchmarkResult]:
    """The same, telling before each task how many are done."""
    scores, model = {}, encoder.name
    for number, (name, score) in enumerate(TASKS.items()):
        yield number, len(TASKS)
        scores[name] = score(encoder)
    return BenchmarkResult(model, **scores)


def score_retrieval(encoder: Encoder, cases: Sequence[RetrievalCase]) -> RetrievalScore:
    """Every query against the equivalents and mutants of all queries."""
    groups = [[*case.equivalents, *case.mutants] for case in cases]
    texts = list(dict.fromkeys(prefix_text(text) for group in groups for text in group))
    places = {text: place for place, text in enumerate(texts)}
    pool = unit_vectors(vectors_of(encoder, texts))
    ranks: list[int] = []
    wins: list[bool] = []
    queries = _units(encoder, (case.query for case in cases))
    for case, query in zip(cases, queries, strict=True):
        cosines = pool @ query
        equal, apart = (
            [places[prefix_text(text)] for text in group]
            for group in (case.equivalents, case.mutants)
        )
        others = np.delete(cosines, equal)
        ranks.append(1 + int((others > cosines[equal].max() - ROUNDING).sum()))
        wins += (cosines[equal][:, None] > cosines[apart] + ROUNDING).ravel().tolist()
    return RetrievalScore(
        len(cases),
        len(texts),
        float(np.mean([rank == 1 for rank in ranks])),
        float(np.mean([1 / rank for rank in ranks])),
        float(np.mean(wins)),
    )


def score_detection(encoder: Encoder, pairs: Sequence[DetectionPair]) -> DetectionScore:
    """The cosine of every pair as a score of its being equal."""
    sides = _units(encoder, (text for pair in pairs for text in (pair.left, pair.right)))
    cosines = _cosines(sides[::2], sides[1::2])
    scores = (cosines / ROUNDING).round() * ROUNDING  # so that ties are ties
    truth = [pair.is_equal for pair in pairs]
    return DetectionScore(len(pairs), area_under_curve(scores, truth), best_f1(scores, truth))


def score_clustering(encoder: Encoder, clusters: Sequence[Sequence[str]]) -> ClusteringScore:
    """k-means on the unit vectors, with as many clusters as there are, several times.

    One run may find three of a hundred clusters more or less than the next.
    """
    vectors = _units(encoder, (text for cluster in clusters for text in cluster))
    truth = np.repeat(np.arange(len(clusters)), [len(cluster) for cluster in clusters])
    indices = [
        adjusted_rand_index(k_means(vectors, len(clusters), SEED + run), truth)
        for run in range(_RUNS)
    ]
    mean, deviation = float(np.mean(indices)), float(np.std(indices))
    return ClusteringScore(len(clusters), len(truth), mean, deviation)


def score_analogies(encoder: Encoder, analogies: Sequence[Analogy]) -> tuple[AnalogyScore, ...]:
    """The generated analogies, answered from the pool of their own expressions."""
    pool = Pool.of(encoder, (text for analogy in analogies for text in analogy.expressions))
    return solve_analogies(encoder, analogies, pool).scores


def score_robustness(encoder: Encoder, walks: Sequence[Walk]) -> RobustnessScore:
    """Mean cosines by number of steps; the comparison is each source with the next one."""
    sources = _units(encoder, (walk.source for walk in walks))
    steps = [
        float(_cosines(sources, _units(encoder, rewrites)).mean())
        for rewrites in zip(*(walk.rewrites for walk in walks), strict=True)
    ]
    others = float(_cosines(sources, np.roll(sources, 1, axis=0)).mean())
    return RobustnessScore(len(walks), tuple(steps), others)


TASKS: Mapping[str, Callable[[Encoder], Any]] = {
    "retrieval": lambda encoder: score_retrieval(encoder, sets.retrieval_cases()),
    "detection": lambda encoder: score_detection(encoder, sets.detection_pairs()),
    "clustering": lambda encoder: score_clustering(encoder, sets.clusters()),
    "analogies": lambda encoder: score_analogies(encoder, generated_analogies()),
    "robustness": lambda encoder: score_robustness(encoder, sets.walks()),
}


def _units(encoder: Encoder, expressions: Iterable[str]) -> Floats:
    return unit_vectors(encode_once(encoder, [prefix_text(text) for text in expressions]))


def _cosines(lefts: Floats, rights: Floats) -> Floats:
    cosines: Floats = (lefts * rights).sum(axis=1)
    return cosines
