"""What stands behind the SemVec tables: choices, overlaps, settings, and all networks."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import TYPE_CHECKING

from equivec.semvec.dataset import semvec_spec
from equivec.semvec.settings import SETTINGS, semvec_recipe
from equivec_reproduction.pages import Table
from equivec_reproduction.published_semvec import PUBLISHED_UNSEEN, best_published
from equivec_reproduction.semvec_cells import ceiling_cell, percent_cell, published_cell
from equivec_reproduction.semvec_results import FROM_ROWS, SET_NAME, TrainingNumbers

if TYPE_CHECKING:
    from collections.abc import Iterator

    from equivec_reproduction.semvec_results import Results, ScoredNetwork

_SPLITS = ("validation", "seen", "unseen")
_NO_PLAN = 1_000_000  # steps: the clock was to end those trainings
_CLOSE = 0.05  # points of validation


def appendix_tables(results: Results) -> list[Table]:
    """The tables, in order."""
    return [
        _selection(results),
        _overlaps(results),
        _renaming(results),
        _settings(),
        _trainings(results),
        _networks(results),
    ]


def _selection(results: Results) -> Table:
    return Table(
        title="Settings chosen by training classes held out in folds (score_5)",
        headings=(
            "dataset",
            "setting",
            "folds",
            "mean",
            "lowest",
            "highest",
            "ceiling of the mean",
            "chosen",
        ),
        rows=tuple(
            (
                name,
                setting,
                str(len(scores)),
                *(f"{f:.1f}" for f in (sum(scores) / len(scores), min(scores), max(scores))),
                f"{results.fold_ceiling(name):.1f}",
                "yes" if setting in results.preferred_settings(name) else "",
            )
            for name in PUBLISHED_UNSEEN
            for setting, scores in results.fold_scores(name).items()
        ),
        sentences=(
            " ".join(
                (
                    "A network is trained without some whole training classes and scored on them, "
                    "among training and validation rows alone. Where a dataset is in this table, "
                    "the setting with the highest mean is ours of all settings, and validation "
                    "chooses among its networks; other datasets are decided by validation.",
                    *results.folder.notes("SemVec, selection"),
                )
            ),
        ),
    )


def _overlaps(results: Results) -> Table:
    rows = []
    for key, part in results.sets.items():
        found = SET_NAME.fullmatch(key)
        if found and found["target"] != "None":
            shares = (percent_cell(part.share_of(split)) for split in _SPLITS)
            where = f"{found['source']} → {found['target']}"
            target = percent_cell(part.share_of_target_unseen)
            rows.append((where, found["sizes"], f"{part.expressions:,}", *shares, target))
    return Table(
        title="Deduced training sets, and the share of each split that they contain",
        headings=("from → to", "nodes", "expressions", *_SPLITS, "unseen of the second"),
        rows=tuple(rows),
        sentences=(
            "The splits are those of the first dataset, and in the last column the unseen classes "
            "of the second, where that is another. A share of 100% means that every expression of "
            "that split is a training input, in a class found by deduction; its published class "
            "is never used. Renaming of variables is not counted here, but below.",
        ),
    )


def _renaming(results: Results) -> Table:
    return Table(
        title="Unseen classes that are training, renamed",
        headings=("dataset", "unseen expressions", "unseen classes"),
        rows=tuple(
            (
                name,
                percent_cell(found.share_of_unseen_expressions),
                f"{'at least ' if semvec_spec(name).sampled_per_class else ''}"
                f"{percent_cell(found.share_of_unseen_classes)}",
            )
            for name in PUBLISHED_UNSEEN
            if (found := results.renaming.get(name))
        ),
        sentences=(
            "Settings that rename variables train on every renaming of every training row. These "
            "are the shares of the unseen expressions that are a training row under some "
            "permutation of the variables, and of the unseen classes that are a class with "
            "training rows under one. Where they are near 100%, the classes are unseen in name "
            "only: such a setting has been shown their expressions among equivalents. With one "
            "variable there is nothing to rename. Of the sampled datasets only the sampled "
            "expressions are compared.",
        ),
    )


def _settings() -> Table:
    return Table(
        title="Settings",
        headings=(
            *("setting", "sources are drawn by", "target", "contrastive loss", "renames variables"),
            *("deduced expressions", "width"),
        ),
        rows=tuple(
            (
                setting.name,
                setting.sampling,
                setting.partner,
                f"{setting.contrast:g}",
                "yes" if setting.renames else "no",
                setting.derived,
                str(setting.width),
            )
            for setting in SETTINGS.values()
        ),
        sentences=(
            "Deduced expressions: `within` the sizes of the dataset and in place of its rows; "
            "`larger` than any of it, beside its rows; `transfer`, in the spaces of the datasets "
            "that composition is asked about, beside its rows. On the sampled datasets Bool10 and "
            "SimpBool10 nothing is deduced.",
        ),
    )


def _trainings(results: Results) -> Table:
    steps: dict[str, set[int]] = defaultdict(set)
    for network in results.networks:
        steps[network.file].add(network.steps)
    recipe = semvec_recipe("paper")
    paper = TrainingNumbers(
        batch_size=recipe.training.batch_size,
        learning_rate=recipe.training.learning_rate,
        average_decay=recipe.training.average_decay,
        attention_dropout=recipe.network.attention_dropout,
    )
    return Table(
        title="Trainings",
        headings=(
            *("file", "steps", "pairs in a batch", "largest learning rate"),
            *("dropout of attention", "moving average of weights"),
        ),
        rows=(
            ("the paper", f"at least {recipe.training.min_steps:,}", *_training_cells(paper)),
            *(
                (
                    f"results/semvec/{name}.json",
                    _steps(steps[name], training),
                    *_training_cells(training),
                )
                for name, training in results.trainings.items()
                if name in steps
            ),
        ),
        sentences=(
            "The paper's learning rate is constant; ours rises for some hundred steps and then "
            "falls along a cosine to a hundredth, except by the recipe `paper`, and where time "
            "ended a training before its planned steps, not so far. The paper goes through its "
            "pairs in epochs and stops by the validation score. Ours are drawn anew for every "
            "batch: classes by the paper's counts of pairs, but within a class any pair, also of "
            "those with more than the 100,000 that the paper keeps. Matrix products are in "
            "bfloat16.",
            *results.folder.notes("SemVec, trainings"),
        ),
    )


def _steps(made: set[int], training: TrainingNumbers) -> str:
    """The steps that were made, of those planned where the clock alone did not decide."""
    planned = training.steps
    text = " or ".join(f"{steps:,}" for steps in sorted(made))
    is_cut = planned and min(made) < planned < _NO_PLAN
    return f"{text} of {planned:,} planned" if is_cut else text


def _training_cells(training: TrainingNumbers) -> tuple[str, ...]:
    return (
        str(training.batch_size),
        f"{training.learning_rate:g}",
        f"{training.attention_dropout:g}",
        f"{training.average_decay:g}" if training.average_decay else "none",
    )


def _networks(results: Results) -> Table:
    chosen = {
        kind: [results.of(name, *settings) for name in PUBLISHED_UNSEEN]
        for kind, settings in (("training rows", FROM_ROWS), ("all settings", ()))
    }
    return Table(
        title="All networks",
        headings=(
            *("dataset", "network", *_SPLITS),
            *(f"{split} ceiling" for split in _SPLITS),
            *("unseen, corrected", "chosen of", "file"),
        ),
        rows=tuple(
            (
                network.dataset,
                network.name,
                *(published_cell(network.score_5(split)) for split in _SPLITS),
                *(ceiling_cell(results, network.dataset, split) for split in _SPLITS),
                published_cell(network.corrected("unseen")),
                " and ".join(kind for kind, some in chosen.items() if network in some),
                f"results/semvec/{network.file}.json",
            )
            for name in PUBLISHED_UNSEEN
            for network in results.networks
            if network.dataset == name
        ),
        sentences=(
            "Corrected, the score does not count the query in its own class: 100 can be reached.",
            *_close_calls(results),
        ),
    )


def _close_calls(results: Results) -> Iterator[str]:
    """Where validation hardly tells a network that reaches the goal from one that does not."""
    for name in PUBLISHED_UNSEEN:
        chosen, goal = results.of(name), best_published(name)
        for network in results.networks:
            if chosen is None or not _is_close_call(chosen, network, goal):
                continue
            ours, other = _two_scores(chosen), _two_scores(network)
            yield (
                f"{name}, a close call: the chosen network ({chosen.name}) has {ours[0]:.2f} on "
                f"validation and {ours[1]:.2f} on unseen classes, another ({network.name}) "
                f"{other[0]:.2f} and {other[1]:.2f}; the best published has {goal:.1f}."
            )


def _is_close_call(chosen: ScoredNetwork, other: ScoredNetwork, goal: float) -> bool:
    if other.dataset != chosen.dataset:
        return False
    (validation, unseen), (other_validation, other_unseen) = map(_two_scores, (chosen, other))
    has_reached, has_other_reached = (round(score, 1) >= goal for score in (unseen, other_unseen))
    return 0 <= validation - other_validation < _CLOSE and has_reached != has_other_reached


def _two_scores(network: ScoredNetwork) -> tuple[float, float]:
    """On validation and on unseen classes; not a number where it was not measured."""
    validation, unseen = map(network.score_5, ("validation", "unseen"))
    return math.nan if validation is None else validation, math.nan if unseen is None else unseen
