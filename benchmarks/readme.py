"""What README and docs/speed.md say in numbers, from results/: `python -m benchmarks.readme`."""

from __future__ import annotations

import re
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING

from benchmarks.timing import Row, Rows
from equivec.evaluate.analogies import AnalogyResult, score_answers
from equivec.evaluate.embedding_plots import PlotMeasures
from equivec.evaluate.generation import GenerationResult
from equivec.evaluate.retrieval import Retrieval
from equivec.storage.values import read_record
from equivec_reproduction import published as paper
from equivec_reproduction.folder import ResultsFolder
from equivec_reproduction.published_semvec import PUBLISHED_UNSEEN, best_published
from equivec_reproduction.semvec_cells import ABOVE, EQUAL, mark
from equivec_reproduction.semvec_results import FROM_ROWS, Results

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from equivec.evaluate.analogies import AnalogyScore
    from equivec_reproduction.semvec_results import ScoredNetwork

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "results"
PLAIN = "SemEmb-plain"
README, SPEED = ROOT / "README.md", ROOT / "docs" / "speed.md"
_SPEED_HEADINGS = ("what", "ours", "alternative", "ratio", "goal")
_QUALITY_HEADINGS = ("what was measured", "ours", "beside it", "can you measure it again?")
_RETRIEVALS = {
    "retrieval": "{queries:,} functions that training has in no form: another form of the query "
    "is nearer than {distractors:,} other expressions",
    "identities": "{queries:,} textbook identities: one side is nearer to the other than "
    "{distractors:,} other expressions",
}
_NEEDS_CORPUS = "with a corpus that you build ([how](docs/corpus.md)): figures differ a little"


def read_rows() -> list[Row]:
    """The rows of all benchmarks that were kept, by their names."""
    files = sorted((RESULTS / "benchmarks").glob("*.json"))
    return [row for path in files for row in read_record(path, Rows).rows]


def with_figures(readme: str) -> str:
    """The README with its two tables: how good the models are, and how fast the package is."""
    readme = _filled(readme, "quality", _QUALITY_HEADINGS, quality_rows())
    return _filled(readme, "benchmarks", _SPEED_HEADINGS, map(_speed, headlines(read_rows())))


def with_all_rows(page: str) -> str:
    """The page of speed with every row."""
    return _filled(page, "benchmarks", _SPEED_HEADINGS, map(_speed, read_rows()))


def headlines(rows: Sequence[Row]) -> list[Row]:
    """Of each benchmark the first row that compares us with somebody, and whatever was lost."""
    compared = [row for row in rows if row.ratio is not None]
    firsts = {row.benchmark: row for row in reversed(compared)}
    return [row for row in compared if row is firsts[row.benchmark] or is_lost(row)]


def is_lost(row: Row) -> bool:
    """Whether a goal was missed, or the alternative was faster where there is none."""
    ratio, goal = row.ratio or 0.0, row.goal or 1.0
    # In service-memory the goal is the most that may be taken.
    return ratio > goal if row.benchmark == "service-memory" else ratio < goal


def quality_rows() -> Iterator[tuple[str, ...]]:
    """What was measured of our models, with every model and baseline that was measured beside."""
    yield from _retrieval_rows()
    yield _analogies_row()
    yield _plane_row()
    yield _writing_row(
        "an equivalent of 5,000 tests is written with beams of 1, 10 and 50; SymPy judges",
        {"SemEmb": "free-sympy", PLAIN: "free-sympy"},
        {"the paper's SemEmb, on its own tests": paper.ACCURACY["test", "SemEmb"]},
        "no: the decoders of SemEmb and SemEmb-plain are not published",
    )
    yield _writing_row(
        "the same, where the input itself may not be written; our judge",
        {"default": "other-ours", "SemEmb": "other-ours", PLAIN: "other-ours"},
        {},
        "`default`: yes, `equivec model generate` and `equivec evaluate accuracy`; the others: no",
    )
    yield from _semvec_rows()


def _retrieval_rows() -> Iterator[tuple[str, ...]]:
    """What models find, the bundled one first."""
    for evaluation, what in _RETRIEVALS.items():
        found = ResultsFolder(RESULTS).by_model(evaluation, Retrieval)
        figures = {model: f"{each.result.recall_1:.3f}" for model, each in found.items()}
        ours = found["default"].result
        told = what.format(queries=ours.queries, distractors=ours.distractors)
        yield told, *_beside("default", figures), _NEEDS_CORPUS


def _analogies_row() -> tuple[str, ...]:
    """The paper's analogies, answered by the bundled model, the paper's models and the others."""
    found = ResultsFolder(RESULTS).by_model("paper_analogies", AnalogyResult)
    figures = {model: _right(each.result.scores[-1]) for model, each in found.items()}
    for model in paper.MODELS:
        theirs = score_answers(paper.paper_answers(model))[-1]
        figures[f"the paper's {model}"] = _right(theirs)
    ours = found["default"].result
    return (
        f"{ours.scores[-1].count} analogies of the paper: the nearest of {ours.pool:,} expressions "
        "is the answer (or equals it)",
        *_beside("default", figures),
        _NEEDS_CORPUS,
    )


def _right(score: AnalogyScore) -> str:
    """How many answers are exact, and how many are right up to equivalence."""
    return f"{score.exact_at_1} ({score.equivalent_at_1})"


def _plane_row() -> tuple[str, ...]:
    """The planes of all models, where 35% of the expressions are from training and where none."""
    planes: dict[str, list[float]] = {}
    for name in ("corpus", "fresh"):
        found = ResultsFolder(RESULTS).read_all(f"plots/{name}/*/plot_pca.json", PlotMeasures)
        for plot in (each.result for each in found.values()):
            count = sum(plot.classes.values())
            planes.setdefault(plot.model, []).append(plot.plane.purity_at_1)
    figures = {
        model: ", ".join(f"{value:.3f}" for value in values) for model, values in planes.items()
    }
    for model, value in paper.PURITY.items():
        figures[f"the paper's {model}, of its own expressions"] = f"{value:.3f}"
    return (
        f"{count:,} expressions of four classes on a plane by PCA: the nearest is of the same "
        "class; first 35% of them are from training, as in the paper, then they are new draws",
        *_beside("SemEmb", figures),
        "yes: `equivec evaluate run models/SemEmb --only plot_pca --out out "
        "--plot-file results/plots/fresh/plot_set.tsv`",
    )


def _beside(model: str, figures: Mapping[str, str]) -> tuple[str, str]:
    """A model's figure, and the others' from the best down."""
    others = sorted(
        (name for name in figures if name != model),
        key=lambda name: -float(figures[name].split()[0].rstrip(",")),
    )
    return f"{model} {figures[model]}", "; ".join(f"{name} {figures[name]}" for name in others)


def _writing_row(
    what: str, models: Mapping[str, str], papers: Mapping[str, Mapping[int, float]], again: str
) -> tuple[str, ...]:
    """How often models write an equivalent, by beam; the first is ours."""
    figures = {
        model: ", ".join(
            f"{solved:.3f} ({beyond_order:.3f})" for solved, beyond_order in _written(model, kind)
        )
        for model, kind in models.items()
    }
    for model, accuracy in papers.items():
        figures[model] = ", ".join(f"{value:.3f}" for value in accuracy.values())
    return what, *_beside(next(iter(models)), figures), again


def _written(model: str, kind: str) -> Iterator[tuple[float, float]]:
    """How a model's equivalents were judged, both test sets as one, by beam."""
    files = (f"generation/{model}-{engine}-{kind}.json" for engine in ("rules", "sympy"))
    found = [read_record(RESULTS / name, GenerationResult) for name in files]
    rows = [row for each in found for row in each.rows]
    for beam in sorted({row.beam for row in rows}):
        parts = [row for row in rows if row.beam == beam]
        inputs = sum(row.inputs for row in parts)
        solved = sum(row.solved * row.inputs for row in parts)
        beyond_order = sum(row.solved_beyond_order * row.inputs for row in parts)
        yield solved / inputs, beyond_order / inputs


def _semvec_rows() -> Iterator[tuple[str, ...]]:
    """SemVec by training rows alone, and by what was deduced from them, with and without."""
    results, names = Results.read(RESULTS), list(PUBLISHED_UNSEEN)
    assert results.worlds is not None
    worlds = [fmean(results.worlds.result.unseen(name)) for name in names]
    trained = [_score(results.of(name, *FROM_ROWS)) for name in names]
    figures = {
        "ours": f"LatentWorlds {fmean(worlds):.1f} {_verdict(worlds, map(best_published, names))}",
        "our SemEmb networks, the best on validation": (
            f"{fmean(trained):.1f} {_verdict(trained, map(best_published, names))}"
        ),
        "the best published of each": f"{fmean(map(best_published, names)):.1f}",
        **{
            f"our {setting}": f"{fmean(_score(results.of(name, setting)) for name in names):.1f}"
            for setting in ("SemEmb", "StructEmb")
        },
        "random weights": f"{fmean(_score(results.untrained(name)) for name in names):.1f}",
    }
    for model, whose in (("EqNet", ""), ("SemEmb", "the paper's "), ("StructEmb", "the paper's ")):
        published = [PUBLISHED_UNSEEN[name][model] or 0.0 for name in names]
        figures[f"{whose}{model}"] = f"{fmean(published):.1f}"
    most = fmean(results.ceiling(name, "unseen") or 0.0 for name in names)
    own, others = _beside("ours", figures)
    yield (
        f"SemVec, classes unseen in training, mean score_5 of {len(names)} datasets (at most "
        f"{most:.1f}), trained on the training rows alone",
        own.removeprefix("ours "),
        others,
        "LatentWorlds: yes, `equivec semvec worlds all --data DATA --networks models/semvec`; the "
        "others: no, train others ([how](docs/semvec_training.md))",
    )
    deduced = results.deduced
    alone = [each.union_find for each in deduced.values()]
    shown = [_score(results.of(name)) for name in deduced]
    goals = [best_published(name) for name in deduced]
    yield (
        f"SemVec, {len(deduced)} datasets, networks that were also shown what follows from the "
        "training rows by deduction: most expressions of the unseen classes are among their inputs",
        f"{fmean(shown):.1f}",
        f"deduction by union-find without any network {fmean(alone):.1f} {_verdict(alone, goals)}; "
        f"the best published of each {fmean(goals):.1f}",
        "deduction: yes, `equivec-reproduction record deduction DATA` with the published files; "
        "the networks: no",
    )


def _verdict(ours: Iterable[float], goals: Iterable[float]) -> str:
    """On how many datasets scores are above the best published ones, by the printed decimal."""
    marks = [mark(own, goal) for own, goal in zip(ours, goals, strict=True)]
    above, equal = marks.count(ABOVE), marks.count(EQUAL)
    return (
        f"(above the best published on {above} of {len(marks)}, equal on {equal}, below on "
        f"{len(marks) - above - equal})"
    )


def _score(network: ScoredNetwork | None) -> float:
    score = network.score_5("unseen") if network else None
    assert score is not None, "what is compared was measured on every dataset"
    return score


def _speed(row: Row) -> tuple[str, ...]:
    what = f"{row.benchmark}: {row.what}"
    if row.ratio is None or row.alternative is None:
        return what, f"{_number(row.ours)} {row.unit}".strip(), "", "", ""
    values = (f"{_number(value)} {row.unit}" for value in (row.ours, row.alternative))
    goal = f"{_number(row.goal)}x" if row.goal else ""
    return what, *values, f"{_number(row.ratio)}x", goal


def _filled(
    page: str, name: str, headings: tuple[str, ...], rows: Iterable[tuple[str, ...]]
) -> str:
    """The page with a table between the marks of a name."""
    lines = [headings, ("---",) * len(headings), *rows]
    table = "".join(f"| {' | '.join(cells)} |\n" for cells in lines)
    block = re.compile(rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)", re.DOTALL)
    page, count = block.subn(lambda match: match[1] + table + match[2], page)
    assert count == 1, f"the page has {count} places for the table {name!r}"
    return page


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def main() -> None:
    """Rewrite both pages."""
    for path, written in ((README, with_figures), (SPEED, with_all_rows)):
        path.write_text(written(path.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
