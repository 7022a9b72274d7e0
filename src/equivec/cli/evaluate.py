"""`equivec evaluate`: the evaluations of the paper on some models."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equivec.cli.console import ProgressLine, note, show, show_json

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

Out = Annotated[Path, typer.Option(help="The folder for the results; a stopped run goes on.")]
CorpusFolder = Annotated[
    Path | None, typer.Option(help="The corpus in which neighbours are sought.")
]
PlotFile = Annotated[
    Path | None, typer.Option(help="Plot the lines expression<TAB>label of a file instead.")
]


def evaluate(
    models: Annotated[
        list[str],
        typer.Argument(
            help="Models: names, folders, or the baselines bag-of-tokens and text.",
            metavar="MODEL...",
        ),
    ],
    out: Out,
    corpus: CorpusFolder = None,
    only: Annotated[
        list[str] | None, typer.Option(help="An evaluation to run alone; may be repeated.")
    ] = None,
    plot_file: PlotFile = None,
    queries: Annotated[int, typer.Option(help="Queries for the tree edit distance.")] = 2_000,
    seed: Annotated[int, typer.Option(help="The seed of samples, maps and controls.")] = 42,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Run the paper's evaluations: plots, neighbours, tree edit distance, analogies."""
    from equivec.pipeline.evaluation import EvaluationConfig, evaluate_models, read_results

    config = EvaluationConfig(
        corpus=str(corpus) if corpus is not None else None,
        plot_file=str(plot_file) if plot_file is not None else None,
        queries=queries,
        seed=seed,
    )
    line = ProgressLine()
    for progress in evaluate_models(models, out, config, only or ()):
        line.show(f"{progress.model}: {progress.step} {progress.done:,}/{progress.wanted:,}")
    line.end()
    results = read_results(out)
    comparison = _comparison(out)
    if as_json:
        show_json({"models": results, "tree edit distance": comparison})
    else:
        show("\n".join((*_model_lines(results), *_match_lines(comparison))))
    note(f"wrote {out}")


def _comparison(out: Path) -> dict[str, Any]:
    from equivec.pipeline.evaluation import COMPARISON

    path = out / COMPARISON
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def _model_lines(results: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """What was measured of each model, beside the paper's numbers where it has some."""
    for model, found in results.items():
        yield model
        for name in ("plot_pca", "plot_tsne"):
            if name in found:
                yield f"  {name}: {_plot_sentence(found[name])}"
        for name, paper in (
            ("paper_analogies", "; the paper: SemEmb 11, StructEmb 7 of 20"),
            ("generated_analogies", ""),
        ):
            if name in found:
                yield f"  {name}: {_analogy_sentence(found[name])}{paper}"
        if "distance_analysis" in found:
            yield f"  distance_analysis: {len(found['distance_analysis']['queries'])} queries"


def _plot_sentence(found: Mapping[str, Any]) -> str:
    plane, full = found["plane"], found["full"]
    return (
        f"1-NN purity {plane['purity_at_1']:.3f} on the plane, {full['purity_at_1']:.3f} in the "
        f"full space ({found['full_shuffled']['purity_at_1']:.3f} with shuffled labels)"
    )


def _analogy_sentence(found: Mapping[str, Any]) -> str:
    total = found["scores"][-1]
    return (
        f"{total['exact_at_1']} of {total['count']} exact, {total['equivalent_at_1']} up to "
        f"equivalence; {total['exact_at_5']} exact among five"
    )


def _match_lines(comparison: Mapping[str, Any]) -> Iterator[str]:
    if comparison:
        yield f"tree edit distance, strictly closer in {comparison['queries']:,} queries"
    for match in comparison.get("matches", ()):
        what = "nearest" if match["k"] == 1 else f"{match['k']} nearest"
        yield (
            f"  {match['form']}, {what}: {match['left']} {match['left_closer']:,}, "
            f"{match['right']} {match['right_closer']:,}, ties {match['ties']:,}"
        )
