"""What a network is trained for: rows of a table, each with what it draws and how it is weighed.

The sequence loss is the paper's: to write the target, token by token. The contrastive loss pulls
the vectors of a cluster together and pushes others away, mutants of the target among them. The loss
of analogies asks that x1 - y1 + y2 lies at x2 where x1 is to y1 as x2 is to y2.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import torch
import torch.distributed as dist
from torch import Tensor
from torch.nn import functional

from equivec.errors import ConfigError
from equivec.model.forms import PARTS_READ
from equivec.model.token_tables import NO_MUTANTS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from equivec.model.batches import Batch
    from equivec.model.network import Transformer

FINE_TEMPERATURE = 0.02  # at which the plain form of a function is told from another
PLAINNESS = 0.5  # the weight of telling it, within the loss of analogies


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One row: what is written, and what vectors are compared with."""

    name: str
    copies: bool = False


SETTINGS: Mapping[str, Setting] = {
    row.name: row
    for row in (
        Setting(name="semantic"),  # SemEmb: write an equivalent
        Setting(name="structural", copies=True),  # StructEmb: write the input
    )
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectiveConfig:
    """What is learnt, and the weights of its parts."""

    setting: str = "semantic"
    label_smoothing: float = 0.1
    sequence: float = 1.0  # weight of the sequence loss
    contrast: float = 0.0  # weight of the contrastive loss
    analogy: float = 0.0  # weight of the loss of analogies
    temperature: float = 0.07
    mutants: str = NO_MUTANTS  # of the targets, as hard negatives
    margin: float = 0.0  # the cosine by which functions of other operator types are to lie further
    renamed_share: float = 0.0  # of the pairs, whose variables get other names
    lone_share: float = 0.0  # of the pairs, written from one state of the input, any of them
    weighting: str = "pairs"  # of the clusters, by their pairs or by their members
    target_draws: int = 1  # equivalents drawn, of which the shortest is to be written; paper: 1

    def __post_init__(self) -> None:
        if self.setting not in SETTINGS:
            known = ", ".join(SETTINGS)
            raise ConfigError(f"{self.setting!r} is not a setting; choose from {known}")
        for name in ("sequence", "contrast", "analogy"):
            if not 0 <= getattr(self, name) < math.inf:
                raise ConfigError(
                    f"{name} must be a weight of at least 0, not {getattr(self, name)}"
                )
        if not self.sequence + self.contrast:
            raise ConfigError("sequence and contrast are both 0: nothing is learnt; set a weight")
        for name in ("label_smoothing", "margin"):
            if not 0 <= getattr(self, name) < 1:
                raise ConfigError(f"{name} must lie in [0, 1), not at {getattr(self, name)}")
        if not 0 < self.temperature < math.inf:
            raise ConfigError(f"temperature must be positive, not {self.temperature}")
        if not self.contrast and (self.mutants != NO_MUTANTS or self.margin or self.analogy):
            raise ConfigError(
                "mutants, margin and analogy only matter with a contrastive loss; set its weight, "
                "contrast"
            )


class Losses(NamedTuple):
    """The whole and its parts."""

    whole: Tensor
    sequence: Tensor
    contrast: Tensor
    analogy: Tensor


def losses(network: Transformer, batch: Batch, config: ObjectiveConfig) -> Losses:
    """The losses of a batch."""
    states = network.encode(batch.tokens, batch.layout)
    memory = states[batch.memory_places] if config.lone_share else states
    logits = network.decode(batch.written, batch.written_layout, memory, batch.memory_layout)
    sequence = sequence_loss(logits, batch, config.label_smoothing)
    nothing = sequence.new_zeros(())
    if not config.contrast:
        return Losses(config.sequence * sequence, sequence, nothing, nothing)
    vectors = functional.normalize(network.pool(states, batch.vector_layout), dim=1)
    of_pairs = len(vectors) - PARTS_READ * len(batch.is_whole_analogy)
    contrast = contrastive_loss(vectors[:of_pairs], batch, config)
    analogy = nothing
    if batch.analogy_functions.numel():
        targets = vectors[len(batch.functions) : 2 * len(batch.functions)]
        analogy = analogy_loss(vectors[of_pairs:], targets, batch, config)
    whole = config.sequence * sequence + config.contrast * contrast + config.analogy * analogy
    return Losses(whole, sequence, contrast, analogy)


def sequence_loss(logits: Tensor, batch: Batch, label_smoothing: float) -> Tensor:
    """The mean cross entropy of the next token over all processes' tokens."""
    each = functional.cross_entropy(
        logits.float(), batch.wanted, label_smoothing=label_smoothing, reduction="none"
    )
    return (each * is_counted(batch)).sum() / batch.wanted_count


def is_counted(batch: Batch) -> Tensor:  # (places,)
    """Which places of the written row belong to a pair that the batch holds whole."""
    fillers = len(batch.written_layout.starts) - 1 - len(batch.is_whole)
    return functional.pad(batch.is_whole, (0, fillers))[batch.written_layout.owners]


def contrastive_loss(units: Tensor, batch: Batch, config: ObjectiveConfig) -> Tensor:
    """How badly a vector tells its function from others, both ways between sources and targets.

    -log of the share that the softmax over cosines gives to all forms of the function: pairs of
    one function that meet in a batch, from whatever sets, are positives of each other. Another
    function of other operator types counts as nearer than it is, by the margin, and so is pushed
    further away.
    """
    sources, targets, *others = map(_gathered, torch.split(units, len(batch.functions)))
    functions, is_whole = _gathered(batch.functions), _gathered(batch.is_whole)
    types, mutant_types = _gathered(batch.types), _gathered(batch.mutant_types)
    same = functions[:, None] == functions
    margins = _margins(config, types, mutant_types, same)
    unlike = (others[0], is_whole & _gathered(batch.is_mutated)) if others else None
    loss = (
        _one_way(sources, targets, unlike, same, is_whole, margins, config.temperature)
        + _one_way(targets, sources, unlike, same, is_whole, margins, config.temperature)
    ) / 2
    return _of_all_processes(loss)


def analogy_loss(parts: Tensor, targets: Tensor, batch: Batch, config: ObjectiveConfig) -> Tensor:
    """How badly x1 - y1 + y2 finds x2 among all expressions of the analogies and all targets.

    `parts` are x1, y1, y2 and x2 of all analogies, their rivals, and other forms of their x2.
    Answers that are the same function are right for each other's analogies. Of the other
    expressions and of the targets those that are not are wrong: x1 and y2 themselves before all,
    since their sum lies among them, and the rivals. Those that are, such as y2 where it equals x2,
    do not count. y1 need not be pushed away, since it is taken away: most often it is x, to which
    many lie close. The margin is that of the contrastive loss.
    """
    x1, y1, y2, x2, rivals, forms = map(_gathered, parts.chunk(PARTS_READ))
    of_x1, _, of_y2, answers, of_rivals = map(_gathered, batch.analogy_functions)
    is_whole, is_target = _gathered(batch.is_whole_analogy), _gathered(batch.is_whole)
    types_of_x1, _, types_of_y2, types, types_of_rivals = map(_gathered, batch.analogy_types)
    others = torch.cat([_gathered(targets), x1, y2, rivals])
    of_others = torch.cat([_gathered(batch.functions), of_x1, of_y2, of_rivals])
    types_of_others = torch.cat([_gathered(batch.types), types_of_x1, types_of_y2, types_of_rivals])
    are_there = torch.cat([is_target, is_whole, is_whole, is_whole])
    same = answers[:, None] == answers
    found = functional.normalize(x1 - y1 + y2, dim=1)
    loss = _one_way(
        found,
        x2,
        (others, are_there & (answers[:, None] != of_others)),
        same,
        is_whole,
        _margins(config, types, types_of_others, same),
        config.temperature,
    )
    return _of_all_processes(loss + PLAINNESS * _plainness(found, x2, forms, is_whole))


def _plainness(found: Tensor, x2: Tensor, forms: Tensor, is_whole: Tensor) -> Tensor:
    """How badly what is found tells the plain form of the answer from another form of it.

    At so low a temperature they need not part for it. A form that is x2 itself does not count.
    """
    nearer = (found * (forms - x2)).sum(dim=1) / FINE_TEMPERATURE
    is_other = is_whole & (forms != x2).any(dim=1)
    return (functional.softplus(nearer) * is_other).sum() / is_other.sum().clamp(min=1)


def _margins(
    config: ObjectiveConfig, types: Tensor, others: Tensor, same: Tensor
) -> tuple[Tensor, Tensor]:
    """By how much each candidate, and each other expression, counts as nearer than it is.

    Forms of one function never do: csc(atan(x)) and coth(asinh(x)) are of other operator types, and
    are to meet as closely as any two.
    """
    of_candidates = (types[:, None] != types) & ~same
    return config.margin * of_candidates, config.margin * (types[:, None] != others)


def _one_way(
    anchors: Tensor,
    candidates: Tensor,
    unlike: tuple[Tensor, Tensor] | None,
    same: Tensor,
    is_whole: Tensor,
    margins: tuple[Tensor, Tensor],
    temperature: float,
) -> Tensor:
    cosines = ((anchors @ candidates.T + margins[0]) / temperature).masked_fill(~is_whole, -1e4)
    everything = cosines
    if unlike is not None:
        mutants, is_negative = unlike
        others = (anchors @ mutants.T + margins[1]) / temperature
        others = others.masked_fill(~is_negative, -1e4)
        everything = torch.cat([cosines, others], dim=1)
    positive = cosines.masked_fill(~same, -1e4).logsumexp(dim=1)
    each = everything.logsumexp(dim=1) - positive
    return (each * is_whole).sum() / is_whole.sum().clamp(min=1)


def _of_all_processes(loss: Tensor) -> Tensor:
    """A loss of the vectors of all processes, with its gradient as the optimiser needs it.

    Each process has gradients of its own vectors alone, and the optimiser sees their mean.
    """
    return loss + (_processes() - 1) * (loss - loss.detach())


def _processes() -> int:
    return dist.get_world_size() if dist.is_initialized() else 1


def _gathered(rows: Tensor) -> Tensor:
    """The rows of all processes, in their order; gradients flow to this process's own."""
    if _processes() == 1:
        return rows
    parts = [torch.empty_like(rows) for _ in range(_processes())]
    dist.all_gather(parts, rows.detach())
    parts[dist.get_rank()] = rows
    return torch.cat(parts)
