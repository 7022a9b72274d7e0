"""Embedding algebra: the committed questions are sound, and cases worked by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from equivec.algebra.compare import PAPER_JUDGE, compare_many
from equivec.algebra.fingerprint import fingerprints
from equivec.corpus.analogies import FUNCTIONS, IDENTITIES, INNER, OUTER, Analogy
from equivec.embed.baselines import BagOfTokens
from equivec.evaluate.analogies import (
    generated_analogies,
    judge_answers,
    paper_analogies,
    score_answers,
    solve_analogies,
)
from equivec.evaluate.pool import Pool
from support.encoders import OfTexts

if TYPE_CHECKING:
    from collections.abc import Sequence


class Fixed(OfTexts):
    """An encoder that knows some expressions by heart, as it is given them in prefix form."""

    name = "fixed"

    @property
    def width(self) -> int:
        return len(next(iter(self.vectors.values())))

    def __init__(self, vectors: dict[str, Sequence[float]]) -> None:
        self.vectors = vectors

    def rows(self, texts: Sequence[str]) -> np.ndarray:
        return np.array([self.vectors[text] for text in texts], dtype=np.float32)


def test_the_three_given_expressions_are_never_the_answer() -> None:
    """z is y2 itself here, so that y2 would be nearest; x2 is next to it, and `ln x` is far."""
    vectors = {"sin x": (1, 0), "cos x": (1, 0), "sinh x": (0, 1), "cosh x": (0.1, 1)}
    encoder = Fixed({**vectors, "ln x": (-1, 0)})
    pool = Pool.of(encoder, ["log(x)", "sinh(x)"])
    analogy = Analogy("identity", "", "sin(x)", "cos(x)", "sinh(x)", "cosh(x)")
    result = solve_analogies(encoder, [analogy], pool)
    assert result.pool == 5
    assert result.answers[0].found == ("cosh(x)", "log(x)")
    assert result.answers[0].exact_rank == 1


def test_where_the_vectors_cancel_out_there_is_no_answer() -> None:
    vectors = {"x": (1, 0), "sin x": (2, 0), "cos x": (1, 0), "tan x": (0, 1)}
    rows = [("x", "sin(x)", "cos(x)", "tan(x)"), ("sin(x)", "x", "tan(x)", "cos(x)")]
    analogies = [Analogy("identity", "", *row) for row in rows]
    result = solve_analogies(Fixed(vectors), analogies, Pool.of(Fixed(vectors), ["x"]))
    assert [answer.found for answer in result.answers] == [(), ("cos(x)",)]
    assert (result.scores[-1].count, result.scores[-1].exact_at_1) == (2, 1)


def test_another_form_of_the_answer_is_right_up_to_equivalence_only() -> None:
    analogy = Analogy("identity", "", "sin(x)", "csc(x)", "cot(x)", "tan(x)")
    (answer,) = judge_answers([analogy], [["x", "sin(x)/cos(x)", "tan(x)"]])
    assert (answer.exact_rank, answer.equivalent_rank) == (3, 2)
    (score, total) = score_answers([answer])
    assert (score.exact_at_1, score.exact_at_5, score.equivalent_at_5) == (0, 1, 1)
    assert (total.kind, total.count) == ("all", 1)


def test_there_are_a_thousand_analogies_that_ask_different_questions() -> None:
    analogies = generated_analogies()
    assert len({analogy.expressions[:3] for analogy in analogies}) == len(analogies) >= 1_000
    assert all(len(set(analogy.expressions)) == 4 for analogy in analogies)
    families = {analogy.family for analogy in analogies if analogy.kind == "identity"}
    assert families == {*FUNCTIONS, *IDENTITIES}


def test_both_sides_of_a_generated_identity_are_equal() -> None:
    chosen = [analogy for analogy in generated_analogies() if analogy.family in IDENTITIES]
    pairs = [
        pair for analogy in chosen for pair in ((analogy.x1, analogy.y1), (analogy.x2, analogy.y2))
    ]
    wrong = [
        pair
        for pair, verdict in zip(pairs, compare_many(pairs, PAPER_JUDGE), strict=True)
        if not verdict.is_equal
    ]
    assert wrong == []


def test_no_simple_function_is_asked_for_as_a_composition() -> None:
    """tanh(x) as 1/coth(x) would then be the answer of no identity either."""
    asked = fingerprints(row.x2 for row in generated_analogies() if row.kind == "substitution")
    assert not set(fingerprints(INNER)) & set(asked)


def test_most_compositions_may_be_learnt() -> None:
    asked = {row.x2 for row in generated_analogies() if row.kind == "substitution"}
    assert 100 < len(asked) <= round(len(OUTER) * len(INNER) / 3)


def test_counting_tokens_solves_most_substitutions_and_hardly_any_paper_identity() -> None:
    """What no mathematics can do: the baseline of the table."""
    analogies = paper_analogies()
    result = solve_analogies(BagOfTokens(), analogies, Pool.of(BagOfTokens(), ["x"]))
    scores = {score.kind: score for score in result.scores}
    assert scores["substitution"].exact_at_5 > scores["substitution"].count / 2
    assert result.to_json()["model"] == "bag of tokens"
