"""Which networks are trained, asked for by texts like `Bool5,Poly5:SemEmb@43`, and how long."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from equivec.corpus.semvec import SEMVEC_SPECS, semvec_spec
from equivec.errors import ConfigError, require_at_least
from equivec.evaluate.semvec_score import COMPOSITION_PAIRS
from equivec.model.semvec_settings import SETTINGS, Setting, TrainingConfig

if TYPE_CHECKING:
    from collections.abc import Sequence


_LARGEST_SEED = 2**63 - 1  # that torch takes
_SEED_DIGITS = len(str(_LARGEST_SEED))


@dataclass(frozen=True, slots=True, kw_only=True)
class SemVecConfig:
    """What is trained for how long; how is in TrainingConfig."""

    runs: tuple[str, ...]  # such as "all:combined" or "Bool5,Poly5:SemEmb@43"
    seconds: float = 480.0  # for this command: reading, training, scoring
    schedule_seconds: float | None = None  # of training in all; none: steps, or what seconds leave
    reserve_seconds: float = 25.0  # for scoring
    checkpoint_seconds: float = 120.0  # between two checkpoints
    folds: int = 0  # parts of the training classes, held out in turns to choose settings
    choices: tuple[float, ...] = (0.7, 0.85)  # shares of training after which weights are compared
    layers: int = 6
    width: int | None = None  # in place of the settings'
    training: TrainingConfig = field(default_factory=TrainingConfig)
    keeps_weights: bool = False

    def __post_init__(self) -> None:
        if self.folds < 0 or self.folds == 1:
            raise ConfigError(f"folds must be 0 (none) or at least 2, not {self.folds}")
        for name in ("seconds", "schedule_seconds"):
            value = getattr(self, name)
            if value is not None and not 0 < value < math.inf:
                raise ConfigError(f"{name} must be positive, not {value:g}")
        require_at_least(1, layers=self.layers, width=self.width)
        require_at_least(0, reserve_seconds=self.reserve_seconds)
        if self.folds and self.keeps_weights:
            raise ConfigError(
                "folds are for choosing settings; the weights of networks are not kept"
            )


@dataclass(frozen=True, slots=True)
class Fold:
    """One of several parts of the training classes, held out."""

    number: int  # from 1
    count: int


@dataclass(frozen=True, slots=True)
class PlannedRun:
    """One network to train."""

    dataset: str
    setting: Setting
    seed: int
    fold: Fold | None = None

    @property
    def name(self) -> str:
        """The run as a text that names it again."""
        part = f" fold {self.fold.number} of {self.fold.count}" if self.fold else ""
        return f"{self.dataset}:{self.setting.name}@{self.seed}{part}"

    @property
    def source(self) -> str:
        """The name of the data it is trained on: its dataset, or that less a fold."""
        part = f" less {self.fold.number} of {self.fold.count}" if self.fold else ""
        return f"{self.dataset}{part}"

    @property
    def targets(self) -> tuple[str, ...]:
        """The datasets beside its own whose composition it is asked about."""
        return tuple(to for source, to in COMPOSITION_PAIRS if source == self.dataset)

    @property
    def scored_on(self) -> tuple[str, ...]:
        """The larger datasets that it is scored on; with a fold held out no test is touched."""
        return () if self.fold else self.targets


def parse_runs(texts: Sequence[str], seed: int = 42, folds: int = 0) -> list[PlannedRun]:
    """The runs that texts like `Bool5,Poly5:SemEmb@43,44` name; `all` stands for every dataset.

    >>> [run.name for run in parse_runs(["Bool5,Poly5:SemEmb", "Bool5:combined@1,2"])]
    ['Bool5:SemEmb@42', 'Poly5:SemEmb@42', 'Bool5:combined@1', 'Bool5:combined@2']
    >>> len(parse_runs(["all:combined"])), len(parse_runs(["all:transfer"]))
    (14, 7)
    """
    parts = [Fold(number, folds) if folds else None for number in range(1, max(folds, 1) + 1)]
    runs = [
        PlannedRun(dataset, setting, number, part)
        for text in texts
        for datasets, setting, seeds in [_parse_run(text, seed)]
        for number in seeds
        for dataset in datasets
        for part in parts
    ]
    if twice := [name for name, count in Counter(run.name for run in runs).items() if count > 1]:
        raise ConfigError(f"{twice[0]} is asked for twice; give it another seed or leave it out")
    return runs


def _parse_run(text: str, seed: int) -> tuple[list[str], Setting, list[int]]:
    names, _, rest = text.partition(":")
    setting_name, _, seeds = rest.partition("@")
    numbers = seeds.split(",") if "@" in rest else [str(seed)]
    if not rest or not all(map(str.isdecimal, numbers)):
        raise ConfigError(
            f"{text!r} is not DATASETS:SETTING or DATASETS:SETTING@SEEDS, "
            "such as Bool5,Poly5:SemEmb@42,43 or all:combined"
        )
    if any(len(number) > _SEED_DIGITS or int(number) > _LARGEST_SEED for number in numbers):
        raise ConfigError(f"a seed of {text!r} is larger than {_LARGEST_SEED}")
    if setting_name not in SETTINGS:
        raise ConfigError(
            f"{setting_name!r} in {text!r} is not a setting; choose from {', '.join(SETTINGS)}"
        )
    setting = SETTINGS[setting_name]
    chosen = _all_names(setting) if names == "all" else names.split(",")
    return [semvec_spec(name).name for name in chosen], setting, [int(n) for n in numbers]


def _all_names(setting: Setting) -> list[str]:
    if setting.derived == "transfer":
        return list(dict.fromkeys(source for source, _ in COMPOSITION_PAIRS))
    return [spec.name for spec in SEMVEC_SPECS]


def group_runs(runs: Sequence[PlannedRun]) -> list[list[PlannedRun]]:
    """Runs by the shape of their networks: those of one shape are trained at once."""
    groups: dict[int, list[PlannedRun]] = {}
    for run in runs:
        groups.setdefault(run.setting.width, []).append(run)
    return list(groups.values())
