"""Verified equivalents per CPU-second: our rules beside SymPy with all the paper's functions."""

from __future__ import annotations

from random import Random
from time import process_time
from typing import TYPE_CHECKING

from benchmarks.timing import Row
from equivec.algebra.rewriting import RewritingConfig
from equivec.algebra.sympy_rewriting import sympy_variants
from equivec.corpus.engines import RulesEngine, proposals_of
from equivec.corpus.making import Fate, Tally, make_clusters
from equivec.corpus.sampler import Sampler
from equivec.expression.prefix import write_prefix

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from equivec.corpus.making import Engine, Proposal
    from equivec.expression.tree import Node

_SOURCES, _MAX_TOKENS, _GOAL = 96, 48, 60.0


class SymPyInProcess:
    """SymPy without worker processes, so that its CPU time can be read; all functions are tried."""

    name = "sympy"

    def propose(self, sources: Sequence[Node], _: Random, /) -> Iterator[list[Proposal]]:
        """The proposals for each source, in order."""
        for source in sources:
            yield proposals_of(sympy_variants(write_prefix(source), True))


def corpus(seed: int) -> Iterator[Row]:
    """Both engines on the same sources, every proposal judged."""
    random = Random(seed)
    sampler = Sampler()
    sources = [sampler.draw(random) for _ in range(_SOURCES)]
    ours, our_tally = _rate(RulesEngine(RewritingConfig(max_tokens=_MAX_TOKENS)), sources, seed)
    alternative, sympy_tally = _rate(SymPyInProcess(), sources, seed)
    yield Row(
        benchmark="corpus",
        what=f"verified equivalents of {_SOURCES} sources",
        ours=ours,
        alternative=alternative,
        unit="per CPU-second",
        ratio=ours / alternative,
        goal=_GOAL,
    )
    yield Row(
        benchmark="corpus",
        what="- how many that is",
        ours=our_tally.proposals[Fate.KEPT],
        alternative=sympy_tally.proposals[Fate.KEPT],
        unit="expressions",
    )


def _rate(engine: Engine, sources: list[Node], seed: int) -> tuple[float, Tally]:
    tally = Tally()
    start = process_time()
    for _ in make_clusters(sources, engine, Random(seed), _MAX_TOKENS, tally):
        pass
    return tally.proposals[Fate.KEPT] / (process_time() - start), tally
