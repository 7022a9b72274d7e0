"""Analogies for training: of the kinds that are asked, and none that is."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from equivec.algebra.fingerprint import fingerprints
from equivec.corpus.analogies import FUNCTIONS, Analogy, rival
from equivec.corpus.training_analogies import training_analogies
from equivec.evaluate.analogies import generated_analogies, paper_analogies


@pytest.fixture(scope="module")
def learnt() -> list[Analogy]:
    return training_analogies(Random(1), 800, ASKED)


ASKED = [*generated_analogies(), *paper_analogies()]


def corners(analogy: Analogy) -> frozenset[str]:
    """The four functions of an analogy, whichever of them is sought."""
    return frozenset(fingerprints(analogy.expressions))


def test_no_analogy_that_is_learnt_is_asked_in_whatever_order(learnt: list[Analogy]) -> None:
    assert not set(map(corners, ASKED)) & set(map(corners, learnt))
    families = {row.family for row in learnt}
    assert {"odd and even", *FUNCTIONS, "a -> a**2", "a -> exp(a)"} <= families


def test_no_composition_that_is_asked_for_is_learnt_as_an_answer(learnt: list[Analogy]) -> None:
    asked = set(fingerprints(row.x2 for row in ASKED if row.kind == "substitution"))
    assert set(fingerprints(["sin(x)**2", "exp(2*x)"])) <= asked
    assert not asked & set(fingerprints(row.x2 for row in learnt))


def test_cofunctions_are_learnt_as_the_paper_asks_them(learnt: list[Analogy]) -> None:
    """cos - sin + csc is sec there; sin - cos + csc would pull the other way."""
    papers = {(row.x1, row.y1, row.y2): row.x2 for row in paper_analogies()}
    assert papers["cos(x)", "sin(x)", "csc(x)"] == "sec(x)"
    rows = [row for row in learnt if row.family == "cofunction"]
    assert any(row.x1.startswith("cos(") and row.y1.startswith("sin(") for row in rows)
    heads = [[text.partition("(")[0] for text in row.expressions] for row in rows]
    of_four = [each for each in heads if set(each) == {"sin", "cos", "sec", "csc"}]
    assert of_four
    for x1, _, _, x2 in of_four:
        assert {x1, x2} in ({"cos", "sec"}, {"sin", "csc"}, {"cos", "sin"}, {"sec", "csc"}), x1


def test_no_composition_that_is_asked_for_is_an_argument(learnt: list[Analogy]) -> None:
    """In whatever form, sin(x)**2 would be a wrong answer to every analogy it is in."""
    arguments = {row.y2 for row in learnt if row.kind == "substitution"}
    assert {"2*x", "tan(x)", "tan(x)/3"} <= arguments
    asked = fingerprints(row.x2 for row in ASKED if row.kind == "substitution")
    assert not set(asked) & set(fingerprints(arguments))


def test_no_composition_that_has_a_plainer_form_is_learnt(learnt: list[Analogy]) -> None:
    """abs(x**2) is to lie at x**2, wherever abs(x) - x leads."""
    compositions = {row.x2 for row in learnt if row.kind == "substitution"}
    plain = {"sec(x)", "tan(x)", "cos(4*x)", "x", "x**6", "abs(x)"}
    known, marks = set(fingerprints(plain)), fingerprints(compositions)
    forms = {text for text, mark in zip(compositions, marks, strict=True) if mark in known}
    assert forms
    assert forms <= plain


def test_reciprocals_are_asked_for_but_never_learnt(learnt: list[Analogy]) -> None:
    """1/sin(x) - sin(x) and 1/csc(x) - csc(x) are one another's negatives, if equals are one."""
    assert any(row.family == "a -> 1/a" for row in generated_analogies())
    assert not any(row.family == "a -> 1/a" for row in learnt)


def test_of_two_analogies_that_ask_the_same_one_is_made(learnt: list[Analogy]) -> None:
    """x**4 : x at tan(x) and tan(x) : x at x**4 have the same sum x1 - y1 + y2."""
    questions: dict[frozenset[str], set[str]] = {}
    for row in (*learnt, *generated_analogies()):
        if row.y1 == "x":
            questions.setdefault(frozenset({row.x1, row.y2}), set()).add(row.x2)
    assert questions[frozenset({"x**4", "tan(x)"})] == {"tan(x)**4"}
    assert all(len(answers) == 1 for answers in questions.values()), questions


def test_a_composition_is_never_learnt_as_the_sum_of_its_twin(learnt: list[Analogy]) -> None:
    """sin(tan(x)) - tan(x) + x**2 would be near sin(x)**2, were it learnt to be sin(x**2)."""
    rows = [row for row in (*learnt, *generated_analogies()) if row.kind == "substitution"]
    assert "tan(x)**2" in {part for row in rows for part in (row.x1, row.x2)}
    assert not [row for row in rows if {"sin(x**2)", "exp(1/x)", "sin(log(x))"} & {row.x1, row.x2}]


def test_the_rival_of_an_answer_is_its_twin_or_its_negative(learnt: list[Analogy]) -> None:
    row = Analogy("substitution", "a -> a**2", "x**2", "x", "sin(x)", "sin(x)**2")
    assert rival(row) == "sin(x**2)"
    assert rival(replace(row, x1="(x + 1)**2", y1="x + 1", y2="3*x", x2="(3*x)**2")) == "3*x**2"
    assert rival(Analogy("identity", "reciprocal", "1/tan(x)", "cot(x)", "x", "-x")) == "-(-x)"
    compositions = [row.x2 for row in ASKED if row.kind == "substitution"]
    rivals = [rival(row) for row in learnt if row.kind == "substitution"]
    assert not set(fingerprints(compositions)) & set(fingerprints(rivals))
