"""`equivec train`: a network from a recipe and a corpus."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 (typer reads it at run time)
from typing import TYPE_CHECKING, Annotated

import typer

from equivec.cli.console import ProgressLine, need_torch, note
from equivec.cli.options import Device, Resume

if TYPE_CHECKING:
    from collections.abc import Iterable

    from equivec.pipeline.runs import Progress

# What every training command takes beside its recipe.
RecipeName = Annotated[
    str, typer.Argument(help="The settings: fast, paper, or a TOML file, such as one of a run.")
]
Changes = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="Change a setting of the recipe, such as batch_size=64; give it once for each.",
    ),
]
Seconds = Annotated[
    float | None,
    typer.Option(
        help="End the training after this many seconds in all; the learning rate falls accordingly."
    ),
]
PauseAfter = Annotated[
    float | None,
    typer.Option(
        help="Stop this command after this many seconds of training; go on with --resume."
    ),
]
CheckpointSeconds = Annotated[float, typer.Option(help="Seconds between checkpoints.")]
ReportEvery = Annotated[int, typer.Option(help="Steps between lines of the metrics.")]


def train(
    recipe: RecipeName,
    corpus: Annotated[
        list[Path],
        typer.Argument(metavar="CORPUS...", help="Corpora or files of arrays."),
    ],
    out: Annotated[
        Path, typer.Option("-o", "--out", help="The folder of the run; its model is OUT/model.")
    ],
    changes: Changes = None,
    share: Annotated[
        list[float] | None,
        typer.Option(help="A corpus's share of the pairs; give it once for each corpus."),
    ] = None,
    validation: Annotated[
        Path | None, typer.Option(help="Validation pairs as arrays; a corpus brings its own.")
    ] = None,
    analogies: Annotated[
        Path | None, typer.Option(help="Analogies to be learnt: a file of `corpus analogies`.")
    ] = None,
    start: Annotated[
        str | None,
        typer.Option(
            help="A model of the same shape, or its encoder alone, whose weights are the first; "
            "weights that it lacks are random."
        ),
    ] = None,
    seconds: Seconds = None,
    pause_after: PauseAfter = None,
    checkpoint_seconds: CheckpointSeconds = 120.0,
    report_every: ReportEvery = 100,
    device: Device = None,
    resume: Resume = False,
) -> None:
    """Train a network by a RECIPE on a CORPUS or several."""
    need_torch()
    from equivec.model.devices import default_device
    from equivec.pipeline.runs import Pace
    from equivec.pipeline.training import Recipe, TrainingJob
    from equivec.pipeline.training import train as run

    job = TrainingJob(
        corpora=tuple(map(str, corpus)),
        shares=tuple(share or ()),
        validation=None if validation is None else str(validation),
        analogies=None if analogies is None else str(analogies),
        start=start,
        recipe=Recipe.read(recipe, changes or []),
        device=device or default_device(),
    )
    pace = Pace(
        seconds=seconds,
        pause_after=pause_after,
        checkpoint_seconds=checkpoint_seconds,
        report_every=report_every,
    )
    show_progress(run(out, job, pace, resume=resume))
    if (out / "model").exists():
        note(f"wrote {out / 'model'}")
    else:
        note(f"paused; --resume continues the run in {out}")


def show_progress(run: Iterable[Progress]) -> None:
    """Show how a run stands until it ends."""
    line = ProgressLine()
    try:
        for progress in run:
            line.show(str(progress))
    except KeyboardInterrupt:
        note("stopped; --resume goes on from the last checkpoint")
        raise typer.Exit(130) from None
    line.end()
