"""Batches are drawn as the settings say."""

import numpy as np
import pytest
import torch

from equivec.semvec.batches import ClassBatch
from equivec.semvec.dataset import PADDING, Split, semvec_spec
from equivec.semvec.derivation import plain_set
from equivec.semvec.splits import training_pairs
from support.semvec import derived, enumerated, lesson_of, plain, sampler_of


@pytest.mark.parametrize("name", ["Bool5", "Poly5", "SimpPoly8"])
def test_classes_are_drawn_in_proportion_to_their_ordered_pairs(name: str) -> None:
    spec = semvec_spec(name)
    dataset = enumerated(spec)
    pairs = training_pairs(dataset, np.random.default_rng(0))
    counts = np.bincount(dataset.class_ids[pairs[:, 0]], minlength=dataset.class_count)
    counts = counts[np.unique(dataset.class_ids[dataset.rows(Split.TRAIN)])]
    assert np.allclose(lesson_of(name, "SemEmb").class_shares(), counts / counts.sum())


def test_large_classes_are_capped_as_published() -> None:
    rows = np.zeros((500 + 3, 1), dtype=np.uint8)
    part = plain_set(rows, np.repeat([0, 1], [500, 3]), 1)
    shares = lesson_of("Bool5", "SemEmb", part).class_shares()
    assert np.allclose(shares, np.array([200_000, 6]) / 200_006)


def spell(tokens: torch.Tensor, width: int) -> bytes:
    """A framed row as the dataset spells it."""
    inside = [token - 3 for token in tokens.tolist() if token > 2]
    return bytes([*inside, *[PADDING] * (width - len(inside))])


def pairs_of(batch: ClassBatch, width: int, run: int = 0) -> list[tuple[bytes, bytes]]:
    return [
        (spell(source, width), spell(target, width))
        for source, target in zip(batch.sources[run], batch.targets[run], strict=True)
    ]


def test_every_ordered_pair_is_drawn_equally_often() -> None:
    spec = semvec_spec("SimpPoly5")
    sampler = sampler_of(lesson_of("SimpPoly5", "SemEmb"), batch_size=20_000)
    drawn = pairs_of(sampler.draw(0), spec.largest_size)
    dataset = enumerated(spec)
    rows = training_pairs(dataset, np.random.default_rng(0))
    spelled = [row.tobytes() for row in dataset.expressions]
    expected = {(spelled[left], spelled[right]) for left, right in rows.tolist()}
    counts = {pair: drawn.count(pair) for pair in set(drawn)}
    assert counts.keys() <= expected
    mean = len(drawn) / len(expected)
    assert max(counts.values()) < mean + 6 * mean**0.5


def test_a_copy_is_drawn_for_the_structural_setting() -> None:
    batch = sampler_of(lesson_of("Poly5", "StructEmb")).draw(0)
    assert torch.equal(batch.sources, batch.targets)


def test_the_equal_size_setting_has_one_target_for_each_source() -> None:
    sampler = sampler_of(lesson_of("Poly5", "SemEmb-equal"), batch_size=5_000)
    pairs = set(pairs_of(sampler.draw(0), 5))
    sizes = plain("Poly5").class_sizes
    assert len(pairs) == sizes[sizes > 1].sum()
    assert all(source != target for source, target in pairs)


def test_renaming_keeps_equivalence_and_changes_names() -> None:
    names = ("Bool5", "SimpPoly8", "BoolL5")
    runs = [lesson_of(name, "SemEmb+contrastive+renaming") for name in names]
    sampler = sampler_of(*runs)
    for place, name in enumerate(names):
        spec = semvec_spec(name)
        dataset = enumerated(spec)
        spelled = [row.tobytes() for row in dataset.expressions]
        classes = dict(zip(spelled, dataset.class_ids.tolist(), strict=True))
        training = {spelled[row] for row in dataset.rows(Split.TRAIN)}
        pairs = [
            pair for _ in range(4) for pair in pairs_of(sampler.draw(0), spec.largest_size, place)
        ]
        assert all(classes[source] == classes[target] for source, target in pairs)
        assert any(source not in training for source, _ in pairs)


def test_without_renaming_only_training_rows_are_drawn() -> None:
    for setting in ("SemEmb", "SemEmb+contrastive", "StructEmb"):
        dataset = enumerated(semvec_spec("Poly5"))
        training = {dataset.expressions[row].tobytes() for row in dataset.rows(Split.TRAIN)}
        pairs = pairs_of(sampler_of(lesson_of("Poly5", setting), batch_size=500).draw(0), 5)
        assert {text for pair in pairs for text in pair} <= training


def test_a_batch_says_what_is_alike() -> None:
    sets = (plain("Bool5"), derived("Bool5", "Bool5", more=1))
    runs = [
        lesson_of("Bool5", "transfer", *sets),
        lesson_of("Poly5", "SemEmb+contrastive+renaming"),
    ]
    batch = sampler_of(*runs, batch_size=32).draw(0)
    assert not (batch.same & batch.different).any()
    assert not batch.same.diagonal(dim1=1, dim2=2).any()
    first, second = torch.arange(32), torch.arange(32, 64)
    assert batch.same[:, first, second].all(), "a source and its target"
    known = batch.same[1] | batch.different[1] | torch.eye(64, dtype=torch.bool)
    assert known.all(), "of training classes everything is known"
    assert not (batch.same[0] | batch.different[0] | torch.eye(64, dtype=torch.bool)).all()


def test_the_same_seed_draws_the_same_batches() -> None:
    run = lesson_of("Bool5", "SemEmb+contrastive+renaming")
    first, again, other = (sampler_of(run, seed=seed).draw(0) for seed in (1, 1, 2))
    assert torch.equal(first.sources, again.sources)
    assert not torch.equal(first.sources, other.sources)
