"""What a network learns from a SemVec training set, as a table of settings, and how it is trained.

This module knows no network: reading a command needs the words and numbers alone.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from equivec.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

MOST_PAIRS_OF_A_CLASS = 100_000  # unordered (Gangwar & Kani 2023, setting SemEmb)

Numbers = npt.NDArray[np.int64]


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
        Setting(name="larger", contrast=1.0, sampling="classes", derived="larger"),
        Setting(name="combined", contrast=1.0, renames=True, sampling="classes", derived="within"),
        Setting(
            name="transfer", contrast=1.0, renames=True, sampling="classes", derived="transfer"
        ),
    )
}


# The numbers of a training, what they must satisfy, and that in words.
_RANGES: tuple[tuple[tuple[str, ...], Callable[[float], bool], str], ...] = (
    (
        ("batch_size", "patience", "validation_every"),
        lambda value: value >= 1,
        "be at least 1",
    ),
    (
        ("seed", "steps", "warmup_steps", "min_steps", "unknown_weight"),
        lambda value: value >= 0,
        "be at least 0",
    ),
    (
        ("learning_rate", "temperature", "largest_norm"),
        lambda value: value > 0,
        "be positive and finite",
    ),
    (("final_share", "label_smoothing"), lambda value: 0 <= value <= 1, "lie in [0, 1]"),
    (("average_decay", "attention_dropout"), lambda value: 0 <= value < 1, "lie in [0, 1)"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingConfig:
    """How networks are trained; their shape is in NetworkConfig."""

    batch_size: int = 256
    learning_rate: float = 1e-3
    final_share: float = 0.01  # of the learning rate, at the end of the cosine
    warmup_steps: int = 500
    steps: int | None = None  # of the whole schedule; none: the clock ends it; 0: untrained
    min_steps: int = 0  # before patience can end training
    patience: int | None = None  # steps without a better validation score; none: to the end
    validation_every: int | None = None  # steps; none: at shares of the schedule
    attention_dropout: float = 0.0  # of the shares that places have in each other
    label_smoothing: float = 0.1
    temperature: float = 0.1
    unknown_weight: float = 0.1  # of pairs that may be of one class, among the negatives
    largest_norm: float = 1.0  # of a network's gradient
    average_decay: float = 0.999  # of the moving average of the weights; 0: none
    seed: int = 42
    is_compiled: bool = False

    def __post_init__(self) -> None:
        for names, is_allowed, words in _RANGES:
            for name in names:
                value = getattr(self, name)
                if value is not None and not (is_allowed(value) and math.isfinite(value)):
                    raise ConfigError(f"{name} must {words}, not {value:g}")
        if self.patience is not None and self.validation_every is None:
            raise ConfigError("patience needs validation_every, the steps between two validations")

    def learning_rate_at(self, step: int, progress: float) -> float:
        """Linear warm-up, if any, then half a cosine over the progress from 0 to 1."""
        wave = 0.5 * (1 + math.cos(math.pi * min(progress, 1.0)))
        share = self.final_share + (1 - self.final_share) * wave
        return self.learning_rate * share * min(1.0, (step + 1) / max(1, self.warmup_steps))


# The paper validates once an epoch, which on its smallest datasets is every other step.
RECIPES: Mapping[str, TrainingConfig] = {
    "fast": TrainingConfig(),
    "paper": TrainingConfig(
        batch_size=512,
        learning_rate=1e-4,
        final_share=1.0,
        warmup_steps=0,
        steps=1_000_000,
        min_steps=50_000,
        patience=20_000,
        validation_every=2_500,
        attention_dropout=0.1,
        average_decay=0.0,
    ),
}
