"""The table of SemVec datasets, their splits and their training pairs."""

import numpy as np
import pytest

from equivec.errors import ConfigError
from equivec.expression.prefix import write_tokens
from equivec.semvec.dataset import SEMVEC_SPECS, SemVecDataset, Split, semvec_spec
from equivec.semvec.enumeration import enumerate_semvec
from equivec.semvec.splits import split_rows, training_pairs, training_pairs_count


@pytest.fixture(scope="module")
def dataset() -> SemVecDataset:
    return enumerate_semvec(semvec_spec("SimpBool8"))


def with_train_classes(*sizes: int) -> SemVecDataset:
    class_ids = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
    return SemVecDataset(
        spec=semvec_spec("Bool5"),
        expressions=np.zeros((len(class_ids), 5), dtype=np.uint8),
        class_ids=class_ids,
        split_ids=np.full(len(class_ids), Split.TRAIN, dtype=np.uint8),
    )


def test_the_table_has_fourteen_rows_with_names_of_their_own() -> None:
    assert len(SEMVEC_SPECS) == 14
    assert len({spec.name for spec in SEMVEC_SPECS}) == 14
    assert len({spec.file_name for spec in SEMVEC_SPECS}) == 14
    for spec in SEMVEC_SPECS:
        assert all(operator in spec.grammar for operator in spec.operators), spec.name


def test_an_unknown_name_is_answered_with_the_known_ones() -> None:
    with pytest.raises(ConfigError, match=r"'Bool' is not a SemVec dataset; choose from Bool5, "):
        semvec_spec("Bool")


def test_a_row_is_the_tree_its_tokens_spell(dataset: SemVecDataset) -> None:
    for row in range(0, len(dataset), 997):
        tree = dataset.tree(row)
        assert write_tokens(tree) == dataset.tokens(row)
        assert tree.size <= dataset.spec.largest_size


def test_every_row_has_one_split_and_rows_ascend(dataset: SemVecDataset) -> None:
    rows = [dataset.rows(split) for split in Split]
    assert all((np.diff(of_split) > 0).all() for of_split in rows)
    assert np.array_equal(np.sort(np.concatenate(rows)), np.arange(len(dataset)))


def test_a_class_is_unseen_as_a_whole_or_not_at_all(dataset: SemVecDataset) -> None:
    unseen = np.bincount(dataset.class_ids[dataset.rows(Split.UNSEEN)], minlength=120)
    assert set(np.flatnonzero(unseen)) == set(np.flatnonzero(unseen == dataset.class_sizes))
    assert (unseen > 0).sum() == 20


def test_unseen_classes_are_neither_alone_nor_large() -> None:
    sizes = np.array([1] * 50 + [2] * 3 + [6] * 4 + [7] + [200])
    class_ids = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
    largest = 3 * sizes.mean()
    for seed in range(20):
        splits = split_rows(class_ids, np.random.default_rng(seed))
        of_unseen = sizes[np.unique(class_ids[splits == Split.UNSEEN])]
        assert len(of_unseen) == 8, "all that are eligible, fewer than the ten wanted"
        assert of_unseen.min() >= 2
        assert of_unseen.max() <= largest


@pytest.mark.parametrize(
    ("size", "train", "validation", "seen"),
    [(1, 1, 0, 0), (3, 3, 0, 0), (4, 3, 0, 1), (6, 5, 0, 1), (8, 5, 1, 2), (20, 12, 3, 5)],
)
def test_a_class_is_split_as_published(size: int, train: int, validation: int, seen: int) -> None:
    class_ids = np.repeat(np.arange(12, dtype=np.int32), size)
    splits = split_rows(class_ids, np.random.default_rng(1))
    kept = np.unique(class_ids[splits != Split.UNSEEN])
    assert len(kept) == (12 if size == 1 else 10)
    for number in kept:
        counts = np.bincount(splits[class_ids == number], minlength=4).tolist()
        assert counts == [train, validation, seen, 0]


def test_pairs_worked_by_hand() -> None:
    pairs = training_pairs(with_train_classes(1, 3, 2), np.random.default_rng(0))
    expected = {(1, 2), (2, 1), (1, 3), (3, 1), (2, 3), (3, 2), (4, 5), (5, 4)}
    assert len(pairs) == 8
    assert {(left, right) for left, right in pairs.tolist()} == expected


def test_a_large_class_gives_a_hundred_thousand_unordered_pairs() -> None:
    small, large = 447, 448  # 447 * 446 / 2 = 99,681 and 448 * 447 / 2 = 100,128
    assert training_pairs_count(with_train_classes(small)) == small * (small - 1)
    assert training_pairs_count(with_train_classes(large, 3)) == 200_006


def test_pairs_are_counted_right_and_none_comes_twice(dataset: SemVecDataset) -> None:
    pairs = training_pairs(dataset, np.random.default_rng(0))
    assert len(pairs) == training_pairs_count(dataset)
    left, right = pairs.T.astype(np.int64)
    keys = np.sort(left * len(dataset) + right)
    assert (np.diff(keys) > 0).all()
    assert np.array_equal(keys, np.sort(right * len(dataset) + left)), "each with its reverse"


def test_pairs_are_of_one_class_of_the_training_set(dataset: SemVecDataset) -> None:
    pairs = training_pairs(dataset, np.random.default_rng(0))
    assert (dataset.class_ids[pairs[:, 0]] == dataset.class_ids[pairs[:, 1]]).all()
    assert (dataset.split_ids[pairs] == Split.TRAIN).all()


def test_pairs_of_the_same_seed_are_the_same_bytes(dataset: SemVecDataset) -> None:
    first, again, other = (
        training_pairs(dataset, np.random.default_rng(seed)).tobytes() for seed in (7, 7, 8)
    )
    assert first == again != other
