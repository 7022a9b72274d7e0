"""`equivec evaluate run`: the evaluations of the paper on some models."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equivec.cli.console import (
    ProgressLine,
    command_line,
    note,
    share_cores,
    show,
    show_json,
)
from equivec.cli.options import AsJson, BeamWidths, Device, Models, Precision, Seed, out_option

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from equivec.evaluate.provenance import Recorded
    from equivec.evaluate.results import Result
    from equivec.pipeline.evaluation import Progress

Out = Annotated[Path, out_option("The folder for the results; a stopped run continues there.")]
CorpusFolder = Annotated[
    Path | None,
    typer.Option(help="The corpus whose expressions are searched.", show_default=False),
]
PlotFile = Annotated[
    Path | None,
    typer.Option(help="Plot the lines expression<TAB>label of this file.", show_default=False),
]


def evaluate(
    models: Models,
    out: Out,
    corpus: CorpusFolder = None,
    only: Annotated[
        list[str] | None,
        typer.Option(
            help="Run only this evaluation; may be repeated: {equivec.pipeline.evaluation:EVERY}.",
            show_default=False,
        ),
    ] = None,
    plot_file: PlotFile = None,
    plot_size: Annotated[
        int,
        typer.Option(
            help="How many expressions to plot; with a corpus, about 35% are from training."
        ),
    ] = 7_040,
    queries: Annotated[
        int, typer.Option(help="How many queries for the tree edit distance.")
    ] = 2_000,
    pool: Annotated[
        int | None,
        typer.Option(
            help="Search a random sample of this many training expressions instead of all.",
            show_default=False,
        ),
    ] = None,
    distractors: Annotated[
        int, typer.Option(help="How many training expressions equivalents are retrieved among.")
    ] = 100_000,
    beam_widths: BeamWidths = None,
    precision: Precision = None,
    device: Device = None,
    seed: Seed = 42,
    as_json: AsJson = False,
) -> None:
    """Run the evaluations of the paper on models.

    The evaluations are plots, retrieval, neighbours and their trees, analogies, the benchmark,
    generation (with beam widths 1, 10 and 50), and the statistics of the corpus. Without a corpus,
    only plots and the benchmark run; without --device, onnxruntime runs the models on the CPU.
    """
    share_cores()
    from equivec.pipeline.evaluation import (
        BEAMS,
        EVERY,
        TREE_EDIT,
        EvaluationConfig,
        evaluate_models,
        what_is_lacking,
    )

    config = EvaluationConfig(
        corpus=str(corpus) if corpus is not None else None,
        plot_file=str(plot_file) if plot_file is not None else None,
        plot_size=plot_size,
        queries=queries,
        pool=pool,
        distractors=distractors,
        beams=tuple(beam_widths or BEAMS),
        precision=precision,
        seed=seed,
    )
    _ = _found(out, EVERY)  # a bad result is reported before any work
    line, clock = ProgressLine(), _Clock()
    for progress in evaluate_models(
        models, out, config, only or (), command=command_line(), device=device
    ):
        line.show(clock.sentence(progress))
    line.end()
    chosen = only or EVERY
    found, lines = _found(out, chosen)
    if as_json:
        show_json(found)
    elif lines:
        show("\n".join(lines))
    if not only:
        _note_left_out(what_is_lacking(config), models)
    compared = [model for model, each in found["models"].items() if TREE_EDIT in each]
    if TREE_EDIT in chosen and len(compared) == 1:
        note(f"trees are compared between models; so far only {compared[0]} has neighbours")
    note(f"wrote {out}")


def _found(out: Path, chosen: Sequence[str]) -> tuple[dict[str, Any], list[str]]:
    """What a folder of results holds, and the lines that tell some of it."""
    from equivec.pipeline.evaluation import (
        STATISTICS,
        TREE_EDIT,
        read_comparison,
        read_results,
        read_statistics,
    )

    results, comparison, corpus = read_results(out), read_comparison(out), read_statistics(out)
    lines = list(_model_lines(results, chosen))
    if comparison and TREE_EDIT in chosen:
        lines += comparison.sentences()
    if corpus and STATISTICS in chosen:
        lines += corpus.result.sentences()
    found = {
        "models": {
            model: {name: each.to_json() for name, each in some.items()}
            for model, some in results.items()
        },
        "tree edit distance": comparison.to_json() if comparison else {},
        STATISTICS: corpus.to_json() if corpus else {},
    }
    return found, lines


def _model_lines(
    results: Mapping[str, Mapping[str, Recorded[Result]]], chosen: Sequence[str]
) -> Iterator[str]:
    """What was measured of each model."""
    for model, found in results.items():
        lines = [
            f"  {name}: {sentence}"
            for name, each in found.items()
            if name in chosen
            for sentence in each.result.sentences()
        ]
        yield from [model, *lines] if lines else []


def _note_left_out(lacking: Mapping[str, str], models: Sequence[str]) -> None:
    from equivec.embed.encoder import can_write
    from equivec.embed.registry import load_encoder

    if not any(can_write(load_encoder(model)) for model in models):
        lacking = {**lacking, "generation": lacking.get("generation", "a model with a decoder")}
    for need in dict.fromkeys(lacking.values()):
        names = (name for name, what in lacking.items() if what == need)
        note(f"not run: {', '.join(names)} (needed: {need})")


class _Clock:
    """How fast a step is and how long it will take, from when it was first heard of."""

    def __init__(self) -> None:
        self._about: tuple[str, int] = ("", 0)
        self._started, self._first, self._last = 0.0, 0, 0

    def sentence(self, progress: Progress) -> str:
        """The line of progress; what was there already is no work done."""
        step, done, wanted = f"{progress.model}: {progress.step}", progress.done, progress.wanted
        if (step, wanted) != self._about or done < self._last:  # a step may have several parts
            self._about, self._started, self._first = (step, wanted), time.monotonic(), done
        self._last = done
        text = f"{step} {done:,}/{wanted:,}"
        rate = (done - self._first) / max(1e-9, time.monotonic() - self._started)
        return f"{text} · {rate:,.0f}/s · {(wanted - done) / rate:,.0f} s left" if rate else text
