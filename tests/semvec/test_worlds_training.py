"""Training learned operators: what it may see, what it draws, and that it learns."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from equivec.errors import ConfigError
from equivec.semvec.dataset import SemVecDataset, Split, semvec_spec
from equivec.semvec.subtrees import find_subtrees
from equivec.semvec.worlds import LatentWorlds, arities_of, make_plan, scored_worlds
from equivec.semvec.worlds_settings import WorldsConfig
from equivec.semvec.worlds_training import RowSampler, contrast, train_worlds, training_rows
from support.semvec import enumerated

TINY = WorldsConfig(width=3, prototypes=2, worlds=4, restarts=2, batch_rows=40, steps=12)


def tampered(dataset: SemVecDataset) -> SemVecDataset:
    """The same training rows; all others are another expression of another class."""
    others = dataset.split_ids != Split.TRAIN
    expressions, class_ids = dataset.expressions.copy(), dataset.class_ids.copy()
    expressions[others] = dataset.expressions[np.flatnonzero(others)[0]]
    class_ids[others] = 0
    return replace(dataset, expressions=expressions, class_ids=class_ids)


def test_training_sees_the_texts_and_classes_of_training_rows_and_nothing_else() -> None:
    """Rows only: whatever stands in the other splits, the same network comes out to the bit."""
    dataset = enumerated(semvec_spec("Bool5"))
    rows = training_rows(dataset)
    unseen = dataset.rows(Split.UNSEEN)
    assert len(rows.expressions) == (dataset.split_ids == Split.TRAIN).sum()
    assert not np.isin(dataset.class_ids[unseen], rows.class_ids).any()
    texts = {expression.tobytes() for expression in rows.expressions}
    assert not texts & {dataset.expressions[row].tobytes() for row in unseen}
    first = train_worlds(rows, TINY, seed=1)
    again = train_worlds(training_rows(tampered(dataset)), TINY, seed=1)
    assert first.losses == again.losses
    assert torch.equal(first.network.values, again.network.values)


def test_only_whole_rows_are_compared_so_subtrees_carry_no_loss() -> None:
    """The loss is a function of vectors and classes; there is one of each for a row, no more."""
    dataset = enumerated(semvec_spec("Bool5"))
    rows = training_rows(dataset)
    subtrees = find_subtrees(rows.expressions, arities_of(rows.spec))
    some = subtrees.of_rows(np.arange(0, 200, 10))
    assert len(some.symbols) > len(some.roots), "there are subtrees that are no rows"
    network = LatentWorlds(TINY, rows.spec, 1)
    network.draw(torch.Generator().manual_seed(0))
    vectors = network(network.parts(), make_plan(some, rows.spec), scored_worlds(3, 2))
    assert vectors.shape[1] == len(some.roots), "one vector a row, none for subtrees"


def test_a_batch_has_a_few_rows_of_each_of_many_classes() -> None:
    class_ids = np.repeat(np.arange(50, dtype=np.int32), [*[1] * 10, *[2] * 10, *[90] * 30])
    sampler = RowSampler(class_ids, TINY, np.random.default_rng(0))
    batch = sampler.draw()
    classes, counts = np.unique(class_ids[batch], return_counts=True)
    assert len(batch) == len(set(batch.tolist()))
    assert len(classes) == TINY.batch_rows // TINY.rows_of_class
    sizes = np.bincount(class_ids)[classes]
    assert counts.tolist() == np.minimum(sizes, TINY.rows_of_class).tolist()
    assert set(batch.tolist()) != set(sampler.draw().tolist())


def test_where_classes_are_few_each_gives_more_rows() -> None:
    class_ids = np.repeat(np.arange(2, dtype=np.int32), 500)
    batch = RowSampler(class_ids, TINY, np.random.default_rng(0)).draw()
    assert np.bincount(class_ids[batch]).tolist() == [20, 20]


def test_of_few_rows_a_batch_has_all() -> None:
    class_ids = np.array([3, 0, 3, 0, 1], dtype=np.int32)
    batch = RowSampler(class_ids, TINY, np.random.default_rng(0)).draw()
    assert sorted(batch.tolist()) == [0, 1, 2, 3, 4]


def test_the_contrast_of_a_case_worked_by_hand() -> None:
    """Rows 0 and 1 are one class, 2 is alone: it is no anchor, only somebody else.

    With sharpness e**0 and softening 1: from row 0, row 1 is at squared distance 2 - 2 * 0.6 and
    row 2 at 2; from row 1, row 0 again, and row 2 at 2 - 2 * 0.8.
    """
    vectors = torch.tensor([[[1.0, 0.0], [0.6, 0.8], [0.0, 1.0]]])
    losses = contrast(vectors, torch.tensor([4, 4, 9]), torch.zeros(1, 1), softening=1.0)
    first = -np.log((1 / 1.8) / (1 / 1.8 + 1 / 3.0))
    second = -np.log((1 / 1.8) / (1 / 1.8 + 1 / 1.4))
    assert losses.tolist() == pytest.approx([(first + second) / 2])


def test_classes_count_evenly_however_many_rows_they_have() -> None:
    """Doubling the weight of a class is not a matter of how many of its rows were drawn."""
    generator = torch.Generator().manual_seed(0)
    vectors = torch.nn.functional.normalize(torch.randn(1, 9, 4, generator=generator), dim=2)
    classes = torch.tensor([0] * 6 + [1] * 3)
    whole = contrast(vectors, classes, torch.zeros(1, 1), 0.01)
    shares = []
    for chosen in (0, 1):
        only = torch.where(classes == chosen, classes, torch.arange(10, 19))
        shares.append(contrast(vectors, only, torch.zeros(1, 1), 0.01))
    torch.testing.assert_close(whole, (shares[0] + shares[1]) / 2)


def test_the_same_seed_gives_the_same_network_and_another_seed_another() -> None:
    rows = training_rows(enumerated(semvec_spec("SimpPoly5")))
    first, again, other = (train_worlds(rows, TINY, seed) for seed in (1, 1, 2))
    assert torch.equal(first.network.values, again.network.values)
    assert not torch.equal(first.network.values, other.network.values)


def test_the_restart_of_the_lowest_training_loss_is_chosen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    select, chosen = LatentWorlds.select, []
    monkeypatch.setattr(
        LatentWorlds, "select", lambda self, number: chosen.append(number) or select(self, number)
    )
    rows = training_rows(enumerated(semvec_spec("SimpPoly5")))
    trained = train_worlds(rows, replace(TINY, restarts=4), seed=3)
    assert len(set(trained.losses)) == 4
    assert chosen == [int(np.argmin(trained.losses))]


def test_longer_training_ends_with_a_lower_loss() -> None:
    rows = training_rows(enumerated(semvec_spec("SimpPoly5")))
    config = replace(TINY, restarts=1, width=4, prototypes=4)
    short, long = (train_worlds(rows, replace(config, steps=n), 1).losses for n in (2, 150))
    assert long[0] < 0.8 * short[0]


@pytest.mark.parametrize("change", [{"steps": 0}, {"batch_rows": 1}, {"worlds": 0}])
def test_a_number_outside_its_range_is_refused(change: dict[str, int]) -> None:
    (name,) = change
    with pytest.raises(ConfigError, match=f"{name} must be at least "):
        replace(TINY, **change)
