"""Networks of one shape trained together: the loop, the choice of weights, the checkpoint.

No test takes part: weights are chosen by the published validation split, whose neighbours are
sought among training and validation rows alone.
"""

from __future__ import annotations

import hashlib
import json
import time
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, TextIO

import numpy as np
import numpy.typing as npt

from equivec.errors import ConfigError
from equivec.expression.vocabulary import Vocabulary
from equivec.model.devices import set_seed
from equivec.semvec.batches import BatchSampler, Run
from equivec.semvec.dataset import SEMVEC_SPECS, Split, semvec_spec
from equivec.semvec.files import read_arrays, write_arrays
from equivec.semvec.folds import without_tests
from equivec.semvec.networks import ManyNetworks, NetworkConfig
from equivec.semvec.objective import Trainer
from equivec.semvec.rows import TrainedNetwork, nearest_to
from equivec.semvec.score import score_neighbours
from equivec.semvec.sets import requests, token_ids
from equivec.semvec.vectors import embed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from equivec.semvec.dataset import SemVecDataset
    from equivec.semvec.files import Arrays
    from equivec.semvec.runs import PlannedRun, SemVecConfig
    from equivec.semvec.sets import Datasets, Sets

# One size for both grammars, so that all networks have one shape.
VOCABULARY_SIZE = max(len(Vocabulary.of(spec.grammar)) for spec in SEMVEC_SPECS)

_REPORT_EVERY = 50  # steps
_NOT_COMPARED = ("steps", "is_compiled")  # of the settings that a checkpoint must share


def _say_nothing(_: str) -> None:
    pass


@dataclass(frozen=True, slots=True)
class Reporter:
    """Who is told how it goes: lines that stay, and one line that is written over."""

    note: Callable[[str], None] = _say_nothing
    progress: Callable[[str], None] = _say_nothing


def start_clock() -> Callable[[], float]:
    """A function that tells the seconds since now."""
    start = time.monotonic()
    return lambda: time.monotonic() - start


class _Stopwatch:
    """Tells the seconds of training alone: validation and checkpoints are done aside."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self.clock, self.start, self.aside = clock, clock(), 0.0

    def trained(self) -> float:
        """The seconds since the start that were not spent aside."""
        return self.clock() - self.start - self.aside

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """While in it, seconds are spent aside."""
        begun = self.clock()
        yield
        self.aside += self.clock() - begun


def checkpoint_path(folder: Path, run: PlannedRun) -> Path:
    """Where the checkpoint of a run is, which it shares with all of its shape."""
    return folder / f"checkpoint-{run.setting.width}.npz"


def network_config(
    run: PlannedRun, layers: int, width: int | None, attention_dropout: float = 0.0
) -> NetworkConfig:
    """The shape of a run's network, and what is dropped in its training."""
    width = run.setting.width if width is None else width
    return NetworkConfig(
        vocabulary_size=VOCABULARY_SIZE,
        width=width,
        feed_forward=4 * width,
        layers=layers,
        attention_dropout=attention_dropout,
    )


def checkpoint_settings(
    runs: Sequence[PlannedRun], sets: Sets, datasets: Datasets, config: SemVecConfig
) -> str:
    """What must not change between a checkpoint and its continuation."""
    training = asdict(config.training)
    kept = {name: value for name, value in training.items() if name not in _NOT_COMPARED}
    data = _checksum(runs, sets, datasets)
    shape = {"layers": config.layers, "width": config.width}
    return json.dumps({"runs": [run.name for run in runs], "data": data, **shape, **kept})


def _checksum(runs: Sequence[PlannedRun], sets: Sets, datasets: Datasets) -> str:
    """The SHA-256 of what runs are trained on and what their weights are chosen by."""
    digest = hashlib.sha256()
    for part in (sets[key] for key in sorted({each.key for run in runs for each in requests(run)})):
        for array in (part.expressions, part.class_ids, part.labels):
            digest.update(array.tobytes())
    for name in sorted({run.source for run in runs}):
        digest.update(dataset_checksum(datasets[name]).encode())
    return digest.hexdigest()


def dataset_checksum(dataset: SemVecDataset) -> str:
    """The SHA-256 of a dataset: its expressions, classes and splits."""
    digest = hashlib.sha256()
    for array in (dataset.expressions, dataset.class_ids, dataset.split_ids):
        digest.update(array.tobytes())
    return digest.hexdigest()


def checked_checkpoint(path: Path, settings: str) -> Arrays:
    """What a checkpoint of these settings holds; of others it is refused."""
    arrays = read_arrays(path)
    if str(arrays.pop("settings", None)) != settings:
        raise ConfigError(
            f"{path} is a checkpoint of other runs, data or settings; "
            "repeat those to go on, or name another folder"
        )
    return arrays


class GroupTraining:
    """Runs of one shape, trained together until a schedule of seconds or steps ends.

    With patience they also end when none of them has been getting better; a network that has run
    out of it sooner is trained on with the others, but keeps the weights it would have had alone.
    """

    def __init__(
        self,
        runs: Sequence[PlannedRun],
        sets: Sets,
        datasets: Datasets,
        config: SemVecConfig,
        device: str,
    ) -> None:
        self.runs, self.config = runs, config
        self.settings = checkpoint_settings(runs, sets, datasets, config)
        self.choosing = {run.source: without_tests(datasets[run.source]) for run in runs}
        self.trainer = _make_trainer(runs, sets, config, device)
        self.best_scores = np.full(len(runs), -1.0)
        self.best_steps = np.zeros(len(runs), dtype=np.int64)
        self.is_out_of_patience = np.zeros(len(runs), dtype=np.bool_)
        self.trained_seconds = 0.0
        self.schedule_seconds = config.schedule_seconds or 0.0  # 0: by steps, or not known yet
        self.choices_made = 0
        self.chosen_at = 0  # the step of the last choice, in this command

    @property
    def progress(self) -> float:
        """How much of the schedule is done, from 0 to 1: of its steps, or of its seconds."""
        steps, seconds = self.config.training.steps, self.schedule_seconds
        if steps == 0:
            return 1.0
        return max(
            self.trainer.step_count / steps if steps else 0.0,
            self.trained_seconds / seconds if seconds else 0.0,
        )

    @property
    def is_finished(self) -> bool:
        """Whether the whole schedule is done, or every network has run out of patience."""
        return self.progress >= 1 or bool(self.is_out_of_patience.all())

    def train(
        self, seconds: float, log: TextIO, report: Reporter, save: Callable[[], None]
    ) -> None:
        """Train until the schedule or the seconds end, then choose a last time.

        The seconds are the schedule itself where neither steps nor other seconds were asked for;
        else they only interrupt it. Validation and checkpoints are no part of it. `save` is called
        now and then, and after the last choice.
        """
        if self.is_finished:
            return
        clock = start_clock()
        # The first step compiles, which is no part of the schedule.
        float(self.trainer.step(self.progress).mean())
        watch = _Stopwatch(clock)
        before, first, saved = self.trained_seconds, self.trainer.step_count, watch.start
        is_timed = self.config.training.steps is None and not self.schedule_seconds
        if is_timed:
            self.schedule_seconds = max(1.0, seconds - watch.start)
        while not self.is_finished and clock() < seconds:
            losses = self.trainer.step(self.progress)
            self.trained_seconds = before + watch.trained()
            if self.trainer.step_count % _REPORT_EVERY == 0:
                mean = float(losses.mean())  # waits for the device
                pace = watch.trained() / (self.trainer.step_count - first)
                report.progress(self._line(mean, pace, seconds - clock()))
                self._write(log, losses=[round(loss, 4) for loss in losses.tolist()])
            is_choice_due = self._choices_due() > self.choices_made
            is_save_due = clock() - saved > self.config.checkpoint_seconds
            if is_choice_due or is_save_due:
                float(losses.mean())  # steps that the device has yet to make are training
                self.trained_seconds = before + watch.trained()
                with watch.stopped():
                    if is_choice_due:
                        self.choose(log, report)
                    if is_save_due:
                        save()
                        saved = clock()
                if is_timed:
                    self.schedule_seconds = max(1.0, seconds - watch.start - watch.aside)
        self.trained_seconds = before + watch.trained()
        if self.chosen_at != self.trainer.step_count:
            self.choose(log, report)
        save()

    def _choices_due(self) -> int:
        if every := self.config.training.validation_every:
            return self.trainer.step_count // every
        return sum(self.progress >= share for share in self.config.choices)

    def _line(self, loss: float, pace: float, left: float) -> str:
        return (
            f"step {self.trainer.step_count:,} · {len(self.runs)} networks · loss {loss:.3f} · "
            f"{1000 * pace:.1f} ms/step · {max(left, 0):.0f} s left"
        )

    def choose(self, log: TextIO, report: Reporter) -> None:
        """Keep the averaged weights of the runs for which they are no worse than any before.

        With patience they must be better. Without, the learning rate falls and later weights are
        preferred, unless earlier ones were better by more than chance.
        """
        self.choices_made, self.chosen_at = self._choices_due(), self.trainer.step_count
        scores = np.array([self._validate(place) for place in range(len(self.runs))])
        lead = 0.0 if self.config.training.patience else self._chance()
        kept = (scores > self.best_scores - lead) & ~self.is_out_of_patience
        self.best_scores = np.maximum(self.best_scores, scores)
        self.best_steps[kept] = self.trainer.step_count
        self.trainer.keep(kept)
        self._lose_patience()
        names = [run.name for run in self.runs]
        self._write(log, chosen_by=dict(zip(names, scores.round(2).tolist(), strict=True)))
        report.note(f"step {self.trainer.step_count:,} · validation {scores.round(1).tolist()}")

    def _chance(self) -> npt.NDArray[np.float64]:  # (runs,)
        """For each run the largest standard error that its validation score can have."""
        chosen_by = (self.choosing[run.source] for run in self.runs)
        queries = [len(dataset.rows(Split.VALIDATION)) for dataset in chosen_by]
        return 50 / np.sqrt(queries)

    def _lose_patience(self) -> None:
        training, step = self.config.training, self.trainer.step_count
        if training.patience is not None and step >= training.min_steps:
            self.is_out_of_patience |= step - self.best_steps >= training.patience

    def _validate(self, place: int) -> float:
        dataset = self.choosing[self.runs[place].source]
        network = self.trainer.networks.select([place], self.trainer.average)
        nearest = nearest_to(embed(network, dataset.expressions))
        found = score_neighbours(dataset, dataset.rows(Split.VALIDATION), nearest)
        return float(found.published[4])

    def chosen(self) -> list[TrainedNetwork]:
        """Every network with its chosen weights."""
        return [
            TrainedNetwork(
                run=run,
                network=self.trainer.networks.select([place], self.trainer.best_values),
                steps=int(self.best_steps[place]),
                seconds=self.trained_seconds,
                networks_at_once=len(self.runs),
                is_finished=self.is_finished,
            )
            for place, run in enumerate(self.runs)
        ]

    def save(self, folder: Path) -> None:
        """Write a checkpoint to go on from."""
        arrays = {
            **self.trainer.state(),
            "settings": np.array(self.settings),
            "best_scores": self.best_scores,
            "best_steps": self.best_steps,
            "is_out_of_patience": self.is_out_of_patience,
            "trained_seconds": np.array(self.trained_seconds),
            "schedule_seconds": np.array(self.schedule_seconds),
            "choices_made": np.array(self.choices_made),
        }
        write_arrays(checkpoint_path(folder, self.runs[0]), arrays)

    def load(self, folder: Path) -> bool:
        """Go on from a checkpoint, if there is one; of other runs, data or settings refused."""
        path = checkpoint_path(folder, self.runs[0])
        if not path.exists():
            return False
        self._restore(checked_checkpoint(path, self.settings))
        return True

    def _restore(self, arrays: Arrays) -> None:
        self.best_scores = arrays.pop("best_scores").astype(np.float64)
        self.best_steps = arrays.pop("best_steps").astype(np.int64)
        self.is_out_of_patience = arrays.pop("is_out_of_patience").astype(np.bool_)
        self.trained_seconds = float(arrays.pop("trained_seconds"))
        schedule_seconds = float(arrays.pop("schedule_seconds"))
        if self.config.training.steps is None:
            self.schedule_seconds = self.config.schedule_seconds or schedule_seconds
        self.choices_made = int(arrays.pop("choices_made"))
        self.trainer.restore(arrays)

    def _write(self, log: TextIO, **values: object) -> None:
        log.write(json.dumps({"step": self.trainer.step_count, **values}) + "\n")
        log.flush()


def _make_trainer(
    runs: Sequence[PlannedRun], sets: Sets, config: SemVecConfig, device: str
) -> Trainer:
    """Networks, batches and optimiser of runs whose settings have one shape."""
    set_seed(config.training.seed)
    shape = network_config(runs[0], config.layers, config.width, config.training.attention_dropout)
    networks = ManyNetworks(shape, [run.seed for run in runs]).to(device)
    with_sets = [_with_sets(run, sets) for run in runs]
    sizes = [part.largest_size for run in with_sets for part in run.sets]
    sampler = BatchSampler(
        with_sets,
        config.training.batch_size,
        max(sizes) + 2,  # with start and end
        device,
        config.training.seed,
    )
    contrasts = [run.setting.contrast for run in runs]
    return Trainer(networks, sampler, contrasts, config.training)


def _with_sets(run: PlannedRun, sets: Sets) -> Run:
    parts = tuple(sets[request.key] for request in requests(run))
    return Run(run.setting, parts, token_ids(semvec_spec(run.dataset), "a")[0])
