"""`equivec accuracy`: how often what a model wrote is a correct equivalent."""

from __future__ import annotations

from contextlib import closing, nullcontext
from pathlib import Path  # noqa: TC003 (typer reads it at run time)
from typing import Annotated, Literal

import typer

from equivec.cli.console import ProgressLine, command_line, note, show_json


def accuracy(
    generated: Annotated[list[Path], typer.Argument(help="Files that `equivec generate` wrote.")],
    judge: Annotated[
        Literal["ours", "sympy"], typer.Option(help="Our judge, or the paper's.")
    ] = "ours",
    seconds: Annotated[float, typer.Option(help="The time limit of SymPy for a pair.")] = 2.0,
    save: Annotated[
        Path | None, typer.Option(help="Keep the figures, as results/generation/NAME.json.")
    ] = None,
    model: Annotated[str, typer.Option(help="Kept: who wrote the files.")] = "",
    of: Annotated[str, typer.Option("--set", help="Kept: the set, such as test.")] = "",
    decoding: Annotated[str, typer.Option(help="Kept: such as unconstrained.")] = "",
) -> None:
    """Judge hypotheses against their inputs; a line of JSON for each file."""
    from equivec.errors import ConfigError
    from equivec.evaluate.generation import (
        GenerationResult,
        JudgedSet,
        PaperJudge,
        our_judge,
        read_generated,
    )
    from equivec.evaluate.generation import accuracy as measure
    from equivec.evaluate.provenance import provenance
    from equivec.storage.files import check_place, write_json

    if save is not None and not (model and of and decoding):
        raise ConfigError("results that are kept need --model, --set and --decoding")
    if save is not None:
        check_place(save, *generated)
    for path in generated:
        read_generated(path)  # what is wrong with one is told of before any is judged
    line = ProgressLine()
    rows: list[JudgedSet] = []
    labels = {"model": model, "set_name": of, "decoding": decoding}
    with closing(PaperJudge(seconds)) if judge == "sympy" else nullcontext(our_judge) as judging:
        for path in generated:
            for rank, found in measure(read_generated(path), judging):
                line.show(f"{path.name}: rank {rank} · solved {100 * found.solved:.1f}%")
            line.end()
            show_json({"file": path.name, "judge": judge, **found.to_json()})
            rows.append(JudgedSet.of(found, **labels, judge=judge, file=path.name))
    if save is not None:
        result = GenerationResult(tuple(rows))
        write_json(save, {**provenance(command_line()).to_json(), **result.to_json()})
        note(f"wrote {save}")
