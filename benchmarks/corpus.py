"""Verified equivalents per CPU-second: our rules beside SymPy with all the paper's functions.

Both engines get sources as a build draws them and work as they do there, SymPy in a worker that is
killed when it hangs. Both are warm: before the clock starts, each has seen as many other sources as
a shard has, and a build's worker makes many shards.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from time import process_time
from typing import TYPE_CHECKING

from benchmarks.timing import Row, settle
from equivec.algebra.sympy_rewriting import SymPyVariant, sympy_variants
from equivec.corpus.clusters import Proposal, ProposalOutcome, Tally, make_clusters
from equivec.corpus.engines import RulesEngine, proposals_of
from equivec.corpus.shards import ShardConfig
from equivec.corpus.sources import random_sources
from equivec.expression.prefix import write_prefix
from equivec.jobs.timebox import TimeBox, TimeBoxConfig

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from equivec.corpus.clusters import Engine
    from equivec.expression.tree import Node

_CONFIG = ShardConfig()
_WARM_UP, _SOURCES, _TURN, _GOAL = _CONFIG.sources, 512, 128, 60.0


class SymPyWorker:
    """SymPy in a worker process that tells what CPU time it took; all functions are tried."""

    name = "sympy"

    def __init__(self, box: TimeBox) -> None:
        self._box = box
        self.seconds = 0.0

    def propose(self, sources: Sequence[Node], _: Random, /) -> Iterator[list[Proposal]]:
        """The proposals for each source, in order."""
        for answer in self._box.map(_timed_variants, [(write_prefix(each),) for each in sources]):
            if answer.value is None:
                # What a worker took that had to be killed is not known, and left out.
                yield [Proposal(None, "all functions", ProposalOutcome.TIME_LIMIT)]
                continue
            variants, seconds = answer.value
            self.seconds += seconds
            yield proposals_of(variants)


@dataclass(slots=True)
class Contestant:
    """An engine at work, with the CPU time it has taken and what became of its proposals."""

    engine: Engine
    clock: Callable[[], float]
    random: Random
    tally: Tally = field(default_factory=Tally)
    seconds: float = 0.0

    def make(self, sources: Sequence[Node]) -> None:
        """The clusters of some sources, which nobody keeps."""
        start = self.clock()
        for _ in make_clusters(sources, self.engine, self.random, _CONFIG.max_tokens, self.tally):
            pass
        self.seconds += self.clock() - start

    @property
    def kept(self) -> int:
        """How many proposals were verified."""
        return self.tally.proposals[ProposalOutcome.KEPT]


def corpus(seed: int) -> Iterator[Row]:
    """Both engines on the same sources, every proposal judged."""
    random = Random(seed)
    count = _WARM_UP + _SOURCES
    sources = list(random_sources(count, _CONFIG.sampler, _CONFIG.instance_fraction, random))
    # A fresh worker in the middle would be a cold one.
    box_config = TimeBoxConfig(time_limit=10, tasks_per_worker=count + 1)
    with TimeBox(box_config, preload=("benchmarks.corpus",)) as box:
        worker = SymPyWorker(box)
        rules = Contestant(RulesEngine(_CONFIG.rewriting), process_time, Random(seed))
        sympy = Contestant(worker, lambda: process_time() + worker.seconds, Random(seed))
        for contestant in (rules, sympy):
            contestant.make(sources[:_WARM_UP])
            contestant.tally, contestant.seconds = Tally(), 0.0
        settle()
        box.run(settle)
        # In turns: whatever slows the machine slows both.
        for start in range(_WARM_UP, count, _TURN):
            for contestant in (rules, sympy):
                contestant.make(sources[start : start + _TURN])
    yield from _rows(rules, sympy)


def _rows(rules: Contestant, sympy: Contestant) -> Iterator[Row]:
    ours, alternative = (each.kept / each.seconds for each in (rules, sympy))
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
        ours=rules.kept,
        alternative=sympy.kept,
        unit="expressions",
    )


def _timed_variants(source: str) -> tuple[list[SymPyVariant], float]:
    start = process_time()
    variants = sympy_variants(source, True)
    return variants, process_time() - start
