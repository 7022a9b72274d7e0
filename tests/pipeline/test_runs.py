"""Runs: they end by steps, by the clock or by patience, pause, and go on as if never stopped."""

from __future__ import annotations

import json
from itertools import count
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import torch

from equivec.errors import ConfigError, FileFormatError
from equivec.pipeline import runs
from equivec.pipeline.runs import Pace, Run, Validation, begin, check_begun
from support.toys import toy_trainer

if TYPE_CHECKING:
    from pathlib import Path


def run_of(folder: Path, networks: int = 1, pace: Pace | None = None, **changes: Any) -> Run:
    trainer = toy_trainer(networks, **{"steps": 8, **changes})
    return Run(folder=folder, trainer=trainer, pace=pace or Pace(report_every=1))


def rows(folder: Path) -> list[dict[str, Any]]:
    lines = (folder / "metrics.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def values(run: Run) -> torch.Tensor:
    return run.trainer.weights["points"].detach()


def test_a_run_ends_when_its_steps_are_made(tmp_path: Path) -> None:
    news = list(run_of(tmp_path).advance())
    assert [each.step for each in news] == list(range(1, 9))
    assert news[-1].progress == 1
    assert [row["step"] for row in rows(tmp_path)] == list(range(1, 9))
    assert "of_networks" not in rows(tmp_path)[0], "there is one"
    assert str(news[-1]).startswith("step 8 · loss ")


def test_losses_of_several_networks_are_told_one_by_one(tmp_path: Path) -> None:
    (*_, last) = run_of(tmp_path, networks=3).advance()
    losses = rows(tmp_path)[-1]["of_networks"]["loss"]
    assert len(losses) == 3
    assert last.loss == pytest.approx(sum(losses) / 3)


def test_a_network_beside_others_is_what_it_is_alone(tmp_path: Path) -> None:
    (tmp_path / "three").mkdir()
    alone, three = run_of(tmp_path), run_of(tmp_path / "three", networks=3)
    for run in (alone, three):
        list(run.advance())
    assert torch.allclose(values(alone)[0], values(three)[0])


def test_the_clock_ends_a_run_and_its_steps_do_if_sooner(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seconds = count()  # a clock that is a second on whenever it is looked at
    monkeypatch.setattr(runs, "time", SimpleNamespace(monotonic=lambda: float(next(seconds))))
    run = run_of(tmp_path, pace=Pace(seconds=30, report_every=100), steps=10**6)
    (last,) = run.advance()
    assert 1 < last.step < 30
    assert last.progress >= 1
    (tmp_path / "sooner").mkdir()
    sooner = run_of(tmp_path / "sooner", pace=Pace(seconds=1e9, report_every=100))
    assert [news.step for news in sooner.advance()] == [8]


@pytest.mark.parametrize("is_drawn_on", [False, True])
def test_a_run_that_paused_at_every_step_is_the_run_that_never_did(
    is_drawn_on: bool, tmp_path: Path
) -> None:
    (tmp_path / "whole").mkdir()

    def generator() -> torch.Generator | None:
        return torch.Generator().manual_seed(7) if is_drawn_on else None

    settings = {"average_decay": 0.9, "keeps_best": True, "warmup_steps": 3, "final_fraction": 0.1}
    whole = run_of(tmp_path / "whole", generator=generator(), **settings)
    list(whole.advance())
    for step in range(1, 9):
        pace = Pace(pause_after=1e-9, report_every=1)
        part = run_of(tmp_path, pace=pace, generator=generator(), **settings)
        part.restore()
        assert [news.step for news in part.advance()] == [step]
    assert part.is_over(part.progress())
    assert torch.equal(values(part), values(whole))
    assert [row["loss"] for row in rows(tmp_path)] == [
        row["loss"] for row in rows(tmp_path / "whole")
    ]


def test_what_was_noted_after_the_checkpoint_is_forgotten(tmp_path: Path) -> None:
    run = run_of(tmp_path)
    for news in run.advance():
        if news.step == 4:
            run.save()
        if news.step == 6:
            break  # as if killed
    with (tmp_path / "metrics.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"step": 7, "lo')
    again = run_of(tmp_path)
    again.restore()
    assert [row["step"] for row in rows(tmp_path)] == [1, 2, 3, 4]
    list(again.advance())
    assert [row["step"] for row in rows(tmp_path)] == list(range(1, 9))


def test_a_run_ends_when_no_network_has_patience(tmp_path: Path) -> None:
    run = run_of(tmp_path, networks=2, patience=2, validation_every=1, steps=100, keeps_best=True)
    losses = iter([[3.0, 3.0], [4.0, 2.0], [4.0, 3.0], [1.0, 4.0], [1.0, 1.0]])
    run.validation = Validation(measure=lambda: np.array(next(losses)), is_loss=True)
    news = list(run.advance())
    assert [each.validation for each in news] == [3.0, 3.0, 3.5, 2.5]
    assert run.trainer.best_steps.tolist() == [1, 2]


def test_validation_comes_at_fractions_of_the_schedule_and_sees_averages(tmp_path: Path) -> None:
    run = run_of(tmp_path, validation_at=(0.5, 0.75), average_decay=0.9, keeps_best=True)
    seen = []

    def measure() -> np.ndarray[Any, np.dtype[np.float64]]:
        seen.append(values(run).clone())
        return np.zeros(1)

    run.validation = Validation(measure=measure, is_loss=False, chance=1.0)
    found = [news.step for news in run.advance() if news.validation is not None]
    assert found == [4, 6, 8], "and at the end, where the best weights are kept"
    assert not torch.equal(seen[-1], values(run))
    run.trainer.take_result()
    assert torch.equal(seen[-1], values(run))


def test_a_loss_that_is_no_number_ends_in_a_sentence(tmp_path: Path) -> None:
    run = run_of(tmp_path, networks=2)
    with torch.no_grad():
        run.trainer.weights["points"][0] = torch.nan
    next(run.advance())  # the other goes on
    with torch.no_grad():
        run.trainer.weights["points"][1] = torch.nan
    with pytest.raises(ConfigError, match="the loss is no number any more at step 2; try a lower"):
        list(run.advance())


def test_a_run_goes_on_with_its_own_settings_alone(tmp_path: Path) -> None:
    settings = {"recipe": {"training": {"seed": 1, "is_compiled": True}}, "data": "a", "device": 1}
    assert not check_begun(tmp_path, settings, resume=False)
    begin(tmp_path, settings, "[training]\nseed = 1\n")
    with pytest.raises(FileFormatError, match="holds a run already; continue it with --resume"):
        check_begun(tmp_path, settings, resume=False)
    free = frozenset({"device"})
    same = {**settings, "recipe": {"training": {"seed": 1, "is_compiled": False}}, "device": 2}
    assert check_begun(tmp_path, same, free, resume=True)
    seeded = {**settings, "recipe": {"training": {"seed": 2, "is_compiled": True}}}
    with pytest.raises(FileFormatError, match=r"begun with other settings \(seed\); use those of"):
        check_begun(tmp_path, seeded, resume=True)
    with pytest.raises(FileFormatError, match="begun with other training data; name those of"):
        check_begun(tmp_path, {**settings, "data": "b"}, resume=True)
    (tmp_path / "settings.json").write_text("[]", encoding="utf-8")
    with pytest.raises(FileFormatError, match=r"settings\.json holds no settings of a run"):
        check_begun(tmp_path, settings, resume=True)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"seconds": 0.0}, "seconds must be positive, not 0"),
        ({"pause_after": float("inf")}, "pause_after must be positive, not inf"),
        ({"checkpoint_seconds": -1.0}, "checkpoint_seconds must be at least 0, not -1"),
        ({"report_every": 0}, "report_every must be at least 1, not 0"),
    ],
)
def test_an_impossible_pace_is_one_sentence(change: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ConfigError, match=sentence):
        Pace(**change)
