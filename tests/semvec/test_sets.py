"""Training sets: made of training rows alone, and described honestly."""

from dataclasses import replace

import numpy as np
import pytest

from equivec.semvec.dataset import SemVecDataset, Split
from equivec.semvec.folds import fold_dataset
from equivec.semvec.runs import parse_runs
from equivec.semvec.sets import Request, describe_set, make_set, missing_sets, requests


@pytest.mark.parametrize("setting", ["SemEmb", "larger", "combined", "transfer"])
def test_no_training_set_looks_at_a_test_row(
    setting: str, datasets: dict[str, SemVecDataset]
) -> None:
    """With other classes and other expressions outside the training split, nothing changes."""
    dataset = datasets["Bool5"]
    outside = dataset.split_ids != Split.TRAIN
    class_ids, expressions = dataset.class_ids.copy(), dataset.expressions.copy()
    class_ids[outside] = class_ids[outside][::-1]
    expressions[outside] = expressions[outside][::-1]
    other = replace(dataset, class_ids=class_ids, expressions=expressions)
    for request in requests(parse_runs([f"Bool5:{setting}"])[0])[:2]:
        if request.target == "Bool10":
            request = replace(request, target="Bool8", largest_size=6)
        first, second = make_set(request, dataset), make_set(request, other)
        assert np.array_equal(first.expressions, second.expressions)
        assert np.array_equal(first.class_ids, second.class_ids)
        assert np.array_equal(first.labels, second.labels)


def test_without_a_fold_its_rows_are_not_trained_on(datasets: dict[str, SemVecDataset]) -> None:
    run = parse_runs(["Bool5:SemEmb"], folds=5)[0]
    assert run.fold is not None
    dataset = fold_dataset(datasets["Bool5"], run.fold)
    ((_, part),) = missing_sets([run], {run.source: dataset}, ())
    trained = {row.tobytes() for row in part.expressions}
    held_out = {dataset.expressions[row].tobytes() for row in dataset.rows(Split.UNSEEN)}
    assert trained.isdisjoint(held_out)
    assert len(trained) == len(dataset.rows(Split.TRAIN))


@pytest.mark.parametrize("name", ["Bool5", "SimpPoly5"])
def test_the_control_shows_no_expression_of_a_test(
    name: str, datasets: dict[str, SemVecDataset]
) -> None:
    """Setting `larger`: training rows, and deduced expressions that no dataset row can equal."""
    runs = parse_runs([f"{name}:larger"])
    sets = dict(missing_sets(runs, datasets, ()))
    assert len(sets) == 2
    for part in sets.values():
        found = describe_set(part, datasets[name])
        assert found["share_of_validation"] == found["share_of_seen"] == 0
        assert found["share_of_unseen"] == 0
    assert not runs[0].setting.renames, "a renamed training row can be a test row"


def test_deduction_within_a_dataset_spells_out_its_tests(
    datasets: dict[str, SemVecDataset],
) -> None:
    """The caveat of setting `combined`, as a number."""
    ((_, part),) = missing_sets(parse_runs(["SimpPoly5:combined"]), datasets, ())
    assert float(str(describe_set(part, datasets["SimpPoly5"])["share_of_unseen"])) > 0.9


def test_a_set_made_for_another_dataset_says_how_much_of_its_tests_it_spells_out(
    datasets: dict[str, SemVecDataset],
) -> None:
    """Counted one by one; the shares of the source's own splits say nothing of it."""
    target = datasets["Poly5"]
    request = Request("SimpPoly5", "Poly5", 1, 5)
    part = make_set(request, datasets["SimpPoly5"])
    known = {bytes(row) for row in part.expressions}
    unseen = [bytes(target.expressions[row]) for row in target.rows(Split.UNSEEN)]
    found = describe_set(part, datasets["SimpPoly5"], target)
    expected = sum(row in known for row in unseen) / len(unseen)
    assert found["share_of_target_unseen"] == pytest.approx(expected, abs=1e-4)
    assert 0 < expected < 1
    assert "share_of_target_unseen" not in describe_set(part, datasets["SimpPoly5"])


def test_what_is_at_hand_is_not_made_again(datasets: dict[str, SemVecDataset]) -> None:
    runs = parse_runs(["Poly5:SemEmb", "Poly5:StructEmb"])
    keys = [key for key, _ in missing_sets(runs, datasets, ())]
    assert keys == ["Poly5_None_1-0"]
    assert list(missing_sets(runs, datasets, keys)) == []


def test_every_dataset_has_its_sets() -> None:
    for setting in ("SemEmb", "larger", "combined"):
        assert all(requests(run) for run in parse_runs([f"all:{setting}"]))
