"""What a network learns from a SemVec training set, as a table of settings, and how it is trained.

This module needs no torch: reading a command takes the words and numbers alone.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from equivec.errors import ConfigError, require_at_least
from equivec.model.clusters import MOST_PAIRS
from equivec.model.settings import TrainingConfig  # noqa: TC001 (a recipe reads its types)
from equivec.pipeline.recipes import build, read_tables

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

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
    return np.clip(sizes * (sizes.astype(np.float64) - 1), 0, 2 * MOST_PAIRS)


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


@dataclass(frozen=True, slots=True, kw_only=True)
class ShapeConfig:
    """The shape of networks."""

    layers: int = 6  # of encoder and decoder
    width: int | None = None  # in place of the settings'
    attention_dropout: float = 0.0

    def __post_init__(self) -> None:
        require_at_least(1, layers=self.layers, width=self.width)
        if not 0 <= self.attention_dropout < 1:
            raise ConfigError(
                f"attention_dropout must lie in [0, 1), not at {self.attention_dropout}"
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class LossConfig:
    """What holds for the losses of every network."""

    label_smoothing: float = 0.1
    temperature: float = 0.1  # of the contrastive loss
    unknown_weight: float = 0.1  # of pairs that may be of one class, among the negatives

    def __post_init__(self) -> None:
        if not 0 <= self.label_smoothing < 1:
            raise ConfigError(f"label_smoothing must lie in [0, 1), not at {self.label_smoothing}")
        if not 0 < self.temperature < math.inf:
            raise ConfigError(f"temperature must be positive, not {self.temperature}")
        if not 0 <= self.unknown_weight < math.inf:
            raise ConfigError(f"unknown_weight must be at least 0, not {self.unknown_weight}")


@dataclass(frozen=True, slots=True, kw_only=True)
class SemVecRecipe:
    """How networks are trained, whatever their setting."""

    network: ShapeConfig
    objective: LossConfig
    training: TrainingConfig


def semvec_recipe(name: str, changes: Sequence[str] = ()) -> SemVecRecipe:
    """A bundled recipe, or one of a file, with changes such as `batch_size=64`."""
    return build(SemVecRecipe, read_tables(SemVecRecipe, "semvec", name, changes))
