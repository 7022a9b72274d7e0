"""Measures of vectors against what is true: detection, clusters, classes. Plain numpy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from equivec.embed.neighbours import ROUNDING
from equivec.errors import ConfigError
from equivec.evaluate.results import Result

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from equivec.embed.neighbours import Floats, Rows

    Numbers = npt.NDArray[np.float64]
    Labels = npt.NDArray[np.int64]

_BLOCK_ROWS = 512


@dataclass(frozen=True, slots=True)
class F1(Result):
    """The best harmonic mean of precision and recall, and the lowest score called positive."""

    value: float
    threshold: float


def area_under_curve(scores: npt.ArrayLike, is_positive: npt.ArrayLike) -> float:
    """The chance that a positive scores higher than a negative, a tie counting one half.

    >>> area_under_curve([0.9, 0.5, 0.5, 0.1], [True, True, False, False])
    0.875
    """
    values, positive = np.asarray(scores, dtype=np.float64), np.asarray(is_positive, dtype=bool)
    _check_two_classes(positive)
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[places]  # of equals, the mean rank
    count = int(positive.sum())
    surplus = ranks[positive].sum() - count * (count + 1) / 2
    return float(surplus / (count * (len(values) - count)))


def best_f1(scores: npt.ArrayLike, is_positive: npt.ArrayLike) -> F1:
    """The best F1 that any threshold reaches.

    >>> best_f1([0.9, 0.5, 0.4, 0.1], [True, True, False, False])
    F1(value=1.0, threshold=0.5)
    """
    values, positive = np.asarray(scores, dtype=np.float64), np.asarray(is_positive, dtype=bool)
    _check_two_classes(positive)
    order = np.argsort(-values, kind="stable")
    found = positive[order].cumsum()
    called = np.arange(1, len(values) + 1)
    # A threshold between equal scores does not exist.
    is_border = np.append(values[order][:-1] > values[order][1:], True)
    f1 = np.where(is_border, 2 * found / (called + positive.sum()), -1.0)
    best = int(f1.argmax())
    return F1(float(f1[best]), float(values[order][best]))


def k_means(
    vectors: Floats, clusters: int, seed: int, starts: int = 4, rounds: int = 100
) -> Labels:
    """Labels by Lloyd's algorithm from k-means++ centres, the tightest of several starts."""
    if not 1 <= clusters <= len(vectors):
        raise ConfigError(f"{clusters} clusters cannot be made of {len(vectors)} vectors")
    points = np.asarray(vectors, dtype=np.float64)
    random = np.random.default_rng(seed)
    best, least = np.zeros(len(points), dtype=np.int64), np.inf
    for _ in range(starts):
        labels, looseness = _lloyd(points, _spread_centres(points, clusters, random), rounds)
        if looseness < least:
            best, least = labels, looseness
    return best


def adjusted_rand_index(left: npt.ArrayLike, right: npt.ArrayLike) -> float:
    """How far two groupings agree: 1 the same, about 0 for chance (Hubert & Arabie 1985).

    >>> adjusted_rand_index([0, 0, 1, 1], [5, 5, 3, 3])
    1.0
    """
    _, rows = np.unique(np.asarray(left), return_inverse=True)
    _, columns = np.unique(np.asarray(right), return_inverse=True)
    table = np.zeros((rows.max() + 1, columns.max() + 1))
    np.add.at(table, (rows, columns), 1)
    both, one, other = (
        _pairs(counts).sum() for counts in (table, table.sum(axis=1), table.sum(axis=0))
    )
    chance = one * other / _pairs(np.array(len(rows)))
    most = (one + other) / 2
    return 1.0 if most == chance else float((both - chance) / (most - chance))


def purities(
    points: Numbers, labellings: Labels, ks: Sequence[int]
) -> Numbers:  # (ks, labellings, points)
    """For each point, the share of the k points nearest to it that have its label.

    Of points that tie for the last places each counts for a part, as if chance chose among them, so
    that nothing depends on the order of the points. Labellings are rows of labels.

    >>> points, labels = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([[0, 0, 1, 1]])
    >>> purities(points, labels, [1]).tolist()
    [[[1.0, 0.5, 0.5, 1.0]]]
    """
    rounding = ROUNDING * float(np.ptp(points, axis=0).max(initial=0))
    return _purities(_distance_blocks(points), labellings, ks, rounding)


def cosine_purities(
    units: Floats, labellings: Labels, ks: Sequence[int]
) -> Numbers:  # (ks, labellings, vectors)
    """The same by 1 - cosine, of vectors of length one."""
    return _purities(_cosine_blocks(units), labellings, ks, ROUNDING)


def silhouette(points: Numbers, labels: Labels) -> float:
    """The mean silhouette by Euclid's distance (Rousseeuw 1987); of a point alone in its class 0.

    >>> silhouette(np.array([[0.0], [1.0], [10.0], [11.0]]), np.array([0, 0, 1, 1])) > 0.89
    True
    """
    classes, places = np.unique(labels, return_inverse=True)
    _check_two_labels(classes)
    members = np.eye(len(classes))[places]  # (points, classes)
    sums = np.empty((len(points), len(classes)))
    for some, distances in _distance_blocks(points):
        sums[some] = distances @ members
    return _mean_silhouette(sums, members, places)


def cosine_silhouette(units: Floats, labels: Labels) -> float:
    """The mean silhouette by 1 - cosine, of vectors of length one, without any table of distances.

    The sum of 1 - u.v over the v of a class is its size less u times the sum of the class.
    """
    classes, places = np.unique(labels, return_inverse=True)
    _check_two_labels(classes)
    members = np.eye(len(classes))[places]
    vectors = units.astype(np.float64)
    sums = members.sum(axis=0) - vectors @ (vectors.T @ members)
    return _mean_silhouette(sums, members, places)


def centroid_accuracy(points: Numbers, labels: Labels) -> float:
    """The share of points whose class has the nearest mean, each point's own class without it.

    >>> centroid_accuracy(np.array([[0.0], [1.0], [10.0], [11.0]]), np.array([0, 0, 1, 1]))
    1.0
    """
    classes, places = np.unique(labels, return_inverse=True)
    members = np.eye(len(classes))[places]
    points = points - points.mean(axis=0)  # far from the origin the squares below would cancel
    counts, sums = members.sum(axis=0), members.T @ points
    if counts.min() < 2:
        raise ConfigError("every class must have at least two points")
    means = sums / counts[:, None]
    squares = (points**2).sum(axis=1)[:, None] + (means**2).sum(axis=1)
    distances = squares - 2 * points @ means.T  # squared
    # The mean of the others of n points lies n / (n - 1) times as far away as that of all.
    own, others = (np.arange(len(points)), places), counts[places] - 1
    distances[own] *= (counts[places] / others) ** 2
    return float((distances.argmin(axis=1) == places).mean())


def _check_two_classes(positive: npt.NDArray[np.bool_]) -> None:
    if positive.all() or not positive.any():
        raise ConfigError("there must be positives and negatives")


def _check_two_labels(classes: npt.NDArray[np.int64]) -> None:
    if len(classes) < 2:
        raise ConfigError("there must be at least two classes")


def _pairs(counts: Numbers) -> Numbers:
    return counts * (counts - 1) / 2


def _mean_silhouette(sums: Numbers, members: Numbers, places: Labels) -> float:
    """The mean of (b - a) / max(a, b): a within the own class, b to the nearest other class."""
    counts = members.sum(axis=0)
    own = np.arange(len(places)), places
    within = sums[own] / np.maximum(counts[places] - 1, 1)
    others = sums / counts
    others[own] = np.inf
    between = others.min(axis=1)
    largest = np.maximum(np.maximum(within, between), np.finfo(np.float64).tiny)
    return float(np.where(counts[places] > 1, (between - within) / largest, 0.0).mean())


def _purities(
    blocks: Iterator[tuple[Rows, Numbers]], labellings: Labels, ks: Sequence[int], rounding: float
) -> Numbers:
    count = labellings.shape[1]
    found = np.empty((len(ks), *labellings.shape))
    for some, distances in blocks:
        distances[np.arange(len(some)), some] = np.inf  # nothing is its own neighbour
        for place, k in enumerate(ks):
            parts = _parts(distances, min(k, count - 1), rounding)
            for row, labels in enumerate(labellings):
                found[place, row, some] = (parts * (labels[some, None] == labels)).sum(axis=1)
    return found


def _parts(distances: Numbers, k: int, rounding: float) -> Numbers:
    """Which part of each row's k nearest a column makes up."""
    last = np.partition(distances, k - 1, axis=1)[:, k - 1 : k]
    is_nearer = distances < last - rounding
    is_tied = np.abs(distances - last) <= rounding
    places = k - is_nearer.sum(axis=1, keepdims=True)
    parts: Numbers = (is_nearer + is_tied * (places / is_tied.sum(axis=1, keepdims=True))) / k
    return parts


def _cosine_blocks(units: Floats) -> Iterator[tuple[Rows, Numbers]]:
    """Rows and 1 less their cosines with all vectors, block after block."""
    for start in range(0, len(units), _BLOCK_ROWS):
        some = np.arange(start, min(start + _BLOCK_ROWS, len(units)))
        yield some, 1 - (units[some] @ units.T).astype(np.float64)


def _distance_blocks(points: Numbers) -> Iterator[tuple[Rows, Numbers]]:
    """Rows and their distances to all points, block after block."""
    squares = (points**2).sum(axis=1)
    for start in range(0, len(points), _BLOCK_ROWS):
        some = np.arange(start, min(start + _BLOCK_ROWS, len(points)))
        products = points[some] @ points.T
        yield some, np.sqrt(np.maximum(squares[some, None] + squares - 2 * products, 0))


def _spread_centres(points: Numbers, clusters: int, random: np.random.Generator) -> Numbers:
    """Centres by k-means++ (Arthur & Vassilvitskii 2007): far from each other, at random."""
    chosen = [int(random.integers(len(points)))]
    nearest = ((points - points[chosen[0]]) ** 2).sum(axis=1)
    while len(chosen) < clusters:
        total = nearest.sum()
        weights = nearest / total if total > 0 else None
        chosen.append(int(random.choice(len(points), p=weights)))
        nearest = np.minimum(nearest, ((points - points[chosen[-1]]) ** 2).sum(axis=1))
    return points[chosen].copy()


def _lloyd(points: Numbers, centres: Numbers, rounds: int) -> tuple[Labels, float]:
    """Labels and the sum of squared distances to the centres, when nothing moves any more."""
    labels = np.full(len(points), -1)
    for _ in range(rounds):
        distances = (centres**2).sum(axis=1) - 2 * points @ centres.T
        nearest = distances.argmin(axis=1)
        if np.array_equal(nearest, labels):
            break
        labels = nearest
        for label in np.unique(labels):
            centres[label] = points[labels == label].mean(axis=0)
    return labels, float(((points - centres[labels]) ** 2).sum())
