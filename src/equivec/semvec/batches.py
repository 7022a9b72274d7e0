"""Batches for many networks at once, drawn on the device from classes of equivalent expressions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from equivec.expression.vocabulary import END_ID, PADDING_ID, START_ID
from equivec.model.devices import default_generator
from equivec.semvec.congruence import PADDED, Tokens
from equivec.semvec.settings import CLASS_WEIGHTS, Setting

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from equivec.semvec.derivation import TrainingSet


@dataclass(frozen=True, eq=False)
class Lesson:
    """What one network is taught: a setting, and the sets it draws from in equal shares."""

    setting: Setting
    sets: tuple[TrainingSet, ...]
    first_variable: int  # a token id; the other variables follow

    @property
    def variable_count(self) -> int:
        """How many variables change names."""
        return min(part.variable_count for part in self.sets) if self.setting.renames else 0

    def class_shares(self) -> npt.NDArray[np.float64]:  # (classes of all sets,)
        """The probability of each class to give a source."""
        weights = [CLASS_WEIGHTS[self.setting.sampling](part.class_sizes) for part in self.sets]
        return np.concatenate([weight / weight.sum() for weight in weights]) / len(weights)


class ClassBatch(NamedTuple):
    """Sources and targets for every network, and which of both together are alike.

    Where no setting compares vectors, the last two are empty.
    """

    sources: Tensor  # (networks, batch, length)
    targets: Tensor  # (networks, batch, length)
    same: Tensor  # (networks, 2 batch, 2 batch), of one class, itself left out
    different: Tensor  # (networks, 2 batch, 2 batch), known to be of two classes


def frame(expressions: Tokens, length: int) -> npt.NDArray[np.uint8]:  # (rows, length)
    """Rows as a network reads them: start, tokens, end, padding; ids make room for these three.

    >>> frame(np.array([[0, 3, 255]], dtype=np.uint8), 6).tolist()
    [[1, 3, 6, 2, 0, 0]]
    """
    expressions = expressions[:, : length - 2]  # what is cut off is padding
    rows, width = expressions.shape
    framed = np.full((rows, length), PADDING_ID, dtype=np.uint8)
    framed[:, 0] = START_ID
    shifted = expressions.astype(np.int64) + END_ID + 1
    framed[:, 1 : width + 1] = np.where(expressions == PADDED, PADDING_ID, shifted)
    framed[np.arange(rows), (expressions != PADDED).sum(axis=1) + 1] = END_ID
    return framed


class ClassSampler:
    """Draws batches for all runs at once, on the device, from tables put one after another."""

    def __init__(
        self,
        lessons: Sequence[Lesson],
        batch_size: int,
        length: int,
        device: torch.device | str,
        seed: int,
    ) -> None:
        self.batch_size = batch_size
        self.generator = torch.Generator(device).manual_seed(seed)
        self.device = device
        self._set_classes(lessons, length)
        self.is_compared = any(lesson.setting.contrast for lesson in lessons)
        if self.is_compared:
            self.different, firsts = _difference_table(lessons, device)
            self.first_differences = torch.tensor(firsts, device=device)[:, None]
        self.partners = torch.randint(
            0, 2**31, (len(self.rows),), generator=self.generator, device=device
        )

        def column(fact: Callable[[Lesson], int]) -> Tensor:  # (runs, 1)
            return torch.tensor([[fact(lesson)] for lesson in lessons], device=device)

        self.takes_itself = column(lambda lesson: lesson.setting.partner == "itself")
        self.is_fixed = column(lambda lesson: lesson.setting.partner == "fixed")
        self.variable_counts = column(lambda lesson: lesson.variable_count)
        self.first_variables = column(lambda lesson: lesson.first_variable + END_ID + 1)

    def generators(self) -> Mapping[str, torch.Generator]:
        """What goes on drawing from step to step: batches, and dropout."""
        return {"batches": self.generator, "dropout": default_generator(torch.device(self.device))}

    def _set_classes(self, lessons: Sequence[Lesson], length: int) -> None:
        """The rows of all runs, class after class, and where each class and each run begins."""
        rows = [frame(part.expressions, length) for lesson in lessons for part in lesson.sets]
        sizes = [part.class_sizes for lesson in lessons for part in lesson.sets]
        shares = [number + np.cumsum(each.class_shares()) for number, each in enumerate(lessons)]
        self.rows, self.class_sizes, self.cumulative = (
            torch.from_numpy(np.concatenate(parts)).to(self.device)
            for parts in (rows, sizes, shares)
        )
        self.class_starts = self.class_sizes.cumsum(0) - self.class_sizes
        self.class_counts = torch.tensor([[len(part)] for part in shares], device=self.device)
        self.first_classes = self.class_counts.cumsum(0) - self.class_counts

    def draw(self, step: int) -> ClassBatch:
        """The next batch, whatever the number of its step."""
        del step
        classes = self._draw_classes()
        sources, targets = self._draw_rows(classes)
        table = self._draw_renaming()
        sources, targets = (
            table.gather(1, self.rows[rows].long().flatten(1)).view(*rows.shape, -1)
            for rows in (sources, targets)
        )
        return ClassBatch(sources, targets, *self._compare(classes))

    def _random(self, *shape: int) -> Tensor:
        return torch.rand(shape, dtype=torch.float64, device=self.device, generator=self.generator)

    def _draw_classes(self) -> Tensor:  # (runs, batch), numbers among the classes of all runs
        runs = len(self.class_counts)
        points = self._random(runs, self.batch_size)
        points += torch.arange(runs, device=self.device)[:, None]
        classes = torch.searchsorted(self.cumulative, points, right=True)
        last = self.first_classes + self.class_counts - 1  # rounding must not leave the run
        return torch.minimum(torch.maximum(classes, self.first_classes), last)

    def _draw_rows(self, classes: Tensor) -> tuple[Tensor, Tensor]:
        """Two members of each class: any source, and as its target any other, a fixed, or it."""
        sizes, starts = self.class_sizes[classes], self.class_starts[classes]
        others = (sizes - 1).clamp(min=1)
        first = (self._random(*classes.shape) * sizes).long()
        step = (self._random(*classes.shape) * others).long()
        step = torch.where(self.is_fixed, self.partners[starts + first] % others, step)
        second = torch.where(self.takes_itself, first, (first + 1 + step) % sizes)
        return starts + first, starts + second

    def _draw_renaming(self) -> Tensor:  # (runs, tokens)
        """For each run what becomes of every token id: its variables permuted, the rest as is."""
        places = torch.arange(_MOST_VARIABLES, device=self.device).expand(
            len(self.class_counts), -1
        )
        order = torch.where(
            places < self.variable_counts, self._random(*places.shape), places + 1.0
        )
        table = torch.arange(_MOST_TOKENS, device=self.device).repeat(len(places), 1)
        return table.scatter(
            1, self.first_variables + places, self.first_variables + order.argsort(dim=1)
        )

    def _compare(self, classes: Tensor) -> tuple[Tensor, Tensor]:
        if not self.is_compared:
            return classes[:, :0], classes[:, :0]
        both = torch.cat([classes, classes], dim=1)
        itself = torch.eye(both.shape[1], dtype=torch.bool, device=self.device)
        same = (both[:, :, None] == both[:, None, :]) & ~itself
        local = both - self.first_classes
        places = local[:, :, None] * self.class_counts[..., None] + local[:, None, :]
        return same, self.different[self.first_differences[..., None] + places]


_MOST_VARIABLES = 10
_MOST_TOKENS = 64


def _difference_table(
    lessons: Sequence[Lesson], device: torch.device | str
) -> tuple[Tensor, list[int]]:
    """For each run, which pairs of its classes are known to differ; flat, one after another."""
    tables: list[Tensor] = []
    firsts: list[int] = []
    known: dict[tuple[int, ...], int] = {}
    for lesson in lessons:
        key = tuple(id(part) for part in lesson.sets)
        if key not in known:
            known[key] = sum(len(table) for table in tables)
            blocks = [
                _differences(torch.from_numpy(part.labels).to(device)) for part in lesson.sets
            ]
            tables.append(_diagonal(blocks).flatten())
        firsts.append(known[key])
    return torch.cat(tables), firsts


def _diagonal(blocks: Sequence[Tensor]) -> Tensor:
    """Square blocks along a diagonal: nothing is known between classes of two sets."""
    size = sum(len(block) for block in blocks)
    whole = torch.zeros(size, size, dtype=torch.bool, device=blocks[0].device)
    start = 0
    for block in blocks:
        stop = start + len(block)
        whole[start:stop, start:stop] = block
        start = stop
    return whole


def _differences(labels: Tensor) -> Tensor:  # (classes, classes)
    different = torch.zeros(len(labels), len(labels), dtype=torch.bool, device=labels.device)
    for column in labels.T:
        known = column >= 0
        different |= (column[:, None] != column) & known[:, None] & known
    return different
