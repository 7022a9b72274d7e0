"""The first look at pairs: where does float64 see values or domains differ?"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from equivec.algebra.floats import Values

_POOR = 0.5  # the share of points that float64 must know


class Screen:
    """What float64 says of pairs, as (pairs, points); the values of all left sides come first."""

    def __init__(self, values: Values, tolerance: float, confirmations: int) -> None:
        a, b = np.split(values.numbers, 2)
        is_known = np.logical_and(*np.split(values.known, 2))
        self._is_apart = is_known & (np.isnan(a) != np.isnan(b))
        with np.errstate(all="ignore"):
            is_shared = is_known & ~np.isnan(a + b)
            distance = np.abs(a - b) / np.maximum(np.abs(a), np.abs(b))
        self._is_off = is_off = is_shared & (distance > tolerance)
        pairs = np.flatnonzero((is_off | self._is_apart).any(axis=1))
        suspects = _suspects(distance[pairs], is_off[pairs], self._is_apart[pairs])
        self._suspects = dict(zip(pairs.tolist(), suspects, strict=True))
        is_close = is_shared & ~is_off
        self.close = is_close.sum(axis=1).tolist()
        self._confirming = _spread(is_close, confirmations)
        # Where float64 cannot tell at most points, balls have to look at many.
        self.is_poor = (is_known.mean(axis=1) < _POOR).tolist()

    def sees_values_differ(self, pair: int, point: int) -> bool:
        """Whether both sides have values at a point, and these are not close."""
        return bool(self._is_off[pair, point])

    def candidates(self, pair: int) -> Iterator[tuple[int, bool]]:
        """Points by what float64 says of them: suspect, likely to confirm, and the rest."""
        for index in self._suspects.get(pair, ()):
            yield index, True
        for index in self._confirming[pair]:
            yield index, False
        for index in _spread(~self._is_apart[[pair]], 24)[0]:
            yield index, False


def _suspects(
    distance: NDArray[np.float64], is_off: NDArray[np.bool_], is_apart: NDArray[np.bool_]
) -> Iterator[list[int]]:
    """For each pair the points where values or domains seem to differ, the worst values first."""
    order = np.argsort(np.where(is_off, distance, -1.0), axis=1)[:, :-4:-1]
    worst = np.where(np.take_along_axis(is_off, order, axis=1), order, -1).tolist()
    for points in zip(worst, _spread(is_off, 8), _spread(is_apart, 5), strict=True):
        yield [index for index in dict.fromkeys(chain(*points)) if index >= 0]


def _spread(masks: NDArray[np.bool_], count: int) -> list[list[int]]:
    """Of each row of masks at most `count` of the places where it holds, from end to end."""
    # The places of all rows behind each other; numpy finds them fastest in a flat array.
    places = np.append(np.flatnonzero(masks) % masks.shape[1], 0)
    totals = masks.sum(axis=1)
    starts = totals.cumsum() - totals
    # Where there are fewer places than asked for, the steps meet each of them.
    last = np.maximum(totals - 1, 0)[:, None]
    steps = (np.arange(count) * last + (count - 1) // 2) // max(count - 1, 1)
    chosen = places[starts[:, None] + steps].tolist()
    return [
        list(dict.fromkeys(row)) if total else [] for row, total in zip(chosen, totals, strict=True)
    ]
