"""`equivec check`: are two expressions equal, and what is the evidence?"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from equivec.cli.console import complain, show, show_json
from equivec.errors import ParseError
from equivec.expression import text as texts

if TYPE_CHECKING:
    from equivec.algebra.compare import Witness
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
JudgeName = Literal["numeric", "sympy"]


def check(
    left: Annotated[str, typer.Argument(help="The first expression, in any format.")],
    right: Annotated[str, typer.Argument(help="The second expression.")],
    domain: Annotated[DomainName, typer.Option(help="What the variables range over.")] = "positive",
    judge: Annotated[
        JudgeName,
        typer.Option(help="Our own judge, or the paper's: SymPy's simplify(a - b) == 0."),
    ] = "numeric",
    time_limit: Annotated[
        float, typer.Option(help="Seconds that SymPy may take (--judge sympy).", min=0.01)
    ] = 2.0,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Tell whether two expressions are equal.

    Exit code 0: equal; 1: different; 3: unknown; 4: equal only where both are defined; 2: bad
    input.
    """
    trees = [_read(left, "first"), _read(right, "second")]
    if judge == "sympy":
        answer = _by_sympy(trees, domain, time_limit)
    else:
        answer = _by_numbers(trees, domain)
    if as_json:
        show_json({**answer, "left": texts.write(trees[0]), "right": texts.write(trees[1])})
    else:
        show(_sentence(answer))
    raise typer.Exit(_EXIT_CODES[answer["verdict"]])


def _read(text: str, which: str) -> Node:
    try:
        return texts.parse(text)
    except ParseError as error:
        complain(error, f"{which} expression: ")
        raise typer.Exit(2) from None


def _by_numbers(trees: list[Node], domain: str) -> dict[str, Any]:
    from equivec.algebra.compare import JudgeConfig, compare
    from equivec.algebra.points import Domain

    started = time.perf_counter()
    verdict = compare(trees[0], trees[1], JudgeConfig(domain=Domain(domain)))
    return {
        "verdict": verdict.relation.name,
        "reason": verdict.reason,
        "witness": _as_dict(verdict.witness),
        "domain": domain,
        "judge": "numeric",
        "seconds": round(time.perf_counter() - started, 6),
    }


def _by_sympy(trees: list[Node], domain: str, time_limit: float) -> dict[str, Any]:
    from equivec.algebra.points import Domain
    from equivec.algebra.sympy_judge import SymPyJudge
    from equivec.jobs.timebox import TimeBoxConfig

    with SymPyJudge(TimeBoxConfig(time_limit=time_limit), Domain(domain)) as judge:
        started = time.perf_counter()
        verdict = judge.compare(trees[0], trees[1])
        seconds = time.perf_counter() - started
    return {
        "verdict": verdict.name,
        "reason": verdict.reason(time_limit),
        "witness": None,
        "domain": domain,
        "judge": "sympy",
        "seconds": round(seconds, 6),
    }


def _as_dict(witness: Witness | None) -> dict[str, Any] | None:
    if witness is None:
        return None
    return {"point": dict(witness.point), "left": witness.left, "right": witness.right}


def _sentence(answer: dict[str, Any]) -> str:
    lines = [f"{answer['verdict']}  ({answer['reason']}; {1000 * answer['seconds']:.1f} ms)"]
    witness = answer["witness"]
    if witness is not None:
        point = ", ".join(f"{name} = {value:.17g}" for name, value in witness["point"].items())
        values = [witness[side] or "undefined" for side in ("left", "right")]
        lines.append(f"  at {point or 'every point'}: {values[0]} and {values[1]}")
    return "\n".join(lines)
