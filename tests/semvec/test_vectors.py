"""Vectors and neighbours on the device."""

import numpy as np
import pytest
import torch

from equivec.semvec import vectors
from equivec.semvec.dataset import Split, semvec_spec
from equivec.semvec.score import ceiling, score_neighbours
from equivec.semvec.vectors import join_units, nearest_on_device
from support.semvec import enumerated


def random_units(rows: int, width: int, seed: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.nn.functional.normalize(torch.randn(rows, width, generator=generator), dim=1)


def test_an_expression_is_not_its_own_neighbour() -> None:
    nearest = nearest_on_device(random_units(30, 4, 0), np.arange(30), 29)
    assert all(row not in neighbours for row, neighbours in enumerate(nearest))


def test_a_perfect_network_reaches_the_ceiling() -> None:
    dataset = enumerated(semvec_spec("Poly5"))
    units = torch.eye(dataset.class_count)[torch.from_numpy(dataset.class_ids).long()]
    found = score_neighbours(
        dataset,
        dataset.rows(Split.UNSEEN),
        lambda queries, k: nearest_on_device(units, queries, k),
    )
    assert found.published[4] == pytest.approx(ceiling(dataset, Split.UNSEEN, 5))
    assert found.corrected[4] == 100


def test_joined_vectors_have_the_mean_of_the_cosines() -> None:
    every = [random_units(10, 4, 1), random_units(10, 6, 2), random_units(10, 2, 3)]
    joined = join_units(every)
    mean = torch.stack([units @ units.T for units in every]).mean(dim=0)
    assert torch.allclose(joined @ joined.T, mean, atol=1e-6)


def test_blocks_find_what_brute_force_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(vectors._SIMILARITIES_AT_ONCE, "cpu", 70)
    units = random_units(30, 4, 0)
    cosines = units @ units.T
    cosines.fill_diagonal_(-torch.inf)
    found = nearest_on_device(units, np.arange(30), 5)
    assert found.tolist() == cosines.argsort(dim=1, descending=True)[:, :5].tolist()
