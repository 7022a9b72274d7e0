"""Train LatentWorlds on SemVec datasets and score them: a network for each dataset and seed.

The networks are trained by worker processes, each in one thread: the same seed gives the same
network on the same machine, whatever else runs. A folder of networks has

    Bool5@42.npz            a network in half precision, how it was trained, and its scores
    Bool5@42-without-*.npz  the same, trained without a part of the training classes, and its score
                            on them: the configuration of the highest is that of the dataset
    rows.json               all scores, a row for each dataset, seed and split
    compositionality.json   scores on a dataset of networks trained on another
    held_out.json           scores on training classes that were held out

Each .npz appears whole, so the same command goes on with what is not there yet.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import TYPE_CHECKING

from equivec.errors import ConfigError
from equivec.jobs.shards import run_shards
from equivec.semvec.folds import fold_dataset
from equivec.semvec.packing import pack_semvec, read_semvec
from equivec.semvec.runs import Fold
from equivec.semvec.training import dataset_checksum
from equivec.semvec.worlds_files import (
    WorldsFile,
    WorldsJob,
    WorldsRun,
    needed_datasets,
    read_networks,
)
from equivec.semvec.worlds_settings import FOLDS, HELD_OUT_FOLDS, WORLDS_CONFIGS, WorldsConfig
from equivec.semvec.worlds_training import one_thread, train_worlds, training_rows
from equivec.storage.files import sweep_partials

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from equivec.jobs.shards import ExecutorConfig
    from equivec.semvec.dataset import SemVecDataset

_LARGEST_SEED = 2**63 - 1  # that torch takes


@dataclass(frozen=True, slots=True)
class WorldsWork:
    """Trains and scores networks by their numbers in a list of jobs, each into a file."""

    data: Path  # packed
    out: Path
    jobs: tuple[WorldsJob, ...]
    device: str  # where neighbours are sought

    def __call__(self, number: int) -> WorldsJob:
        """Train and score one network."""
        job = self.jobs[number]
        datasets, _ = read_semvec(self.data, needed_datasets([job.dataset]))
        dataset = datasets[job.dataset] = _trained_on(job, datasets)
        with one_thread():
            start = perf_counter()
            trained = train_worlds(training_rows(dataset), job.config, job.seed)
            seconds = round(perf_counter() - start, 1)
            run = WorldsRun(
                dataset=job.dataset,
                seed=job.seed,
                fold=job.fold,
                config=job.config,
                data=dataset_checksum(dataset),
                seconds=seconds,
                losses=trained.losses,
            )
            file = WorldsFile(run, trained.network.arrays(), ())
            file.score(datasets, self.device).write(self.out / job.file_name)
        return job


@dataclass(frozen=True, slots=True)
class WorldsPlan:
    """Which networks are trained: for every dataset one a seed, with the configuration chosen."""

    datasets: Sequence[str]
    seeds: Sequence[int]
    configs: Sequence[WorldsConfig] = WORLDS_CONFIGS

    def __post_init__(self) -> None:
        for what, values in (("dataset", self.datasets), ("seed", self.seeds)):
            if twice := [value for value, count in Counter(values).items() if count > 1]:
                raise ConfigError(f"the {what} {twice[0]} is named twice; name it once")
        if wrong := [seed for seed in self.seeds if not 0 <= seed <= _LARGEST_SEED]:
            raise ConfigError(f"a seed must lie between 0 and {_LARGEST_SEED}, not be {wrong[0]}")

    @property
    def count(self) -> int:
        """How many networks there are, with those that choose."""
        return len(self.datasets) * (HELD_OUT_FOLDS * len(self.configs) + len(self.seeds))

    def choosing_jobs(self) -> list[WorldsJob]:
        """The networks that lack classes, which choose; the first seed is enough."""
        return [
            WorldsJob(name, config, self.seeds[0], fold)
            for fold in range(1, HELD_OUT_FOLDS + 1)
            for config in self.configs
            for name in self.datasets
        ]

    def final_jobs(self, files: Iterable[WorldsFile]) -> list[WorldsJob]:
        """The networks that count, given those that choose."""
        chosen = choose_configs(files)
        return [WorldsJob(name, chosen[name], seed) for seed in self.seeds for name in chosen]


def choose_configs(files: Iterable[WorldsFile]) -> dict[str, WorldsConfig]:
    """For each dataset the configuration with the highest mean score_5 on held-out classes.

    Where means are equal at k = 5, those at 10 and 15 decide, and then the lower training loss. No
    test is looked at.
    """
    found: dict[str, dict[WorldsConfig, list[tuple[float, ...]]]] = {}
    for file in files:
        (row,) = file.rows
        scores = (row.score_5, row.score_10, row.score_15, -row.training_loss)
        found.setdefault(row.dataset, {}).setdefault(file.run.config, []).append(scores)
    return {name: max(scores, key=partial(_means, scores)) for name, scores in found.items()}


def _means(
    scores: Mapping[WorldsConfig, Sequence[tuple[float, ...]]], config: WorldsConfig
) -> tuple[float, ...]:
    """The means over the folds of a configuration, rounded as far as scores are."""
    return tuple(round(fmean(values), 3) for values in zip(*scores[config], strict=True))


def train_all(
    data: Path, out: Path, plan: WorldsPlan, executor: ExecutorConfig, device: str = "cpu"
) -> Iterator[WorldsFile]:
    """Train and score networks, first those that choose; in both parts those that exist first."""
    choosing = plan.choosing_jobs()
    datasets, _ = read_semvec(data, needed_datasets(plan.datasets))
    out.mkdir(parents=True, exist_ok=True)
    sweep_partials(out)
    with TemporaryDirectory() as folder:
        packed = Path(folder) / "semvec.npz"
        pack_semvec(datasets, {}, packed)
        work = WorldsWork(packed, out, tuple(choosing), device)
        files = []
        for file in _train_jobs(work, datasets, executor):
            files.append(file)
            yield file
        files.sort(key=lambda file: choosing.index(file.run.job))
        work = replace(work, jobs=tuple(plan.final_jobs(files)))
        yield from _train_jobs(work, datasets, executor)


def _train_jobs(
    work: WorldsWork, datasets: Mapping[str, SemVecDataset], executor: ExecutorConfig
) -> Iterator[WorldsFile]:
    """The networks of jobs, the longest trainings begun first."""
    waiting = []
    for number, job in enumerate(work.jobs):
        if (path := work.out / job.file_name).exists():
            yield _checked(path, job, datasets)
        else:
            waiting.append(number)
    waiting.sort(key=lambda number: -len(datasets[work.jobs[number].dataset]))
    for done in run_shards(work, waiting, executor):
        yield WorldsFile.read(work.out / done.value.file_name)


def _checked(path: Path, job: WorldsJob, datasets: Mapping[str, SemVecDataset]) -> WorldsFile:
    """A finished network, if it is of this job and data."""
    file = WorldsFile.read(path)
    dataset = _trained_on(job, datasets)
    if (file.run.job, file.run.data) != (job, dataset_checksum(dataset)):
        raise ConfigError(
            f"{path} is a network of other settings or data; repeat those to go on, "
            "or name another folder"
        )
    return file


def _trained_on(job: WorldsJob, datasets: Mapping[str, SemVecDataset]) -> SemVecDataset:
    """The dataset of a job, or that less its tests, with the held-out classes as the unseen."""
    whole = datasets[job.dataset]
    return fold_dataset(whole, Fold(job.fold, FOLDS)) if job.fold else whole


def score_all(
    folder: Path, data: Path, names: Sequence[str], device: str = "cpu"
) -> Iterator[WorldsFile]:
    """The networks of a folder with the scores they get now."""
    files = read_networks(folder, names)
    datasets, _ = read_semvec(data, needed_datasets(file.run.dataset for file in files))
    for file in files:
        with one_thread():
            yield file.score(datasets, device)
