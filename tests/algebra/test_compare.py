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
from equivec.errors import ConfigError, EquivecError
from equivec.expression.text import parse
from equivec.expression.tree import Node
from support.cases import Trap, read_cases, read_traps
from support.trees import trees

POSITIVE = JudgeConfig(domain=Domain.POSITIVE)
COMMON = Relation.EQUAL_ON_COMMON_DOMAIN


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


# What a trap's relation is called, and what the judge may say of it beside that.
_TRUTH = {
    "EQUAL": Relation.EQUAL,
    "EOCD": Relation.EQUAL_ON_COMMON_DOMAIN,
    "DIFFERENT": Relation.DIFFERENT,
    "NONE": Relation.UNKNOWN,
}


def wrong_verdicts(traps: list[Trap]) -> Counter[tuple[str, Relation]]:
    """How often a trap's true relation was taken for another one; UNKNOWN is never wrong."""
    wrong: Counter[tuple[str, Relation]] = Counter()
    for domain in Domain:
        some = [trap for trap in traps if trap.domain == domain]
        verdicts = compare_many([(t.left, t.right) for t in some], JudgeConfig(domain=domain))
        wrong.update(
            (trap.relation, verdict.relation)
            for trap, verdict in zip(some, verdicts, strict=True)
            if verdict.relation not in (_TRUTH[trap.relation], Relation.UNKNOWN)
        )
    return wrong


def check_traps(traps: list[Trap]) -> None:
    wrong = wrong_verdicts(traps)
    taken_for_equal = wrong.pop(("DIFFERENT", Relation.EQUAL), 0)
    # Kinds that no sampling sees: terms beyond all bits, breaks under a sum that drowns them.
    assert taken_for_equal <= 0.03 * len(traps)
    # Nothing else is wrong: no false proof of a difference, no wrong domain.
    assert not wrong


def test_few_traps_mislead_the_judge() -> None:
    traps = read_traps()
    assert len(traps) == 1_371
    check_traps(traps[::5])


@pytest.mark.slow
def test_few_of_all_traps_mislead_the_judge() -> None:
    check_traps(read_traps())


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
        # Exact numbers, however long; more bits where a term is that small.
        ("10^160", "10^160+1", Domain.REAL, Relation.DIFFERENT),
        ("10^160*(1/3 + 2/3)", "10^160", Domain.REAL, Relation.EQUAL),
        ("x*(10^861 + 1)", "x*10^861", Domain.REAL, Relation.DIFFERENT),
        ("1+exp(-6593)-1", "0", Domain.REAL, Relation.DIFFERENT),
        ("sin(x)/10^272", "0", Domain.REAL, Relation.DIFFERENT),
        # Between breaks, beyond them, and beside a peak.
        ("abs(x^2-63*x+992)", "x^2-63*x+992", Domain.REAL, Relation.DIFFERENT),
        ("abs(x-100)+abs(x-101)", "abs(2*x-201)", Domain.REAL, Relation.DIFFERENT),
        ("abs(x-10^10)", "10^10-x", Domain.REAL, Relation.DIFFERENT),
        ("asin(sin(x/10^9))", "x/10^9", Domain.POSITIVE, Relation.DIFFERENT),
        ("x+exp(-(10000*(x-7))^2)", "x", Domain.REAL, Relation.DIFFERENT),
        ("x+1/(1+(10^7*(x-7))^2)", "x", Domain.REAL, Relation.DIFFERENT),
        ("sqrt(x^2-201*x+10100)^2", "x^2-201*x+10100", Domain.REAL, COMMON),
        ("log((137-x)/(x-136))", "log(137-x)-log(x-136)", Domain.REAL, Relation.EQUAL),
        # No dyadic number tells these.
        ("cos(2^84*pi*x)", "1", Domain.REAL, Relation.DIFFERENT),
        ("sin(2^84*pi*x)", "0", Domain.POSITIVE, Relation.DIFFERENT),
        # One variable near 1 and another far from it.
        ("abs(y-5000)*(x+abs(x))", "(5000-y)*(x+abs(x))", Domain.REAL, Relation.DIFFERENT),
        # Exponents over the reals: integers tell powers of negative numbers apart.
        ("a**(b*c)", "(a**b)**c", Domain.REAL, Relation.DIFFERENT),
        ("a**(b*c)", "(a**b)**c", Domain.POSITIVE, Relation.EQUAL),
        ("a**(b+c)", "a**b*a**c", Domain.REAL, Relation.EQUAL),
        ("cos(n*pi)", "(-1)**n", Domain.REAL, Relation.EQUAL_ON_COMMON_DOMAIN),
    ],
)
def test_a_case_worked_by_hand(left: str, right: str, domain: Domain, relation: Relation) -> None:
    assert compare(left, right, JudgeConfig(domain=domain)).relation is relation


def test_a_witness_shows_the_difference() -> None:
    verdict = compare("sqrt(x**2)", "x")
    assert verdict.witness is not None
    assert verdict.witness.point == {"x": -1.0}
    assert (verdict.witness.left, verdict.witness.right) == ("1", "-1")


def test_a_witness_of_a_domain_shows_who_is_undefined() -> None:
    verdict = compare("log(x**2)", "2*log(x)")
    assert verdict.witness is not None
    assert (verdict.witness.left, verdict.witness.right) == ("0", None)


def test_a_tiny_difference_is_shown_with_enough_digits() -> None:
    verdict = compare("1 + x/10**30", "1")
    assert verdict.witness is not None
    assert verdict.witness.left != verdict.witness.right


def test_unknown_has_its_reason() -> None:
    assert "no region" in compare("sqrt(-x)", "x", POSITIVE).reason
    assert "neither expression is defined" in compare("sqrt(-x)", "log(-x)", POSITIVE).reason


@pytest.mark.parametrize(
    ("left", "right", "reason"),
    [
        ("x", "x", "both are the same expression"),
        ("2", "1 + 1", "both are the same number, exactly"),
        ("sqrt(2)**2", "2", "no difference found: they agree to 1,500 bits"),
        (
            "sqrt(x)**2",
            "x",
            "no difference found: they agree at 344 points, up to 1,500 bits",
        ),
        (
            "x + x",
            "2*x",
            "no difference found: they agree at 344 points, at 3 exactly",
        ),
        (
            "log(x - 600000000)",
            "2*log(x - 600000000)/2",
            "no difference found: they agree at 4 points, up to 1,500 bits",
        ),
    ],
)
def test_a_reason_says_what_was_done(left: str, right: str, reason: str) -> None:
    verdict = compare(left, right, POSITIVE)
    assert (verdict.relation, verdict.reason) == (Relation.EQUAL, reason)


def test_what_float64_sees_and_balls_cannot_decide_is_not_equal() -> None:
    # x**log(e) is x, also for negative x; balls do not know that log(e) is exactly 1.
    verdict = compare("abs(x)", "x**log(e)")
    assert verdict.relation is Relation.UNKNOWN
    assert verdict.reason.startswith("they seem to differ at x = -")


def test_a_reason_counts_only_the_points_that_support_it() -> None:
    config = JudgeConfig(domain=Domain.POSITIVE, own_points=0, deep_bits=0)
    assert compare("x + x", "2*x", config).reason == (
        "no difference found: they agree at 320 points, up to 400 bits"
    )
    farther = "log(x - 600000000)"
    verdict = compare(farther, f"2*{farther}/2", config)
    assert (verdict.relation, verdict.reason) == (
        Relation.UNKNOWN,
        "both are defined, and agree, at 2 of the 3 points needed",
    )


@given(trees(max_leaves=6), trees(max_leaves=6))
def test_the_order_of_the_two_does_not_matter(left: Node, right: Node) -> None:
    there, back = compare(left, right), compare(right, left)
    assert (there.relation, there.reason) == (back.relation, back.reason)


def test_the_order_of_a_trap_does_not_matter() -> None:
    for trap in read_traps()[::29]:
        config = JudgeConfig(domain=Domain(trap.domain))
        there, back = compare(trap.left, trap.right, config), compare(trap.right, trap.left, config)
        assert (there.relation, there.reason) == (back.relation, back.reason), trap


def test_a_verdict_names_its_domain() -> None:
    assert compare("x", "x").domain is Domain.REAL
    assert compare("x", "x + 1", POSITIVE).domain is Domain.POSITIVE
    assert compare("sqrt(x**2)", "x").relation is Relation.DIFFERENT
    assert compare("sqrt(x**2)", "x", POSITIVE).is_equal


@pytest.mark.parametrize("wrong", ["x +", "coss(x)", Node("true")])
def test_an_error_names_the_pair_that_cannot_be_judged(wrong: str | Node) -> None:
    pairs: list[tuple[str | Node, str | Node]] = [("x", "x"), ("y", wrong), ("x", "x + 1")]
    with pytest.raises(EquivecError, match=r"^pairs\[1\]: "):
        compare_many(pairs)
    with pytest.raises(EquivecError, match=r"^(?!pairs)"):
        compare("y", wrong)


@pytest.mark.parametrize(
    ("left", "right", "shown"),
    [
        ("1+10^(-140)", "1", ("1 + 1.000e-140", "1")),
        ("10^150+1", "10^150", ("1.00000000000e+150 + 1", "1.00000000000e+150")),
        ("tanh(140)", "1", ("1 - 4.995e-122", "1")),
    ],
)
def test_a_witness_never_shows_the_same_digits_twice(
    left: str, right: str, shown: tuple[str, str]
) -> None:
    witness = compare(left, right).witness
    assert witness is not None
    assert (witness.left, witness.right) == shown


def test_a_witness_is_the_point_that_it_prints() -> None:
    verdict = compare("abs(x^2-63*x+992)", "x^2-63*x+992")
    assert verdict.witness is not None
    point = verdict.witness.point["x"]
    assert 31 < point < 32
    assert float(verdict.witness.left or 0) == pytest.approx(-(point**2 - 63 * point + 992))


def test_a_zero_in_disguise_under_many_terms_is_given_up_soon() -> None:
    terms = "+".join(f"sin({k}*x)**2 + cos({k}*x)**2" for k in range(1, 12))
    verdict = compare(f"sqrt({terms} - 11)", "0")
    assert verdict.relation is Relation.UNKNOWN
    assert verdict.reason == "only 0 of 3 points could be decided with 4000 bits"


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
        ({"deep_bits": -1}, "deep_bits must be at least 0, not -1"),
        ({"own_points": -1}, "own_points must be at least 0, not -1"),
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
