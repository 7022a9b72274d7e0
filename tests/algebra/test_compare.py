"""The judge: no wrong verdict on the committed sets, and the laws a judge must keep."""

from __future__ import annotations

import math
import threading
from collections import Counter
from typing import Any

import pytest
from hypothesis import given

from equivec.algebra.compare import (
    JudgeConfig,
    Relation,
    compare,
    compare_many,
    compare_with_first,
)
from equivec.algebra.fingerprint import fingerprint
from equivec.algebra.points import Domain, sample_points
from equivec.errors import ConfigError
from equivec.expression.text import parse
from equivec.expression.tree import Node
from support.cases import read_cases
from support.trees import trees

REAL = JudgeConfig(domain=Domain.REAL)


@pytest.mark.parametrize("domain", Domain)
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("true_pairs.tsv", Relation.EQUAL),
        ("near_misses.tsv", Relation.DIFFERENT),
        ("domain_traps.tsv", Relation.EQUAL_ON_COMMON_DOMAIN),
    ],
)
def test_no_verdict_on_the_committed_sets_is_wrong(
    name: str, expected: Relation, domain: Domain
) -> None:
    cases = read_cases(name, domain)
    verdicts = compare_many(cases, JudgeConfig(domain=domain))
    wrong = [
        (*case, verdict)
        for case, verdict in zip(cases, verdicts, strict=True)
        if verdict.relation not in (expected, Relation.UNKNOWN)
    ]
    assert not wrong
    counts = Counter(verdict.relation for verdict in verdicts)
    assert counts.total() == len(cases)
    assert counts[Relation.UNKNOWN] <= len(cases) // 100


@pytest.mark.parametrize(
    ("name", "least"),
    [("true_pairs.tsv", 1_000), ("near_misses.tsv", 1_000), ("domain_traps.tsv", 100)],
)
def test_the_committed_sets_are_large_enough(name: str, least: int) -> None:
    cases = [case for domain in Domain for case in read_cases(name, domain)]
    assert len(set(cases)) >= least


@pytest.mark.parametrize(
    ("left", "right", "domain", "relation"),
    [
        ("sqrt(x)**2", "x", Domain.REAL, Relation.EQUAL_ON_COMMON_DOMAIN),
        ("sqrt(x)**2", "x", Domain.POSITIVE, Relation.EQUAL),
        ("sqrt(x**2)", "x", Domain.REAL, Relation.DIFFERENT),
        ("sqrt(x**2)", "abs(x)", Domain.REAL, Relation.EQUAL),
        ("log(x**2)", "2*log(x)", Domain.REAL, Relation.EQUAL_ON_COMMON_DOMAIN),
        ("acos(cos(x))", "x", Domain.POSITIVE, Relation.DIFFERENT),
        ("atan(tan(x))", "x", Domain.POSITIVE, Relation.DIFFERENT),
        ("tanh(20 + x)", "1", Domain.POSITIVE, Relation.DIFFERENT),
        ("tanh(100 + x)", "1", Domain.POSITIVE, Relation.DIFFERENT),
        ("x", "x + 1e-15", Domain.POSITIVE, Relation.DIFFERENT),
        ("abs(x - 1000)", "1000 - x", Domain.POSITIVE, Relation.DIFFERENT),
        ("(x**2 - 1)/(x - 1)", "x + 1", Domain.POSITIVE, Relation.EQUAL),
        ("sin(x + y)", "sin(x)*cos(y) + cos(x)*sin(y)", Domain.REAL, Relation.EQUAL),
        ("x + y - y", "x", Domain.REAL, Relation.EQUAL),
        ("sqrt(x*y)", "sqrt(x)*sqrt(y)", Domain.REAL, Relation.EQUAL_ON_COMMON_DOMAIN),
        ("cos(pi/5)", "(1 + sqrt(5))/4", Domain.POSITIVE, Relation.EQUAL),
        ("exp(pi*sqrt(163))", "262537412640768744", Domain.POSITIVE, Relation.DIFFERENT),
        ("sqrt(-1 - x)", "x", Domain.POSITIVE, Relation.UNKNOWN),
        ("tan(pi/2)", "1", Domain.POSITIVE, Relation.UNKNOWN),
        ("log(x - 50)", "log(x - 50) + 0*x", Domain.POSITIVE, Relation.EQUAL),
    ],
)
def test_a_case_worked_by_hand(left: str, right: str, domain: Domain, relation: Relation) -> None:
    assert compare(left, right, JudgeConfig(domain=domain)).relation is relation


def test_a_witness_shows_the_difference() -> None:
    verdict = compare("sqrt(x**2)", "x", REAL)
    assert verdict.witness is not None
    assert verdict.witness.point == {"x": -1.0}
    assert (verdict.witness.left, verdict.witness.right) == ("1", "-1")


def test_a_witness_of_a_domain_shows_who_is_undefined() -> None:
    verdict = compare("log(x**2)", "2*log(x)", REAL)
    assert verdict.witness is not None
    assert (verdict.witness.left, verdict.witness.right) == ("0", None)


def test_a_tiny_difference_is_shown_with_enough_digits() -> None:
    verdict = compare("1 + x/10**30", "1")
    assert verdict.witness is not None
    assert verdict.witness.left != verdict.witness.right


def test_unknown_has_its_reason() -> None:
    assert "no region" in compare("sqrt(-x)", "x").reason
    assert "neither expression is defined" in compare("sqrt(-x)", "log(-x)").reason


def test_a_reason_counts_only_the_points_that_support_it() -> None:
    assert compare("x + x", "2*x").reason == "agree at 320 points in float64, at 3 to 400 bits"
    assert compare("2", "1 + 1").reason == "agree to 400 bits"
    far = "log(x - 100000000)"
    assert compare(far, f"2*{far}/2").reason == "agree at 5 points in float64, at 3 to 400 bits"
    farther = "log(x - 600000000)"
    verdict = compare(farther, f"2*{farther}/2")
    assert (verdict.relation, verdict.reason) == (
        Relation.UNKNOWN,
        "both are defined, and agree, at 2 of the 3 points needed",
    )


@given(trees(max_leaves=6), trees(max_leaves=6))
def test_the_order_of_the_two_does_not_matter(left: Node, right: Node) -> None:
    assert compare(left, right).relation is compare(right, left).relation


@given(trees(max_leaves=8))
def test_an_expression_equals_itself_in_another_form(tree: Node) -> None:
    other = Node("add", (Node("mul", (Node(2), tree)), Node("mul", (Node(-1), tree))))
    assert compare(tree, other).relation in (Relation.EQUAL, Relation.UNKNOWN)


@given(trees(max_leaves=8))
def test_one_more_is_never_equal(tree: Node) -> None:
    more = Node("add", (tree, Node("div", (Node(1), Node(10**12)))))
    assert compare(tree, more).relation in (Relation.DIFFERENT, Relation.UNKNOWN)


def test_a_verdict_does_not_depend_on_the_others_in_its_batch() -> None:
    cases = read_cases("true_pairs.tsv", Domain.POSITIVE)[:60]
    cases += read_cases("near_misses.tsv", Domain.POSITIVE)[:60]
    assert compare_many(cases) == [compare(left, right) for left, right in cases]


def test_the_members_of_a_cluster_are_told_from_the_others() -> None:
    members = ["sin(x)/cos(x)", "1/cot(x)", "cot(x)", "sqrt(sec(x)**2 - 1)", "sin(x)*sec(x)"]
    verdicts = compare_with_first("tan(x)", members)
    assert [verdict.is_equal for verdict in verdicts] == [True, True, False, False, True]


def test_threads_may_share_the_judge() -> None:
    results: list[bool] = []

    def work(number: int) -> None:
        results.extend(
            compare(f"sin({k}*x)**2", f"1 - cos({k}*x)**2").is_equal
            for k in range(number, number + 10)
        )

    threads = [threading.Thread(target=work, args=(10 * number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [True] * 40


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"confirmations": 0}, "confirmations must be at least 1, not 0"),
        ({"accurate_bits": 10}, "accurate_bits must be at least 53"),
        ({"accurate_bits": 4096}, "and max_bits 5120 for 4096 of them"),
        ({"tolerance": math.nan}, "tolerance must lie between 0 and 1, not at nan"),
        ({"tolerance": 5.0}, "tolerance must lie between 0 and 1, not at 5"),
    ],
)
def test_settings_are_checked_at_birth(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        JudgeConfig(**settings)


def test_texts_and_trees_are_both_accepted() -> None:
    assert compare(parse("2*x"), r"x + x").is_equal
    assert compare(r"\frac{x}{2}", "div x INT+ 2").is_equal


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("abs(1 - x)*10^160", "(1 - x)*10^160"),
        ("abs(exp(400) - exp(400*x))", "exp(400) - exp(400*x)"),
        ("100 + x + abs(x - 20)/10^10", "100 + x + (20 - x)/10^10"),
    ],
)
def test_what_float64_cannot_tell_is_looked_at_from_end_to_end(left: str, right: str) -> None:
    assert compare(left, right).relation is Relation.DIFFERENT


def test_a_domain_may_be_named_by_its_word_in_any_order_of_calls() -> None:
    for domain in ("positive", Domain.POSITIVE, "positive"):
        assert compare("abs(x)", "x", JudgeConfig(domain=Domain(domain))).is_equal
        assert compare("abs(x)", "x", JudgeConfig(domain=domain)).is_equal  # type: ignore[arg-type]
    assert fingerprint("x", "real") == fingerprint("x", Domain.REAL)  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="'complex' is not a domain; choose from positive, real"):
        JudgeConfig(domain="complex")  # type: ignore[arg-type]


def test_nobody_can_change_the_points_of_others() -> None:
    with pytest.raises(ValueError, match="read-only"):
        sample_points("x").values["x"] *= -1
