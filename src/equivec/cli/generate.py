"""`equivec generate`: what a model writes for a file of expressions."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 (typer reads it at run time)
from typing import Annotated

import typer

from equivec.cli.console import ProgressLine, need_torch, note, share_cores


def generate(
    model: Annotated[str, typer.Argument(help="A bundled model's name, or the folder of a model.")],
    inputs: Annotated[Path, typer.Argument(help="Expressions in prefix form, one a line.")],
    out: Annotated[Path, typer.Argument(help="The JSON lines to write; .gz compresses them.")],
    beam: Annotated[int, typer.Option(help="Hypotheses of each input.")] = 1,
    max_tokens: Annotated[int, typer.Option(help="The longest hypothesis.")] = 64,
    unconstrained: Annotated[
        bool, typer.Option("--unconstrained", help="Let the grammar be broken.")
    ] = False,
    exclude_input: Annotated[
        bool, typer.Option("--exclude-input", help="Never write the input itself.")
    ] = False,
    rows: Annotated[
        int | None,
        typer.Option(help="Hypotheses that are extended at once. [default: 512, on a GPU 8192]"),
    ] = None,
    device: Annotated[
        str | None, typer.Option(help="cpu or cuda; by default what is there.")
    ] = None,
) -> None:
    """Let a model write equivalents of every expression of a file."""
    need_torch()
    share_cores()
    from equivec.model.beams import BeamConfig
    from equivec.model.decoding import rows_on
    from equivec.model.devices import default_device
    from equivec.pipeline.generation import generate as run

    device = device or default_device()
    config = BeamConfig(
        beams=beam,
        max_tokens=max_tokens,
        is_constrained=not unconstrained,
        excludes_input=exclude_input,
        rows=rows_on(device) if rows is None else rows,
    )
    line = ProgressLine()
    for done, total in run(model, inputs, out, config, device):
        line.show(f"expressions {done:,}/{total:,}")
    line.end()
    note(f"wrote {out}")
