"""Whose nearest neighbours are closer to the query as trees: the paper's scenarios 1 and 2.

For every query the tree edit distance to the nearest expression that each model found is compared,
and the mean distance to the first few; a model is ahead where it is strictly closer. Scenario 1 is
the form "raw". Scenario 2 takes a*f(x) + b as f(x): at every level in the form "without constants",
around the whole expression only in "without outer constants" (see `tree_forms`).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from equivec.errors import ConfigError
from equivec.evaluate.provenance import Provenance
from equivec.evaluate.results import Result
from equivec.evaluate.tree_edit_distance import Forest, forest_distances
from equivec.evaluate.tree_forms import FORMS
from equivec.expression.text import as_tree

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import numpy as np
    import numpy.typing as npt

    from equivec.expression.tree import Node

    Distances = npt.NDArray[np.int32]  # (queries, neighbours)


@dataclass(frozen=True, slots=True)
class Match(Result):
    """In how many queries which of two models is strictly closer, over the first k neighbours."""

    form: str
    k: int
    left: str
    right: str
    left_closer: int
    right_closer: int
    ties: int

    def sentences(self) -> Iterator[str]:
        """Who is closer how often."""
        nearest = "nearest" if self.k == 1 else f"{self.k} nearest"
        yield (
            f"{self.form}, {nearest}: {self.left} {self.left_closer:,}, "
            f"{self.right} {self.right_closer:,}, ties {self.ties:,}"
        )


@dataclass(frozen=True, slots=True)
class TreeEditComparison(Result):
    """Every two models against each other, in every form, for the nearest and the k nearest."""

    queries: int
    matches: tuple[Match, ...]

    def sentences(self) -> Iterator[str]:
        """What is compared, and each match."""
        yield f"tree edit distance, strictly closer in {self.queries:,} queries"
        for match in self.matches:
            yield from (f"  {sentence}" for sentence in match.sentences())


@dataclass(frozen=True, slots=True)
class ModelProvenance(Provenance):
    """Where the neighbours of a model are from."""

    model: str


@dataclass(frozen=True, slots=True)
class ComparisonFile(TreeEditComparison):
    """A comparison as it is kept: with where each model's neighbours are from."""

    models: tuple[ModelProvenance, ...]


def compare_neighbours(
    queries: Sequence[str | Node],
    neighbours: Mapping[str, Sequence[Sequence[str | Node]]],
    forms: Mapping[str, Callable[[Node], Node]] = FORMS,
) -> TreeEditComparison:
    """The comparison of models, given the neighbours of each query that every model found.

    >>> found = {"a": [["cos(x)"]], "b": [["2*sin(x) + 1"]]}
    >>> for match in compare_neighbours(["sin(x)"], found).matches:
    ...     print(match.form, match.left_closer, match.right_closer, match.ties)
    raw 1 0 0
    without outer constants 0 1 0
    without constants 0 1 0
    """
    k = _common_k(queries, neighbours)
    matches: list[Match] = []
    for form, function in forms.items():
        distances = _distances(queries, neighbours, function)
        for first in sorted({1, k}):
            matches.extend(_matches(form, first, distances))
    return TreeEditComparison(len(queries), tuple(matches))


def _common_k(
    queries: Sequence[str | Node], neighbours: Mapping[str, Sequence[Sequence[str | Node]]]
) -> int:
    """The number of neighbours, which must be the same for every query of every model."""
    for model, found in neighbours.items():
        if len(found) != len(queries):
            raise ConfigError(f"{model} has neighbours of {len(found)} of {len(queries)} queries")
    sizes = {len(row) for found in neighbours.values() for row in found}
    if len(sizes) != 1 or 0 in sizes:
        raise ConfigError(
            f"every query must have the same number of neighbours, not {sorted(sizes)}"
        )
    return sizes.pop()


def _distances(
    queries: Sequence[str | Node],
    neighbours: Mapping[str, Sequence[Sequence[str | Node]]],
    form: Callable[[Node], Node],
) -> dict[str, Distances]:
    """The distance of every neighbour from its query; each expression is read once."""
    every = [*queries, *(found for rows in neighbours.values() for row in rows for found in row)]
    places = {expression: place for place, expression in enumerate(dict.fromkeys(every))}
    forest = Forest.of(form(as_tree(expression)) for expression in places)
    result: dict[str, Distances] = {}
    for model, rows in neighbours.items():
        pairs = [
            (places[query], places[found])
            for query, row in zip(queries, rows, strict=True)
            for found in row
        ]
        lefts, rights = zip(*pairs, strict=True)
        result[model] = forest_distances(forest, lefts, rights).reshape(len(queries), -1)
    return result


def _matches(form: str, k: int, distances: Mapping[str, Distances]) -> Iterator[Match]:
    sums = {model: found[:, :k].sum(axis=1) for model, found in distances.items()}
    for left, right in combinations(sums, 2):
        ahead = int((sums[left] < sums[right]).sum())
        behind = int((sums[left] > sums[right]).sum())
        ties = len(sums[left]) - ahead - behind
        yield Match(form, k, left, right, ahead, behind, ties)
