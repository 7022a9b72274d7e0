"""SemVec results files read back: networks with their scores, and how one is chosen among them.

No test query takes part in a choice. Among the networks of a dataset, that with the highest
validation score is ours, whose neighbours are sought among all rows, as published; where classes
were held out in folds, they choose the setting first. Rows of regenerated data have other splits:
they are no part of this.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING, Any

from equivec.errors import FileFormatError
from equivec.storage.files import read_json

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence, Set
    from pathlib import Path

_KEYS = frozenset(
    "dataset data setting split score_1 score_5 score_10 score_15 score_5_corrected seed steps "
    "seconds ceiling_5".split()
)
_SCORES = ("score_5", "score_10", "score_15", "ceiling_5", "score_5_corrected")

Row = dict[str, Any]

# Settings that are shown the training rows alone: nothing deduced, nothing renamed.
FROM_ROWS = ("SemEmb", "SemEmb+contrastive")

SET_NAME = re.compile(r"(?P<source>.+)_(?P<target>.+)_(?P<sizes>\d+-\d+)(_0)?")


@dataclass(frozen=True, slots=True)
class SplitScore:
    """What a network scored on one split, in percent."""

    score_5: float
    score_10: float
    score_15: float
    ceiling_5: float
    score_5_corrected: float


@dataclass(frozen=True, slots=True)
class ScoredNetwork:
    """A network, or several of different seeds joined, with its scores by split."""

    file: str  # the results file it is from
    dataset: str
    setting: str
    seeds: tuple[int, ...]
    steps: int
    scores: Mapping[str, SplitScore]

    def score_5(self, split: str) -> float | None:
        """The published score of a split, if it was measured."""
        return self.scores[split].score_5 if split in self.scores else None

    def corrected(self, split: str) -> float | None:
        """The same with the query left out of its own class."""
        return self.scores[split].score_5_corrected if split in self.scores else None

    @property
    def name(self) -> str:
        """What tells it from others of its dataset."""
        seeds = "+".join(map(str, self.seeds))
        kind = "seed" if len(self.seeds) == 1 else "seeds joined"
        return f"{self.setting}, {kind} {seeds}, {self.steps:,} steps"


@dataclass(frozen=True, slots=True)
class Results:
    """All that a folder of results says of SemVec."""

    networks: tuple[ScoredNetwork, ...]
    compositions: tuple[Row, ...]
    held_out: tuple[Row, ...]  # scores on folds of training classes
    sets: Mapping[str, Row]  # training sets by name: sizes, and shares of the splits they contain
    renaming: Mapping[str, Row]  # shares of unseen classes that are renamed training, by dataset
    trainings: Mapping[str, Row]  # the numbers of the training behind each file
    deduction: Row  # what deduction scores without a network, by dataset, and where that is from

    @classmethod
    def read(cls, folder: Path) -> Results:
        """The results in `semvec/*.json` and the four files beside it."""
        networks = [n for path in sorted(folder.glob("semvec/*.json")) for n in _networks(path)]
        if not networks:
            raise FileFormatError(f"{folder} has no results: semvec/*.json are lists of rows")
        recorded = _read(folder / "semvec_runs.json", {"runs": {}})
        runs = _runs(recorded, folder / "semvec_runs.json")
        return cls(
            networks=tuple(networks),
            compositions=tuple(_rows(folder / "semvec_compositionality.json", {"trained_on"})),
            held_out=tuple(_rows(folder / "semvec_selection.json")),
            sets={
                key: value
                for run in runs.values()
                for key, value in run["settings"]["sets"].items()
                if "share_of_seen" in value  # where folds are held out, there are no tests to share
            },
            renaming=recorded.get("renaming", {}),
            trainings={
                name: run["settings"]["config"]["training"]
                for name, run in runs.items()
                if "config" in run["settings"]
            },
            deduction=_read(folder / "semvec_deduction.json", {"datasets": {}}),
        )

    def of(self, dataset: str, *settings: str) -> ScoredNetwork | None:
        """The network of a dataset that validation prefers, of some settings or of all.

        Where scores are equal at k = 5, those at 10 and 15 decide, and then longer training.
        """
        preferred = settings or self.preferred_settings(dataset)
        found = [
            network
            for network in self.networks
            if network.dataset == dataset
            and (not preferred or network.setting in preferred)
            and network.steps
            and "validation" in network.scores
        ]
        return max(found, key=_by_validation, default=None)

    def untrained(self, dataset: str) -> ScoredNetwork | None:
        """A network of random weights, scored on a dataset as a control."""
        return next((n for n in self.networks if n.dataset == dataset and not n.steps), None)

    def preferred_settings(self, dataset: str) -> tuple[str, ...]:
        """The setting with the highest mean over the folds of a dataset, if there are folds."""
        means = {name: fmean(scores) for name, scores in self.fold_scores(dataset).items()}
        return tuple(sorted(means, key=lambda name: -means[name])[:1])

    def fold_scores(self, dataset: str) -> dict[str, list[float]]:
        """For each setting of a dataset its scores on held-out classes."""
        scores: dict[str, list[float]] = defaultdict(list)
        for row in self.held_out:
            if row["dataset"] == dataset:
                scores[row["setting"]].append(row["score_5"])
        return scores

    def fold_ceiling(self, dataset: str) -> float:
        """The highest mean score that the metric allows on the folds of a dataset."""
        found = [float(row["ceiling_5"]) for row in self.held_out if row["dataset"] == dataset]
        return sum(found) / len(found)

    def set_for(self, source: str, target: str) -> Row | None:
        """The set that was deduced from a dataset within the sizes of another, or of itself."""
        found = [
            part
            for key, part in self.sets.items()
            if (name := SET_NAME.fullmatch(key))
            and (name["source"], name["target"]) == (source, target)
            and name["sizes"].startswith("1-")
        ]
        return found[-1] if found else None

    def ceiling(self, dataset: str, split: str) -> float | None:
        """The highest score that the metric allows on a split."""
        found = (
            n.scores[split] for n in self.networks if n.dataset == dataset and split in n.scores
        )
        return next((score.ceiling_5 for score in found), None)

    def composition(self, source: str, target: str, setting: str) -> Row | None:
        """The scores on one dataset of the network longest trained on another."""
        found = [
            row
            for row in self.compositions
            if (row["trained_on"], row["dataset"], row["setting"]) == (source, target, setting)
            and row["steps"]
        ]
        return max(found, key=lambda row: int(row["steps"]), default=None)

    def untrained_composition(self, source: str, target: str) -> Row | None:
        """The scores on one dataset of random weights in the shape of another's networks."""
        pair = (source, target)
        found = (row for row in self.compositions if (row["trained_on"], row["dataset"]) == pair)
        return next((row for row in found if not row["steps"]), None)


def _by_validation(network: ScoredNetwork) -> tuple[float, float, float, int]:
    score = network.scores["validation"]
    return score.score_5, score.score_10, score.score_15, network.steps


def _networks(path: Path) -> Iterator[ScoredNetwork]:
    """The networks of a results file, in its order."""
    groups: dict[tuple[str, str, tuple[int, ...], int], list[Row]] = defaultdict(list)
    for row in _rows(path):
        groups[row["dataset"], row["setting"], _seeds(row), row["steps"]].append(row)
    for (dataset, setting, seeds, steps), rows in groups.items():
        scores = {row["split"]: SplitScore(**{name: row[name] for name in _SCORES}) for row in rows}
        yield ScoredNetwork(path.stem, dataset, setting, seeds, steps, scores)


def _seeds(row: Row) -> tuple[int, ...]:
    seed = row["seed"]
    return tuple(seed) if isinstance(seed, list) else (seed,)


def _runs(recorded: Any, path: Path) -> Mapping[str, Row]:
    """The trainings of a record, each with its settings and its training sets."""
    runs = recorded.get("runs") if isinstance(recorded, dict) else None
    if not isinstance(runs, dict):
        raise FileFormatError(f"{path} does not name any runs")
    for name, run in runs.items():
        settings = run.get("settings") if isinstance(run, dict) else None
        if not isinstance(settings, dict) or not isinstance(settings.get("sets"), dict):
            raise FileFormatError(f"{path}: the run {name!r} has no settings with their sets")
    return runs


def _rows(path: Path, more_keys: Set[str] = frozenset()) -> Sequence[Row]:
    rows: list[Row] = _read(path, [])
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise FileFormatError(f"{path} is no list of rows")
    for number, row in enumerate(rows, 1):
        if missing := sorted((_KEYS | more_keys) - row.keys()):
            raise FileFormatError(f"{path}, row {number}: has no {', '.join(missing)}")
        for name in _SCORES:
            if not isinstance(row[name], float | int):
                raise FileFormatError(f"{path}, row {number}: {name} is {row[name]!r}, no number")
    return [row for row in rows if row["data"] == "published"]


def _read(path: Path, default: Any) -> Any:
    """The JSON of a file, or the default where there is none."""
    return read_json(path) if path.is_file() else default
