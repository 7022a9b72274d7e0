"""`equivec embed`, `similarity` and `equivalents`: what the bundled model can do."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from equivec.cli.console import ProgressLine, note, show, show_json
from equivec.errors import ConfigError

Model = Annotated[
    str, typer.Option(help="An encoder: a name, the folder of a model, or module:Class.")
]
Precision = Annotated[
    Literal["fp32", "uint8"] | None,
    typer.Option(
        help="The arithmetic of the network; by default the finest that the model has.",
        show_default=False,
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


def embed(
    what: Annotated[
        str, typer.Argument(help="An expression, or a file of expressions, one a line.")
    ],
    out: Annotated[
        Path | None, typer.Option("-o", "--out", help="The .npy or .parquet file to write.")
    ] = None,
    model: Model = "default",
    precision: Precision = None,
    pooling: Annotated[
        Literal["max", "mean", "first", "last"] | None,
        typer.Option(
            help="How states become a vector; by default as in training.", show_default=False
        ),
    ] = None,
    on_error: Annotated[
        Literal["raise", "skip", "nan"],
        typer.Option(help="What becomes of a line that cannot be read."),
    ] = "raise",
) -> None:
    """Give an expression, or every line of a file, its vector."""
    from equivec.embed.encoder import vectors_of
    from equivec.embed.registry import load_encoder

    is_file = _is_file(what)
    if out is not None and not is_file:
        raise ConfigError(f"there is no file {what}; -o is for the vectors of a file")
    encoder = load_encoder(model, pooling=pooling, precision=precision)
    if not is_file:
        (vector,) = vectors_of(encoder, [what], normalize=True)
        show_json({"model": encoder.name, "vector": [round(float(x), 6) for x in vector]})
        return
    if out is None:
        raise ConfigError(f"{what} is a file; name where its vectors go with -o FILE.npy")
    from equivec.pipeline.embedding import embed_file

    line = ProgressLine()
    skipped = 0
    for now in embed_file(encoder, Path(what), out, on_error=on_error):
        left = (now.total - now.done) / now.rate if now.rate else 0.0
        line.show(
            f"expressions {now.done:,}/{now.total:,} · {now.rate:,.0f}/s · {left:,.0f} s left"
        )
        skipped = now.skipped
    line.end()
    note(f"wrote {out}" + (f"; skipped {skipped:,} lines" if on_error == "skip" else ""))


def _is_file(text: str) -> bool:
    try:
        return Path(text).is_file()
    except OSError:  # an expression may be too long for a name
        return False


def similarity(
    a: Annotated[str, typer.Argument(help="An expression, in any format.")],
    b: Annotated[str, typer.Argument(help="Another one.")],
    model: Model = "default",
    precision: Precision = None,
    as_json: AsJson = False,
) -> None:
    """The cosine of the vectors of two expressions: near 1 if they mean the same."""
    from equivec.embed.encoder import vectors_of
    from equivec.embed.registry import load_encoder

    encoder = load_encoder(model, precision=precision)
    first, second = vectors_of(encoder, [a, b], normalize=True)
    found = float(first @ second)
    if as_json:
        show_json({"model": encoder.name, "similarity": round(found, 6)})
    else:
        show(f"{found:.4f}")


def equivalents(
    expression: Annotated[str, typer.Argument(help="An expression, in any format.")],
    k: Annotated[int, typer.Option("-k", help="How many to show.")] = 10,
    beam: Annotated[int, typer.Option(help="Hypotheses that are followed.")] = 50,
    only_verified: Annotated[
        bool, typer.Option("--only-verified", help="Show only those equal over the reals.")
    ] = False,
    model: Model = "default",
    as_json: AsJson = False,
) -> None:
    """Let the model write equivalents; the judge says which of them are equal."""
    from equivec.embed.encoder import can_write
    from equivec.embed.registry import load_encoder

    encoder: Any = load_encoder(model)
    if not can_write(encoder):
        raise ConfigError(f"{model} has no decoder; it writes no expressions")
    found = encoder.equivalents(expression, k, beam=beam, only_verified=only_verified)
    if as_json:
        show_json(
            [
                {
                    "expression": one.expression,
                    "verdict": one.verdict.relation.name,
                    "words": one.verdict.words,
                    "sentence": one.verdict.sentence,
                    "log_probability": round(one.log_probability, 4),
                }
                for one in found
            ]
        )
        return
    width = max((len(one.verdict.words) for one in found), default=0)
    for one in found:
        show(f"{one.verdict.words:<{width}} {one.log_probability:7.2f}  {one.expression}")
