"""A folder of results, whose files are read when they are asked for."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from equivec.errors import FileFormatError
from equivec.evaluate.provenance import Recorded, read_recorded
from equivec.evaluate.results import ModelResult
from equivec.evaluate.tree_edit_comparison import ComparisonFile
from equivec.pipeline.evaluation_data import ModelSettings
from equivec.storage.values import Record, read_record, record_from
from equivec_reproduction.measured import TrainingRun

R = TypeVar("R", bound=Record)
M = TypeVar("M", bound=ModelResult)
ROOT = Path(__file__).parents[3]  # of the repository
RESULTS = ROOT / "results"
NOTES = "notes.toml"


@dataclass(frozen=True, slots=True)
class Notes(Record):
    """Sentences about the results of a folder, by the place of the report where they stand."""

    sentences: Mapping[str, tuple[str, ...]]


class ResultsFolder:
    """The files of a folder, each read by the class that writes it."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self, name: str, kind: type[R]) -> Recorded[R] | None:
        """The result in a file, if it is there."""
        path = self.path / name
        return read_recorded(path, kind) if path.is_file() else None

    def read_all(self, pattern: str, kind: type[R]) -> dict[Path, Recorded[R]]:
        """The results in the files that a pattern matches, by path, in order."""
        return {path: read_recorded(self.path / path, kind) for path in self._files(pattern)}

    def evaluated(self, evaluation: str, kind: type[R]) -> dict[Path, Recorded[R]]:
        """What `equivec evaluate` found of each model, by path."""
        paths = self._evaluated_files(evaluation)
        return {path: read_recorded(self.path / path, kind) for path in paths}

    def by_model(self, evaluation: str, kind: type[M]) -> dict[str, Recorded[M]]:
        """The same by model."""
        return {each.result.model: each for each in self.evaluated(evaluation, kind).values()}

    def of_all_models(self, name: str, kind: type[R]) -> Recorded[R] | None:
        """What `equivec evaluate` found that is of no one model, if it did."""
        return self.read(f"{self._evaluations}{name}.json", kind)

    @property
    def comparison(self) -> ComparisonFile | None:
        """What trees say of every two models, if they were compared."""
        path = self.path / f"{self._evaluations}tree_edit_distance.json"
        return read_record(path, ComparisonFile) if path.is_file() else None

    def settings(self, pattern: str | None = None) -> list[ModelSettings]:
        """What the results of each model belong to: of the evaluations, or by a pattern."""
        paths = self._evaluated_files("settings") if pattern is None else self._files(pattern)
        return [read_record(self.path / path, ModelSettings) for path in paths]

    def picture(self, *names: str) -> Path | None:
        """The first of some pictures that is there."""
        paths = (self.path / name for name in names)
        return next((path for path in paths if path.exists()), None)

    def notes(self, place: str) -> tuple[str, ...]:
        """What is noted about the results at a place of the report."""
        return self._notes.sentences.get(place, ())

    @cached_property
    def runs(self) -> Mapping[str, TrainingRun]:
        """How models were trained, by name."""
        paths = self._files("runs/*.json")
        return {path.stem: read_record(self.path / path, TrainingRun) for path in paths}

    @cached_property
    def copying(self) -> frozenset[str]:
        """The models that were trained to give back their input."""
        return frozenset(
            name for name, run in self.runs.items() if run.training.objective.is_copying
        )

    @cached_property
    def writer(self) -> str | None:
        """The model that was trained to write equivalents and for nothing else, if there is one."""
        names = (name for name, run in self.runs.items() if run.training.is_writing_alone)
        return next(names, None)

    @cached_property
    def _notes(self) -> Notes:
        path = self.path / NOTES
        try:
            found = tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        except ValueError as error:
            raise FileFormatError(f"{path} is not TOML: {error}") from None
        return record_from({"sentences": found}, Notes, path)

    def _evaluated_files(self, name: str) -> list[Path]:
        if self._evaluations:
            return self._files(f"{self._evaluations}*/{name}.json")
        found = self._files(f"*/{name}.json")
        return [path for path in found if (self.path / path).with_name("settings.json").exists()]

    def _files(self, pattern: str) -> list[Path]:
        return sorted(path.relative_to(self.path) for path in self.path.glob(pattern))

    @property
    def _evaluations(self) -> str:
        """Where the evaluations are: in a folder of their own, or they are all there is."""
        return "evaluation/" if (self.path / "evaluation").is_dir() else ""
