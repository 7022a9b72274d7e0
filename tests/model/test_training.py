"""Training: the step decides everything, and a network learns what it is shown."""

from __future__ import annotations

import pytest
import torch

from equivec.errors import ConfigError
from equivec.model.decoding import BeamConfig, search_batch
from equivec.model.objectives import ObjectiveConfig
from equivec.model.training import RECIPES, Trainer, TrainingConfig
from support.models import EQUIVALENTS, TABLE, VOCABULARY, ids_of, tiny_clusters, tiny_network


def trainer(contrast: float = 0.0, dropout: float = 0.1, **changes: object) -> Trainer:
    objective = ObjectiveConfig(
        contrast=contrast, mutants="all" if contrast else "none", renamed_share=contrast / 4
    )
    settings = {"batch_size": 16, "learning_rate": 2e-3, "min_steps": 1, "max_steps": 9, **changes}
    config = TrainingConfig(objective=objective, **settings)  # type: ignore[arg-type]
    return Trainer(tiny_network(dropout=dropout), [tiny_clusters()], [1.0], config)


def test_the_papers_recipe_is_the_default() -> None:
    recipe = RECIPES["paper"]
    assert (recipe.learning_rate, recipe.batch_size, recipe.seed) == (1e-4, 256, 42)
    assert (recipe.min_steps, recipe.max_steps, recipe.patience) == (300_000, 1_000_000, 30_000)
    assert (recipe.objective.label_smoothing, recipe.largest_norm) == (0.1, 1.0)
    assert recipe.learning_rate_at(0, 0.0) == recipe.learning_rate_at(10**6, 1.0) == 1e-4


@pytest.mark.parametrize("contrast", [0.0, 1.0])
def test_a_restored_run_is_the_run_that_was_never_stopped(contrast: float) -> None:
    whole, first, second = (trainer(contrast) for _ in range(3))
    curve = [float(whole.step(0.0).whole) for _ in range(6)]
    for _ in range(3):
        first.step(0.0)
    second.restore(first.state())
    assert [float(second.step(0.0).whole) for _ in range(3)] == curve[3:]
    for a, b in zip(whole.network.parameters(), second.network.parameters(), strict=True):
        assert torch.equal(a, b)


def test_a_checkpoint_of_another_shape_is_refused() -> None:
    other = trainer()
    other.step(0.0)
    state = other.state()
    wider = Trainer(tiny_network(width=64), [tiny_clusters()], [1.0], other.config)
    with pytest.raises(ConfigError, match="a network of another shape"):
        wider.restore(state)


def test_fixed_shapes_change_no_loss() -> None:
    from dataclasses import replace

    from equivec.model.clusters import Sampler
    from equivec.model.objectives import losses

    plain = trainer(1.0, dropout=0.0)
    config = replace(plain.sampler.config, fixed_shapes=True)
    fixed = Sampler([tiny_clusters()], [1.0], config, plain.device)
    objective = plain.config.objective
    found = losses(plain.network, plain.sampler.draw(2), objective)
    again = losses(plain.network, fixed.draw(2), objective)
    for a, b in zip(found, again, strict=True):
        torch.testing.assert_close(a, b)


def test_a_contrastive_network_brings_clusters_together() -> None:
    training = trainer(1.0, batch_size=12)
    before, after = training.step(0.0), training.step(0.0)
    for _ in range(120):
        after = training.step(0.0)
    assert float(after.contrast) < 0.5 * float(before.contrast)


def test_a_tiny_network_learns_to_write_equivalents() -> None:
    training = trainer(0.0, dropout=0.0, batch_size=32)
    for _ in range(250):
        training.step(0.0)
    config = BeamConfig(beams=1, max_tokens=16)
    inputs = [(ids_of(text), cluster) for cluster in EQUIVALENTS for text in cluster]
    found = search_batch(training.network, [ids for ids, _ in inputs], TABLE, config)
    right = 0
    for (_, cluster), row in zip(inputs, found.tokens[:, 0].tolist(), strict=True):
        right += [token for token in row if token] in [ids_of(text) for text in cluster]
    assert right >= 0.95 * len(inputs), f"{right} of {len(inputs)}"


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"learning_rate": 2.0}, r"learning_rate must lie in \(0, 1\), not at 2.0"),
        ({"min_steps": 10}, "1 <= min_steps <= max_steps, not 10 and 9"),
        ({"precision": "fp8"}, "'fp8' is no precision; choose from fp32, bf16"),
    ],
)
def test_impossible_trainings_are_refused(change: dict[str, object], sentence: str) -> None:
    with pytest.raises(ConfigError, match=sentence):
        trainer(**change)


def test_vocabulary_and_table_agree() -> None:
    assert len(TABLE.opened) == len(VOCABULARY)
