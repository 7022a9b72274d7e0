"""The report's tables about vectors: retrieval, plots, neighbours, trees, analogies, benchmark."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING

from equivec.embed.baselines import BagOfTokens
from equivec.evaluate.analogies import AnalogyResult, paper_analogies, score_answers
from equivec.evaluate.benchmark import COSINES, FIGURES, BenchmarkFile, BenchmarkResult
from equivec.evaluate.distance_analysis import DistanceAnalysis
from equivec.evaluate.retrieval import Retrieval
from equivec.storage.values import read_record
from equivec_reproduction import published as paper
from equivec_reproduction.measured import BenchmarkOverlap, IdentitiesOverlap
from equivec_reproduction.pages import Picture, Table
from equivec_reproduction.plots_table import plots_table
from equivec_reproduction.published import paper_answers, paper_neighbours
from equivec_reproduction.sentences import (
    EVALUATE,
    UNIT_LENGTH,
    against,
    code,
    missing,
    origin,
    precision,
    share,
    taught,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from equivec.evaluate.analogies import AnalogyScore, Answer
    from equivec.evaluate.distance_analysis import QueryNeighbours
    from equivec.evaluate.provenance import Provenance, Recorded
    from equivec.evaluate.tree_edit_comparison import Match, TreeEditComparison
    from equivec_reproduction.folder import ResultsFolder

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
    recorded = [
        (name, each)
        for name, key in sets.items()
        for each in results.by_model(key, Retrieval).values()
    ]
    if not recorded:
        return missing(title, EVALUATE)
    found = [(name, each.result) for name, each in recorded]
    rows = [
        (
            *(name, each.model, f"{each.queries:,}", f"{each.distractors:,}"),
            *map(share, (each.recall_1, each.recall_5, each.recall_10, each.mrr)),
        )
        for name, each in found
    ]
    readings = []
    for name in dict.fromkeys(name for name, _ in found):
        some = (each for other, each in found if other == name)
        best = max(some, key=lambda each: each.recall_1)
        readings.append(f"{name}: {best.model} has the best recall@1, {best.recall_1:.3f}.")
    return Table(
        title,
        ("set", "model", "queries", "distractors", "recall@1", "recall@5", "recall@10", "MRR"),
        tuple(rows),
        (
            *readings,
            " ".join(
                (
                    "The paper has no such table. Another form of the query's function is to be "
                    "nearer to it than all distractors, random training expressions; a tie counts "
                    "as a miss. No form of an unseen function is in training.",
                    *results.notes("retrieval"),
                    "These are left out of the distractors.",
                )
            ),
            *_known_identities(results),
            *precision(results),
            origin(each.origin for _, each in recorded),
        ),
    )


def _known_identities(results: ResultsFolder) -> Iterator[str]:
    """How many identities training's sources have, and how the default model does without."""
    recorded = results.read("identities_overlap.json", IdentitiesOverlap)
    if recorded is None:
        return
    found = recorded.result
    known, one, both = (
        f"{count:,} ({count / found.identities:.0%})"
        for count in (found.function_in_training, found.a_side_verbatim, found.both_sides_verbatim)
    )
    yield (
        f"Of the {found.identities:,} identities, {known} have their function in `data/sample` or "
        "among the sources that `reproduction/make_extra_corpora` draws today; what was trained on "
        f"is not kept. Word for word, {one} have at least one side among "
        f"these sources, {both} have both. Among {found.distractors:,} expressions of the "
        "sample, the default model's recall@1 is "
        f"{share(found.recall_1_of_functions_in_training)} where the function is known to be in "
        f"training and {share(found.recall_1_of_other_functions)} for the others. "
        f"{origin([recorded.origin])}"
    )


def _distances(results: ResultsFolder) -> Table:
    title = "Distance analysis: the five nearest training expressions to the paper's queries"
    found = results.by_model("distance_analysis", DistanceAnalysis)
    if not found:
        return missing(title, EVALUATE)
    published = paper_neighbours()
    ours = [each.result for each in found.values()]
    columns = [analysis.queries for analysis in (*published.values(), *ours)]
    rows = [
        (
            code(asked.query) if place == 0 else "",
            *(_neighbour(column[number], place) for column in columns),
        )
        for number, asked in enumerate(columns[0])
        for place in range(len(asked.neighbours))
    ]
    pools = ", ".join(f"{each.model} {each.pool:,}" for each in ours)
    return Table(
        title,
        ("query", *(f"{model} (paper)" for model in published), *found),
        tuple(rows),
        (
            *(_distance_reading(each, published) for each in ours),
            f"Expressions searched: {pools}; the paper's {paper.TRAINING_EXPRESSIONS:,}, other "
            "ones. The query itself is left out; the paper's lists have it twice. A model that "
            "brings equal expressions together finds forms that look unlike the query, so that "
            "its trees lie further away.",
            *precision(results),
            origin(each.origin for each in found.values()),
        ),
    )


def _neighbour(found: QueryNeighbours, place: int) -> str:
    near = found.neighbours
    return code(near[place].expression) if place < len(near) else ""


def _distance_reading(found: DistanceAnalysis, published: Mapping[str, DistanceAnalysis]) -> str:
    counterpart = found.model if found.model in published else paper.SEMANTIC
    ours, printed = _mean_distance(found), _mean_distance(published[counterpart])
    return (
        f"{found.model}: mean tree edit distance from the query, constants left out, "
        f"{against(ours, printed, 2)} of the paper's {counterpart}."
    )


def _mean_distance(found: DistanceAnalysis) -> float:
    return fmean(
        near.distances["without constants"] for query in found.queries for near in query.neighbours
    )


def _trees(results: ResultsFolder) -> Table:
    title = "Tree edit distance: whose nearest expressions are strictly closer to the query"
    found = results.comparison
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
    searched = results.by_model("distance_analysis", DistanceAnalysis).values()
    pools = {f"{each.result.pool:,} " for each in searched}
    ours = [
        (
            *("ours", match.form, str(match.k), match.left, match.right),
            *(f"{count:,}" for count in (match.left_closer, match.right_closer, match.ties)),
        )
        for match in found.matches
    ]
    return Table(
        title,
        ("whose", "form", "nearest", "left", "right", "left closer", "right closer", "ties"),
        (*published, *ours),
        (
            *_tree_readings(found),
            f"{found.queries:,} queries of the test set, among {'or '.join(sorted(pools))}"
            "training expressions. `docs/evaluation.md` says what each form leaves out; the paper "
            "does not say at which levels it does.",
            *precision(results, among={side for row in ours for side in row[3:5]}),
            origin(found.models),
        ),
    )


def _tree_readings(found: TreeEditComparison) -> Iterator[str]:
    """Who is ahead with the nearest expressions of each form."""
    groups: dict[str, list[str]] = {}
    for match in found.matches:
        if BagOfTokens.name not in (match.left, match.right):
            which = "the nearest" if match.k == 1 else f"the nearest {match.k}"
            groups.setdefault(f"{match.form}, {which}", []).append(_tree_reading(match))
    for name, readings in groups.items():
        yield f"{name}: {'; '.join(readings)}."


def _tree_reading(match: Match) -> str:
    """Which of two models is closer more often, and whether the paper says so too."""
    closer = {match.left: match.left_closer, match.right: match.right_closer}
    ahead, behind = sorted(closer, key=lambda model: -closer[model])
    if closer[ahead] - closer[behind] <= 2 * sum(closer.values()) ** 0.5:  # by chance
        return f"{ahead} is closer about as often as {behind}"
    printed = paper.TREE_EDIT.get(match.form, {}) if match.k == 1 else {}
    note = ""
    if printed.keys() == closer.keys():
        is_same = printed[ahead] > printed[behind]
        note = ", as in the paper" if is_same else ", unlike the paper"
    return f"{ahead} is closer more often than {behind}{note}"


def _analogies(results: ResultsFolder) -> Iterator[Table]:
    title = "Embedding algebra: the paper's 20 analogies"
    found = results.by_model("paper_analogies", AnalogyResult)
    if not found:
        yield missing(title, EVALUATE)
    else:
        yield _paper_analogies(title, results, found)
    generated = results.by_model("generated_analogies", AnalogyResult)
    if generated:
        yield _scores(results, generated)


def _paper_analogies(
    title: str, results: ResultsFolder, found: Mapping[str, Recorded[AnalogyResult]]
) -> Table:
    answers: dict[str, Sequence[Answer]] = {
        **{f"{model} (paper)": paper_answers(model) for model in paper.MODELS},
        **{model: each.result.answers for model, each in found.items()},
    }
    rows = [
        (
            *(code(text) for text in analogy.expressions),
            *(_answer(each[number]) for each in answers.values()),
        )
        for number, analogy in enumerate(paper_analogies())
    ]
    pools = ", ".join(f"{model} {each.result.pool:,}" for model, each in found.items())
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
            origin(each.origin for each in found.values()),
        ),
    )


def _answer(answer: Answer) -> str:
    mark = _EXACT if answer.exact_rank == 1 else ""
    mark = mark or (_EQUIVALENT if answer.equivalent_rank == 1 else "")
    nearest = code(answer.found[0]) if answer.found else ""  # vectors may cancel out
    return f"{nearest} {mark}".strip()


def _analogy_reading(model: str, answers: Sequence[Answer]) -> str:
    """How many are right, in all and by kind."""
    *kinds, total = score_answers(answers)
    by_kind = ", ".join(f"{each.exact_at_1} of {each.count} by {each.kind}" for each in kinds)
    return (
        f"{model}: {total.exact_at_1} of {total.count} exact ({by_kind}), "
        f"{total.equivalent_at_1} up to equivalence."
    )


def _scores(results: ResultsFolder, found: Mapping[str, Recorded[AnalogyResult]]) -> Table:
    scores = [(each.result, score) for each in found.values() for score in each.result.scores]
    rows = [
        (
            *(each.model, score.kind, f"{score.count:,}", f"{each.pool:,}"),
            *(share(count / score.count) for count in _counts(score)),
        )
        for each, score in scores
    ]
    count = max(score.count for _, score in scores)
    return Table(
        f"Embedding algebra: {count:,} analogies of the same kinds",
        (
            *("model", "kind", "analogies", "expressions searched", "exact recall@1"),
            *("exact recall@5", "recall@1 up to equivalence", "recall@5 up to equivalence"),
        ),
        tuple(rows),
        (
            *_score_readings(scores),
            "Where an identity is asked for, any other form of y2 is right up to equivalence; many "
            "analogies add and take away the same tokens, so read them beside the bag of tokens.",
            *taught(results, "analogy"),
            *results.notes("generated analogies"),
            origin(each.origin for each in found.values()),
        ),
    )


def _counts(score: AnalogyScore) -> tuple[int, ...]:
    return score.exact_at_1, score.exact_at_5, score.equivalent_at_1, score.equivalent_at_5


def _score_readings(scores: Sequence[tuple[AnalogyResult, AnalogyScore]]) -> Iterator[str]:
    """Who answers most of each kind."""
    for kind in dict.fromkeys(score.kind for _, score in scores):
        shares = {
            each.model: score.exact_at_1 / score.count
            for each, score in scores
            if score.kind == kind
        }
        order = sorted(shares, key=lambda model: -shares[model])
        yield f"{kind}: {', '.join(f'{model} {shares[model]:.3f}' for model in order)}, exactly."


def _benchmark(results: ResultsFolder) -> Table:
    title = "A public benchmark: five tasks on committed sets"
    found, origins, how = _benchmarked(results)
    if not found:
        return missing(title, EVALUATE)
    rows = [(task, *(share(each.row[task]) for each in found)) for task in FIGURES]
    figure = results.picture("benchmark/benchmark.svg")
    return Table(
        title,
        ("task", *(each.model for each in found)),
        tuple(rows),
        (
            *_benchmark_readings(found),
            *taught(results, "analogy"),
            *taught(results, "mutants"),
            "The paper says that no standard tests exist; this is ours, for any encoder. More is "
            f"better, but for cosines: those with rewrites are to be read against `{COSINES[-1]}`. "
            "Whoever calls every pair equal has an F1 of 0.667.",
            *how,
            *_known_functions(results),
            origin(origins),
        ),
        (Picture("The benchmark", figure),) if figure else (),
    )


def _benchmarked(
    results: ResultsFolder,
) -> tuple[list[BenchmarkResult], list[Provenance], tuple[str, ...]]:
    """The benchmark of each model, where it is from, and at which precision models ran."""
    path = results.path / "benchmark" / "benchmark.json"
    if path.is_file():
        kept = read_record(path, BenchmarkFile)
        ran_at = f"Our models ran at precision {kept.precision}."
        how = (ran_at,) if kept.precision else tuple(precision(results))
        return list(kept.models), [kept], how
    found = results.by_model("benchmark", BenchmarkResult).values()
    how = tuple(precision(results))
    return [each.result for each in found], [each.origin for each in found], how


def _known_functions(results: ResultsFolder) -> Iterator[str]:
    """How many functions of the benchmark our models have seen in some form."""
    found = results.read("benchmark/overlap.json", BenchmarkOverlap)
    if found is not None:
        counts = ", ".join(
            f"{each.in_training:,} of {each.functions:,} in {name}"
            for name, each in found.result.sets.items()
        )
        source = ", ".join(("`benchmark/overlap.json`", *results.notes("benchmark, overlap")))
        yield (
            "The sets come from the sampler and rules of our corpora, and the corpora that the "
            "default model was trained on, of which the others saw one, have some form of many of "
            f"their functions ({counts}; {source}): there our models may remember, and the "
            "baselines cannot."
        )


def _benchmark_readings(models: Sequence[BenchmarkResult]) -> Iterator[str]:
    """Who is first in which figure."""
    firsts: dict[str, list[str]] = {}
    for task in FIGURES:
        if task not in COSINES:
            best = max(models, key=lambda each: each.row[task])
            firsts.setdefault(best.model, []).append(task)
    for model, tasks in firsts.items():
        yield f"{model} is first in {'; '.join(tasks)}."
