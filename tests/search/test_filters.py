"""Filters admit what a look at each expression would."""

from __future__ import annotations

import re

import pytest

from equivec.errors import ConfigError
from equivec.search.entries import describe
from equivec.search.filters import EVERYTHING, Filter

EXPRESSIONS = ["sin(x)", "sin(x) + cos(y)", "x*y*z", "7", "log(t)**2", "pi*t", "e**x"]


def admitted(**settings) -> list[str]:
    entries = describe(EXPRESSIONS)
    mask = Filter(**settings).admits(entries.traits)
    return [text for text, is_in in zip(EXPRESSIONS, mask, strict=True) if is_in]


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, EXPRESSIONS),
        ({"contains": {"sin"}}, ["sin(x)", "sin(x) + cos(y)"]),
        ({"contains": {"sin", "+"}}, ["sin(x) + cos(y)"]),
        ({"contains": {"log"}}, ["log(t)**2"]),
        ({"contains": {"t"}}, ["log(t)**2", "pi*t"]),
        ({"excludes": {"sin", "ln", "pi"}}, ["x*y*z", "7", "e**x"]),
        ({"max_operators": 0}, ["7"]),
        ({"min_operators": 2, "max_operators": 2}, ["x*y*z", "log(t)**2"]),
        ({"variables": 2}, ["sin(x) + cos(y)"]),
        ({"variables": 0}, ["7"]),
        ({"contains": {"sin"}, "variables": 1}, ["sin(x)"]),
    ],
)
def test_a_filter_admits(settings, expected) -> None:
    assert admitted(**settings) == expected


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"contains": {"sine"}}, "'sine' is not a symbol of expressions; did you mean 'sin'?"),
        ({"contains": {"+"}, "excludes": {"add"}}, "'add' cannot be both contained and excluded"),
        (
            {"min_operators": 3, "max_operators": 2},
            "no number of operators lies between 3 and 2",
        ),
        ({"variables": -1}, "variables must be at least 0, not -1"),
    ],
)
def test_a_filter_that_cannot_be_meant_is_refused(settings, message) -> None:
    with pytest.raises(ConfigError, match=re.escape(message)):
        Filter(**settings)


def test_only_a_filter_without_settings_admits_all() -> None:
    assert Filter().admits_all
    assert EVERYTHING.admits_all
    assert not Filter(excludes={"sin"}).admits_all
