"""Balls: they hold the true value, and know what lies outside a domain."""

from __future__ import annotations

import random
import threading

import mpmath
import pytest
from flint import arb, ctx

from equivec.algebra.balls import BallEvaluator, Outcome, accuracy, working_precision
from equivec.algebra.program import Program
from equivec.expression.grammar import ELEMENTARY
from equivec.expression.text import parse


def ball(text: str, bits: int = 128, **point: float) -> arb | Outcome:
    program, (root,) = Program.of([parse(text)])
    return BallEvaluator(program, point, bits).value(root)


def by_mpmath(name: str, value: float) -> mpmath.mpf:
    one = mpmath.mpf(1)
    special = {
        "ln": mpmath.log,
        "abs": abs,
        "sign": mpmath.sign,
        "acot": lambda u: mpmath.atan(one / u),
        "asec": lambda u: mpmath.acos(one / u),
        "acsc": lambda u: mpmath.asin(one / u),
        "acoth": lambda u: mpmath.atanh(one / u),
        "asech": lambda u: mpmath.acosh(one / u),
        "acsch": lambda u: mpmath.asinh(one / u),
    }
    return special.get(name, getattr(mpmath, name, None))(mpmath.mpf(value))


@pytest.mark.parametrize("name", [row.name for row in ELEMENTARY.symbols if row.arity == 1])
def test_every_function_agrees_with_another_library(name: str) -> None:
    generator = random.Random(name)
    defined = 0
    with mpmath.workdps(40):
        for _ in range(50):
            value = generator.uniform(-3, 3)
            found = ball(f"{ELEMENTARY[name].infix}(x)", x=value)
            expected = by_mpmath(name, value)
            if isinstance(found, Outcome):
                assert found is Outcome.UNDEFINED
                assert isinstance(expected, mpmath.mpc), (name, value)
            else:
                defined += 1
                difference = mpmath.mpf(found.str(45, radius=False)) - expected
                assert abs(difference) < mpmath.mpf(10) ** -33, (name, value)
    assert defined >= 5


@pytest.mark.parametrize(
    "text",
    [
        "sqrt(-x)",
        "log(-x)",
        "log(0*x)",
        "1/(1 - 1)",
        "x/(2 - 2)",
        "(1 - 1)**(-1)",
        "0**(-x)",
        "(-x)**(1/2)",
        "(-x)**(2/3)",
        "(-8)**(1/3)",
        "(-x)**x",
        "asin(2)",
        "acosh(1/2)",
        "atanh(1)",
        "acoth(1/2)",
        "0*log(-x)",
        "csc(0)",
        "cot(0)",
    ],
)
def test_outside_the_domain_is_proved(text: str) -> None:
    assert ball(text, x=1.5) is Outcome.UNDEFINED


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0**x", 0),
        ("(-2)**3", -8),
        ("(-2)**(6/2)", -8),
        ("(-x)**(4/2)", 2.25),
        ("x**0", 1),
        ("0**0", 1),
        ("sqrt(0)", 0),
        ("asin(1) - pi/2", None),
        ("acosh(1)", 0),
        ("sign(0)", 0),
        ("acot(0) - pi/2", None),
    ],
)
def test_the_border_of_a_domain_belongs_to_it(text: str, value: float | None) -> None:
    found = ball(text, x=1.5)
    assert not isinstance(found, Outcome)
    assert found.contains(0 if value is None else arb(value))


@pytest.mark.parametrize("text", ["tan(pi/2)", "log(sin(x)**2 + cos(x)**2 - 1)", "sqrt(pi - pi*1)"])
def test_a_zero_in_disguise_is_undecided(text: str) -> None:
    found = ball(text, x=1.5)
    assert found is Outcome.UNDECIDED or not isinstance(found, Outcome)


@pytest.mark.parametrize("text", ["(-2)**(2**(x*x))", "(-x)**(-(2**(x*x)))"])
def test_an_exponent_too_large_to_write_down_is_undecided(text: str) -> None:
    # Written down as an integer, one such exponent took 14 GB.
    assert ball(text, x=2.0**14) is Outcome.UNDECIDED
    assert not isinstance(ball(text, x=4.0), Outcome)


def test_more_bits_give_more_accuracy() -> None:
    for bits in (64, 256, 1024):
        found = ball("exp(sin(x))", bits, x=1.5)
        assert not isinstance(found, Outcome)
        assert bits - 10 <= accuracy(found) <= bits + 4


def test_the_precision_is_put_back_and_threads_do_not_disturb_each_other() -> None:
    before = ctx.prec
    wrong: list[int] = []

    def work(bits: int) -> None:
        for _ in range(200):
            with working_precision(bits):
                if ctx.prec != bits:
                    wrong.append(bits)

    threads = [threading.Thread(target=work, args=(bits,)) for bits in (64, 128, 512)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert ctx.prec == before


def test_evaluators_that_share_constants_find_what_each_finds_alone() -> None:
    texts = ["sqrt(2)*x + pi/7", "x**(1/3) - sqrt(2)", "log(-2) + x", "sin(pi/7)/(sin(x) - 2/3)"]
    program, roots = Program.of([parse(text) for text in texts])
    constants: dict[int, arb | Outcome] = {}
    for point in ({"x": 0.5}, {"x": 3.0}, {"x": -1.0}):
        alone, shared = (BallEvaluator(program, point, 128, each) for each in (None, constants))
        for text, root in zip(texts, roots, strict=True):
            left, right = alone.value(root), shared.value(root)
            if isinstance(left, Outcome) or isinstance(right, Outcome):
                assert left is right, text
            else:
                assert (left.mid(), left.rad()) == (right.mid(), right.rad()), text
    assert set(constants) == {
        place for place, operation in enumerate(program.operations) if operation.is_constant
    }
