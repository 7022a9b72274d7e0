"""Losses and weights of tiny trainings are what they were when they were written down."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import torch

from equivec.corpus.export import clusters_of
from equivec.corpus.splitting import TRAIN
from equivec.corpus.store import Corpus
from equivec.model.batches import ClusterSampler
from equivec.model.clusters import Clusters
from support.models import (
    VOCABULARY,
    sampler_of,
    tiny_analogies,
    tiny_clusters,
    tiny_network,
    trainer_of,
)

ROOT = Path(__file__).parents[2]
FIGURES = json.loads((ROOT / "tests/data/training/one_network.json").read_text(encoding="utf-8"))
SHARES = (0.7, 0.3)

CHANGES: dict[str, dict[str, Any]] = {
    "paper": {},
    "structural": {"setting": "structural"},
    "single states": {"single_state_fraction": 0.5},
    "contrast": {
        "contrast": 1.0,
        "temperature": 0.05,
        "warmup_steps": 3,
        "final_fraction": 0.01,
        "betas": (0.9, 0.98),
    },
    "contrast alone": {"contrast": 1.0, "sequence": 0.0},
    "mutants": {"contrast": 1.0, "mutants": "all", "margin": 0.2, "renamed_fraction": 0.5},
    "mutants of operators": {
        "contrast": 0.5,
        "mutants": "operators",
        "weighting": "members",
        "target_draws": 2,
    },
    "analogies": {
        "contrast": 1.0,
        "analogy": 0.5,
        "mutants": "operators",
        "renamed_fraction": 0.3,
        "margin": 0.1,
    },
    "analogies and single states": {
        "contrast": 1.0,
        "analogy": 0.5,
        "single_state_fraction": 0.5,
        "target_draws": 3,
    },
    "frozen encoder": {"single_state_fraction": 0.25, "is_encoder_frozen": True},
    "bf16": {"contrast": 1.0, "precision": "bf16"},
}


@cache
def sets() -> tuple[Clusters, Clusters]:
    texts = clusters_of(Corpus.open(ROOT / "data/sample").table(TRAIN))
    sample = [[VOCABULARY.encode(text.split()) for text in cluster] for cluster in texts]
    return Clusters.of(sample), tiny_clusters()


@pytest.mark.parametrize("name", FIGURES)
def test_a_training_gives_the_figures_that_it_gave(name: str) -> None:
    figures, changes = FIGURES[name], {"learning_rate": 2e-3, **CHANGES[name]}
    analogies = tiny_analogies() if "analogy" in changes else None
    network = tiny_network(dropout=0.1, norm="last" if name == "structural" else "first")
    training = trainer_of(network, *sets(), shares=SHARES, analogies=analogies, **changes)
    close = 1e-2 if name == "bf16" else 1e-5
    for step, wanted in enumerate(figures["losses"]):
        losses = [float(part) for part in training.step(step / 6)]
        assert losses == pytest.approx(wanted, rel=close), f"step {step}"
    values = torch.cat([each.flatten() for each in network.state_dict().values()]).double()
    assert float(values.abs().sum()) == pytest.approx(figures["weights_size"], rel=close)
    assert float(values.sum()) == pytest.approx(figures["weights_sum"], abs=1e-2)
    plain = {**changes, "renamed_fraction": 0.0, "single_state_fraction": 0.0}
    (validation,) = training.evaluate(sampler_of(**plain), 2)
    assert validation == pytest.approx(figures["validation"], rel=close)
    assert isinstance(training.sampler, ClusterSampler)
    fixed = replace(training.sampler, training=replace(training.config, is_compiled=True))
    assert len(fixed.draw(3).tokens) == figures["places"]
