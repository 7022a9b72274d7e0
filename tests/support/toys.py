"""The smallest thing that can be trained: points that are drawn towards others."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import torch
from torch import Tensor, nn

from equivec.model.settings import TrainingConfig
from equivec.model.training import Losses, Objective, Trainer

if TYPE_CHECKING:
    from collections.abc import Mapping


class Goals(NamedTuple):
    """Where the points are drawn to."""

    points: Tensor  # (networks, 3)


class ToyObjective(Objective[Goals]):
    """A point for each network, and how far it is from its goal."""

    def __init__(self, networks: int = 1) -> None:
        super().__init__()
        self.networks = networks
        self.points = nn.Parameter(torch.zeros(networks, 3))

    def compile_parts(self) -> None:
        """Nothing is worth it."""

    def forward(self, batch: Goals) -> Losses:
        found = (self.points - batch.points).square().sum(dim=1)
        return Losses(found, found, torch.zeros_like(found), torch.zeros_like(found))


class ToySampler:
    """Goals that the step decides, or that a generator goes on drawing."""

    def __init__(self, networks: int = 1, generator: torch.Generator | None = None) -> None:
        self.networks, self.generator = networks, generator

    def draw(self, step: int) -> Goals:
        generator = self.generator or torch.Generator().manual_seed(step)
        drawn = torch.rand(8, 3, generator=generator)[: self.networks]
        return Goals(drawn)

    def generators(self) -> Mapping[str, torch.Generator]:
        return {"goals": self.generator} if self.generator else {}


def toy_trainer(
    networks: int = 1, generator: torch.Generator | None = None, **changes: object
) -> Trainer[Goals]:
    """A trainer of points."""
    settings = {"batch_size": 2, "learning_rate": 0.1, **changes}
    config = TrainingConfig(**settings)  # type: ignore[arg-type]
    return Trainer(ToyObjective(networks), ToySampler(networks, generator), config)
