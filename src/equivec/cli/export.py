"""`equivec export`: a model's graphs for use without torch."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 (typer reads it at run time)
from typing import Annotated

import typer

from equivec.cli.console import need_torch, note


def export(
    model: Annotated[Path, typer.Argument(help="The folder of a trained model.")],
    out: Annotated[
        Path | None, typer.Option("-o", "--out", help="Write a copy here, its weights in fp16.")
    ] = None,
    encoder_only: Annotated[
        bool,
        typer.Option("--encoder-only", help="Write OUT with the encoder alone, in eight bits."),
    ] = False,
) -> None:
    """Write a model's ONNX graphs beside its weights, or a small copy that has both."""
    need_torch()
    from equivec.errors import ConfigError
    from equivec.model.onnx_export import export_encoder
    from equivec.pipeline.exporting import export_model

    if not encoder_only:
        note(f"wrote {export_model(model, out)}")
    elif out is None:
        raise ConfigError("the encoder alone goes to a folder of its own: name it with --out")
    else:
        export_encoder(model, out)
        note(f"wrote {out}")
