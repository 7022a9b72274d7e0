"""`equivec semvec`: a tiny training and its scores, as a user would type it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from equivec.corpus.semvec import semvec_spec
from equivec.corpus.semvec_enumeration import enumerate_semvec
from support.command import run

if TYPE_CHECKING:
    from pathlib import Path

TINY = ["--layers", "1", "--width", "8", "--steps", "2", "--batch-size", "4", "--seconds", "60"]
# What a machine that only trains does not have.
ABSENT = ("flint", "faiss", "pyarrow", "ray", "matplotlib")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two small datasets in a packed file, the larger one cut down."""
    from equivec.pipeline.semvec.packing import pack_semvec

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
    packed, out = tmp_path / "packed.npz", tmp_path / "out"
    runs = ("SimpPoly5:SemEmb@1,2", "SimpPoly5:larger")
    packing = ("semvec", "train", *runs, "--data", str(data), "--pack", str(packed))
    result = run(*packing, without=ABSENT)
    assert result.code == 0, result.stderr
    assert "SimpPoly5_SimpPoly5_6-7: " in result.stderr
    assert f"wrote {packed}: " in result.stderr

    options = ("--data", str(packed), "--out", str(out), *TINY, "--weights")
    result = run("semvec", "train", *runs, *options, without=ABSENT)
    assert result.code == 0, result.stderr
    settings, *lines = result.stderr.splitlines()
    assert settings.split()[:4] == ["networks", "name", "sampling", "partner"]
    assert lines[0].split()[:2] == ["2", "SemEmb"]
    assert lines[0].split()[-1] == "8", "the width that was asked for"
    assert lines[-1] == f"wrote {out}: 12 rows, 4 of compositionality"
    assert result.stdout.count("SimpPoly5 -> SimpPoly10") == 4

    scoring = ("semvec", "score", str(out), "--data", str(packed), "--join", "--json")
    rows = json.loads(run(*scoring, without=ABSENT).stdout)
    assert [row["seed"] for row in rows[:9]] == [1, 1, 1, 2, 2, 2, *[[1, 2]] * 3]


def test_data_can_be_made_anew_and_a_warm_up_left_out(tmp_path: Path) -> None:
    options = ("--data", "regenerated", "--out", str(tmp_path), *TINY, "--warmup-steps", "0")
    result = run("semvec", "train", "SimpBoolL5:SemEmb", *options, "--recipe", "paper", "--json")
    assert result.code == 0, result.stderr
    assert {row["data"] for row in json.loads(result.stdout)} == {"regenerated"}


def test_without_torch_the_extra_is_named(data: Path) -> None:
    arguments = ("semvec", "train", "SimpPoly5:SemEmb", "--data", str(data), "--out", "x")
    result = run(*arguments, without=("torch",))
    sentence = "this needs torch, the extra `train`: pip install 'equivec[train]'\n"
    assert (result.code, result.stderr) == (2, sentence)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["train", "Bool9:SemEmb", "--data", "x", "--out", "y"], "'Bool9' is not a SemVec dataset"),
        (["train", "Bool5:Sem", "--data", "x", "--out", "y"], "'Sem' in 'Bool5:Sem' is not a sett"),
        (["train", "Bool5:SemEmb", "--data", "nowhere", "--out", "y"], "nowhere does not exist; "),
        (["train", "Bool5:SemEmb", "--data", "x"], "give either --out, the folder for the results"),
        (
            ["train", "Bool5:SemEmb", "--data", "x", "--out", "y", "--temperature", "0"],
            "temperature must be positive and finite, not 0",
        ),
        (["score", "nowhere", "--data", "x"], "nowhere has no weights-0.npz; train with --weights"),
    ],
)
def test_mistakes_end_in_a_sentence(arguments: list[str], message: str) -> None:
    result = run("semvec", *arguments)
    assert result.code == 2
    assert result.stderr.splitlines()[-1].startswith(message)
    assert "Traceback" not in result.stderr


def test_single_options_change_the_recipe() -> None:
    from equivec.cli.semvec import _config
    from equivec.model.semvec_settings import RECIPES

    changes = {"learning_rate": 0.5, "steps": None, "warmup_steps": 0}
    config = _config("paper", changes, runs=("Bool5:SemEmb",))
    assert config.training == replace(RECIPES["paper"], learning_rate=0.5)
