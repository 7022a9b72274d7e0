"""`equivec benchmark`: five tasks on committed sets, for any model."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from equivec.cli.console import Models, ProgressLine, command_line, note, show, show_json

if TYPE_CHECKING:
    from equivec.embed.encoder import Encoder
    from equivec.embed.runtime import Precision
    from equivec.evaluate.benchmark import BenchmarkResult
    from equivec.evaluate.results import Step

Out = Annotated[
    Path | None, typer.Option(help="Write benchmark.json and benchmark.svg into this folder.")
]


def benchmark(
    models: Models,
    out: Out = None,
    precision: Annotated[
        Literal["fp32", "uint8"] | None,
        typer.Option(
            help="Of our models' encoders; by default the finest that all of them have.",
            show_default=False,
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Measure models: retrieval among mutants, detection, clusters, analogies, rewrites."""
    from equivec.embed.encoder import precision_of
    from equivec.errors import require_packages
    from equivec.evaluate.benchmark import SEED, benchmark_in_steps
    from equivec.evaluate.benchmark_figure import benchmark_table, write_benchmark_figure
    from equivec.evaluate.provenance import provenance
    from equivec.evaluate.results import result_of
    from equivec.storage.files import write_json

    if out is not None:
        require_packages("a figure", "plots", "matplotlib")
    encoders = _load(models, precision)
    answer = provenance(command_line(), SEED)
    if ran_at := set(map(precision_of, encoders)) - {None}:
        answer["precision"] = ran_at.pop()
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
    line = ProgressLine()
    results: list[BenchmarkResult] = []
    for number, encoder in enumerate(encoders, 1):
        where = f"{encoder.name} ({number} of {len(encoders)})"
        tell = partial(_show_task, line, where)
        results.append(result_of(benchmark_in_steps(encoder), tell))
        answer["models"] = [result.to_json() for result in results]
        if out is not None:  # after each model, so that a stop loses none that is done
            write_json(out / "benchmark.json", answer)
            write_benchmark_figure(out / "benchmark.svg", results)
    line.end()
    show_json(answer) if as_json else show(benchmark_table(results))
    if out is not None:
        note(f"wrote {out / 'benchmark.json'} and {out / 'benchmark.svg'}")


def _load(models: list[str], precision: Precision | None) -> list[Encoder]:
    """The encoders, each once, ours at one precision: the finest that all of them have."""
    from equivec.embed.encoder import precision_of
    from equivec.embed.registry import load_encoder

    encoders = [load_encoder(model, precision=precision) for model in dict.fromkeys(models)]
    used = set(map(precision_of, encoders)) - {None}
    return encoders if len(used) < 2 else _load(models, "uint8")


def _show_task(line: ProgressLine, model: str, step: Step) -> None:
    from equivec.evaluate.benchmark import TASKS

    line.show(f"{model}: {list(TASKS)[step[0]]} ...")
