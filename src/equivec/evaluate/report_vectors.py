"""The report's tables about vectors: retrieval, plots, neighbours, trees, analogies, benchmark."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from equivec.embed.baselines import BagOfTokens
from equivec.evaluate import paper_figures as paper
from equivec.evaluate.analogies import paper_analogies, paper_answers
from equivec.evaluate.benchmark import COSINES, FIGURES
from equivec.evaluate.distance_analysis import paper_neighbours
from equivec.evaluate.pages import Picture, Table
from equivec.evaluate.report_cells import EVALUATE, against, code, missing, origin, share
from equivec.evaluate.report_notes import UNIT_LENGTH, precision, taught
from equivec.evaluate.report_plots import plots_table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from equivec.evaluate.report import ResultsFolder

    Json = Mapping[str, Any]

_EXACT, _EQUIVALENT = "✓", "≈"


def vector_tables(results: ResultsFolder) -> Iterator[Table]:
    """The tables, in the order of the paper, and then those beyond it."""
    yield _retrieval(results)
    yield plots_table(results)
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
            "of an unseen function is in training. The identities are a development set: data and "
            "settings of the default model were chosen by them, which flatters it, and training "
            "has forms of most of their functions. These are left out of the distractors.",
            *_known_identities(results),
            *precision(results),
            origin(each for _, each in found),
        ),
    )


def _known_identities(results: ResultsFolder) -> Iterator[str]:
    """How many identities training's sources have, and how the default model does without."""
    found = results.read("identities_overlap.json")
    if found is None:
        return
    count = found["identities"]
    known, one, both = (
        f"{found[key]:,} ({found[key] / count:.0%})"
        for key in ("function_in_training", "a_side_verbatim", "both_sides_verbatim")
    )
    first, other = (
        share(found[f"recall_1_of_{kind}"]) for kind in ("functions_in_training", "other_functions")
    )
    yield (
        f"Of the {count:,} identities, {known} have their function in `data/sample` or among the "
        "sources that `scripts/make_extra_corpora` draws today; what was trained on is not kept. "
        f"Word for word, {one} have at least one side among "
        f"these sources, {both} have both. Among {found['distractors']:,} expressions of the "
        f"sample, the default model's recall@1 is {first} where the function is known to be in "
        f"training and {other} for the others. "
        f"{origin([found])}"
    )


def _first_recall(found: Json) -> float:
    return float(found["recall_1"])


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
            *precision(results),
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
            *precision(results, among={side for row in ours for side in row[3:5]}),
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
            f"Expressions searched: {pools}, the analogies' own among them; x1, y1 and y2 are left "
            "out as they are written: a model that brings equal expressions together often answers "
            "with another form of one of them, which is wrong unless the answer itself equals it, "
            "as y2 in an identity does.",
            *taught(results, "analogy"),
            UNIT_LENGTH,
            *precision(results),
            origin(found.values()),
        ),
    )


def _answer(answer: Json) -> str:
    mark = _EXACT if answer["exact_rank"] == 1 else ""
    mark = mark or (_EQUIVALENT if answer["equivalent_rank"] == 1 else "")
    nearest = code(answer["found"][0]) if answer["found"] else ""  # vectors may cancel out
    return f"{nearest} {mark}".strip()


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
            *taught(results, "analogy"),
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
            *taught(results, "analogy"),
            *taught(results, "mutants"),
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
        yield from precision(results)


def _known_functions(results: ResultsFolder) -> Iterator[str]:
    """How many functions of the benchmark our models have seen in some form."""
    found = results.read("benchmark/overlap.json")
    if found is not None:
        counts = ", ".join(
            f"{each['in_training']:,} of {each['functions']:,} in {name}"
            for name, each in found["sets"].items()
        )
        yield (
            "The sets come from the sampler and rules of our corpora, and the corpora that the "
            "default model was trained on, of which the others saw one, have some form of many of "
            f"their functions ({counts}; `benchmark/overlap.json`, counted before its last "
            "training, whose corpora were built again): there our models may remember, and the "
            "baselines cannot."
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
