"""Distance analysis: the five nearest expressions to a query.

Neighbours are sought by cosine; a query that is in the pool as it is written is not its own
neighbour. The tree edit distances beside them say how near they are as trees.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from equivec.embed.encoder import vectors_of
from equivec.evaluate.pool import prefix_text
from equivec.evaluate.results import DATA, ModelResult, Result, result_of
from equivec.evaluate.tree_edit_distance import tree_edit_distance
from equivec.evaluate.tree_forms import FORMS
from equivec.expression.infix import write_infix
from equivec.expression.prefix import parse_prefix
from equivec.expression.text import as_tree
from equivec.storage.files import read_table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from equivec.embed.encoder import Encoder
    from equivec.evaluate.pool import Pool
    from equivec.evaluate.results import Steps

K = 5


@dataclass(frozen=True, slots=True)
class Neighbour(Result):
    """An expression in infix and its tree edit distance from the query, in each form."""

    expression: str
    distances: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class QueryNeighbours(Result):
    """A query and its nearest expressions, nearest first."""

    query: str
    neighbours: tuple[Neighbour, ...]


@dataclass(frozen=True, slots=True)
class DistanceAnalysis(ModelResult):
    """What a model found for each query in a pool of so many expressions."""

    pool: int
    queries: tuple[QueryNeighbours, ...]

    def sentences(self) -> Iterator[str]:
        """How many queries were answered."""
        yield f"{len(self.queries)} queries"


@dataclass(frozen=True, slots=True)
class ModelNeighbours(ModelResult):
    """The prefix texts of the nearest expressions that a model found to each query."""

    queries: tuple[str, ...]
    neighbours: tuple[tuple[str, ...], ...]


def paper_queries() -> list[str]:
    """The ten queries of the paper, two in its main text and eight in its appendix."""
    return [query for (query,) in read_table(DATA / "paper_queries.tsv")]


def analyse_distances(
    encoder: Encoder, pool: Pool, queries: Sequence[str], k: int = K
) -> DistanceAnalysis:
    """The k nearest expressions of a pool to each query."""
    found = find_neighbours(encoder, pool, queries, k)
    measured = [measured_neighbours(query, row) for query, row in zip(queries, found, strict=True)]
    return DistanceAnalysis(encoder.name, len(pool), tuple(measured))


def find_neighbours(
    encoder: Encoder, pool: Pool, queries: Sequence[str], k: int = K
) -> list[list[str]]:
    """The prefix texts of the k nearest expressions to each query, itself left out."""
    return result_of(neighbours_in_steps(encoder, pool, queries, k))


def neighbours_in_steps(
    encoder: Encoder, pool: Pool, queries: Sequence[str], k: int = K
) -> Steps[list[list[str]]]:
    """The same, telling how many queries have been answered."""
    texts = [prefix_text(query) for query in queries]
    excluded = [[text] for text in texts]
    return (yield from pool.neighbours_in_steps(vectors_of(encoder, texts), k, excluded))


def measured_neighbours(query: str, found: Iterable[str]) -> QueryNeighbours:
    """Expressions near to a query, with their tree edit distances from it."""
    tree = as_tree(query)
    neighbours = [
        Neighbour(
            write_infix(parse_prefix(text)),
            {
                name: tree_edit_distance(form(tree), form(parse_prefix(text)))
                for name, form in FORMS.items()
            },
        )
        for text in map(prefix_text, found)
    ]
    return QueryNeighbours(query, tuple(neighbours))
