"""Fingerprints per second, in one batch; there is no alternative to measure against."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from benchmarks.timing import Row, solo, typical
from benchmarks.work import sample_trees
from equivec import fingerprints

if TYPE_CHECKING:
    from collections.abc import Iterator

_ROUNDS, _EXPRESSIONS = 3, 2_000


def fingerprint(seed: int) -> Iterator[Row]:
    """The rate in the median round; every round has new expressions."""
    generator = random.Random(seed)
    rounds = [sample_trees(generator, _EXPRESSIONS) for _ in range(_ROUNDS)]
    ours = _EXPRESSIONS / typical(solo(rounds, fingerprints))
    what = f"in batches of {_EXPRESSIONS:,}"
    yield Row(benchmark="fingerprint", what=what, ours=ours, unit="fingerprints/s")
