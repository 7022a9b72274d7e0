"""`equivec evaluate accuracy`: how often an expression that a model wrote is equal to its input."""

from __future__ import annotations

from contextlib import closing, nullcontext
from pathlib import Path  # noqa: TC003 (typer reads it at run time)
from typing import Annotated

import typer

from equivec.cli.console import ProgressLine, command_line, note, show_json
from equivec.cli.options import Judge, TimeLimit, out_option


def accuracy(
    generated: Annotated[
        list[Path], typer.Argument(help="Files that `equivec model generate` wrote.")
    ],
    out: Annotated[
        Path | None, out_option("The JSON file for the figures, such as results/generation/x.json.")
    ] = None,
    judge: Judge = "values",
    time_limit: TimeLimit = 2.0,
    model_label: Annotated[
        str, typer.Option(help="Label stored in OUT: the name of the model.", show_default=False)
    ] = "",
    set_label: Annotated[
        str, typer.Option(help="Label stored in OUT: the set, such as test.", show_default=False)
    ] = "",
    decoding_label: Annotated[
        str,
        typer.Option(help="Label stored in OUT: such as unconstrained.", show_default=False),
    ] = "",
) -> None:
    """Measure how many hypotheses are equal to their inputs.

    One line of JSON is printed per file.
    """
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

    if out is not None and not (model_label and set_label and decoding_label):
        raise ConfigError("--out needs --model-label, --set-label and --decoding-label")
    if out is not None:
        check_place(out, *generated)
    for path in generated:
        read_generated(path)  # a bad file is reported before any file is judged
    line = ProgressLine()
    rows: list[JudgedSet] = []
    labels = {"model": model_label, "set_name": set_label, "decoding": decoding_label}
    with closing(PaperJudge(time_limit)) if judge == "sympy" else nullcontext(our_judge) as judging:
        for path in generated:
            for rank, found in measure(read_generated(path), judging):
                line.show(f"{path.name}: rank {rank} · solved {100 * found.solved:.1f}%")
            line.end()
            show_json({"file": path.name, "judge": judge, **found.to_json()})
            rows.append(JudgedSet.of(found, **labels, judge=judge, file=path.name))
    if out is not None:
        result = GenerationResult(tuple(rows))
        write_json(out, {**provenance(command_line()).to_json(), **result.to_json()})
        note(f"wrote {out}")
