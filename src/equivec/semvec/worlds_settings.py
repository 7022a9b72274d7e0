"""How learned operators are trained, as a table of configurations; no network is known here."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

from equivec.errors import ConfigError, require_at_least
from equivec.storage.values import Record

States = Literal["distributions", "directions"]

HELD_OUT_FOLDS = 2  # of seven parts of the training classes: they choose a configuration
FOLDS = 7


@dataclass(frozen=True, slots=True, kw_only=True)
class WorldsConfig(Record):
    """The shape of a network and its training."""

    states: States = "distributions"  # over nameless values; or unit vectors
    width: int = 8  # of a state
    prototypes: int = 8  # states that a variable can have
    worlds: int = 16  # drawn for each step
    restarts: int = 2  # trained side by side; the lowest training loss chooses
    batch_rows: int = 600  # at most
    rows_of_class: int = 4  # in a batch, where there are classes enough
    steps: int = 2_500
    learning_rate: float = 1e-2  # the largest
    warmup_steps: int = 50
    largest_norm: float = 1.0  # of a network's gradient

    def __post_init__(self) -> None:
        if self.states not in get_args(States):
            choices = " or ".join(map(repr, get_args(States)))
            raise ConfigError(f"states must be {choices}, not {self.states!r}")
        require_at_least(
            1,
            width=self.width,
            prototypes=self.prototypes,
            worlds=self.worlds,
            restarts=self.restarts,
            steps=self.steps,
            warmup_steps=self.warmup_steps,
        )
        require_at_least(2, batch_rows=self.batch_rows, rows_of_class=self.rows_of_class)
        require_at_least(0, learning_rate=self.learning_rate, largest_norm=self.largest_norm)

    def learning_rate_at(self, step: int) -> float:
        """Linear warm-up, then half a cosine down to a fiftieth."""
        wave = 0.5 * (1 + math.cos(math.pi * step / self.steps))
        return self.learning_rate * (0.02 + 0.98 * wave) * min(1.0, (step + 1) / self.warmup_steps)

    def softening_at(self, step: int) -> float:
        """What is added to squared distances: less and less, from 1e-2 to 1e-4.

        >>> config = WorldsConfig(steps=100)
        >>> [round(config.softening_at(step), 6) for step in (0, 40, 80, 100)]
        [0.01, 0.001, 0.0001, 0.0001]
        """
        return float(1e-2 ** (1 + min(1.0, 1.25 * step / self.steps)))


# Held-out training classes choose among them, dataset by dataset.
WORLDS_CONFIGS: tuple[WorldsConfig, ...] = (
    WorldsConfig(states="distributions"),
    WorldsConfig(states="directions"),
)
