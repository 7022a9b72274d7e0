"""Clusters: the judge admits every member, and every proposal is accounted for."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from equivec.algebra.compare import PAPER_JUDGE, compare
from equivec.algebra.rewriting import RewritingConfig
from equivec.corpus.clusters import Proposal, ProposalOutcome, Tally, make_clusters
from equivec.corpus.engines import RulesEngine, SymPyEngine
from equivec.corpus.sampler import Sampler
from equivec.expression.limits import Limits
from equivec.expression.text import parse
from equivec.jobs.timebox import TimeBoxConfig

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from equivec.expression.tree import Node


ANY_SIZE = Limits(exponent=10**6)


class Scripted:
    """An engine that proposes what it is told to."""

    name = "scripted"

    def __init__(self, *texts: str) -> None:
        self.texts = texts

    def propose(self, sources: Sequence[Node], _: Random) -> Iterator[list[Proposal]]:
        for _ in sources:
            yield [Proposal(parse(text, limits=ANY_SIZE), "told") for text in self.texts]


def test_every_proposal_has_its_fate() -> None:
    engine = Scripted(
        "x*2",  # kept
        "x + x",  # kept
        "x*2",  # the same form again
        "2*x",  # the source itself
        "3*x",  # different
        "sqrt(x - 1)**2*2*x/(x - 1)",  # domain differs
        "6",  # no x left
        "x + x + 0*(x + x + x + x + x + x + x + x + x + x + x + x)",  # too long
        "x**20000*2*x/x**20000",  # over the limits of the parsers
        "2*x + sqrt(sin(x)**2 + cos(x)**2 - 1)",  # not verified
    )
    tally = Tally()
    (cluster,) = make_clusters([parse("2*x")], engine, Random(0), 24, tally)
    assert cluster.members == (parse("2*x"), parse("x*2"), parse("x + x"))
    assert tally.proposals == {
        ProposalOutcome.KEPT: 2,
        ProposalOutcome.SAME_FORM: 2,
        ProposalOutcome.DIFFERENT: 1,
        ProposalOutcome.DOMAIN_DIFFERS: 1,
        ProposalOutcome.NO_VARIABLE: 1,
        ProposalOutcome.TOO_LONG: 1,
        ProposalOutcome.OVER_LIMITS: 1,
        ProposalOutcome.NOT_VERIFIED: 1,
    }
    assert tally.proposals.total() == len(engine.texts)


def test_sources_that_cannot_be_judged_are_counted() -> None:
    tally = Tally()
    sources = [parse(text) for text in ("sqrt(-x)", "x", "2*x")]
    clusters = list(make_clusters(sources, Scripted("x + x"), Random(0), 16, tally))
    assert [cluster.members[0] for cluster in clusters] == [parse("2*x")]
    assert tally.sources == {ProposalOutcome.UNDEFINED: 1, "no equivalent": 1, "kept": 1}


def test_sources_that_no_precision_can_tell_from_a_limit_are_left_out() -> None:
    # tanh(525219 + x) differs from 1 by less than 1e-1000, and the judge would say EQUAL.
    texts = (
        "tanh(525219 + x)",
        "exp(-423272*x)",
        "x + 5**(-423272*x)",
        "cosh(999999 - x)",
        "x**sech(576 + x)",
    )
    tally = Tally()
    sources = [parse(text, limits=ANY_SIZE) for text in (*texts, "tanh(x)*525219", "exp(x) + 1")]
    assert not list(make_clusters(sources, Scripted(), Random(0), 24, tally))
    assert tally.sources == {ProposalOutcome.EXTREME: len(texts), "no equivalent": 2}


def test_what_the_rules_make_is_equal_at_other_points_too() -> None:
    random, tally = Random(5), Tally()
    sampler, engine = Sampler(), RulesEngine(RewritingConfig())
    sources = [sampler.draw(random) for _ in range(40)]
    clusters = list(make_clusters(sources, engine, random, 40, tally))
    assert len(clusters) > 20
    for cluster in clusters[::4]:
        for member in cluster.members[1:]:
            assert compare(cluster.members[0], member, PAPER_JUDGE).is_equal
    assert tally.sources.total() == len(sources)
    assert tally.proposals[ProposalOutcome.DIFFERENT] == 0


def test_what_sympy_makes_is_verified_too() -> None:
    tally = Tally()
    engine = SymPyEngine(1.0, TimeBoxConfig(time_limit=20))
    try:
        sources = [parse(text) for text in ("(x + 1)**2", "sin(x)/cos(x)", "log(x) + log(2)")]
        clusters = list(make_clusters(sources, engine, Random(0), 40, tally))
    finally:
        engine.close()
    members = [set(cluster.members) for cluster in clusters]
    assert parse("tan(x)") in members[1]
    assert all(len(some) >= 2 for some in members)
    assert sum(len(some) for some in members) == tally.proposals[ProposalOutcome.KEPT] + len(
        sources
    )
