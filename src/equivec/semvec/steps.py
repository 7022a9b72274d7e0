"""The steps of the SemVec benchmark: pack data, train networks, score them.

Training reads the folder of the published files, or one packed file, and leaves a folder:

    rows.json               scores, a row for each dataset, setting, seed and split
    compositionality.json   scores on a dataset of networks trained on another
    training.jsonl          losses and validation scores on the way
    run.json                settings, versions, and how training sets and test splits overlap
    weights-N.npz           the chosen weights, half precision, on request
    checkpoint-*.npz        what to go on from, until the schedule is done
"""

from __future__ import annotations

import platform
from collections import Counter
from dataclasses import asdict, dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, TextIO

from equivec.errors import ConfigError, FileFormatError
from equivec.expression.files import read_json, sweep_partials, write_json
from equivec.model.devices import default_device, device_name, forget_compiled, torch_version
from equivec.semvec.files import read_weights, write_weights
from equivec.semvec.folds import fold_dataset
from equivec.semvec.networks import ManyNetworks
from equivec.semvec.packing import pack_semvec, read_semvec
from equivec.semvec.rows import Row, TrainedNetwork, composition_rows, own_rows
from equivec.semvec.runs import PlannedRun, SemVecConfig, group_runs, parse_runs
from equivec.semvec.sets import Datasets, Sets, describe_set, missing_sets, requests
from equivec.semvec.training import (
    GroupTraining,
    Reporter,
    checked_checkpoint,
    checkpoint_path,
    checkpoint_settings,
    dataset_checksum,
    network_config,
    start_clock,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Scores:
    """Rows of networks on their own datasets, and on larger ones."""

    own: list[Row]
    compositions: list[Row]

    def write(self, folder: Path) -> None:
        """Write both lists."""
        write_json(folder / "rows.json", self.own)
        write_json(folder / "compositionality.json", self.compositions)


@dataclass(frozen=True, eq=False)
class _Plan:
    """What is trained, and on what."""

    config: SemVecConfig
    runs: list[PlannedRun]
    datasets: Datasets  # with those that lack a fold
    sets: Sets


def pack(data: Path, out: Path, config: SemVecConfig, report: Reporter | None = None) -> None:
    """Write the datasets and training sets of runs into one file for `train`."""
    plan = _make_plan(data, config, report or Reporter())
    datasets = {name: plan.datasets[name] for name in _dataset_names(plan.runs)}
    pack_semvec(datasets, plan.sets, out)


def train(
    data: Path,
    out: Path,
    config: SemVecConfig,
    checkpoint: Path | None = None,
    report: Reporter | None = None,
) -> Scores:
    """Train and score runs within the time given; the rows come back and lie in the folder.

    Checkpoints are in the folder `checkpoint`, or else with the rows. The same command goes on
    from them; when the whole schedule is done, they are removed.
    """
    clock, report, checkpoint = start_clock(), report or Reporter(), checkpoint or out
    plan = _make_plan(data, config, report)
    checkpoints = {checkpoint_path(checkpoint, run) for run in plan.runs}
    is_continued = _check_checkpoints(plan, checkpoint)
    out.mkdir(parents=True, exist_ok=True)
    sweep_partials(out)
    write_weights(out, {})  # those of an earlier training go
    write_json(out / "run.json", _description(plan))
    networks: list[TrainedNetwork] = []
    scores = Scores([], [])
    with (out / "training.jsonl").open("a" if is_continued else "w", encoding="utf-8") as log:
        for group in group_runs(plan.runs):
            share = len(group) / (len(plan.runs) - len(networks))
            seconds = share * (config.seconds - clock() - config.reserve_seconds)
            trained = _train_group(plan, group, max(1.0, seconds), checkpoint, log, report)
            scores.own.extend(own_rows(trained, plan.datasets, joins=True))
            scores.compositions.extend(composition_rows(trained, plan.datasets, joins=True))
            scores.write(out)
            networks += trained
    if config.keeps_weights:
        write_weights(out, {n.run.name: n.network.values[0] for n in networks})
    if all(network.is_finished for network in networks):
        for path in checkpoints:
            path.unlink(missing_ok=True)
    else:
        report.note("the schedule is not done: the same command goes on from the checkpoint")
    return scores


def _check_checkpoints(plan: _Plan, folder: Path) -> bool:
    """Whether there are any; one that cannot be gone on from is refused before we write."""
    paths = []
    for group in group_runs(plan.runs):
        path = checkpoint_path(folder, group[0])
        if not path.exists():
            continue
        if plan.config.training.steps == 0:
            raise ConfigError(f"{path} is of a training; score random weights in another folder")
        settings = checkpoint_settings(group, plan.sets, plan.datasets, plan.config)
        checked_checkpoint(path, settings)
        paths.append(path)
    return bool(paths)


def _train_group(
    plan: _Plan,
    group: Sequence[PlannedRun],
    seconds: float,
    checkpoint: Path,
    log: TextIO,
    report: Reporter,
) -> list[TrainedNetwork]:
    """The networks of one shape; what else training held on the device is let go."""
    if plan.config.training.is_compiled:
        forget_compiled()
    training = GroupTraining(group, plan.sets, plan.datasets, plan.config, default_device())
    if training.load(checkpoint):
        report.note(f"going on from step {training.trainer.step_count:,}")
    training.train(seconds, log, report, partial(training.save, checkpoint))
    return training.chosen()


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
    return Scores(
        list(own_rows(networks, datasets, joins=joins)),
        list(composition_rows(networks, datasets, joins=joins)),
    )


def _refuse_other_data(folder: Path, data: Path, datasets: Datasets) -> None:
    """On other splits than its own, what a network was trained on would count as a test."""
    for name, checksum in _read_description(folder).get("data", {}).items():
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
    config, facts = _read_description(folder)["config"], _read_facts(folder)
    for name, values in weights.items():
        if name not in facts:
            raise FileFormatError(f"{folder}: rows.json has no row of {name}, whose weights it has")
        (run,) = parse_runs([name])
        network = ManyNetworks.of(network_config(run, config["layers"], config["width"]), values)
        yield TrainedNetwork(
            run=run,
            network=network.to(default_device()),
            steps=facts[name]["steps"],
            seconds=facts[name]["seconds"],
            networks_at_once=facts[name]["networks_at_once"],
        )


def _read_description(folder: Path) -> dict[str, Any]:
    """What a training said of itself."""
    description = read_json(folder / "run.json")
    if not isinstance(description, dict) or not isinstance(description.get("config"), dict):
        raise FileFormatError(f"{folder / 'run.json'} does not describe a training")
    return description


def _read_facts(folder: Path) -> dict[str, dict[str, Any]]:
    """A row of every network that was scored in a folder, by the name of its run."""
    path, rows = folder / "rows.json", read_json(folder / "rows.json")
    try:
        return {f"{row['dataset']}:{row['setting']}@{row['seed']}": row for row in rows}
    except (KeyError, TypeError) as error:
        raise FileFormatError(f"{path} is no list of rows of scores") from error


def _make_plan(data: Path, config: SemVecConfig, report: Reporter) -> _Plan:
    """Read the datasets of runs and make the training sets that are not packed with them."""
    runs = parse_runs(config.runs, config.training.seed, config.folds)
    datasets, sets = read_semvec(data, _dataset_names(runs))
    for run in runs:
        if run.fold and run.source not in datasets:
            datasets[run.source] = fold_dataset(datasets[run.dataset], run.fold)
    for key, part in missing_sets(runs, datasets, frozenset(sets)):
        sets[key] = part
        report.note(f"{key}: {len(part.expressions):,} expressions")
    return _Plan(config, runs, datasets, sets)


def _dataset_names(runs: Iterable[PlannedRun]) -> list[str]:
    """The datasets that runs are trained and scored on."""
    return sorted({name for run in runs for name in (run.dataset, *run.scored_on)})


def _description(plan: _Plan) -> dict[str, object]:
    used = {request.key: (run, request) for run in plan.runs for request in requests(run)}
    return {
        "config": asdict(plan.config),
        "runs": [run.name for run in plan.runs],
        "data": {name: dataset_checksum(plan.datasets[name]) for name in _dataset_names(plan.runs)},
        "device": device_name(default_device()),
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
