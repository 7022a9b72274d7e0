"""What many networks at once are trained for: to write the target, and to tell classes apart."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import torch
from torch import Tensor
from torch.nn import functional

from equivec.expression.vocabulary import PADDING_ID
from equivec.model.devices import compute_type
from equivec.model.training import Losses, Objective, sequence_loss
from equivec.semvec.batches import ClassBatch

if TYPE_CHECKING:
    from collections.abc import Sequence

    from equivec.semvec.networks import ManyNetworks
    from equivec.semvec.settings import LossConfig


class ManyObjective(Objective[ClassBatch]):
    """Many networks, and how much the contrastive loss weighs for each."""

    contrasts: Tensor  # (networks,)

    def __init__(
        self,
        many: ManyNetworks,
        contrasts: Sequence[float],
        config: LossConfig,
        precision: str = "auto",
    ) -> None:
        super().__init__()
        self.many, self.config = many, config
        self.networks = many.count
        device = many.values.device
        self.compute_type = compute_type(precision, device)
        self.is_compared = any(contrasts)
        each = torch.tensor(contrasts, device=device)
        self.register_buffer("contrasts", each, persistent=False)

    def compile_parts(self) -> None:
        """Compile all of it as one graph."""
        self.compile(fullgraph=True, dynamic=False)

    def forward(self, batch: ClassBatch) -> Losses:
        """The losses of each network."""
        inputs = batch.sources
        if self.is_compared:
            inputs = torch.cat([batch.sources, batch.targets], dim=1)
        logits, vectors = self.many(inputs, batch.targets, self.compute_type)
        wanted = batch.targets[:, :, 1:]
        sequence = sequence_loss(
            logits, wanted, wanted != PADDING_ID, self.config.label_smoothing, self.networks
        )
        nothing = torch.zeros_like(sequence)
        if not self.is_compared:
            return Losses(sequence, sequence, nothing, nothing)
        contrast = contrastive_losses(vectors, batch.same, batch.different, self.config)
        return Losses(sequence + self.contrasts * contrast, sequence, contrast, nothing)


def contrastive_losses(
    vectors: Tensor, same: Tensor, different: Tensor, config: LossConfig
) -> Tensor:  # (networks,)
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
