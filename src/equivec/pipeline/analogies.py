"""Analogies to be learnt, as arrays: what `equivec train --analogies` reads."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import numpy as np

from equivec.algebra.fingerprint import fingerprints
from equivec.corpus.export import write_arrays
from equivec.evaluate.analogy_making import training_analogies
from equivec.evaluate.pool import prefix_text

if TYPE_CHECKING:
    from pathlib import Path


def write_training_analogies(path: str | Path, of_each_family: int, seed: int = 42) -> int:
    """Write analogies of every family, each with a number for the function that its answer is."""
    analogies = training_analogies(Random(seed), of_each_family)  # noqa: S311
    texts = list(dict.fromkeys(analogy.x2 for analogy in analogies))
    marks = dict(zip(texts, fingerprints(texts), strict=True))
    numbers = {mark: number for number, mark in enumerate(dict.fromkeys(marks.values()))}
    write_arrays(
        ([prefix_text(text) for text in analogy.expressions] for analogy in analogies),
        path,
        answers=np.array([numbers[marks[analogy.x2]] for analogy in analogies], dtype=np.uint32),
    )
    return len(analogies)
