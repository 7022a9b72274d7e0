"""Verified equivalents per CPU-second: our rules beside SymPy with all the paper's functions.

Both engines get sources as a build draws them and work as they do there, SymPy in a worker that is
killed when it hangs. Both are warm: before the clock starts, each has seen as many other sources as
a shard has, and a build's worker makes many shards.
"""

from __future__ import annotations

from random import Random
from time import process_time
from typing import TYPE_CHECKING

from benchmarks.timing import Row
from equivec.algebra.sympy_rewriting import SymPyVariant, sympy_variants
from equivec.algebra.timebox import TimeBox, TimeBoxConfig
from equivec.corpus.engines import RulesEngine, proposals_of
from equivec.corpus.making import Fate, Proposal, Tally, make_clusters
from equivec.corpus.shards import ShardConfig
from equivec.corpus.sources import random_sources
from equivec.expression.prefix import write_prefix

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from equivec.corpus.making import Engine
    from equivec.expression.tree import Node

_CONFIG = ShardConfig()
_WARM_UP, _SOURCES, _GOAL = _CONFIG.sources, 500, 60.0


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
                yield [Proposal(None, "all functions", Fate.TIME_LIMIT)]
                continue
            variants, seconds = answer.value
            self.seconds += seconds
            yield proposals_of(variants)


def corpus(seed: int) -> Iterator[Row]:
    """Both engines on the same sources, every proposal judged."""
    ours, our_tally = _rate(RulesEngine(_CONFIG.rewriting), process_time, seed)
    # A fresh worker in the middle would be a cold one.
    config = TimeBoxConfig(time_limit=10, tasks_per_worker=_WARM_UP + _SOURCES)
    with TimeBox(config, preload=("benchmarks.corpus",)) as box:
        sympy = SymPyWorker(box)
        rate, tally = _rate(sympy, lambda: process_time() + sympy.seconds, seed)
    yield Row(
        benchmark="corpus",
        what=f"verified equivalents of {_SOURCES} sources",
        ours=ours,
        alternative=rate,
        unit="per CPU-second",
        ratio=ours / rate,
        goal=_GOAL,
    )
    yield Row(
        benchmark="corpus",
        what="- how many that is",
        ours=our_tally.proposals[Fate.KEPT],
        alternative=tally.proposals[Fate.KEPT],
        unit="expressions",
    )


def _rate(engine: Engine, clock: Callable[[], float], seed: int) -> tuple[float, Tally]:
    """What an engine finds in a second of the CPU time that the clock tells, and what it found."""
    random = Random(seed)
    count = _WARM_UP + _SOURCES
    sources = list(random_sources(count, _CONFIG.sampler, _CONFIG.instance_share, random))
    _make(engine, sources[:_WARM_UP], random)
    start = clock()
    tally = _make(engine, sources[_WARM_UP:], random)
    return tally.proposals[Fate.KEPT] / (clock() - start), tally


def _make(engine: Engine, sources: list[Node], random: Random) -> Tally:
    tally = Tally()
    for _ in make_clusters(sources, engine, random, _CONFIG.max_tokens, tally):
        pass
    return tally


def _timed_variants(source: str) -> tuple[list[SymPyVariant], float]:
    start = process_time()
    variants = sympy_variants(source, True)
    return variants, process_time() - start
