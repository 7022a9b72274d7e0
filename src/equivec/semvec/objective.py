"""Training many networks at once on batches of equivalent expressions: losses and steps."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.nn import functional

from equivec.errors import ConfigError
from equivec.semvec.networks import PADDING_ID

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from equivec.semvec.batches import Batch, BatchSampler
    from equivec.semvec.networks import ManyNetworks
    from equivec.semvec.settings import TrainingConfig


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
    ) -> None:
        device = networks.values.device
        self.networks = networks
        self.sampler = sampler
        self.config = config
        self.compute_type = torch.bfloat16 if device.type == "cuda" else torch.float32
        self.contrasts = torch.tensor(contrasts, device=device)
        self.contrasts_any = any(contrasts)
        self.optimiser = torch.optim.Adam([networks.values], fused=device.type == "cuda")
        self.average = networks.values.detach().clone()
        self.best_values = self.average.clone()
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
        self.optimiser.zero_grad(set_to_none=True)
        losses = self.losses(*(batch or self.sampler.draw()))
        kept = losses.detach().clone()
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

    def keep(self, is_better: npt.NDArray[np.bool_]) -> None:
        """Take the averaged weights of some networks for the best so far."""
        chosen = torch.from_numpy(is_better)
        self.best_values[chosen] = self.average[chosen]

    def state(self) -> dict[str, npt.NDArray[np.generic]]:
        """Everything needed to go on, as arrays."""
        state = self.optimiser.state[self.networks.values]
        generators = {"sampler": self.sampler.generator.get_state(), "cpu": torch.get_rng_state()}
        if self.average.is_cuda:
            generators["cuda"] = torch.cuda.get_rng_state()
        tensors = {
            "values": self.networks.values.detach(),
            "average": self.average,
            "best_values": self.best_values,
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
        self.best_values.copy_(tensors["best_values"])
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
