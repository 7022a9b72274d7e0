"""The paper's SemVec tables beside ours: titles, cells and sentences, not how they look."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING

from equivec_reproduction.pages import NOT_RUN, Page, Table
from equivec_reproduction.published_semvec import (
    PUBLISHED_COMPOSITIONALITY,
    PUBLISHED_SEEN,
    PUBLISHED_SIZES,
    PUBLISHED_UNSEEN,
    PUBLISHED_UNSEEN_BY_WIDTH,
    PUBLISHED_VALIDATION,
    WIDTHS,
    Figures,
    best_published,
)
from equivec_reproduction.semvec_appendix import appendix_tables
from equivec_reproduction.semvec_cells import (
    MARKS_EXPLAINED,
    ceiling_cell,
    chosen_cells,
    count_marks,
    mark,
    our_cell,
    percent_cell,
    published_cell,
)
from equivec_reproduction.semvec_results import FROM_ROWS
from equivec_reproduction.sentences import origin

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from equivec_reproduction.semvec_results import CompositionRow, Results

_TITLE = "SemVec: the published scores and ours"
_INTRODUCTION = (
    "score_5 in percent on the published splits: of an expression's five nearest neighbours among "
    "all expressions of its dataset, how many mean the same. Made by `equivec-reproduction "
    "semvec-report` from "
    "`semvec/*.json`, `semvec_compositionality.json`, `semvec_selection.json`, "
    "`semvec_deduction.json`, `semvec_worlds.json` and `semvec_runs.json` of the folder "
    "`results`, and from the figures that Gangwar & Kani 2023 print; not to be edited. "
    "`docs/semvec_training.md` says how to train."
)
_REPRODUCED_ABOVE = 85.0  # of the paper's SemEmb; below, its training sets are too small
_REPRODUCED_WITHIN = 3.0
_NEAR_CEILING = 1.0


def semvec_page(results: Results) -> Page:
    """The report of SemVec."""
    return Page(_TITLE, _INTRODUCTION, tuple(semvec_tables(results)))


def semvec_tables(results: Results) -> list[Table]:
    """All tables of the report, in order."""
    return [
        _unseen(results),
        *_worlds(results),
        _deduction(results),
        _by_split(results, "validation", "Validation", PUBLISHED_VALIDATION),
        _by_split(results, "seen", "Seen classes", PUBLISHED_SEEN),
        _widths(results),
        _compositionality(results),
        _equal_sizes(results),
        _additions(results),
        *appendix_tables(results),
    ]


def _worlds(results: Results) -> Iterator[Table]:
    """Learned operators beside the best published and deduction; then their composition."""
    if results.worlds is None:
        return
    worlds = results.worlds.result
    rows = [
        (
            name,
            ceiling_cell(results, name, "unseen"),
            f"{best_published(name):.1f}",
            published_cell(results.deduced[name].union_find if name in results.deduced else None),
            our_cell(results.of(name, *FROM_ROWS), "unseen"),
            *_seeds_cells(worlds.unseen(name)),
            worlds.states(name),
            mark(min(worlds.unseen(name), default=None), best_published(name)),
        )
        for name in PUBLISHED_UNSEEN
    ]
    yield Table(
        title="Unseen classes, trained on the training rows alone: learned operators (score_5)",
        headings=(
            *("dataset", "ceiling", "best published", "union-find, no network"),
            *("our SemEmb networks (steps)", "LatentWorlds, mean", "lowest to highest", "states"),
            "beside the best published, by the lowest",
        ),
        rows=tuple(rows),
        sentences=(
            count_marks((row[-1] for row in rows), "the best published score"),
            "LatentWorlds learns one function for each operator and a few states for variables, "
            "and the vector of an expression is its value in several worlds; it is told the tree, "
            "and that all variables are alike, and it has no decoder, so that it is no SemEmb. "
            "All its rows are training rows; expressions of unseen classes are never among them. "
            "Two configurations were trained without two parts of the training classes, and the "
            "better on these parts was taken, for each dataset; then three seeds were trained. "
            "When the configurations were made, the unseen scores of four small datasets and of "
            "an earlier trial of the same idea had been seen.",
            origin([results.worlds.origin]),
        ),
    )
    yield Table(
        title="Learned operators asked about larger datasets (score_5)",
        headings=(
            *("trained on → asked on", "ceiling", "published"),
            *("LatentWorlds, mean", "lowest to highest"),
        ),
        rows=tuple(
            (
                f"{source} → {target}",
                ceiling_cell(results, target, "unseen"),
                f"{figure:.1f}",
                *_seeds_cells(worlds.composed(source, target)),
            )
            for (source, target), figure in PUBLISHED_COMPOSITIONALITY.items()
        ),
        sentences=("Unseen classes of the second dataset; training rows of the first alone.",),
    )


def _seeds_cells(scores: list[float]) -> tuple[str, str]:
    """The mean of several seeds, and their span."""
    if not scores:
        return NOT_RUN, NOT_RUN
    return f"{fmean(scores):.1f}", f"{min(scores):.1f} to {max(scores):.1f}"


def _unseen(results: Results) -> Table:
    settings = ("StructEmb", *FROM_ROWS)
    rows = tuple(
        (
            name,
            ceiling_cell(results, name, "unseen"),
            *(published_cell(value) for value in figures.values()),
            our_cell(results.untrained(name), "unseen"),
            *(our_cell(results.of(name, setting), "unseen") for setting in settings),
            f"{best_published(name):.1f}",
            *chosen_cells(results, name, "unseen", best_published(name)),
        )
        for name, figures in PUBLISHED_UNSEEN.items()
    )
    return Table(
        title="Unseen classes, trained on the training rows alone (score_5)",
        headings=(
            *("dataset", "ceiling", "EqNet", "EqNet-L", "StructEmb (paper)", "SemEmb (paper)"),
            *("random weights (steps)", *(f"our {setting} (steps)" for setting in settings)),
            *("best published", _OURS, "which", "beside the best published"),
        ),
        rows=rows,
        sentences=(
            count_marks((row[-1] for row in rows), "the best published score"),
            MARKS_EXPLAINED,
            _beside_sememb(results),
            "Ours is the one of these two, SemEmb and SemEmb+contrastive, that has the better "
            "validation score. Networks that were shown deduced or renamed expressions as well "
            "are in the next table.",
            _near_ceiling(results),
            _reproduction(results),
            *_trained_otherwise(results),
            *results.folder.notes("SemVec, unseen"),
        ),
    )


_OURS = "ours of training rows, chosen on validation"


def _beside_sememb(results: Results) -> str:
    """How many of our networks of training rows are above the paper's SemEmb."""
    marks = []
    for name, figures in PUBLISHED_UNSEEN.items():
        network = results.of(name, *FROM_ROWS)
        marks.append(mark(network.score_5("unseen") if network else None, figures["SemEmb"] or 0.0))
    return count_marks(marks, "the paper's SemEmb")


def _deduction(results: Results) -> Table:
    """What networks score that were shown what they are asked, beside deduction alone."""
    return Table(
        title="Classes whose expressions were deduced for training (score_5)",
        headings=(
            *("dataset", "ceiling", "best published", "union-find, no network"),
            *(f"our {setting} (steps)" for setting in ("larger", "combined")),
            *("ours of all settings, chosen on validation", "which"),
            *("unseen expressions among the inputs of `combined`", "unseen classes, renamed"),
            *("unseen classes whose functions `larger` shows", "unseen expressions of these"),
        ),
        rows=tuple(_deduction_row(results, name) for name in PUBLISHED_UNSEEN),
        sentences=tuple(_deduction_readings(results)),
    )


def _deduction_row(results: Results, name: str) -> tuple[str, ...]:
    found, network = results.deduced.get(name), results.of(name)
    part, renamed = results.set_for(name, name), results.renaming.get(name)
    shown = ("-", "-")
    if found:
        shown = (
            f"{found.classes_shown_by_larger:,} of {found.unseen_classes:,}",
            f"{found.expressions_shown_by_larger:,} of {found.unseen_expressions:,}",
        )
    return (
        name,
        ceiling_cell(results, name, "unseen"),
        f"{best_published(name):.1f}",
        published_cell(found.union_find if found else None),
        *(our_cell(results.of(name, setting), "unseen") for setting in ("larger", "combined")),
        NOT_RUN if network is None else published_cell(network.score_5("unseen")),
        NOT_RUN if network is None else network.name,
        percent_cell(part.share_of_unseen if part else None),
        percent_cell(renamed.share_of_unseen_classes if renamed else None),
        *shown,
    )


def _deduction_readings(results: Results) -> Iterator[str]:
    if results.deduction:
        found = results.deduction.result.datasets
        marks = [mark(each.union_find, best_published(name)) for name, each in found.items()]
        who = "Deduction alone, without any network,"
        yield count_marks(marks, "the best published score", who)
        yield (
            "Union-find takes the other members of an expression's deduced class as its "
            "neighbours, and what these cannot fill is a miss. "
            + origin([results.deduction.origin])
        )
    yield (
        "This table has no marks, as its networks were shown what they are asked. `combined` "
        "trains on what follows from the training classes by substitution and by putting equals "
        "into the same context. No test row and no label of a test is used and no function is "
        "evaluated, but a SemVec dataset holds every tree up to its size, so that most "
        "expressions of the unseen classes are among the deduced training inputs, in classes. "
        "Such scores measure deduction and memory. That a dataset holds every tree was used here, "
        "and by none of the published systems."
    )
    yield (
        "On Bool10 and SimpBool10 nothing is deduced: `combined` renames variables there, and most "
        "unseen classes are training classes renamed."
    )
    yield (
        "`larger` is shown, beside the training rows, only expressions larger than any of the "
        "dataset, so none that it is asked about. But many of these expressions are other forms of "
        "the unseen functions (the last two columns): those classes are not unseen either."
    )


def _near_ceiling(results: Results) -> str:
    near = 0
    for name in PUBLISHED_UNSEEN:
        network, most = results.of(name, *FROM_ROWS), results.ceiling(name, "unseen")
        score = network.score_5("unseen") if network else None
        near += score is not None and most is not None and score >= most - _NEAR_CEILING
    return (
        "The published score counts an expression in its own class but not among its neighbours, "
        "so a perfect model reaches only the ceiling; ours is within one point of it on "
        f"{near} of {len(PUBLISHED_UNSEEN)}."
    )


def _reproduction(results: Results) -> str:
    """How near our plain SemEmb comes to the paper's where that is high, and StructEmb to it."""
    high = {
        name: row["SemEmb"]
        for name, row in PUBLISHED_UNSEEN.items()
        if row["SemEmb"] and row["SemEmb"] > _REPRODUCED_ABOVE
    }
    semantic, structural = (
        {n: network.score_5("unseen") or 0.0 for n in high if (network := results.of(n, setting))}
        for setting in ("SemEmb", "StructEmb")
    )
    near = sum(score >= high[name] - _REPRODUCED_WITHIN for name, score in semantic.items())
    lower = sum(structural[name] < semantic[name] for name in structural.keys() & semantic.keys())
    below = (
        f"run on {len(structural)} and is below our SemEmb on {lower}" if structural else "not run"
    )
    return (
        f"Reproduction: of the {len(high)} datasets on which the paper's SemEmb is above "
        f"{_REPRODUCED_ABOVE:.0f}, our plain SemEmb was run on {len(semantic)} and is at most "
        f"{_REPRODUCED_WITHIN:.0f} points below the paper's on {near}; our StructEmb was "
        f"{below}."
    )


def _trained_otherwise(results: Results) -> tuple[str, ...]:
    """That our plain SemEmb was not trained as the paper's was, where that is so."""
    networks = [results.of(name, "SemEmb") for name in PUBLISHED_UNSEEN]
    trainings = [results.trainings.get(network.file) for network in networks if network]
    others = sum(training is not None and not training.patience for training in trainings)
    if not others:
        return ()
    return (
        f"We did not train as the paper did: {others} of our {len(trainings)} SemEmb networks had "
        "other settings (see `Trainings` below). The recipe `paper` has the paper's numbers; "
        "docs/semvec_training.md says what still differs.",
    )


def _by_split(results: Results, split: str, title: str, figures: Figures) -> Table:
    settings = (*WIDTHS, "SemEmb")
    rows = []
    for name, row in figures.items():
        goal = max(value for value in row.values() if value is not None)
        rows.append(
            (
                name,
                ceiling_cell(results, name, split),
                *(published_cell(value) for value in row.values()),
                *(our_cell(results.of(name, setting), split) for setting in settings),
                f"{goal:.1f}",
                *chosen_cells(results, name, split, goal),
            )
        )
    return Table(
        title=f"{title} (score_5)",
        headings=(
            *("dataset", "ceiling"),
            *(f"{setting} (paper)" for setting in settings),
            *(f"our {setting} (steps)" for setting in settings),
            *("best published", _OURS, "which", "beside the best published"),
        ),
        rows=tuple(rows),
        sentences=(
            count_marks((row[-1] for row in rows), "the paper's best"),
            _SPLIT_SENTENCES[split],
        ),
    )


_SPLIT_SENTENCES = {
    "validation": "Networks are chosen by these scores, and weights within a training by like "
    "ones, so they flatter ours a little. Neighbours are sought among all rows, as published: test "
    "expressions are no queries here, but may be neighbours.",
    "seen": "The classes have training rows; the expressions asked are not among them.",
}


def _widths(results: Results) -> Table:
    return Table(
        title="StructEmb by width, unseen classes (score_5)",
        headings=(
            *("dataset", "ceiling"),
            *(f"{setting} (paper)" for setting in WIDTHS),
            *(f"our {setting} (steps)" for setting in WIDTHS),
            "random weights (steps)",
        ),
        rows=tuple(
            (
                name,
                ceiling_cell(results, name, "unseen"),
                *(published_cell(value) for value in row.values()),
                *(our_cell(results.of(name, setting), "unseen") for setting in WIDTHS),
                our_cell(results.untrained(name), "unseen"),
            )
            for name, row in PUBLISHED_UNSEEN_BY_WIDTH.items()
        ),
        sentences=(
            "StructEmb learns to copy; it is the contrast, so there is no goal here: the question "
            "is whether width changes anything. Plain `StructEmb` has width 64. Ours were not "
            "stopped early: their weights are those late in a schedule, when copying is well "
            "learnt. The paper keeps those with the best validation score, of whatever step, which "
            "may be why its scores lie near those of random weights and ours below them.",
            *_means_by_width(results),
            *_beside_random(results),
        ),
    )


def _means_by_width(results: Results) -> tuple[str, ...]:
    """The mean scores of each width beside the paper's, where all datasets were run."""
    means = []
    for setting in WIDTHS:
        printed = [row[setting] for row in PUBLISHED_UNSEEN_BY_WIDTH.values()]
        ours = _unseen_scores(results, setting)
        if len(ours) < len(printed):
            return ()
        theirs = fmean(value for value in printed if value is not None)
        means.append(f"{setting} {fmean(ours.values()):.1f} (the paper's {theirs:.1f})")
    return (f"Means of {len(PUBLISHED_UNSEEN_BY_WIDTH)} datasets: {', '.join(means)}.",)


def _unseen_scores(results: Results, setting: str | None) -> dict[str, float]:
    """The scores on unseen classes by a setting, or by random weights, of the datasets with one."""
    networks = {
        name: results.untrained(name) if setting is None else results.of(name, setting)
        for name in PUBLISHED_UNSEEN
    }
    return {
        name: score
        for name, network in networks.items()
        if network and (score := network.score_5("unseen")) is not None
    }


def _beside_random(results: Results) -> tuple[str, ...]:
    """How trained networks compare with random weights, where both were scored."""
    floors = _unseen_scores(results, None)
    if not floors:
        return ()
    counts = []
    for setting in ("StructEmb", "SemEmb"):
        scores = _unseen_scores(results, setting)
        below = _count_below(scores, floors)
        printed = {name: PUBLISHED_UNSEEN[name][setting] or 0.0 for name in floors}
        theirs = sum(score < floors[name] for name, score in printed.items())
        counts.append(
            f"our {setting} is below them on {below} of {len(scores)}, the paper's on {theirs} of "
            f"{len(floors)}"
        )
    return (
        "With random weights a vector is little more than the set of an expression's tokens, and "
        f"equivalents share many: {'; '.join(counts)}. To copy, vectors must keep the order of "
        "tokens, which equivalents do not share.",
    )


def _count_below(scores: Mapping[str, float], others: Mapping[str, float]) -> int:
    """On how many datasets a score is below another, of those that have both."""
    return sum(scores[name] < others[name] for name in scores.keys() & others.keys())


def _compositionality(results: Results) -> Table:
    rows = tuple(
        (
            f"{source} → {target}",
            ceiling_cell(results, target, "unseen"),
            _composition_cell(results.untrained_composition(source, target)),
            f"{goal:.1f}",
            _composition_cell(sememb := results.composition(source, target, "SemEmb")),
            mark(sememb.score_5 if sememb else None, goal),
            *(
                _composition_cell(results.composition(source, target, setting))
                for setting in ("combined", "transfer")
            ),
            _target_share(results, source, target),
        )
        for (source, target), goal in PUBLISHED_COMPOSITIONALITY.items()
    )
    return Table(
        title="Compositionality: trained on one dataset, unseen classes of another (score_5)",
        headings=(
            *("from → to", "ceiling", "random weights (steps)"),
            *("SemEmb (paper), best published", "our SemEmb (steps)", "beside the paper's"),
            *("our `combined` (steps)", "our `transfer` (steps)"),
            "unseen expressions among the inputs of `transfer`",
        ),
        rows=rows,
        sentences=(
            count_marks((row[5] for row in rows), "the paper's", "Our SemEmb"),
            "`transfer` has no marks. It deduces, from the training classes of the first dataset "
            "alone, expressions as large as the second's, so the network has been shown "
            "expressions of the size that it is asked about, and among them those that it is "
            "asked about: the last column is their share, not counting renamed ones. Where it is "
            "near 100%, the score measures deduction and memory, not composition. `combined` and "
            "SemEmb are shown nothing that the first dataset does not hold; Poly8 holds all of "
            "SimpPoly8. Random weights are the floor: what is above it was learnt.",
        ),
    )


def _target_share(results: Results, source: str, target: str) -> str:
    part = results.set_for(source, target)
    return percent_cell(part.share_of_target_unseen) if part else NOT_RUN


def _composition_cell(row: CompositionRow | None) -> str:
    return f"{row.score_5:.1f} ({row.steps:,})" if row else NOT_RUN


def _equal_sizes(results: Results) -> Table:
    settings = ("StructEmb", "SemEmb-equal", "SemEmb")
    return Table(
        title="Equal size: SemEmb trained on as many pairs as StructEmb has expressions (score_5)",
        headings=(
            *("dataset", "ceiling", "expressions", "pairs of SemEmb", "StructEmb (paper)"),
            *("SemEmb, all pairs (paper)", *(f"our {setting} (steps)" for setting in settings)),
            "random weights (steps)",
        ),
        rows=tuple(
            (
                name,
                ceiling_cell(results, name, "unseen"),
                *(f"{size:,}" for size in PUBLISHED_SIZES[name]),
                *(published_cell(figures[setting]) for setting in ("StructEmb", "SemEmb")),
                *(our_cell(results.of(name, setting), "unseen") for setting in settings),
                our_cell(results.untrained(name), "unseen"),
            )
            for name, figures in PUBLISHED_UNSEEN.items()
        ),
        sentences=(
            "`SemEmb-equal` gives every training expression one fixed other member of its class as "
            "its target: as many pairs as StructEmb has expressions, less those alone in their "
            "class. The paper has no such figures.",
            _equal_reading(results),
        ),
    )


def _equal_reading(results: Results) -> str:
    """Whether the kind of pairs, and not their number, is what meaning is learnt from."""
    equal, copied = (_unseen_scores(results, name) for name in ("SemEmb-equal", "StructEmb"))
    return (
        f"Of the {len(equal)} datasets it was run on, `SemEmb-equal` is above StructEmb on "
        f"{_count_below(copied, equal)}: the kind of pairs matters, not their number alone. Above "
        f"random weights it is on {_count_below(_unseen_scores(results, None), equal)}."
    )


_ADDITIONS = ("SemEmb", "SemEmb+contrastive", "SemEmb+contrastive+renaming", "combined")


def _additions(results: Results) -> Table:
    return Table(
        title="What each addition to SemEmb brings, unseen classes (score_5)",
        headings=(
            *("dataset", "ceiling", "random weights (steps)"),
            *(f"our {setting} (steps)" for setting in _ADDITIONS),
        ),
        rows=tuple(
            (
                name,
                ceiling_cell(results, name, "unseen"),
                our_cell(results.untrained(name), "unseen"),
                *(our_cell(results.of(name, setting), "unseen") for setting in _ADDITIONS),
            )
            for name in PUBLISHED_UNSEEN
        ),
        sentences=(
            "Each setting keeps what stands left of it: a contrastive loss on the vectors, one "
            "random renaming of the variables in a batch, and, in `combined`, what follows from "
            "the training classes, drawn evenly by classes. Renaming shows the network renamed "
            "forms of training classes. Steps differ: compare only cells whose steps are alike.",
        ),
    )
