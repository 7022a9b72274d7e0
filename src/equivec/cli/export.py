"""`equivec model export`: a model's graphs for use without torch."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 (typer reads it at run time)
from typing import Annotated

import typer

from equivec.cli.console import need_torch, note
from equivec.cli.options import out_option


def export(
    model: Annotated[Path, typer.Argument(help="The folder of a trained model.")],
    out: Annotated[
        Path | None, out_option("The folder for a copy of the model, with weights in fp16.")
    ] = None,
    encoder_only: Annotated[
        bool, typer.Option("--encoder-only", help="Write only the encoder to OUT, in eight bits.")
    ] = False,
    blend: Annotated[
        str | None,
        typer.Option(
            help="Average the weights in OUT with the weights of this model of the same shape.",
            show_default=False,
        ),
    ] = None,
    blend_fraction: Annotated[
        float | None,
        typer.Option(help="The fraction of --blend in the average.", show_default=False),
    ] = None,
) -> None:
    """Write the ONNX graphs of a model.

    The graphs are written beside the weights, or into a smaller copy of the model.
    """
    need_torch()
    from equivec.errors import ConfigError
    from equivec.model.onnx_export import export_encoder
    from equivec.pipeline.exporting import Blend, export_model

    mixture = None if blend is None or blend_fraction is None else Blend(blend, blend_fraction)
    if mixture is None and (blend is not None or blend_fraction is not None):
        raise ConfigError(
            "a blend needs a model and its fraction: give --blend and --blend-fraction"
        )
    if not encoder_only:
        note(f"wrote {export_model(model, out, mixture)}")
    elif mixture is not None:
        raise ConfigError(
            "a blend also has a decoder; write the blend first, then export its encoder"
        )
    elif out is None:
        raise ConfigError("--encoder-only needs a folder to write to: name it with --out")
    else:
        export_encoder(model, out)
        note(f"wrote {out}")
