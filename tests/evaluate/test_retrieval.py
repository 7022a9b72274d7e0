"""Retrieval: ranks are what counting says, and a tie is lost however it was rounded."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from equivec.embed.baselines import BagOfTokens
from equivec.errors import ConfigError
from equivec.evaluate.retrieval import retrieve
from support.encoders import OfTexts

if TYPE_CHECKING:
    from collections.abc import Sequence


class Table(OfTexts):
    """Vectors by number: the text "3" has the fourth row."""

    name = "table"

    def __init__(self, vectors: np.ndarray) -> None:
        self.vectors = vectors.astype(np.float32)
        self.width = vectors.shape[1]

    def rows(self, texts: Sequence[str]) -> np.ndarray:
        """The rows named."""
        return self.vectors[[int(text.removeprefix("INT+").replace(" ", "")) for text in texts]]


def test_ranks_are_those_of_counting() -> None:
    random = np.random.default_rng(5)
    table = Table(random.normal(size=(60, 4)) * random.uniform(0.1, 9, size=(60, 1)))
    texts = [str(number) for number in range(60)]
    queries, answers, distractors = texts[:10], texts[10:20], texts[20:]
    found, ranks = retrieve(table, queries, answers, distractors)
    units = table.vectors / np.linalg.norm(table.vectors, axis=1, keepdims=True)
    cosines = units[:10] @ units[10:].T
    wanted = [sum(row[10:] > row[number]) for number, row in enumerate(cosines)]
    assert ranks.tolist() == wanted
    assert found.recall_5 == np.mean([rank < 5 for rank in wanted])
    assert found.mrr == pytest.approx(np.mean([1 / (rank + 1) for rank in wanted]))


def test_an_answer_among_the_distractors_has_lost_to_itself() -> None:
    random = np.random.default_rng(6)
    table = Table(random.normal(size=(400, 256)))
    texts = [str(number) for number in range(400)]
    _, ranks = retrieve(table, texts[:200], texts[200:], texts[200:])
    assert ranks.min() == 1


def test_expressions_with_the_same_tokens_tie_and_so_are_not_found() -> None:
    found, _ = retrieve(BagOfTokens(), ["1 + sin(x)"], ["sin(x) + 1"], ["sin(x + 1)"])
    assert found.recall_1 == 0


def test_queries_without_answers_are_refused() -> None:
    with pytest.raises(ConfigError, match="2 queries but 1 answers"):
        retrieve(BagOfTokens(), ["x", "sin x"], ["x"], [])
    with pytest.raises(ConfigError, match="there are no queries"):
        retrieve(BagOfTokens(), [], [], ["x"])
