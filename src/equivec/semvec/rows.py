"""Scores of trained networks as rows of a results file, a row for each split.

Networks that differ in their seeds only can also be scored together, their vectors side by side.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from equivec.semvec.dataset import SemVecDataset, Split
from equivec.semvec.score import ceiling, score_neighbours
from equivec.semvec.vectors import embed, join_units, nearest_on_device

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from torch import Tensor

    from equivec.semvec.networks import ManyNetworks
    from equivec.semvec.runs import PlannedRun

Row = dict[str, object]

_KS = (1, 5, 10, 15)
_SPLITS = {
    Split.VALIDATION: "validation",
    Split.SEEN: "seen",
    Split.UNSEEN: "unseen",
}
_FOLD_SPLITS = {Split.UNSEEN: "held-out classes"}


@dataclass(frozen=True, eq=False)
class TrainedNetwork:
    """A network with its chosen weights, and what a row says of its training."""

    run: PlannedRun
    network: ManyNetworks  # a single one
    steps: int
    seconds: float
    networks_at_once: int


def own_rows(
    networks: Iterable[TrainedNetwork], datasets: Mapping[str, SemVecDataset], *, joins: bool
) -> Iterator[Row]:
    """The scores of networks on the data they were trained on."""
    for alike in _alike(networks):
        run = alike[0].run
        splits = _FOLD_SPLITS if run.fold else _SPLITS
        yield from _rows(alike, datasets[run.source], splits, joins=joins)


def composition_rows(
    networks: Iterable[TrainedNetwork], datasets: Mapping[str, SemVecDataset], *, joins: bool
) -> Iterator[Row]:
    """The scores of networks on the unseen classes of larger datasets."""
    for alike in _alike(networks):
        run = alike[0].run
        for target in run.scored_on:
            for row in _rows(alike, datasets[target], {Split.UNSEEN: "unseen"}, joins=joins):
                yield {"trained_on": run.dataset, **row}


def _alike(networks: Iterable[TrainedNetwork]) -> Iterable[list[TrainedNetwork]]:
    """Networks that differ in their seeds only."""
    alike: dict[tuple[str, str], list[TrainedNetwork]] = {}
    for network in networks:
        run = network.run
        alike.setdefault((run.source, run.setting.name), []).append(network)
    return alike.values()


def _rows(
    networks: Sequence[TrainedNetwork],
    dataset: SemVecDataset,
    splits: Mapping[Split, str],
    *,
    joins: bool,
) -> Iterator[Row]:
    every = [embed(network.network, dataset.expressions) for network in networks]
    for network, units in zip(networks, every, strict=True):
        yield from (_row([network], dataset, units, split, splits) for split in splits)
    if joins and len(every) > 1:
        joined = join_units(every)
        yield from (_row(networks, dataset, joined, split, splits) for split in splits)


def _row(
    networks: Sequence[TrainedNetwork],
    dataset: SemVecDataset,
    units: Tensor,
    split: Split,
    names: Mapping[Split, str],
) -> Row:
    first = networks[0]
    seeds = [network.run.seed for network in networks]
    row: Row = {
        "dataset": dataset.spec.name,
        "data": dataset.origin,
        "setting": first.run.setting.name,
        "split": names[split],
        **_scores(dataset, units, split),
        "seed": seeds[0] if len(seeds) == 1 else seeds,
        "steps": max(network.steps for network in networks),
        "seconds": round(max(network.seconds for network in networks), 1),
        "networks_at_once": first.networks_at_once,
        "ceiling_5": round(ceiling(dataset, split, 5), 3),
    }
    fold = first.run.fold
    return {**row, "fold": f"{fold.number} of {fold.count}"} if fold else row


def _scores(dataset: SemVecDataset, units: Tensor, split: Split) -> dict[str, float]:
    found = score_neighbours(dataset, dataset.rows(split), partial(nearest_on_device, units))
    scores = {f"score_{k}": round(float(found.published[k - 1]), 3) for k in _KS}
    return {**scores, "score_5_corrected": round(float(found.corrected[4]), 3)}
