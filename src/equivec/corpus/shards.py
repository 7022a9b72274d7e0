"""A shard: some sources and their clusters in one file; the same seed gives the same bytes."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Literal

import pyarrow as pa

from equivec.algebra.fingerprint import fingerprints
from equivec.algebra.points import PAPER_DOMAIN
from equivec.algebra.rewriting import RewritingConfig
from equivec.corpus.clusters import Tally, make_clusters
from equivec.corpus.engines import RulesEngine, SymPyEngine
from equivec.corpus.records import Row, read_metadata, to_table, write_table
from equivec.corpus.sampler import SamplerConfig
from equivec.corpus.sources import file_sources, random_sources
from equivec.errors import ConfigError, FileFormatError, require_at_least
from equivec.expression.prefix import write_prefix
from equivec.jobs.timebox import TimeBoxConfig

if TYPE_CHECKING:
    from collections.abc import Iterator

    from equivec.corpus.clusters import Cluster
    from equivec.expression.tree import Node

EngineName = Literal["rules", "sympy"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ShardConfig:
    """How sources are drawn and what an expression may be."""

    seed: int = 42
    sources: int = 1_000
    max_tokens: int = 48
    sampler: SamplerConfig = field(default_factory=SamplerConfig)
    rewriting: RewritingConfig = field(
        default_factory=lambda: RewritingConfig(growth=2, max_tokens=48)
    )
    # The share of the sources on which SymPy's simplify and trigsimp are tried.
    slow_fraction: float = 0.02
    # Beside the paper's SymPy functions those for fractions, radicals and products of waves.
    more_functions: bool = False
    # The share of the sources that are instances of rules instead of random trees.
    instance_fraction: float = 0.15
    # Own expressions instead of random ones, in any input format.
    sources_file: str | None = None

    def __post_init__(self) -> None:
        if self.sources < 1:
            raise ConfigError(f"a shard needs at least 1 source, not {self.sources}")
        require_at_least(0, seed=self.seed)
        for name in ("slow_fraction", "instance_fraction"):
            if not 0 <= getattr(self, name) <= 1:
                raise ConfigError(f"{name} must lie between 0 and 1, not at {getattr(self, name)}")


@dataclass(frozen=True, slots=True)
class ShardReport:
    """What a shard holds and what was dropped on the way."""

    clusters: int
    expressions: int
    sources: dict[str, int]
    proposals: dict[str, int]


@dataclass(frozen=True, slots=True)
class ShardWork:
    """Makes numbered shards of one engine in a folder; a shard that is there is left alone."""

    engine: EngineName
    folder: str
    config: ShardConfig

    def path(self, shard: int) -> Path:
        """Where a shard is or will be."""
        return Path(self.folder) / f"{self.engine}-{shard:05d}.parquet"

    def report(self, shard: int) -> ShardReport | None:
        """The report of a finished shard; None where there is no whole file."""
        try:
            return ShardReport(**read_metadata(self.path(shard)))
        except (FileFormatError, OSError, pa.ArrowInvalid):
            return None

    def __call__(self, shard: int) -> ShardReport:
        """Make a shard, unless it is there."""
        done = self.report(shard)
        if done is not None:
            return done
        random = Random(f"{self.config.seed} {self.engine} {shard}")  # noqa: S311
        tally = Tally()
        clusters = list(self._clusters(self._sources(shard, random), random, tally))
        rows = list(_rows(clusters, self.engine))
        report = ShardReport(len(clusters), len(rows), dict(tally.sources), dict(tally.proposals))
        write_table(self.path(shard), to_table(rows), asdict(report))
        return report

    def _sources(self, shard: int, random: Random) -> list[Node]:
        config = self.config
        if config.sources_file is not None:
            return list(file_sources(config.sources_file, shard * config.sources, config.sources))
        # Drawn before any engine draws from the same generator.
        share = config.instance_fraction
        return list(random_sources(config.sources, config.sampler, share, random))

    def _clusters(self, sources: list[Node], random: Random, tally: Tally) -> Iterator[Cluster]:
        limit = self.config.max_tokens
        if self.engine == "rules":
            yield from make_clusters(
                sources, RulesEngine(self.config.rewriting), random, limit, tally
            )
            return
        engine = SymPyEngine(
            self.config.slow_fraction,
            TimeBoxConfig(time_limit=10),
            has_more_functions=self.config.more_functions,
        )
        try:
            yield from make_clusters(sources, engine, random, limit, tally)
        finally:
            engine.close()


def _rows(clusters: list[Cluster], engine: str) -> Iterator[Row]:
    prints = fingerprints([cluster.members[0] for cluster in clusters], PAPER_DOMAIN)
    for number, (cluster, text) in enumerate(zip(clusters, prints, strict=True)):
        for place, (member, rule) in enumerate(zip(cluster.members, cluster.rules, strict=True)):
            yield Row(number, write_prefix(member), int(text, 16), engine, rule, place == 0)
