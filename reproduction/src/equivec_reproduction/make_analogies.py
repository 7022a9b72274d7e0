"""Analogies to be asked: the set that is committed, beside the paper's twenty."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from equivec.corpus.analogies import (
    ASKED_ARGUMENTS,
    INNER,
    OUTER,
    by_identity,
    by_substitution,
    fingerprints_of,
    simple_functions,
    sound,
    substituted,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from random import Random

    from equivec.corpus.analogies import Analogy

_ASKED_SHARE = 1 / 3  # of the compositions; the others may be learnt


def make_analogies(random: Random, of_each_kind: int) -> list[Analogy]:
    """By identities, evenly from all families, and as many by substitution."""
    families = [[each for each, _ in sound(rows)] for rows in by_identity(ASKED_ARGUMENTS).values()]
    identities = _drawn_evenly(families, random)
    substitutions = _drawn_evenly(_substitutions(random), random)
    return [*_different(identities, of_each_kind), *_different(substitutions, of_each_kind)]


def _substitutions(random: Random) -> list[list[Analogy]]:
    """Plain ones and others; their answers are a random share of the compositions.

    Those that are a simple function themselves, as 1/coth(x) is tanh(x), are not asked for.
    """
    simple = set(fingerprints_of(simple_functions()).values())
    by_text = fingerprints_of(substituted(outer, inner) for outer, inner in product(OUTER, INNER))
    compositions = [text for text, fingerprint in by_text.items() if fingerprint not in simple]
    answers = set(random.sample(compositions, round(_ASKED_SHARE * len(compositions))))
    halves = [list(by_substitution(OUTER, INNER, is_plain)) for is_plain in (True, False)]
    return [[each for each, _ in sound(half) if each.x2 in answers] for half in halves]


def _drawn_evenly(groups: list[list[Analogy]], random: Random) -> Iterator[Analogy]:
    """One of each group in turn, each group in random order."""
    for group in groups:
        random.shuffle(group)
    for number in range(max(map(len, groups))):
        for group in groups:
            yield from group[number : number + 1]


def _different(analogies: Iterable[Analogy], count: int) -> list[Analogy]:
    """The first that ask different questions."""
    found: dict[tuple[str, ...], Analogy] = {}
    for analogy in analogies:
        found.setdefault(analogy.expressions[:3], analogy)
        if len(found) == count:
            break
    return list(found.values())
