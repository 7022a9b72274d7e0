"""`equivec evaluate`: the evaluations of the paper on some models."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from equivec.cli.console import (
    Models,
    ProgressLine,
    command_line,
    note,
    share_cores,
    show,
    show_json,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from equivec.pipeline.evaluation import Progress

Out = Annotated[Path, typer.Option(help="The folder for the results; a stopped run goes on.")]
CorpusFolder = Annotated[
    Path | None, typer.Option(help="The corpus in which neighbours are sought.")
]
PlotFile = Annotated[
    Path | None, typer.Option(help="Plot the lines expression<TAB>label of a file instead.")
]


def evaluate(
    models: Models,
    out: Out,
    corpus: CorpusFolder = None,
    only: Annotated[
        list[str] | None,
        typer.Option(
            help="An evaluation to run alone; may be repeated: plot_pca, plot_tsne, retrieval, "
            "identities, distance_analysis, tree_edit_distance, paper_analogies, "
            "generated_analogies, benchmark, generation, statistics."
        ),
    ] = None,
    plot_file: PlotFile = None,
    plot_size: Annotated[
        int, typer.Option(help="Expressions to plot; of a corpus, about 35% are from training.")
    ] = 7_040,
    queries: Annotated[int, typer.Option(help="Queries for the tree edit distance.")] = 2_000,
    pool: Annotated[
        int | None,
        typer.Option(help="Seek in a random sample of so many training expressions, not in all."),
    ] = None,
    distractors: Annotated[
        int, typer.Option(help="Training expressions among which equivalents are retrieved.")
    ] = 100_000,
    beam: Annotated[
        list[int] | None,
        typer.Option(help="A beam of what models write; may be repeated. [default: 1, 10, 50]"),
    ] = None,
    precision: Annotated[
        Literal["fp32", "uint8"] | None,
        typer.Option(
            help="Of models run by onnxruntime; by default the finest that each has.",
            show_default=False,
        ),
    ] = None,
    device: Annotated[
        str | None, typer.Option(help="cuda: run models by torch on a GPU; the CPU is the default.")
    ] = None,
    seed: Annotated[int, typer.Option(help="The seed of samples, maps and controls.")] = 42,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Run all evaluations; `equivec report OUT` puts them beside the paper's.

    They are plots, retrieval, neighbours and their trees, analogies, the benchmark, what models
    write, and the statistics of the corpus. Without a corpus, only plots and the benchmark are run.
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
        beams=tuple(beam or BEAMS),
        precision=precision,
        seed=seed,
    )
    _ = _found(out, EVERY)  # what is not of its kind is told of before any work
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
        note(f"trees are compared between models; so far {compared[0]} alone has its neighbours")
    note(f"wrote {out}")


def _found(out: Path, chosen: Sequence[str]) -> tuple[dict[str, Any], list[str]]:
    """What a folder of results holds, and the lines that tell some of it."""
    from equivec.evaluate.results import told_of_kind
    from equivec.pipeline.evaluation import (
        STATISTICS,
        TREE_EDIT,
        read_comparison,
        read_results,
        read_statistics,
    )
    from equivec.storage.files import made_again_if_damaged

    results, comparison, corpus = read_results(out), read_comparison(out), read_statistics(out)
    lines = list(_model_lines(results, out, chosen))
    if TREE_EDIT in chosen:
        with told_of_kind(out):
            lines += _match_lines(comparison)
    if STATISTICS in chosen:
        with made_again_if_damaged(out), told_of_kind(f"{out}: {STATISTICS}"):
            lines += _corpus_lines(corpus)
    return {"models": results, "tree edit distance": comparison, STATISTICS: corpus}, lines


def _note_left_out(lacking: Mapping[str, str], models: Sequence[str]) -> None:
    from equivec.embed.encoder import can_write
    from equivec.embed.registry import load_encoder

    if not any(can_write(load_encoder(model)) for model in models):
        lacking = {**lacking, "generation": lacking.get("generation", "a model with a decoder")}
    for need in dict.fromkeys(lacking.values()):
        names = (name for name, what in lacking.items() if what == need)
        note(f"left out: {', '.join(names)}; needed: {need}")


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


def _model_lines(
    results: Mapping[str, Mapping[str, Any]], out: Path, chosen: Sequence[str]
) -> Iterator[str]:
    """What was measured of each model, beside the paper's numbers where it has some."""
    from equivec.evaluate.results import told_of_kind
    from equivec.storage.files import made_again_if_damaged

    for model, found in results.items():
        names = [name for name in _SENTENCES if name in chosen and name in found]
        if names:
            yield model
        for name in names:
            with made_again_if_damaged(out), told_of_kind(f"{out}: {name} of {model}"):
                told = list(_SENTENCES[name](found[name]))
            yield from (f"  {name}: {sentence}" for sentence in told)


def _plot_sentences(found: Mapping[str, Any]) -> Iterator[str]:
    plane, full = found["plane"], found["full"]
    yield (
        f"1-NN purity {plane['purity_at_1']:.3f} on the plane, {full['purity_at_1']:.3f} in the "
        f"full space, {found['full_or_equal']:.3f} with equals of another class "
        f"({found['full_shuffled']['purity_at_1']:.3f} with shuffled labels)"
    )


def _retrieval_sentences(found: Mapping[str, Any]) -> Iterator[str]:
    yield (
        f"recall@1 {found['recall_1']:.3f}, @5 {found['recall_5']:.3f}, @10 "
        f"{found['recall_10']:.3f}, MRR {found['mrr']:.3f} ({found['queries']:,} queries among "
        f"{found['distractors']:,})"
    )


def _analogy_sentences(found: Mapping[str, Any]) -> Iterator[str]:
    total = found["scores"][-1]
    yield (
        f"{total['exact_at_1']} of {total['count']} exact, {total['equivalent_at_1']} up to "
        f"equivalence; {total['exact_at_5']} exact among five"
    )


def _paper_analogy_sentences(found: Mapping[str, Any]) -> Iterator[str]:
    from equivec.evaluate.analogies import paper_answers, score_answers
    from equivec.evaluate.paper_figures import MODELS

    theirs = {model: score_answers(paper_answers(model))[-1] for model in MODELS}
    told = ", ".join(f"{model} {score.exact_at_1}" for model, score in theirs.items())
    for sentence in _analogy_sentences(found):
        yield f"{sentence}; the paper: {told}"


def _distance_sentences(found: Mapping[str, Any]) -> Iterator[str]:
    yield f"{len(found['queries'])} queries"


def _benchmark_sentences(found: Mapping[str, Any]) -> Iterator[str]:
    yield ", ".join(f"{name} {value:.3f}" for name, value in found["row"].items())


def _generation_sentences(found: Mapping[str, Any]) -> Iterator[str]:
    for row in found["rows"]:
        yield (
            f"{row['set']}, beam {row['beam']}: an equivalent of {100 * row['solved']:.1f}%, "
            f"beyond the order of arguments {100 * row['solved_beyond_order']:.1f}%"
        )


_SENTENCES: Mapping[str, Callable[[Mapping[str, Any]], Iterator[str]]] = {
    "plot_pca": _plot_sentences,
    "plot_tsne": _plot_sentences,
    "retrieval": _retrieval_sentences,
    "identities": _retrieval_sentences,
    "paper_analogies": _paper_analogy_sentences,
    "generated_analogies": _analogy_sentences,
    "distance_analysis": _distance_sentences,
    "benchmark": _benchmark_sentences,
    "generation": _generation_sentences,
}


def _corpus_lines(found: Mapping[str, Any]) -> Iterator[str]:
    if found:
        counts = found["counts"]
        yield (
            f"corpus: {counts['expressions']:,} expressions in {counts['clusters']:,} clusters, "
            f"{counts['pairs']:,} ordered pairs"
        )
        for name, operators in found["operators"].items():
            lengths = found["lengths"][name]
            yield (
                f"  {name}: {counts['splits'][name]:,} expressions, operators "
                f"{operators['mean']:.2f} ± {operators['deviation']:.2f}, tokens "
                f"{lengths['mean']:.2f} ± {lengths['deviation']:.2f}"
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
