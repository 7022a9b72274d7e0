"""One step of training after another: recipes, the optimiser, validation, a checkpoint's contents.

The seed and the number of a step decide its batch and its dropout, so a run that is continued from
a checkpoint on a CPU is the run that was never stopped. Files and clocks are the caller's business.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel

from equivec.errors import ConfigError, require_at_least
from equivec.model.batches import Sampler, SamplingConfig
from equivec.model.objectives import SETTINGS, Losses, ObjectiveConfig, losses

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from equivec.model.batches import Batch
    from equivec.model.clusters import Clusters
    from equivec.model.network import Transformer


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingConfig:
    """How a network is trained; the defaults are the paper's."""

    objective: ObjectiveConfig = field(default_factory=ObjectiveConfig)
    batch_size: int = 256  # pairs of a step, of each process
    learning_rate: float = 1e-4
    betas: tuple[float, float] = (0.9, 0.999)
    warmup_steps: int = 0
    final_share: float = 1.0  # of the learning rate, at the end of half a cosine; 1: constant
    largest_norm: float = 1.0
    min_steps: int = 300_000
    max_steps: int = 1_000_000
    patience: int = 30_000  # steps without a better validation loss, after the first min_steps
    validation_every: int = 0  # steps; 0: once an epoch
    seed: int = 42
    precision: str = "fp32"
    is_compiled: bool = False
    is_encoder_frozen: bool = False  # then the decoder alone is trained

    def __post_init__(self) -> None:
        if not 0 < self.learning_rate < 1:
            raise ConfigError(f"learning_rate must lie in (0, 1), not at {self.learning_rate}")
        if not 0 <= self.seed < 2**32:
            raise ConfigError(f"seed must lie in [0, 2**32), not at {self.seed}")
        require_at_least(1, max_steps=self.max_steps)
        require_at_least(
            0,
            warmup_steps=self.warmup_steps,
            patience=self.patience,
            validation_every=self.validation_every,
        )
        if not 1 <= self.min_steps <= self.max_steps:
            raise ConfigError(
                f"steps must satisfy 1 <= min_steps <= max_steps, not {self.min_steps} and "
                f"{self.max_steps}"
            )
        if self.precision not in PRECISIONS:
            known = ", ".join(PRECISIONS)
            raise ConfigError(f"{self.precision!r} is not a precision; choose from {known}")
        if self.is_encoder_frozen and self.objective.contrast:
            raise ConfigError(
                "a frozen encoder learns nothing of vectors; leave contrast at 0, or train it too"
            )
        self.sampling()  # refuses what cannot be drawn

    def learning_rate_at(self, step: int, progress: float) -> float:
        """Linear warm-up, then half a cosine over the progress from 0 to 1."""
        wave = 0.5 * (1 + math.cos(math.pi * min(progress, 1.0)))
        share = self.final_share + (1 - self.final_share) * wave
        return self.learning_rate * share * min(1.0, (step + 1) / max(1, self.warmup_steps))

    def sampling(self, process: int = 0, processes: int = 1) -> SamplingConfig:
        """How the batches of this training are drawn."""
        objective = self.objective
        return SamplingConfig(
            batch_size=self.batch_size,
            process=process,
            processes=processes,
            seed=self.seed,
            copies=SETTINGS[objective.setting].copies,
            compares=objective.contrast > 0,
            mutants=objective.mutants,
            renamed_share=objective.renamed_share,
            lone_share=objective.lone_share,
            target_draws=objective.target_draws,
            weighting=objective.weighting,
            fixed_shapes=self.is_compiled,
        )


PRECISIONS: Mapping[str, torch.dtype] = {"fp32": torch.float32, "bf16": torch.bfloat16}

RECIPES: Mapping[str, TrainingConfig] = {
    "paper": TrainingConfig(),
    "fast": TrainingConfig(
        batch_size=1024,
        learning_rate=5e-4,
        betas=(0.9, 0.98),
        warmup_steps=1_000,
        final_share=0.01,
        min_steps=20_000,
        max_steps=20_000,
        validation_every=2_000,
        precision="bf16",
        is_compiled=True,
    ),
}


class _Recording:
    """A step recorded as a CUDA graph: its hundreds of kernels are launched as one."""

    _WARM_UP = 4  # steps that compile, allocate and tune

    def __init__(self) -> None:
        self.calls = 0
        self.stream = torch.cuda.Stream()  # type: ignore[no-untyped-call]
        self.graph = torch.cuda.CUDAGraph()
        self.batch: Batch | None = None
        self.losses: Losses | None = None

    def run(self, learn: Callable[[Batch], Losses], batch: Batch) -> Losses:
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

    def _warm_up(self, learn: Callable[[Batch], Losses], batch: Batch) -> Losses:
        # On the stream of the recording: what autograd remembers of streams must fit it.
        self.stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(self.stream):
            losses = learn(batch)
        torch.cuda.current_stream().wait_stream(self.stream)
        return losses


def _tensors(batch: Batch) -> Iterator[Tensor]:
    """Every tensor of a batch, those of its layouts among them, in order."""
    for part in batch:
        if isinstance(part, Tensor):
            yield part
        else:
            yield from (each for each in part if isinstance(each, Tensor))


class Objective(nn.Module):
    """A network together with what it is trained for, as one module that can be distributed."""

    def __init__(self, network: Transformer, config: ObjectiveConfig) -> None:
        super().__init__()
        self.network = network
        self.config = config

    def forward(self, batch: Batch) -> Losses:
        """The losses of a batch."""
        return losses(self.network, batch, self.config)


class Trainer:
    """A network, its batches and its optimiser: everything that one step changes."""

    def __init__(
        self,
        network: Transformer,
        sets: Sequence[Clusters],
        shares: Sequence[float],
        config: TrainingConfig,
        *,
        analogies: Clusters | None = None,
        process: int = 0,
        processes: int = 1,
    ) -> None:
        self.network = network
        self.config = config
        self.device = network.embedding.weight.device
        sampling = config.sampling(process, processes)
        self.sampler = Sampler(sets, shares, sampling, self.device, analogies=analogies)
        if config.is_encoder_frozen:
            network.freeze_encoder()
        self.objective: nn.Module = Objective(network, config.objective)
        if config.is_compiled:
            for block in (*network.encoder, *network.decoder):
                block.compile(dynamic=False)
        if processes > 1:
            self.objective = DistributedDataParallel(self.objective)
        is_on_gpu = self.device.type == "cuda"
        self.learning_rate = torch.zeros((), device=self.device)
        self.optimiser = torch.optim.Adam(
            self._learnt().values(),
            lr=self.learning_rate if is_on_gpu else 0.0,
            betas=config.betas,
            fused=is_on_gpu,
            capturable=is_on_gpu,
        )
        self.step_count = 0
        # Fixed shapes and no conversation between processes: a step can be recorded and replayed.
        self.recording = (
            _Recording() if is_on_gpu and config.is_compiled and processes == 1 else None
        )

    def step(self, progress: float) -> Losses:
        """One step; the losses come back detached, still on the device."""
        config = self.config
        self.network.train()
        torch.manual_seed(config.seed * 1_000_003 + self.step_count)
        self._set_learning_rate(config.learning_rate_at(self.step_count, progress))
        batch = self.sampler.draw(self.step_count)
        found = self.recording.run(self._learn, batch) if self.recording else self._learn(batch)
        self.step_count += 1
        return Losses(*self._averaged(torch.stack(found)))

    def _learnt(self) -> dict[str, nn.Parameter]:
        """The weights that steps change, by name."""
        return {name: each for name, each in self.network.named_parameters() if each.requires_grad}

    def _set_learning_rate(self, rate: float) -> None:
        if self.device.type == "cuda":
            self.learning_rate.fill_(rate)  # a recorded step reads it where it lies
            return
        for group in self.optimiser.param_groups:
            group["lr"] = rate

    def _learn(self, batch: Batch) -> Losses:
        """Everything that a step does to the network."""
        self.optimiser.zero_grad(set_to_none=True)
        found = self._losses(batch)
        found.whole.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(self.network.parameters(), self.config.largest_norm)
        self.optimiser.step()
        return Losses(*(part.detach() for part in found))

    def _averaged(self, values: Tensor) -> Tensor:
        """The mean over all processes."""
        if self.sampler.config.processes > 1:
            dist.all_reduce(values)
            values /= self.sampler.config.processes
        return values

    def _losses(self, batch: Batch) -> Losses:
        precision = PRECISIONS[self.config.precision]
        with torch.autocast(
            self.device.type,
            dtype=torch.bfloat16,
            enabled=precision is torch.bfloat16,
            cache_enabled=self.recording is None,
        ):
            found: Losses = self.objective(batch)
        return found

    @torch.no_grad()
    def validate(self, sampler: Sampler, batches: int) -> float:
        """The mean whole loss of the first batches of a sampler, the same in every process."""
        self.network.eval()
        found = [self._losses(sampler.draw(step)).whole for step in range(batches)]
        return float(self._averaged(torch.stack(found).mean()))

    def state(self) -> dict[str, Tensor]:
        """Everything needed to go on, as named tensors."""
        tensors = {f"network.{name}": value for name, value in self.network.state_dict().items()}
        for name, parameter in self._learnt().items():
            moments = self.optimiser.state[parameter]
            tensors[f"first.{name}"] = moments["exp_avg"]
            tensors[f"second.{name}"] = moments["exp_avg_sq"]
        tensors["step"] = torch.tensor(self.step_count)
        return {name: value.detach().cpu().contiguous() for name, value in tensors.items()}

    def restore(self, state: Mapping[str, Tensor]) -> None:
        """Go on from a state of a network of the same shape."""
        weights = {
            name.removeprefix("network."): value
            for name, value in state.items()
            if name.startswith("network.")
        }
        try:
            self.network.load_state_dict(weights)
        except RuntimeError:
            raise ConfigError(
                "the checkpoint is of a network of another shape; name another folder"
            ) from None
        self.step_count = int(state["step"])
        # The fused optimiser counts its steps beside the weights, the plain one on the CPU.
        where = self.device if self.device.type == "cuda" else torch.device("cpu")
        for name, parameter in self._learnt().items():
            self.optimiser.state[parameter] = {
                "step": torch.tensor(float(self.step_count), device=where),
                "exp_avg": state[f"first.{name}"].to(self.device),
                "exp_avg_sq": state[f"second.{name}"].to(self.device),
            }
