"""Embedding algebra: the paper's own answers score what it says, and a case worked by hand."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING

import numpy as np
import pytest

from equivec.algebra.compare import compare_many
from equivec.algebra.fingerprint import fingerprints
from equivec.embed.baselines import BagOfTokens
from equivec.errors import ConfigError
from equivec.evaluate.analogies import (
    Analogy,
    generated_analogies,
    judge_answers,
    paper_analogies,
    paper_answers,
    score_answers,
    solve_analogies,
)
from equivec.evaluate.analogy_families import FUNCTIONS, IDENTITIES, INNER, OUTER, rival
from equivec.evaluate.analogy_lessons import training_analogies
from equivec.evaluate.analogy_making import make_analogies
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


@pytest.mark.parametrize(
    ("model", "identities", "substitutions"), [("StructEmb", 3, 4), ("SemEmb", 9, 2)], ids=str
)
def test_the_paper_scores_what_the_paper_says(
    model: str, identities: int, substitutions: int
) -> None:
    by_kind = {score.kind: score for score in score_answers(paper_answers(model))}
    assert (by_kind["identity"].exact_at_1, by_kind["identity"].count) == (identities, 12)
    assert (by_kind["substitution"].exact_at_1, by_kind["substitution"].count) == (substitutions, 8)
    assert by_kind["all"].exact_at_1 == identities + substitutions


def test_an_unknown_model_of_the_paper_is_refused() -> None:
    with pytest.raises(ConfigError, match="'EqNet' is not a model of the paper"):
        paper_answers("EqNet")


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


def test_the_committed_analogies_are_made_by_the_committed_code() -> None:
    assert generated_analogies() == make_analogies(Random(42), 600)


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
        for pair, verdict in zip(pairs, compare_many(pairs), strict=True)
        if not verdict.is_equal
    ]
    assert wrong == []


@pytest.fixture(scope="module")
def learnt() -> list[Analogy]:
    return training_analogies(Random(1), 800)


ASKED = [*generated_analogies(), *paper_analogies()]


def corners(analogy: Analogy) -> frozenset[str]:
    """The four functions of an analogy, whichever of them is sought."""
    return frozenset(fingerprints(analogy.expressions))


def test_no_analogy_that_is_learnt_is_asked_in_whatever_order(learnt: list[Analogy]) -> None:
    assert not set(map(corners, ASKED)) & set(map(corners, learnt))
    families = {row.family for row in learnt}
    assert {"odd and even", *FUNCTIONS, "a -> a**2", "a -> exp(a)"} <= families


def test_no_composition_that_is_asked_for_is_learnt_as_an_answer(learnt: list[Analogy]) -> None:
    asked = set(fingerprints(row.x2 for row in ASKED if row.kind == "substitution"))
    assert set(fingerprints(["sin(x)**2", "exp(2*x)"])) <= asked
    assert not asked & set(fingerprints(row.x2 for row in learnt))


def test_no_simple_function_is_asked_for_as_a_composition() -> None:
    """tanh(x) as 1/coth(x) would then be the answer of no identity either."""
    asked = fingerprints(row.x2 for row in generated_analogies() if row.kind == "substitution")
    assert not set(fingerprints(INNER)) & set(asked)


def test_cofunctions_are_learnt_as_the_paper_asks_them(learnt: list[Analogy]) -> None:
    """cos - sin + csc is sec there; sin - cos + csc would pull the other way."""
    papers = {(row.x1, row.y1, row.y2): row.x2 for row in paper_analogies()}
    assert papers["cos(x)", "sin(x)", "csc(x)"] == "sec(x)"
    rows = [row for row in learnt if row.family == "cofunction"]
    assert any(row.x1.startswith("cos(") and row.y1.startswith("sin(") for row in rows)
    heads = [[text.partition("(")[0] for text in row.expressions] for row in rows]
    of_four = [each for each in heads if set(each) == {"sin", "cos", "sec", "csc"}]
    assert of_four
    for x1, _, _, x2 in of_four:
        assert {x1, x2} in ({"cos", "sec"}, {"sin", "csc"}, {"cos", "sin"}, {"sec", "csc"}), x1


def test_no_composition_that_is_asked_for_is_an_argument(learnt: list[Analogy]) -> None:
    """In whatever form, sin(x)**2 would be a wrong answer to every analogy it is in."""
    arguments = {row.y2 for row in learnt if row.kind == "substitution"}
    assert {"2*x", "tan(x)", "tan(x)/3"} <= arguments
    asked = fingerprints(row.x2 for row in ASKED if row.kind == "substitution")
    assert not set(asked) & set(fingerprints(arguments))


def test_no_composition_that_has_a_plainer_form_is_learnt(learnt: list[Analogy]) -> None:
    """abs(x**2) is to lie at x**2, wherever abs(x) - x leads."""
    compositions = {row.x2 for row in learnt if row.kind == "substitution"}
    plain = {"sec(x)", "tan(x)", "cos(4*x)", "x", "x**6", "abs(x)"}
    known, marks = set(fingerprints(plain)), fingerprints(compositions)
    forms = {text for text, mark in zip(compositions, marks, strict=True) if mark in known}
    assert forms
    assert forms <= plain


def test_reciprocals_are_asked_for_but_never_learnt(learnt: list[Analogy]) -> None:
    """1/sin(x) - sin(x) and 1/csc(x) - csc(x) are one another's negatives, if equals are one."""
    assert any(row.family == "a -> 1/a" for row in generated_analogies())
    assert not any(row.family == "a -> 1/a" for row in learnt)


def test_of_two_analogies_that_ask_the_same_one_is_made(learnt: list[Analogy]) -> None:
    """x**4 : x at tan(x) and tan(x) : x at x**4 have the same sum x1 - y1 + y2."""
    questions: dict[frozenset[str], set[str]] = {}
    for row in (*learnt, *generated_analogies()):
        if row.y1 == "x":
            questions.setdefault(frozenset({row.x1, row.y2}), set()).add(row.x2)
    assert questions[frozenset({"x**4", "tan(x)"})] == {"tan(x)**4"}
    assert all(len(answers) == 1 for answers in questions.values()), questions


def test_a_composition_is_never_learnt_as_the_sum_of_its_twin(learnt: list[Analogy]) -> None:
    """sin(tan(x)) - tan(x) + x**2 would be near sin(x)**2, were it learnt to be sin(x**2)."""
    rows = [row for row in (*learnt, *generated_analogies()) if row.kind == "substitution"]
    assert "tan(x)**2" in {part for row in rows for part in (row.x1, row.x2)}
    assert not [row for row in rows if {"sin(x**2)", "exp(1/x)", "sin(log(x))"} & {row.x1, row.x2}]


def test_the_rival_of_an_answer_is_its_twin_or_its_negative(learnt: list[Analogy]) -> None:
    row = Analogy("substitution", "a -> a**2", "x**2", "x", "sin(x)", "sin(x)**2")
    assert rival(row) == "sin(x**2)"
    assert rival(replace(row, x1="(x + 1)**2", y1="x + 1", y2="3*x", x2="(3*x)**2")) == "3*x**2"
    assert rival(Analogy("identity", "reciprocal", "1/tan(x)", "cot(x)", "x", "-x")) == "-(-x)"
    compositions = [row.x2 for row in ASKED if row.kind == "substitution"]
    rivals = [rival(row) for row in learnt if row.kind == "substitution"]
    assert not set(fingerprints(compositions)) & set(fingerprints(rivals))


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
