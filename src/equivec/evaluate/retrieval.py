"""Does an expression find its equivalent among many others?

Each query has one answer; a distractor counts against it when it lies as near as the answer or
nearer. A tie is lost, and cosines that differ by rounding alone are a tie. The textbook identities
are a development set of queries with their answers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from equivec.embed.encoder import vectors_of
from equivec.embed.neighbours import ROUNDING, unit_vectors
from equivec.errors import ConfigError
from equivec.evaluate.encoders import encode_once
from equivec.evaluate.results import DATA, ModelResult, result_of
from equivec.expression.infix import parse_infix
from equivec.storage.files import read_table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from equivec.embed.encoder import Encoder
    from equivec.evaluate.results import Steps
    from equivec.expression.tree import Node

_BLOCK = 8_192  # distractors compared at once


@dataclass(frozen=True, slots=True)
class Retrieval(ModelResult):
    """How often the answer comes among the first k, and the mean reciprocal rank."""

    queries: int
    distractors: int
    recall_1: float
    recall_5: float
    recall_10: float
    mrr: float

    def sentences(self) -> Iterator[str]:
        """All measures."""
        yield (
            f"recall@1 {self.recall_1:.3f}, @5 {self.recall_5:.3f}, @10 {self.recall_10:.3f}, MRR "
            f"{self.mrr:.3f} ({self.queries:,} queries among {self.distractors:,})"
        )


@dataclass(frozen=True, slots=True)
class Identity:
    """Two forms of one function of positive variables, and the chapter they belong to."""

    left: Node
    right: Node
    family: str

    @property
    def variables(self) -> frozenset[str]:
        """The names of the variables that occur on either side."""
        return self.left.variables | self.right.variables


def read_identities() -> tuple[Identity, ...]:
    """Every textbook identity; several may be forms of one function.

    >>> from equivec.expression.infix import write_infix
    >>> first = read_identities()[0]
    >>> write_infix(first.left), write_infix(first.right), first.family
    ('sin(x)**2 + cos(x)**2', '1', 'Pythagorean')
    """
    return tuple(
        Identity(parse_infix(left), parse_infix(right), family)
        for left, right, family in read_table(DATA / "identities.tsv")
    )


def retrieve(
    encoder: Encoder, queries: Sequence[str], answers: Sequence[str], distractors: Sequence[str]
) -> tuple[Retrieval, NDArray[np.int64]]:
    """The measures, and for each query how many distractors come before its answer.

    >>> from equivec.embed.baselines import BagOfTokens
    >>> texts = ["sin x", "cos x"]
    >>> found, ranks = retrieve(BagOfTokens(), texts, ["sin sin x", "tan x"], ["exp x", "cos x"])
    >>> found.recall_1, ranks.tolist()
    (0.5, [0, 2])
    """
    return result_of(retrieve_in_steps(encoder, queries, answers, distractors))


def retrieve_in_steps(
    encoder: Encoder, queries: Sequence[str], answers: Sequence[str], distractors: Sequence[str]
) -> Steps[tuple[Retrieval, NDArray[np.int64]]]:
    """The same, telling how many distractors have been compared."""
    if len(queries) != len(answers):
        raise ConfigError(f"{len(queries)} queries but {len(answers)} answers")
    if not queries or not distractors:
        raise ConfigError(f"there are no {'distractors' if queries else 'queries'}")
    yield 0, len(distractors)
    asked = unit_vectors(encode_once(encoder, queries))
    wanted = (asked * unit_vectors(encode_once(encoder, answers))).sum(axis=1, keepdims=True)
    ranks = np.zeros(len(queries), dtype=np.int64)
    for start in range(0, len(distractors), _BLOCK):
        some = distractors[start : start + _BLOCK]
        cosines = asked @ unit_vectors(vectors_of(encoder, some)).T
        ranks += (cosines > wanted - ROUNDING).sum(axis=1)
        yield start + len(some), len(distractors)
    first, five, ten = (float((ranks < k).mean()) for k in (1, 5, 10))
    mrr = float((1 / (ranks + 1)).mean())
    found = Retrieval(encoder.name, len(queries), len(distractors), first, five, ten, mrr)
    return found, ranks
