"""Training many networks at once: losses are their formulas, steps are repeatable."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from equivec.errors import ConfigError
from equivec.model.training import Trainer
from equivec.semvec.batches import ClassBatch, Lesson
from equivec.semvec.networks import ManyNetworks, NetworkConfig
from equivec.semvec.objective import ManyObjective, contrastive_losses
from equivec.semvec.settings import LossConfig, semvec_recipe
from support.semvec import lesson_of, sampler_of


def test_the_contrastive_loss_is_its_formula() -> None:
    vectors = torch.randn(1, 6, 4, generator=torch.Generator().manual_seed(0))
    classes = [0, 0, 0, 1, 1, 2]
    unsure = {(3, 5), (5, 3)}
    same, different = torch.zeros(2, 1, 6, 6, dtype=torch.bool)
    for i in range(6):
        for j in range(6):
            same[0, i, j] = i != j and classes[i] == classes[j]
            different[0, i, j] = classes[i] != classes[j] and (i, j) not in unsure
    config = LossConfig(temperature=0.5, unknown_weight=0.25)
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


def trainer_of(*lessons: Lesson, **changes: Any) -> Trainer[ClassBatch]:
    torch.manual_seed(0)
    config = replace(semvec_recipe("fast").training, batch_size=16, warmup_steps=2, **changes)
    sampler = sampler_of(*lessons, batch_size=config.batch_size, length=7)
    networks = ManyNetworks(NETWORK, seeds=range(len(lessons)))
    contrasts = [lesson.setting.contrast for lesson in lessons]
    return Trainer(ManyObjective(networks, contrasts, LossConfig()), sampler, config)


def values_of(trainer: Trainer[ClassBatch]) -> nn.Parameter:
    return trainer.weights["many.values"]


def test_training_lowers_the_loss_of_each_network() -> None:
    lessons = lesson_of("SimpPoly5", "SemEmb+contrastive"), lesson_of("Bool5", "StructEmb")
    trainer = trainer_of(*lessons, learning_rate=0.01)
    losses = torch.stack([trainer.step(step / 60).whole for step in range(60)])
    assert losses.shape == (60, 2)
    assert (losses[-10:].mean(dim=0) < losses[:10].mean(dim=0)).all()


def test_a_restored_training_goes_on_as_if_never_stopped() -> None:
    lesson = lesson_of("SimpPoly5", "SemEmb+contrastive+renaming")
    trainer = trainer_of(lesson)
    for _ in range(3):
        trainer.step(0.1)
    trainer.judge(np.array([50.0]))
    state = trainer.state()
    expected = [trainer.step(0.2).whole for _ in range(3)]
    again = trainer_of(lesson)
    again.restore(state)
    found = [again.step(0.2).whole for _ in range(3)]
    assert torch.equal(torch.stack(found), torch.stack(expected))
    assert again.step_count == 6
    for part in ("average.many.values", "best.many.values", "best_steps", "best_scores"):
        assert torch.equal(again.state()[part], trainer.state()[part]), part


def test_a_checkpoint_of_other_runs_is_refused() -> None:
    trainer = trainer_of(lesson_of("SimpPoly5", "SemEmb"))
    trainer.step(0.0)
    other = trainer_of(lesson_of("SimpPoly5", "SemEmb"), lesson_of("Poly5", "SemEmb"))
    with pytest.raises(ConfigError, match="the checkpoint is of a network of another shape"):
        other.restore(trainer.state())


def test_a_gradient_is_bounded_for_each_network_by_itself() -> None:
    trainer = trainer_of(*(lesson_of("SimpPoly5", "SemEmb") for _ in range(3)))
    values = values_of(trainer)
    gradient = torch.full_like(values, 1e-5)
    gradient[1] = 7.0
    gradient[2, 0] = torch.nan
    values.grad = gradient.clone()
    trainer._clip()
    assert torch.equal(values.grad[0], gradient[0])
    assert torch.isclose(values.grad[1].norm(), torch.tensor(1.0), atol=1e-4)
    assert (values.grad[2] == 0).all(), "what is not finite is not followed"


def test_each_network_keeps_its_best_weights_until_none_has_patience() -> None:
    lessons = [lesson_of("SimpPoly5", "SemEmb")] * 2
    trainer = trainer_of(*lessons, average_decay=0.0, patience=2, min_steps=3)
    rows = []
    for first, second in ((50, 10), (50, 20), (40, 30), (99, 30), (1, 1)):
        trainer.step(0.0)
        rows.append(values_of(trainer).detach().clone())
        trainer.judge(np.array([first, second], dtype=np.float64))
        assert trainer.is_out_of_patience.tolist() == [len(rows) >= 3, len(rows) >= 5]
    assert trainer.best_steps.tolist() == [1, 3]
    trainer.take_result()
    assert torch.equal(values_of(trainer), torch.stack([rows[0][0], rows[2][1]]))


def test_small_losses_do_not_add_up_to_a_large_one() -> None:
    """Each choice is compared with the best ever seen, not with the last that was kept."""
    trainer = trainer_of(lesson_of("SimpPoly5", "SemEmb"))
    for times in range(4):
        trainer.step(0.0)
        trainer.judge(np.array([90.0 - 0.6 * times]), chance=np.array([1.0]))
    assert trainer.best_scores.tolist() == [90.0]
    assert trainer.best_steps.tolist() == [2], "a loss of more than chance is not kept"


def test_the_losses_compile_to_one_graph() -> None:
    lesson = lesson_of("SimpPoly5", "SemEmb+contrastive+renaming")
    plain = trainer_of(lesson)
    expected = [plain.step(0.0).whole for _ in range(2)]
    compiled = trainer_of(lesson)
    compiled.objective.compile(fullgraph=True, dynamic=False, backend="eager")
    assert torch.equal(
        torch.stack([compiled.step(0.0).whole for _ in range(2)]), torch.stack(expected)
    )
