"""`equivec semvec`: train and score networks on the SemVec benchmark, and report the results."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from equivec.cli.app import App
from equivec.cli.console import ProgressLine, need_torch, note, show, show_json
from equivec.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from equivec.pipeline.semvec.runs import SemVecConfig
    from equivec.pipeline.semvec.steps import Scores
    from equivec.pipeline.semvec.training import Reporter

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
    runs: Annotated[
        list[str],
        typer.Argument(
            help="Networks to train, DATASETS:SETTING or DATASETS:SETTING@SEEDS, such as "
            "all:combined or Bool5,Poly5:SemEmb@42,43."
        ),
    ],
    data: Data,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", help="The folder for rows, settings, checkpoints.")
    ] = None,
    pack: Annotated[
        Path | None,
        typer.Option(
            help="Write the data and training sets of these runs into this one file instead, "
            "to train from it on another machine."
        ),
    ] = None,
    seconds: Annotated[
        float,
        typer.Option(
            help="Time for this command: reading, training and scoring. What is not done then, the "
            "same command goes on with."
        ),
    ] = 480.0,
    schedule_seconds: Annotated[
        float | None,
        typer.Option(
            help="Time for training over several commands; without it, and without --steps, what "
            "--seconds leaves."
        ),
    ] = None,
    reserve_seconds: Annotated[
        float, typer.Option(help="Time of --seconds that is kept for scoring.")
    ] = 25.0,
    checkpoint: Annotated[
        Path | None,
        typer.Option(help="The folder to go on from and to save to, if it is not --out."),
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
    recipe: Annotated[
        Literal["fast", "paper"],
        typer.Option(
            help="A fast training, or the paper's; the options below change single values."
        ),
    ] = "fast",
    steps: Annotated[
        int | None,
        typer.Option(
            help="Steps of training in all, over several commands; 0: random weights are scored."
        ),
    ] = None,
    batch_size: Annotated[int | None, typer.Option(help="Pairs in a batch.")] = None,
    learning_rate: Annotated[float | None, typer.Option(help="The largest learning rate.")] = None,
    warmup_steps: Annotated[int | None, typer.Option(help="Steps of warm-up.")] = None,
    final_share: Annotated[
        float | None,
        typer.Option(help="Of the learning rate, at the end of its cosine; 1: it does not fall."),
    ] = None,
    min_steps: Annotated[
        int | None, typer.Option(help="Steps before patience can end training.")
    ] = None,
    patience: Annotated[
        int | None, typer.Option(help="Steps without a better validation score that end training.")
    ] = None,
    validation_every: Annotated[
        int | None, typer.Option(help="Steps between validations; else after 70%, 85% and 100%.")
    ] = None,
    temperature: Annotated[float | None, typer.Option(help="Of the contrastive loss.")] = None,
    unknown_weight: Annotated[
        float | None, typer.Option(help="Of negatives that may be of one class.")
    ] = None,
    average_decay: Annotated[
        float | None, typer.Option(help="Of the moving average of the weights.")
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="Of the batches, and of runs that name none.")
    ] = None,
    layers: Annotated[int, typer.Option(help="Layers of encoder and decoder.")] = 6,
    attention_dropout: Annotated[
        float | None, typer.Option(help="Dropout of attention weights.")
    ] = None,
    width: Annotated[int | None, typer.Option(help="In place of the settings' width.")] = None,
    compiled: Annotated[
        bool, typer.Option("--compiled", help="Compile the step: on a GPU, several times faster.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Train and score networks; stop it at any time and go on with the same command."""
    need_torch()
    training = {
        "steps": steps,
        "batch_size": batch_size,
        "learning_rate": learning_rate,
        "warmup_steps": warmup_steps,
        "final_share": final_share,
        "min_steps": min_steps,
        "patience": patience,
        "validation_every": validation_every,
        "attention_dropout": attention_dropout,
        "temperature": temperature,
        "unknown_weight": unknown_weight,
        "average_decay": average_decay,
        "seed": seed,
        "is_compiled": compiled,
    }
    config = _config(
        recipe,
        training,
        runs=tuple(runs),
        seconds=seconds,
        schedule_seconds=schedule_seconds,
        reserve_seconds=reserve_seconds,
        folds=folds,
        layers=layers,
        width=width,
        keeps_weights=weights,
    )
    if (out is None) == (pack is None):
        raise ConfigError("give either --out, the folder for the results, or --pack, a file")
    note("\n".join(_settings_table(config)))
    if pack is not None:
        _pack(data, pack, config)
    elif out is not None:
        _train(data, out, config, checkpoint or out, as_json=as_json)


def _pack(data: Path, file: Path, config: SemVecConfig) -> None:
    from equivec.pipeline.semvec.steps import pack

    pack(data, file, config, _reporter(ProgressLine()))
    note(f"wrote {file}: {file.stat().st_size / 2**20:.1f} MiB")


def _train(data: Path, out: Path, config: SemVecConfig, checkpoint: Path, *, as_json: bool) -> None:
    from equivec.pipeline.semvec.steps import train

    line = ProgressLine()
    try:
        scores = train(data, out, config, checkpoint, _reporter(line))
    except KeyboardInterrupt:
        line.end()
        note(f"stopped; the same command goes on from the last checkpoint in {checkpoint}")
        raise typer.Exit(130) from None
    _show_scores(scores, as_json=as_json)
    note(f"wrote {out}: {len(scores.own)} rows, {len(scores.compositions)} of compositionality")


def _config(recipe: str, training: dict[str, Any], **options: Any) -> SemVecConfig:
    """The settings of a run; what is not given stays as the recipe has it."""
    from equivec.model.semvec_settings import RECIPES
    from equivec.pipeline.semvec.runs import SemVecConfig

    given = {name: value for name, value in training.items() if value is not None}
    return SemVecConfig(training=replace(RECIPES[recipe], **given), **options)


def _settings_table(config: SemVecConfig) -> Iterator[str]:
    """What will be trained, a line a setting, and how."""
    from equivec.pipeline.semvec.runs import parse_runs

    runs = parse_runs(config.runs, config.training.seed, config.folds)
    settings = Counter(run.setting for run in runs)
    given = {} if config.width is None else {"width": config.width}
    rows = [{"networks": count, **asdict(setting), **given} for setting, count in settings.items()]
    yield from _aligned([list(rows[0]), *(list(row.values()) for row in rows)])
    values = asdict(config.training).items()
    yield " · ".join(f"{name.replace('_', ' ')} {value}" for name, value in values)


def _aligned(rows: Sequence[Sequence[object]]) -> Iterator[str]:
    """Rows of cells as lines, every column as wide as its widest cell."""
    widths = [max(len(str(cell)) for cell in column) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (f"{cell!s:<{width}}" for cell, width in zip(row, widths, strict=True))
        yield "  ".join(cells).rstrip()


def _reporter(line: ProgressLine) -> Reporter:
    """Lines that stay to stderr; the line that changes there too, on a terminal."""
    from equivec.pipeline.semvec.training import Reporter

    def keep(text: str) -> None:
        line.end()
        note(text)

    return Reporter(note=keep, progress=line.show)


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
    from equivec.pipeline.semvec import steps as pipeline

    scores = pipeline.score(folders, data, joins=join)
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
        scores.write(out)
        note(f"wrote {out}: {len(scores.own)} rows, {len(scores.compositions)} of compositionality")
    _show_scores(scores, as_json=as_json)


@app.command()
def report(
    results: Annotated[Path, typer.Argument(help="The folder of results.")] = Path("results"),
    markdown: Annotated[Path | None, typer.Option(help="Write the page here.")] = None,
    html: Annotated[Path | None, typer.Option(help="Write the page with styles here.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print tables as a JSON list.")] = False,
) -> None:
    """The published tables beside ours, from results files; without options, as Markdown."""
    from equivec.evaluate.semvec_page import html_page, markdown_page
    from equivec.evaluate.semvec_results import Results
    from equivec.evaluate.semvec_tables import semvec_tables
    from equivec.storage.files import write_text

    tables = semvec_tables(Results.read(results))
    for path, page in ((markdown, markdown_page), (html, html_page)):
        if path is not None:
            write_text(path, page(tables))
            note(f"wrote {path}")
    if as_json:
        show_json([asdict(table) for table in tables])
    elif markdown is None and html is None:
        show(markdown_page(tables))
