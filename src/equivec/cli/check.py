"""`equivec check`: are two expressions equal, and what is the evidence?"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from equivec.cli.app import BAD_INPUT
from equivec.cli.console import complain, show, show_json
from equivec.cli.options import AsJson, Judge, TimeLimit
from equivec.errors import ParseError
from equivec.expression import text as texts

if TYPE_CHECKING:
    from equivec.algebra.compare import Verdict, Witness
    from equivec.expression.tree import Node

_EXIT_CODES = {
    "EQUAL": 0,
    "DIFFERENT": 1,
    "UNKNOWN": 3,
    "EQUAL_ON_COMMON_DOMAIN": 4,
    "NOT_SHOWN": 3,
    "TIME_LIMIT": 3,
    "FAILED": 3,
}
DomainName = Literal["positive", "real"]


def check(
    left: Annotated[str, typer.Argument(help="The first expression, in any format.")],
    right: Annotated[str, typer.Argument(help="The second expression.")],
    domain: Annotated[
        DomainName | None,
        typer.Option(
            help="Judge over this domain only; by default over the reals, and also for positive "
            "variables if the result differs.",
            show_default=False,
        ),
    ] = None,
    judge: Judge = "values",
    time_limit: TimeLimit = 2.0,
    as_json: AsJson = False,
) -> None:
    """Check whether two expressions are equal.

    "Equal" means that no difference was found; "different" is proved. The exit code tells the
    verdict over the reals, or over --domain: 0 equal, 1 different, 3 unknown, 4 equal only where
    both are defined; 2 is bad input.
    """
    trees = [_read(left, "first"), _read(right, "second")]
    is_sympy = judge == "sympy"
    answer = _by_sympy(trees, domain, time_limit) if is_sympy else _by_values(trees, domain)
    if as_json:
        show_json({**answer, "left": texts.write(trees[0]), "right": texts.write(trees[1])})
    else:
        milliseconds = 1000 * answer["seconds"]
        show(f"{answer['verdict']}  {answer['sentence']}  ({milliseconds:.1f} ms)")
    raise typer.Exit(_EXIT_CODES[answer["verdict"]])


def _read(text: str, which: str) -> Node:
    try:
        return texts.parse(text)
    except ParseError as error:
        complain(error, f"{which} expression: ")
        raise typer.Exit(BAD_INPUT) from None


def _by_values(trees: list[Node], name: DomainName | None) -> dict[str, Any]:
    from equivec.algebra.judgement import judge
    from equivec.algebra.points import Domain

    started = time.perf_counter()
    found = judge(trees[0], trees[1], Domain(name) if name else None)
    return {
        **_as_dict(found.verdict),
        "domain": found.domain.value,
        "sentence": found.sentence,
        "positive": _as_dict(found.positive) if found.positive else None,
        "judge": "values",
        "seconds": round(time.perf_counter() - started, 6),
    }


def _by_sympy(trees: list[Node], name: DomainName | None, time_limit: float) -> dict[str, Any]:
    from equivec.algebra.judgement import place
    from equivec.algebra.points import Domain
    from equivec.algebra.sympy_judge import SymPyJudge
    from equivec.jobs.timebox import TimeBoxConfig

    domain = Domain(name or Domain.REAL)
    with SymPyJudge(TimeBoxConfig(time_limit=time_limit), domain) as judge:
        started = time.perf_counter()
        verdict = judge.compare(trees[0], trees[1])
        seconds = time.perf_counter() - started
    where = place(domain, sorted(trees[0].variables | trees[1].variables))
    reason = verdict.reason(time_limit)
    return {
        "verdict": verdict.name,
        "reason": reason,
        "witness": None,
        "domain": domain.value,
        "sentence": f"{verdict.value}{where} ({reason})",
        "positive": None,
        "judge": "sympy",
        "seconds": round(seconds, 6),
    }


def _as_dict(verdict: Verdict) -> dict[str, Any]:
    return {
        "verdict": verdict.relation.name,
        "reason": verdict.reason,
        "witness": _point(verdict.witness) if verdict.witness else None,
    }


def _point(witness: Witness) -> dict[str, Any]:
    return {"point": dict(witness.point), "left": witness.left, "right": witness.right}
