"""The SemVec benchmark from data to rows, on small sets made anew, in seconds."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from equivec.errors import ConfigError, FileFormatError
from equivec.semvec.runs import SemVecConfig
from equivec.semvec.settings import TrainingConfig
from equivec.semvec.steps import pack, score, train
from equivec.semvec.training import Reporter

TINY = SemVecConfig(
    runs=("SimpPoly5:combined", "Poly5:SemEmb"),
    seconds=60,
    layers=1,
    width=8,
    training=TrainingConfig(batch_size=16, steps=6, warmup_steps=2),
)


def test_training_ends_with_a_row_for_every_split(packed: Path, tmp_path: Path) -> None:
    scores = train(packed, tmp_path / "out", TINY)
    assert [(row["dataset"], row["split"]) for row in scores.own] == [
        (name, split)
        for name in ("SimpPoly5", "Poly5")
        for split in ("validation", "seen", "unseen")
    ]
    assert all(0 <= float(str(r["score_5"])) <= float(str(r["ceiling_5"])) for r in scores.own)
    pairs = [(row["trained_on"], row["dataset"]) for row in scores.compositions]
    assert pairs == [
        ("SimpPoly5", "SimpPoly10"),
        ("Poly5", "Poly8"),
        ("Poly5", "SimpPoly10"),
    ]
    folder = tmp_path / "out"
    assert json.loads((folder / "rows.json").read_text()) == scores.own
    assert json.loads((folder / "compositionality.json").read_text()) == scores.compositions
    description = json.loads((folder / "run.json").read_text())
    shares = description["sets"]["Poly5_None_1-0"]
    assert (shares["share_of_train"], shares["share_of_unseen"]) == (1.0, 0.0)
    assert not list(folder.glob("checkpoint*")), "all is done"


def test_with_folds_no_test_split_is_scored(packed: Path, tmp_path: Path) -> None:
    scores = train(packed, tmp_path, replace(TINY, folds=2))
    assert [(row["dataset"], row["split"], row["fold"]) for row in scores.own] == [
        (name, "held-out classes", f"{fold} of 2")
        for name in ("SimpPoly5", "Poly5")
        for fold in (1, 2)
    ]
    assert scores.compositions == []


def test_the_same_seed_gives_the_same_rows(packed: Path, tmp_path: Path) -> None:
    first, again = (train(packed, tmp_path / name, TINY).own for name in "ab")
    assert [{**row, "seconds": 0} for row in first] == [{**row, "seconds": 0} for row in again]


def test_training_that_ran_out_of_time_goes_on(packed: Path, tmp_path: Path) -> None:
    lines: list[str] = []
    long = replace(TINY, training=replace(TINY.training, steps=10**6), schedule_seconds=1e6)
    train(packed, tmp_path, replace(long, seconds=1, reserve_seconds=0))
    checkpoint = tmp_path / "checkpoint-64.npz"
    assert checkpoint.exists()
    done = replace(long, training=replace(TINY.training, steps=1))
    train(packed, tmp_path, done, report=Reporter(note=lines.append))
    assert any(line.startswith("going on from step ") for line in lines)
    assert not checkpoint.exists()
    log = (tmp_path / "training.jsonl").read_text().splitlines()
    steps = [json.loads(line)["step"] for line in log]
    assert steps == sorted(steps)


def test_a_refused_checkpoint_leaves_the_folder_as_it_was(packed: Path, tmp_path: Path) -> None:
    long = replace(TINY, training=replace(TINY.training, steps=10**6), schedule_seconds=1e6)
    train(packed, tmp_path, replace(long, seconds=1, reserve_seconds=0))
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    for other in (
        replace(TINY, training=replace(TINY.training, batch_size=8)),
        replace(TINY, layers=2),
    ):
        with pytest.raises(ConfigError, match="a checkpoint of other runs, data or settings"):
            train(packed, tmp_path, other)
    assert before == {path: path.read_bytes() for path in tmp_path.iterdir()}


def test_the_time_given_ends_training(packed: Path, tmp_path: Path) -> None:
    config = replace(
        TINY, seconds=3, reserve_seconds=2, training=replace(TINY.training, steps=10**6)
    )
    rows = train(packed, tmp_path, config).own
    assert all(1 <= int(str(row["steps"])) < 10**6 for row in rows)


def test_without_a_step_random_weights_are_scored(packed: Path, tmp_path: Path) -> None:
    config = replace(TINY, training=replace(TINY.training, steps=0))
    rows = train(packed, tmp_path, config).own
    assert len(rows) == 6
    assert all(row["steps"] == row["seconds"] == 0 for row in rows)
    assert all(float(str(row["score_5"])) > 0 for row in rows)


def test_a_training_that_keeps_no_weights_leaves_none(packed: Path, tmp_path: Path) -> None:
    config = replace(TINY, runs=("Poly5:SemEmb",))
    train(packed, tmp_path, replace(config, keeps_weights=True))
    train(packed, tmp_path, config)
    assert not list(tmp_path.glob("weights-*.npz"))


def test_networks_are_scored_on_their_own_data_alone(packed: Path, tmp_path: Path) -> None:
    train(packed, tmp_path, replace(TINY, runs=("SimpPoly5:SemEmb",), keeps_weights=True))
    path = tmp_path / "run.json"
    description = json.loads(path.read_text())
    description["data"]["SimpPoly5"] = "another checksum"
    path.write_text(json.dumps(description))
    with pytest.raises(ConfigError, match="was trained on another SimpPoly5 than that of"):
        score([tmp_path], packed)


def test_random_weights_do_not_take_the_place_of_a_training(packed: Path, tmp_path: Path) -> None:
    long = replace(TINY, training=replace(TINY.training, steps=10**6), schedule_seconds=1e6)
    train(packed, tmp_path, replace(long, seconds=1, reserve_seconds=0))
    with pytest.raises(ConfigError, match="score random weights in another folder"):
        train(packed, tmp_path, replace(TINY, training=replace(TINY.training, steps=0)))


def test_networks_of_two_shapes_are_all_scored(packed: Path, tmp_path: Path) -> None:
    runs = ("SimpPoly5:StructEmb-32", "SimpPoly5:StructEmb")
    rows = train(packed, tmp_path, replace(TINY, runs=runs)).own
    assert [row["setting"] for row in rows] == [*["StructEmb-32"] * 3, *["StructEmb"] * 3]


def test_kept_weights_score_as_the_training_did(packed: Path, tmp_path: Path) -> None:
    config = replace(TINY, runs=("Poly5:SemEmb",), keeps_weights=True)
    trained = train(packed, tmp_path, config).own
    scored = score([tmp_path], packed)
    assert [row["split"] for row in scored.own] == ["validation", "seen", "unseen"]
    for row, other in zip(trained, scored.own, strict=True):
        assert row.keys() == other.keys()
        assert row["score_5"] == pytest.approx(other["score_5"], abs=1), "half precision"
        assert (row["steps"], row["seconds"]) == (other["steps"], other["seconds"])


def test_networks_of_several_folders_are_joined(packed: Path, tmp_path: Path) -> None:
    for seed in (1, 2):
        config = replace(TINY, runs=(f"Poly5:SemEmb@{seed}",), keeps_weights=True)
        train(packed, tmp_path / str(seed), config)
    folders = [tmp_path / "1", tmp_path / "2"]
    assert [row["seed"] for row in score(folders, packed).own] == [1, 1, 1, 2, 2, 2]
    joined = score(folders, packed, joins=True)
    assert [row["seed"] for row in joined.own] == [1, 1, 1, 2, 2, 2, *[[1, 2]] * 3]
    assert [row["seed"] for row in joined.compositions] == [1, 2, [1, 2], 1, 2, [1, 2]]


def test_a_network_is_not_joined_to_its_twin(packed: Path, tmp_path: Path) -> None:
    config = replace(TINY, runs=("Poly5:SemEmb@1",), keeps_weights=True)
    train(packed, tmp_path, config)
    with pytest.raises(ConfigError, match="Poly5:SemEmb@1 is in more than one folder; networks"):
        score([tmp_path, tmp_path], packed, joins=True)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("run.json", "{}", r"run\.json does not describe a training"),
        ("run.json", "[]", r"run\.json does not describe a training"),
        ("rows.json", "[1]", r"rows\.json is no list of rows of scores"),
        ("rows.json", "[{}]", r"rows\.json is no list of rows of scores"),
    ],
)
def test_a_damaged_folder_is_named(
    name: str, text: str, message: str, packed: Path, tmp_path: Path
) -> None:
    train(packed, tmp_path, replace(TINY, runs=("Poly5:SemEmb",), keeps_weights=True))
    (tmp_path / name).write_text(text)
    with pytest.raises(FileFormatError, match=message):
        score([tmp_path], packed)


def test_a_packed_file_has_what_its_runs_need(packed: Path, tmp_path: Path) -> None:
    lines: list[str] = []
    config = replace(TINY, runs=("SimpPoly5:larger",))
    pack(packed, tmp_path / "file.npz", config, Reporter(note=lines.append))
    assert [line.split(":")[0] for line in lines] == [
        "SimpPoly5_None_1-0",
        "SimpPoly5_SimpPoly5_6-7",
    ]
    lines.clear()
    train(tmp_path / "file.npz", tmp_path / "out", config, report=Reporter(note=lines.append))
    assert not [line for line in lines if "expressions" in line], "nothing is made again"
