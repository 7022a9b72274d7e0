"""The report's tables about vectors: retrieval, plots, neighbours, trees, analogies, benchmark."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from equivec.evaluate import paper_figures as paper
from equivec.evaluate.analogies import judge_answers, paper_analogies, paper_answers
from equivec.evaluate.distance_analysis import paper_neighbours
from equivec.evaluate.pages import Picture, Table
from equivec.evaluate.report_cells import against, code, missing, origin, share

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from equivec.evaluate.report import ResultsFolder

    Json = Mapping[str, Any]

_EVALUATE = "equivec evaluate MODEL... --out results/evaluation --corpus CORPUS"
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
        return missing(title, _EVALUATE)
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
        readings.append(f"Of {name}, {best['model']} finds most: {best['recall_1']:.3f} at once.")
    return Table(
        title,
        ("set", "model", "queries", "distractors", "recall@1", "recall@5", "recall@10", "MRR"),
        tuple(rows),
        (
            *readings,
            "The paper has no such table. A query shall find one other form of its function among "
            "random training expressions. No form of an unseen function is in training; the "
            "identities were written by hand and no training draws on them, but training may "
            "contain forms of their functions, which are left out of the distractors.",
            origin(each for _, each in found),
        ),
    )


def _first_recall(found: Json) -> float:
    return float(found["recall_1"])


def _plots(results: ResultsFolder) -> Table:
    title = "Embedding plots: classes on a plane and in the full space"
    found = [(label, each) for key, label in _MAPS.items() for each in _of(results, key)]
    if not found:
        return missing(title, _EVALUATE)
    published = [
        (f"{model} (paper)", "PCA", "7,030", "about 35%", share(value), *("",) * 7)
        for model, value in paper.PURITY.items()
    ]
    return Table(
        title,
        (
            *("model", "map", "expressions", "from training", "1-NN, plane", "5-NN, plane"),
            *("silhouette, plane", "nearest centroid, plane", "1-NN, full", "5-NN, full"),
            *("silhouette, full", "1-NN, full, labels shuffled"),
        ),
        (*published, *(_plot_row(label, each) for label, each in found)),
        (
            *_plot_readings(found),
            "Four classes: polynomial, trigonometric, hyperbolic, logarithmic or exponential. The "
            "paper's figures are computed from the coordinates its authors published, of their "
            "expressions; ours are of expressions made in their style.",
            origin(each for _, each in found),
        ),
        tuple(
            Picture(f"{each['model']}, {label}", path)
            for (label, each), path in zip(found, _plot_paths(results), strict=True)
            if path.exists()
        ),
    )


def _of(results: ResultsFolder, key: str) -> list[Json]:
    return list(results.by_model(key).values())


def _plot_paths(results: ResultsFolder) -> list[Any]:
    return [
        (results.path / name).with_suffix(".png")
        for key in _MAPS
        for name in results.read_all(f"evaluation/*/{key}.json")
    ]


def _plot_row(label: str, each: Json) -> tuple[str, ...]:
    plane, full, count = each["plane"], each["full"], sum(each["classes"].values())
    return (
        *(each["model"], label, f"{count:,}", f"{100 * each['from_training'] / count:.0f}%"),
        *(share(plane[key]) for key in ("purity_at_1", "purity_at_5", "silhouette")),
        share(plane["centroid_accuracy"]),
        *(share(full[key]) for key in ("purity_at_1", "purity_at_5", "silhouette")),
        share(each["full_shuffled"]["purity_at_1"]),
    )


def _plot_readings(found: list[tuple[str, Json]]) -> Iterator[str]:
    for label, each in found:
        printed = paper.PURITY.get(each["model"])
        if label == "PCA" and printed is not None:
            purity = each["plane"]["purity_at_1"]
            yield f"{each['model']}: 1-NN purity by PCA {against(purity, printed)} of the paper."
    label, best = max(found, key=lambda row: float(row[1]["plane"]["purity_at_1"]))
    yield (
        f"The purest plane is {label} of {best['model']}, {best['plane']['purity_at_1']:.3f}; "
        "two principal components say little of a space of hundreds of dimensions."
    )


def _distances(results: ResultsFolder) -> Table:
    title = "Distance analysis: the five nearest training expressions to the paper's queries"
    found = results.by_model("distance_analysis")
    if not found:
        return missing(title, _EVALUATE)
    columns = [
        *(analysis.to_json()["queries"] for analysis in paper_neighbours().values()),
        *(each["queries"] for each in found.values()),
    ]
    rows = [
        (
            code(asked["query"]) if place == 0 else "",
            *(code(column[number]["neighbours"][place]["expression"]) for column in columns),
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
            f"Expressions searched: {pools}; the paper's 2,744,824.",
            origin(found.values()),
        ),
    )


def _distance_reading(model: str, found: Json) -> str:
    distances = [
        near["distances"]["without constants"]
        for query in found["queries"]
        for near in query["neighbours"]
    ]
    theirs = [
        near.distances["without constants"]
        for query in paper_neighbours()["SemEmb"].queries
        for near in query.neighbours
    ]
    return (
        f"{model}: mean tree edit distance from the query, constants left out, "
        f"{sum(distances) / len(distances):.2f} (the paper's SemEmb "
        f"{sum(theirs) / len(theirs):.2f})."
    )


def _trees(results: ResultsFolder) -> Table:
    title = "Tree edit distance: whose nearest expressions are strictly closer to the query"
    found = results.read("evaluation/tree_edit_distance.json")
    if found is None:
        return missing(title, _EVALUATE)
    left, right = paper.MODELS
    published = []
    for form, counts in paper.TREE_EDIT.items():
        ties = paper.TREE_EDIT_QUERIES - sum(counts.values())
        published.append(
            (
                "paper",
                form,
                "1",
                left,
                right,
                *(f"{counts[m]:,}" for m in paper.MODELS),
                f"{ties:,}",
            )
        )
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
            f"{found['queries']:,} queries of the test set. `docs/evaluation.md` says what each "
            "form leaves out; the paper does not say at which levels it does.",
            origin([found]),
        ),
    )


def _tree_readings(found: Json) -> Iterator[str]:
    """Who is ahead with the nearest expression, and whether the paper says so too."""
    for match in found["matches"]:
        closer = {match[side]: match[f"{side}_closer"] for side in ("left", "right")}
        if match["k"] == 1:
            ahead, behind = sorted(closer, key=lambda model: -closer[model])
            printed = paper.TREE_EDIT.get(match["form"])
            note = ""
            if printed is not None and printed.keys() == closer.keys():
                is_same = printed[ahead] > printed[behind]
                note = ", as in the paper" if is_same else ", unlike the paper"
            yield f"{match['form']}: {ahead} is closer more often than {behind}{note}."


def _analogies(results: ResultsFolder) -> Iterator[Table]:
    title = "Embedding algebra: the paper's 20 analogies"
    found = results.by_model("paper_analogies")
    if not found:
        yield missing(title, _EVALUATE)
    else:
        yield _paper_analogies(title, found)
    generated = results.by_model("generated_analogies")
    if generated:
        yield _scores("Embedding algebra: 1,200 analogies of the same kinds", generated)


def _paper_analogies(title: str, found: Mapping[str, Json]) -> Table:
    answers = {
        **{
            f"{model} (paper)": [
                answer.to_json()
                for answer in judge_answers(
                    paper_analogies(), [[text] for text in paper_answers(model)]
                )
            ]
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
    scores = "; ".join(
        f"{model} {_right(each, 'exact_rank')} exact, {_right(each, 'equivalent_rank')} up to "
        f"equivalence"
        for model, each in answers.items()
    )
    pools = ", ".join(f"{model} {each['pool']:,}" for model, each in found.items())
    return Table(
        title,
        ("x1", "y1", "y2", "x2", *answers),
        tuple(rows),
        (
            f"{_EXACT} as it is written, {_EQUIVALENT} the same function. Of 20: {scores}.",
            f"Expressions searched: {pools}, x1, y1 and y2 left out.",
            origin(found.values()),
        ),
    )


def _answer(answer: Json) -> str:
    mark = _EXACT if answer["exact_rank"] == 1 else ""
    mark = mark or (_EQUIVALENT if answer["equivalent_rank"] == 1 else "")
    return f"{code(answer['found'][0])} {mark}".strip()


def _right(answers: list[Json], key: str) -> int:
    return sum(answer[key] == 1 for answer in answers)


def _scores(title: str, found: Mapping[str, Json]) -> Table:
    keys = ("exact_at_1", "exact_at_5", "equivalent_at_1", "equivalent_at_5")
    rows = [
        (
            *(model, score["kind"], f"{score['count']:,}", f"{each['pool']:,}"),
            *(share(score[key] / score["count"]) for key in keys),
        )
        for model, each in found.items()
        for score in each["scores"]
    ]
    return Table(
        title,
        (
            *("model", "kind", "analogies", "expressions searched", "exact recall@1"),
            *("exact recall@5", "recall@1 up to equivalence", "recall@5 up to equivalence"),
        ),
        tuple(rows),
        (
            "Where an identity is asked for, any other form of y2 is right up to equivalence; many "
            "analogies add and take away the same tokens, so read them beside the bag of tokens.",
            origin(found.values()),
        ),
    )


def _benchmark(results: ResultsFolder) -> Table:
    title = "A public benchmark: five tasks on committed sets"
    found = results.read("benchmark/benchmark.json")
    if found is None:
        return missing(title, "equivec benchmark MODEL... --out results/benchmark")
    models = found["models"]
    rows = [(task, *(share(each["row"][task]) for each in models)) for task in models[0]["row"]]
    figure = results.path / "benchmark" / "benchmark.svg"
    return Table(
        title,
        ("task", *(each["model"] for each in models)),
        tuple(rows),
        (
            "The paper says that no standard tests exist; this is ours, for any encoder. More is "
            "better but in the last row, which the two above it are to be read against.",
            origin([found]),
        ),
        (Picture("The benchmark", figure),) if figure.exists() else (),
    )
