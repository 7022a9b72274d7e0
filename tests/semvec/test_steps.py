"""The SemVec benchmark from data to rows, on small sets made anew, in seconds."""

import json
from pathlib import Path

import pytest

from equivec.errors import ConfigError, FileFormatError
from equivec.pipeline.runs import Pace
from equivec.semvec import steps
from equivec.semvec.runs import SemVecJob
from equivec.semvec.settings import semvec_recipe
from equivec.semvec.steps import Scores, pack, score

SMALL = ("layers=1", "width=8", "batch_size=16", "warmup_steps=2")


def job(
    *runs: str, changes: tuple[str, ...] = ("steps=6",), folds: int = 0, weights: bool = False
) -> SemVecJob:
    return SemVecJob(
        runs=runs or ("SimpPoly5:combined", "Poly5:SemEmb"),
        recipe=semvec_recipe("fast", [*SMALL, *changes]),
        folds=folds,
        keeps_weights=weights,
    )


TINY = job()


def train(
    data: Path, out: Path, job: SemVecJob, pace: Pace | None = None, *, resume: bool = False
) -> Scores:
    for _ in steps.train(data, out, job, pace, device="cpu", resume=resume):
        pass
    return Scores.read(out)


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
    settings = json.loads((folder / "settings.json").read_text())
    shares = settings["sets"]["Poly5_None_1-0"]
    assert (shares["share_of_train"], shares["share_of_unseen"]) == (1.0, 0.0)
    assert not list(folder.glob("*/checkpoint*")), "all is done"
    assert semvec_recipe(str(folder / "recipe.toml")) == TINY.recipe


def test_with_folds_no_test_split_is_scored(packed: Path, tmp_path: Path) -> None:
    scores = train(packed, tmp_path, job(folds=2))
    assert [(row["dataset"], row["split"], row["fold"]) for row in scores.own] == [
        (name, "held-out classes", f"{fold} of 2")
        for name in ("SimpPoly5", "Poly5")
        for fold in (1, 2)
    ]
    assert scores.compositions == []


def test_the_same_seed_gives_the_same_rows(packed: Path, tmp_path: Path) -> None:
    first, again = (train(packed, tmp_path / name, TINY).own for name in "ab")
    assert [{**row, "seconds": 0} for row in first] == [{**row, "seconds": 0} for row in again]


def test_a_training_that_paused_goes_on_to_the_same_rows(packed: Path, tmp_path: Path) -> None:
    whole = train(packed, tmp_path / "whole", TINY).own
    out, pace = tmp_path / "out", Pace(pause_after=1e-9, report_every=1)
    for count in range(5):
        news = list(steps.train(packed, out, TINY, pace, device="cpu", resume=count > 0))
        assert [each.step for each in news] == [count + 1], "a step a command"
        assert not (out / "rows.json").exists()
    scores = train(packed, out, TINY, resume=True)
    assert [{**row, "seconds": 0} for row in scores.own] == [{**row, "seconds": 0} for row in whole]
    lines = (out / "width-64" / "metrics.jsonl").read_text().splitlines()
    assert [json.loads(line)["step"] for line in lines] == [1, 2, 3, 4, 5, 6]
    assert list(steps.train(packed, out, TINY, resume=True)) == [], "all is done"


@pytest.mark.parametrize(
    ("other", "sentence"),
    [
        (job(changes=("steps=6", "batch_size=8")), r"begun with other settings \(batch_size\)"),
        (job(changes=("steps=6", "layers=2")), r"begun with other settings \(layers\)"),
        (job("Poly5:SemEmb"), "begun with other training data"),
    ],
)
def test_another_training_leaves_the_folder_as_it_was(
    other: SemVecJob, sentence: str, packed: Path, tmp_path: Path
) -> None:
    for _ in steps.train(packed, tmp_path, TINY, Pace(pause_after=1e-9), device="cpu"):
        pass
    before = {path: path.read_bytes() for path in tmp_path.rglob("*.*")}
    with pytest.raises(FileFormatError, match="holds a run already; continue it with --resume"):
        train(packed, tmp_path, TINY)
    with pytest.raises(FileFormatError, match=sentence):
        train(packed, tmp_path, other, resume=True)
    assert before == {path: path.read_bytes() for path in tmp_path.rglob("*.*")}


def test_the_time_given_ends_training(packed: Path, tmp_path: Path) -> None:
    rows = train(packed, tmp_path, job(changes=("steps=none",)), Pace(seconds=0.2)).own
    assert all(int(str(row["steps"])) >= 1 for row in rows)
    with pytest.raises(ConfigError, match="nothing ends this training; set its steps, or give"):
        train(packed, tmp_path / "endless", job(changes=("steps=none",)))


def test_without_a_step_random_weights_are_scored(packed: Path, tmp_path: Path) -> None:
    rows = train(packed, tmp_path, job(changes=("steps=0",))).own
    assert len(rows) == 6
    assert all(row["steps"] == row["seconds"] == 0 for row in rows)
    assert all(float(str(row["score_5"])) > 0 for row in rows)


def test_networks_are_scored_on_their_own_data_alone(packed: Path, tmp_path: Path) -> None:
    train(packed, tmp_path, job("SimpPoly5:SemEmb", weights=True))
    path = tmp_path / "settings.json"
    description = json.loads(path.read_text())
    description["datasets"]["SimpPoly5"] = "another checksum"
    path.write_text(json.dumps(description))
    with pytest.raises(ConfigError, match="was trained on another SimpPoly5 than that of"):
        score([tmp_path], packed)


def test_networks_of_two_shapes_are_all_scored(packed: Path, tmp_path: Path) -> None:
    runs = ("SimpPoly5:StructEmb-32", "SimpPoly5:StructEmb")
    rows = train(packed, tmp_path, job(*runs)).own
    assert [row["setting"] for row in rows] == [*["StructEmb-32"] * 3, *["StructEmb"] * 3]


def test_kept_weights_score_as_the_training_did(packed: Path, tmp_path: Path) -> None:
    config = job("Poly5:SemEmb", weights=True)
    trained = train(packed, tmp_path, config).own
    scored = score([tmp_path], packed)
    assert [row["split"] for row in scored.own] == ["validation", "seen", "unseen"]
    for row, other in zip(trained, scored.own, strict=True):
        assert row.keys() == other.keys()
        assert row["score_5"] == pytest.approx(other["score_5"], abs=1), "half precision"
        assert (row["steps"], row["seconds"]) == (other["steps"], other["seconds"])


def test_networks_of_several_folders_are_joined(packed: Path, tmp_path: Path) -> None:
    for seed in (1, 2):
        config = job(f"Poly5:SemEmb@{seed}", weights=True)
        train(packed, tmp_path / str(seed), config)
    folders = [tmp_path / "1", tmp_path / "2"]
    assert [row["seed"] for row in score(folders, packed).own] == [1, 1, 1, 2, 2, 2]
    joined = score(folders, packed, joins=True)
    assert [row["seed"] for row in joined.own] == [1, 1, 1, 2, 2, 2, *[[1, 2]] * 3]
    assert [row["seed"] for row in joined.compositions] == [1, 2, [1, 2], 1, 2, [1, 2]]


def test_a_network_is_not_joined_to_its_twin(packed: Path, tmp_path: Path) -> None:
    config = job("Poly5:SemEmb@1", weights=True)
    train(packed, tmp_path, config)
    with pytest.raises(ConfigError, match="Poly5:SemEmb@1 is in more than one folder; networks"):
        score([tmp_path, tmp_path], packed, joins=True)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("settings.json", "{}", r"settings\.json does not describe a training"),
        ("settings.json", "[]", r"settings\.json does not describe a training"),
        ("rows.json", "[1]", r"rows\.json is no list of rows of scores"),
        ("rows.json", "[{}]", r"rows\.json is no list of rows of scores"),
    ],
)
def test_a_damaged_folder_is_named(
    name: str, text: str, message: str, packed: Path, tmp_path: Path
) -> None:
    train(packed, tmp_path, job("Poly5:SemEmb", weights=True))
    (tmp_path / name).write_text(text)
    with pytest.raises(FileFormatError, match=message):
        score([tmp_path], packed)


def test_a_packed_file_has_what_its_runs_need(packed: Path, tmp_path: Path) -> None:
    lines: list[str] = []
    larger = job("SimpPoly5:larger")
    pack(packed, tmp_path / "file.npz", larger, lines.append)
    assert [line.split(":")[0] for line in lines] == [
        "SimpPoly5_None_1-0",
        "SimpPoly5_SimpPoly5_6-7",
    ]
    lines.clear()
    for _ in steps.train(tmp_path / "file.npz", tmp_path / "out", larger, say=lines.append):
        pass
    assert not lines, "nothing is made again"
