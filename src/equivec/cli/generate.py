"""`equivec model generate`: equivalents that a model writes for a file of expressions."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 (typer reads it at run time)
from typing import Annotated

import typer

from equivec.cli.console import ProgressLine, need_torch, note, share_cores
from equivec.cli.options import BeamWidth, Device, out_option


def generate(
    model: Annotated[str, typer.Argument(help="A model: its name, or its folder.")],
    inputs: Annotated[
        Path, typer.Argument(help="A file of expressions in prefix form, one per line.")
    ],
    out: Annotated[Path, out_option("The file of JSON lines to write; .gz compresses it.")],
    beam_width: BeamWidth = 1,
    max_tokens: Annotated[int, typer.Option(help="Tokens of the longest hypothesis.")] = 64,
    unconstrained: Annotated[
        bool, typer.Option("--unconstrained", help="Allow hypotheses that break the grammar.")
    ] = False,
    exclude_input: Annotated[
        bool, typer.Option("--exclude-input", help="Never write the input itself.")
    ] = False,
    rows: Annotated[
        int | None,
        typer.Option(help="Hypotheses extended at once. [default: 512; 8192 on a GPU]"),
    ] = None,
    device: Device = None,
) -> None:
    """Let a model write equivalents of the expressions in a file.

    Without --device, a GPU is used if there is one.
    """
    need_torch()
    share_cores()
    from equivec.model.beams import BeamConfig
    from equivec.model.decoding import rows_on
    from equivec.model.devices import default_device
    from equivec.pipeline.generation import generate as run

    device = device or default_device()
    config = BeamConfig(
        beams=beam_width,
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
