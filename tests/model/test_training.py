"""Training: the step decides everything, and a network learns what it is shown."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import islice
from pathlib import Path
from statistics import mean
from typing import TYPE_CHECKING

import numpy as np
import pytest
import torch
from torch.nn.functional import normalize

from equivec.corpus.export import clusters_of
from equivec.corpus.splitting import TRAIN
from equivec.corpus.store import Corpus
from equivec.errors import ConfigError
from equivec.model.batches import Batch, ClusterSampler
from equivec.model.beams import BeamConfig
from equivec.model.clusters import Clusters
from equivec.model.decoding import search_batch
from equivec.model.objectives import (
    FINE_TEMPERATURE,
    PLAINNESS,
    TransformerObjective,
    analogy_loss,
    contrastive_loss,
    is_counted,
    losses,
)
from equivec.model.settings import ObjectiveConfig, TrainingConfig
from equivec.model.training import Trainer, sequence_loss
from support.models import (
    EQUIVALENTS,
    TABLE,
    VOCABULARY,
    ids_of,
    tiny_analogies,
    tiny_network,
    trainer_of,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from equivec.model.network import Transformer

SAMPLE = Path(__file__).parents[2] / "data" / "sample"


def trainer(
    contrast: float = 0.0, dropout: float = 0.1, analogy: float = 0.0, **changes: object
) -> Trainer[Batch]:
    settings = {
        "learning_rate": 2e-3,
        "contrast": contrast,
        "analogy": analogy,
        "mutants": "all" if contrast else "none",
        "renamed_fraction": contrast / 4,
        **changes,
    }
    analogies = tiny_analogies() if analogy else None
    return trainer_of(tiny_network(dropout=dropout), analogies=analogies, **settings)


def network_of(training: Trainer[Batch]) -> Transformer:
    assert isinstance(training.objective, TransformerObjective)
    return training.objective.network


def config_of(training: Trainer[Batch]) -> ObjectiveConfig:
    assert isinstance(training.objective, TransformerObjective)
    return training.objective.config


@pytest.mark.parametrize(("contrast", "analogy"), [(0.0, 0.0), (1.0, 0.0), (1.0, 0.5)])
def test_a_restored_run_is_the_run_that_was_never_stopped(contrast: float, analogy: float) -> None:
    whole, first, second = (trainer(contrast, analogy=analogy) for _ in range(3))
    curve = [float(whole.step(0.0).whole) for _ in range(6)]
    for _ in range(3):
        first.step(0.0)
    second.restore(first.state())
    assert [float(second.step(0.0).whole) for _ in range(3)] == curve[3:]
    for a, b in zip(network_of(whole).parameters(), network_of(second).parameters(), strict=True):
        assert torch.equal(a, b)


def test_a_frozen_encoder_keeps_its_bits_and_its_decoder_learns_and_resumes() -> None:
    whole, first, second = (trainer(is_encoder_frozen=True) for _ in range(3))
    before = {name: each.clone() for name, each in network_of(whole).state_dict().items()}
    curve = [float(whole.step(0.0).whole) for _ in range(6)]
    after = network_of(whole).state_dict()
    moved = {name.split(".")[0] for name in after if not torch.equal(before[name], after[name])}
    assert moved == {"decoder", "decoder_norm", "output"}
    for _ in range(3):
        first.step(0.0)
    second.restore(first.state())
    assert [float(second.step(0.0).whole) for _ in range(3)] == curve[3:]


def test_of_a_single_state_the_decoder_sees_nothing_else() -> None:
    training = trainer(dropout=0.0)
    batch, objective = training.sampler.draw(0), ObjectiveConfig(single_state_fraction=1.0)
    seen = torch.zeros_like(batch.tokens)  # every place sees the first one
    single = batch._replace(memory_places=seen)
    network = network_of(training)
    states = network.encode(batch.tokens, batch.layout)
    logits = network.decode(batch.written, batch.written_layout, states[seen], batch.memory_layout)
    wanted = sequence_loss(
        logits,
        batch.wanted,
        is_counted(batch),
        objective.label_smoothing,
        count=batch.wanted_count,
    )
    torch.testing.assert_close(losses(network, single, objective).whole, wanted)
    assert losses(network, batch, objective).whole != wanted


def test_a_checkpoint_of_another_shape_is_refused() -> None:
    other = trainer()
    other.step(0.0)
    state = other.state()
    wider = trainer_of(tiny_network(width=64))
    with pytest.raises(ConfigError, match="a network of another shape"):
        wider.restore(state)


def test_fixed_shapes_change_no_loss() -> None:
    plain = trainer(1.0, dropout=0.0, analogy=1.0)
    assert isinstance(plain.sampler, ClusterSampler)
    fixed = replace(plain.sampler, training=replace(plain.config, is_compiled=True))
    network, objective = network_of(plain), config_of(plain)
    found = losses(network, plain.sampler.draw(2), objective)
    again = losses(network, fixed.draw(2), objective)
    for a, b in zip(found, again, strict=True):
        torch.testing.assert_close(a, b)


def test_a_margin_asks_more_of_functions_of_other_types_alone() -> None:
    training = trainer(1.0, dropout=0.0)
    batch = training.sampler.draw(0)
    network = network_of(training)
    states = network.encode(batch.tokens, batch.layout)
    vectors = normalize(network.pool(states, batch.vector_layout), dim=1)
    plain, strict = (ObjectiveConfig(contrast=1.0, margin=margin) for margin in (0.0, 0.3))
    assert contrastive_loss(vectors, batch, strict) > contrastive_loss(vectors, batch, plain)
    alike = torch.zeros_like(batch.types)
    alike_batch = batch._replace(types=alike, mutant_types=alike)
    assert contrastive_loss(vectors, alike_batch, strict) == contrastive_loss(
        vectors, alike_batch, plain
    )


def test_a_margin_does_not_part_forms_of_one_function() -> None:
    """csc(atan(x)) and coth(asinh(x)) are equal, and their operators of other types."""
    training = trainer(1.0, batch_size=4)
    units = normalize(torch.tensor([[1.0, 0], [0, 1], [1, 1], [1, 0.5]]).repeat(2, 1), dim=1)
    batch = training.sampler.draw(0)._replace(functions=torch.tensor([0, 0, 1, 1]))
    strict = ObjectiveConfig(contrast=1.0, margin=0.3)

    def loss(*types: int) -> torch.Tensor:
        return contrastive_loss(units, batch._replace(types=torch.tensor(types)), strict)

    assert loss(1, 2, 3, 3) == loss(1, 1, 3, 3) > loss(1, 1, 1, 1)


@pytest.mark.parametrize(("part", "analogy"), [("contrast", 0.0), ("analogy", 1.0)])
def test_a_contrastive_network_brings_clusters_together_and_learns_analogies(
    part: str, analogy: float
) -> None:
    training = trainer(1.0, batch_size=12, analogy=analogy)
    found = [float(getattr(training.step(0.0), part)) for _ in range(140)]
    assert mean(found[-20:]) < 0.5 * mean(found[:10])


def test_an_analogy_is_judged_by_where_x1_less_y1_and_y2_leads() -> None:
    """Worked by hand: z is x2 itself, and next to it lies the answer of another analogy."""
    training = trainer(1.0, analogy=1.0, batch_size=8)
    x1, y1, y2 = torch.tensor([[0.6, 0.8, 0], [1, 0, 0]]), torch.eye(3)[[0, 1]], torch.eye(3)[:2]
    x2 = torch.tensor([[0.6, 0.8, 0], [0.8, 0.6, 0]])
    rivals = torch.tensor([[0, 0, 1], [0.6, 0, 0.8]])
    parts, targets = torch.cat([x1, y1, y2, x2, rivals, x2]), -torch.eye(3)[[2] * 8]
    drawn = training.sampler.draw(0)._replace(
        functions=torch.arange(20, 28), types=torch.ones(8), analogy_types=torch.ones(5, 2)
    )
    config = ObjectiveConfig(contrast=1.0, analogy=1.0, temperature=1.0, margin=0.2)
    # z = x1 in both; cosines with the answers 1 and 0.96, 0.6 and 0.8; with each target 0.
    cosines = torch.tensor([[1, 0.96], [0.6, 0.8]])
    others = (x1 @ torch.cat([x1, y2, rivals]).T).exp()

    def loss(
        *functions: list[int], drawn: Batch = drawn, parts: torch.Tensor = parts
    ) -> torch.Tensor:
        batch = drawn._replace(analogy_functions=torch.tensor([*functions, [8, 9]]))
        return analogy_loss(parts, targets, batch, config)

    everything = (cosines.exp().sum(dim=1) + 8 + others.sum(dim=1)).log()
    apart = loss([2, 3], [4, 4], [6, 7], [0, 1])
    torch.testing.assert_close(apart, (everything - cosines.diagonal()).mean())
    alike = loss([2, 3], [4, 4], [6, 7], [5, 5])
    torch.testing.assert_close(alike, (everything - cosines.logsumexp(dim=1)).mean())
    # y2 equals x2, as in an identity: it is neither right nor wrong.
    own = others[:, 2:].diagonal()
    fewer = (cosines.exp().sum(dim=1) + 8 + others.sum(dim=1) - own).log()
    identity = loss([2, 3], [2, 3], [0, 1], [0, 1])
    torch.testing.assert_close(identity, (fewer - cosines.diagonal()).mean())
    # Nor are targets that equal x2, from whatever set of clusters.
    equal = drawn._replace(functions=torch.tensor([0] * 7 + [1]))
    known = loss([2, 3], [4, 4], [6, 7], [0, 1], drawn=equal)
    fewer = (everything.exp() - torch.tensor([7, 1])).log()
    torch.testing.assert_close(known, (fewer - cosines.diagonal()).mean())
    # Wrong answers of other operator types, here all, count as nearer by the margin.
    types = drawn.analogy_types * torch.tensor([1, 1, 1, 2, 1])[:, None]
    further = (cosines.exp().sum(dim=1) + math.exp(0.2) * (8 + others.sum(dim=1))).log()
    unlike = loss([2, 3], [4, 4], [6, 7], [0, 1], drawn=drawn._replace(analogy_types=types))
    torch.testing.assert_close(unlike, (further - cosines.diagonal()).mean())
    # A form of the second x2 that lies nearer than it, at 0.8, costs more than one further away.
    near, far = (
        loss(
            *([2, 3], [4, 4], [6, 7], [0, 1]),
            parts=torch.cat([parts[:-1], torch.tensor([[0.8 + more, 0, 0]])]),
        )
        for more in (FINE_TEMPERATURE, -FINE_TEMPERATURE)
    )
    costs = PLAINNESS * torch.log1p(torch.tensor([1.0, -1.0]).exp())
    torch.testing.assert_close(torch.stack([near, far]) - apart, costs)


def share_written(network: Transformer, clusters: Sequence[Sequence[list[int]]]) -> float:
    """How many members are answered, greedily, with another member of their cluster."""
    members = [(ids, cluster) for cluster in clusters for ids in cluster]
    config = BeamConfig(beams=1, max_tokens=32, excludes_input=True)
    found = search_batch(network, [ids for ids, _ in members], TABLE, config)
    written = [list(best.ids) for (best,) in found]
    return sum(ids in cluster for ids, (_, cluster) in zip(written, members, strict=True)) / len(
        members
    )


def test_a_tiny_network_learns_to_write_equivalents() -> None:
    training = trainer(0.0, dropout=0.0, batch_size=32)
    for _ in range(250):
        training.step(0.0)
    clusters = [[ids_of(text) for text in texts] for texts in EQUIVALENTS]
    assert share_written(network_of(training), clusters) >= 0.95


@pytest.mark.slow
def test_a_small_network_learns_two_hundred_clusters_of_the_corpus_by_heart() -> None:
    sample = clusters_of(Corpus.open(SAMPLE).table(TRAIN))
    shortest = (sorted(texts, key=len)[:3] for texts in sample if len(texts) >= 3)
    clusters = [
        [VOCABULARY.encode(text.split()) for text in texts] for texts in islice(shortest, 200)
    ]
    network = tiny_network(width=128, feed_forward=512)
    training = trainer_of(
        network,
        Clusters.of(clusters),
        batch_size=64,
        learning_rate=2e-3,
        warmup_steps=20,
        final_fraction=0.01,
    )
    steps = 700
    for step in range(steps):
        training.step(step / steps)
    assert share_written(network, clusters) >= 0.95


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"learning_rate": 2.0}, r"learning_rate must lie in \(0, 1\), not at 2.0"),
        ({"steps": -1}, "steps must be at least 0, not -1"),
        (
            {"final_fraction": 2.0},
            r"final_fraction and validation_at must lie in \[0, 1\], not at 2",
        ),
        ({"average_decay": 1.0}, r"average_decay and betas must lie in \[0, 1\), not at 1"),
        ({"largest_norm": 0.0}, "largest_norm must be positive, not 0"),
        ({"mutants": "some"}, "'some' is no kind of mutants; choose from none, operators, all"),
        ({"precision": "fp8"}, "'fp8' is no precision; choose from fp32, bf16, auto"),
    ],
)
def test_impossible_trainings_are_refused(change: dict[str, object], sentence: str) -> None:
    with pytest.raises(ConfigError, match=sentence):
        trainer(**change)


def test_the_learning_rate_rises_and_falls() -> None:
    config = TrainingConfig(learning_rate=0.5, warmup_steps=10, final_fraction=0.1)
    assert config.learning_rate_at(0, 0.0) == pytest.approx(0.05)
    assert config.learning_rate_at(50, 0.0) == 0.5
    assert config.learning_rate_at(50, 0.5) == pytest.approx(0.275)
    assert config.learning_rate_at(50, 1.0) == pytest.approx(0.05)


def test_averaged_weights_stand_in_for_the_last_and_are_the_result() -> None:
    training = trainer(average_decay=0.9)
    rows = []
    for _ in range(3):
        training.step(0.0)
        rows.append(network_of(training).output.weight.detach().clone())
    expected = tiny_network().output.weight.detach()
    for number, row in enumerate(rows, 1):  # the first steps count more: the decay begins low
        expected = expected.lerp(row, 1 - min(0.9, number / (number + 10)))
    with training.averaged():
        torch.testing.assert_close(network_of(training).output.weight, expected)
    assert torch.equal(network_of(training).output.weight, rows[-1])
    training.take_result()
    torch.testing.assert_close(network_of(training).output.weight, expected)


def test_the_best_weights_are_kept_until_patience_ends() -> None:
    training = trainer(keeps_best=True, patience=2, min_steps=3)
    rows = []
    for score in (1.0, 5.0, 4.0, 9.0, 3.0, 3.0):
        training.step(0.0)
        rows.append(network_of(training).output.weight.detach().clone())
        training.judge(np.array([score]))
        assert training.is_out_of_patience.all() == (training.step_count >= 6), score
    assert training.best_steps.tolist() == [4]
    training.take_result()
    assert torch.equal(network_of(training).output.weight, rows[3])


def test_a_gradient_that_is_no_number_is_not_followed() -> None:
    training = trainer()
    training.step(0.0)
    before = network_of(training).output.weight.detach().clone()
    for each in training.weights.values():
        each.grad = torch.full_like(each, 1.0)
    training.weights["network.embedding.weight"].grad[0, 0] = torch.nan
    training._clip()
    assert all((each.grad == 0).all() for each in training.weights.values())
    assert torch.equal(before, network_of(training).output.weight)


def test_vocabulary_and_table_agree() -> None:
    assert len(TABLE.opened) == len(VOCABULARY)
