"""`equivec check`: verdict, evidence, and an exit code for scripts."""

from __future__ import annotations

import json

import pytest

from support.command import run


@pytest.mark.parametrize(
    ("arguments", "verdict", "code"),
    [
        (["sin(x)/cos(x)", "tan(x)"], "EQUAL", 0),
        (["x", "x + 1e-12"], "DIFFERENT", 1),
        (["sqrt(-1 - x^2)", "x"], "UNKNOWN", 3),
        (["sqrt(x)**2", "x"], "EQUAL_ON_COMMON_DOMAIN", 4),
        (["sqrt(x)**2", "x", "--domain", "real"], "EQUAL_ON_COMMON_DOMAIN", 4),
        (["sqrt(x)**2", "x", "--domain", "positive"], "EQUAL", 0),
        (["sqrt(x^2)", "x"], "DIFFERENT", 1),
        (["abs(x)", "x"], "DIFFERENT", 1),
        (["abs(x)", "x", "--domain", "positive"], "EQUAL", 0),
        ([r"\sin^2 x + \cos^2 x", "1", "--judge", "sympy", "--time-limit", "30"], "EQUAL", 0),
        (["sin(x)", "cos(x)", "--judge", "sympy", "--time-limit", "30"], "NOT_SHOWN", 3),
    ],
)
def test_the_exit_code_tells_the_verdict(arguments: list[str], verdict: str, code: int) -> None:
    result = run("check", *arguments)
    assert result.code == code
    assert result.stdout.split()[0] == verdict
    assert result.stderr == ""


def test_json_carries_the_witness() -> None:
    answer = json.loads(run("check", "x", "x + 1", "--json").stdout)
    assert (answer["verdict"], answer["domain"], answer["positive"]) == ("DIFFERENT", "real", None)
    assert answer["witness"] == {"point": {"x": 1.0}, "left": "1", "right": "2"}
    assert answer["seconds"] >= 0


def test_json_carries_the_verdicts_of_both_domains_where_they_are_not_the_same() -> None:
    answer = json.loads(run("check", "abs(x)", "x", "--json").stdout)
    assert (answer["verdict"], answer["domain"]) == ("DIFFERENT", "real")
    assert answer["witness"] == {"point": {"x": -1.0}, "left": "1", "right": "-1"}
    assert (answer["positive"]["verdict"], answer["positive"]["witness"]) == ("EQUAL", None)
    assert "they agree at" in answer["positive"]["reason"]
    assert answer["sentence"].startswith("equal for positive x; over the reals they differ")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            ["sqrt(x^2)", "x"],
            "DIFFERENT  equal for positive x; over the reals they differ at x = -1: 1 and -1  (",
        ),
        (["sqrt(x)**2", "x", "--domain", "real"], "(at x = -1: undefined and -1; "),
        (["abs(x)", "x", "--domain", "positive"], "EQUAL  equal for positive x ("),
        (["sin(x)/cos(x)", "tan(x)"], "EQUAL  equal over the reals ("),
        (
            ["x", "x", "--judge", "sympy", "--time-limit", "30"],
            "EQUAL  equal over the reals (SymPy simplifies the difference to 0)  (",
        ),
    ],
)
def test_a_sentence_says_for_which_numbers(arguments: list[str], sentence: str) -> None:
    assert sentence in run("check", *arguments).stdout


def test_bad_input_says_which_of_the_two_it_is() -> None:
    result = run("check", "x", "x +")
    assert result.code == 2
    assert result.stderr.startswith("second expression: column 4: the text ends where")


def test_a_missing_expression_is_bad_input() -> None:
    assert run("check", "x").code == 2
