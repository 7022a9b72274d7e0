"""Embedding plots as numbers: how far classes keep together, on a plane and in the full space.

The plane is that of the first two principal components, as in the paper, or a map by t-SNE. On the
plane neighbours and silhouettes go by Euclid's distance, in the full space by cosine. Every measure
has a control: the same with the labels shuffled. Some expressions equal one of another class, as
exp(x) does sinh(x) + cosh(x): where such two are nearest, a model is right that mixes classes, and
one that gives all forms of a function one vector is bound to.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from itertools import compress
from typing import TYPE_CHECKING, Literal

import numpy as np

from equivec.algebra.compare import compare_many, compare_with_first
from equivec.algebra.fingerprint import fingerprints, says_nothing
from equivec.errors import ConfigError
from equivec.evaluate.encoders import vectors_of
from equivec.evaluate.measures import (
    centroid_accuracy,
    cosine_silhouette,
    nearest_points,
    purity,
    silhouette,
)
from equivec.evaluate.neighbours import nearest_neighbours, unit_vectors
from equivec.evaluate.pool import prefix_text
from equivec.evaluate.results import Result, result_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import numpy.typing as npt

    from equivec.evaluate.encoders import Encoder
    from equivec.evaluate.neighbours import Floats
    from equivec.evaluate.plot_set import Labelled
    from equivec.evaluate.results import Steps

    Numbers = npt.NDArray[np.float64]
    Labels = npt.NDArray[np.int64]

MapName = Literal["pca", "tsne"]
_K = 5
_BLOCK = 500  # expressions that are encoded between two signs of life


@dataclass(frozen=True, slots=True)
class ClassMeasures(Result):
    """How far classes keep together."""

    purity_at_1: float
    purity_at_5: float
    silhouette: float
    centroid_accuracy: float


@dataclass(frozen=True, slots=True)
class OriginMeasures(Result):
    """The purity_at_1 of the expressions of one origin, among those of all."""

    count: int
    plane: float
    full: float


@dataclass(frozen=True, slots=True)
class PlotMeasures(Result):
    """A model's measures on the plane and in the full space, and with shuffled labels."""

    model: str
    map: str
    classes: Mapping[str, int]
    by_origin: Mapping[str, OriginMeasures]  # of those whose origin is known
    plane: ClassMeasures
    full: ClassMeasures
    plane_shuffled: ClassMeasures
    full_shuffled: ClassMeasures
    full_or_equal: float  # purity_at_1, where an equal expression of another class is right too
    full_of_functions: float  # purity_at_1 if equals shared a vector and all else were right


@dataclass(frozen=True, eq=False, slots=True)
class EmbeddingPlot:
    """Expressions at their places on the plane, and what was measured."""

    expressions: tuple[Labelled, ...]
    points: Numbers  # (expressions, 2)
    measures: PlotMeasures


def plot_embeddings(
    encoder: Encoder, expressions: Sequence[Labelled], map_name: MapName = "pca", seed: int = 42
) -> EmbeddingPlot:
    """The expressions on a plane, with the measures of their classes."""
    return result_of(plot_in_steps(encoder, expressions, map_name, seed))


def plot_in_steps(
    encoder: Encoder, expressions: Sequence[Labelled], map_name: MapName, seed: int
) -> Steps[EmbeddingPlot]:
    """The same, telling how many expressions have their vectors; then comes the map."""
    if map_name not in _MAPS:
        raise ConfigError(f"{map_name!r} is no map; choose from {', '.join(_MAPS)}")
    counts = Counter(row.label for row in expressions)
    if len(counts) < 2 or min(counts.values()) < 2:
        raise ConfigError("a plot needs at least two classes of at least two expressions each")
    parts: list[Floats] = []
    for start in range(0, len(expressions), _BLOCK):
        yield start, len(expressions)
        some = expressions[start : start + _BLOCK]
        parts.append(vectors_of(encoder, [prefix_text(row.expression) for row in some]))
    yield len(expressions), len(expressions)
    return _plot(encoder.name, expressions, np.concatenate(parts), map_name, seed)


def _plot(
    model: str, expressions: Sequence[Labelled], vectors: Floats, map_name: MapName, seed: int
) -> EmbeddingPlot:
    _check_vectors(model, vectors)
    points = _MAPS[map_name](vectors, seed)
    _, labels = np.unique([row.label for row in expressions], return_inverse=True)
    shuffled = np.random.default_rng(seed).permutation(labels)
    units = unit_vectors(vectors)
    near_plane = nearest_points(points, _K)
    near_full = nearest_neighbours(units, np.arange(len(units)), _K)
    plane, plane_shuffled = (_on_plane(points, near_plane, some) for some in (labels, shuffled))
    full, full_shuffled = (_in_space(units, near_full, some) for some in (labels, shuffled))
    counts = dict(sorted(Counter(row.label for row in expressions).items()))
    origins = _by_origin(expressions, near_plane, near_full, labels)
    or_equal = full.purity_at_1 + _equal_strangers(expressions, near_full[:, 0], labels)
    measures = PlotMeasures(
        *(model, map_name, counts, origins, plane, full, plane_shuffled, full_shuffled, or_equal),
        purity_of_functions(expressions),
    )
    return EmbeddingPlot(tuple(expressions), points, measures)


def _check_vectors(model: str, vectors: Floats) -> None:
    if vectors.shape[1] < 2:
        raise ConfigError(f"{model} gives vectors of one number; a plane takes two or more")
    if (vectors == vectors[0]).all():
        raise ConfigError(f"{model} gave all expressions one vector; there is no map of them")


def principal_components(vectors: Floats, seed: int = 0) -> Numbers:  # noqa: ARG001
    """The vectors on the plane of their two first principal components.

    >>> points = principal_components(np.array([[0, 0, 1], [2, 0, 1], [4, 1, 1]], dtype=np.float32))
    >>> points.shape, bool(np.var(points[:, 0]) > np.var(points[:, 1]))
    ((3, 2), True)
    """
    centred = vectors.astype(np.float64)
    centred -= centred.mean(axis=0)
    _, _, axes = np.linalg.svd(centred, full_matrices=False)
    axes = axes[:2]
    # An axis may as well point the other way; its largest entry is made positive.
    largest = np.abs(axes).argmax(axis=1)
    axes *= np.sign(axes[np.arange(len(axes)), largest])[:, None]
    points: Numbers = centred @ axes.T
    return points


def neighbour_map(vectors: Floats, seed: int) -> Numbers:
    """A map by t-SNE (van der Maaten & Hinton 2008) of the unit vectors: near stays near."""
    try:
        from sklearn.manifold import TSNE
        from threadpoolctl import threadpool_limits
    except ImportError:
        raise ConfigError("t-SNE needs scikit-learn: pip install 'equivec[plots]'") from None
    perplexity = min(30.0, (len(vectors) - 1) / 3)
    method = TSNE(init="pca", random_state=seed, perplexity=perplexity)
    # One thread adds up in one order, so that the same seed gives the same map on a machine.
    with threadpool_limits(1):
        points: Numbers = method.fit_transform(unit_vectors(vectors)).astype(np.float64)
    return points


_MAPS = {"pca": principal_components, "tsne": neighbour_map}


def _on_plane(points: Numbers, near: Labels, labels: Labels) -> ClassMeasures:
    accuracy = centroid_accuracy(points, labels)
    return ClassMeasures(*_purities(near, labels), silhouette(points, labels), accuracy)


def _in_space(units: Floats, near: Labels, labels: Labels) -> ClassMeasures:
    accuracy = centroid_accuracy(units.astype(np.float64), labels)
    return ClassMeasures(*_purities(near, labels), cosine_silhouette(units, labels), accuracy)


def _by_origin(
    expressions: Sequence[Labelled], near_plane: Labels, near_full: Labels, labels: Labels
) -> dict[str, OriginMeasures]:
    """Whether expressions of the training set keep to their class better than the others."""
    is_right = np.stack([labels == labels[near[:, 0]] for near in (near_plane, near_full)])
    known = np.array([row.is_from_training for row in expressions])
    found = {}
    for name, origin in (("training", True), ("new", False)):
        some = is_right[:, known == origin]
        if some.size:
            found[name] = OriginMeasures(some.shape[1], *some.mean(axis=1).tolist())
    return found


def _equal_strangers(expressions: Sequence[Labelled], nearest: Labels, labels: Labels) -> float:
    """The share of expressions whose nearest is of another class and yet the same function."""
    strangers = np.flatnonzero(labels != labels[nearest]).tolist()
    pairs = [
        (expressions[row].expression, expressions[nearest[row]].expression) for row in strangers
    ]
    return sum(verdict.is_equal for verdict in compare_many(pairs)) / len(expressions)


def purity_of_functions(expressions: Sequence[Labelled]) -> float:
    """The purity_at_1 to be expected if equals shared a vector and all else were right.

    The nearest one of an expression is then any that equals it, if there is one.

    >>> from equivec.evaluate.plot_set import Labelled
    >>> rows = [("exp(x)", "e"), ("exp(2*x)/exp(x)", "e"), ("sinh(x) + cosh(x)", "h"), ("x", "p")]
    >>> purity_of_functions([Labelled(*row) for row in rows])
    0.5
    """
    wrong = 0.0
    for forms in _functions(expressions):
        count = len(forms)
        of_class = Counter(row.label for row in forms).values()
        wrong += sum(own * (count - own) / (count - 1) for own in of_class)
    return 1 - wrong / len(expressions)


def _functions(expressions: Sequence[Labelled]) -> Iterator[list[Labelled]]:
    """Expressions that are one function, wherever there is more than one of it."""
    alike = defaultdict(list)
    marks = fingerprints([row.expression for row in expressions])
    for row, mark in zip(expressions, marks, strict=True):
        if not says_nothing(mark):
            alike[mark].append(row)
    for rows in alike.values():
        while len(rows) > 1:
            first, *others = rows
            verdicts = compare_with_first(first.expression, [row.expression for row in others])
            is_equal = [verdict.is_equal for verdict in verdicts]
            if any(is_equal):
                yield [first, *compress(others, is_equal)]
            rows = [row for row, equals in zip(others, is_equal, strict=True) if not equals]


def _purities(near: Labels, labels: Labels) -> tuple[float, float]:
    return purity(near[:, :1], labels), purity(near, labels)
