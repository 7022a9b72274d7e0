"""A shard: so many sources, their clusters, one file. The same seed gives the same bytes."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from itertools import islice
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, Literal

from equivec.algebra.fingerprint import fingerprints
from equivec.algebra.rewriting import RewritingConfig
from equivec.algebra.timebox import TimeBoxConfig
from equivec.corpus.engines import RulesEngine, SymPyEngine
from equivec.corpus.making import Tally, make_clusters
from equivec.corpus.records import Row, read_metadata, to_table, write_table
from equivec.corpus.sampler import Sampler, SamplerConfig
from equivec.errors import ConfigError, FileFormatError
from equivec.expression.files import read_expressions
from equivec.expression.prefix import write_prefix

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from equivec.corpus.making import Cluster
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
        default_factory=lambda: RewritingConfig(growth=3, max_tokens=48)
    )
    # The share of the sources on which SymPy's simplify and trigsimp are tried.
    slow_share: float = 0.02
    # Own expressions instead of random ones, in any input format.
    sources_file: str | None = None

    def __post_init__(self) -> None:
        if self.sources < 1:
            raise ConfigError(f"a shard needs at least 1 source, not {self.sources}")
        if not 0 <= self.slow_share <= 1:
            raise ConfigError(f"slow_share must lie between 0 and 1, not at {self.slow_share}")


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
        except (FileNotFoundError, FileFormatError, OSError):
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

    def _sources(self, shard: int, random: Random) -> Iterable[Node]:
        if self.config.sources_file is not None:
            start = shard * self.config.sources
            expressions = read_expressions(self.config.sources_file, "auto")
            return islice(expressions, start, start + self.config.sources)
        sampler = Sampler(self.config.sampler)
        return [sampler.draw(random) for _ in range(self.config.sources)]

    def _clusters(self, sources: Iterable[Node], random: Random, tally: Tally) -> Iterator[Cluster]:
        limit = self.config.max_tokens
        if self.engine == "rules":
            yield from make_clusters(
                sources, RulesEngine(self.config.rewriting), random, limit, tally
            )
            return
        engine = SymPyEngine(self.config.slow_share, TimeBoxConfig(time_limit=10))
        try:
            yield from make_clusters(sources, engine, random, limit, tally)
        finally:
            engine.close()


def _rows(clusters: list[Cluster], engine: str) -> Iterator[Row]:
    prints = fingerprints([cluster.members[0] for cluster in clusters])
    for number, (cluster, text) in enumerate(zip(clusters, prints, strict=True)):
        for place, (member, rule) in enumerate(zip(cluster.members, cluster.rules, strict=True)):
            yield Row(number, write_prefix(member), int(text, 16), engine, rule, place == 0)


def as_json(config: ShardConfig) -> dict[str, Any]:
    """The settings as they stand in a manifest."""
    return asdict(config)
