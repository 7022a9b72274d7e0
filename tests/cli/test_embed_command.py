"""`equivec embed`: one expression to stdout, a file of them to a file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from equivec.embed import Embedder
from support.command import run

ENCODER_ALONE = Path(__file__).parents[2] / "models" / "SemEmb"


def test_an_expression_may_be_longer_than_the_name_of_a_file() -> None:
    result = run("embed", "+".join(["x"] * 200))
    assert result.code == 2
    assert result.stderr == f"'{'x + ' * 10}…' has 399 tokens; this model reads up to 256\n"


def test_a_place_that_cannot_be_written_to_is_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "texts.txt"
    path.write_text("x\n", encoding="utf-8")
    result = run("embed", str(path), "-o", "/proc/nowhere/vectors.npy")
    assert result.code == 2
    assert result.stderr == "/proc/nowhere: No such file or directory\n"


def test_the_last_line_says_how_many_lines_were_skipped(tmp_path: Path) -> None:
    path, out = tmp_path / "texts.txt", tmp_path / "vectors.npy"
    path.write_text("x\nsin(\n\nx + 1\n", encoding="utf-8")
    result = run("embed", str(path), "-o", str(out), "--on-error", "skip")
    assert (result.code, result.stderr) == (0, f"wrote {out}; skipped 2 lines\n")


def test_a_file_that_is_not_there_is_not_taken_for_an_expression(tmp_path: Path) -> None:
    result = run("embed", "x", "-o", str(tmp_path / "vectors.npy"))
    assert (result.code, result.stdout) == (2, "")
    assert result.stderr == "there is no file x; -o is for the vectors of a file\n"


@pytest.mark.skipif(not ENCODER_ALONE.is_dir(), reason="models are not in the source archive")
def test_the_similarity_of_an_encoder_alone_is_had_in_eight_bits() -> None:
    pair = ("similarity", "sin(x)/cos(x)", "tan(x)", "--model", str(ENCODER_ALONE))
    refused = run(*pair, "--precision", "fp32")
    assert (refused.code, refused.stdout) == (2, "")
    assert "use it with precision uint8" in refused.stderr
    found = run(*pair, "--json")
    assert found.code == 0, found.stderr
    expected = Embedder(ENCODER_ALONE, precision="uint8").similarity(*pair[1:3])
    assert json.loads(found.stdout) == {
        "model": "SemEmb",
        "similarity": pytest.approx(expected, abs=1e-5),
    }
