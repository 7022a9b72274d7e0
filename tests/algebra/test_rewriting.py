"""Laws of rewriting: clusters are equivalent, varied, within limits, and repeatable."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from random import Random

import pytest

from equivec.algebra.compare import PAPER_JUDGE, Relation, compare, compare_many
from equivec.algebra.rewriting import Rewriter, RewritingConfig
from equivec.algebra.rules import RULES, Rule
from equivec.algebra.rules.terms import canonical_key, from_tuple, measure, to_tuple
from equivec.errors import ConfigError
from equivec.expression.infix import write_infix
from equivec.expression.text import parse
from equivec.expression.tree import Node

QUICK = replace(PAPER_JUDGE, accurate_bits=128, deep_bits=0, max_bits=1024, own_points=0)

_FUNCTIONS = (
    "sqrt sqrt ln ln exp exp sin sin cos cos tan tan abs cot sec csc asin acos atan sinh cosh tanh "
    "coth asinh acosh atanh"
).split()


def sample(random, operators):
    if operators == 0:
        return random.choice(("x", "x", "x", "x", "x", "x", "x", 1, 2, 3, 5, -1, -2, "pi", "E"))
    if random.random() < 0.45:
        return (random.choice(_FUNCTIONS), sample(random, operators - 1))
    symbol = random.choice(("add", "add", "sub", "mul", "mul", "div", "pow"))
    left = random.randrange(operators)
    first, last = sample(random, left), sample(random, operators - 1 - left)
    if symbol == "sub":
        return ("add", first, ("mul", -1, last))
    if symbol == "pow" and not isinstance(last, tuple):
        last = random.choice((2, 2, 3, 4, -1, -2))
    return (symbol, first, last)


@pytest.fixture(scope="module")
def sources():
    """Expressions in x that the judge can evaluate: it finds them equal to one times themselves."""
    random = Random(11)
    trees = [from_tuple(sample(random, random.randrange(1, 6))) for _ in range(900)]
    trees = [tree for tree in dict.fromkeys(trees) if "x" in tree.variables]
    verdicts = compare_many([(tree, Node("mul", (Node(1), tree))) for tree in trees], QUICK)
    return [tree for tree, verdict in zip(trees, verdicts, strict=True) if verdict.is_equal][:400]


@pytest.fixture(scope="module")
def rewriter():
    return Rewriter()


@pytest.fixture(scope="module")
def clusters(rewriter, sources):
    return [rewriter.cluster(source, Random(number)) for number, source in enumerate(sources)]


def judge(members):
    """Verdicts; where few bits do not suffice, more of them are used."""
    pairs = [(source, variant.tree) for source, variant in members]
    return [
        compare(*pair, PAPER_JUDGE) if verdict.relation is Relation.UNKNOWN else verdict
        for pair, verdict in zip(pairs, compare_many(pairs, QUICK), strict=True)
    ]


def test_every_member_equals_its_source(sources, clusters):
    members = [
        (source, variant)
        for source, cluster in zip(sources, clusters, strict=True)
        for variant in cluster
    ]
    assert len(members) > 3000
    for (source, variant), verdict in zip(members, judge(members), strict=True):
        shown = f"{write_infix(source)} and {write_infix(variant.tree)} by {variant.rules}"
        assert verdict.is_equal, f"{shown}: {verdict}"


def test_same_seed_same_cluster(sources, clusters):
    other = Rewriter()
    for number, source in reversed(list(enumerate(sources[:100]))):
        assert other.cluster(source, Random(number)) == clusters[number], write_infix(source)


def test_no_member_repeats_and_none_is_the_source(sources, clusters):
    for source, cluster in zip(sources, clusters, strict=True):
        trees = [source, *(variant.tree for variant in cluster)]
        assert len(set(trees)) == len(trees), write_infix(source)


def test_members_keep_within_the_limits(sources, clusters):
    config = RewritingConfig()
    for source, cluster in zip(sources, clusters, strict=True):
        operators, tokens = measure(to_tuple(source))
        assert len(cluster) <= config.max_members
        for variant in cluster:
            found = measure(to_tuple(variant.tree))
            assert found[0] <= max(operators, min(operators + config.growth, config.max_operators))
            assert found[1] <= max(tokens, config.max_tokens), write_infix(variant.tree)


def test_most_clusters_are_large(clusters):
    small = sum(len(cluster) < 8 for cluster in clusters)
    assert small <= 0.05 * len(clusters)


def test_few_pairs_differ_only_in_order(sources, clusters):
    pairs = reordered = 0
    for source, cluster in zip(sources, clusters, strict=True):
        keys = [canonical_key(to_tuple(tree)) for tree in (source, *(v.tree for v in cluster))]
        pairs += len(keys) * (len(keys) - 1) // 2
        reordered += sum(left == right for left, right in combinations(keys, 2))
    assert reordered <= 0.05 * pairs


def test_a_variant_names_the_rules_that_led_to_it(rewriter):
    names = {rule.name for rule in RULES}
    for variant in rewriter.cluster(parse("sin(2*x)/cos(x)"), Random(3)):
        assert variant.rules
        assert set(variant.rules) <= names


def test_a_history_can_be_followed_with_its_rules_alone():
    """With one rule there is one way to go."""
    rule = Rule("tangent as a quotient", "quotient", "tan(a)", "sin(a)/cos(a)", two_way=False)
    (variant,) = Rewriter([rule]).cluster(parse("tan(x) + 1"), Random(0))
    assert write_infix(variant.tree) == "sin(x)/cos(x) + 1"
    assert variant.rules == ("tangent as a quotient",)


def test_rules_see_any_two_operands_of_a_longer_sum_as_neighbours():
    rule = Rule("sum of squares", "test", "sin(a)**2 + cos(a)**2", "1", "total a", two_way=False)
    cluster = Rewriter([rule]).cluster(parse("sin(x)^2 + y + (z + cos(x)^2)"), Random(5))
    keys = {canonical_key(to_tuple(variant.tree)) for variant in cluster}
    assert canonical_key(to_tuple(parse("y + z + 1"))) in keys


def test_where_no_rule_applies_the_cluster_is_empty():
    rule = Rule("tangent as a quotient", "quotient", "tan(a)", "sin(a)/cos(a)")
    assert Rewriter([rule]).cluster(parse("x + 1"), Random(0)) == []


def test_every_family_can_be_met(rewriter):
    """Walks from the left sides of a family's rules use that family."""
    random = Random(2)
    by_name = {rule.name: rule.family for rule in RULES}
    families = dict.fromkeys(rule.family for rule in RULES)
    met = set()
    for rule in RULES:
        source = parse(rule.left).rename(dict(zip("abcdkmnpq", "xyzt23456", strict=True)))
        term = _with_integers(source)
        for _ in range(3):
            step = rewriter.step(to_tuple(term), random)
            if step is not None:
                met.add(by_name[step[1]])
    assert set(families) - met == set()


def _with_integers(node):
    if isinstance(node.symbol, str) and node.symbol.isdigit():
        return Node(int(node.symbol))
    return Node(node.symbol, tuple(map(_with_integers, node.arguments)))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"min_members": 0}, "min_members must lie between 1 and max_members, not at 0"),
        ({"min_members": 20}, "min_members must lie between 1 and max_members, not at 20"),
        ({"walks": 0}, "walks must be at least 1, not 0"),
        ({"growth": -1}, "growth must be at least 0, not -1"),
        ({"restraint": 0.0}, "restraint must lie above 0 and at most at 1, not at 0.0"),
        ({"weights": {"ordr": 1.0}}, "'ordr' is not a family of rules; did you mean 'order'?"),
    ],
)
def test_a_setting_out_of_range_is_refused(settings, message):
    with pytest.raises(ConfigError) as error:
        Rewriter(config=RewritingConfig(**settings))
    assert str(error.value) == message
