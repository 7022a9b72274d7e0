"""The SemVec benchmark from data to rows, on small sets made anew, in seconds."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from equivec.corpus.semvec import SEMVEC_SPECS, SemVecDataset, Split, semvec_spec
from equivec.corpus.semvec_enumeration import enumerate_semvec
from equivec.errors import ConfigError, FileFormatError
from equivec.evaluate.semvec_score import ceiling, score
from equivec.model.semvec_training import TrainingConfig
from equivec.pipeline.semvec import (
    COMPOSITIONS,
    SemVecConfig,
    held_out_rows,
    main,
    make_set,
    nearest_on_device,
    pack_semvec,
    parse_runs,
    prepare_sets,
    read_semvec,
    requests,
    score_queries,
    train_semvec,
    unpack_semvec,
)

NAMES = ("SimpPoly5", "Poly5", "SimpPoly8", "SimpPoly10", "Poly8", "oneV-Poly10", "oneV-Poly13")
TINY = SemVecConfig(
    runs=("SimpPoly5:combined", "Poly5:SemEmb"),
    seconds=60,
    layers=1,
    width=8,
    training=TrainingConfig(batch_size=16, steps=6, warmup_steps=2),
)
KEYS = {
    *("dataset", "data", "setting", "split", "score_1", "score_5", "score_10", "score_15"),
    *("score_5_corrected", "seed", "steps", "seconds", "networks_at_once", "ceiling_5"),
}


@pytest.fixture(scope="module")
def datasets() -> dict[str, SemVecDataset]:
    return {name: enumerate_semvec(semvec_spec(name)) for name in ("SimpPoly5", "Poly5", "Bool5")}


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory, datasets: dict[str, SemVecDataset]) -> Path:
    """All the datasets that the tiny runs are scored on, the larger ones cut down to few rows."""
    path = tmp_path_factory.mktemp("data") / "semvec.npz"
    others = {name: shortened(name) for name in NAMES if name not in datasets}
    pack_semvec({**datasets, **others}, {}, path)
    return path


def shortened(name: str) -> SemVecDataset:
    """A dataset of the same name with trees of at most five nodes."""
    spec = semvec_spec(name)
    return replace(enumerate_semvec(replace(spec, largest_size=5)), spec=spec)


def test_training_ends_with_a_row_for_every_split(packed: Path, tmp_path: Path) -> None:
    lines: list[str] = []
    own, others = train_semvec(packed, tmp_path / "out", TINY, report=lines.append)
    assert [(row["dataset"], row["split"]) for row in own] == [
        (name, split)
        for name in ("SimpPoly5", "Poly5")
        for split in ("validation", "seen", "unseen")
    ]
    assert all(row.keys() == KEYS for row in own)
    assert all(0 <= float(str(row["score_5"])) <= float(str(row["ceiling_5"])) for row in own)
    pairs = [(row["trained_on"], row["dataset"]) for row in others]
    assert pairs == [
        ("SimpPoly5", "SimpPoly10"),
        ("Poly5", "Poly8"),
        ("Poly5", "SimpPoly10"),
    ]
    assert json.loads((tmp_path / "out" / "rows.json").read_text()) == own
    assert json.loads((tmp_path / "out" / "compositionality.json").read_text()) == others
    description = json.loads((tmp_path / "out" / "run.json").read_text())
    shares = description["sets"]["Poly5_None_1-0_0"]
    assert (shares["share_of_train"], shares["share_of_unseen"]) == (1.0, 0.0)
    assert lines[-1].startswith("6 and 3 rows in ")


def test_with_classes_held_out_no_test_split_is_scored(packed: Path, tmp_path: Path) -> None:
    own, others = train_semvec(packed, tmp_path, replace(TINY, held_out=0.2))
    assert {row["split"] for row in own} == {"validation", "held-out classes"}
    assert others == []


def test_seeds_are_scored_alone_and_together(packed: Path, tmp_path: Path) -> None:
    config = replace(TINY, runs=("SimpPoly5:SemEmb@1", "SimpPoly5:SemEmb@2"))
    own, others = train_semvec(packed, tmp_path, config)
    assert [row["seed"] for row in own] == [1, 1, 1, 2, 2, 2, *[[1, 2]] * 3]
    assert [row["seed"] for row in others] == [1, 2, [1, 2]]


def test_the_same_seed_gives_the_same_rows(packed: Path, tmp_path: Path) -> None:
    first, again = (train_semvec(packed, tmp_path / name, TINY)[0] for name in "ab")
    assert [{**row, "seconds": 0} for row in first] == [{**row, "seconds": 0} for row in again]


def test_training_goes_on_from_a_checkpoint(packed: Path, tmp_path: Path) -> None:
    lines: list[str] = []
    train_semvec(packed, tmp_path / "a", TINY, tmp_path / "checkpoint")
    longer = replace(TINY, training=replace(TINY.training, steps=12))
    train_semvec(packed, tmp_path / "b", longer, tmp_path / "checkpoint", lines.append)
    assert lines[2] == "going on from step 6"
    log = [
        json.loads(line)
        for line in (tmp_path / "b" / "training.jsonl").read_text().split("\n")[:-1]
    ]
    assert log[0]["step"] > 6
    assert log[-1]["step"] == 12


def test_the_time_given_ends_training(packed: Path, tmp_path: Path) -> None:
    config = replace(
        TINY, seconds=3, reserve_seconds=2, training=replace(TINY.training, steps=10**6)
    )
    own, _ = train_semvec(packed, tmp_path, config)
    assert all(0 < float(str(row["seconds"])) < 20 for row in own)


def test_held_out_classes_are_whole_and_of_the_training_set(
    datasets: dict[str, SemVecDataset],
) -> None:
    dataset = datasets["Bool5"]
    rows = held_out_rows(dataset, 0.2, seed=0)
    train = dataset.rows(Split.TRAIN)
    classes = np.unique(dataset.class_ids[rows])
    assert len(classes) > 5
    assert np.array_equal(rows, train[np.isin(dataset.class_ids[train], classes)])
    (request,) = requests(parse_runs(["Bool5:SemEmb"])[0], 0.2)
    part = make_set(request, dataset)
    kept = {row.tobytes() for row in part.expressions}
    assert len(kept) == len(train) - len(rows)
    assert kept.isdisjoint(dataset.expressions[row].tobytes() for row in rows)


@pytest.mark.parametrize("setting", ["SemEmb", "larger", "combined", "transfer"])
def test_no_training_set_looks_at_a_test_row(
    setting: str, datasets: dict[str, SemVecDataset]
) -> None:
    """With other classes and other expressions outside the training split, nothing changes."""
    dataset = datasets["Bool5"]
    outside = dataset.split_ids != Split.TRAIN
    class_ids, expressions = dataset.class_ids.copy(), dataset.expressions.copy()
    class_ids[outside] = class_ids[outside][::-1]
    expressions[outside] = expressions[outside][::-1]
    other = replace(dataset, class_ids=class_ids, expressions=expressions)
    for request in requests(parse_runs([f"Bool5:{setting}"])[0], 0.0)[:2]:
        if request.target == "Bool10":
            request = replace(request, target="Bool8", largest_size=6)
        first, second = make_set(request, dataset), make_set(request, other)
        assert np.array_equal(first.expressions, second.expressions)
        assert np.array_equal(first.class_ids, second.class_ids)
        assert np.array_equal(first.labels, second.labels)


def test_scores_on_the_device_are_those_of_the_definition(
    datasets: dict[str, SemVecDataset],
) -> None:
    dataset = datasets["Bool5"]
    generator = np.random.default_rng(0)
    centres = generator.normal(size=(dataset.class_count, 8))
    vectors = centres[dataset.class_ids] + 0.5 * generator.normal(size=(len(dataset), 8))
    vectors = vectors.astype(np.float32)
    units = torch.nn.functional.normalize(torch.from_numpy(vectors), dim=1)
    for split in (Split.SEEN, Split.UNSEEN):
        expected = score(dataset, vectors, split)
        found = score_queries(dataset, units, dataset.rows(split))
        for k in (1, 5, 10, 15):
            assert found[f"score_{k}"] == pytest.approx(expected.published[k - 1], abs=0.01)
        assert found["score_5_corrected"] == pytest.approx(expected.corrected[4], abs=0.01)


def test_a_perfect_network_reaches_the_ceiling(datasets: dict[str, SemVecDataset]) -> None:
    dataset = datasets["Poly5"]
    units = torch.eye(dataset.class_count)[torch.from_numpy(dataset.class_ids).long()]
    found = score_queries(dataset, units, dataset.rows(Split.UNSEEN))
    assert found["score_5"] == pytest.approx(ceiling(dataset, Split.UNSEEN, 5), abs=1e-3)
    assert found["score_5_corrected"] == 100


def test_an_expression_is_not_its_own_neighbour() -> None:
    units = torch.nn.functional.normalize(torch.randn(30, 4), dim=1)
    nearest = nearest_on_device(units, np.arange(30), 29)
    assert all(row not in neighbours for row, neighbours in enumerate(nearest))


def test_what_is_packed_is_read_back(tmp_path: Path, datasets: dict[str, SemVecDataset]) -> None:
    runs = parse_runs(["Poly5:combined"])
    sets = prepare_sets(runs, datasets, {}, 0.0, lambda _: None)
    pack_semvec(datasets, sets, tmp_path / "file.npz")
    read, read_sets = unpack_semvec(tmp_path / "file.npz")
    assert read.keys() == datasets.keys()
    for name, dataset in datasets.items():
        assert np.array_equal(read[name].expressions, dataset.expressions)
        assert np.array_equal(read[name].class_ids, dataset.class_ids)
        assert np.array_equal(read[name].split_ids, dataset.split_ids)
    assert read_sets.keys() == sets.keys()
    for name, part in sets.items():
        assert np.array_equal(read_sets[name].expressions, part.expressions)
        assert np.array_equal(read_sets[name].class_ids, part.class_ids)
        assert np.array_equal(read_sets[name].labels, part.labels)


def test_a_missing_dataset_is_named(packed: Path) -> None:
    with pytest.raises(FileFormatError, match="has no dataset BoolL5; pack them first"):
        read_semvec(packed, ["BoolL5", "Poly5"])


def test_runs_are_named_by_dataset_setting_and_seed() -> None:
    runs = parse_runs(["Bool5,Poly5:SemEmb@7", "all:transfer"], seed=3)
    assert [(run.dataset, run.seed) for run in runs[:2]] == [("Bool5", 7), ("Poly5", 7)]
    assert {run.dataset for run in runs[2:]} == {source for source, _ in COMPOSITIONS}
    assert {run.seed for run in runs[2:]} == {3}
    with pytest.raises(ConfigError, match="'Bool5' is not DATASETS:SETTING"):
        parse_runs(["Bool5"])
    with pytest.raises(ConfigError, match="'Bool9' is not a SemVec dataset"):
        parse_runs(["Bool9:SemEmb"])


def test_every_dataset_has_its_sets() -> None:
    for setting in ("SemEmb", "larger", "combined"):
        runs = parse_runs([f"all:{setting}"])
        assert [run.dataset for run in runs] == [spec.name for spec in SEMVEC_SPECS]
        assert all(requests(run, 0.0) for run in runs)


def test_the_command_prints_scores_and_refuses_what_it_cannot_read(
    packed: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = [
        "--data",
        str(packed),
        "--out",
        str(tmp_path / "out"),
        "--runs",
        "SimpPoly5:SemEmb",
    ]
    sizes = ["--layers", "1", "--width", "8", "--steps", "2", "--batch-size", "4"]
    assert main([*arguments, *sizes, "--weights", "--seconds", "30"]) == 0
    printed = capsys.readouterr()
    assert printed.out.count("SimpPoly5") == 4
    assert "step 2 · validation" in printed.err
    assert (tmp_path / "out" / "weights-0.npz").exists()
    assert main([*arguments[:1], str(tmp_path / "none.npz"), *arguments[2:]]) == 2
    assert "not a file of arrays" in capsys.readouterr().err
