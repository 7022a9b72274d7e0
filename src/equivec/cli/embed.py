"""`equivec embed`, `similarity` and `equivalents`: vectors and equivalents by a model."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from equivec.cli.console import ProgressLine, note, show, show_json
from equivec.cli.options import AsJson, BeamWidth, Count, ModelName, Precision, out_option
from equivec.errors import ConfigError, FileFormatError, ParseError

_PATH = re.compile(r"[.~]{0,2}/|.*\.[A-Za-z]\w*$", re.DOTALL)


def embed(
    source: Annotated[
        str, typer.Argument(help="An expression, or a file of expressions, one per line.")
    ],
    out: Annotated[
        Path | None, out_option("The .npy or .parquet file for the vectors of a file.")
    ] = None,
    model: ModelName = None,
    precision: Precision = None,
    pooling: Annotated[
        Literal["max", "mean", "first", "last"] | None,
        typer.Option(
            help="How the states of the tokens become one vector; by default as in training.",
            show_default=False,
        ),
    ] = None,
    on_error: Annotated[
        Literal["raise", "skip", "nan"],
        typer.Option(help="For a line that cannot be read: stop, skip it, or write NaNs."),
    ] = "raise",
) -> None:
    """Print the vector of an expression, or write those of a file."""
    from equivec.embed.encoder import vectors_of
    from equivec.embed.registry import load_encoder

    is_file = _is_file(source)
    if out is not None and not is_file:
        raise FileFormatError(f"there is no file {source}; -o is for the vectors of a file")
    encoder = load_encoder(model or "default", pooling=pooling, precision=precision)
    if not is_file:
        try:
            (vector,) = vectors_of(encoder, [source], normalize=True)
        except ParseError:
            if _PATH.match(source):
                raise FileFormatError(f"there is no file {source}") from None
            raise
        show_json({"model": encoder.name, "vector": [round(float(x), 6) for x in vector]})
        return
    if out is None:
        raise ConfigError(f"{source} is a file; name the file for its vectors with -o FILE.npy")
    from equivec.pipeline.embedding import embed_file

    line = ProgressLine()
    skipped = 0
    for now in embed_file(encoder, Path(source), out, on_error=on_error):
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
    left: Annotated[str, typer.Argument(help="The first expression, in any format.")],
    right: Annotated[str, typer.Argument(help="The second expression.")],
    model: ModelName = None,
    precision: Precision = None,
    as_json: AsJson = False,
) -> None:
    """Print how similar two expressions are.

    The similarity is the cosine of their vectors: close to 1 if they mean the same.
    """
    from equivec.embed.encoder import vectors_of
    from equivec.embed.registry import load_encoder

    encoder = load_encoder(model or "default", precision=precision)
    first, second = vectors_of(encoder, [left, right], normalize=True)
    found = float(first @ second)
    if as_json:
        show_json({"model": encoder.name, "similarity": round(found, 6)})
    else:
        show(f"{found:.4f}")


def equivalents(
    expression: Annotated[str, typer.Argument(help="An expression, in any format.")],
    k: Count = 10,
    beam_width: BeamWidth = 50,
    only_verified: Annotated[
        bool, typer.Option("--only-verified", help="Show only equivalents that the judge confirms.")
    ] = False,
    model: ModelName = None,
    as_json: AsJson = False,
) -> None:
    """Let a model write equivalents, and judge each of them."""
    from equivec.embed.encoder import can_write
    from equivec.embed.registry import load_encoder

    encoder: Any = load_encoder(model or "default")
    if not can_write(encoder):
        raise ConfigError(f"{model} has no decoder; it writes no expressions")
    found = encoder.equivalents(expression, k, beam=beam_width, only_verified=only_verified)
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
