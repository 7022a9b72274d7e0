"""`equivec evaluate benchmark`: five tasks on committed sets, for any model."""

from __future__ import annotations

from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from equivec.cli.console import ProgressLine, command_line, note, show, show_json
from equivec.cli.options import AsJson, Models, Precision, out_option

if TYPE_CHECKING:
    from equivec.embed.encoder import Encoder
    from equivec.embed.runtime import Precision as PrecisionName
    from equivec.evaluate.results import Step

Out = Annotated[Path | None, out_option("The folder for benchmark.json and benchmark.svg.")]


def benchmark(
    models: Models,
    out: Out = None,
    precision: Precision = None,
    as_json: AsJson = False,
) -> None:
    """Measure models on five tasks.

    The tasks are retrieval, detection, clusters, analogies and rewrites. Models are compared at one
    precision: the finest that all of them have.
    """
    from equivec.embed.encoder import precision_of
    from equivec.errors import require_packages
    from equivec.evaluate.benchmark import SEED, BenchmarkFile, benchmark_in_steps
    from equivec.evaluate.benchmark_figure import benchmark_table, write_benchmark_figure
    from equivec.evaluate.provenance import provenance
    from equivec.evaluate.results import result_of
    from equivec.storage.files import write_json

    if out is not None:
        require_packages("a figure", "plots", "matplotlib")
    encoders = _load(models, precision)
    ran_at = next(filter(None, map(precision_of, encoders)), None)
    origin = provenance(command_line(), SEED)
    answer = BenchmarkFile(**asdict(origin), precision=ran_at)
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
    line = ProgressLine()
    for number, encoder in enumerate(encoders, 1):
        where = f"{encoder.name} ({number} of {len(encoders)})"
        tell = partial(_show_task, line, where)
        found = result_of(benchmark_in_steps(encoder), tell)
        answer = replace(answer, models=(*answer.models, found))
        if out is not None:  # after each model, so that a stop loses none that is done
            write_json(out / "benchmark.json", answer.to_json())
            write_benchmark_figure(out / "benchmark.svg", answer.models)
    line.end()
    show_json(answer.to_json()) if as_json else show(benchmark_table(answer.models))
    if out is not None:
        note(f"wrote {out / 'benchmark.json'} and {out / 'benchmark.svg'}")


def _load(models: list[str], precision: PrecisionName | None) -> list[Encoder]:
    """The encoders, each once, ours at one precision: the finest that all of them have."""
    from equivec.embed.encoder import precision_of
    from equivec.embed.registry import load_encoder

    encoders = [load_encoder(model, precision=precision) for model in dict.fromkeys(models)]
    used = set(map(precision_of, encoders)) - {None}
    return encoders if len(used) < 2 else _load(models, "uint8")


def _show_task(line: ProgressLine, model: str, step: Step) -> None:
    from equivec.evaluate.benchmark import TASKS

    line.show(f"{model}: {list(TASKS)[step[0]]} ...")
