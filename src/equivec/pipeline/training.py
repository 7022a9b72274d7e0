"""From a corpus to a model folder: run, validate, checkpoint, resume.

A run folder holds all that is needed to repeat it: settings, metrics as JSON lines, the latest
checkpoint, and at the end the model. Under `torchrun` every process runs this and the first writes.
"""

from __future__ import annotations

import json
import math
import time
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from equivec import __version__
from equivec.embed.runtime import model_folder
from equivec.errors import ConfigError, FileFormatError, require_at_least
from equivec.expression.grammar import ELEMENTARY
from equivec.expression.vocabulary import Vocabulary
from equivec.model.batches import Sampler
from equivec.model.checkpoint import restore_checkpoint, save_checkpoint
from equivec.model.clusters import Clusters
from equivec.model.devices import check_device, device_name, heard_from_first, joined_processes
from equivec.model.files import is_encoder_alone, weights_file
from equivec.model.folder import Model, load_encoder, save_model
from equivec.model.network import Transformer, TransformerConfig
from equivec.model.onnx_export import export
from equivec.model.training import Trainer, TrainingConfig
from equivec.pipeline.training_data import training_sources, validation_source
from equivec.storage.checksums import checksum
from equivec.storage.files import read_json, sweep_partials, write_json, written_whole

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from equivec.pipeline.training_data import Source

SETTINGS, METRICS, CHECKPOINT, MODEL = (
    "settings.json",
    "metrics.jsonl",
    "checkpoint.safetensors",
    "model",
)
_VALIDATION_BATCHES = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingJob:
    """What is trained on what, and when it ends."""

    corpora: tuple[str, ...]  # or files that `equivec corpus export --to arrays` wrote
    shares: tuple[float, ...] = ()  # of the pairs, one for each corpus; empty: alike
    validation: str | None = None  # None: what the first corpus holds out for it
    analogies: str | None = None  # what `equivec corpus analogies` wrote
    start: str | None = None  # a model, or an encoder alone, whose weights are the first
    network: TransformerConfig
    training: TrainingConfig
    seconds: float | None = None  # the learning rate falls with the clock, and the run ends by it
    checkpoint_seconds: float = 120.0
    report_every: int = 100  # steps
    device: str = "cpu"

    def __post_init__(self) -> None:
        if not self.corpora:
            raise ConfigError("there is nothing to train on; name a corpus or a file of arrays")
        if not all(0 < share < math.inf for share in self.shares):
            raise ConfigError(
                f"every share must be positive, not as in {', '.join(map(str, self.shares))}"
            )
        if self.shares and len(self.shares) != len(self.corpora):
            raise ConfigError(
                f"{len(self.shares)} shares for {len(self.corpora)} corpora; give each one or none"
            )
        if self.seconds is not None and not 0 < self.seconds < math.inf:
            raise ConfigError(f"seconds must be positive, not {self.seconds}")
        require_at_least(0, checkpoint_seconds=self.checkpoint_seconds)
        require_at_least(1, report_every=self.report_every)
        if (self.analogies is None) != (not self.training.objective.analogy):
            raise ConfigError(
                "a weight of analogies needs a file of them, and the file a weight; give both"
            )
        if self.training.is_encoder_frozen and self.start is None:
            raise ConfigError(
                "an encoder is frozen as a model has it; name that model with --start"
            )
        check_device(self.device)


@dataclass(frozen=True, slots=True)
class Progress:
    """How a run stands."""

    step: int
    progress: float  # from 0 to 1
    loss: float
    sequence: float
    contrast: float
    analogy: float
    pairs_per_second: float
    seconds: float  # of training so far, earlier runs included
    validation: float | None = None


class _Run:
    """A run in its folder: what is written, and when it is over."""

    def __init__(
        self, folder: Path, job: TrainingJob, process: int, held_out: Source | None
    ) -> None:
        self.folder = folder
        self.job = job
        self.is_first = process == 0
        self.held_out = held_out  # for validation
        self.earlier_seconds = 0.0
        self.started = time.monotonic()
        self.best, self.best_step = float("inf"), 0

    @property
    def seconds(self) -> float:
        return self.earlier_seconds + time.monotonic() - self.started

    def progress(self, step: int) -> float:
        """From 0 to 1, the same in every process: of several clocks the first one's counts."""
        share = step / self.job.training.max_steps
        if self.job.seconds is None:
            return share
        return heard_from_first(max(share, self.seconds / self.job.seconds))

    def is_over(self, step: int, progress: float) -> bool:
        config = self.job.training
        is_late = step >= config.min_steps and step - self.best_step > config.patience
        # Without a step there is nothing to keep, however little time there was.
        return step > 0 and (progress >= 1 or (self.held_out is not None and is_late))

    def note_validation(self, loss: float, step: int) -> None:
        if loss < self.best:
            self.best, self.best_step = loss, step

    def write_metrics(self, progress: Progress) -> None:
        if self.is_first:
            with (self.folder / METRICS).open("a", encoding="utf-8") as file:
                file.write(json.dumps(asdict(progress)) + "\n")

    def write_checkpoint(self, trainer: Trainer) -> None:
        if self.is_first:
            facts = {"seconds": self.seconds, "best": self.best, "best_step": self.best_step}
            save_checkpoint(self.folder / CHECKPOINT, trainer, facts)

    def restore(self, trainer: Trainer) -> None:
        path = self.folder / CHECKPOINT
        if path.exists():
            facts = restore_checkpoint(path, trainer)
            self.earlier_seconds = facts["seconds"]
            self.best, self.best_step = facts["best"], facts["best_step"]
        self._forget_metrics_after(trainer.step_count)

    def _forget_metrics_after(self, step: int) -> None:
        """Drop the lines of steps that are done once more, and a last line that was cut off."""
        path = self.folder / METRICS
        if not self.is_first or not path.exists():
            return
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        whole = (line for line in lines if line.endswith("\n"))
        with written_whole(path) as file:
            file.writelines(line for line in whole if json.loads(line)["step"] <= step)


def train(folder: str | Path, job: TrainingJob, *, resume: bool = False) -> Iterator[Progress]:
    """Train a network and write it to the folder's `model`; the caller shows the progress."""
    with joined_processes(job.device) as (process, processes):
        yield from _train(Path(folder), job, process, processes, resume=resume)


def _train(
    folder: Path, job: TrainingJob, process: int, processes: int, *, resume: bool
) -> Iterator[Progress]:
    sources = training_sources(job.corpora, folder)
    held_out = validation_source(job.validation, sources, folder)
    analogies = None if job.analogies is None else Clusters.load_analogies(job.analogies)
    network = _first_network(job)
    if process == 0:
        with _telling_others():
            settings = _settings(job, processes, sources, held_out)
            every_source = [*sources, held_out] if held_out else sources
            _prepare(folder, settings, every_source, resume=resume)
    elif heard_from_first(_FAILED) == _FAILED:
        raise ConfigError("the first process could not begin; see what it says")
    sets = [source.clusters for source in sources]
    shares = job.shares or (1.0,) * len(sets)
    trainer = Trainer(
        network.to(job.device),
        sets,
        shares,
        job.training,
        analogies=analogies,
        process=process,
        processes=processes,
    )
    run = _Run(folder, job, process, held_out)
    if resume:
        run.restore(trainer)
    validation = _validation_sampler(held_out, trainer)
    pairs = sum(float(part.weights("pairs").sum()) for part in sets)
    yield from _steps(run, trainer, validation, pairs)
    run.write_checkpoint(trainer)
    if process == 0:
        _save(run, trainer, sources)


def _first_network(job: TrainingJob) -> Transformer:
    """A network as it is before the first step."""
    network = Transformer(job.network)
    if job.start is None:
        return network.initialise(job.training.seed)
    first = load_encoder(model_folder(job.start), seed=job.training.seed).network
    if unlike := job.network.unlike(first.config):
        name = unlike[0]
        found, wanted = getattr(first.config, name), getattr(job.network, name)
        raise ConfigError(
            f"{job.start} has {name} {found}, the network to be trained {wanted}; "
            "start from a model of the same shape"
        )
    network.load_state_dict(first.state_dict())
    return network


_BEGUN, _FAILED = 0.0, 1.0


@contextmanager
def _telling_others() -> Iterator[None]:
    """Let the other processes, which wait for it, know whether the first could begin."""
    try:
        yield
    except BaseException:
        heard_from_first(_FAILED)
        raise
    heard_from_first(_BEGUN)


def _steps(
    run: _Run, trainer: Trainer, validation: Sampler | None, pairs: float
) -> Iterator[Progress]:
    job = run.job
    size = job.training.batch_size * trainer.sampler.config.processes
    every = job.training.validation_every or max(1, round(pairs / size))
    last_report, last_checkpoint = (trainer.step_count, time.monotonic()), time.monotonic()
    progress = run.progress(trainer.step_count)
    while not run.is_over(trainer.step_count, progress):
        losses = trainer.step(progress)
        step, found = trainer.step_count, None
        if validation is not None and step % every == 0:
            found = trainer.validate(validation, _VALIDATION_BATCHES)
            run.note_validation(found, step)
        progress = run.progress(step)
        if step % job.report_every == 0 or found is not None or run.is_over(step, progress):
            parts = {name: float(part) for name, part in losses._asdict().items()}  # waits
            whole = parts.pop("whole")
            if not math.isfinite(whole):
                raise ConfigError(
                    f"the loss is not a number any more at step {step}; try a lower learning rate"
                )
            now = time.monotonic()
            rate = (step - last_report[0]) * size / (now - last_report[1])
            last_report = (step, now)
            news = Progress(
                step=step,
                progress=progress,
                loss=whole,
                **parts,
                pairs_per_second=rate,
                seconds=run.seconds,
                validation=found,
            )
            run.write_metrics(news)
            yield news
        if time.monotonic() - last_checkpoint > job.checkpoint_seconds:
            run.write_checkpoint(trainer)
            last_checkpoint = time.monotonic()


def _validation_sampler(source: Source | None, trainer: Trainer) -> Sampler | None:
    if source is None:
        return None
    config = replace(
        trainer.sampler.config, process=0, processes=1, renamed_share=0.0, lone_share=0.0
    )
    return Sampler([source.clusters], [1.0], config, trainer.device)


# What may be another when a run is continued; corpora are told apart by their checksums.
_FREE = {
    *("corpora", "validation", "analogies", "start", "seconds", "device"),
    *("report_every", "checkpoint_seconds"),
}


def _settings(
    job: TrainingJob, processes: int, sources: Sequence[Source], held_out: Source | None
) -> dict[str, Any]:
    """What a run depends on, as JSON has it."""
    data: dict[str, Any] = {
        "training": [source.checksums() for source in sources],
        "validation": held_out.checksums() if held_out else None,
    }
    if job.analogies is not None:
        data["analogies"] = checksum(Path(job.analogies))
    if job.start is not None:
        data["start"] = checksum(weights_file(model_folder(job.start)))
    text = json.dumps({**asdict(job), "processes": processes, "data": data})
    settings: dict[str, Any] = json.loads(text)
    return settings


def _prepare(
    folder: Path, settings: dict[str, Any], sources: Sequence[Source], *, resume: bool
) -> None:
    """Make the arrays and, when all could be read, the settings: without them there is no run."""
    path = folder / SETTINGS
    is_begun = path.exists()
    if is_begun:
        _check_begun(path, settings, resume=resume)
    for source in sorted(sources, key=lambda source: source.is_corpus):  # files, then what we write
        if source.is_corpus and not (is_begun and source.arrays.exists()):
            source.write()
        source.check()
    folder.mkdir(parents=True, exist_ok=True)
    sweep_partials(folder)
    write_json(path, settings)


def _check_begun(path: Path, settings: dict[str, Any], *, resume: bool) -> None:
    """Raise unless a run that was begun may go on with these settings."""
    folder = path.parent
    if not resume:
        raise FileFormatError(f"{folder} holds a run already; continue it with --resume")
    before = read_json(path)
    if not isinstance(before, dict):
        raise FileFormatError(f"{path} holds no settings of a run; name another folder")
    changed = sorted(key for key in settings.keys() - _FREE if settings[key] != before.get(key))
    if "data" in changed:
        raise FileFormatError(
            f"{folder} was begun with other training data; name those of {path} or another folder"
        )
    if changed:
        raise FileFormatError(
            f"{folder} was begun with other settings ({', '.join(changed)}); use those of "
            f"{path} or another folder"
        )


def _save(run: _Run, trainer: Trainer, sources: Sequence[Source]) -> None:
    job = run.job
    facts = {
        "training": {
            "version": __version__,
            "steps": trainer.step_count,
            "seconds": round(run.seconds, 1),
            "device": device_name(job.device),
            "settings": json.loads(json.dumps(asdict(job.training))),
        }
    }
    model = Model(trainer.network, Vocabulary.of(ELEMENTARY), facts)
    save_model(run.folder / MODEL, model, _card(run, trainer, sources))
    export(run.folder / MODEL)


def _card(run: _Run, trainer: Trainer, sources: Sequence[Source]) -> str:
    """What is known of a model when it is trained; results are added by those who measure it."""
    shape = run.job.network
    return (
        "# An equivec model\n\n"
        f"A Transformer encoder-decoder of width {shape.width}, {shape.layers} + {shape.layers} "
        f"layers, {shape.heads} heads, {shape.pooling} pooling.\n\n"
        f"{_data(run.job, sources)}\n"
        f"{_recipe(run, trainer)}\n\n"
        f"{_validation(run)}\n"
    )


def _data(job: TrainingJob, sources: Sequence[Source]) -> str:
    shares = job.shares or (1.0,) * len(sources)
    rows = (
        f"| {source.name} | {share / sum(shares):.3g} | {len(source.clusters.sizes):,} "
        f"| {len(source.clusters.lengths):,} |\n"
        for source, share in zip(sources, shares, strict=True)
    )
    return (
        "**Data.** Pairs of equivalent expressions, drawn from:\n\n"
        "| corpus | share of the pairs | clusters | expressions |\n"
        "| --- | --- | --- | --- |\n"
        f"{''.join(rows)}"
    )


def _recipe(run: _Run, trainer: Trainer) -> str:
    training = run.job.training
    objective = training.objective
    pairs = training.batch_size * trainer.sampler.config.processes
    return (
        f"**Recipe.** Setting `{objective.setting}`, weight {objective.sequence:g} of the sequence "
        f"loss and {objective.contrast:g} of the contrastive loss{_additions(run.job)}; "
        f"{trainer.step_count:,} steps of {pairs:,} pairs in {run.seconds:,.0f} s on "
        f"{device_name(run.job.device)}; learning rate "
        f"{training.learning_rate:g}, {training.precision}, seed {training.seed}. All settings are "
        "in `config.json`."
    )


def _additions(job: TrainingJob) -> str:
    weight, lone = job.training.objective.analogy, job.training.objective.lone_share
    analogies = f", {weight:g} of the loss of analogies" if weight else ""
    alone = f"; {lone:g} of the pairs written from one state of the input alone" if lone else ""
    frozen = ", whose encoder stayed as it was" if job.training.is_encoder_frozen else ""
    return analogies + alone + _beginning(job) + frozen


def _beginning(job: TrainingJob) -> str:
    if job.start is None:
        return ""
    folder = model_folder(job.start)
    alone = ", an encoder in eight bits alone" if is_encoder_alone(folder) else ""
    return f"; begun with the weights of `{folder.name}`{alone}"


def _validation(run: _Run) -> str:
    if run.held_out is None or not run.best_step:
        return "**Results.** There was no validation."
    return (
        f"**Results.** The lowest validation loss was {run.best:.4f}, after {run.best_step:,} "
        f"steps, on {len(run.held_out.clusters.sizes):,} clusters of {run.held_out.name}."
    )
