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
    blend: Annotated[
        str | None,
        typer.Option(help="Average the weights of OUT with those of this model of the same shape."),
    ] = None,
    share: Annotated[
        float | None, typer.Option(help="The share of that model's weights, below 1.")
    ] = None,
) -> None:
    """Write a model's ONNX graphs beside its weights, or a small copy that has both."""
    need_torch()
    from equivec.errors import ConfigError
    from equivec.model.onnx_export import export_encoder
    from equivec.pipeline.exporting import Blend, export_model

    mixture = None if blend is None or share is None else Blend(blend, share)
    if mixture is None and (blend is not None or share is not None):
        raise ConfigError("a blend needs a model and its share: give --blend and --share")
    if not encoder_only:
        note(f"wrote {export_model(model, out, mixture)}")
    elif mixture is not None:
        raise ConfigError("a blend has a decoder, too; export its encoder from the blend")
    elif out is None:
        raise ConfigError("the encoder alone goes to a folder of its own: name it with --out")
    else:
        export_encoder(model, out)
        note(f"wrote {out}")
