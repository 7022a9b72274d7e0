"""A network of learned operators in a file: its values, how it was trained, and its scores as rows.

A row is written and read back by its own class. Networks are kept in half precision, and scored as
they are kept.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import partial
from statistics import fmean
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from equivec.errors import ConfigError, FileFormatError
from equivec.semvec.dataset import COMPOSITIONS, SEMVEC_SPECS, Split, semvec_spec
from equivec.semvec.files import read_arrays, write_arrays
from equivec.semvec.score import ceiling, score_neighbours
from equivec.semvec.training import dataset_checksum
from equivec.semvec.vectors import nearest_on_device
from equivec.semvec.worlds import LatentWorlds, embed_in_worlds
from equivec.semvec.worlds_rows import WorldsRow
from equivec.semvec.worlds_settings import FOLDS, WorldsConfig
from equivec.storage.files import write_json
from equivec.storage.values import Record, record_from

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from equivec.semvec.dataset import SemVecDataset
    from equivec.semvec.files import Arrays

NAME = "LatentWorlds"
HELD_OUT = "held-out classes"
_FACTS = "facts"  # the name of JSON among the arrays of a file
_SPLITS = {Split.VALIDATION: "validation", Split.SEEN: "seen", Split.UNSEEN: "unseen"}
_COMPOSITION_SPLITS = {Split.UNSEEN: "unseen"}
_HELD_OUT_SPLITS = {Split.UNSEEN: HELD_OUT}
_LISTS = ("rows.json", "compositionality.json", "held_out.json")
_ORDER = [spec.name for spec in SEMVEC_SPECS]


@dataclass(frozen=True, slots=True, kw_only=True)
class WorldsRun(Record):
    """What a file says of the training behind its network."""

    dataset: str
    seed: int
    fold: int | None  # the part of the training classes that it lacks
    config: WorldsConfig
    data: str  # the checksum of what it was trained on
    seconds: float
    losses: tuple[float, ...]  # of every restart

    @property
    def job(self) -> WorldsJob:
        """What was asked for."""
        return WorldsJob(self.dataset, self.config, self.seed, self.fold)


class WorldsJob(NamedTuple):
    """One network to train."""

    dataset: str
    config: WorldsConfig
    seed: int
    fold: int | None = None  # the part of the training classes that it lacks

    @property
    def file_name(self) -> str:
        """The name of its file."""
        rest = f"-without-{self.fold}-{self.config.states}" if self.fold else ""
        return f"{self.dataset}@{self.seed}{rest}.npz"


@dataclass(frozen=True, slots=True)
class _Facts(Record):
    """What a file says beside its network."""

    run: WorldsRun
    rows: tuple[WorldsRow, ...]


@dataclass(frozen=True, slots=True)
class WorldsFile:
    """What a file holds: a network, its training, its scores."""

    run: WorldsRun
    network: Arrays
    rows: tuple[WorldsRow, ...]

    def write(self, path: Path) -> None:
        """Write it whole."""
        facts = json.dumps(_Facts(self.run, self.rows).to_json())
        write_arrays(path, {**self.network, _FACTS: np.array(facts)}, compressed=True)

    @classmethod
    def read(cls, path: Path) -> WorldsFile:
        """What `write` wrote."""
        arrays = read_arrays(path)
        try:
            found = json.loads(str(arrays.pop(_FACTS)))
        except (KeyError, ValueError) as error:
            raise FileFormatError(f"{path} is no network of `equivec semvec worlds`") from error
        facts = record_from(found, _Facts, path)
        return cls(facts.run, arrays, facts.rows)

    def score(self, datasets: Mapping[str, SemVecDataset], device: str) -> WorldsFile:
        """The same with the scores of now, on its own dataset and on the larger ones given."""
        dataset = datasets[self.run.dataset]
        if dataset_checksum(dataset) != self.run.data:
            raise ConfigError(
                f"{self.run.dataset}@{self.run.seed} was trained on another {self.run.dataset} "
                "than that of --data"
            )
        network = LatentWorlds(self.run.config, dataset.spec, 1)
        network.load(self.network)
        network.to(device)
        return replace(self, rows=tuple(_scores(self.run, network, datasets)))


def needed_datasets(names: Iterable[str]) -> list[str]:
    """The datasets that networks of these are trained or scored on."""
    own = set(names)
    return sorted(own | {target for name in own for target in _targets(name)})


def _targets(name: str) -> list[str]:
    """The datasets that networks of this one are scored on beside it."""
    return [target for source, target in COMPOSITIONS if source == name]


def read_networks(folder: Path, names: Sequence[str]) -> list[WorldsFile]:
    """The networks of some datasets in a folder, but not those that lack classes."""
    files = [
        file
        for name in names
        for path in folder.glob(f"{semvec_spec(name).name}@*.npz")
        if (file := WorldsFile.read(path)).run.fold is None
    ]
    if not files:
        raise FileFormatError(
            f"{folder} has no network of {', '.join(names)}: no file such as {names[0]}@42.npz"
        )
    return sorted(files, key=lambda file: (names.index(file.run.dataset), file.run.seed))


def write_rows(folder: Path) -> None:
    """Write the rows of all networks of a folder into its three lists."""
    lists: dict[str, list[object]] = {name: [] for name in _LISTS}
    for row in rows_of(WorldsFile.read(path) for path in sorted(folder.glob("*@*.npz"))):
        is_own = row.trained_on == row.dataset
        name = _LISTS[2] if row.split == HELD_OUT else _LISTS[0] if is_own else _LISTS[1]
        lists[name].append(row.to_json())
    for name, values in lists.items():
        write_json(folder / name, values)


def rows_of(files: Iterable[WorldsFile]) -> list[WorldsRow]:
    """The rows of networks by dataset and seed, each with the score on held-out classes."""
    rows = [row for file in files for row in file.rows]
    held_out: dict[tuple[str, str], list[float]] = {}
    for row in rows:
        if row.split == HELD_OUT:
            held_out.setdefault((row.dataset, row.states), []).append(row.score_5)
    means = {key: round(fmean(scores), 3) for key, scores in held_out.items()}
    rows.sort(key=lambda row: (_ORDER.index(row.trained_on), row.seed, row.fold or ""))
    return [
        row
        if row.held_out_score_5 is not None
        else replace(row, held_out_score_5=means.get((row.trained_on, row.states)))
        for row in rows
    ]


def _scores(
    run: WorldsRun, network: LatentWorlds, datasets: Mapping[str, SemVecDataset]
) -> Iterator[WorldsRow]:
    """The rows of a network: its own splits, then the unseen classes of larger datasets."""
    if run.fold:
        yield from _rows(run, network, datasets[run.dataset], _HELD_OUT_SPLITS)
        return
    yield from _rows(run, network, datasets[run.dataset], _SPLITS)
    for target in _targets(run.dataset):
        if target in datasets:
            yield from _rows(run, network, datasets[target], _COMPOSITION_SPLITS)


def _rows(
    run: WorldsRun, network: LatentWorlds, dataset: SemVecDataset, splits: Mapping[Split, str]
) -> Iterator[WorldsRow]:
    nearest = partial(nearest_on_device, embed_in_worlds(network, dataset))
    for split, name in splits.items():
        found = score_neighbours(dataset, dataset.rows(split), nearest)
        published = [round(float(value), 3) for value in found.published]
        yield WorldsRow(
            dataset=dataset.spec.name,
            data=dataset.origin,
            trained_on=run.dataset,
            setting=NAME,
            states=run.config.states,
            split=name,
            rows_only=True,
            score_1=published[0],
            score_5=published[4],
            score_10=published[9],
            score_15=published[14],
            score_5_corrected=round(float(found.corrected[4]), 3),
            ceiling_5=round(ceiling(dataset, split, 5), 3),
            queries=found.query_count,
            seed=run.seed,
            steps=run.config.steps,
            seconds=run.seconds,
            training_loss=min(run.losses),
            fold=f"{run.fold} of {FOLDS}" if run.fold else None,
        )
