"""LatentWorlds from data to rows: files that appear whole, commands that go on, scores again."""

import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from equivec.errors import ConfigError, FileFormatError
from equivec.jobs.shards import ExecutorConfig
from equivec.semvec.dataset import Split
from equivec.semvec.files import read_arrays, write_arrays
from equivec.semvec.worlds_files import WorldsFile, read_networks, rows_of, write_rows
from equivec.semvec.worlds_settings import WorldsConfig
from equivec.semvec.worlds_steps import (
    WorldsPlan,
    WorldsWork,
    choose_configs,
    score_all,
    train_all,
)
from support.killing import run_killed

TINY = WorldsConfig(width=3, prototypes=2, worlds=2, restarts=2, batch_rows=40, steps=4)
PLAN = WorldsPlan(["SimpPoly5"], [1, 2], [TINY, replace(TINY, states="directions")])


def trained(data: Path, out: Path, plan: WorldsPlan = PLAN) -> list[WorldsFile]:
    return list(train_all(data, out, plan, ExecutorConfig(workers=1)))


@pytest.fixture(scope="module")
def folder(packed: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("networks")
    trained(packed, out)
    return out


def test_there_is_a_network_for_every_seed_and_one_for_each_way_to_choose(folder: Path) -> None:
    assert sorted(path.name for path in folder.iterdir()) == [
        "SimpPoly5@1-without-1-directions.npz",
        "SimpPoly5@1-without-1-distributions.npz",
        "SimpPoly5@1-without-2-directions.npz",
        "SimpPoly5@1-without-2-distributions.npz",
        "SimpPoly5@1.npz",
        "SimpPoly5@2.npz",
    ]
    for path in folder.iterdir():
        assert path.stat().st_size < 20_000


def test_rows_name_dataset_seed_split_and_what_they_were_trained_on(
    packed: Path, folder: Path
) -> None:
    files = trained(packed, folder)
    rows = rows_of(files)
    assert [(row.trained_on, row.dataset, row.seed, row.split) for row in rows] == [
        *[("SimpPoly5", "SimpPoly5", 1, split) for split in ("validation", "seen", "unseen")],
        ("SimpPoly5", "SimpPoly10", 1, "unseen"),
        *[("SimpPoly5", "SimpPoly5", 1, "held-out classes")] * 4,
        *[("SimpPoly5", "SimpPoly5", 2, split) for split in ("validation", "seen", "unseen")],
        ("SimpPoly5", "SimpPoly10", 2, "unseen"),
    ]
    chosen = choose_configs(files[:4])["SimpPoly5"].states
    assert {row.states for row in rows if not row.fold} == {chosen}
    held_out = [row.score_5 for row in rows if row.fold and row.states == chosen]
    mean = pytest.approx(sum(held_out) / 2, abs=1e-3)
    assert all(row.held_out_score_5 == mean for row in rows if row.states == chosen)
    assert all(row.rows_only and row.steps == 4 for row in rows)
    assert all(0 <= row.score_5 <= row.ceiling_5 for row in rows)


def test_rows_are_read_back_as_they_were_written(
    packed: Path, folder: Path, tmp_path: Path
) -> None:
    for file in trained(packed, folder):
        path = tmp_path / file.run.job.file_name
        file.write(path)
        again = WorldsFile.read(path)
        assert (again.run, again.rows) == (file.run, file.rows)
    write_rows(tmp_path)
    lists = {path.stem: json.loads(path.read_text()) for path in tmp_path.glob("*.json")}
    counts = {name: len(rows) for name, rows in lists.items()}
    assert counts == {"rows": 6, "compositionality": 2, "held_out": 4}
    assert {row["setting"] for row in lists["rows"]} == {"LatentWorlds"}


def test_kept_networks_score_as_they_did(packed: Path, folder: Path) -> None:
    """Networks are scored in the half precision in which they are kept: no digit differs."""
    again = list(score_all(folder, packed, ["SimpPoly5"]))
    assert [file.rows for file in again] == [
        WorldsFile.read(folder / f"SimpPoly5@{seed}.npz").rows for seed in (1, 2)
    ]


def test_the_same_seed_gives_the_same_network(packed: Path, folder: Path, tmp_path: Path) -> None:
    trained(packed, tmp_path)
    for path in folder.glob("*.npz"):
        first, again = WorldsFile.read(path), WorldsFile.read(tmp_path / path.name)
        assert {n: a.tolist() for n, a in first.network.items()} == {
            n: a.tolist() for n, a in again.network.items()
        }
        assert [replace(row, seconds=0) for row in first.rows] == [
            replace(row, seconds=0) for row in again.rows
        ]


def test_networks_that_choose_see_no_test_row(packed: Path, folder: Path, tmp_path: Path) -> None:
    arrays = read_arrays(packed)
    expressions, splits = (arrays[f"data/SimpPoly5/{n}"] for n in ("expressions", "split_ids"))
    expressions[np.isin(splits, (Split.SEEN, Split.UNSEEN))] = expressions[0]
    write_arrays(tmp_path / "other.npz", arrays)
    jobs = tuple(PLAN.choosing_jobs())
    WorldsWork(tmp_path / "other.npz", tmp_path, jobs, "cpu")(0)
    first, again = (WorldsFile.read(place / jobs[0].file_name) for place in (folder, tmp_path))
    assert replace(again.rows[0], seconds=0) == replace(first.rows[0], seconds=0)
    assert again.run.data == first.run.data


def test_what_is_there_is_not_trained_again(packed: Path, folder: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in folder.iterdir()}
    trained(packed, folder)
    assert before == {path: path.stat().st_mtime_ns for path in folder.iterdir()}


def test_a_training_that_is_killed_goes_on_to_the_same_networks(
    packed: Path, folder: Path, tmp_path: Path
) -> None:
    script, out = tmp_path / "run.py", tmp_path / "killed"
    out.mkdir()
    script.write_text(
        "from pathlib import Path\n"
        "from equivec.jobs.shards import ExecutorConfig\n"
        "from equivec.semvec.worlds_settings import WorldsConfig\n"
        "from equivec.semvec.worlds_steps import WorldsPlan, train_all\n"
        "if __name__ == '__main__':\n"
        f"    paths = Path({str(packed)!r}), Path({str(out)!r})\n"
        f"    list(train_all(*paths, {PLAN!r}, ExecutorConfig(workers=1)))\n"
    )
    code, killed = run_killed([sys.executable, str(script)], out, 2)
    assert code == 0
    assert killed > 0, "the training was never killed"
    for path in folder.glob("*.npz"):
        first, again = WorldsFile.read(path), WorldsFile.read(out / path.name)
        assert first.run.losses == again.run.losses
    assert not list(out.glob(".partial.*"))


def test_networks_of_other_settings_are_refused(packed: Path, folder: Path) -> None:
    with pytest.raises(ConfigError, match="is a network of other settings or data; repeat those"):
        trained(packed, folder, replace(PLAN, configs=[replace(TINY, steps=5)]))


def test_networks_are_scored_on_their_own_data_alone(
    packed: Path, folder: Path, tmp_path: Path
) -> None:
    arrays = read_arrays(packed)
    arrays["data/SimpPoly5/split_ids"] = arrays["data/SimpPoly5/split_ids"][::-1]
    write_arrays(tmp_path / "other.npz", arrays)
    with pytest.raises(ConfigError, match="SimpPoly5@1 was trained on another SimpPoly5 than"):
        list(score_all(folder, tmp_path / "other.npz", ["SimpPoly5"]))


def test_a_folder_without_networks_is_named(folder: Path) -> None:
    with pytest.raises(FileFormatError, match=r"has no network of Bool5: no file such as Bool5@42"):
        read_networks(folder, ["Bool5"])


def test_a_damaged_file_is_named(folder: Path, tmp_path: Path) -> None:
    arrays = read_arrays(folder / "SimpPoly5@1.npz")
    del arrays["facts"]
    write_arrays(tmp_path / "SimpPoly5@1.npz", arrays)
    with pytest.raises(FileFormatError, match=r"SimpPoly5@1\.npz is no network of `equivec"):
        read_networks(tmp_path, ["SimpPoly5"])


@pytest.mark.parametrize(
    ("names", "seeds", "message"),
    [
        (["Bool5", "Bool5"], [1], "the dataset Bool5 is named twice; name it once"),
        (["Bool5"], [1, 1], "the seed 1 is named twice; name it once"),
        (["Bool5"], [2**63], "a seed must lie between 0 and "),
    ],
)
def test_a_wrong_list_is_refused(names: list[str], seeds: list[int], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        WorldsPlan(names, seeds)


@pytest.mark.parametrize(
    ("scores", "chosen"),
    [
        ([(40, 50, 50, 1), (60, 50, 50, 2), (50, 99, 99, 0)], 1),
        ([(60, 40, 90, 1), (60, 50, 50, 2)], 1),
        ([(60, 50, 50, 1), (60, 50, 40, 0)], 0),
        ([(60, 50, 50, 1), (60, 50, 50, 2), (60, 50, 50, 3)], 0),
    ],
)
def test_mean_scores_on_held_out_classes_choose_and_between_equals_the_training_loss(
    scores: list[tuple[float, ...]], chosen: int, folder: Path
) -> None:
    file = WorldsFile.read(folder / "SimpPoly5@1-without-1-directions.npz")

    def scored(steps: int, more: float, *values: float) -> WorldsFile:
        names = ("score_5", "score_10", "score_15", "training_loss")
        row = replace(
            file.rows[0],
            **{name: value + more for name, value in zip(names, values, strict=True)},
        )
        run = replace(file.run, config=replace(TINY, steps=steps))
        return replace(file, run=run, rows=(row,))

    # Each configuration has two folds, as far above its mean as below.
    files = [
        scored(number + 1, more, *values)
        for more in (-5.0, 5.0)
        for number, values in enumerate(scores)
    ]
    assert choose_configs(files)["SimpPoly5"].steps == chosen + 1
