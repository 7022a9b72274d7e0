"""The settings of a training: how it goes, and what a network learns; no network is needed here.

What stands here is what a recipe may say: `TrainingConfig` holds for every network, the
`ObjectiveConfig` for one that writes equivalents of what it reads.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from equivec.errors import ConfigError, require_at_least
from equivec.model.clusters import WEIGHTINGS
from equivec.model.token_tables import MUTANTS, NO_MUTANTS

if TYPE_CHECKING:
    from collections.abc import Iterable

_PRECISIONS = ("fp32", "bf16", "auto")  # auto: bf16 on a GPU, fp32 on the CPU
_SETTINGS = ("semantic", "structural")  # write an equivalent (SemEmb), or the input (StructEmb)


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingConfig:
    """How networks are trained, whatever they learn."""

    batch_size: int = 256  # pairs of a step, of each process
    learning_rate: float = 1e-4
    betas: tuple[float, float] = (0.9, 0.999)
    warmup_steps: int = 0
    final_fraction: float = 1.0  # of the learning rate, at the end of half a cosine; 1: constant
    largest_norm: float = 1.0  # of a network's gradient
    steps: int | None = 1_000_000  # of the whole schedule; none: the clock ends it; 0: untrained
    min_steps: int = 0  # before patience can end training
    patience: int | None = None  # steps without a better validation; none: to the end
    validation_every: int | None = None  # steps; none: at fractions of the schedule, or each epoch
    validation_at: tuple[float, ...] = ()  # fractions of the schedule; none: once an epoch
    keeps_best: bool = False  # the weights of the best validation are the result, not the last
    average_decay: float = 0.0  # of the moving average of the weights; 0: none
    seed: int = 42
    precision: str = "fp32"  # of matrix products
    is_compiled: bool = False

    def __post_init__(self) -> None:
        if not 0 < self.learning_rate < 1:
            raise ConfigError(f"learning_rate must lie in (0, 1), not at {self.learning_rate}")
        if not 0 <= self.seed < 2**32:
            raise ConfigError(f"seed must lie in [0, 2**32), not at {self.seed}")
        if not 0 < self.largest_norm < math.inf:
            raise ConfigError(f"largest_norm must be positive, not {self.largest_norm}")
        for value in (self.final_fraction, *self.validation_at):
            if not 0 <= value <= 1:
                raise ConfigError(
                    f"final_fraction and validation_at must lie in [0, 1], not at {value}"
                )
        for value in (self.average_decay, *self.betas):
            if not 0 <= value < 1:
                raise ConfigError(f"average_decay and betas must lie in [0, 1), not at {value}")
        require_at_least(2, batch_size=self.batch_size)
        require_at_least(1, patience=self.patience, validation_every=self.validation_every)
        require_at_least(
            0, steps=self.steps, warmup_steps=self.warmup_steps, min_steps=self.min_steps
        )
        _require_known("precision", self.precision, _PRECISIONS)

    def learning_rate_at(self, step: int, progress: float) -> float:
        """Linear warm-up, if any, then half a cosine over the progress from 0 to 1."""
        wave = 0.5 * (1 + math.cos(math.pi * min(progress, 1.0)))
        fraction = self.final_fraction + (1 - self.final_fraction) * wave
        return self.learning_rate * fraction * min(1.0, (step + 1) / max(1, self.warmup_steps))


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectiveConfig:
    """What is drawn and learnt, and the weights of the losses."""

    setting: str = "semantic"
    label_smoothing: float = 0.1
    sequence: float = 1.0  # weight of the sequence loss
    contrast: float = 0.0  # weight of the contrastive loss
    analogy: float = 0.0  # weight of the loss of analogies
    temperature: float = 0.07  # of the contrastive loss
    mutants: str = NO_MUTANTS  # of the targets, as hard negatives: other operators, or numbers too
    margin: float = 0.0  # the cosine by which functions of other operator types are to lie further
    renamed_fraction: float = 0.0  # of the pairs, whose variables get other names
    single_state_fraction: float = 0.0  # of the pairs, decoded from one random encoder state alone
    weighting: str = "pairs"  # clusters are drawn by their pairs (the paper) or their members
    target_draws: int = 1  # equivalents drawn, of which the shortest is to be written; paper: 1
    is_encoder_frozen: bool = False  # then the decoder alone is trained

    def __post_init__(self) -> None:
        _require_known("setting", self.setting, _SETTINGS)
        _require_known("weighting", self.weighting, WEIGHTINGS)
        _require_known("kind of mutants", self.mutants, MUTANTS)
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
        for name in ("renamed_fraction", "single_state_fraction"):
            if not 0 <= getattr(self, name) <= 1:
                raise ConfigError(f"{name} must lie in [0, 1], not at {getattr(self, name)}")
        require_at_least(1, target_draws=self.target_draws)
        if not 0 < self.temperature < math.inf:
            raise ConfigError(f"temperature must be positive, not {self.temperature}")
        if not self.compares and (self.mutates or self.margin or self.analogy):
            raise ConfigError(
                "mutants, margin and analogy only matter with a contrastive loss; set its weight, "
                "contrast"
            )
        if self.is_encoder_frozen and self.compares:
            raise ConfigError(
                "a frozen encoder learns nothing of vectors; leave contrast at 0, or train it too"
            )

    @property
    def copies(self) -> bool:
        """Whether the target is the source itself."""
        return self.setting == "structural"

    @property
    def compares(self) -> bool:
        """Whether targets are read as well, so that vectors can be compared."""
        return self.contrast > 0

    @property
    def mutates(self) -> bool:
        """Whether there are mutants."""
        return self.mutants != NO_MUTANTS


def _require_known(name: str, word: str, known: Iterable[str]) -> None:
    if word not in known:
        raise ConfigError(f"{word!r} is no {name}; choose from {', '.join(known)}")
