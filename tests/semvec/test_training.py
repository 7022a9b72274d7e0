"""A group of runs in training: it chooses weights by validation, and goes on from checkpoints."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from equivec.pipeline.runs import Pace
from equivec.semvec.dataset import SemVecDataset, Split
from equivec.semvec.networks import ManyNetworks
from equivec.semvec.runs import parse_runs
from equivec.semvec.sets import missing_sets
from equivec.semvec.settings import semvec_recipe
from equivec.semvec.training import GroupTraining, data_checksum, network_config

TINY = "layers=1 width=8 validation_at=[0.5] batch_size=16 steps=6 warmup_steps=2"
RUNS = parse_runs(["SimpPoly5:combined", "Poly5:SemEmb"])


def group(
    datasets: dict[str, SemVecDataset], folder: Path, changes: str = "", pace: Pace | None = None
) -> GroupTraining:
    sets = dict(missing_sets(RUNS, datasets, ()))
    recipe = semvec_recipe("fast", [*TINY.split(), *changes.split()])
    return GroupTraining(folder, RUNS, sets, datasets, recipe, pace or Pace(), "cpu")


def test_a_stopped_training_goes_on_as_if_never_stopped(
    datasets: dict[str, SemVecDataset], tmp_path: Path
) -> None:
    whole = group(datasets, tmp_path / "nowhere", pace=Pace(checkpoint_seconds=1e9))
    whole.run.is_first = False  # writes nothing
    list(whole.run.advance())
    stopped = group(datasets, tmp_path, pace=Pace(pause_after=1e-9))
    for _ in range(4):
        list(stopped.run.advance())
        stopped = group(datasets, tmp_path, pace=Pace(pause_after=1e-9))
        stopped.run.restore()
    again = group(datasets, tmp_path)
    again.run.restore()
    assert again.trainer.step_count == 4
    list(again.run.advance())
    state, expected = again.trainer.state(), whole.trainer.state()
    for name, values in expected.items():
        assert torch.equal(state[name], values), name
    assert again.is_finished


def test_a_finished_training_does_not_train_again(
    datasets: dict[str, SemVecDataset], tmp_path: Path
) -> None:
    first = group(datasets, tmp_path)
    list(first.run.advance())
    again = group(datasets, tmp_path)
    again.run.restore()
    assert list(again.run.advance()) == []
    for one, other in zip(again.results(), first.results(), strict=True):
        assert torch.equal(one.network.values, other.network.values)
        assert one.steps == other.steps > 0


def test_weights_are_chosen_at_fractions_of_the_schedule_and_at_its_end(
    datasets: dict[str, SemVecDataset], tmp_path: Path
) -> None:
    training = group(datasets, tmp_path, pace=Pace(report_every=1))
    chosen = [news.step for news in training.run.advance() if news.validation is not None]
    assert chosen == [3, 6]


def test_training_ends_when_patience_does(
    datasets: dict[str, SemVecDataset], tmp_path: Path
) -> None:
    changes = "steps=1_000_000 min_steps=3 patience=2 validation_every=1 average_decay=0"
    training = group(datasets, tmp_path, changes)
    scores = iter([[50.0, 10.0], [50.0, 20.0], [40.0, 20.0], [1.0, 1.0]])
    assert training.run.validation is not None
    training.run.validation = replace(
        training.run.validation, measure=lambda: np.array(next(scores))
    )
    list(training.run.advance())
    assert training.trainer.step_count == 4
    assert [result.steps for result in training.results()] == [1, 2]


@pytest.mark.parametrize("column", ["class_ids", "split_ids"])
def test_other_data_of_the_same_name_have_another_checksum(
    datasets: dict[str, SemVecDataset], column: str
) -> None:
    changed = getattr(datasets["Poly5"], column).copy()
    changed[:2] = changed[1::-1] if column == "class_ids" else 1 - (changed[:2] > 0)
    other = {**datasets, "Poly5": replace(datasets["Poly5"], **{column: changed})}
    assert not np.array_equal(changed, getattr(datasets["Poly5"], column))
    sets = dict(missing_sets(RUNS, datasets, ()))
    assert data_checksum(RUNS, sets, other) != data_checksum(RUNS, sets, datasets)


def test_no_test_row_has_a_part_in_the_choice_of_weights(
    datasets: dict[str, SemVecDataset], tmp_path: Path
) -> None:
    """With the tests' expressions and classes replaced, validation says the same."""
    as_they_are = group(datasets, tmp_path)
    poisoned = {}
    for name, dataset in datasets.items():
        is_test = np.isin(dataset.split_ids, (Split.SEEN, Split.UNSEEN))
        assert is_test.any()
        first = dataset.rows(Split.VALIDATION)[0]
        expressions, classes = dataset.expressions.copy(), dataset.class_ids.copy()
        expressions[is_test], classes[is_test] = expressions[first], classes[first]
        poisoned[name] = replace(dataset, expressions=expressions, class_ids=classes)
    other = group(poisoned, tmp_path)
    assert as_they_are.validate().tolist() == other.validate().tolist()


def test_a_network_has_the_paper_s_shape() -> None:
    """Six layers, eight heads; the paper has 179 and 703 thousand and 2.8 million parameters."""
    thousands = {}
    for name in ("StructEmb-32", "StructEmb", "StructEmb-128"):
        (run,) = parse_runs([f"Bool5:{name}"])
        shape = network_config(run, semvec_recipe("fast").network)
        assert (shape.layers, shape.heads, shape.dropout) == (6, 8, 0.1)
        count = sum(value.numel() for value in ManyNetworks(shape, [0]).parameters())
        thousands[name] = count // 1_000
    assert thousands == {"StructEmb-32": 179, "StructEmb": 703, "StructEmb-128": 2_782}
