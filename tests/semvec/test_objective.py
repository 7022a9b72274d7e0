"""Training many networks at once: losses are their formulas, steps are repeatable."""

import pytest
import torch

from equivec.errors import ConfigError
from equivec.semvec.batches import Run
from equivec.semvec.networks import ManyNetworks, NetworkConfig
from equivec.semvec.objective import Trainer, contrastive_losses
from equivec.semvec.settings import TrainingConfig
from support.semvec import run_of, sampler_of


def test_the_contrastive_loss_is_its_formula() -> None:
    vectors = torch.randn(1, 6, 4, generator=torch.Generator().manual_seed(0))
    classes = [0, 0, 0, 1, 1, 2]
    unsure = {(3, 5), (5, 3)}
    same, different = torch.zeros(2, 1, 6, 6, dtype=torch.bool)
    for i in range(6):
        for j in range(6):
            same[0, i, j] = i != j and classes[i] == classes[j]
            different[0, i, j] = classes[i] != classes[j] and (i, j) not in unsure
    config = TrainingConfig(temperature=0.5, unknown_weight=0.25)
    units = torch.nn.functional.normalize(vectors[0], dim=1)
    powers = (units @ units.T / 0.5).exp()
    expected = []
    for i in range(5):  # the last has no positive
        whole = sum(powers[i, j] * (0.25 if (i, j) in unsure else 1.0) for j in range(6) if j != i)
        positives = [j for j in range(6) if same[0, i, j]]
        terms = [-torch.log(powers[i, j] / whole) for j in positives]
        expected.append(sum(terms) / len(terms))
    loss = contrastive_losses(vectors, same, different, config)
    assert torch.allclose(loss, torch.stack(expected).mean(), atol=1e-5)


NETWORK = NetworkConfig(vocabulary_size=20, width=8, feed_forward=16, layers=1, heads=2)


def trainer_of(*runs: Run, config: TrainingConfig | None = None) -> Trainer:
    torch.manual_seed(0)
    config = config or TrainingConfig(batch_size=16, warmup_steps=2)
    sampler = sampler_of(*runs, batch_size=config.batch_size, length=7)
    networks = ManyNetworks(NETWORK, seeds=range(len(runs)))
    return Trainer(networks, sampler, [run.setting.contrast for run in runs], config)


def test_training_lowers_the_loss() -> None:
    config = TrainingConfig(batch_size=16, warmup_steps=5, learning_rate=0.01)
    trainer = trainer_of(
        run_of("SimpPoly5", "SemEmb+contrastive"), run_of("Bool5", "StructEmb"), config=config
    )
    losses = torch.stack([trainer.step(step / 60) for step in range(60)])
    assert (losses[-10:].mean(dim=0) < losses[:10].mean(dim=0)).all()


def test_a_restored_training_goes_on_as_if_never_stopped() -> None:
    run = run_of("SimpPoly5", "SemEmb+contrastive+renaming")
    trainer = trainer_of(run)
    for _ in range(3):
        trainer.step(0.1)
    state = trainer.state()
    expected = [trainer.step(0.2) for _ in range(3)]
    again = trainer_of(run)
    again.restore(state)
    assert torch.equal(torch.stack([again.step(0.2) for _ in range(3)]), torch.stack(expected))
    assert again.step_count == 6
    assert torch.equal(again.average, trainer.average)


def test_a_checkpoint_of_other_runs_is_refused() -> None:
    trainer = trainer_of(run_of("SimpPoly5", "SemEmb"))
    trainer.step(0.0)
    other = trainer_of(run_of("SimpPoly5", "SemEmb"), run_of("Poly5", "SemEmb"))
    with pytest.raises(ConfigError, match="the checkpoint has weights of shape"):
        other.restore(trainer.state())


def test_a_gradient_is_bounded_for_each_network_by_itself() -> None:
    trainer = trainer_of(*(run_of("SimpPoly5", "SemEmb") for _ in range(3)))
    values = trainer.networks.values
    gradient = torch.full_like(values, 1e-5)
    gradient[1] = 7.0
    gradient[2, 0] = torch.nan
    values.grad = gradient.clone()
    trainer._clip()
    assert torch.equal(values.grad[0], gradient[0])
    assert torch.isclose(values.grad[1].norm(), torch.tensor(1.0), atol=1e-4)
    assert (values.grad[2] == 0).all(), "what is not finite is not followed"


def test_the_learning_rate_rises_and_falls() -> None:
    config = TrainingConfig(learning_rate=1.0, warmup_steps=10, final_share=0.1)
    assert config.learning_rate_at(0, 0.0) == pytest.approx(0.1)
    assert config.learning_rate_at(50, 0.0) == 1.0
    assert config.learning_rate_at(50, 0.5) == pytest.approx(0.55)
    assert config.learning_rate_at(50, 1.0) == pytest.approx(0.1)
