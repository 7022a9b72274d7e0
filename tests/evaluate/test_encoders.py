"""Vectors that are kept: nothing is encoded twice."""

from __future__ import annotations

from typing import TYPE_CHECKING

from equivec.embed.baselines import BagOfTokens
from equivec.embed.encoder import vectors_of
from equivec.evaluate.encoders import CachedEncoder
from equivec.expression.prefix import write_prefix

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import numpy as np

    from equivec.expression.tree import Node


class Counting(BagOfTokens):
    name = "counting"

    def __init__(self) -> None:
        self.asked: list[str] = []

    def encode(self, trees: Sequence[Node], *, normalize: bool = False) -> np.ndarray:
        self.asked += map(write_prefix, trees)
        return super().encode(trees, normalize=normalize)


def test_what_is_kept_is_not_encoded_again_not_even_after_a_restart(tmp_path: Path) -> None:
    counting = Counting()
    for _ in range(2):
        cached = CachedEncoder(counting, tmp_path / "work")
        for texts in (["x", "sin x", "x"], ["sin x", "cos x"]):
            assert (vectors_of(cached, texts) == vectors_of(BagOfTokens(), texts)).all()
        assert cached.encode([]).shape == BagOfTokens().encode([]).shape
        assert counting.asked == ["x", "sin x", "cos x"]
    units = vectors_of(cached, ["x"], normalize=True)
    assert (units == vectors_of(BagOfTokens(), ["x"], normalize=True)).all()


def test_what_is_made_again_takes_the_place_of_nothing(tmp_path: Path) -> None:
    counting = Counting()
    texts = (["x", "sin x"], ["cos x"], ["tan x"])
    cached = CachedEncoder(counting, tmp_path)
    for some in texts:
        vectors_of(cached, some)
    (tmp_path / "asked-00000001.npz").unlink()  # as one is told to where it is damaged
    for _ in range(2):
        cached = CachedEncoder(counting, tmp_path)
        for some in texts:
            assert (vectors_of(cached, some) == vectors_of(BagOfTokens(), some)).all()
        assert counting.asked == ["x", "sin x", "cos x", "tan x", "cos x"]
