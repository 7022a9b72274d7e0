"""The report's tables about data, training and writing: the corpus, throughput, accuracy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from equivec.evaluate.corpus_statistics import CorpusDescription
from equivec.evaluate.distance_analysis import DistanceAnalysis
from equivec.evaluate.generation import GenerationResult
from equivec_reproduction import published as paper
from equivec_reproduction.measured import BuiltCorpora, Throughputs
from equivec_reproduction.pages import Picture, Table
from equivec_reproduction.sentences import EVALUATE, against, missing, origin

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Mapping, Sequence

    from equivec.evaluate.corpus_verification import Verification
    from equivec.evaluate.generation import JudgedSet
    from equivec_reproduction.folder import ResultsFolder
    from equivec_reproduction.measured import Objective, TrainingRun

_CORPUS, _TRAINING, _GENERATION = (
    "The corpus",
    "Training throughput",
    "Equivalent generation: how often a beam holds a correct equivalent",
)


def data_tables(results: ResultsFolder) -> Iterator[Table]:
    """The tables, in the order of the paper."""
    yield from _corpus(results)
    yield _training(results)
    yield _generation(results)


def _corpus(results: ResultsFolder) -> Iterator[Table]:
    recorded = results.read("corpus.json", BuiltCorpora)
    statistics = results.of_all_models("statistics", CorpusDescription)
    if recorded is not None:
        described, made = recorded.result.rows[0].described, recorded.origin
        verified = [_verified_sentence(recorded.result.rows[0].verified)]
    elif statistics is not None:
        described, made, verified = statistics.result, statistics.origin, []
    else:
        yield missing(_CORPUS, EVALUATE)
        return
    sentences = (
        _corpus_sentence(described),
        *verified,
        *_other_builds(results, described.counts.splits["train"]),
        origin([made]),
    )
    chart = results.picture("corpus.png", "evaluation/statistics.png", "statistics.png")
    pictures = (Picture("Expressions that contain an operator", chart),) if chart else ()
    yield _sets_table(described, sentences, pictures)
    yield _types_table(described.by_types)


def _sets_table(
    described: CorpusDescription, sentences: tuple[str, ...], pictures: tuple[Picture, ...]
) -> Table:
    """How many expressions each set of a corpus has, of how many operators and tokens."""
    rows = [
        (
            split,
            f"{described.counts.splits[split]:,}",
            paper.OPERATORS.get(split, ""),
            str(operators),
            paper.LENGTHS.get(split, ""),
            str(described.lengths[split]),
        )
        for split, operators in described.operators.items()
    ]
    headings = ("set", "ours", "operators (paper)", "operators", "length (paper)", "length")
    return Table(_CORPUS, headings, tuple(rows), sentences, pictures)


def _types_table(by_types: Mapping[int, int]) -> Table:
    """How many expressions have operators of how many types, beside the paper's."""
    return Table(
        "Expressions by number of operator types",
        ("types", "paper", "ours"),
        tuple(
            (
                str(types),
                f"{paper.BY_TYPES[types]:,}" if types in paper.BY_TYPES else "",
                f"{count:,}",
            )
            for types, count in by_types.items()
        ),
        (
            "Types are arithmetic, trigonometric, hyperbolic and logarithmic or exponential. "
            f"{_of_one_type(paper.BY_TYPES)} of the paper's expressions have one type alone, of "
            f"ours {_of_one_type(by_types)}.",
        ),
    )


def _of_one_type(by_types: Mapping[int, int]) -> str:
    return f"{100 * by_types.get(1, 0) / sum(by_types.values()):.0f}%"


def _corpus_sentence(described: CorpusDescription) -> str:
    counts = described.counts
    pairs, expressions = counts.pairs, counts.splits["train"]
    return (
        f"Ours has {pairs:,} ordered pairs ({100 * pairs / paper.TRAINING_PAIRS:.0f}% of the "
        f"paper's {paper.TRAINING_PAIRS:,}, counted as the paper counts) and {expressions:,} "
        f"training expressions ({100 * expressions / paper.TRAINING_EXPRESSIONS:.0f}% of its "
        f"{paper.TRAINING_EXPRESSIONS:,}), in {counts.clusters:,} clusters; every member was "
        "verified when it was made, of which the paper says nothing."
    )


def _other_builds(results: ResultsFolder, expressions: int) -> Iterator[str]:
    """Of how many training expressions the corpora are that models were searched in, if others."""
    in_all = {each.model for each in results.settings() if each.pool is None}  # of training
    found = results.by_model("distance_analysis", DistanceAnalysis)
    searched = {each.result.pool for model, each in found.items() if model in in_all}
    for count in sorted(searched - {expressions}):
        yield (
            "Equivalents, neighbours and analogies below are sought in another build of it, of "
            f"{count:,} training expressions: what SymPy finds within its time limits is never "
            "quite the same."
        )


def _verified_sentence(verified: Verification) -> str:
    counts = "; ".join(
        f"{judge}: {', '.join(f'{name} {count:,}' for name, count in sorted(verdicts.items()))}"
        for judge, verdicts in verified.verdicts.items()
    )
    return (
        f"A random sample judged again: {counts}. `ours` looks at fresh points; what SymPy does "
        "not show to be equal it does not show to be different either."
    )


def _training(results: ResultsFolder) -> Table:
    found = results.read("training.json", Throughputs)
    if found is None:
        return missing(_TRAINING, "python -m benchmarks.training train.npz --save")
    rows = [
        (
            row.what,
            row.device,
            f"{row.ours:,.0f} {row.unit}",
            f"{row.alternative:,.0f} {row.unit}" if row.alternative else "",
            f"{row.ratio:.1f}x" if row.ratio else "",
            "" if row.share_of_peak is None else f"{row.share_of_peak:.3f}",
        )
        for row in found.result.rows
    ]
    return Table(
        _TRAINING,
        ("what", "device", "ours", "plain padded loop", "ratio", "share of the bf16 peak"),
        tuple(rows),
        (
            "The paper gives no throughput. The alternative is `nn.Transformer` under autocast "
            "with padded batches, in the same run on the same device.",
            origin([found.origin]),
        ),
    )


def _generation(results: ResultsFolder) -> Table:
    recorded = results.read_all("generation/*.json", GenerationResult)
    evaluated = results.evaluated("generation", GenerationResult)
    files = [*recorded.values(), *evaluated.values()]
    rows = [row for found in files for row in found.result.rows]
    if not rows:
        return missing(_GENERATION, EVALUATE)
    rows.sort(key=_generation_order)
    return Table(
        _GENERATION,
        (
            *("set", "model", "decoding", "judge", "beam", "inputs", "paper", "ours"),
            *("beyond the order of arguments", "copied", "invalid, of all hypotheses"),
            "the first hypothesis",
        ),
        tuple(_generation_row(row, results.copying) for row in rows),
        (
            *_generation_readings(rows, results),
            *_recipes(results.runs, {row.model for row in rows}),
            "A copy of the input never counts, but for StructEmb, whose task it is: there nothing "
            "else does. The paper's judge is SymPy under a time limit (`sympy`), on "
            "its own test set; what it cannot show to be equal is `not shown`, what it leaves "
            "undecided within the limit `unknown`; neither counts. `ours` demands the same domain "
            "too.",
            *_not_generated(results, rows),
            *results.notes("generation"),
            origin(each.origin for each in files),
        ),
    )


def _not_generated(results: ResultsFolder, rows: Sequence[JudgedSet]) -> Iterator[str]:
    """Which of the evaluated models with weights wrote no equivalents here."""
    written = {row.model for row in rows}
    models = [each.model for each in results.settings() if each.weights]
    if others := [model for model in models if model not in written]:
        yield f"Not measured here: {', '.join(others)}."


def _generation_order(row: JudgedSet) -> tuple[str, str, str, str, int]:
    return row.set_name, row.model, row.decoding, row.judge, row.beam


def _generation_row(row: JudgedSet, copying: Container[str]) -> tuple[str, ...]:
    printed = _printed(row)
    return (
        *(row.set_name, row.model, row.decoding, row.judge, str(row.beam)),
        f"{row.inputs:,}",
        "" if printed is None else f"{printed:.4f}",
        f"{_reached(row, copying):.4f}",
        "" if row.model in copying else f"{row.solved_beyond_order:.4f}",
        f"{row.copied:.4f}",
        "" if row.invalid is None else f"{row.invalid:.4f}",
        ", ".join(f"{_kind(row, kind)} {count:,}" for kind, count in row.first.items()),
    )


def _reached(row: JudgedSet, copying: Container[str]) -> float:
    """The share of inputs for which the model did what it was trained for."""
    return row.copied if row.model in copying else row.solved


def _kind(row: JudgedSet, kind: str) -> str:
    """What SymPy cannot show to be equal may be equal all the same."""
    return "not shown" if row.judge == "sympy" and kind == "different" else kind


def _recipes(runs: Mapping[str, TrainingRun], models: Container[str]) -> Iterator[str]:
    """How networks that are compared with the paper's were trained otherwise."""
    for name, run in sorted(runs.items()):
        if name in models and name.startswith(paper.MODELS):
            yield (f"Our {name} has the paper's shape but another training: {_recipe(run)}.")
            if decoder := runs.get(f"{name}-decoder"):
                how = _recipe(decoder)
                yield f"{name} writes with a decoder trained beside its frozen encoder: {how}."


def _recipe(run: TrainingRun) -> str:
    objective = run.training.objective
    return (
        f"{run.steps:,} steps of {run.training.batch_size:,} pairs, clusters drawn by their "
        f"{objective.weighting}, {_target(objective)} as the target, dropout "
        f"{run.network.dropout:g}"
    )


def _target(objective: Objective) -> str:
    draws = objective.target_draws
    if objective.is_copying:
        return "the input"
    return "any equivalent" if draws == 1 else f"the shortest of {draws} drawn equivalents"


def _generation_readings(rows: Sequence[JudgedSet], results: ResultsFolder) -> Iterator[str]:
    """The paper's own protocol read against its figures; other models beside the best of ours."""
    copying = results.copying
    groups: dict[str, list[str]] = {}
    for row in rows:
        printed = _printed(row)
        is_theirs = row.judge == "sympy" and row.decoding == "unconstrained"
        if printed is not None and (row.model in copying or is_theirs):
            groups.setdefault(_group(row), []).append(
                f"beam {row.beam} {against(_reached(row, copying), printed, 4)}"
            )
    for name, beams in groups.items():
        yield f"{name}: {'; '.join(beams)} of the paper."
    if results.writer is not None:
        yield from _rivals(rows, results.writer, copying)


def _rivals(rows: Sequence[JudgedSet], writer: str, copying: Container[str]) -> Iterator[str]:
    """Other models read against the one that was trained to write, where both were asked alike."""
    named = {_asked(row): row for row in rows if row.model == writer}
    groups: dict[str, list[str]] = {}
    for row in rows:
        is_rival = row.model != writer and row.model not in copying
        if is_rival and (other := named.get(_asked(row))):
            groups.setdefault(_group(row), []).append(
                f"beam {row.beam} {against(row.solved, other.solved, 4)}"
            )
    for name, beams in groups.items():
        yield f"{name}: {'; '.join(beams)} of {writer}."


def _group(row: JudgedSet) -> str:
    return f"{row.model}, {row.set_name}, {row.decoding}, judge {row.judge}"


def _asked(row: JudgedSet) -> tuple[str, str, str, int]:
    """What a model was asked, whatever the model."""
    return row.set_name, row.decoding, row.judge, row.beam


def _printed(row: JudgedSet) -> float | None:
    """The paper's figure; our test sets of two engines stand beside its only one.

    A model named after one of the paper's, as SemEmb-plain, has the same task.
    """
    kind, model = row.set_name.split(",")[0], row.model.split("-")[0]
    return paper.ACCURACY.get((kind, model), {}).get(row.beam)
