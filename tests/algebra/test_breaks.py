"""Breaks: every gap between the roots of what stands under a bar or a root gets a point."""

from __future__ import annotations

from random import Random

import pytest
from flint import fmpq

from equivec.algebra.breaks import Breaks
from equivec.algebra.points import Domain, scattered_points
from equivec.algebra.program import Program
from equivec.expression.text import parse


def points(text: str, domain: Domain = Domain.REAL) -> list[dict[str, fmpq]]:
    program, roots = Program.of([parse(text)])
    others = scattered_points(sorted(program.variables), domain, 8, Random(1))
    return [dict(point) for point in Breaks(program, roots, domain).points(Random(2), others)]


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("abs(x - 7)", [7]),
        ("abs(x^2 - 63*x + 992)", [31, 32]),
        ("sqrt((x - 5)/(8 - x))", [5, 8]),
        ("log(x - 10^20)", [10**20]),
        ("asin(x/1000)", [-1000, 1000]),
        ("acosh(x - 3)", [4]),
        ("1/(x^3 - 6*x^2 + 11*x - 6)", [1, 2, 3]),
        ("abs(1/100 - abs(x - 50))", [fmpq(4999, 100), 50, fmpq(5001, 100)]),
        ("abs(x - 2) + abs(x - 3)", [2, 3]),
        ("abs(x - sqrt((x - 9)^2))", [fmpq(9, 2), 9]),
        ("(x - 4)^(1/3)", [4]),
    ],
)
def test_there_is_a_point_in_every_gap(text: str, ends: list[fmpq | int]) -> None:
    values = [point["x"] for point in points(text)]
    for low, high in zip([-(10**30), *ends], [*ends, 10**30], strict=True):
        assert any(low < value < high for value in values), (text, low, high)
    assert not set(values) & set(ends)


def test_over_positive_numbers_there_are_only_such() -> None:
    values = [point["x"] for point in points("abs((x + 3)*(x - 5))", Domain.POSITIVE)]
    assert values
    assert min(values) > 0


@pytest.mark.parametrize("text", ["sin(x)^2 + exp(2*x)", "sqrt(x)/x", "abs(x*y)", "x^2 + 3*x"])
def test_what_has_no_breaks_away_from_0_costs_nothing(text: str) -> None:
    program, roots = Program.of([parse(text)])
    assert not Breaks(program, roots, Domain.REAL).arguments
    assert not points(text)


@pytest.mark.parametrize("text", ["x + exp(-(1000*(x - 7))^2)", "1/(1 + (1000*(x - 7))^2)"])
def test_there_is_a_point_beside_a_peak_and_not_at_it(text: str) -> None:
    distances = [abs(point["x"] - 7) for point in points(text)]
    assert 0 < min(distances) < fmpq(1, 10**15)


def test_of_several_variables_each_is_solved_for_with_the_others_held() -> None:
    found = points("abs((x - y*z - 5)*(x - y*z - 6))")
    gaps = [point["x"] - point["y"] * point["z"] for point in found]
    assert sum(5 < gap < 6 for gap in gaps) >= 3


def test_each_gap_of_one_variable_meets_each_of_another() -> None:
    found = points("abs(x - 2)*abs(y - 3000)")
    sides = {(point["x"] > 2, point["y"] > 3000) for point in found}
    assert len(sides) == 4


@pytest.mark.parametrize(
    "text",
    ["abs(x^9999 - 1)", "abs((x + 1)^100*(x - 3)^100)", "sqrt(x - 10^999)", "1/(x^24 - x + 1)"],
)
def test_large_polynomials_and_numbers_are_passed_over_or_solved_but_never_hang(text: str) -> None:
    assert all(abs(float(value)) < 1e300 for point in points(text) for value in point.values())
