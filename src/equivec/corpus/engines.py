"""The two engines that propose equivalents: our rules, and the paper's SymPy functions."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from equivec.algebra.rewriting import Rewriter, RewritingConfig
from equivec.algebra.sympy_rewriting import sympy_variants
from equivec.corpus.clusters import Proposal, ProposalOutcome
from equivec.expression.prefix import parse_prefix, write_prefix
from equivec.jobs.timebox import TimeBox, TimeBoxConfig
from equivec.jobs.workers import Failure

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from random import Random

    from equivec.algebra.sympy_rewriting import SymPyVariant
    from equivec.expression.tree import Node
    from equivec.jobs.timebox import Answer


class RulesEngine:
    """Random walks through the table of rules."""

    name = "rules"

    def __init__(self, config: RewritingConfig) -> None:
        self._rewriter = _rewriter(config)

    def propose(self, sources: Sequence[Node], random: Random) -> Iterator[list[Proposal]]:
        """The proposals for each source, in order."""
        for source in sources:
            yield [
                Proposal(variant.tree, "; ".join(variant.rules))
                for variant in self._rewriter.cluster(source, random)
            ]


@lru_cache(maxsize=1)
def _rewriter(config: RewritingConfig) -> Rewriter:
    """One rewriter for all shards of a process: it knows the kinds of terms that it has met."""
    return Rewriter(config=config)


class SymPyEngine:
    """The paper's functions, each source in a worker that can be killed.

    `simplify` and `trigsimp` take most of the time and find few forms, so they are tried on a
    share of the sources only.
    """

    name = "sympy"

    def __init__(
        self, slow_fraction: float, box: TimeBoxConfig, *, has_more_functions: bool = False
    ) -> None:
        self._slow_fraction = slow_fraction
        self._has_more_functions = has_more_functions
        self._box = TimeBox(box, preload=("equivec.algebra.sympy_rewriting",))

    def close(self) -> None:
        """Stop the workers."""
        self._box.close()

    def propose(self, sources: Sequence[Node], random: Random) -> Iterator[list[Proposal]]:
        """The proposals for each source, in order."""
        more = self._has_more_functions
        work = [
            (write_prefix(source), random.random() < self._slow_fraction, more)
            for source in sources
        ]
        for answer in self._box.map(sympy_variants, work):
            yield _proposals(answer)


_FAILURES = {
    Failure.TIME_LIMIT: ProposalOutcome.TIME_LIMIT,
    Failure.MEMORY_LIMIT: ProposalOutcome.ENGINE_FAILED,
    Failure.DIED: ProposalOutcome.ENGINE_FAILED,
}


def _proposals(answer: Answer[list[SymPyVariant]]) -> list[Proposal]:
    if answer.value is None:
        assert answer.failure is not None
        return [Proposal(None, "all functions", _FAILURES[answer.failure])]
    return proposals_of(answer.value)


def proposals_of(variants: list[SymPyVariant]) -> list[Proposal]:
    """What SymPy found, or did not find, as proposals."""
    return [
        Proposal(parse_prefix(variant.text), variant.function)
        if variant.text
        else Proposal(None, variant.function, _PROBLEMS[variant.problem])
        for variant in variants
    ]


_PROBLEMS = {
    "time limit": ProposalOutcome.TIME_LIMIT,
    "undefined": ProposalOutcome.UNDEFINED,
    "too long": ProposalOutcome.TOO_LONG,
    "failed": ProposalOutcome.ENGINE_FAILED,
    "not in the grammar": ProposalOutcome.NOT_IN_GRAMMAR,
}
