"""A row of scores of LatentWorlds, as results hold it; it needs no torch."""

from __future__ import annotations

from dataclasses import dataclass

from equivec.storage.values import Record


@dataclass(frozen=True, slots=True, kw_only=True)
class WorldsRow(Record):
    """The scores of one network on one split of a dataset, in percent."""

    dataset: str
    data: str  # published or regenerated
    trained_on: str  # the dataset itself, or another
    setting: str
    states: str  # the configuration
    split: str
    rows_only: bool  # trained on the texts and classes of training rows alone
    score_1: float
    score_5: float
    score_10: float
    score_15: float
    score_5_corrected: float
    ceiling_5: float
    queries: int
    seed: int
    steps: int
    seconds: float  # of training
    training_loss: float
    held_out_score_5: float | None = None  # the mean of the same training on held-out classes
    fold: str | None = None  # which part of the classes is held out
