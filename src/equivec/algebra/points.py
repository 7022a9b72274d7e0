"""Where expressions are sampled: fixed points, spread evenly over orders of magnitude."""

from __future__ import annotations

import random
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache, partial
from itertools import product
from math import floor
from typing import TYPE_CHECKING

import numpy as np
from flint import fmpq

from equivec.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

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


# The paper's variables are positive: its corpora, and all that is measured on them, keep to this.
PAPER_DOMAIN = Domain.POSITIVE


@dataclass(frozen=True, slots=True)
class Points:
    """The same number of values for every variable; a column is a point."""

    values: dict[str, NDArray[np.float64]]
    count: int

    def at(self, index: int) -> dict[str, float]:
        """One point, as a number for each variable."""
        return {name: float(column[index]) for name, column in self.values.items()}


def sample_points(variables: Iterable[str], domain: Domain = PAPER_DOMAIN, seed: int = 0) -> Points:
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


# Magnitudes of the points that a pair has of its own: near 1, or anywhere in thirty decades.
_NEAR, _FAR = (-1.5, 1.5), (-15.0, 15.0)


def scattered_points(
    names: Sequence[str], domain: Domain, count: int, generator: random.Random
) -> list[dict[str, fmpq]]:
    """Random points of short decimals; each variable for itself near 1, or of any size.

    >>> scattered_points(["x"], Domain.REAL, 2, random.Random(5))
    [{'x': 81570000}, {'x': -1261000000000}]
    """
    return [{name: _scattered(domain, generator) for name in names} for _ in range(count)]


def _scattered(domain: Domain, generator: random.Random) -> fmpq:
    draw = generator.random
    low, high = _NEAR if draw() < 0.5 else _FAR
    exponent = floor(low + (high - low) * draw()) - 3
    digits = int(1000 + 9000 * draw()) | 1  # odd: it does not end in 0
    if domain is Domain.REAL and draw() < 0.5:
        digits = -digits
    return fmpq(digits, _tens(-exponent)) if exponent < 0 else fmpq(digits * _tens(exponent))


_tens = lru_cache(maxsize=64)(partial(pow, 10))


# What an exponent is tried at over the reals: powers of negative numbers exist at few others.
_EXPONENTS = (fmpq(2), fmpq(1, 2), fmpq(3), fmpq(-1), fmpq(3, 2), fmpq(-2))


def power_points(
    names: Sequence[str], exponents: Sequence[str], generator: random.Random
) -> list[dict[str, fmpq]]:
    """Points with integers and halves for some variables, and any numbers for the others.

    >>> points = power_points(["a", "n"], ["n"], random.Random(5))
    >>> [str(point["n"]) for point in points]
    ['2', '1/2', '3', '-1', '3/2', '-2']
    """
    choices = list(product(_EXPONENTS, repeat=min(len(exponents), 2)))
    return [
        {name: _scattered(Domain.REAL, generator) for name in names}
        | {name: generator.choice(_EXPONENTS) for name in exponents[2:]}
        | dict(zip(exponents, choice, strict=False))
        for choice in choices
    ]


def decimal(low: fmpq, high: fmpq, generator: random.Random) -> fmpq:
    """A short decimal well inside an interval, and in no way special.

    >>> decimal(fmpq(31), fmpq(32), random.Random(5))
    315541/10000
    """
    width = high - low
    scale = fmpq(10) ** (4 - _decade(width))
    inside = low + width * fmpq(generator.randrange(35_000, 65_000), 100_000)
    return fmpq((inside * scale).floor(), 1) / scale


def _decade(value: fmpq) -> int:
    """About the power of ten of a positive number, however small or large."""
    bits = int(value.p.bit_length()) - int(value.q.bit_length())
    return int(bits * 0.30103 // 1)
