"""The trainer: one step after another for a network, or for many of one shape side by side.

It knows neither networks nor data. An `Objective` holds the weights and gives the losses of a
batch, a `Sampler` draws the batches; several networks at once are a leading axis of every weight
and of the losses. Files and clocks are the business of whoever runs it.
"""

from __future__ import annotations

import json
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, TypeVar

import numpy as np
import torch
import torch.distributed as dist
from safetensors import SafetensorError, safe_open
from safetensors.torch import load_file, save_file
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.parallel import DistributedDataParallel

from equivec.errors import ConfigError, FileFormatError
from equivec.storage.files import renamed_when_complete

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from equivec.model.settings import TrainingConfig

BatchT = TypeVar("BatchT", bound=tuple[Any, ...])  # tensors, and tuples of tensors
BatchT_co = TypeVar("BatchT_co", bound=tuple[Any, ...], covariant=True)


class Losses(NamedTuple):
    """The loss of each network and its parts."""

    whole: Tensor  # (networks,)
    sequence: Tensor  # (networks,)
    contrast: Tensor  # (networks,)
    analogy: Tensor  # (networks,)


class Sampler(Protocol[BatchT_co]):
    """Draws the batches of a training."""

    def draw(self, step: int) -> BatchT_co:
        """The batch of a step; of one shape at every step where steps are recorded."""

    def generators(self) -> Mapping[str, torch.Generator]:
        """What goes on drawing from step to step; empty where the step alone decides."""


class Objective(nn.Module, Generic[BatchT]):
    """Networks together with what they are trained for."""

    networks: int = 1  # if more, every weight has a leading axis of networks

    def forward(self, batch: BatchT) -> Losses:
        """The losses of a batch."""
        raise NotImplementedError

    def compile_parts(self) -> None:
        """Compile what is worth it, for batches of one shape."""
        raise NotImplementedError


def sequence_loss(
    logits: Tensor,  # (..., vocabulary)
    wanted: Tensor,  # (...), of all networks one after another
    is_counted: Tensor,  # as `wanted`
    label_smoothing: float,
    networks: int = 1,
    count: Tensor | None = None,
) -> Tensor:  # (networks,)
    """The mean cross entropy of the next token over what is counted.

    `count` stands in for how many that are: where processes share a batch, their mean.
    """
    each = functional.cross_entropy(
        logits.float().flatten(0, -2),
        wanted.flatten(),
        label_smoothing=label_smoothing,
        reduction="none",
    ).view(networks, -1)
    counted = is_counted.view(networks, -1)
    return (each * counted).sum(dim=1) / (counted.sum(dim=1) if count is None else count)


class _Recording(Generic[BatchT]):
    """A step recorded as a CUDA graph: its hundreds of kernels are launched as one."""

    _WARM_UP = 4  # steps that compile, allocate and tune

    def __init__(self) -> None:
        self.calls = 0
        self.stream = torch.cuda.Stream()  # type: ignore[no-untyped-call]
        self.graph = torch.cuda.CUDAGraph()
        self.batch: BatchT | None = None
        self.losses: Losses | None = None

    def run(self, learn: Callable[[BatchT], Losses], batch: BatchT) -> Losses:
        """The step, replayed as soon as it is recorded."""
        self.calls += 1
        if self.calls <= self._WARM_UP:
            return self._warm_up(learn, batch)
        if self.batch is None or self.losses is None:
            self.batch = batch
            with torch.cuda.graph(self.graph, stream=self.stream):
                self.losses = learn(batch)
        for place, value in zip(_tensors(self.batch), _tensors(batch), strict=True):
            place.copy_(value)
        self.graph.replay()
        return self.losses

    def _warm_up(self, learn: Callable[[BatchT], Losses], batch: BatchT) -> Losses:
        # On the stream of the recording: what autograd remembers of streams must fit it.
        self.stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(self.stream):
            losses = learn(batch)
        torch.cuda.current_stream().wait_stream(self.stream)
        return losses


def _tensors(batch: tuple[Any, ...]) -> Iterator[Tensor]:
    """Every tensor of a batch, those of its layouts among them, in order."""
    for part in batch:
        if isinstance(part, Tensor):
            yield part
        elif isinstance(part, tuple):
            yield from _tensors(part)


class Trainer(Generic[BatchT]):
    """Networks, their batches and their optimiser: everything that one step changes."""

    def __init__(
        self,
        objective: Objective[BatchT],
        sampler: Sampler[BatchT],
        config: TrainingConfig,
        processes: int = 1,
    ) -> None:
        self.objective, self.sampler, self.config = objective, sampler, config
        self.processes = processes
        # What steps change, by name.
        self.weights = {
            name: each for name, each in objective.named_parameters() if each.requires_grad
        }
        self.device = next(iter(self.weights.values())).device
        is_on_gpu = self.device.type == "cuda"
        if config.is_compiled:
            objective.compile_parts()
        self._losses: Callable[[BatchT], Losses] = (
            DistributedDataParallel(objective) if processes > 1 else objective
        )
        self._learning_rate = torch.zeros((), device=self.device)
        self._optimiser = torch.optim.Adam(
            self.weights.values(),
            lr=self._learning_rate if is_on_gpu else 0.0,
            betas=config.betas,
            fused=is_on_gpu,
            capturable=is_on_gpu,
        )
        # Fixed shapes and no conversation between processes: a step can be recorded and replayed.
        is_recorded = is_on_gpu and config.is_compiled and processes == 1
        self._recording: _Recording[BatchT] | None = _Recording() if is_recorded else None
        self.step_count = 0
        self._average = self._copies() if config.average_decay else None
        self._best = self._copies() if config.keeps_best else None
        self.best_scores = np.full(objective.networks, -np.inf)
        self.best_steps = np.zeros(objective.networks, dtype=np.int64)
        self.is_out_of_patience = np.zeros(objective.networks, dtype=np.bool_)

    def step(self, progress: float) -> Losses:
        """One step of every network; the losses come back detached, still on the device."""
        self.objective.train()
        if not self.sampler.generators():  # the step decides its dropout as it does its batch
            torch.manual_seed(self.config.seed * 1_000_003 + self.step_count)
        self._set_learning_rate(self.config.learning_rate_at(self.step_count, progress))
        batch = self.sampler.draw(self.step_count)
        found = self._recording.run(self._learn, batch) if self._recording else self._learn(batch)
        self.step_count += 1
        self._update_average()
        return Losses(*self._mean_of_processes(torch.stack(found)))

    def _set_learning_rate(self, rate: float) -> None:
        if self.device.type == "cuda":
            self._learning_rate.fill_(rate)  # a recorded step reads it where it lies
            return
        for group in self._optimiser.param_groups:
            group["lr"] = rate

    def _learn(self, batch: BatchT) -> Losses:
        """Everything that a step does to the weights."""
        self._optimiser.zero_grad(set_to_none=True)
        found = self._losses(batch)
        found.whole.sum().backward()  # type: ignore[no-untyped-call]
        self._clip()
        self._optimiser.step()
        return Losses(*(part.detach() for part in found))

    def _clip(self) -> None:
        """Bound each network's gradient by itself; one that is not finite is not followed."""
        gradients = [
            each.grad.view(self.objective.networks, -1)
            for each in self.weights.values()
            if each.grad is not None
        ]
        parts = torch.stack([torch.linalg.vector_norm(each, dim=1) for each in gradients])
        norms = torch.linalg.vector_norm(parts, dim=0)[:, None]
        fractions = (self.config.largest_norm / (norms + 1e-6)).clamp(max=1.0)
        fractions = torch.where(norms.isfinite(), fractions, 0.0)
        for gradient in gradients:
            gradient.mul_(fractions).nan_to_num_(0.0, 0.0, 0.0)

    def _mean_of_processes(self, values: Tensor) -> Tensor:
        if self.processes > 1:
            dist.all_reduce(values)
            values /= self.processes
        return values

    def _copies(self) -> dict[str, Tensor]:
        return {name: each.detach().clone() for name, each in self.weights.items()}

    @torch.no_grad()
    def _update_average(self) -> None:
        if self._average is None:
            return
        decay = min(self.config.average_decay, self.step_count / (self.step_count + 10))
        for name, each in self.weights.items():
            self._average[name].lerp_(each, 1 - decay)

    @contextmanager
    def averaged(self) -> Iterator[None]:
        """Within it, weights are their moving averages, where there are any."""
        if self._average is None:
            yield
            return
        own = self._copies()
        self._set_weights(self._average)
        try:
            yield
        finally:
            self._set_weights(own)

    @torch.no_grad()
    def _set_weights(self, values: Mapping[str, Tensor]) -> None:
        for name, each in self.weights.items():
            each.copy_(values[name])

    @torch.no_grad()
    def evaluate(self, sampler: Sampler[BatchT], batches: int) -> NDArray[np.float64]:
        """The mean whole losses of the first batches of a sampler, the same in every process."""
        self.objective.eval()
        found = torch.stack([self._losses(sampler.draw(step)).whole for step in range(batches)])
        means: NDArray[np.float64] = (
            self._mean_of_processes(found.mean(dim=0)).double().cpu().numpy()
        )
        return means

    def judge(self, scores: NDArray[np.float64], chance: NDArray[np.float64] | float = 0.0) -> None:
        """Note the scores of a validation of the averaged weights; the higher, the better.

        Weights are the best so far if they beat all earlier ones; where patience ends no training,
        the learning rate falls and later weights are preferred, unless earlier ones were better by
        more than chance. Who has run out of patience keeps what was best.
        """
        lead = 0.0 if self.config.patience else chance
        is_best = (scores > self.best_scores - lead) & ~self.is_out_of_patience
        self.best_scores = np.maximum(self.best_scores, scores)
        self.best_steps[is_best] = self.step_count
        if self._best is not None:
            current = self._average or self.weights
            chosen = torch.from_numpy(is_best).to(self.device)[:, None]
            for name, best in self._best.items():
                rows, values = (
                    each.detach().view(len(chosen), -1) for each in (best, current[name])
                )
                rows.copy_(torch.where(chosen, values, rows))
        if self.config.patience is not None and self.step_count >= self.config.min_steps:
            waited = self.step_count - self.best_steps
            self.is_out_of_patience |= waited >= self.config.patience

    def take_result(self) -> None:
        """Let the weights be what training results in: the best, the averages, or the last."""
        if (result := self._best or self._average) is not None:
            self._set_weights(result)

    def state(self) -> dict[str, Tensor]:
        """Everything needed to go on, as named tensors of its own."""
        tensors = {f"weights.{name}": each for name, each in self.objective.state_dict().items()}
        for kind, values in (("average", self._average), ("best", self._best)):
            tensors |= {f"{kind}.{name}": each for name, each in (values or {}).items()}
        for name, weights in self.weights.items():
            moments = self._optimiser.state[weights]
            tensors[f"first.{name}"] = moments["exp_avg"]
            tensors[f"second.{name}"] = moments["exp_avg_sq"]
        for name, generator in self.sampler.generators().items():
            tensors[f"generator.{name}"] = generator.get_state()
        tensors["best_scores"] = torch.from_numpy(self.best_scores)
        tensors["best_steps"] = torch.from_numpy(self.best_steps)
        tensors["is_out_of_patience"] = torch.from_numpy(self.is_out_of_patience)
        tensors["step"] = torch.tensor(self.step_count)
        return {
            name: value.detach().to("cpu", copy=True).contiguous()
            for name, value in tensors.items()
        }

    def restore(self, state: Mapping[str, Tensor]) -> None:
        """Go on from a state of networks of the same shape."""
        try:
            self.objective.load_state_dict(_part(state, "weights"))
        except RuntimeError:
            raise ConfigError(
                "the checkpoint is of a network of another shape; name another folder"
            ) from None
        for kind, values in (("average", self._average), ("best", self._best)):
            for name in values or {}:
                values[name].copy_(state[f"{kind}.{name}"])  # type: ignore[index]
        self.step_count = int(state["step"])
        # The fused optimiser counts its steps beside the weights, the plain one on the CPU.
        where = self.device if self.device.type == "cuda" else torch.device("cpu")
        for name, weights in self.weights.items():
            self._optimiser.state[weights] = {
                "step": torch.tensor(float(self.step_count), device=where),
                "exp_avg": state[f"first.{name}"].to(self.device),
                "exp_avg_sq": state[f"second.{name}"].to(self.device),
            }
        for name, generator in self.sampler.generators().items():
            generator.set_state(state[f"generator.{name}"])
        self.best_scores = state["best_scores"].numpy()
        self.best_steps = state["best_steps"].numpy()
        self.is_out_of_patience = state["is_out_of_patience"].numpy()


def _part(state: Mapping[str, Tensor], kind: str) -> dict[str, Tensor]:
    names = (name for name in state if name.startswith(f"{kind}."))
    return {name.removeprefix(f"{kind}."): state[name] for name in names}


def save_checkpoint(path: Path, trainer: Trainer[Any], facts: Mapping[str, Any]) -> None:
    """Write a trainer's state and what its run knows of itself, whole or not at all."""
    with renamed_when_complete(path) as temporary:
        save_file(trainer.state(), temporary, {"run": json.dumps(facts)})


def restore_checkpoint(path: Path, trainer: Trainer[Any]) -> dict[str, Any]:
    """Let a trainer go on from a checkpoint; what the run knew comes back."""
    try:
        trainer.restore(load_file(path))
        with safe_open(path, "pt") as file:
            facts: dict[str, Any] = json.loads(file.metadata()["run"])
    except (SafetensorError, KeyError, OSError) as error:
        raise FileFormatError(f"{path} is damaged: {error}") from None
    return facts
