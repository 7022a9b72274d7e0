"""`equivec export`: a model's graphs for use without torch."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 (typer reads it at run time)
from typing import Annotated

import typer

from equivec.cli.console import note
from equivec.cli.train import need_torch


def export(
    model: Annotated[Path, typer.Argument(help="The folder of a trained model.")],
    out: Annotated[
        Path | None, typer.Option("-o", "--out", help="Write a copy here, its weights in fp16.")
    ] = None,
    is_small: Annotated[
        bool, typer.Option("--small", help="All of the quantised encoder in eight bits.")
    ] = False,
) -> None:
    """Write a model's ONNX graphs beside its weights, or a small copy that has both."""
    need_torch()
    from equivec.pipeline.exporting import export_model

    note(f"wrote {export_model(model, out, is_small=is_small)}")
