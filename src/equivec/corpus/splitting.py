"""Which expressions are for training and which for judging a model.

Validation and test are single expressions, as in the paper: an expression stands in one set only,
while equivalents of it may stand in training. Beside them, `unseen` has one expression each of
functions that training does not know at all; their equivalents are kept apart for retrieval.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from equivec.errors import require_at_least

if TYPE_CHECKING:
    from numpy.typing import NDArray

TRAIN, VALIDATION, TEST = "train", "validation", "test"
UNSEEN, UNSEEN_EQUIVALENT = "unseen", "unseen equivalent"
SPLITS = (TRAIN, VALIDATION, TEST, UNSEEN, UNSEEN_EQUIVALENT)

# A cluster that gives an expression away must have at least this many left to train on.
_LEAST_LEFT = 2
# The sets together take at most this share of the clusters, however small the corpus.
_LARGEST_SHARE = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitConfig:
    """How many expressions each set has; in a small corpus the sets shrink in proportion."""

    validation: int = 2_000
    test: int = 5_000
    unseen: int = 5_000

    def __post_init__(self) -> None:
        require_at_least(0, validation=self.validation, test=self.test, unseen=self.unseen)


def split(table: pa.Table, config: SplitConfig, seed: int) -> pa.Table:
    """The table with its `split` column filled; its rows are sorted by cluster."""
    generator = np.random.default_rng([seed, 1])
    clusters = table["cluster"].to_numpy()
    starts = np.flatnonzero(np.diff(clusters, prepend=-1))
    sizes = np.diff(np.append(starts, len(clusters)))
    labels = np.zeros(len(clusters), dtype=np.int64)
    order = generator.permutation(np.flatnonzero(sizes > _LEAST_LEFT))
    places = (generator.random(len(order)) * sizes[order]).astype(np.int64)
    rows = starts[order] + places
    unseen, test, validation = _boundaries(config, len(order))
    for cluster in order[:unseen].tolist():
        start, size = starts[cluster], sizes[cluster]
        labels[start : start + size] = SPLITS.index(UNSEEN_EQUIVALENT)
    labels[rows[:unseen]] = SPLITS.index(UNSEEN)
    labels[rows[unseen:test]] = SPLITS.index(TEST)
    labels[rows[test:validation]] = SPLITS.index(VALIDATION)
    return table.set_column(table.schema.get_field_index("split"), "split", _names(labels))


def _boundaries(config: SplitConfig, available: int) -> tuple[int, int, int]:
    """Where the unseen, test and validation sets end in a random order of the clusters."""
    wanted = config.unseen + config.test + config.validation
    scale = min(1.0, _LARGEST_SHARE * available / wanted) if wanted else 0.0
    unseen, test, validation = (
        int(scale * count) for count in (config.unseen, config.test, config.validation)
    )
    return unseen, unseen + test, unseen + test + validation


def _names(labels: NDArray[np.int64]) -> pa.Array:
    return pa.array(np.array(SPLITS, dtype=object)[labels], pa.string())
