"""Options and arguments that several commands share: one name, one meaning, one help text."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import typer

Models = Annotated[
    list[str],
    typer.Argument(
        help="Models: names, folders, the baselines bag-of-tokens and text, or module:Class.",
        metavar="MODEL...",
    ),
]
ModelName = Annotated[
    str | None,
    typer.Option(
        "--model",
        help="A model: a name, a folder or module:Class; by default that of the index, "
        "or the bundled one.",
        show_default=False,
    ),
]
Precision = Annotated[
    Literal["fp32", "uint8"] | None,
    typer.Option(
        "--precision",
        help="The number format of the model's weights; by default the finest that it has.",
        show_default=False,
    ),
]
_INDEX = "The folder of the index, or milvus://host:19530/collection."
IndexPlace = Annotated[
    str | None,
    typer.Option("--index", envvar="EQUIVEC_INDEX", help=_INDEX, show_default=False),
]
# For a command that makes one: its output too.
NewIndexPlace = Annotated[
    str | None,
    typer.Option(
        *("-o", "--out", "--index"), envvar="EQUIVEC_INDEX", help=_INDEX, show_default=False
    ),
]
JudgeName = Literal["values", "sympy"]
Judge = Annotated[
    JudgeName,
    typer.Option(
        "--judge",
        help="values: compare values at many points; sympy: simplify(a - b) == 0, as in the paper.",
    ),
]
TimeLimit = Annotated[
    float,
    typer.Option(
        "--time-limit", help="Seconds that SymPy may take for a pair (--judge sympy).", min=0.01
    ),
]
_BEAM_WIDTH = "How many hypotheses the beam search keeps."
BeamWidth = Annotated[int, typer.Option("--beam-width", help=_BEAM_WIDTH)]
BeamWidths = Annotated[
    list[int] | None, typer.Option("--beam-width", help=_BEAM_WIDTH, show_default=False)
]
Device = Annotated[
    str | None,
    typer.Option("--device", help="Run by torch on this device: cpu or cuda.", show_default=False),
]
Seed = Annotated[int, typer.Option("--seed", help="The seed: the same seed gives the same result.")]
Workers = Annotated[int, typer.Option("--workers", help="How many processes.")]
EXECUTOR = "Run worker processes on this machine or on Ray."
Address = Annotated[
    str | None, typer.Option("--address", help="The Ray cluster to join.", show_default=False)
]
Resume = Annotated[bool, typer.Option("--resume", help="Continue a run that was stopped.")]
Count = Annotated[int, typer.Option("-k", help="How many results to show.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def out_option(description: str) -> Any:
    """The option that names the output."""
    return typer.Option("-o", "--out", help=description, show_default=False)
