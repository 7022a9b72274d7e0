"""Analogies to be learnt, as arrays: what `equivec train --analogies` reads."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import numpy as np

from equivec.corpus.export import write_arrays
from equivec.evaluate.analogy_families import marks_of, rival
from equivec.evaluate.analogy_lessons import training_analogies
from equivec.evaluate.pool import prefix_text

if TYPE_CHECKING:
    from pathlib import Path


def write_training_analogies(path: str | Path, of_each_family: int, seed: int = 42) -> int:
    """Write analogies of every family with a rival each, and the fingerprint of every function."""
    analogies = training_analogies(Random(seed), of_each_family)  # noqa: S311
    rows = [(*analogy.expressions, rival(analogy)) for analogy in analogies]
    marks = marks_of(text for row in rows for text in row)
    functions = [[int(marks[text], 16) for text in row] for row in rows]
    texts = ([prefix_text(text) for text in row] for row in rows)
    write_arrays(texts, np.array(functions, dtype=np.uint64), path)
    return len(rows)
