"""From a corpus to a model folder: a network, its data, its run, and the model at the end.

Beside what `equivec.pipeline.runs` writes, the folder has the arrays that corpora became and, at
the end, the model. Under `torchrun` every process runs this and the first one writes.
"""

from __future__ import annotations

import json
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from equivec import __version__
from equivec.embed.runtime import model_folder
from equivec.errors import ConfigError
from equivec.expression.grammar import ELEMENTARY
from equivec.expression.vocabulary import Vocabulary
from equivec.model.batches import ClusterSampler
from equivec.model.clusters import Clusters
from equivec.model.devices import check_device, device_name, heard_from_first, joined_processes
from equivec.model.files import is_encoder_alone, weights_file
from equivec.model.folder import Model, load_encoder, save_model
from equivec.model.network import Transformer, TransformerConfig
from equivec.model.objectives import TransformerObjective
from equivec.model.onnx_export import export
from equivec.model.settings import ObjectiveConfig, TrainingConfig  # noqa: TC001 (a recipe reads its types)
from equivec.model.training import Trainer
from equivec.pipeline.recipes import build, read_tables, write_recipe
from equivec.pipeline.runs import Pace, Run, Validation, begin, check_begun
from equivec.pipeline.training_data import training_sources, validation_source
from equivec.storage.checksums import checksum

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from equivec.pipeline.runs import Progress
    from equivec.pipeline.training_data import Source

MODEL = "model"
_VALIDATION_BATCHES = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """What is trained, what for, and how."""

    network: TransformerConfig
    objective: ObjectiveConfig
    training: TrainingConfig

    @classmethod
    def read(cls, name: str, changes: Sequence[str] = ()) -> Recipe:
        """A bundled recipe, or one of a file, with changes such as `contrast=1`."""
        tables = read_tables(cls, "train", name, changes)
        network = tables["network"]
        network["vocabulary_size"] = len(Vocabulary.of(ELEMENTARY))
        network.setdefault("feed_forward", 4 * network.get("width", 512))
        return build(cls, tables)


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingJob:
    """What is trained on what."""

    corpora: tuple[str, ...]  # or files that `equivec corpus export --to arrays` wrote
    shares: tuple[float, ...] = ()  # of the pairs, one for each corpus; empty: alike
    validation: str | None = None  # None: what the first corpus holds out for it
    analogies: str | None = None  # what `equivec corpus analogies` wrote
    start: str | None = None  # a model, or an encoder alone, whose weights are the first
    recipe: Recipe
    device: str = "cpu"

    def __post_init__(self) -> None:
        if not self.corpora:
            raise ConfigError("there is nothing to train on; name a corpus or a file of arrays")
        if not all(0 < share < float("inf") for share in self.shares):
            raise ConfigError(
                f"every share must be positive, not as in {', '.join(map(str, self.shares))}"
            )
        if self.shares and len(self.shares) != len(self.corpora):
            raise ConfigError(
                f"{len(self.shares)} shares for {len(self.corpora)} corpora; give each one or none"
            )
        if (self.analogies is None) != (not self.recipe.objective.analogy):
            raise ConfigError(
                "a weight of analogies needs a file of them, and the file a weight; give both"
            )
        if self.recipe.objective.is_encoder_frozen and self.start is None:
            raise ConfigError(
                "an encoder is frozen as a model has it; name that model with --start"
            )
        if self.recipe.training.steps == 0:
            raise ConfigError("steps must be at least 1, not 0")
        check_device(self.device)


def train(
    folder: str | Path, job: TrainingJob, pace: Pace | None = None, *, resume: bool = False
) -> Iterator[Progress]:
    """Train a network and write it to the folder's `model`; the caller shows the progress.

    A run that is paused has no model yet.
    """
    pace = pace or Pace()
    pace.check_end(job.recipe.training)
    with joined_processes(job.device) as (process, processes):
        yield from _train(Path(folder), job, pace, process, processes, resume=resume)


def _train(
    folder: Path, job: TrainingJob, pace: Pace, process: int, processes: int, *, resume: bool
) -> Iterator[Progress]:
    recipe = job.recipe
    sources = training_sources(job.corpora, folder)
    held_out = validation_source(job.validation, sources, folder)
    analogies = None
    if job.analogies is not None:
        analogies = Clusters.load_analogies(job.analogies, ELEMENTARY)
    network = _first_network(job)
    if process == 0:
        with _telling_others():
            _prepare(folder, job, processes, sources, held_out, resume=resume)
    elif heard_from_first(_FAILED) == _FAILED:
        raise ConfigError("the first process could not begin; see what it says")
    network = network.to(job.device)
    sampler = ClusterSampler.of(
        [source.clusters for source in sources],
        job.shares or (1.0,) * len(sources),
        ELEMENTARY,
        recipe.objective,
        recipe.training,
        device=network.embedding.weight.device,
        analogies=analogies,
        process=process,
        processes=processes,
    )
    objective = TransformerObjective(network, recipe.objective, recipe.training.precision)
    training = _with_epochs(recipe.training, sources, processes)
    trainer = Trainer(objective, sampler, training, processes)
    run = Run(
        folder=folder,
        trainer=trainer,
        pace=pace,
        validation=_validation(held_out, trainer, recipe),
        is_first=process == 0,
    )
    if resume:
        run.restore()
    yield from run.advance()
    is_over = run.is_over(run.progress())  # all must ask
    if process == 0 and is_over:
        trainer.take_result()
        _save(run, network, job, sources, held_out)


def _validation(
    held_out: Source | None, trainer: Trainer[Any], recipe: Recipe
) -> Validation | None:
    """The loss on pairs that are held out, as they are."""
    if held_out is None:
        return None
    plain = replace(recipe.objective, renamed_fraction=0.0, single_state_fraction=0.0)
    sampler = ClusterSampler.of(
        [held_out.clusters], [1.0], ELEMENTARY, plain, recipe.training, device=trainer.device
    )
    return Validation(measure=lambda: trainer.evaluate(sampler, _VALIDATION_BATCHES), is_loss=True)


def _with_epochs(
    config: TrainingConfig, sources: Sequence[Source], processes: int
) -> TrainingConfig:
    """The config with the steps between validations: an epoch, if it says nothing else."""
    if config.validation_every is not None or config.validation_at:
        return config
    pairs = sum(float(source.clusters.weights("pairs").sum()) for source in sources)
    return replace(config, validation_every=max(1, round(pairs / (config.batch_size * processes))))


def _first_network(job: TrainingJob) -> Transformer:
    """A network as it is before the first step."""
    network = Transformer(job.recipe.network)
    if job.start is None:
        return network.initialise(job.recipe.training.seed)
    first = load_encoder(model_folder(job.start), seed=job.recipe.training.seed).network
    if unlike := job.recipe.network.unlike(first.config):
        name = unlike[0]
        found, wanted = getattr(first.config, name), getattr(job.recipe.network, name)
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


# What may be another when a run is continued; corpora are told apart by their checksums.
_FREE = frozenset({"corpora", "validation", "analogies", "start", "device"})


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
    folder: Path,
    job: TrainingJob,
    processes: int,
    sources: Sequence[Source],
    held_out: Source | None,
    *,
    resume: bool,
) -> None:
    """Make the arrays and, when all could be read, the settings: without them there is no run."""
    settings = _settings(job, processes, sources, held_out)
    is_begun = check_begun(folder, settings, _FREE, resume=resume)
    every = [*sources, held_out] if held_out else sources
    for source in sorted(every, key=lambda source: source.is_corpus):  # files, then what we write
        if source.is_corpus and not (is_begun and source.arrays.exists()):
            source.write()
        source.check()
    begin(folder, settings, write_recipe(job.recipe))


def _save(
    run: Run,
    network: Transformer,
    job: TrainingJob,
    sources: Sequence[Source],
    held_out: Source | None,
) -> None:
    training = {**asdict(job.recipe.training), "objective": asdict(job.recipe.objective)}
    facts = {
        "training": {
            "version": __version__,
            "steps": run.trainer.step_count,
            "seconds": round(run.seconds, 1),
            "device": device_name(job.device),
            "settings": json.loads(json.dumps(training)),
        }
    }
    model = Model(network, Vocabulary.of(ELEMENTARY), facts)
    save_model(run.folder / MODEL, model, _card(run, job, sources, held_out))
    export(run.folder / MODEL)


def _card(run: Run, job: TrainingJob, sources: Sequence[Source], held_out: Source | None) -> str:
    """What is known of a model when it is trained; results are added by those who measure it."""
    shape = job.recipe.network
    return (
        "# An equivec model\n\n"
        f"A Transformer encoder-decoder of width {shape.width}, {shape.layers} + {shape.layers} "
        f"layers, {shape.heads} heads, {shape.pooling} pooling.\n\n"
        f"{_data(job, sources)}\n"
        f"{_training(run, job)}\n\n"
        f"{_results(run, held_out)}\n"
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


def _training(run: Run, job: TrainingJob) -> str:
    training, objective = job.recipe.training, job.recipe.objective
    return (
        f"**Recipe.** Setting `{objective.setting}`, weight {objective.sequence:g} of the sequence "
        f"loss and {objective.contrast:g} of the contrastive loss{_additions(job)}; "
        f"{run.trainer.step_count:,} steps of {run.pairs_of_a_step:,} pairs in {run.seconds:,.0f} "
        f"s on {device_name(job.device)}; learning rate "
        f"{training.learning_rate:g}, {training.precision}, seed {training.seed}. All settings are "
        "in `config.json`."
    )


def _additions(job: TrainingJob) -> str:
    objective = job.recipe.objective
    weight, fraction = objective.analogy, objective.single_state_fraction
    analogies = f", {weight:g} of the loss of analogies" if weight else ""
    alone = f"; {fraction:g} of the pairs decoded from one encoder state alone" if fraction else ""
    frozen = ", whose encoder stayed as it was" if objective.is_encoder_frozen else ""
    return analogies + alone + _beginning(job) + frozen


def _beginning(job: TrainingJob) -> str:
    if job.start is None:
        return ""
    folder = model_folder(job.start)
    alone = ", an encoder in eight bits alone" if is_encoder_alone(folder) else ""
    return f"; begun with the weights of `{folder.name}`{alone}"


def _results(run: Run, held_out: Source | None) -> str:
    best_step = int(run.trainer.best_steps[0])
    if held_out is None or not best_step:
        return "**Results.** There was no validation."
    return (
        f"**Results.** The lowest validation loss was {-run.trainer.best_scores[0]:.4f}, after "
        f"{best_step:,} steps, on {len(held_out.clusters.sizes):,} clusters of {held_out.name}."
    )
