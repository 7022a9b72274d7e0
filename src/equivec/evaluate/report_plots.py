"""The report's table of embedding plots, and how it reads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from equivec.embed.baselines import BagOfTokens, TextModel
from equivec.evaluate import paper_figures as paper
from equivec.evaluate.pages import Picture, Table
from equivec.evaluate.report_cells import EVALUATE, PLAIN, missing, origin, share
from equivec.evaluate.report_notes import UNIT_LENGTH, precision, taught

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from equivec.evaluate.report import ResultsFolder

    Json = Mapping[str, Any]
    _Plot = tuple[str, str, Json]  # the set, the map, what was measured

_MAPS = {"plot_pca": "PCA", "plot_tsne": "t-SNE"}
_OWN_FILE = "a file of one's own"
_SETS = {
    "committed": "The committed set comes with the package and was made without regard to "
    "training.",
    "fresh": "The fresh set was drawn as the committed one by another seed, when all models had "
    "been trained and chosen; a quarter of its expressions, the simplest, are in that one, too.",
}
_OF_PLOTS = (
    "The paper's figures are computed from the coordinates its authors published, of their "
    "expressions; ours are of other ones. `equivec evaluate` writes a page for each plot that can "
    "be zoomed and shows the expressions. In the last column a nearest one of another class is "
    "right if it is the same function, as sinh(x) + cosh(x) is exp(x)."
)


def plots_table(results: ResultsFolder) -> Table:
    """How far classes keep together on every plane, and in the full space."""
    title = "Embedding plots: classes on a plane and in the full space"
    files = {
        label: results.evaluated(key) or results.read_all(f"plots/corpus/*/{key}.json")
        for key, label in _MAPS.items()
    }
    found = [(label, *row) for label, some in files.items() for row in some.items()]
    measured = [
        *((_set_of(results, path, each), label, each) for label, path, each in found),
        *(plot for name in _SETS for plot in _plots_of_set(results, name)),
    ]
    if not measured:
        return missing(title, EVALUATE)
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
        tuple(_plot_sentences(results, measured)),
        tuple(
            Picture(f"{each['model']}, {label}", picture)
            for label, path, each in found
            if (picture := (results.path / path).with_suffix(".png")).exists()
        ),
    )


def _plot_sentences(results: ResultsFolder, measured: Sequence[_Plot]) -> Iterator[str]:
    yield from _plane_readings(measured)
    yield from _baseline_reading(measured)
    yield from _variance_readings(measured)
    yield from _origin_readings(measured)
    yield _function_reading(measured)
    yield from _plain_readings(results, measured)
    yield from taught(results, "margin")
    classes = dict.fromkeys(name for *_, each in measured for name in each["classes"])
    yield f"{_OF_PLOTS} Classes: {', '.join(classes)}."
    names = {name for name, *_ in measured}
    yield from (sentence for name, sentence in _SETS.items() if name in names)
    yield UNIT_LENGTH
    yield from precision(results, *results.read_all("plots/*/*/settings.json").values())
    yield origin(each for *_, each in measured)


def _plots_of_set(results: ResultsFolder, name: str) -> Iterator[_Plot]:
    """The plots of a set that has no corpus."""
    for key, label in _MAPS.items():
        for each in results.read_all(f"plots/{name}/*/{key}.json").values():
            yield name, label, each


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


def _set_of(results: ResultsFolder, path: Path, each: Json) -> str:
    """What is plotted: a set of which some are from training, a file of one's own, or our set."""
    known, count = each["by_origin"].get("training"), sum(each["classes"].values())
    if known:
        return f"{100 * known['count'] / count:.0f}% from training"
    settings = results.read(str(path.with_name("settings.json"))) or {}
    return _OWN_FILE if settings.get("plot_file") else "committed"


def _plane_readings(measured: Sequence[_Plot]) -> Iterator[str]:
    """On each set all models by their planes by PCA, beside the paper's unless it is one's own."""
    printed = ", ".join(f"{model} {value:.3f}" for model, value in paper.PURITY.items())
    for name, some in _by_set(measured).items():
        found = {each["model"]: _plane_purity(each) for label, each in some if label == "PCA"}
        order = sorted(found, key=lambda model: -found[model])
        beside = "" if name == _OWN_FILE else f" The paper's have {printed}."
        if found:
            planes = ", ".join(f"{model} {found[model]:.3f}" for model in order)
            yield f"1-NN purity by PCA ({name}): {planes}.{beside}"


def _baseline_reading(measured: Sequence[_Plot]) -> Iterator[str]:
    """Where models that know no mathematics have purer planes than SemEmb."""
    sets = []
    for name, some in _by_set(measured).items():
        found = {each["model"]: _plane_purity(each) for label, each in some if label == "PCA"}
        purer = [
            f"{model} {found[model]:.3f} to {found['SemEmb']:.3f}"
            for model in (BagOfTokens.name, TextModel.name)
            if model in found and found[model] > found.get("SemEmb", 1.0)
        ]
        sets += [f"{text} ({name})" for text in purer]
    if sets:
        yield (
            f"A baseline that learnt no mathematics has a purer plane than SemEmb: "
            f"{'; '.join(sets)}. So a pure plane does not show that a model learnt meaning."
        )


def _variance_readings(measured: Sequence[_Plot]) -> Iterator[str]:
    """What the first principal components hold, on the set that comes first."""
    readings = [
        f"{each['model']} {', '.join(map(share, each['variance']))}"
        for name, label, each in measured
        if (name, label) == (measured[0][0], "PCA")
    ]
    if readings:
        yield (
            "Shares of the variance that the first principal components hold "
            f"({measured[0][0]}): {'; '.join(readings)}. Where the third holds nearly as much as "
            "the second, other expressions of the same making can have another plane, of another "
            "purity."
        )


def _by_set(measured: Sequence[_Plot]) -> dict[str, list[tuple[str, Json]]]:
    """For each set its maps and what was measured."""
    sets: dict[str, list[tuple[str, Json]]] = {}
    for name, label, each in measured:
        sets.setdefault(name, []).append((label, each))
    return sets


def _origin_readings(measured: Sequence[_Plot]) -> Iterator[str]:
    """Whether what models were trained on keeps to its class better than what is new to them."""
    readings = [
        f"{each['model']} {share(new['plane'])} and {share(known['plane'])} "
        f"({share(new['full'])} and {share(known['full'])})"
        for _, label, each in measured
        if label == "PCA" and len(origins := each["by_origin"]) == 2
        for known, new in [(origins["training"], origins["new"])]
    ]
    if readings:
        yield (
            "1-NN purity by PCA (in the full space) of the expressions that are not in the "
            f"corpus's training set and of those that are: {'; '.join(readings)}. What models saw "
            "beside the corpus was not looked at."
        )


def _function_reading(measured: Sequence[_Plot]) -> str:
    """What forms of one function in several classes cost on each set, beside the best model."""
    readings = []
    for name, some in _by_set(measured).items():
        best = max((each for _, each in some), key=lambda each: each["full"]["purity_at_1"])
        readings.append(
            f"{best['full_of_functions']:.4f} on average ({name}), where {best['model']} is the "
            f"purest with {best['full']['purity_at_1']:.4f}"
        )
    return (
        "Some functions have forms in several classes. Were all forms of a function one vector, so "
        "that any of them may be the nearest of any other, and were every other expression nearest "
        f"to one of its class, 1-NN purity in the full space would be {'; '.join(readings)}."
    )


def _plain_readings(results: ResultsFolder, measured: Sequence[_Plot]) -> Iterator[str]:
    """SemEmb's plane beside that of the network whose decoder always saw the whole input."""
    by_pca = {
        each["model"]: _plane_purity(each)
        for name, label, each in measured
        if (name, label) == ("fresh", "PCA")
    }
    run = results.read("runs/SemEmb.json")
    lone = run["training"]["objective"].get("lone_share") if run else None
    if lone and {"SemEmb", PLAIN} <= by_pca.keys():
        ours, plain = (share(by_pca[name]) for name in ("SemEmb", PLAIN))
        yield (
            f"SemEmb wrote {100 * lone:.0f}% of its targets from one state of the input alone; "
            f"{PLAIN}, of the same shape, wrote all of them from all states: 1-NN purity by PCA "
            f"of the fresh set {ours} and {plain}. SymPy's share of the pairs, targets, dropout "
            "and steps differ as well. That single states help was found by trials measured on the "
            "committed set; of two dropouts, one was chosen by 4,800 expressions of the same "
            "making, which were not kept: some of them may be in the fresh set."
        )


def _plane_purity(each: Json) -> float:
    return float(each["plane"]["purity_at_1"])
