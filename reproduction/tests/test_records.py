"""What is recorded: read back by its class, and equal to what is committed where that is known."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from equivec.evaluate.provenance import read_recorded
from equivec.storage.files import read_json
from equivec.storage.values import read_record, record_from
from equivec_reproduction import record_blends, record_overlap, record_run, record_semvec
from equivec_reproduction.measured import BenchmarkOverlap, Blend, TrainingRun
from equivec_reproduction.semvec_results import Results, Runs

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "results"


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is written to in place of the committed one."""
    for module in (record_blends, record_overlap, record_run, record_semvec):
        monkeypatch.setattr(module, "RESULTS", tmp_path)
    monkeypatch.setattr(record_semvec, "RUNS", tmp_path / "semvec_runs.json")
    (tmp_path / "benchmark").mkdir()
    (tmp_path / "semvec").mkdir()
    return tmp_path


def test_a_blend_is_what_its_evaluations_found(results: Path) -> None:
    path = record_blends.record_blends([f"0.3={RESULTS / 'evaluation' / 'default'}"])
    assert path.parent == results
    (row,) = (record_from(row, Blend, path) for row in read_json(path)["rows"])
    assert (row.share, row.paper_exact, row.paper_equivalent) == (0.3, 14, 18)
    committed = read_json(RESULTS / "default_blends.json")["rows"]
    assert {name for each in committed for name in each} == set(row.to_json())


def test_functions_of_the_benchmark_are_counted(results: Path) -> None:
    path = record_overlap.record_overlap([ROOT / "data" / "sample"])
    assert path.parent.parent == results
    recorded = read_recorded(path, BenchmarkOverlap)
    assert recorded.origin.command == "equivec-reproduction record overlap sample"
    committed = read_recorded(RESULTS / "benchmark" / "overlap.json", BenchmarkOverlap)
    for name, each in committed.result.sets.items():
        assert recorded.result.sets[name].functions == each.functions
        assert 0 < recorded.result.sets[name].in_training < each.in_training, "a part of it"


def test_a_run_keeps_one_row_in_ten_of_its_log(results: Path, tmp_path: Path) -> None:
    run = read_json(RESULTS / "runs" / "SemEmb-plain.json")
    job = {"corpora": run["arrays"], "shares": [], "start": None}
    objective = run["training"]["objective"]
    recipe = {"network": run["network"], "objective": objective, "training": run["training"]}
    settings = {**job, "recipe": recipe}
    files = {
        "settings.json": json.dumps(settings),
        "metrics.jsonl": "".join(f'{{"step": {step}}}\n' for step in range(25)),
        "config.json": json.dumps({"training": {"device": "cpu", "steps": 25, "seconds": 1.0}}),
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    path = record_run.record_run("tiny", *(tmp_path / name for name in files), "c", "1")
    assert path == results / "runs" / "tiny.json"
    assert [row["step"] for row in read_json(path)["rows"]] == [0, 10, 20, 24]
    assert read_record(path, TrainingRun).training.is_writing_alone


def test_a_semvec_training_is_recorded_under_its_name(results: Path, tmp_path: Path) -> None:
    rows = read_json(RESULTS / "semvec" / "sememb_bool10.json")
    folder = tmp_path / "trained"
    folder.mkdir()
    (folder / "rows.json").write_text(json.dumps([*rows, {**rows[0], "fold": "1 of 5"}]))
    settings = read_json(RESULTS / "semvec_runs.json")["runs"]["sememb_bool10"]["settings"]
    recipe = {"network": {}, "objective": {}, "training": settings["config"]["training"]}
    (folder / "settings.json").write_text(json.dumps({**settings, "recipe": recipe}))
    path = record_semvec.record_training(folder, "tried", "c", "1")
    assert read_json(path) == rows
    assert "tried" in read_record(results / "semvec_runs.json", Runs).runs
    found = Results.read(results)
    assert [network.file for network in found.networks] == ["tried"]
    assert len(found.held_out) == 1
