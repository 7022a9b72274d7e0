"""The report's tables about vectors: retrieval, plots, neighbours, trees, analogies, benchmark."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from equivec.evaluate import paper_figures as paper
from equivec.evaluate.analogies import paper_analogies, paper_answers
from equivec.evaluate.benchmark import COSINES, FIGURES
from equivec.evaluate.distance_analysis import paper_neighbours
from equivec.evaluate.encoders import BagOfTokens
from equivec.evaluate.pages import Picture, Table
from equivec.evaluate.report_cells import EVALUATE, PLAIN, against, code, missing, origin, share

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Mapping, Sequence

    from equivec.evaluate.report import ResultsFolder

    Json = Mapping[str, Any]

_MAPS = {"plot_pca": "PCA", "plot_tsne": "t-SNE"}
_EXACT, _EQUIVALENT = "✓", "≈"


def vector_tables(results: ResultsFolder) -> Iterator[Table]:
    """The tables, in the order of the paper, and then those beyond it."""
    yield _retrieval(results)
    yield _plots(results)
    yield _distances(results)
    yield _trees(results)
    yield from _analogies(results)
    yield _benchmark(results)


def _retrieval(results: ResultsFolder) -> Table:
    title = "Retrieval of equivalents"
    sets = {"unseen functions": "retrieval", "textbook identities": "identities"}
    found = [(name, each) for name, key in sets.items() for each in results.by_model(key).values()]
    if not found:
        return missing(title, EVALUATE)
    rows = [
        (
            *(name, each["model"], f"{each['queries']:,}", f"{each['distractors']:,}"),
            *(share(each[key]) for key in ("recall_1", "recall_5", "recall_10", "mrr")),
        )
        for name, each in found
    ]
    readings = []
    for name in dict.fromkeys(name for name, _ in found):
        best = max((each for other, each in found if other == name), key=_first_recall)
        readings.append(f"{name}: {best['model']} has the best recall@1, {best['recall_1']:.3f}.")
    return Table(
        title,
        ("set", "model", "queries", "distractors", "recall@1", "recall@5", "recall@10", "MRR"),
        tuple(rows),
        (
            *readings,
            "The paper has no such table. Another form of the query's function is to be nearer to "
            "it than all distractors, random training expressions; a tie counts as a miss. No form "
            "of an unseen function is in training. The identities are a development set: written "
            "by hand, and no training draws on them, but data and settings of the default model "
            "were chosen by them, which flatters it; training may contain forms of their "
            "functions, which are left out of the distractors.",
            *_precision(results),
            origin(each for _, each in found),
        ),
    )


def _first_recall(found: Json) -> float:
    return float(found["recall_1"])


def _precision(
    results: ResultsFolder, *others: Json, among: Container[str] | None = None
) -> Iterator[str]:
    """Which models ran in eight bits, and which of the others with weights of eight bits."""
    every = [
        each
        for each in (*results.evaluated("settings").values(), *others)
        if among is None or each["model"] in among
    ]
    quick, small = (
        list(dict.fromkeys(each["model"] for each in every if each.get(name) == value))
        for name, value in (("precision", "uint8"), ("has_small_weights", True))
    )
    small = [model for model in small if model not in quick]
    if quick:
        yield f"In eight bits: {', '.join(quick)}; the others in float32."
    if small:
        yield f"In float32, but with weights of eight bits: {', '.join(small)}."


_UNIT_LENGTH = "Our models' vectors have length 1; the paper does not say whether its have."


def _plots(results: ResultsFolder) -> Table:
    title = "Embedding plots: classes on a plane and in the full space"
    files = {
        label: {**results.evaluated(key), **results.read_all(f"plots/corpus/*/{key}.json")}
        for key, label in _MAPS.items()
    }
    found = [(label, each) for label, some in files.items() for each in some.values()]
    if not found:
        return missing(title, EVALUATE)
    others = {name: _plots_of_set(results, name) for name in _SETS}
    measured = [
        *((_origins(each), label, each) for label, each in found),
        *((name, label, each) for name, some in others.items() for label, each in some),
    ]
    published = [
        (f"{model} (paper)", "PCA", "about 35% from training", "7,030", share(value), *[""] * 10)
        for model, value in paper.PURITY.items()
    ]
    return Table(
        title,
        (
            *("model", "map", "set", "expressions", "1-NN, plane", "5-NN, plane"),
            *("silhouette, plane", "nearest centroid, plane", "1-NN, plane, labels shuffled"),
            *("1-NN, full", "5-NN, full", "silhouette, full", "nearest centroid, full"),
            *("1-NN, full, labels shuffled", "1-NN, full, or equal"),
        ),
        (*published, *(_plot_row(*row) for row in measured)),
        (
            *_plot_readings(found),
            *_origin_readings(found),
            *_function_readings(measured),
            *_plain_readings(results, others["fresh"]),
            *_taught(results, "margin"),
            "The paper's figures are computed from the coordinates its authors published, of their "
            "expressions; ours are of other ones. Classes: "
            f"{', '.join(dict.fromkeys(name for _, each in found for name in each['classes']))}. "
            "`equivec evaluate` writes a page for each plot that can be zoomed and shows the "
            "expressions. In the last column a nearest one of another class is right if it is the "
            "same function, as sinh(x) + cosh(x) is exp(x).",
            *(sentence for name, sentence in _SETS.items() if others[name]),
            _UNIT_LENGTH,
            *_precision(results, *results.read_all("plots/*/*/settings.json").values()),
            origin(each for *_, each in measured),
        ),
        tuple(
            Picture(f"{each['model']}, {label}", picture)
            for label, some in files.items()
            for path, each in some.items()
            if (picture := (results.path / path).with_suffix(".png")).exists()
        ),
    )


_SETS = {
    "committed": "The committed set comes with the package and was made without regard to "
    "training.",
    "fresh": "The fresh set was drawn as the committed one by another seed, when all models had "
    "been trained and chosen; a quarter of its expressions, the simplest, are in that one, too.",
}


def _plots_of_set(results: ResultsFolder, name: str) -> list[tuple[str, Json]]:
    """The plots of a set that has no corpus."""
    return [
        (label, each)
        for key, label in _MAPS.items()
        for each in results.read_all(f"plots/{name}/*/{key}.json").values()
    ]


def _plot_row(name: str, label: str, each: Json) -> tuple[str, ...]:
    count = sum(each["classes"].values())
    spaces = (each[space] for space in ("plane", "plane_shuffled", "full", "full_shuffled"))
    plane, plane_shuffled, full, full_shuffled = spaces
    keys = ("purity_at_1", "purity_at_5", "silhouette", "centroid_accuracy")
    return (
        *(each["model"], label, name, f"{count:,}"),
        *(share(plane[key]) for key in keys),
        share(plane_shuffled["purity_at_1"]),
        *(share(full[key]) for key in keys),
        share(full_shuffled["purity_at_1"]),
        share(each["full_or_equal"]),
    )


def _origins(each: Json) -> str:
    known, count = each["by_origin"].get("training"), sum(each["classes"].values())
    return f"{100 * known['count'] / count:.0f}% from training" if known else ""


def _plot_readings(found: Sequence[tuple[str, Json]]) -> Iterator[str]:
    by_pca = {each["model"]: _plane_purity(each) for label, each in found if label == "PCA"}
    for model, purity in by_pca.items():
        printed = paper.PURITY.get(model, paper.PURITY["SemEmb"])
        whose = "the paper's" if model in paper.PURITY else "the paper's SemEmb"
        yield f"{model}: 1-NN purity by PCA {against(purity, printed)} of {whose}."
    label, best = max(found, key=lambda row: _plane_purity(row[1]))
    yield f"The purest plane is {label} of {best['model']}, {_plane_purity(best):.3f}."


def _origin_readings(found: Sequence[tuple[str, Json]]) -> Iterator[str]:
    """Whether what models were trained on keeps to its class better than what is new to them."""
    readings = [
        f"{each['model']} {share(new['plane'])} and {share(known['plane'])} "
        f"({share(new['full'])} and {share(known['full'])})"
        for label, each in found
        if label == "PCA" and len(origins := each["by_origin"]) == 2
        for known, new in [(origins["training"], origins["new"])]
    ]
    if readings:
        yield (
            "1-NN purity by PCA (in the full space) of the expressions that are not in the "
            f"corpus's training set and of those that are: {'; '.join(readings)}. What models saw "
            "beside the corpus was not looked at."
        )


def _function_readings(measured: Sequence[tuple[str, str, Json]]) -> Iterator[str]:
    """The purity that sight of functions alone would give on each set, beside the best model's."""
    sets: dict[str, list[Json]] = {}
    for name, _, each in measured:
        sets.setdefault(name, []).append(each)
    readings = []
    for name, some in sets.items():
        best = max(some, key=lambda each: float(each["full"]["purity_at_1"]))
        readings.append(
            f"{best['full_of_functions']:.4f} on average, where {best['model']} is the purest with "
            f"{best['full']['purity_at_1']:.4f}" + (f" ({name})" if name else "")
        )
    yield (
        "One vector for all forms of a function, and no other sight of classes, would give a 1-NN "
        f"purity in the full space of {'; '.join(readings)}."
    )


def _plain_readings(results: ResultsFolder, found: Sequence[tuple[str, Json]]) -> Iterator[str]:
    """SemEmb's plane beside that of the network whose decoder always saw the whole input."""
    by_pca = {each["model"]: _plane_purity(each) for label, each in found if label == "PCA"}
    run = results.read("runs/SemEmb.json")
    lone = run["training"]["objective"].get("lone_share") if run else None
    if lone and {"SemEmb", PLAIN} <= by_pca.keys():
        ours, plain = (share(by_pca[name]) for name in ("SemEmb", PLAIN))
        yield (
            f"SemEmb wrote {100 * lone:.0f}% of its targets from one state of the input alone; "
            f"{PLAIN}, of the same shape, wrote all of them from all states: 1-NN purity by PCA "
            f"of the fresh set {ours} and {plain}, the paper's "
            f"{share(paper.PURITY['SemEmb'])} on its own expressions. SymPy's share of the pairs, "
            "targets, dropout and steps differ as well. That single states help was found by "
            "trials measured on the committed set; what was published of two dropouts was chosen "
            "by 4,800 other expressions of the same making."
        )


def _plane_purity(each: Json) -> float:
    return float(each["plane"]["purity_at_1"])


# Parts of an objective that are what a table measures.
_LESSONS = {
    "margin": "{} was trained to hold functions of other operator types further apart (margin {}), "
    "and those types are the classes here: its purity was taught.",
    "analogy": "{} was trained on analogies of these kinds (weight {}), none of them "
    "asked: its algebra was taught.",
    "mutants": "{} was trained to tell expressions from mutants ({}), other ones, as those of "
    "retrieval and detection are: that was taught, too.",
}


def _taught(results: ResultsFolder, part: str) -> Iterator[str]:
    """Which models were trained on what a table measures."""
    for path, run in results.read_all("runs/*.json").items():
        value = run["training"]["objective"].get(part)
        if value and value != "none":
            yield _LESSONS[part].format(path.stem, value)


def _distances(results: ResultsFolder) -> Table:
    title = "Distance analysis: the five nearest training expressions to the paper's queries"
    found = results.by_model("distance_analysis")
    if not found:
        return missing(title, EVALUATE)
    columns = [
        *(analysis.to_json()["queries"] for analysis in paper_neighbours().values()),
        *(each["queries"] for each in found.values()),
    ]
    rows = [
        (
            code(asked["query"]) if place == 0 else "",
            *(_neighbour(column[number]["neighbours"], place) for column in columns),
        )
        for number, asked in enumerate(columns[0])
        for place in range(len(asked["neighbours"]))
    ]
    pools = ", ".join(f"{model} {each['pool']:,}" for model, each in found.items())
    return Table(
        title,
        ("query", *(f"{model} (paper)" for model in paper_neighbours()), *found),
        tuple(rows),
        (
            *(_distance_reading(model, each) for model, each in found.items()),
            f"Expressions searched: {pools}; the paper's {paper.TRAINING_EXPRESSIONS:,}, other "
            "ones. The query itself is left out; the paper's lists have it twice. A model that "
            "brings equal expressions together finds forms that look unlike the query, so that "
            "its trees lie further away.",
            *_precision(results),
            origin(found.values()),
        ),
    )


def _neighbour(found: Sequence[Json], place: int) -> str:
    return code(found[place]["expression"]) if place < len(found) else ""


def _distance_reading(model: str, found: Json) -> str:
    distances = [
        near["distances"]["without constants"]
        for query in found["queries"]
        for near in query["neighbours"]
    ]
    published = paper_neighbours()
    counterpart = model if model in published else "SemEmb"
    theirs = [
        near.distances["without constants"]
        for query in published[counterpart].queries
        for near in query.neighbours
    ]
    ours, printed = sum(distances) / len(distances), sum(theirs) / len(theirs)
    return (
        f"{model}: mean tree edit distance from the query, constants left out, "
        f"{against(ours, printed, 2)} of the paper's {counterpart}."
    )


def _trees(results: ResultsFolder) -> Table:
    title = "Tree edit distance: whose nearest expressions are strictly closer to the query"
    found = results.of_all_models("tree_edit_distance")
    if found is None:
        return missing(title, EVALUATE)
    left, right = paper.MODELS
    published = [
        (
            *("paper", form, "1", left, right, f"{counts[left]:,}", f"{counts[right]:,}"),
            f"{paper.TREE_EDIT_QUERIES - sum(counts.values()):,}",
        )
        for form, counts in paper.TREE_EDIT.items()
    ]
    pools = {f"{each['pool']:,} " for each in results.by_model("distance_analysis").values()}
    ours = [
        (
            *("ours", match["form"], str(match["k"]), match["left"], match["right"]),
            *(f"{match[key]:,}" for key in ("left_closer", "right_closer", "ties")),
        )
        for match in found["matches"]
    ]
    return Table(
        title,
        ("whose", "form", "nearest", "left", "right", "left closer", "right closer", "ties"),
        (*published, *ours),
        (
            *_tree_readings(found),
            f"{found['queries']:,} queries of the test set, among {'or '.join(sorted(pools))}"
            "training expressions. `docs/evaluation.md` says what each form leaves out; the paper "
            "does not say at which levels it does.",
            *_precision(results, among={side for row in ours for side in row[3:5]}),
            origin(found["models"]),
        ),
    )


def _tree_readings(found: Json) -> Iterator[str]:
    """Who is ahead with the nearest expressions of each form."""
    groups: dict[str, list[str]] = {}
    for match in found["matches"]:
        if BagOfTokens.name not in (match["left"], match["right"]):
            which = "the nearest" if match["k"] == 1 else f"the nearest {match['k']}"
            groups.setdefault(f"{match['form']}, {which}", []).append(_tree_reading(match))
    for name, readings in groups.items():
        yield f"{name}: {'; '.join(readings)}."


def _tree_reading(match: Json) -> str:
    """Which of two models is closer more often, and whether the paper says so too."""
    closer = {match[side]: match[f"{side}_closer"] for side in ("left", "right")}
    ahead, behind = sorted(closer, key=lambda model: -closer[model])
    if closer[ahead] - closer[behind] <= 2 * sum(closer.values()) ** 0.5:  # by chance
        return f"{ahead} is closer about as often as {behind}"
    printed = paper.TREE_EDIT.get(match["form"], {}) if match["k"] == 1 else {}
    note = ""
    if printed.keys() == closer.keys():
        is_same = printed[ahead] > printed[behind]
        note = ", as in the paper" if is_same else ", unlike the paper"
    return f"{ahead} is closer more often than {behind}{note}"


def _analogies(results: ResultsFolder) -> Iterator[Table]:
    title = "Embedding algebra: the paper's 20 analogies"
    found = results.by_model("paper_analogies")
    if not found:
        yield missing(title, EVALUATE)
    else:
        yield _paper_analogies(title, results, found)
    generated = results.by_model("generated_analogies")
    if generated:
        yield _scores(results, generated)


def _paper_analogies(title: str, results: ResultsFolder, found: Mapping[str, Json]) -> Table:
    answers = {
        **{
            f"{model} (paper)": [answer.to_json() for answer in paper_answers(model)]
            for model in paper.MODELS
        },
        **{model: each["answers"] for model, each in found.items()},
    }
    rows = [
        (
            *(code(text) for text in analogy.expressions),
            *(_answer(each[number]) for each in answers.values()),
        )
        for number, analogy in enumerate(paper_analogies())
    ]
    pools = ", ".join(f"{model} {each['pool']:,}" for model, each in found.items())
    return Table(
        title,
        ("x1", "y1", "y2", "x2", *answers),
        tuple(rows),
        (
            f"{_EXACT} as it is written, {_EQUIVALENT} the same function.",
            *(_analogy_reading(model, each) for model, each in answers.items()),
            f"Expressions searched: {pools}, x1, y1 and y2 left out as they are written: a model "
            "that brings equal expressions together often answers with another form of one of "
            "them, which is wrong unless the answer itself equals it, as y2 in an identity does.",
            *_taught(results, "analogy"),
            _UNIT_LENGTH,
            *_precision(results),
            origin(found.values()),
        ),
    )


def _answer(answer: Json) -> str:
    mark = _EXACT if answer["exact_rank"] == 1 else ""
    mark = mark or (_EQUIVALENT if answer["equivalent_rank"] == 1 else "")
    return f"{code(answer['found'][0])} {mark}".strip()


def _analogy_reading(model: str, answers: list[Json]) -> str:
    """How many are right, in all and by kind."""
    kinds = {
        kind: [answer for answer in answers if answer["kind"] == kind]
        for kind in dict.fromkeys(answer["kind"] for answer in answers)
    }
    by_kind = ", ".join(
        f"{_right(some, 'exact_rank')} of {len(some)} by {kind}" for kind, some in kinds.items()
    )
    return (
        f"{model}: {_right(answers, 'exact_rank')} of {len(answers)} exact ({by_kind}), "
        f"{_right(answers, 'equivalent_rank')} up to equivalence."
    )


def _right(answers: list[Json], key: str) -> int:
    return sum(answer[key] == 1 for answer in answers)


_BLENDED = (
    "How much of its earlier weights the default model keeps was chosen by these analogies and by "
    "the textbook identities; the paper's 20 are not in the rule, but had been seen."
)


def _scores(results: ResultsFolder, found: Mapping[str, Json]) -> Table:
    keys = ("exact_at_1", "exact_at_5", "equivalent_at_1", "equivalent_at_5")
    rows = [
        (
            *(model, score["kind"], f"{score['count']:,}", f"{each['pool']:,}"),
            *(share(score[key] / score["count"]) for key in keys),
        )
        for model, each in found.items()
        for score in each["scores"]
    ]
    count = max(score["count"] for each in found.values() for score in each["scores"])
    return Table(
        f"Embedding algebra: {count:,} analogies of the same kinds",
        (
            *("model", "kind", "analogies", "expressions searched", "exact recall@1"),
            *("exact recall@5", "recall@1 up to equivalence", "recall@5 up to equivalence"),
        ),
        tuple(rows),
        (
            *_score_readings(found),
            "Where an identity is asked for, any other form of y2 is right up to equivalence; many "
            "analogies add and take away the same tokens, so read them beside the bag of tokens.",
            *_taught(results, "analogy"),
            *([_BLENDED] if results.read("default_blends.json") else []),
            origin(found.values()),
        ),
    )


def _score_readings(found: Mapping[str, Json]) -> Iterator[str]:
    """Who answers most of each kind."""
    kinds = dict.fromkeys(score["kind"] for each in found.values() for score in each["scores"])
    for kind in kinds:
        shares = {
            model: score["exact_at_1"] / score["count"]
            for model, each in found.items()
            for score in each["scores"]
            if score["kind"] == kind
        }
        order = sorted(shares, key=lambda model: -shares[model])
        yield f"{kind}: {', '.join(f'{model} {shares[model]:.3f}' for model in order)}, exactly."


def _benchmark(results: ResultsFolder) -> Table:
    title = "A public benchmark: five tasks on committed sets"
    found = _benchmarked(results)
    if not found:
        return missing(title, EVALUATE)
    rows = [(task, *(share(each["row"][task]) for each in found)) for task in FIGURES]
    figure = results.picture("benchmark/benchmark.svg")
    return Table(
        title,
        ("task", *(each["model"] for each in found)),
        tuple(rows),
        (
            *_benchmark_readings(found),
            *_taught(results, "analogy"),
            *_taught(results, "mutants"),
            "The paper says that no standard tests exist; this is ours, for any encoder. More is "
            f"better, but for cosines: those with rewrites are to be read against `{COSINES[-1]}`. "
            "Whoever calls every pair equal has an F1 of 0.667.",
            *_benchmark_precision(results, found[0]),
            *_known_functions(results),
            origin(found),
        ),
        (Picture("The benchmark", figure),) if figure else (),
    )


def _benchmarked(results: ResultsFolder) -> list[Json]:
    """The benchmark of each model, with where it is from."""
    recorded = results.read("benchmark/benchmark.json")
    if recorded is None:
        return list(results.by_model("benchmark").values())
    facts = {name: value for name, value in recorded.items() if name != "models"}
    return [{**facts, **each} for each in recorded["models"]]


def _benchmark_precision(results: ResultsFolder, found: Json) -> Iterator[str]:
    """At which precision models ran: it says so itself, unless it was a part of an evaluation."""
    if "precision" in found:
        yield f"Our models ran at precision {found['precision']}."
    else:
        yield from _precision(results)


def _known_functions(results: ResultsFolder) -> Iterator[str]:
    """How many functions of the benchmark our models have seen in some form."""
    found = results.read("benchmark/overlap.json")
    if found is not None:
        counts = ", ".join(
            f"{each['in_training']:,} of {each['functions']:,} in {name}"
            for name, each in found["sets"].items()
        )
        yield (
            "The sets come from the sampler and rules of our corpora, and training has some form "
            f"of many of their functions ({counts}; `benchmark/overlap.json`): there our models "
            "may remember, and the baselines cannot."
        )


def _benchmark_readings(models: list[Json]) -> Iterator[str]:
    """Who is first in which figure."""
    firsts: dict[str, list[str]] = {}
    for task in FIGURES:
        if task not in COSINES:
            best = max(models, key=lambda each: float(each["row"][task]))
            firsts.setdefault(best["model"], []).append(task)
    for model, tasks in firsts.items():
        yield f"{model} is first in {'; '.join(tasks)}."
