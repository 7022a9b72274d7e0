"""Losses, choices and weights of tiny trainings are what they were when they were written down."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from equivec.pipeline.runs import Pace
from equivec.semvec.dataset import semvec_spec
from equivec.semvec.runs import parse_runs
from equivec.semvec.sets import missing_sets
from equivec.semvec.settings import semvec_recipe
from equivec.semvec.training import GroupTraining
from support.semvec import enumerated

DATA = Path(__file__).parents[1] / "data" / "training" / "many_networks.json"
FIGURES = json.loads(DATA.read_text(encoding="utf-8"))

TRAININGS = {
    "sequence": (
        ("SimpPoly5:SemEmb", "Bool5:SemEmb-equal@7", "SimpPoly5:StructEmb", "Bool5:StructEmb"),
        "average_decay=0",
    ),
    "contrast": (
        ("SimpPoly5:SemEmb+contrastive", "Bool5:SemEmb+contrastive+renaming", "Bool5:SemEmb"),
        "unknown_weight=0.2 temperature=0.2",
    ),
    "derived": (
        ("SimpPoly5:combined", "Bool5:combined", "SimpPoly5:larger", "SimpPoly5:transfer"),
        "",
    ),
    "paper": (
        ("SimpPoly5:SemEmb", "Bool5:StructEmb"),
        "attention_dropout=0.1 final_fraction=1 warmup_steps=0 average_decay=0 patience=2 "
        "min_steps=2 validation_every=2 label_smoothing=0",
    ),
}
TINY = "layers=1 width=16 batch_size=16 steps=6 warmup_steps=2 validation_at=[0.5]"


@pytest.mark.parametrize("name", FIGURES)
def test_a_training_gives_the_figures_that_it_gave(name: str, tmp_path: Path) -> None:
    (texts, changes), figures = TRAININGS[name], FIGURES[name]
    recipe = semvec_recipe("fast", [*TINY.split(), *changes.split()])
    runs = parse_runs(texts)
    datasets = {part: enumerated(semvec_spec(part)) for part in ("SimpPoly5", "Bool5")}
    sets = dict(missing_sets(runs, datasets, ()))
    pace = Pace(report_every=1)
    training = GroupTraining(tmp_path, runs, sets, datasets, recipe, pace, "cpu")
    losses = [news.of_networks["loss"] for news in training.run.advance()]
    for step, wanted in enumerate(figures["losses"]):
        assert losses[step] == pytest.approx(wanted, rel=1e-5), f"step {step}"
    assert training.trainer.best_scores.tolist() == pytest.approx(figures["best_scores"])
    assert training.trainer.best_steps.tolist() == figures["best_steps"]
    values = training.networks.values.detach().double()
    assert values.abs().sum(dim=1).tolist() == pytest.approx(figures["weights_size"], rel=1e-5)
    assert values.sum(dim=1).tolist() == pytest.approx(figures["weights_sum"], abs=1e-2)
    with training.trainer.averaged():
        averages = training.networks.values.detach().double().sum(dim=1)
    assert averages.tolist() == pytest.approx(figures["average_sum"], abs=1e-2)
    best = [float(result.network.values.detach().double().sum()) for result in training.results()]
    assert best == pytest.approx(figures["best_sum"], abs=1e-2)
