"""The report's table of embedding plots, and how it reads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from equivec.embed.baselines import BagOfTokens, TextModel
from equivec.evaluate.embedding_plots import ClassMeasures, PlotMeasures
from equivec.pipeline.evaluation_data import ModelSettings
from equivec.storage.values import read_record
from equivec_reproduction import published as paper
from equivec_reproduction.pages import Picture, Table
from equivec_reproduction.sentences import (
    EVALUATE,
    UNIT_LENGTH,
    missing,
    origin,
    precision,
    share,
    taught,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from equivec.evaluate.provenance import Measurement
    from equivec_reproduction.folder import ResultsFolder

_MAPS = {"plot_pca": "PCA", "plot_tsne": "t-SNE"}
_OWN_FILE = "a file of one's own"
_SETS = ("committed", "fresh")  # that need no corpus
_OF_PLOTS = (
    "The paper's figures are computed from the coordinates its authors published, of their "
    "expressions; ours are of other ones. `equivec evaluate` writes a page for each plot that can "
    "be zoomed and shows the expressions. In the last column a nearest one of another class is "
    "right if it is the same function, as sinh(x) + cosh(x) is exp(x)."
)


@dataclass(frozen=True, slots=True)
class _Plot:
    """A plot of a set of expressions, with where its measures are from."""

    set_name: str
    measures: PlotMeasures
    made: Measurement

    @property
    def map_name(self) -> str:
        return _MAPS[f"plot_{self.measures.map}"]

    @property
    def model(self) -> str:
        return self.measures.model

    @property
    def purity(self) -> float:
        """On the plane."""
        return self.measures.plane.purity_at_1


def plots_table(results: ResultsFolder) -> Table:
    """How far classes keep together on every plane, and in the full space."""
    title = "Embedding plots: classes on a plane and in the full space"
    drawn = list(_drawn(results))
    measured = [plot for plot, _ in drawn]
    for name in _SETS:
        for key in _MAPS:
            found = results.read_all(f"plots/{name}/*/{key}.json", PlotMeasures).values()
            measured += [_Plot(name, each.result, each.origin) for each in found]
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
        (*published, *map(_plot_row, measured)),
        tuple(_plot_sentences(results, measured)),
        tuple(
            Picture(f"{plot.model}, {plot.map_name}", picture)
            for plot, path in drawn
            if (picture := path.with_suffix(".png")).exists()
        ),
    )


def _drawn(results: ResultsFolder) -> Iterator[tuple[_Plot, Path]]:
    """The plots of a corpus, or of what was evaluated, with their files."""
    for key in _MAPS:
        found = results.evaluated(key, PlotMeasures)
        found = found or results.read_all(f"plots/corpus/*/{key}.json", PlotMeasures)
        for name, each in found.items():
            path = results.path / name
            yield _Plot(_set_of(path, each.result), each.result, each.origin), path


def _plot_sentences(results: ResultsFolder, measured: Sequence[_Plot]) -> Iterator[str]:
    yield from _plane_readings(measured)
    yield from _baseline_reading(measured)
    yield from _variance_readings(measured)
    yield from _origin_readings(measured)
    yield _function_reading(measured)
    yield from _lone_state_readings(results, measured)
    yield from taught(results, "margin")
    classes = dict.fromkeys(name for plot in measured for name in plot.measures.classes)
    yield f"{_OF_PLOTS} Classes: {', '.join(classes)}."
    names = {plot.set_name for plot in measured}
    for name in _SETS:
        yield from results.notes(f"plots, {name}") if name in names else ()
    yield UNIT_LENGTH
    yield from precision(results, *results.settings("plots/*/*/settings.json"))
    yield origin(plot.made for plot in measured)


def _plot_row(plot: _Plot) -> tuple[str, ...]:
    found = plot.measures
    return (
        *(plot.model, plot.map_name, plot.set_name, f"{sum(found.classes.values()):,}"),
        *_class_cells(found.plane),
        share(found.plane_shuffled.purity_at_1),
        *_class_cells(found.full),
        share(found.full_shuffled.purity_at_1),
        share(found.full_or_equal),
    )


def _class_cells(found: ClassMeasures) -> tuple[str, ...]:
    values = (found.purity_at_1, found.purity_at_5, found.silhouette, found.centroid_accuracy)
    return tuple(map(share, values))


def _set_of(path: Path, found: PlotMeasures) -> str:
    """What is plotted: a set of which some are from training, a file of one's own, or our set."""
    known, count = found.by_origin.get("training"), sum(found.classes.values())
    if known:
        return f"{100 * known.count / count:.0f}% from training"
    settings = path.with_name("settings.json")
    is_own = settings.is_file() and read_record(settings, ModelSettings).plot_file
    return _OWN_FILE if is_own else "committed"


def _plane_readings(measured: Sequence[_Plot]) -> Iterator[str]:
    """On each set all models by their planes by PCA, beside the paper's unless it is one's own."""
    printed = ", ".join(f"{model} {value:.3f}" for model, value in paper.PURITY.items())
    for name, found in _planes_by_set(measured).items():
        order = sorted(found, key=lambda model: -found[model])
        beside = "" if name == _OWN_FILE else f" The paper's have {printed}."
        if found:
            planes = ", ".join(f"{model} {found[model]:.3f}" for model in order)
            yield f"1-NN purity by PCA ({name}): {planes}.{beside}"


def _baseline_reading(measured: Sequence[_Plot]) -> Iterator[str]:
    """Where models that know no mathematics have purer planes than SemEmb."""
    sets = []
    for name, found in _planes_by_set(measured).items():
        sets += [
            f"{model} {found[model]:.3f} to {found[paper.SEMANTIC]:.3f} ({name})"
            for model in (BagOfTokens.name, TextModel.name)
            if model in found and found[model] > found.get(paper.SEMANTIC, 1.0)
        ]
    if sets:
        yield (
            f"A baseline that learnt no mathematics has a purer plane than {paper.SEMANTIC}: "
            f"{'; '.join(sets)}. So a pure plane does not show that a model learnt meaning."
        )


def _variance_readings(measured: Sequence[_Plot]) -> Iterator[str]:
    """What the first principal components hold, on the set that comes first."""
    first = measured[0].set_name
    readings = [
        f"{plot.model} {', '.join(map(share, plot.measures.variance))}"
        for plot in measured
        if (plot.set_name, plot.map_name) == (first, "PCA")
    ]
    if readings:
        yield (
            "Shares of the variance that the first principal components hold "
            f"({first}): {'; '.join(readings)}. Where the third holds nearly as much as "
            "the second, other expressions of the same making can have another plane, of another "
            "purity."
        )


def _by_set(measured: Sequence[_Plot]) -> dict[str, list[_Plot]]:
    """The plots of each set."""
    sets: dict[str, list[_Plot]] = {}
    for plot in measured:
        sets.setdefault(plot.set_name, []).append(plot)
    return sets


def _planes_by_set(measured: Sequence[_Plot]) -> dict[str, dict[str, float]]:
    """The purity of every model's plane by PCA, for each set."""
    return {
        name: {plot.model: plot.purity for plot in some if plot.map_name == "PCA"}
        for name, some in _by_set(measured).items()
    }


def _origin_readings(measured: Sequence[_Plot]) -> Iterator[str]:
    """Whether what models were trained on keeps to its class better than what is new to them."""
    readings = [
        f"{plot.model} {share(new.plane)} and {share(known.plane)} "
        f"({share(new.full)} and {share(known.full)})"
        for plot in measured
        if plot.map_name == "PCA" and len(origins := plot.measures.by_origin) == 2
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
        best = max(some, key=lambda plot: plot.measures.full.purity_at_1).measures
        readings.append(
            f"{best.full_of_functions:.4f} on average ({name}), where {best.model} is the "
            f"purest with {best.full.purity_at_1:.4f}"
        )
    return (
        "Some functions have forms in several classes. Were all forms of a function one vector, so "
        "that any of them may be the nearest of any other, and were every other expression nearest "
        f"to one of its class, 1-NN purity in the full space would be {'; '.join(readings)}."
    )


def _lone_state_readings(results: ResultsFolder, measured: Sequence[_Plot]) -> Iterator[str]:
    """Planes of models that wrote from single states, beside one that always saw all states."""
    planes = _planes_by_set(measured).get("fresh", {})
    writer = results.writer
    if writer not in planes:
        return
    for model, run in results.runs.items():
        lone = run.training.objective.from_single_states
        if lone and model in planes and run.network.has_shape_of(results.runs[writer].network):
            reading = (
                f"{model} wrote {100 * lone:.0f}% of its targets from one state of the input "
                f"alone; {writer}, of the same shape, wrote all of them from all states: 1-NN "
                f"purity by PCA of the fresh set {share(planes[model])} and "
                f"{share(planes[writer])}."
            )
            yield " ".join((reading, *results.notes("plots, single states")))
