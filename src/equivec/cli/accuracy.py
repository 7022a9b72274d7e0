"""`equivec accuracy`: how often what a model wrote is a correct equivalent."""

from __future__ import annotations

from contextlib import closing, nullcontext
from dataclasses import asdict
from pathlib import Path  # noqa: TC003 (typer reads it at run time)
from typing import Annotated, Literal

import typer

from equivec.cli.console import ProgressLine, show_json


def accuracy(
    generated: Annotated[list[Path], typer.Argument(help="Files that `equivec generate` wrote.")],
    judge: Annotated[
        Literal["ours", "sympy"], typer.Option(help="Our judge, or the paper's.")
    ] = "ours",
    seconds: Annotated[float, typer.Option(help="The time limit of SymPy for a pair.")] = 2.0,
) -> None:
    """Judge hypotheses against their inputs; a line of JSON for each file."""
    from equivec.evaluate.generation import PaperJudge, our_judge, read_generated
    from equivec.evaluate.generation import accuracy as measure

    line = ProgressLine()
    with closing(PaperJudge(seconds)) if judge == "sympy" else nullcontext(our_judge) as judging:
        for path in generated:
            found = None
            for rank, found in measure(read_generated(path), judging):
                line.show(f"{path.name}: rank {rank} · solved {100 * found.solved:.1f}%")
            line.end()
            if found is not None:
                show_json({"file": path.name, "judge": judge, **asdict(found)})
