"""`equivec semvec`: a tiny training and its scores, as a user would type it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from equivec.semvec.dataset import semvec_spec
from equivec.semvec.enumeration import enumerate_semvec
from support.command import run

if TYPE_CHECKING:
    from pathlib import Path

TINY = "--set layers=1 --set width=8 --set steps=2 --set batch_size=4".split()
# What a machine that only trains does not have.
ABSENT = ("flint", "faiss", "pyarrow", "ray", "matplotlib")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two small datasets in a packed file, the larger one cut down."""
    from equivec.semvec.packing import pack_semvec

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
    packing = ("semvec", "train", "fast", *runs, "--data", str(data), "--pack", str(packed))
    result = run(*packing, without=ABSENT)
    assert result.code == 0, result.stderr
    assert "SimpPoly5_SimpPoly5_6-7: " in result.stderr
    assert f"wrote {packed}: " in result.stderr

    options = ("--data", str(packed), "--out", str(out), *TINY, "--weights")
    result = run("semvec", "train", "fast", *runs, *options, without=ABSENT)
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
    out = str(tmp_path / "out")
    options = ("--data", "regenerated", "-o", out, *TINY, "--set", "warmup_steps=0")
    result = run("semvec", "train", "paper", "SimpBoolL5:SemEmb", *options, "--json")
    assert result.code == 0, result.stderr
    assert {row["data"] for row in json.loads(result.stdout)} == {"regenerated"}


def test_without_torch_the_extra_is_named(data: Path) -> None:
    arguments = ("semvec", "train", "fast", "SimpPoly5:SemEmb", "--data", str(data), "--out", "x")
    result = run(*arguments, without=("torch",))
    sentence = "this needs torch, the extra `train`: pip install 'equivec[train]'\n"
    assert (result.code, result.stderr) == (2, sentence)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("train paper Bool9:SemEmb --data x -o y", "'Bool9' is not a SemVec dataset"),
        ("train paper Bool5:Sem --data x -o y", "'Sem' in 'Bool5:Sem' is not a setting"),
        ("train paper Bool5:SemEmb --data nowhere -o y", "nowhere does not exist; "),
        ("train paper Bool5:SemEmb --data x", "give either --out, the folder for the results"),
        ("train paper Bool5:SemEmb --data x -o y --set temperature=0", "temperature must be posit"),
        ("train papr Bool5:SemEmb --data x -o y", "'papr' is no bundled recipe (fast, paper) and"),
        ("train fast Bool5:SemEmb --data x -o y", "nothing ends this training; set its steps"),
        ("score nowhere --data x", "nowhere has no weights-0.npz; train with --weights"),
    ],
)
def test_mistakes_end_in_a_sentence(arguments: str, message: str) -> None:
    result = run("semvec", *arguments.split())
    assert result.code == 2
    assert result.stderr.splitlines()[-1].startswith(message)
    assert "Traceback" not in result.stderr
