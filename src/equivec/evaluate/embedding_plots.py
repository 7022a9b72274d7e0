"""Embedding plots as numbers: how far classes keep together, on a plane and in the full space.

The plane is that of the first two principal components, as in the paper, or a map by t-SNE. On the
plane neighbours and silhouettes go by Euclid's distance, in the full space by cosine. Every measure
has a control: the same with the labels shuffled. Some expressions equal one of another class, as
exp(x) does sinh(x) + cosh(x): where such two are nearest, a model is right that mixes classes, and
one that gives all forms of a function one vector is bound to.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import compress
from typing import TYPE_CHECKING, Literal

import numpy as np

from equivec.algebra.compare import PAPER_JUDGE, compare_with_first
from equivec.algebra.fingerprint import fingerprints, is_uninformative
from equivec.embed.components import principal_components
from equivec.embed.encoder import vectors_of
from equivec.embed.neighbours import unit_vectors
from equivec.errors import ConfigError, require_packages
from equivec.evaluate.measures import (
    centroid_accuracy,
    cosine_purities,
    cosine_silhouette,
    purities,
    silhouette,
)
from equivec.evaluate.pool import prefix_text
from equivec.evaluate.results import ModelResult, Result, result_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy.typing as npt

    from equivec.embed.encoder import Encoder
    from equivec.embed.neighbours import Floats
    from equivec.evaluate.plot_set import Labelled
    from equivec.evaluate.results import Steps

    Numbers = npt.NDArray[np.float64]
    Labels = npt.NDArray[np.int64]

MapName = Literal["pca", "tsne"]
_KS = (1, 5)
_COMPONENTS = 4  # whose shares of the variance are told
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
class PlotMeasures(ModelResult):
    """A model's measures on the plane and in the full space, and with shuffled labels."""

    map: str
    classes: Mapping[str, int]
    by_origin: Mapping[str, OriginMeasures]  # of those whose origin is known
    variance: tuple[float, ...]  # the shares of the first principal components, whatever the map
    plane: ClassMeasures
    full: ClassMeasures
    plane_shuffled: ClassMeasures
    full_shuffled: ClassMeasures
    full_or_equal: float  # purity_at_1, where an equal expression of another class is right too
    full_of_functions: float  # purity_at_1 if equals shared a vector and all else were right

    def sentences(self) -> Iterator[str]:
        """The purities."""
        yield (
            f"1-NN purity {self.plane.purity_at_1:.3f} on the plane, {self.full.purity_at_1:.3f} "
            f"in the full space, {self.full_or_equal:.3f} with equals of another class "
            f"({self.full_shuffled.purity_at_1:.3f} with shuffled labels)"
        )


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
        raise ConfigError(f"{map_name!r} is not a map; choose from {', '.join(_MAPS)}")
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
    units = unit_vectors(vectors)
    _check_vectors(model, units if map_name == "tsne" else vectors)
    points = _MAPS[map_name](vectors, seed)
    _, labels = np.unique([row.label for row in expressions], return_inverse=True)
    shuffled = np.random.default_rng(seed).permutation(labels)
    functions = function_numbers(expressions)
    labellings = np.stack([labels, shuffled, functions, _numbers_of_both(labels, functions)])
    on_plane = purities(points, labellings[:2], _KS)
    in_full = cosine_purities(units, labellings, _KS)
    by_label, by_function, by_both = in_full[0, [0, 2, 3]]  # of the nearest
    counts = dict(sorted(Counter(row.label for row in expressions).items()))
    measures = PlotMeasures(
        model=model,
        map=map_name,
        classes=counts,
        by_origin=_by_origin(expressions, np.stack([on_plane[0, 0], by_label])),
        variance=variance_shares(vectors),
        plane=_on_plane(points, on_plane[:, 0], labels),
        full=_in_space(units, in_full[:, 0], labels),
        plane_shuffled=_on_plane(points, on_plane[:, 1], shuffled),
        full_shuffled=_in_space(units, in_full[:, 1], shuffled),
        full_or_equal=float((by_label + by_function - by_both).mean()),
        full_of_functions=purity_of_functions(labels, functions),
    )
    return EmbeddingPlot(tuple(expressions), points, measures)


def _check_vectors(model: str, vectors: Floats) -> None:
    if vectors.shape[1] < 2:
        raise ConfigError(f"{model} gives vectors of one number; a plane takes two or more")
    if (vectors == vectors[0]).all():
        raise ConfigError(f"{model} gave all expressions one vector; there is no map of them")


def plane(vectors: Floats, seed: int = 0) -> Numbers:  # noqa: ARG001
    """The vectors on the plane of their two first principal components."""
    return principal_components(vectors, 2).place(vectors)


def variance_shares(vectors: Floats) -> tuple[float, ...]:
    """What the first principal components hold of the variance, the largest share first.

    >>> variance_shares(np.array([[3, 0], [-3, 0], [0, 1], [0, -1]], dtype=np.float32))
    (0.9, 0.1)
    """
    count = min(_COMPONENTS, *vectors.shape)
    shares: list[float] = principal_components(vectors, count).shares.round(6).tolist()
    return tuple(shares)


def neighbour_map(vectors: Floats, seed: int) -> Numbers:
    """A map by t-SNE (van der Maaten & Hinton 2008) of the unit vectors: near stays near."""
    require_packages("t-SNE", "plots", "sklearn")
    from sklearn.manifold import TSNE
    from threadpoolctl import threadpool_limits

    perplexity = min(30.0, (len(vectors) - 1) / 3)
    method = TSNE(init="pca", random_state=seed, perplexity=perplexity)
    # One thread adds up in one order, so that the same seed gives the same map on a machine.
    with threadpool_limits(1):
        points: Numbers = method.fit_transform(unit_vectors(vectors)).astype(np.float64)
    return points


_MAPS = {"pca": plane, "tsne": neighbour_map}


def _on_plane(points: Numbers, pure: Numbers, labels: Labels) -> ClassMeasures:
    at_1, at_5 = map(float, pure.mean(axis=1))
    return ClassMeasures(at_1, at_5, silhouette(points, labels), centroid_accuracy(points, labels))


def _in_space(units: Floats, pure: Numbers, labels: Labels) -> ClassMeasures:
    at_1, at_5 = map(float, pure.mean(axis=1))
    accuracy = centroid_accuracy(units.astype(np.float64), labels)
    return ClassMeasures(at_1, at_5, cosine_silhouette(units, labels), accuracy)


def _by_origin(expressions: Sequence[Labelled], pure: Numbers) -> dict[str, OriginMeasures]:
    """Whether expressions of the training set keep to their class better than the others."""
    known = np.array([row.is_from_training for row in expressions])
    found = {}
    for name, origin in (("training", True), ("new", False)):
        some = pure[:, known == origin]  # on the plane and in the full space
        if some.size:
            found[name] = OriginMeasures(some.shape[1], *some.mean(axis=1).tolist())
    return found


def function_numbers(expressions: Sequence[Labelled]) -> Labels:
    """A number for each expression, the same for those that are one function.

    >>> from equivec.evaluate.plot_set import Labelled
    >>> rows = [Labelled(text, "") for text in ("exp(x)", "x", "exp(2*x)/exp(x)")]
    >>> function_numbers(rows).tolist()
    [0, 1, 0]
    """
    trees = [row.expression for row in expressions]
    numbers = np.arange(len(trees))
    alike = defaultdict(list)
    for row, mark in enumerate(fingerprints(trees)):
        if not is_uninformative(mark):
            alike[mark].append(row)
    for rows in alike.values():
        while len(rows) > 1:
            first, *others = rows
            verdicts = compare_with_first(trees[first], [trees[row] for row in others], PAPER_JUDGE)
            is_equal = [verdict.is_equal for verdict in verdicts]
            numbers[list(compress(others, is_equal))] = first
            rows = list(compress(others, np.logical_not(is_equal)))
    return numbers


def purity_of_functions(labels: Labels, functions: Labels) -> float:
    """The purity_at_1 to be expected if equals shared a vector and all else were right.

    The nearest one of an expression is then any that equals it, if there is one.

    >>> purity_of_functions(np.array([0, 0, 1, 2]), np.array([7, 7, 7, 8]))  # e, e, h and p
    0.5
    """
    of_function, of_both = (
        np.bincount(numbers)[numbers] - 1
        for numbers in (functions, _numbers_of_both(labels, functions))
    )
    return float(np.where(of_function > 0, of_both / np.maximum(of_function, 1), 1.0).mean())


def _numbers_of_both(labels: Labels, functions: Labels) -> Labels:
    """A number for each pair of a label and a function."""
    numbers: Labels = functions * (labels.max() + 1) + labels
    return np.unique(numbers, return_inverse=True)[1]
