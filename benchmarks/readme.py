"""What README and docs/speed.md say in numbers, from results/: `python -m benchmarks.readme`."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from equivec.evaluate import paper_figures as paper
from equivec.evaluate.analogies import paper_answers, score_answers
from equivec.evaluate.report_cells import PLAIN
from equivec.evaluate.semvec_published import PUBLISHED_UNSEEN, best_published
from equivec.evaluate.semvec_results import Results

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    Json = Mapping[str, Any]

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "results"
README, SPEED = ROOT / "README.md", ROOT / "docs" / "speed.md"
_SPEED_HEADINGS = ("what", "ours", "alternative", "ratio", "goal")
_QUALITY_HEADINGS = ("what", "ours", "beside it")
_SETS = {"unseen functions": "retrieval", "textbook identities": "identities"}


def read_rows() -> list[Json]:
    """The rows of all benchmarks that were kept, by their names."""
    files = sorted((RESULTS / "benchmarks").glob("*.json"))
    return [row for path in files for row in _read(path)["rows"]]


def with_figures(readme: str) -> str:
    """The README with its two tables: how good the models are, and how fast the package is."""
    readme = _filled(readme, "quality", _QUALITY_HEADINGS, quality_rows())
    return _filled(readme, "benchmarks", _SPEED_HEADINGS, map(_speed, headlines(read_rows())))


def with_all_rows(page: str) -> str:
    """The page of speed with every row."""
    return _filled(page, "benchmarks", _SPEED_HEADINGS, map(_speed, read_rows()))


def headlines(rows: Sequence[Json]) -> list[Json]:
    """Of each benchmark the first row that compares us with somebody, and whatever was lost."""
    compared = [row for row in rows if row["ratio"] is not None]
    firsts = {row["benchmark"]: row for row in reversed(compared)}
    return [row for row in compared if row is firsts[row["benchmark"]] or is_lost(row)]


def is_lost(row: Json) -> bool:
    """Whether a goal was missed, or the alternative was faster where there is none."""
    if row["benchmark"] == "service-memory":  # where the goal is the most that may be taken
        return bool(row["ratio"] > row["goal"])
    return bool(row["ratio"] < (row["goal"] or 1))


def quality_rows() -> Iterator[tuple[str, ...]]:
    """What the bundled model finds and answers, SemEmb's plane, what is written, and SemVec."""
    yield from _retrieval_rows()
    yield _analogies_row()
    yield _plane_row()
    yield from _writing_rows()
    yield from _semvec_rows()


def _retrieval_rows() -> Iterator[tuple[str, ...]]:
    """What the bundled model finds, beside a model of text."""
    for name, evaluation in _SETS.items():
        ours, text = (
            _read(RESULTS / "evaluation" / model / f"{evaluation}.json")
            for model in ("default", "text-model")
        )
        yield (
            f"default, {name}: the nearest of {ours['distractors']:,} is an equivalent",
            f"{ours['recall_1']:.3f}",
            f"{text['recall_1']:.3f}, a text embedding model",
        )


def _analogies_row() -> tuple[str, ...]:
    """The paper's analogies, answered by the bundled model, the paper's SemEmb and ours."""
    default, ours = (
        _read(RESULTS / "evaluation" / name / "paper_analogies.json")
        for name in ("default", "sememb")
    )
    theirs = score_answers(paper_answers("SemEmb"))[-1]  # of all kinds
    return (
        f"default, {theirs.count} analogies of the paper: the nearest of {default['pool']:,} is "
        "the answer",
        _right(default),
        f"{theirs.exact_at_1}, the paper's SemEmb; {_right(ours)}, our SemEmb",
    )


def _plane_row() -> tuple[str, ...]:
    """SemEmb's plane of fresh expressions, and with some of training's, beside the paper's."""
    fresh, drawn = (
        _read(RESULTS / "plots" / name / "sememb" / "plot_pca.json") for name in ("fresh", "corpus")
    )
    count = sum(fresh["classes"].values())
    return (
        f"SemEmb, {count:,} expressions of four classes on a plane by PCA: the nearest is of the "
        "same class",
        f"{fresh['plane']['purity_at_1']:.3f} ({drawn['plane']['purity_at_1']:.3f})",
        f"{paper.PURITY['SemEmb']:.3f}, the paper's SemEmb, from the published "
        "coordinates of its own expressions",
    )


def _right(found: Json) -> str:
    """How many analogies of all kinds are answered exactly, and up to equivalence."""
    score = found["scores"][-1]
    return f"{score['exact_at_1']} ({score['equivalent_at_1']})"


def _writing_rows() -> Iterator[tuple[str, ...]]:
    """What SemEmb writes, beside the paper's and the network that was trained for that alone."""
    plain = {row["beam"]: row["solved"] for row in _written(PLAIN)}
    for row in _written("SemEmb"):
        beam = row["beam"]
        yield (
            f"SemEmb writes an equivalent of {row['inputs']:,} tests, beam {beam}, judged by SymPy",
            f"{row['solved']:.4f} ({row['solved_beyond_order']:.4f})",
            f"{paper.ACCURACY['test', 'SemEmb'][beam]:.4f}, the paper's on its own test set; "
            f"{plain[beam]:.4f}, {PLAIN}",
        )


def _written(model: str) -> Iterator[Json]:
    """How a model's equivalents were judged by SymPy, both test sets as one, by beam."""
    files = (f"{model}-{engine}-free-sympy.json" for engine in ("rules", "sympy"))
    rows = [row for name in files for row in _read(RESULTS / "generation" / name)["rows"]]
    for beam in sorted({int(row["beam"]) for row in rows}):
        parts = [row for row in rows if row["beam"] == beam]
        inputs = sum(row["inputs"] for row in parts)
        shares = {
            key: sum(row[key] * row["inputs"] for row in parts) / inputs
            for key in ("solved", "solved_beyond_order")
        }
        yield {"beam": beam, "inputs": inputs, **shares}


def _semvec_rows() -> Iterator[tuple[str, ...]]:
    """Means over the datasets of SemVec: plain SemEmb, and the network chosen for each."""
    results, names = Results.read(RESULTS), list(PUBLISHED_UNSEEN)
    most = _mean([results.ceiling(name, "unseen") for name in names])
    for setting, theirs, whose in (
        ("SemEmb", [PUBLISHED_UNSEEN[name]["SemEmb"] for name in names], "the paper's"),
        (None, [best_published(name) for name in names], "the best published of each"),
    ):
        networks = [results.of(name, setting) for name in names]
        ours = [network.score_5("unseen") if network else None for network in networks]
        ahead = sum(_known(own) > _known(other) for own, other in zip(ours, theirs, strict=True))
        yield (
            f"SemVec, unseen classes, mean score_5 of {len(names)} datasets: "
            f"{setting or 'on each, our network with the best validation score'}",
            f"{_mean(ours):.1f} (at most {most:.1f})",
            f"{_mean(theirs):.1f}, {whose}; ours is ahead on {ahead}",
        )


def _mean(values: Sequence[float | None]) -> float:
    return sum(map(_known, values)) / len(values)


def _known(value: float | None) -> float:
    assert value is not None, "what is compared was measured on every dataset"
    return value


def _read(path: Path) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return value


def _speed(row: Json) -> tuple[str, ...]:
    what = f"{row['benchmark']}: {row['what']}"
    if row["ratio"] is None:
        return what, f"{_number(row['ours'])} {row['unit']}".strip(), "", "", ""
    values = (f"{_number(row[key])} {row['unit']}" for key in ("ours", "alternative"))
    goal = f"{_number(row['goal'])}x" if row["goal"] else ""
    return what, *values, f"{_number(row['ratio'])}x", goal


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
