"""Where sources come from: random trees, instances of the rules' own laws, or a file."""

from __future__ import annotations

from functools import cache
from itertools import islice
from typing import TYPE_CHECKING

from equivec.algebra.rules import RULES
from equivec.algebra.rules.instances import sample_instance
from equivec.algebra.rules.patterns import direct
from equivec.algebra.rules.terms import from_tuple
from equivec.corpus.sampler import Sampler, SamplerConfig
from equivec.expression.files import read_expressions

if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random

    from equivec.algebra.rules.patterns import DirectedRule
    from equivec.expression.tree import Node


def random_sources(
    count: int, config: SamplerConfig, instance_share: float, random: Random
) -> Iterator[Node]:
    """Random trees and, for a share of the sources, instances of random rules.

    Many laws that people know by heart hardly ever occur in random trees.
    """
    sampler = Sampler(config)
    for _ in range(count):
        drawn = random_instance(random) if random.random() < instance_share else None
        yield sampler.draw(random) if drawn is None else drawn


def random_instance(random: Random) -> Node | None:
    """One side of a random law with small terms in its letters; None where x is not in it."""
    pair = sample_instance(random.choice(_directed_rules()), random)
    tree = from_tuple(pair[0]) if pair is not None else None
    return tree if tree is not None and tree.variables else None


def law_sources(count: int, random: Random) -> Iterator[Node]:
    """Distinct instances of the rules' own laws, every family alike, however many rules it has."""
    families = _families()
    seen: set[Node] = set()
    while len(seen) < count:
        rule = random.choice(families[random.choice(list(families))])
        pair = sample_instance(rule, random)
        tree = from_tuple(pair[0]) if pair is not None else None
        if tree is not None and tree.variables and tree not in seen:
            seen.add(tree)
            yield tree


def file_sources(path: str, start: int, count: int) -> Iterator[Node]:
    """Some lines of a file of expressions, in any input format."""
    return islice(read_expressions(path, "auto"), start, start + count)


@cache
def _directed_rules() -> tuple[DirectedRule, ...]:
    return tuple(way for rule in RULES for way in direct(rule))


@cache
def _families() -> dict[str, list[DirectedRule]]:
    """The rules of each family."""
    families: dict[str, list[DirectedRule]] = {}
    for way in _directed_rules():
        families.setdefault(way.family, []).append(way)
    return families
