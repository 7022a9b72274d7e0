"""The steps of the SemVec benchmark: pack data, train networks, score them.

Training reads the folder of the published files, or one packed file, and leaves a folder:

    rows.json               scores, a row for each dataset, setting, seed and split
    compositionality.json   scores on a dataset of networks trained on another
    settings.json           settings, versions, and how training sets and test splits overlap
    recipe.toml             the recipe alone
    width-N/                losses and validation scores of the networks of a width
    weights-N.npz           the chosen weights, half precision, on request

and until all is done a checkpoint beside the losses, to go on from.
"""

from __future__ import annotations

import json
import platform
from collections import Counter
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from equivec.errors import ConfigError, FileFormatError
from equivec.model.devices import (
    check_device,
    default_device,
    device_name,
    forget_compiled,
    torch_version,
)
from equivec.pipeline.recipes import write_recipe
from equivec.pipeline.runs import CHECKPOINT, SETTINGS, Pace, begin, check_begun
from equivec.semvec.files import read_weights, write_weights
from equivec.semvec.folds import fold_dataset
from equivec.semvec.networks import ManyNetworks
from equivec.semvec.packing import pack_semvec, read_semvec
from equivec.semvec.rows import Row, TrainedNetwork, composition_rows, own_rows
from equivec.semvec.runs import PlannedRun, SemVecJob, group_runs, parse_runs
from equivec.semvec.sets import Datasets, Sets, describe_set, missing_sets, requests
from equivec.semvec.settings import ShapeConfig
from equivec.semvec.training import (
    GroupTraining,
    data_checksum,
    dataset_checksum,
    network_config,
)
from equivec.storage.files import read_json, sweep_partials, write_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from equivec.pipeline.runs import Progress

ROWS, COMPOSITIONS = "rows.json", "compositionality.json"


def _say_nothing(_: str) -> None:
    pass


@dataclass(frozen=True, slots=True)
class Scores:
    """Rows of networks on their own datasets, and on larger ones."""

    own: list[Row]
    compositions: list[Row]

    def write(self, folder: Path) -> None:
        """Write both lists; where there are rows, both are there."""
        write_json(folder / COMPOSITIONS, self.compositions)
        write_json(folder / ROWS, self.own)

    @classmethod
    def read(cls, folder: Path) -> Scores:
        """What `write` wrote."""
        return cls(read_json(folder / ROWS), read_json(folder / COMPOSITIONS))


@dataclass(frozen=True, eq=False)
class _Plan:
    """What is trained, and on what."""

    job: SemVecJob
    runs: list[PlannedRun]
    datasets: Datasets  # with those that lack a fold
    sets: Sets


def pack(data: Path, out: Path, job: SemVecJob, say: Callable[[str], None] = _say_nothing) -> None:
    """Write the datasets and training sets of runs into one file for `train`."""
    plan = _make_plan(data, job, say)
    datasets = {name: plan.datasets[name] for name in _dataset_names(plan.runs)}
    pack_semvec(datasets, plan.sets, out)


def train(
    data: Path,
    out: Path,
    job: SemVecJob,
    pace: Pace | None = None,
    *,
    device: str | None = None,
    resume: bool = False,
    say: Callable[[str], None] = _say_nothing,
) -> Iterator[Progress]:
    """Train networks and score them, if the training is not paused; the scores lie in the folder.

    Of the seconds of a schedule, networks of one shape have their share.
    """
    pace, device = pace or Pace(), device or default_device()
    check_device(device)
    pace.check_end(job.recipe.training)
    plan = _make_plan(data, job, say)
    settings = _settings(plan, device)
    check_begun(out, settings, _FREE, resume=resume)
    begin(out, settings, write_recipe(job.recipe))
    if (out / ROWS).exists():  # all was done
        return
    networks: list[TrainedNetwork] = []
    for group in group_runs(plan.runs):
        training = _group_training(plan, group, out, pace, device)
        if resume:
            training.run.restore()
        yield from training.run.advance()
        if not training.is_finished:
            return
        networks += training.results()
    if job.keeps_weights:
        write_weights(out, {n.run.name: n.network.values[0] for n in networks})
    _score(networks, plan.datasets, joins=True).write(out)  # last: with it, all is done
    for group in group_runs(plan.runs):
        (_folder(out, group) / CHECKPOINT).unlink(missing_ok=True)


def _group_training(
    plan: _Plan, group: Sequence[PlannedRun], out: Path, pace: Pace, device: str
) -> GroupTraining:
    """Networks of one shape in a folder of their own; what others held on the device is let go."""
    recipe = plan.job.recipe
    if recipe.training.is_compiled:
        forget_compiled()
    if pace.seconds is not None:
        pace = replace(pace, seconds=pace.seconds * len(group) / len(plan.runs))
    folder = _folder(out, group)
    folder.mkdir(exist_ok=True)
    sweep_partials(folder)
    return GroupTraining(folder, group, plan.sets, plan.datasets, recipe, pace, device)


def _score(networks: Sequence[TrainedNetwork], datasets: Datasets, *, joins: bool) -> Scores:
    return Scores(
        list(own_rows(networks, datasets, joins=joins)),
        list(composition_rows(networks, datasets, joins=joins)),
    )


def _folder(out: Path, group: Sequence[PlannedRun]) -> Path:
    """Where the run of networks of one shape is."""
    return out / f"width-{group[0].setting.width}"


def score(folders: Sequence[Path], data: Path, *, joins: bool = False) -> Scores:
    """The scores of networks whose weights were kept in folders.

    Weights are kept in half precision, so a score can differ in its last digits from that of the
    training. With `joins`, networks that differ in their seeds only, of one folder or several, are
    also scored together.
    """
    networks = [network for folder in folders for network in _read_networks(folder)]
    if joins:
        _refuse_twins(networks)
    datasets, _ = read_semvec(data, _dataset_names([network.run for network in networks]))
    for folder in folders:
        _refuse_other_data(folder, data, datasets)
    return _score(networks, datasets, joins=joins)


def _refuse_other_data(folder: Path, data: Path, datasets: Datasets) -> None:
    """On other splits than its own, what a network was trained on would count as a test."""
    for name, checksum in _read_settings(folder).get("datasets", {}).items():
        if name in datasets and dataset_checksum(datasets[name]) != checksum:
            raise ConfigError(f"{folder} was trained on another {name} than that of {data}")


def _refuse_twins(networks: Iterable[TrainedNetwork]) -> None:
    names = Counter(network.run.name for network in networks)
    if twice := [name for name, count in names.items() if count > 1]:
        raise ConfigError(
            f"{twice[0]} is in more than one folder; networks are joined only if their seeds differ"
        )


def _read_networks(folder: Path) -> Iterator[TrainedNetwork]:
    weights = read_weights(folder)
    shape, facts = ShapeConfig(**_read_settings(folder)["recipe"]["network"]), _read_facts(folder)
    for name, values in weights.items():
        if name not in facts:
            raise FileFormatError(f"{folder}: rows.json has no row of {name}, whose weights it has")
        (run,) = parse_runs([name])
        network = ManyNetworks.of(network_config(run, shape), values)
        yield TrainedNetwork(
            run=run,
            network=network.to(default_device()),
            steps=facts[name]["steps"],
            seconds=facts[name]["seconds"],
            networks_at_once=facts[name]["networks_at_once"],
        )


def _read_settings(folder: Path) -> dict[str, Any]:
    """What a training said of itself."""
    settings = read_json(folder / SETTINGS)
    if not isinstance(settings, dict) or not isinstance(settings.get("recipe"), dict):
        raise FileFormatError(f"{folder / SETTINGS} does not describe a training")
    return settings


def _read_facts(folder: Path) -> dict[str, dict[str, Any]]:
    """A row of every network that was scored in a folder, by the name of its run."""
    path, rows = folder / ROWS, read_json(folder / ROWS)
    try:
        return {f"{row['dataset']}:{row['setting']}@{row['seed']}": row for row in rows}
    except (KeyError, TypeError) as error:
        raise FileFormatError(f"{path} is no list of rows of scores") from error


def _make_plan(data: Path, job: SemVecJob, say: Callable[[str], None]) -> _Plan:
    """Read the datasets of runs and make the training sets that are not packed with them."""
    runs = job.planned()
    datasets, sets = read_semvec(data, _dataset_names(runs))
    for run in runs:
        if run.fold and run.source not in datasets:
            datasets[run.source] = fold_dataset(datasets[run.dataset], run.fold)
    for key, part in missing_sets(runs, datasets, frozenset(sets)):
        sets[key] = part
        say(f"{key}: {len(part.expressions):,} expressions")
    return _Plan(job, runs, datasets, sets)


def _dataset_names(runs: Iterable[PlannedRun]) -> list[str]:
    """The datasets that runs are trained and scored on."""
    return sorted({name for run in runs for name in (run.dataset, *run.scored_on)})


# What may be another when a run is continued.
_FREE = frozenset({"datasets", "device", "python", "torch", "sets", "keeps_weights"})


def _settings(plan: _Plan, device: str) -> dict[str, Any]:
    used = {request.key: (run, request) for run in plan.runs for request in requests(run)}
    return {
        "runs": [run.name for run in plan.runs],
        "recipe": json.loads(json.dumps(asdict(plan.job.recipe))),
        "keeps_weights": plan.job.keeps_weights,
        "data": data_checksum(plan.runs, plan.sets, plan.datasets),
        "datasets": {
            name: dataset_checksum(plan.datasets[name]) for name in _dataset_names(plan.runs)
        },
        "device": device_name(device),
        "python": platform.python_version(),
        "torch": torch_version(),
        "sets": {
            key: describe_set(
                plan.sets[key],
                plan.datasets[request.source],
                plan.datasets[request.target] if request.target in run.scored_on else None,
            )
            for key, (run, request) in used.items()
        },
    }
