"""The steps of a corpus: make shards, merge them, split them, write the folder.

What is made depends on the settings and the seed alone: not on the number of workers, on where they
run, or on how often the build was killed and resumed.
"""

from __future__ import annotations

import json
import logging
import shutil
from collections import Counter
from dataclasses import asdict, dataclass, field
from itertools import accumulate
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from equivec.corpus.held_out import HeldOut, held_out_files, split_as
from equivec.corpus.merging import merge_shards, without_extremes, without_large
from equivec.corpus.shards import ShardConfig, ShardReport, ShardWork
from equivec.corpus.splitting import SplitConfig, split
from equivec.corpus.store import MANIFEST, Corpus, counts, write_corpus
from equivec.errors import ConfigError, FileFormatError, require_at_least
from equivec.expression.files import read_expressions
from equivec.jobs.shards import ExecutorConfig, check_executor, run_shards
from equivec.storage.checksums import checksum
from equivec.storage.files import read_json, sweep_partials, write_json

if TYPE_CHECKING:
    from collections.abc import Iterator

    from equivec.corpus.shards import EngineName

_LOGGER = logging.getLogger(__name__)
_SETTINGS = "build.json"
# More pairs than asked for are made at first, because merging drops duplicates.
_ALLOWANCE = 1.1


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildConfig:
    """What a corpus is to contain; `size` counts pairs as the paper does."""

    size: int = 4_662_300
    engine: Literal["rules", "sympy", "both"] = "rules"
    # With both engines: SymPy's share of the pairs.
    sympy_fraction: float = 0.135
    # SymPy writes some forms with dozens of operators; what has more than these is left out.
    max_operators: int = 10
    shard: ShardConfig = field(default_factory=ShardConfig)
    splits: SplitConfig = field(default_factory=SplitConfig)
    # A folder of sets to hold out, instead of those that `splits` and the seed would draw.
    held_out: str | None = None

    def __post_init__(self) -> None:
        if self.size < 1:
            raise ConfigError(f"size must be at least 1 pair, not {self.size}")
        require_at_least(1, max_operators=self.max_operators)
        if not 0 < self.sympy_fraction < 1:
            raise ConfigError(
                f"sympy_fraction must lie between 0 and 1, not at {self.sympy_fraction}"
            )

    def shares(self) -> dict[EngineName, float]:
        """The part of the size that each engine makes."""
        if self.engine == "both":
            return {"rules": 1 - self.sympy_fraction, "sympy": self.sympy_fraction}
        return {self.engine: 1.0}


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a build is: pairs made of those wanted, and what was proposed and dropped."""

    step: str
    done: int
    wanted: int
    proposals: Counter[str]


def build_corpus(
    folder: str | Path, config: BuildConfig, executor: ExecutorConfig, *, resume: bool = False
) -> Iterator[Progress]:
    """Build a corpus in a folder; the caller shows the progress."""
    folder = Path(folder)
    check_executor(executor)
    if resume and (folder / MANIFEST).exists() and (folder / _SETTINGS).exists():
        _check_begun(folder, config)
        _clean_up(folder)  # the build was killed in the middle of it
        return
    held_out = None if config.held_out is None else HeldOut.read(config.held_out)
    _prepare(folder, config, resume=resume)
    allowance = _ALLOWANCE
    while True:
        paths: list[Path] = []
        reports: list[ShardReport] = []
        for engine, share in config.shares().items():
            work = ShardWork(engine, str(folder / "shards"), config.shard)
            wanted = ceil(allowance * share * config.size)
            yield from _make_shards(work, wanted, executor)
            prefix = _prefix(work, wanted)
            paths += [work.path(shard) for shard in range(prefix)]
            reports += [report for shard in range(prefix) if (report := work.report(shard))]
        yield Progress("merge", 0, 0, Counter())
        _LOGGER.info("merging %d shards of %s", len(paths), folder)
        merged = merge_shards(paths)
        small = without_large(merged, config.max_operators)
        table = without_extremes(small)
        found = counts(table)["pairs"]
        if not found and config.shard.sources_file is not None:
            raise FileFormatError(
                f"no equivalents were found of the sources in {config.shard.sources_file}; "
                "there is no corpus without any"
            )
        if found >= config.size or config.shard.sources_file is not None:
            break
        _LOGGER.info("%d of %d pairs after merging; making more shards", found, config.size)
        allowance *= 1.02 * config.size / max(1, found)
    made = sum(report.expressions for report in reports)
    facts: dict[str, Any] = {
        "duplicates across clusters": made - len(merged),
        "too many operators": len(merged) - len(small),
        "too near a limit": len(small) - len(table),
    }
    if held_out is None:
        table = split(table, config.splits, config.shard.seed)
    else:
        table = split_as(table, held_out)
        facts["held out but not made"] = held_out.missing_from(table)
    _LOGGER.info("writing %d expressions to %s", len(table), folder)
    _finish(folder, table, config, reports, facts)


def _prepare(folder: Path, config: BuildConfig, *, resume: bool) -> None:
    """Make the folder, or see that it was begun with the same settings."""
    path = folder / _SETTINGS
    _refuse_finished(folder)
    if path.exists():
        if not resume:
            raise FileFormatError(f"{folder} holds an unfinished build; continue it with --resume")
        _check_begun(folder, config)
    elif config.shard.sources_file is not None:
        for _ in read_expressions(config.shard.sources_file, "auto"):
            pass  # a line that cannot be read is better found before there is a folder
    settings = _settings(config)
    (folder / "shards").mkdir(parents=True, exist_ok=True)
    for each in (folder, folder / "shards"):
        sweep_partials(each)
    write_json(path, settings)


def _refuse_finished(folder: Path) -> None:
    if (folder / MANIFEST).exists():
        raise FileFormatError(f"{folder} already holds a finished corpus; choose another folder")


def _check_begun(folder: Path, config: BuildConfig) -> None:
    """Raise unless a build that was begun may go on with these settings."""
    path = folder / _SETTINGS
    if read_json(path) != _settings(config):
        raise FileFormatError(
            f"{folder} was begun with other settings; use those of {path} or another folder"
        )


def _settings(config: BuildConfig) -> dict[str, Any]:
    """What a build depends on, as JSON has it."""
    settings: dict[str, Any] = json.loads(json.dumps(asdict(config)))
    if config.shard.sources_file is not None:
        settings["sources checksum"] = checksum(Path(config.shard.sources_file))
    if config.held_out is not None:
        files = (path for paths in held_out_files(config.held_out).values() for path in paths)
        settings["held out checksums"] = {path.name: checksum(path) for path in files}
    return settings


def _make_shards(work: ShardWork, wanted: int, executor: ExecutorConfig) -> Iterator[Progress]:
    """Make shards until the first ones together have the pairs that are wanted."""
    if work.config.sources_file is not None:
        wanted = 0
    proposals: Counter[str] = Counter()
    done = 0
    while True:
        reports = _finished(work)
        made = sum(_pairs(report) for report in reports)
        if _is_enough(work, reports, wanted):
            return
        typical = made / len(reports) if reports else 20.0 * work.config.sources
        more = max(1, ceil((wanted - made) / typical)) if wanted else executor.workers
        missing = range(len(reports), len(reports) + more)
        done = made
        for each in run_shards(work, missing, executor):
            done += _pairs(each.value)
            proposals.update(each.value.proposals)
            yield Progress(f"{work.engine} pairs", done, wanted, proposals)


def _is_enough(work: ShardWork, reports: list[ShardReport], wanted: int) -> bool:
    if work.config.sources_file is not None:
        # A shard past the end of the file has no sources.
        return bool(reports) and sum(reports[-1].sources.values()) == 0
    return sum(_pairs(report) for report in reports) >= wanted


def _finished(work: ShardWork) -> list[ShardReport]:
    """The reports of the shards that are there, up to the first that is missing."""
    reports: list[ShardReport] = []
    while (report := work.report(len(reports))) is not None:
        reports.append(report)
    return reports


def _prefix(work: ShardWork, wanted: int) -> int:
    """The fewest first shards that have the pairs wanted; what was made beyond is left out."""
    reports = _finished(work)
    if work.config.sources_file is not None:
        return len(reports)
    totals = list(accumulate(_pairs(report) for report in reports))
    return next(number for number, total in enumerate(totals, 1) if total >= wanted)


def _pairs(report: ShardReport) -> int:
    return 2 * (report.expressions - report.clusters)


def _finish(
    folder: Path,
    table: pa.Table,
    config: BuildConfig,
    reports: list[ShardReport],
    facts: dict[str, Any],
) -> None:
    sources: Counter[str] = Counter()
    proposals: Counter[str] = Counter()
    for report in reports:
        sources.update(report.sources)
        proposals.update(report.proposals)
    made = {
        "settings": _settings(config),
        "shards": len(reports),
        "sources": dict(sorted(sources.items())),
        "proposals": dict(sorted(proposals.items())),
    }
    write_corpus(folder, table, made | facts)
    _clean_up(folder)


def _clean_up(folder: Path) -> None:
    """Remove everything but the corpus; the settings go last, so that a killed build can resume."""
    sweep_partials(folder)
    shutil.rmtree(folder / "shards", ignore_errors=True)
    (folder / _SETTINGS).unlink()


def sample_corpus(folder: str | Path, out: str | Path, clusters: int, seed: int = 42) -> Corpus:
    """Write a small corpus with some random clusters of a large one, splits as they were."""
    if clusters < 1:
        raise ConfigError(f"a sample needs at least 1 cluster, not {clusters}")
    require_at_least(0, seed=seed)
    corpus, out = Corpus.open(folder), Path(out)
    _refuse_finished(out)
    table = corpus.table()
    count = corpus.manifest["counts"]["clusters"]
    chosen = np.sort(np.random.default_rng(seed).permutation(count)[:clusters])
    kept = table.filter(pc.is_in(table["cluster"], pa.array(chosen)))
    numbers = np.searchsorted(chosen, kept["cluster"].to_numpy())
    kept = kept.set_column(0, "cluster", pa.array(numbers))
    facts = {"sample of": corpus.manifest["counts"], "settings": corpus.manifest["settings"]}
    return write_corpus(out, kept, facts)


def open_corpus(folder: str | Path) -> Corpus:
    """A finished corpus."""
    return Corpus.open(folder)
