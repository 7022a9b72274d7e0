"""`equivec semvec worlds`: a tiny training and its scores again, as a user would type it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from equivec.semvec.dataset import semvec_spec
from equivec.semvec.enumeration import enumerate_semvec
from equivec.semvec.packing import pack_semvec
from support.command import run

if TYPE_CHECKING:
    from pathlib import Path

# What a machine that only trains does not have.
ABSENT = ("flint", "faiss", "pebble", "pyarrow", "ray", "matplotlib", "onnxruntime", "sympy")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two small datasets in a packed file, the larger one cut down."""
    path = tmp_path_factory.mktemp("data") / "semvec.npz"
    larger = semvec_spec("SimpPoly10")
    datasets = {
        "SimpPoly5": enumerate_semvec(semvec_spec("SimpPoly5")),
        "SimpPoly10": replace(enumerate_semvec(replace(larger, largest_size=5)), spec=larger),
    }
    pack_semvec(datasets, {}, path)
    return path


def test_training_and_scoring_where_only_torch_and_numpy_are_installed(
    data: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    command = ("semvec", "worlds", "SimpPoly5", "--data", str(data))
    seeds = ("--seed", "1", "--seed", "2")
    training = (*command, "-o", str(out), "--steps", "2", *seeds, "--workers", "1")
    result = run(*training, without=ABSENT)
    assert result.code == 0, result.stderr
    assert result.stderr.splitlines()[-1] == f"wrote {out}: 6 networks"
    assert result.stdout.splitlines()[0].split() == [
        *("dataset", "states", "split", "seed", "score_5", "ceiling_5")
    ]
    assert json.loads((out / "run.json").read_text())["command"].startswith("equivec semvec worlds")
    again = run(*command, "--networks", str(out), "--json", without=ABSENT)
    assert again.code == 0, again.stderr
    kept = [*read(out / "rows.json"), *read(out / "compositionality.json")]
    assert by_place(json.loads(again.stdout)) == by_place(kept)


def read(path: Path) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = json.loads(path.read_text())
    return rows


def by_place(rows: list[dict[str, object]]) -> dict[tuple[object, ...], dict[str, object]]:
    """Rows without what a folder knows beside its networks."""
    return {
        (row["dataset"], row["seed"], row["split"]): {**row, "held_out_score_5": None}
        for row in rows
    }


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((), "give either --out, the folder to train into, or --networks, one to score again"),
        (("-o", "x", "--device", "gpu"), "'gpu' is not a known device; use cpu or cuda"),
        (("-o", "x", "--steps", "0"), "steps must be at least 1, not 0"),
        (("-o", "x", "--workers", "0"), "workers must be at least 1, not 0"),
        (("--networks", "x"), "x has no network of SimpPoly5: no file such as SimpPoly5@42.npz"),
    ],
)
def test_a_wrong_command_ends_with_one_sentence(
    options: tuple[str, ...], message: str, data: Path
) -> None:
    result = run("semvec", "worlds", "SimpPoly5", "--data", str(data), *options)
    assert result.code == 2
    assert message in result.stderr
    assert "Traceback" not in result.stderr


def test_an_unknown_dataset_is_named(data: Path) -> None:
    result = run("semvec", "worlds", "Bool9", "--data", str(data), "-o", "x")
    assert result.code == 2
    assert "'Bool9' is not a SemVec dataset; choose from Bool5" in result.stderr
