"""Joint judgements: over the reals, with positive variables beside them, and the words for both."""

from __future__ import annotations

import pickle
from dataclasses import replace

import pytest

from equivec.algebra.compare import Relation, compare
from equivec.algebra.judgement import UNLIKE, Judgement, judge, judge_each
from equivec.algebra.points import Domain


@pytest.mark.parametrize(
    ("left", "right", "sentence"),
    [
        ("sqrt(x^2)", "x", "equal for positive x; over the reals they differ at x = -1: 1 and -1"),
        ("abs(x)", "x", "equal for positive x; over the reals they differ at x = -1: 1 and -1"),
        (
            "sqrt(x)^2",
            "x",
            "equal for positive x; over the reals equal only where both are defined "
            "(at x = -1: undefined and -1)",
        ),
        (
            "sqrt(a^2)*b",
            "a*b",
            "equal for positive a and b; over the reals they differ at a = -1, b = -2: -2 and 2",
        ),
        ("x", "x + 1", "different over the reals, by proof: at x = 1: 1 and 2"),
        ("2", "3", "different, by proof: 2 and 3"),
        (
            "sqrt(-1 - x^2)",
            "x",
            "unknown over the reals: no region was found where both expressions are defined",
        ),
    ],
)
def test_a_sentence_says_the_verdict_its_domain_and_its_evidence(
    left: str, right: str, sentence: str
) -> None:
    assert judge(left, right).sentence == sentence


def test_what_no_difference_was_found_of_is_told_with_how_hard_was_looked() -> None:
    found = judge("sin(x)/cos(x)", "tan(x)")
    assert found.words == "equal over the reals"
    assert found.sentence == f"equal over the reals ({found.reason})"
    assert "they agree at" in found.reason
    assert "bits" in found.reason
    assert "prove" not in found.sentence
    assert found.positive is None


def test_where_both_have_a_value_and_where_one_has_are_told_apart() -> None:
    found = judge("sqrt(x - 1)^2", "x - 1")
    assert found.words == "equal over the reals only where both are defined"
    assert "undefined and -" in found.evidence
    assert "they agree at" in found.evidence
    assert found.positive is not None
    assert found.positive.relation is Relation.EQUAL_ON_COMMON_DOMAIN


def test_many_variables_are_not_named() -> None:
    assert judge("abs(a*b*c*d)", "a*b*c*d").words == "equal for positive variables"
    assert judge("abs(a*b*c)", "a*b*c").words == "equal for positive a, b and c"


def test_better_verdicts_have_lower_ranks() -> None:
    pairs = [("tan(x)", "sin(x)/cos(x)"), ("sqrt(x)^2", "x"), ("abs(x)", "x"), ("x", "x + 1")]
    assert [each.rank for each in judge_each(pairs)] == [0, 1, 2, UNLIKE]
    assert [each.is_equal for each in judge_each(pairs)] == [True, False, False, False]


def test_one_domain_alone_may_be_asked_for() -> None:
    alone = judge("abs(x)", "x", Domain.POSITIVE)
    assert (alone.domain, alone.words) == (Domain.POSITIVE, "equal for positive x")
    assert (alone.is_equal, alone.positive) == (True, None)
    real = judge("abs(x)", "x", Domain.REAL)
    assert real.sentence == "different over the reals, by proof: at x = -1: 1 and -1"
    assert (real.rank, real.positive) == (UNLIKE, None)
    assert judge("x", "2*x", Domain.POSITIVE).words == "different for positive x"


def test_a_proof_at_a_positive_point_is_one_over_the_reals(monkeypatch) -> None:
    """Among fewer points, those of the reals may miss what those of positive numbers show."""
    missed = replace(compare("x", "x"), relation=Relation.EQUAL_ON_COMMON_DOMAIN)
    seen = compare("x", "x + 1")
    monkeypatch.setattr("equivec.algebra.judgement.compare_each", lambda *_: iter([missed]))
    monkeypatch.setattr("equivec.algebra.judgement.compare", lambda *_: seen)
    found = judge("y", "y + 1")
    assert (found.relation, found.witness, found.positive) == (seen.relation, seen.witness, None)


def test_verdicts_of_a_batch_are_those_of_its_pairs() -> None:
    pairs = [("abs(x)", "x"), ("x", "x"), ("a + b", "b + a"), ("log(y^2)", "2*log(y)")]
    assert list(judge_each(pairs)) == [judge(left, right) for left, right in pairs]


def test_a_judgement_travels_between_processes() -> None:
    found = judge("abs(x)", "x")
    again: Judgement = pickle.loads(pickle.dumps(found))
    assert again == found
