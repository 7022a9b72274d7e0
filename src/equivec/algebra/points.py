"""Where expressions are sampled: fixed points, spread evenly over orders of magnitude."""

from __future__ import annotations

import random
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from equivec.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

_SEED = 20230907
# Low end, high end, and how many points: one from each of as many equal parts of the logarithm.
_CORE = (0.02, 40.0, 256)
_WINGS = ((1e-9, 0.02, 32), (40.0, 1e9, 32))


class Domain(StrEnum):
    """What the variables range over."""

    POSITIVE = "positive"
    REAL = "real"

    @classmethod
    def _missing_(cls, value: object) -> Domain:
        raise ConfigError(f"{value!r} is not a domain; choose from {', '.join(cls)}")


@dataclass(frozen=True, slots=True)
class Points:
    """The same number of values for every variable; a column is a point."""

    values: dict[str, NDArray[np.float64]]
    count: int

    def at(self, index: int) -> dict[str, float]:
        """One point, as a number for each variable."""
        return {name: float(column[index]) for name, column in self.values.items()}


def sample_points(
    variables: Iterable[str], domain: Domain = Domain.POSITIVE, seed: int = 0
) -> Points:
    """The points at which expressions in these variables are compared; one, where there are none.

    Another seed gives other points with the same spread.

    >>> points = sample_points(["x"])
    >>> points.count, float(points.values["x"].min()) > 0
    (320, True)
    """
    names, domain = sorted(variables), Domain(domain)
    if not names:
        return Points({}, 1)
    columns = {name: _column(place, domain, seed) for place, name in enumerate(names)}
    return Points(columns, len(columns[names[0]]))


@lru_cache(maxsize=64)
def _column(place: int, domain: Domain, seed: int) -> NDArray[np.float64]:
    """The values of the variable that comes at this place in the alphabet of those present."""
    column = _magnitudes(place, seed)
    if domain is Domain.REAL:
        column = np.concatenate([column, _magnitudes(place + 100, seed)]) * _signs(place, seed)
    column.flags.writeable = False  # all who ask are given this one
    return column


def _signs(place: int, seed: int) -> NDArray[np.float64]:
    """The first half positive for the first variable, at random for others."""
    count = sum(part[2] for part in (_CORE, *_WINGS))
    signs = np.ones(2 * count)
    if place == 0:
        signs[count:] = -1
    else:
        signs[np.random.default_rng([_SEED, seed, place]).random(len(signs)) < 0.5] = -1
    return signs


def _magnitudes(place: int, seed: int) -> NDArray[np.float64]:
    """Log-stratified, jittered values; ascending for the first variable, else shuffled."""
    generator = random.Random(f"{_SEED} {seed} {place}")  # noqa: S311
    core = _stratified(*_CORE, generator)
    wings = [value for wing in _WINGS for value in _stratified(*wing, generator)]
    if place % 100:
        generator.shuffle(core)
        generator.shuffle(wings)
    return np.array(core + wings)


def _stratified(low: float, high: float, count: int, generator: random.Random) -> list[float]:
    ratio = (high / low) ** (1 / count)
    return [float(low * ratio ** (index + generator.random())) for index in range(count)]
