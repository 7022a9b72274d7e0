"""SymPy as a judge: every outcome has its name."""

from __future__ import annotations

from equivec.algebra.sympy_judge import SymPyJudge, SymPyVerdict
from equivec.jobs.timebox import TimeBoxConfig


def test_sympy_is_asked_and_every_outcome_has_its_name() -> None:
    pairs = [
        ("sin(x)**2 + cos(x)**2", "1"),
        ("sin(x)", "cos(x)"),
        ("(10**999)**9999", "x"),
        ("2*x", "x + x"),
    ]
    with SymPyJudge(TimeBoxConfig(time_limit=60)) as judge:
        verdicts = list(judge.compare_many(pairs))
    assert verdicts == [
        SymPyVerdict.EQUAL,
        SymPyVerdict.NOT_SHOWN,
        SymPyVerdict.FAILED,
        SymPyVerdict.EQUAL,
    ]
    with SymPyJudge(TimeBoxConfig(time_limit=1)) as judge:
        found = judge.compare("(x + 1)**300*(x + 2)**300*(x + 3)**200", "cot(x)")
    assert found is SymPyVerdict.TIME_LIMIT
