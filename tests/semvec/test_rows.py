"""Rows of scores: those of the definition, alone and joined."""

import pytest

from equivec.semvec.dataset import SemVecDataset, Split
from equivec.semvec.networks import ManyNetworks, NetworkConfig
from equivec.semvec.rows import TrainedNetwork, composition_rows, own_rows
from equivec.semvec.runs import parse_runs
from equivec.semvec.score import score
from equivec.semvec.training import VOCABULARY_SIZE
from equivec.semvec.vectors import embed

KEYS = [
    *("dataset", "data", "setting", "split", "score_1", "score_5", "score_10", "score_15"),
    *("score_5_corrected", "seed", "steps", "seconds", "networks_at_once", "ceiling_5"),
]


def trained(*texts: str) -> list[TrainedNetwork]:
    config = NetworkConfig(vocabulary_size=VOCABULARY_SIZE, width=8, feed_forward=8, layers=1)
    return [
        TrainedNetwork(run, ManyNetworks(config, [run.seed]), 5, 1.0, 2)
        for run in parse_runs(texts)
    ]


def test_a_row_has_the_scores_of_the_definition(datasets: dict[str, SemVecDataset]) -> None:
    (network,) = trained("Bool5:SemEmb")
    dataset = datasets["Bool5"]
    vectors = embed(network.network, dataset.expressions).numpy()
    rows = list(own_rows([network], datasets, joins=True))
    assert [row["split"] for row in rows] == ["validation", "seen", "unseen"]
    for row, split in zip(rows, (Split.VALIDATION, Split.SEEN, Split.UNSEEN), strict=True):
        assert list(row) == KEYS
        assert row["data"] == dataset.origin == "regenerated"
        expected = score(dataset, vectors, split)
        for k in (1, 5, 10, 15):
            assert row[f"score_{k}"] == pytest.approx(expected.published[k - 1], abs=0.01)
        assert row["score_5_corrected"] == pytest.approx(expected.corrected[4], abs=0.01)


def test_seeds_are_scored_alone_and_together(datasets: dict[str, SemVecDataset]) -> None:
    networks = trained("Bool5:SemEmb@1,2", "Poly5:SemEmb@1")
    seeds = [row["seed"] for row in own_rows(networks, datasets, joins=True)]
    assert seeds == [*[1] * 3, *[2] * 3, *[[1, 2]] * 3, *[1] * 3]
    alone = own_rows(networks, datasets, joins=False)
    assert [row["seed"] for row in alone] == [*[1] * 3, *[2] * 3, *[1] * 3]


def test_a_network_joined_to_itself_scores_as_it_does_alone(
    datasets: dict[str, SemVecDataset],
) -> None:
    rows = list(own_rows(trained("Bool5:SemEmb@1") * 2, datasets, joins=True))
    for row, other in zip(rows[:3], rows[6:], strict=True):
        assert row["score_5"] == pytest.approx(other["score_5"], abs=0.1)


def test_composition_names_both_datasets(datasets: dict[str, SemVecDataset]) -> None:
    every = {**datasets, "SimpPoly10": datasets["SimpPoly5"]}
    (row,) = composition_rows(trained("SimpPoly5:SemEmb"), every, joins=True)
    assert (row["trained_on"], row["split"]) == ("SimpPoly5", "unseen")
