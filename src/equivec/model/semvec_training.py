"""Training many networks at once on classes of equivalent expressions: batches, losses, steps.

Pairs are drawn on the device from training sets, plain ones or what was deduced from them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.nn import functional

from equivec.errors import ConfigError
from equivec.model.derivation import PADDED, Numbers, Tokens, TrainingSet
from equivec.model.many_networks import END_ID, PADDING_ID, START_ID, ManyNetworks

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

MOST_PAIRS_OF_A_CLASS = 100_000  # unordered (Gangwar & Kani 2023, setting SemEmb)

# --- settings ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What is learnt from a training set: one row of the comparison."""

    name: str
    sampling: str = "pairs"
    partner: str = "random"
    contrast: float = 0.0  # weight of the contrastive loss
    renames: bool = False  # one random renaming of the variables for a batch
    derived: str = "none"  # what is drawn from beside or in place of the training rows
    width: int = 64
    pooling: str = "max"

    def __post_init__(self) -> None:
        known = (
            (self.sampling, CLASS_WEIGHTS),
            (self.partner, _PARTNERS),
            (self.derived, _DERIVED),
        )
        for word, table in known:
            if word not in table:
                raise ConfigError(f"{word!r} is unknown; choose from {', '.join(table)}")


def _pair_weights(sizes: Numbers) -> npt.NDArray[np.float64]:
    """Ordered pairs of a class, at most 200,000."""
    return np.clip(sizes * (sizes.astype(np.float64) - 1), 0, 2 * MOST_PAIRS_OF_A_CLASS)


def _class_weights(sizes: Numbers) -> npt.NDArray[np.float64]:
    """Classes nearly evenly: only small ones, often fragments of one function, count less.

    >>> _class_weights(np.array([1, 2, 5, 65, 5000])).tolist()
    [0.0, 1.0, 2.0, 8.0, 8.0]
    """
    return np.sqrt(np.clip(sizes.astype(np.float64) - 1, 0, 64))


def _row_weights(sizes: Numbers) -> npt.NDArray[np.float64]:
    """Expressions evenly, also those alone in their class."""
    return sizes.astype(np.float64)


def _paired_row_weights(sizes: Numbers) -> npt.NDArray[np.float64]:
    """Expressions evenly, those alone in their class left out."""
    return np.where(sizes > 1, sizes, 0).astype(np.float64)


CLASS_WEIGHTS: Mapping[str, Callable[[Numbers], npt.NDArray[np.float64]]] = {
    "pairs": _pair_weights,
    "classes": _class_weights,
    "rows": _row_weights,
    "paired rows": _paired_row_weights,
}
_PARTNERS = ("random", "fixed", "itself")  # the target of a source
_DERIVED = ("none", "within", "larger", "transfer")  # the sizes of a dataset, larger, another's

SETTINGS: Mapping[str, Setting] = {
    setting.name: setting
    for setting in (
        Setting(name="StructEmb-32", sampling="rows", partner="itself", width=32),
        Setting(name="StructEmb", sampling="rows", partner="itself"),
        Setting(name="StructEmb-128", sampling="rows", partner="itself", width=128),
        Setting(name="SemEmb"),
        Setting(name="SemEmb-equal", sampling="paired rows", partner="fixed"),
        Setting(name="SemEmb+contrastive", contrast=1.0),
        Setting(name="SemEmb+contrastive+renaming", contrast=1.0, renames=True),
        Setting(
            name="SemEmb+contrastive+renaming+balanced",
            contrast=1.0,
            renames=True,
            sampling="classes",
        ),
        Setting(name="larger", contrast=1.0, sampling="classes", derived="larger"),
        Setting(name="combined", contrast=1.0, renames=True, sampling="classes", derived="within"),
        Setting(
            name="transfer", contrast=1.0, renames=True, sampling="classes", derived="transfer"
        ),
    )
}


@dataclass(frozen=True, eq=False)
class Run:
    """One network to be trained: a setting, a seed and the sets it draws from in equal shares."""

    dataset: str
    setting: Setting
    seed: int
    sets: tuple[TrainingSet, ...]

    @property
    def variable_count(self) -> int:
        """How many variables change names."""
        return min(part.variable_count for part in self.sets) if self.setting.renames else 0

    def class_shares(self) -> npt.NDArray[np.float64]:  # (classes of all sets,)
        """The probability of each class to give a source."""
        weights = [CLASS_WEIGHTS[self.setting.sampling](part.class_sizes) for part in self.sets]
        return np.concatenate([weight / weight.sum() for weight in weights]) / len(weights)


# --- batches -------------------------------------------------------------------------------------


class Batch(NamedTuple):
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
    rows, width = expressions.shape
    framed = np.full((rows, length), PADDING_ID, dtype=np.uint8)
    framed[:, 0] = START_ID
    shifted = expressions.astype(np.int64) + END_ID + 1
    framed[:, 1 : width + 1] = np.where(expressions == PADDED, PADDING_ID, shifted)
    framed[np.arange(rows), (expressions != PADDED).sum(axis=1) + 1] = END_ID
    return framed


class BatchSampler:
    """Draws batches for all runs at once, on the device, from tables put one after another."""

    def __init__(
        self,
        runs: Sequence[Run],
        batch_size: int,
        length: int,
        first_variables: Sequence[int],
        device: torch.device,
        seed: int,
    ) -> None:
        self.batch_size = batch_size
        self.generator = torch.Generator(device).manual_seed(seed)
        self.device = device
        sizes = [np.concatenate([part.class_sizes for part in run.sets]) for run in runs]
        rows = [frame(part.expressions, length) for run in runs for part in run.sets]
        every = np.concatenate(sizes)
        self.rows = torch.from_numpy(np.concatenate(rows)).to(device)
        self.class_sizes = torch.from_numpy(every).to(device)
        self.class_starts = self.class_sizes.cumsum(0) - self.class_sizes
        shares = [number + np.cumsum(run.class_shares()) for number, run in enumerate(runs)]
        self.cumulative = torch.from_numpy(np.concatenate(shares)).to(device)
        class_counts = np.array([len(part) for part in sizes])
        self.class_counts = self._column(class_counts)
        self.first_classes = self._column(np.cumsum(class_counts) - class_counts)
        self.is_compared = any(run.setting.contrast for run in runs)
        if self.is_compared:
            self.different, firsts = _difference_table(runs, device)
            self.first_differences = self._column(np.array(firsts))
        self.partners = torch.randint(
            0, 2**31, (len(self.rows),), generator=self.generator, device=device
        )
        self.takes_itself = self._column(
            np.array([run.setting.partner == "itself" for run in runs])
        )
        self.is_fixed = self._column(np.array([run.setting.partner == "fixed" for run in runs]))
        self.variable_counts = self._column(np.array([run.variable_count for run in runs]))
        self.first_variables = self._column(np.array(first_variables) + END_ID + 1)

    def _column(self, values: npt.NDArray[np.generic]) -> Tensor:  # (runs, 1)
        return torch.from_numpy(values).to(self.device)[:, None]

    def draw(self) -> Batch:
        """The next batch."""
        classes = self._draw_classes()
        sources, targets = self._draw_rows(classes)
        table = self._draw_renaming()
        sources, targets = (
            table.gather(1, self.rows[rows].long().flatten(1)).view(*rows.shape, -1)
            for rows in (sources, targets)
        )
        return Batch(sources, targets, *self._compare(classes))

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


def _difference_table(runs: Sequence[Run], device: torch.device) -> tuple[Tensor, list[int]]:
    """For each run, which pairs of its classes are known to differ; flat, one after another."""
    tables: list[Tensor] = []
    firsts: list[int] = []
    known: dict[tuple[int, ...], int] = {}
    for run in runs:
        key = tuple(id(part) for part in run.sets)
        if key not in known:
            known[key] = sum(len(table) for table in tables)
            blocks = [_differences(torch.from_numpy(part.labels).to(device)) for part in run.sets]
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


# --- losses and steps ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingConfig:
    """How networks are trained; their shape is in NetworkConfig."""

    batch_size: int = 256
    learning_rate: float = 1e-3
    final_share: float = 0.01  # of the learning rate, at the end of the cosine
    warmup_steps: int = 500
    steps: int = 1_000_000  # the clock mostly ends a run before
    label_smoothing: float = 0.1
    temperature: float = 0.1
    unknown_weight: float = 0.1  # of pairs that may be of one class, among the negatives
    largest_norm: float = 1.0  # of a network's gradient
    average_decay: float = 0.999  # of the moving average of the weights; 0: none
    seed: int = 42
    is_compiled: bool = False

    def __post_init__(self) -> None:
        if self.batch_size < 1 or self.steps < 1:
            raise ConfigError(
                f"batch_size and steps must be at least 1, not {self.batch_size} and {self.steps}"
            )

    def learning_rate_at(self, step: int, progress: float) -> float:
        """Linear warm-up, then half a cosine over the progress from 0 to 1."""
        wave = 0.5 * (1 + math.cos(math.pi * min(progress, 1.0)))
        share = self.final_share + (1 - self.final_share) * wave
        return self.learning_rate * share * min(1.0, (step + 1) / self.warmup_steps)


def sequence_losses(logits: Tensor, targets: Tensor, label_smoothing: float) -> Tensor:
    """For each network the mean cross entropy of the next token, padding left out."""
    wanted = targets[:, :, 1:]
    losses = functional.cross_entropy(
        logits.float().flatten(0, 2),
        wanted.flatten(),
        label_smoothing=label_smoothing,
        reduction="none",
    ).view(len(wanted), -1)
    kept = (wanted != PADDING_ID).flatten(1)
    return (losses * kept).sum(dim=1) / kept.sum(dim=1)


def contrastive_losses(
    vectors: Tensor, same: Tensor, different: Tensor, config: TrainingConfig
) -> Tensor:
    """For each network how badly a vector tells its class from others.

    The supervised contrastive loss (Khosla et al. 2020, equation 2): the mean over the positives
    of -log softmax. What is neither known to be the same nor known to be different weighs little.
    """
    units = functional.normalize(vectors, dim=-1)
    cosines = units @ units.transpose(1, 2) / config.temperature
    itself = torch.eye(cosines.shape[1], dtype=torch.bool, device=cosines.device)
    doubt = math.log(max(config.unknown_weight, 1e-9))
    weighed = torch.where(same | different, cosines, cosines + doubt)
    whole = weighed.masked_fill(itself, -1e4).logsumexp(dim=2, keepdim=True)
    counts = same.sum(dim=2)
    losses = ((whole - cosines) * same).sum(dim=2) / counts.clamp(min=1)
    return losses.sum(dim=1) / (counts > 0).sum(dim=1).clamp(min=1)


class Trainer:
    """Networks, their batches and their optimiser: everything that one step changes."""

    def __init__(
        self,
        networks: ManyNetworks,
        sampler: BatchSampler,
        contrasts: Sequence[float],
        config: TrainingConfig,
        compute_type: torch.dtype = torch.float32,
    ) -> None:
        device = networks.values.device
        self.networks = networks
        self.sampler = sampler
        self.config = config
        self.compute_type = compute_type
        self.contrasts = torch.tensor(contrasts, device=device)
        self.contrasts_any = any(contrasts)
        self.optimiser = torch.optim.Adam([networks.values], fused=device.type == "cuda")
        self.average = networks.values.detach().clone()
        self.step_count = 0
        # Fixed shapes and one graph: replayed as a CUDA graph, a step costs two launches.
        self.losses = (
            torch.compile(self._losses, mode="reduce-overhead", fullgraph=True, dynamic=False)
            if config.is_compiled
            else self._losses
        )

    def _losses(
        self, sources: Tensor, targets: Tensor, same: Tensor, different: Tensor
    ) -> Tensor:  # (networks,)
        inputs = torch.cat([sources, targets], dim=1) if self.contrasts_any else sources
        logits, vectors = self.networks(inputs, targets, self.compute_type)
        losses = sequence_losses(logits, targets, self.config.label_smoothing)
        if self.contrasts_any:
            contrast = contrastive_losses(vectors, same, different, self.config)
            losses = losses + self.contrasts * contrast
        return losses

    def step(self, progress: float, batch: Batch | None = None) -> Tensor:  # (networks,)
        """One step of every network; the losses come back still on the device."""
        if self.config.is_compiled:
            torch.compiler.cudagraph_mark_step_begin()  # type: ignore[no-untyped-call]
        losses = self.losses(*(batch or self.sampler.draw()))
        kept = losses.detach().clone()
        self.optimiser.zero_grad(set_to_none=True)
        losses.sum().backward()  # type: ignore[no-untyped-call]
        self._clip()
        rate = self.config.learning_rate_at(self.step_count, progress)
        self.optimiser.param_groups[0]["lr"] = rate
        self.optimiser.step()
        self.step_count += 1
        self._average()
        return kept

    def _clip(self) -> None:
        """Bound each network's gradient by itself; one that is not finite is skipped."""
        gradient = self.networks.values.grad
        assert gradient is not None
        norms = gradient.norm(dim=1, keepdim=True)
        share = (self.config.largest_norm / (norms + 1e-6)).clamp(max=1.0)
        gradient.mul_(torch.where(norms.isfinite(), share, 0.0)).nan_to_num_(0.0, 0.0, 0.0)

    def _average(self) -> None:
        decay = min(self.config.average_decay, self.step_count / (self.step_count + 10))
        self.average.lerp_(self.networks.values.detach(), 1 - decay)

    def state(self) -> dict[str, npt.NDArray[np.generic]]:
        """Everything needed to go on, as arrays."""
        state = self.optimiser.state[self.networks.values]
        generators = {"sampler": self.sampler.generator.get_state(), "cpu": torch.get_rng_state()}
        if self.average.is_cuda:
            generators["cuda"] = torch.cuda.get_rng_state()
        tensors = {
            "values": self.networks.values.detach(),
            "average": self.average,
            "first_moment": state["exp_avg"],
            "second_moment": state["exp_avg_sq"],
            **generators,
        }
        arrays = {name: tensor.cpu().numpy().copy() for name, tensor in tensors.items()}
        return {**arrays, "step": np.array(self.step_count)}

    def restore(self, state: Mapping[str, npt.NDArray[np.generic]]) -> None:
        """Go on from a state of networks of the same shapes."""
        tensors = {name: torch.from_numpy(array) for name, array in state.items() if array.ndim}
        values = self.networks.values
        if tensors["values"].shape != values.shape:
            raise ConfigError(
                f"the checkpoint has weights of shape {tuple(tensors['values'].shape)}, the runs "
                f"need {tuple(values.shape)}; name the same runs or another folder"
            )
        self.step_count = int(state["step"])
        with torch.no_grad():
            values.copy_(tensors["values"])
        self.average.copy_(tensors["average"])
        self.optimiser.state[values] = {
            "step": torch.tensor(float(self.step_count), device=_step_device(values)),
            "exp_avg": tensors["first_moment"].to(values.device),
            "exp_avg_sq": tensors["second_moment"].to(values.device),
        }
        self.sampler.generator.set_state(tensors["sampler"])
        torch.set_rng_state(tensors["cpu"])
        if "cuda" in tensors and values.is_cuda:
            torch.cuda.set_rng_state(tensors["cuda"])


def _step_device(values: Tensor) -> torch.device:
    # The fused optimiser counts its steps beside the weights, the plain one on the CPU.
    return values.device if values.is_cuda else torch.device("cpu")
