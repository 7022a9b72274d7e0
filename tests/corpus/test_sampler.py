"""The sampler: uniform over shapes, faithful to its weights, the same for the same seed."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import TYPE_CHECKING

import pytest

from equivec.corpus.sampler import Sampler, SamplerConfig, count_completions
from equivec.errors import ConfigError

if TYPE_CHECKING:
    from equivec.expression.tree import Node


def shape(tree: Node) -> str:
    return f"({''.join(map(shape, tree.arguments))})"


def operators(tree: Node) -> int:
    return sum(1 for node in tree.walk() if node.arguments)


def only(operators: int) -> SamplerConfig:
    """Trees of so many operators, of which every one is drawn as it is."""
    weights = tuple(float(n == operators) for n in range(1, operators + 1))
    leaves = {"variable": 1.0}
    return SamplerConfig(operators=weights, binary={"mul": 1}, unary={"sin": 1}, leaves=leaves)


@pytest.mark.parametrize(("size", "shapes"), [(1, 2), (2, 6), (3, 22)])
def test_shapes_are_uniform(size: int, shapes: int) -> None:
    sampler, random = Sampler(only(size)), Random(7)
    draws = 400 * shapes
    counts = Counter(shape(sampler.draw(random)) for _ in range(draws))
    assert len(counts) == shapes == count_completions(1, size)
    # Chi-squared with shapes - 1 degrees of freedom; 3 standard deviations above its mean.
    statistic = sum((count - 400) ** 2 / 400 for count in counts.values())
    assert statistic < (shapes - 1) + 3 * (2 * (shapes - 1)) ** 0.5 + 6


def test_the_same_seed_gives_the_same_expressions() -> None:
    first, second = ([Sampler().draw(Random(n)) for n in range(50)] for _ in range(2))
    assert first == second


def test_every_expression_has_a_variable_and_no_more_operators_than_asked() -> None:
    sampler, random = Sampler(only(4)), Random(1)
    for _ in range(200):
        tree = sampler.draw(random)
        assert tree.variables == {"x"}
        assert operators(tree) == 4


def test_several_variables_are_used() -> None:
    sampler, random = Sampler(SamplerConfig(variables=3)), Random(2)
    used = {name for _ in range(100) for name in sampler.draw(random).variables}
    assert used == {"x", "y", "z"}


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"variables": 0}, "variables must lie between 1 and 16, not at 0"),
        ({"operators": ()}, r"operators must be weights, not \(\)"),
        ({"unary": {"gamma": 1}}, "'gamma' is not an operator of the elementary grammar"),
    ],
)
def test_settings_are_checked_at_birth(settings: dict, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        SamplerConfig(**settings)
