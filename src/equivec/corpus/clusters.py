"""From sources to clusters: an engine proposes equivalents, the judge admits them.

Every proposal ends as a member or as a drop with a reason; the counts add up to the attempts.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

import numpy as np

from equivec.algebra.compare import JudgeConfig, Relation, compare_many
from equivec.algebra.extremes import extreme_places
from equivec.algebra.floats import compute, propagate
from equivec.algebra.points import PAPER_DOMAIN, sample_points
from equivec.algebra.program import Program
from equivec.expression.limits import is_readable
from equivec.expression.prefix import write_prefix

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Sequence
    from random import Random

    from equivec.expression.tree import Node

# Enough certainty for millions of members, at a fraction of the cost of a single check.
CORPUS_JUDGE = JudgeConfig(
    domain=PAPER_DOMAIN, accurate_bits=128, deep_bits=0, max_bits=1024, own_points=0
)
# Sources that are sampled together, and clusters that are judged together: whatever terms they
# share is computed once.
_SAMPLED, _JUDGED = 16, 64
_MIN_POINTS = 8


class ProposalOutcome(StrEnum):
    """Why a proposal was kept or dropped."""

    KEPT = "kept"
    SAME_FORM = "same as another form"
    UNDEFINED = "NaN or infinite"
    EXTREME = "too near a limit to be judged"
    NO_VARIABLE = "no x left"
    TOO_LONG = "too long"
    OVER_LIMITS = "over the parser's limits"
    TIME_LIMIT = "time limit"
    ENGINE_FAILED = "engine failed"
    NOT_IN_GRAMMAR = "not in the grammar"
    NOT_VERIFIED = "not verified"
    DOMAIN_DIFFERS = "domain differs"
    DIFFERENT = "different"


@dataclass(frozen=True, slots=True)
class Proposal:
    """What an engine made of a source, or the reason why it made nothing."""

    tree: Node | None
    rule: str
    failure: ProposalOutcome | None = None


class Engine(Protocol):
    """Proposes equivalents of sources."""

    name: str

    def propose(self, sources: Sequence[Node], random: Random, /) -> Iterable[list[Proposal]]:
        """The proposals for each source, in order."""


@dataclass(frozen=True, slots=True)
class Cluster:
    """Verified equivalents, the source first; `rules` says how each one was found."""

    members: tuple[Node, ...]
    rules: tuple[str, ...]


@dataclass(slots=True)
class Tally:
    """What happened to sources and proposals."""

    sources: Counter[str] = field(default_factory=Counter)
    proposals: Counter[str] = field(default_factory=Counter)

    def add(self, other: Tally) -> None:
        """Count what another tally counted."""
        self.sources.update(other.sources)
        self.proposals.update(other.proposals)


_FATES = {
    Relation.EQUAL: ProposalOutcome.KEPT,
    Relation.EQUAL_ON_COMMON_DOMAIN: ProposalOutcome.DOMAIN_DIFFERS,
    Relation.DIFFERENT: ProposalOutcome.DIFFERENT,
    Relation.UNKNOWN: ProposalOutcome.NOT_VERIFIED,
}


def make_clusters(
    sources: Iterable[Node], engine: Engine, random: Random, max_tokens: int, tally: Tally
) -> Iterator[Cluster]:
    """The clusters of those sources that have at least one verified equivalent."""
    batch: list[Node] = []
    for source in sources:
        batch.append(source)
        if len(batch) == _JUDGED:
            yield from _make_batch(batch, engine, random, max_tokens, tally)
            batch = []
    if batch:
        yield from _make_batch(batch, engine, random, max_tokens, tally)


def _make_batch(
    sources: list[Node], engine: Engine, random: Random, max_tokens: int, tally: Tally
) -> Iterator[Cluster]:
    usable = [
        source
        for start in range(0, len(sources), _SAMPLED)
        for source in _usable(sources[start : start + _SAMPLED], max_tokens, tally)
    ]
    admitted = [
        _admit(source, proposals, max_tokens, tally)
        for source, proposals in zip(usable, engine.propose(usable, random), strict=True)
    ]
    pairs = [
        (source, tree) for source, forms in zip(usable, admitted, strict=True) for tree, _ in forms
    ]
    verdicts = iter(compare_many(pairs, CORPUS_JUDGE))
    for source, forms in zip(usable, admitted, strict=True):
        kept: list[tuple[Node, str]] = []
        for form in forms:
            fate = _FATES[next(verdicts).relation]
            tally.proposals[fate] += 1
            if fate is ProposalOutcome.KEPT:
                kept.append(form)
        tally.sources["kept" if kept else "no equivalent"] += 1
        if kept:
            members, rules = zip(*kept, strict=True)
            yield Cluster((source, *members), ("", *rules))


def _usable(sources: list[Node], max_tokens: int, tally: Tally) -> list[Node]:
    """The sources that can be judged and stored."""
    usable = []
    for source, objection in zip(sources, _numeric_objections(sources), strict=True):
        fate = objection or _size_objection(source, write_prefix(source), max_tokens)
        if fate is not None:
            tally.sources[fate] += 1
        else:
            usable.append(source)
    return usable


def _numeric_objections(sources: list[Node]) -> Iterator[ProposalOutcome | None]:
    """Why sources cannot be judged: no values at most points, or values that tell nothing."""
    variables = frozenset[str]().union(*(source.variables for source in sources))
    program, roots = Program.of(sources)
    numbers, is_doubtful = compute(program, sample_points(variables, PAPER_DOMAIN))
    propagate(is_doubtful, program.operations)
    counts = (~is_doubtful[roots] & ~np.isnan(numbers[roots])).sum(axis=1)
    for is_extreme, count in zip(extreme_places(program, numbers)[roots], counts, strict=True):
        if is_extreme:
            yield ProposalOutcome.EXTREME
        else:
            yield ProposalOutcome.UNDEFINED if count < _MIN_POINTS else None


def _admit(
    source: Node, proposals: list[Proposal], max_tokens: int, tally: Tally
) -> list[tuple[Node, str]]:
    """The proposals that are new forms of a fit size, each with its rule."""
    # By their text: a tree would have to be hashed node by node.
    forms = {write_prefix(source): (source, "")}
    for proposal in proposals:
        text = "" if proposal.tree is None else write_prefix(proposal.tree)
        fate = _first_objection(proposal, text, forms, max_tokens)
        if fate is not None:
            tally.proposals[fate] += 1
        elif proposal.tree is not None:
            forms[text] = proposal.tree, proposal.rule
    return list(forms.values())[1:]


def _first_objection(
    proposal: Proposal, text: str, forms: Container[str], max_tokens: int
) -> ProposalOutcome | None:
    tree = proposal.tree
    if tree is None:
        return proposal.failure
    if text in forms:
        return ProposalOutcome.SAME_FORM
    if not tree.variables:
        return ProposalOutcome.NO_VARIABLE
    return _size_objection(tree, text, max_tokens)


def _size_objection(tree: Node, text: str, max_tokens: int) -> ProposalOutcome | None:
    """Why an expression is too large to be stored; what is stored must be readable."""
    if text.count(" ") >= max_tokens:
        return ProposalOutcome.TOO_LONG
    return None if is_readable(tree) else ProposalOutcome.OVER_LIMITS
