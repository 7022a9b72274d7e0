"""A run: a trainer that steps until its schedule ends, in a folder to go on from after a stop.

settings.json            what the run depends on: another cannot go on from it
recipe.toml              its recipe, to begin another run with
metrics.jsonl            losses and validations on the way, a line each
checkpoint.safetensors   what to go on from, after `kill -9` too
"""

from __future__ import annotations

import json
import math
import time
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from equivec.errors import ConfigError, FileFormatError, require_at_least
from equivec.model.devices import heard_from_first
from equivec.model.training import restore_checkpoint, save_checkpoint
from equivec.storage.files import read_json, sweep_partials, write_json, write_text, written_whole

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    import numpy as np
    import numpy.typing as npt

    from equivec.model.settings import TrainingConfig
    from equivec.model.training import Losses, Trainer

    Floats = npt.NDArray[np.float64]

SETTINGS, RECIPE, METRICS, CHECKPOINT = (
    "settings.json",
    "recipe.toml",
    "metrics.jsonl",
    "checkpoint.safetensors",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """When a run ends, and how often it says and keeps what it has."""

    seconds: float | None = None  # the learning rate falls with the clock, and the run ends by it
    pause_after: float | None = None  # seconds of this command
    checkpoint_seconds: float = 120.0
    report_every: int = 100  # steps

    def __post_init__(self) -> None:
        for name in ("seconds", "pause_after"):
            value = getattr(self, name)
            if value is not None and not 0 < value < math.inf:
                raise ConfigError(f"{name} must be positive, not {value}")
        require_at_least(0, checkpoint_seconds=self.checkpoint_seconds)
        require_at_least(1, report_every=self.report_every)

    def check_end(self, config: TrainingConfig) -> None:
        """Raise if nothing ends a training."""
        if config.steps is None and self.seconds is None:
            raise ConfigError("nothing ends this training; set its steps, or give --seconds")


@dataclass(frozen=True, slots=True)
class Progress:
    """How a run stands; losses and validation are means over its networks."""

    step: int
    progress: float  # from 0 to 1
    loss: float
    sequence: float
    contrast: float
    analogy: float
    pairs_per_second: float  # of each network
    seconds: float  # of training so far, earlier commands included
    validation: float | None = None
    of_networks: dict[str, list[float]] = field(default_factory=dict)  # if there are several

    def __str__(self) -> str:
        left = self.seconds / max(self.progress, 1e-9) - self.seconds
        found = "" if self.validation is None else f" · validation {self.validation:.3f}"
        return (
            f"step {self.step:,} · loss {self.loss:.3f}{found} · "
            f"{self.pairs_per_second:,.0f} pairs/s · {left:,.0f} s left"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Validation:
    """How weights are judged on the way; a loss, or a score: the higher, the better."""

    measure: Callable[[], Floats]  # (networks,), of the weights as they are
    is_loss: bool
    chance: Floats | float = 0.0  # scores so little apart are alike


@dataclass(kw_only=True)
class Run:
    """A trainer in its folder, and its clock."""

    folder: Path
    trainer: Trainer[Any]
    pace: Pace
    validation: Validation | None = None
    is_first: bool = True  # of several processes, which writes
    seconds: float = 0.0  # of training so far, earlier commands included

    @property
    def pairs_of_a_step(self) -> int:
        """For each network, by all processes."""
        return self.trainer.config.batch_size * self.trainer.processes

    def progress(self) -> float:
        """From 0 to 1, the same in every process: of several clocks the first one's counts."""
        steps, seconds = self.trainer.config.steps, self.pace.seconds
        if steps == 0:
            return 1.0
        done = self.trainer.step_count / steps if steps else 0.0
        return done if seconds is None else heard_from_first(max(done, self.seconds / seconds))

    def is_over(self, progress: float) -> bool:
        """Whether the whole schedule is done, or no network has patience any more."""
        # Without a step there is nothing to keep, however little time there was.
        is_begun = self.trainer.step_count > 0 or self.trainer.config.steps == 0
        return is_begun and (progress >= 1 or bool(self.trainer.is_out_of_patience.all()))

    def advance(self) -> Iterator[Progress]:
        """Train until the schedule ends or the command is to pause; a checkpoint is left."""
        trainer, pace = self.trainer, self.pace
        started, earlier, first = time.monotonic(), self.seconds, trainer.step_count
        reported, saved = (first, started), started
        progress = self.progress()
        while not (is_over := self.is_over(progress)) and not self._is_to_pause(earlier):
            losses, before = trainer.step(progress), progress
            self.seconds = earlier + time.monotonic() - started
            progress = self.progress()
            is_over = self.is_over(progress)
            found = None
            if self.validation is not None and self._is_validation_due(before, progress, is_over):
                found = self._validate(self.validation)
                is_over = self.is_over(progress)  # patience may have ended
            step = trainer.step_count
            if step % pace.report_every == 0 or found is not None or is_over:
                now = time.monotonic()
                rate = (step - reported[0]) * self.pairs_of_a_step / max(now - reported[1], 1e-9)
                reported = (step, now)
                news = self._news(progress, losses, rate, found)
                self._write_metrics(news)
                yield news
            if time.monotonic() - saved > pace.checkpoint_seconds:
                self.save()
                saved = time.monotonic()
        if trainer.step_count > first:
            self.save()

    def _is_to_pause(self, earlier: float) -> bool:
        limit = self.pace.pause_after
        return limit is not None and bool(heard_from_first(self.seconds - earlier >= limit))

    def _is_validation_due(self, before: float, progress: float, is_over: bool) -> bool:
        config = self.trainer.config
        if is_over and config.keeps_best:
            return True
        if config.validation_every is not None:
            return self.trainer.step_count % config.validation_every == 0
        return any(before < fraction <= progress for fraction in config.validation_at)

    def _validate(self, validation: Validation) -> Floats:
        with self.trainer.averaged():
            found = validation.measure()
        self.trainer.judge(-found if validation.is_loss else found, validation.chance)
        return found

    def _news(
        self, progress: float, losses: Losses, rate: float, validation: Floats | None
    ) -> Progress:
        each = {name: part.tolist() for name, part in losses._asdict().items()}  # waits
        each["loss"] = each.pop("whole")
        if validation is not None:
            each["validation"] = validation.tolist()
        if not any(map(math.isfinite, each["loss"])):
            raise ConfigError(
                f"the loss is no number any more at step {self.trainer.step_count}; try a lower "
                "learning rate"
            )
        return Progress(
            step=self.trainer.step_count,
            progress=progress,
            pairs_per_second=rate,
            seconds=self.seconds,
            **{name: sum(values) / len(values) for name, values in each.items()},
            of_networks=each if len(each["loss"]) > 1 else {},
        )

    def _write_metrics(self, news: Progress) -> None:
        if self.is_first:
            line = {name: value for name, value in asdict(news).items() if value != {}}
            with (self.folder / METRICS).open("a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")

    def save(self) -> None:
        """Write a checkpoint."""
        if self.is_first:
            save_checkpoint(self.folder / CHECKPOINT, self.trainer, {"seconds": self.seconds})

    def restore(self) -> None:
        """Go on from the checkpoint, if there is one; what was noted after it is forgotten."""
        path = self.folder / CHECKPOINT
        if path.exists():
            self.seconds = restore_checkpoint(path, self.trainer)["seconds"]
        if self.is_first:
            _forget_metrics_after(self.folder / METRICS, self.trainer.step_count)


def _forget_metrics_after(path: Path, step: int) -> None:
    """Drop the lines of steps that are done once more, and a last line that was cut off."""
    if not path.exists():
        return
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    whole = (line for line in lines if line.endswith("\n"))
    with written_whole(path) as file:
        file.writelines(line for line in whole if json.loads(line)["step"] <= step)


def check_begun(
    folder: Path,
    settings: Mapping[str, Any],
    free: frozenset[str] = frozenset(),
    *,
    resume: bool,
) -> bool:
    """Whether a folder holds a run, which may go on with these settings; else it is refused.

    `free` are settings that may differ.
    """
    path = folder / SETTINGS
    if not path.exists():
        return False
    if not resume:
        raise FileFormatError(f"{folder} holds a run already; continue it with --resume")
    before = read_json(path)
    if not isinstance(before, dict):
        raise FileFormatError(f"{path} holds no settings of a run; name another folder")
    now, then = _flat(settings), _flat(before)
    changed = sorted(key for key in now.keys() - free - _FREE if now[key] != then.get(key))
    if "data" in changed:
        raise FileFormatError(
            f"{folder} was begun with other training data; name those of {path} or another folder"
        )
    if changed:
        raise FileFormatError(
            f"{folder} was begun with other settings ({', '.join(changed)}); use those of "
            f"{path} or another folder"
        )
    return True


_FREE = frozenset({"is_compiled"})  # may always differ


def _flat(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings with the keys of their recipe among them."""
    recipe = settings.get("recipe")
    tables = recipe.values() if isinstance(recipe, dict) else []
    rest = {key: value for key, value in settings.items() if key != "recipe"}
    return {key: value for table in tables for key, value in table.items()} | rest


def begin(folder: Path, settings: Mapping[str, Any], recipe: str) -> None:
    """Write what a run depends on into its folder; call it when all could be read."""
    folder.mkdir(parents=True, exist_ok=True)
    sweep_partials(folder)
    write_text(folder / RECIPE, recipe)
    write_json(folder / SETTINGS, settings)
