"""Training learned operators on rows alone: texts and classes of training rows, nothing else.

The loss compares whole rows. Their subtrees get states on the way, but no class and no loss.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from equivec.semvec.dataset import Split
from equivec.semvec.subtrees import find_subtrees
from equivec.semvec.worlds import LatentWorlds, arities_of, draw_worlds, make_plan

if TYPE_CHECKING:
    from collections.abc import Iterator

    from equivec.semvec.dataset import SemVecDataset, SemVecSpec
    from equivec.semvec.worlds_settings import WorldsConfig

_COMPARED_FROM = 0.9  # of the steps: restarts are compared by their mean loss from there on


@dataclass(frozen=True, eq=False)
class TrainingRows:
    """All that a network is trained on: the texts of training rows and their classes."""

    spec: SemVecSpec
    expressions: npt.NDArray[np.uint8]  # (rows, largest size)
    class_ids: npt.NDArray[np.int32]  # (rows,)


def training_rows(dataset: SemVecDataset) -> TrainingRows:
    """The training rows of a dataset."""
    rows = dataset.rows(Split.TRAIN)
    return TrainingRows(dataset.spec, dataset.expressions[rows], dataset.class_ids[rows])


@dataclass(frozen=True, eq=False)
class TrainedWorlds:
    """The restart of the lowest training loss, and the losses of all."""

    network: LatentWorlds  # a single one, in half precision
    losses: tuple[float, ...]  # of every restart, over the last steps


@contextmanager
def one_thread() -> Iterator[None]:
    """Compute in one thread, and so the same each time, as long as the block lasts."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)  # numbers next to zero would take a hundred times as long
    try:
        yield
    finally:
        torch.set_num_threads(before)
        torch.set_flush_denormal(False)


class RowSampler:
    """Draws batches of rows in which classes count evenly: a few rows of each of many classes."""

    def __init__(
        self, class_ids: npt.NDArray[np.int32], config: WorldsConfig, generator: np.random.Generator
    ) -> None:
        order = np.argsort(class_ids, kind="stable")
        starts = np.flatnonzero(np.diff(class_ids[order], prepend=-1))
        self.members = np.split(order, starts[1:])
        self.config = config
        self.generator = generator
        self.takes_all = len(class_ids) <= config.batch_rows

    def draw(self) -> npt.NDArray[np.int64]:
        """The next batch, class by class; of few rows always all."""
        if self.takes_all:
            return np.concatenate(self.members)
        wanted = self.config.batch_rows // self.config.rows_of_class
        chosen = self.generator.permutation(len(self.members))[:wanted]
        most = self.config.batch_rows // len(chosen)
        return np.concatenate([self._some(self.members[number], most) for number in chosen])

    def _some(self, members: npt.NDArray[np.int64], most: int) -> npt.NDArray[np.int64]:
        if len(members) <= most:
            return members
        return self.generator.choice(members, most, replace=False)


def train_worlds(rows: TrainingRows, config: WorldsConfig, seed: int) -> TrainedWorlds:
    """Train several networks side by side on the same batches; the best restart comes back."""
    generator = torch.Generator().manual_seed(seed)
    networks = LatentWorlds(config, rows.spec, config.restarts)
    networks.draw(generator)
    sampler = RowSampler(rows.class_ids, config, np.random.default_rng(seed))
    subtrees = find_subtrees(rows.expressions, arities_of(rows.spec))
    optimiser = torch.optim.Adam([networks.values], betas=(0.9, 0.98))
    kept = []
    for step in range(config.steps):
        if step == 0 or not sampler.takes_all:
            batch = sampler.draw()
            plan = make_plan(subtrees.of_rows(batch), rows.spec)
            classes = torch.from_numpy(rows.class_ids[batch])
        worlds = draw_worlds(rows.spec.variable_count, config.prototypes, config.worlds, generator)
        parts = networks.parts()
        vectors = networks(parts, plan, worlds)
        losses = contrast(vectors, classes, parts["sharpness"], config.softening_at(step))
        optimiser.zero_grad()
        losses.sum().backward()  # type: ignore[no-untyped-call]
        _clip(networks.values, config.largest_norm)
        optimiser.param_groups[0]["lr"] = config.learning_rate_at(step)
        optimiser.step()
        if step >= int(_COMPARED_FROM * config.steps):
            kept.append(losses.detach())
    means = torch.stack(kept).mean(dim=0).nan_to_num(nan=torch.inf)
    return TrainedWorlds(
        networks.select(int(means.argmin())),
        tuple(round(loss, 4) for loss in means.tolist()),
    )


def contrast(
    vectors: Tensor, classes: Tensor, sharpness: Tensor, softening: float
) -> Tensor:  # (networks,)
    """How badly the rows of one class are told from all others, every class counting evenly.

    For each row the mean, over the others of its class, of -log softmax of

        -exp(sharpness) log(squared distance + softening)

    over all other rows (the supervised contrastive loss, Khosla et al. 2020, with the kernel of a
    t-distribution). A row weighs so that those of each class weigh one together.
    """
    cosines = vectors @ vectors.transpose(1, 2)
    distances = (2 - 2 * cosines).clamp(min=0)
    logits = -sharpness.exp()[..., None] * torch.log(distances + softening)
    itself = torch.eye(len(classes), dtype=torch.bool, device=classes.device)
    alike = (classes[:, None] == classes[None]) & ~itself
    shares = torch.log_softmax(logits.masked_fill(itself, -1e9), dim=2)
    others = alike.sum(dim=1)
    losses = -(shares * alike).sum(dim=2) / others.clamp(min=1)
    weights = (others > 0) / (others + 1)
    return losses @ (weights / weights.sum().clamp(min=1))


def _clip(values: Tensor, largest_norm: float) -> None:
    """Bound each network's gradient by itself."""
    assert values.grad is not None
    norms = values.grad.norm(dim=1, keepdim=True)
    values.grad.mul_((largest_norm / (norms + 1e-6)).clamp(max=1.0))
