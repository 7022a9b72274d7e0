"""Results files read back, and the choice among networks: never by a test."""

import json
from pathlib import Path
from typing import Any

import pytest

from equivec.errors import FileFormatError
from equivec_reproduction.semvec_results import Results


def row(setting: str = "SemEmb", split: str = "validation", **changes: Any) -> dict[str, Any]:
    scores = dict.fromkeys("score_1 score_5 score_10 score_15 score_5_corrected".split(), 50.0)
    facts = {"dataset": "Bool5", "data": "published", "setting": setting, "split": split}
    more = {"ceiling_5": 90.0, "seed": 42, "steps": 10, "seconds": 1.0}
    return {**facts, **scores, **more, **changes}


def read(
    folder: Path,
    *files: list[dict[str, Any]],
    selection: list[dict[str, Any]] | None = None,
    compositions: list[dict[str, Any]] | None = None,
) -> Results:
    (folder / "semvec").mkdir()
    for number, rows in enumerate(files):
        (folder / "semvec" / f"{number}.json").write_text(json.dumps(rows))
    (folder / "semvec_selection.json").write_text(json.dumps(selection or []))
    (folder / "semvec_compositionality.json").write_text(json.dumps(compositions or []))
    return Results.read(folder)


def test_the_rows_of_a_network_are_put_together(tmp_path: Path) -> None:
    rows = [row(), row(split="unseen", score_5=7.0), row(seed=[42, 43], steps=1_234)]
    elsewhere = row("other", score_5=99.0, data="regenerated")
    first, joined = read(tmp_path, [*rows, elsewhere]).networks
    assert first.name == "SemEmb, seed 42, 10 steps"
    assert first.score_5("unseen") == 7
    assert first.score_5("seen") is None
    assert joined.name == "SemEmb, seeds joined 42+43, 1,234 steps"


def test_validation_chooses_and_the_tests_do_not(tmp_path: Path) -> None:
    rows = [
        *(row("SemEmb", score_5=60.0), row("SemEmb", "unseen", score_5=1.0)),
        *(row("combined", score_5=59.0), row("combined", "unseen", score_5=99.0)),
    ]
    results = read(tmp_path, rows)
    chosen = results.of("Bool5")
    assert chosen is not None
    assert chosen.setting == "SemEmb"
    other = results.of("Bool5", "combined")
    assert other is not None
    assert other.score_5("unseen") == 99
    assert results.of("Poly5") is None


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ({"score_10": 51.0}, {"score_15": 99.0}),
        ({"score_15": 51.0}, {"steps": 99}),
        ({"steps": 11}, {"steps": 10}),
    ],
)
def test_where_validation_is_equal_larger_k_and_then_steps_decide(
    tmp_path: Path, better: dict[str, Any], worse: dict[str, Any]
) -> None:
    results = read(tmp_path, [row("a", **worse), row("b", **better)])
    chosen = results.of("Bool5")
    assert chosen is not None
    assert chosen.setting == "b"


def test_folds_choose_the_setting_before_validation_does(tmp_path: Path) -> None:
    folds = [row("a", score_5=10.0), row("a", score_5=30.0), row("b", score_5=25.0)]
    results = read(tmp_path, [row("a", score_5=80.0), row("b", score_5=70.0)], selection=folds)
    assert results.fold_scores("Bool5") == {"a": [10, 30], "b": [25]}
    chosen = results.of("Bool5")
    assert chosen is not None
    assert chosen.setting == "b"


def test_of_two_compositions_the_longer_trained_counts(tmp_path: Path) -> None:
    rows = [
        row("transfer", trained_on="Poly5", steps=steps, score_5=50 - steps) for steps in (1, 2)
    ]
    found = read(tmp_path, [row()], compositions=rows).composition("Poly5", "Bool5", "transfer")
    assert found is not None
    assert found.steps == 2


def test_a_network_that_was_never_trained_is_a_floor_and_no_choice(tmp_path: Path) -> None:
    rows = [row("StructEmb", steps=0, score_5=90.0), row("StructEmb", score_5=10.0)]
    results = read(tmp_path, rows, compositions=[row(trained_on="Poly5", steps=0)])
    chosen, floor = results.of("Bool5", "StructEmb"), results.untrained("Bool5")
    assert chosen is not None
    assert floor is not None
    assert (chosen.score_5("validation"), floor.score_5("validation")) == (10, 90)
    assert results.composition("Poly5", "Bool5", "SemEmb") is None
    assert results.untrained_composition("Poly5", "Bool5") is not None


def test_a_row_that_lacks_something_is_named(tmp_path: Path) -> None:
    bad = row()
    del bad["steps"], bad["seed"]
    with pytest.raises(FileFormatError, match=r"0\.json: row 2 has no 'seed'"):
        read(tmp_path, [row(), bad])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"files": [[row(score_5="high")]]}, r"0\.json: row 1\.score_5 is 'high', not a number"),
        ({"compositions": [row()]}, r"compositionality\.json: row 1 has no 'trained_on'"),
        ({"runs": [1]}, r"semvec_runs\.json: runs is a list, not an object"),
        ({"runs": {"first": {}}}, r"semvec_runs\.json: runs\['first'\] has no 'settings'"),
    ],
)
def test_a_damaged_file_is_named(changes: dict[str, Any], message: str, tmp_path: Path) -> None:
    (tmp_path / "semvec_runs.json").write_text(json.dumps({"runs": changes.get("runs", {})}))
    files = changes.get("files", [[row()]])
    with pytest.raises(FileFormatError, match=message):
        read(tmp_path, *files, compositions=changes.get("compositions"))


def test_a_folder_without_results_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match=r"has no results: semvec/\*\.json"):
        read(tmp_path)


@pytest.mark.parametrize(
    ("text", "problem"),
    [('{"a": 1}', r"a\.json is not a list of rows"), ("[1]", r"row 1 is 1, not an object")],
)
def test_a_file_of_no_rows_is_named(tmp_path: Path, text: str, problem: str) -> None:
    (tmp_path / "semvec").mkdir()
    (tmp_path / "semvec" / "a.json").write_text(text)
    with pytest.raises(FileFormatError, match=problem):
        Results.read(tmp_path)


def test_a_file_that_is_not_json_is_named(tmp_path: Path) -> None:
    (tmp_path / "semvec").mkdir()
    (tmp_path / "semvec" / "a.json").write_text("[")
    with pytest.raises(FileFormatError, match=r"a\.json is not JSON"):
        Results.read(tmp_path)
