"""A group of runs in training: it stops in time, goes on from checkpoints, and refuses others'."""

import io
from collections.abc import Callable
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from equivec.errors import ConfigError
from equivec.semvec import training as module
from equivec.semvec.dataset import SemVecDataset, Split
from equivec.semvec.networks import ManyNetworks
from equivec.semvec.runs import SemVecConfig, parse_runs
from equivec.semvec.sets import missing_sets
from equivec.semvec.settings import TrainingConfig
from equivec.semvec.training import GroupTraining, Reporter, network_config

TINY = SemVecConfig(
    runs=("SimpPoly5:combined", "Poly5:SemEmb"),
    seconds=60,
    layers=1,
    width=8,
    choices=(0.5,),
    training=TrainingConfig(batch_size=16, steps=6, warmup_steps=2),
)


def group(datasets: dict[str, SemVecDataset], config: SemVecConfig = TINY) -> GroupTraining:
    runs = parse_runs(config.runs)
    sets = dict(missing_sets(runs, datasets, ()))
    return GroupTraining(runs, sets, datasets, config, "cpu")


def train(training: GroupTraining, seconds: float = 60, folder: Path | None = None) -> list[str]:
    lines: list[str] = []
    training.train(
        seconds,
        io.StringIO(),
        Reporter(note=lines.append),
        lambda: training.save(folder) if folder else None,
    )
    return lines


def test_a_stopped_training_goes_on_as_if_never_stopped(
    datasets: dict[str, SemVecDataset], tmp_path: Path
) -> None:
    config = replace(TINY, schedule_seconds=1e6, checkpoint_seconds=-1)  # after every step
    whole = group(datasets, config)

    def save_once() -> None:
        if whole.trainer.step_count == 4:
            whole.save(tmp_path)

    whole.train(60, io.StringIO(), Reporter(), save_once)
    again = group(datasets, config)
    assert again.load(tmp_path)
    assert again.trainer.step_count == 4
    train(again)
    assert torch.equal(again.trainer.networks.values, whole.trainer.networks.values)
    assert torch.equal(again.trainer.best_values, whole.trainer.best_values)


def test_a_finished_training_does_not_train_again(
    datasets: dict[str, SemVecDataset], tmp_path: Path
) -> None:
    first = group(datasets)
    train(first, folder=tmp_path)
    again = group(datasets)
    assert again.load(tmp_path)
    assert train(again) == []
    assert torch.equal(again.trainer.best_values, first.trainer.best_values)
    assert [network.steps for network in again.chosen()] == [6, 6]


def test_the_schedule_of_the_first_command_is_that_of_the_next(
    datasets: dict[str, SemVecDataset], tmp_path: Path
) -> None:
    config = replace(TINY, training=replace(TINY.training, steps=None))
    first = group(datasets, replace(config, schedule_seconds=1000.0))
    train(first, seconds=0.2, folder=tmp_path)
    again = group(datasets, config)
    again.load(tmp_path)
    train(again, seconds=0.2)
    assert again.schedule_seconds == 1000
    assert 0 < first.progress < again.progress < 1
    assert not again.chosen()[0].is_finished


def test_the_time_of_one_command_is_a_whole_schedule(
    datasets: dict[str, SemVecDataset], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first step, which may compile for a minute, is no part of it, nor is validation."""
    ticks = count(50)  # a clock that is a second on whenever it is looked at
    monkeypatch.setattr(module, "start_clock", lambda: lambda: next(ticks))
    config = replace(TINY, training=replace(TINY.training, steps=None))
    training = group(datasets, config)
    train(training, seconds=80)
    assert training.schedule_seconds == 80 - 50 - 1, "the one choice took one tick"
    assert training.progress >= 1
    assert training.choices_made == 1


def test_validation_and_checkpoints_are_no_part_of_the_schedule(
    datasets: dict[str, SemVecDataset], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 0.0

    def taking(seconds: float, do: Callable[..., Any]) -> Callable[..., Any]:
        def timed(*arguments: object) -> Any:
            nonlocal now
            now += seconds
            return do(*arguments)

        return timed

    monkeypatch.setattr(module, "start_clock", lambda: lambda: now)
    endless = replace(TINY.training, steps=None)
    config = replace(TINY, training=endless, schedule_seconds=10, checkpoint_seconds=3)
    training = group(datasets, config)
    monkeypatch.setattr(training.trainer, "step", taking(1, training.trainer.step))
    monkeypatch.setattr(training, "choose", taking(100, training.choose))
    training.train(1e6, io.StringIO(), Reporter(), taking(30, lambda: None))
    assert now > 200
    assert training.trainer.step_count == 1 + 10, "the first is no part of it either"
    assert training.trained_seconds == 10


def test_time_interrupts_a_schedule_of_steps_and_does_not_shorten_it(
    datasets: dict[str, SemVecDataset], tmp_path: Path
) -> None:
    """Stopped by the clock after every few steps, it ends as if there had been no clock."""
    whole = group(datasets)
    train(whole)
    commands = 0
    while not (part := group(datasets)).load(tmp_path) or part.progress < 1:
        train(part, seconds=1e-9, folder=tmp_path)
        assert part.schedule_seconds == 0
        commands += 1
    assert commands == TINY.training.steps, "the first step is always made"
    assert torch.equal(part.trainer.networks.values, whole.trainer.networks.values)


def test_steps_take_the_place_of_the_seconds_of_a_checkpoint(
    datasets: dict[str, SemVecDataset], tmp_path: Path
) -> None:
    timed = group(datasets, replace(TINY, training=replace(TINY.training, steps=None)))
    train(timed, seconds=1, folder=tmp_path)
    assert timed.schedule_seconds > 0
    more = replace(TINY.training, steps=10**6)
    counted = group(datasets, replace(TINY, training=more))
    counted.load(tmp_path)
    assert counted.progress == timed.trainer.step_count / 10**6


def test_a_choice_that_was_not_on_schedule_does_not_count(
    datasets: dict[str, SemVecDataset],
) -> None:
    config = replace(TINY, schedule_seconds=1000.0)
    training = group(datasets, replace(config, training=replace(TINY.training, steps=10**6)))
    lines = train(training, seconds=0.1)
    assert [line.split(" · ")[1][:10] for line in lines] == ["validation"]
    assert training.choices_made == 0


@pytest.mark.parametrize(
    "change",
    [
        {"runs": ("SimpPoly5:combined@43", "Poly5:SemEmb")},
        {"training": replace(TINY.training, learning_rate=0.5)},
    ],
)
def test_a_checkpoint_of_other_runs_or_settings_is_refused(
    datasets: dict[str, SemVecDataset], tmp_path: Path, change: dict[str, object]
) -> None:
    train(group(datasets), folder=tmp_path)
    with pytest.raises(ConfigError, match="is a checkpoint of other runs, data or settings"):
        group(datasets, replace(TINY, **change)).load(tmp_path)  # type: ignore[arg-type]


@pytest.mark.parametrize("column", ["class_ids", "split_ids"])
def test_a_checkpoint_of_other_data_of_the_same_name_is_refused(
    datasets: dict[str, SemVecDataset], tmp_path: Path, column: str
) -> None:
    train(group(datasets), folder=tmp_path)
    changed = getattr(datasets["Poly5"], column).copy()
    changed[:2] = changed[1::-1] if column == "class_ids" else 1 - (changed[:2] > 0)
    other = {**datasets, "Poly5": replace(datasets["Poly5"], **{column: changed})}
    assert not np.array_equal(changed, getattr(datasets["Poly5"], column))
    with pytest.raises(ConfigError, match="a checkpoint of other runs, data or settings"):
        group(other).load(tmp_path)


def test_a_folder_without_a_checkpoint_is_a_new_start(
    datasets: dict[str, SemVecDataset], tmp_path: Path
) -> None:
    assert not group(datasets).load(tmp_path)


def scored(training: GroupTraining, *scores: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the validations of a training find these scores, one after the other, and choose."""
    for number, every in enumerate(scores, 1):
        training.trainer.step_count = number
        monkeypatch.setattr(training, "_validate", every.__getitem__)
        training.choose(io.StringIO(), Reporter())


def test_small_losses_do_not_add_up_to_a_large_one(
    datasets: dict[str, SemVecDataset], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each choice is compared with the best ever seen, not with the last that was kept."""
    training = group(datasets)
    small = training._chance() * 0.6
    best = np.array([90.0, 90.0])
    falling = [(best - times * small).tolist() for times in range(4)]
    scored(training, *falling, monkeypatch=monkeypatch)
    assert training.best_scores.tolist() == best.tolist()
    assert training.best_steps.tolist() == [2, 2], "a loss of more than chance is not kept"


def test_no_test_row_has_a_part_in_the_choice_of_weights(
    datasets: dict[str, SemVecDataset],
) -> None:
    """With the tests' expressions and classes replaced, validation says the same."""
    as_they_are = group(datasets)
    poisoned = {}
    for name, dataset in datasets.items():
        is_test = np.isin(dataset.split_ids, (Split.SEEN, Split.UNSEEN))
        assert is_test.any()
        first = dataset.rows(Split.VALIDATION)[0]
        expressions, classes = dataset.expressions.copy(), dataset.class_ids.copy()
        expressions[is_test], classes[is_test] = expressions[first], classes[first]
        poisoned[name] = replace(dataset, expressions=expressions, class_ids=classes)
    other = group(poisoned)
    for place in range(len(as_they_are.runs)):
        assert as_they_are._validate(place) == other._validate(place)


def test_a_network_has_the_paper_s_shape() -> None:
    """Six layers, eight heads; the paper has 179 and 703 thousand and 2.8 million parameters."""
    thousands = {}
    for name in ("StructEmb-32", "StructEmb", "StructEmb-128"):
        (run,) = parse_runs([f"Bool5:{name}"])
        config = SemVecConfig(runs=(run.name,))
        shape = network_config(run, config.layers, config.width)
        assert (shape.layers, shape.heads, shape.dropout) == (6, 8, 0.1)
        count = sum(value.numel() for value in ManyNetworks(shape, [0]).parameters())
        thousands[name] = count // 1_000
    assert thousands == {"StructEmb-32": 179, "StructEmb": 703, "StructEmb-128": 2_782}


PATIENT = replace(
    TINY.training, steps=10**6, min_steps=3, patience=2, validation_every=1, average_decay=0.0
)


def test_each_network_keeps_its_best_weights_until_none_has_patience(
    datasets: dict[str, SemVecDataset], monkeypatch: pytest.MonkeyPatch
) -> None:
    training = group(datasets, replace(TINY, training=PATIENT))
    scored(training, [50, 10], [50, 20], [40, 30], [99, 30], monkeypatch=monkeypatch)
    assert training.is_out_of_patience.tolist() == [True, False]
    scored(training, [1, 1], [1, 1], [1, 1], [1, 1], [1, 1], monkeypatch=monkeypatch)
    assert training.is_finished
    assert [network.steps for network in training.chosen()] == [1, 3]


def test_training_ends_when_patience_does(
    datasets: dict[str, SemVecDataset], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = replace(TINY, training=PATIENT)
    training = group(datasets, config)
    monkeypatch.setattr(training, "_validate", [50.0, 50.0].__getitem__)
    train(training, folder=tmp_path)
    assert training.trainer.step_count == 4, "of which the second was the best"
    again = group(datasets, config)
    again.load(tmp_path)
    assert train(again) == []
