"""The report's tables about data, training and writing: the corpus, throughput, accuracy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from equivec.evaluate import paper_figures as paper
from equivec.evaluate.pages import Picture, Table
from equivec.evaluate.report_cells import EVALUATE, PLAIN, against, missing, origin

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Mapping

    from equivec.evaluate.report import ResultsFolder

    Json = Mapping[str, Any]

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
    recorded = results.read("corpus.json")
    found = results.of_all_models("statistics") if recorded is None else recorded
    if found is None:
        yield missing(_CORPUS, EVALUATE)
        return
    described = found if recorded is None else recorded["rows"][0]["described"]
    sentences = (
        _corpus_sentence(described),
        *([] if recorded is None else [_verified_sentence(recorded["rows"][0]["verified"])]),
        *_other_builds(results, described["counts"]["splits"]["train"]),
        origin([found]),
    )
    chart = results.picture("corpus.png", "evaluation/statistics.png", "statistics.png")
    pictures = (Picture("Expressions that contain an operator", chart),) if chart else ()
    yield _sets_table(described, sentences, pictures)
    yield _types_table(described["by_types"])


def _sets_table(
    described: Json, sentences: tuple[str, ...], pictures: tuple[Picture, ...]
) -> Table:
    """How many expressions each set of a corpus has, of how many operators and tokens."""
    rows = [
        (
            split,
            f"{described['counts']['splits'][split]:,}",
            paper.OPERATORS.get(split, ""),
            _spread(described["operators"][split]),
            paper.LENGTHS.get(split, ""),
            _spread(described["lengths"][split]),
        )
        for split in described["operators"]
    ]
    headings = ("set", "ours", "operators (paper)", "operators", "length (paper)", "length")
    return Table(_CORPUS, headings, tuple(rows), sentences, pictures)


def _types_table(by_types: Mapping[str, int]) -> Table:
    """How many expressions have operators of how many types, beside the paper's."""
    return Table(
        "Expressions by number of operator types",
        ("types", "paper", "ours"),
        tuple(
            (types, f"{paper.BY_TYPES[types]:,}" if types in paper.BY_TYPES else "", f"{count:,}")
            for types, count in by_types.items()
        ),
        (
            "Types are arithmetic, trigonometric, hyperbolic and logarithmic or exponential. "
            f"{_of_one_type(paper.BY_TYPES)} of the paper's expressions have one type alone, of "
            f"ours {_of_one_type(by_types)}.",
        ),
    )


def _of_one_type(by_types: Mapping[str, int]) -> str:
    return f"{100 * by_types.get('1', 0) / sum(by_types.values()):.0f}%"


def _corpus_sentence(described: Json) -> str:
    counts = described["counts"]
    pairs, expressions = counts["pairs"], counts["splits"]["train"]
    return (
        f"Ours has {pairs:,} ordered pairs ({100 * pairs / paper.TRAINING_PAIRS:.0f}% of the "
        f"paper's {paper.TRAINING_PAIRS:,}, counted as the paper counts) and {expressions:,} "
        f"training expressions ({100 * expressions / paper.TRAINING_EXPRESSIONS:.0f}% of its "
        f"{paper.TRAINING_EXPRESSIONS:,}), in {counts['clusters']:,} clusters; every member was "
        "verified when it was made, of which the paper says nothing."
    )


def _other_builds(results: ResultsFolder, expressions: int) -> Iterator[str]:
    """Of how many training expressions the corpora are that models were searched in, if others."""
    settings = results.by_model("settings")
    searched = {
        each["pool"]
        for model, each in results.by_model("distance_analysis").items()
        if model in settings and settings[model]["pool"] is None  # that is, in all of training
    }
    for count in sorted(searched - {expressions}):
        yield (
            "Equivalents, neighbours and analogies below are sought in another build of it, of "
            f"{count:,} training expressions: what SymPy finds within its time limits is never "
            "quite the same."
        )


def _verified_sentence(verified: Json) -> str:
    counts = "; ".join(
        f"{judge}: {', '.join(f'{name} {count:,}' for name, count in sorted(verdicts.items()))}"
        for judge, verdicts in verified["verdicts"].items()
    )
    return (
        f"A random sample judged again: {counts}. `ours` looks at fresh points; what SymPy does "
        "not show to be equal it does not show to be different either."
    )


def _spread(value: Json) -> str:
    return f"{value['mean']:.2f} ± {value['deviation']:.2f}"


def _training(results: ResultsFolder) -> Table:
    found = results.read("training.json")
    if found is None:
        return missing(_TRAINING, "python -m benchmarks.training train.npz --save")
    rows = [
        (
            row["what"],
            row.get("device", ""),
            f"{row['ours']:,.0f} {row['unit']}",
            f"{row['alternative']:,.0f} {row['unit']}" if row.get("alternative") else "",
            f"{row['ratio']:.1f}x" if row.get("ratio") else "",
            f"{row['share of the bf16 peak']:.3f}" if "share of the bf16 peak" in row else "",
        )
        for row in found["rows"]
    ]
    return Table(
        _TRAINING,
        ("what", "device", "ours", "plain padded loop", "ratio", "share of the bf16 peak"),
        tuple(rows),
        (
            "The paper gives no throughput. The alternative is `nn.Transformer` under autocast "
            "with padded batches, in the same run on the same device.",
            origin([found]),
        ),
    )


def _generation(results: ResultsFolder) -> Table:
    recorded, evaluated = results.read_all("generation/*.json"), results.evaluated("generation")
    files = [*recorded.values(), *evaluated.values()]
    rows = [row for found in files for row in found["rows"]]
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
        tuple(_generation_row(row) for row in rows),
        (
            *_generation_readings(rows),
            *_recipes(results, {row["model"] for row in rows}),
            "A copy of the input never counts, but for StructEmb, whose task it is: there nothing "
            "else does. The paper's judge is SymPy under a time limit (`sympy`), on "
            "its own test set; what it cannot show to be equal is `not shown`, what it leaves "
            "undecided within the limit `unknown`; neither counts. `ours` demands the same domain "
            "too.",
            *_not_generated(results, rows),
            *([_RENAMED] if any(row["model"] == PLAIN for row in rows) else []),
            origin(files),
        ),
    )


def _not_generated(results: ResultsFolder, rows: list[Json]) -> Iterator[str]:
    """Which of the evaluated models with weights wrote no equivalents here."""
    settings = results.evaluated("settings").values()
    written = {row["model"] for row in rows}
    models = [each["model"] for each in settings if each.get("weights")]
    if others := [model for model in models if model not in written]:
        yield f"Not measured here: {', '.join(others)}."


_COPYING = "StructEmb"  # trained to give back its input
_RENAMED = f"{PLAIN} was called SemEmb when it was measured; the commands name it so."


def _generation_order(row: Json) -> tuple[str, str, str, str, int]:
    return row["set"], row["model"], row["decoding"], row["judge"], row["beam"]


def _generation_row(row: Json) -> tuple[str, ...]:
    printed = _printed(row)
    return (
        *(row["set"], row["model"], row["decoding"], row["judge"], str(row["beam"])),
        f"{row['inputs']:,}",
        "" if printed is None else f"{printed:.4f}",
        f"{_reached(row):.4f}",
        "" if row["model"] == _COPYING else f"{row['solved_beyond_order']:.4f}",
        f"{row['copied']:.4f}",
        f"{row['invalid']:.4f}" if "invalid" in row else "",
        ", ".join(f"{_kind(row, kind)} {count:,}" for kind, count in row["first"].items()),
    )


def _reached(row: Json) -> float:
    """The share of inputs for which the model did what it was trained for."""
    share: float = row["copied"] if row["model"] == _COPYING else row["solved"]
    return share


def _kind(row: Json, kind: str) -> str:
    """What SymPy cannot show to be equal may be equal all the same."""
    return "not shown" if row["judge"] == "sympy" and kind == "different" else kind


def _recipes(results: ResultsFolder, models: Container[str]) -> Iterator[str]:
    """How networks that are compared with the paper's were trained otherwise."""
    runs = {path.stem: run for path, run in results.read_all("runs/*.json").items()}
    for name, run in sorted(runs.items()):
        if name in models and name.startswith(paper.MODELS):
            yield (
                f"Our {name} has the paper's shape but another training: "
                f"{_recipe(run['training'], run['steps'], run['network'])}."
            )
            if decoder := runs.get(f"{name}-decoder"):
                how = _recipe(decoder["training"], decoder["steps"], decoder["network"])
                yield f"{name} writes with a decoder trained beside its frozen encoder: {how}."


def _recipe(training: Json, steps: int, network: Json) -> str:
    objective = training["objective"]
    return (
        f"{steps:,} steps of {training['batch_size']:,} pairs, clusters drawn by their "
        f"{objective['weighting']}, {_target(objective)} as the target, dropout "
        f"{network['dropout']:g}"
    )


def _target(objective: Json) -> str:
    draws = objective["target_draws"]
    if objective["setting"] == "structural":
        return "the input"
    return "any equivalent" if draws == 1 else f"the shortest of {draws} drawn equivalents"


def _generation_readings(rows: list[Json]) -> Iterator[str]:
    """The paper's own protocol read against its figures; other models beside the best of ours."""
    groups: dict[str, list[str]] = {}
    for row in rows:
        printed = _printed(row)
        is_theirs = row["judge"] == "sympy" and row["decoding"] == "unconstrained"
        if printed is not None and (row["model"] == _COPYING or is_theirs):
            groups.setdefault(_group(row), []).append(
                f"beam {row['beam']} {against(_reached(row), printed, 4)}"
            )
    for name, beams in groups.items():
        yield f"{name}: {'; '.join(beams)} of the paper."
    yield from _rivals(rows)


def _rivals(rows: list[Json]) -> Iterator[str]:
    """Other models read against the one that was trained to write, where both were asked alike."""
    named = {_asked(row): row for row in rows if row["model"] == PLAIN}
    groups: dict[str, list[str]] = {}
    for row in rows:
        if row["model"] not in (_COPYING, PLAIN) and (other := named.get(_asked(row))):
            groups.setdefault(_group(row), []).append(
                f"beam {row['beam']} {against(row['solved'], other['solved'], 4)}"
            )
    for name, beams in groups.items():
        yield f"{name}: {'; '.join(beams)} of {PLAIN}."


def _group(row: Json) -> str:
    return f"{row['model']}, {row['set']}, {row['decoding']}, judge {row['judge']}"


def _asked(row: Json) -> tuple[str, str, str, int]:
    """What a model was asked, whatever the model."""
    return row["set"], row["decoding"], row["judge"], row["beam"]


def _printed(row: Json) -> float | None:
    """The paper's figure; our test sets of two engines stand beside its only one.

    A model named after one of the paper's, as SemEmb-plain, has the same task.
    """
    kind, model = row["set"].split(",")[0], row["model"].split("-")[0]
    return paper.ACCURACY.get((kind, model), {}).get(row["beam"])
