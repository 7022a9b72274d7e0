"""Distance analysis: the five nearest expressions to a query, beside those that the paper found.

Neighbours are sought by cosine; a query that is in the pool as it is written is not its own
neighbour. The tree edit distances beside them say how near they are as trees.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from equivec.embed.encoder import vectors_of
from equivec.evaluate.paper_figures import MODELS, TRAINING_EXPRESSIONS
from equivec.evaluate.pool import prefix_text
from equivec.evaluate.results import Result, result_of
from equivec.evaluate.tables import read_table
from equivec.evaluate.tree_edit_distance import tree_edit_distance
from equivec.evaluate.tree_forms import FORMS
from equivec.expression.infix import write_infix
from equivec.expression.prefix import parse_prefix
from equivec.expression.text import as_tree

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

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
class DistanceAnalysis(Result):
    """What a model found for each query in a pool of so many expressions."""

    model: str
    pool: int
    queries: tuple[QueryNeighbours, ...]


def paper_neighbours() -> dict[str, DistanceAnalysis]:
    """What the paper's two models found, by model.

    >>> [analysis.queries[0].query for analysis in paper_neighbours().values()]
    ['4*x**2*cos(3*x - 1)', '4*x**2*cos(3*x - 1)']
    """
    groups = {
        query: list(rows) for query, rows in groupby(read_table("paper_neighbours"), lambda r: r[0])
    }
    return {
        model: DistanceAnalysis(
            model,
            TRAINING_EXPRESSIONS,
            tuple(_measured(query, [row[place] for row in rows]) for query, rows in groups.items()),
        )
        for place, model in enumerate(MODELS, 1)
    }


def paper_queries() -> list[str]:
    """The ten queries of the paper, two in its main text and eight in its appendix."""
    return list(dict.fromkeys(row[0] for row in read_table("paper_neighbours")))


def analyse_distances(
    encoder: Encoder, pool: Pool, queries: Sequence[str], k: int = K
) -> DistanceAnalysis:
    """The k nearest expressions of a pool to each query."""
    found = find_neighbours(encoder, pool, queries, k)
    measured = [_measured(query, row) for query, row in zip(queries, found, strict=True)]
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


def _measured(query: str, found: Iterable[str]) -> QueryNeighbours:
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
