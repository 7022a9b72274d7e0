"""`equivec semvec`: train and score networks on the SemVec benchmark."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from equivec.cli.app import App
from equivec.cli.console import need_torch, note, show, show_json
from equivec.cli.options import Device, Resume
from equivec.cli.train import (
    Changes,
    CheckpointSeconds,
    PauseAfter,
    RecipeName,
    ReportEvery,
    Seconds,
    show_progress,
)
from equivec.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from equivec.semvec.runs import SemVecJob
    from equivec.semvec.steps import Scores

app = App("The SemVec benchmark: train networks and score them.")

Data = Annotated[
    Path,
    typer.Option(
        help="The folder of the published SemVec files, a file made with --pack, or `regenerated`: "
        "then the datasets are enumerated and split anew."
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command()
def train(
    recipe: RecipeName,
    runs: Annotated[
        list[str],
        typer.Argument(
            metavar="RUNS...",
            help="Networks to train, DATASETS:SETTING or DATASETS:SETTING@SEEDS, such as "
            "all:combined or Bool5,Poly5:SemEmb@42,43.",
        ),
    ],
    data: Data,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", help="The folder for rows, settings, checkpoints.")
    ] = None,
    changes: Changes = None,
    pack: Annotated[
        Path | None,
        typer.Option(
            help="Write the data and training sets of these runs into this one file instead, "
            "to train from it on another machine."
        ),
    ] = None,
    folds: Annotated[
        int,
        typer.Option(
            help="Train each run so many times, each without a part of the training classes, and "
            "score that part: to choose settings without the tests."
        ),
    ] = 0,
    weights: Annotated[
        bool, typer.Option("--weights", help="Keep the chosen weights, for `score`.")
    ] = False,
    seconds: Seconds = None,
    pause_after: PauseAfter = None,
    checkpoint_seconds: CheckpointSeconds = 120.0,
    report_every: ReportEvery = 50,
    device: Device = None,
    resume: Resume = False,
    as_json: AsJson = False,
) -> None:
    """Train networks by a recipe, and score them.

    Networks of one shape are trained at once.
    """
    need_torch()
    from equivec.pipeline.runs import Pace
    from equivec.semvec import steps
    from equivec.semvec.runs import SemVecJob
    from equivec.semvec.settings import semvec_recipe

    job = SemVecJob(
        runs=tuple(runs),
        recipe=semvec_recipe(recipe, changes or []),
        folds=folds,
        keeps_weights=weights,
    )
    pace = Pace(
        seconds=seconds,
        pause_after=pause_after,
        checkpoint_seconds=checkpoint_seconds,
        report_every=report_every,
    )
    if (out is None) == (pack is None):
        raise ConfigError("give either --out, the folder for the results, or --pack, a file")
    note("\n".join(_settings_table(job)))
    if pack is not None:
        steps.pack(data, pack, job, note)
        note(f"wrote {pack}: {pack.stat().st_size / 2**20:.1f} MiB")
    elif out is not None:
        show_progress(steps.train(data, out, job, pace, device=device, resume=resume, say=note))
        if not (out / steps.ROWS).exists():
            note(f"paused; --resume continues the run in {out}")
            return
        scores = steps.Scores.read(out)
        _show_scores(scores, as_json=as_json)
        note(f"wrote {out}: {len(scores.own)} rows, {len(scores.compositions)} of compositionality")


def _settings_table(job: SemVecJob) -> Iterator[str]:
    """The settings of the networks, a line each."""
    settings = Counter(run.setting for run in job.planned())
    width = job.recipe.network.width
    given = {} if width is None else {"width": width}
    rows = [{"networks": count, **asdict(setting), **given} for setting, count in settings.items()]
    yield from _aligned([list(rows[0]), *(list(row.values()) for row in rows)])


def _aligned(rows: Sequence[Sequence[object]]) -> Iterator[str]:
    """Rows of cells as lines, every column as wide as its widest cell."""
    widths = [max(len(str(cell)) for cell in column) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (f"{cell!s:<{width}}" for cell, width in zip(row, widths, strict=True))
        yield "  ".join(cells).rstrip()


def _show_scores(scores: Scores, *, as_json: bool) -> None:
    rows = [*scores.own, *scores.compositions]
    if as_json:
        show_json(rows)
        return
    columns = ("setting", "split", "fold", "seed", "steps", "score_5", "ceiling_5")
    shown = [column for column in columns if any(column in row for row in rows)]
    names = (
        " -> ".join(str(row[key]) for key in ("trained_on", "dataset") if key in row)
        for row in rows
    )
    table = [(name, *(row[key] for key in shown)) for name, row in zip(names, rows, strict=True)]
    show("\n".join(_aligned([("dataset", *shown), *table])))


@app.command()
def score(
    folders: Annotated[
        list[Path], typer.Argument(help="Folders that `train --weights` has written.")
    ],
    data: Data,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", help="A folder to write the rows to.")
    ] = None,
    join: Annotated[
        bool,
        typer.Option(
            "--join",
            help="Also score networks that differ in their seeds only together, their vectors "
            "side by side.",
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Score networks whose weights were kept, of one folder or several."""
    need_torch()
    from equivec.semvec import steps as pipeline

    scores = pipeline.score(folders, data, joins=join)
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
        scores.write(out)
        note(f"wrote {out}: {len(scores.own)} rows, {len(scores.compositions)} of compositionality")
    _show_scores(scores, as_json=as_json)
