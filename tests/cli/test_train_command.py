"""`equivec train`, `export`, `generate` and `accuracy`: a mistake is one sentence, and no file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
import torch
import typer
from typer.testing import CliRunner

from equivec.cli.main import app
from equivec.cli.train import show_progress
from equivec.errors import EquivecError
from support.command import run
from support.models import model_folder_of, tiny_clusters, tiny_network

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from equivec.pipeline.runs import Progress


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return model_folder_of(tiny_network(max_tokens=20), tmp_path_factory.mktemp("models") / "tiny")


@pytest.fixture
def arrays(tmp_path: Path) -> Path:
    path = tmp_path / "arrays.npz"
    np.savez(path, **vars(tiny_clusters()))
    return path


def test_training_on_arrays_needs_no_judge_and_no_index(arrays: Path, tmp_path: Path) -> None:
    """A machine with a GPU has torch, and not all that a corpus is made with."""
    out = tmp_path / "run"
    changes = "width=32 layers=2 heads=4 steps=1 batch_size=2".split()
    options = [part for change in changes for part in ("--set", change)]
    result = run(
        *("train", "paper", str(arrays), "-o", str(out), "--device", "cpu", *options),
        without=("flint", "faiss", "ray"),
    )
    assert result.code == 0, result.stderr
    assert (out / "model" / "model.safetensors").is_file()


def test_a_stop_by_hand_says_how_to_go_on(capsys: pytest.CaptureFixture[str]) -> None:
    def interrupted() -> Iterator[Progress]:
        raise KeyboardInterrupt
        yield

    with pytest.raises(typer.Exit) as stop:
        show_progress(interrupted())
    assert stop.value.exit_code == 130
    assert capsys.readouterr().err == "stopped; --resume goes on from the last checkpoint\n"


def complaint(*arguments: str | Path) -> str:
    """The sentence in which a command ends."""
    found = CliRunner().invoke(app, [str(argument) for argument in arguments]).exception
    assert isinstance(found, EquivecError), repr(found)
    assert len(str(found).splitlines()) == 1
    return str(found)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ("--set heads=0", "heads must be at least 1, not 0"),
        ("--set layers=0", "layers must be at least 1, not 0"),
        ("--set width=-8", "width must be at least 1, not -8"),
        ("--report-every 0", "report_every must be at least 1, not 0"),
        ("--checkpoint-seconds -1", "checkpoint_seconds must be at least 0, not -1.0"),
        ("--set contrast=-1", "contrast must be a weight of at least 0, not -1.0"),
        ("--set contrast=nan", "contrast must be a weight of at least 0, not nan"),
        ("--set sequence=0", "sequence and contrast are both 0: nothing is learnt; set a weight"),
        ("--set margin=0.1", "mutants, margin and analogy only matter with a contrastive loss"),
        ("--set mutants=all", "mutants, margin and analogy only matter with a contrastive loss"),
        ("--share 0", "every share must be positive, not as in 0.0"),
        ("--share 1 --share 2", "2 shares for 1 corpora; give each one or none"),
        ("--seconds 0", "seconds must be positive, not 0.0"),
        ("--set warmup_steps=-5", "warmup_steps must be at least 0, not -5"),
        ("--set steps=0", "steps must be at least 1, not 0"),
        ("--set batch_size=1", "batch_size must be at least 2, not 1"),
        ("--set renamed_fraction=2", "renamed_fraction must lie in [0, 1], not at 2.0"),
        ("--set single_state_fraction=2", "single_state_fraction must lie in [0, 1], not at 2.0"),
        ("--set is_encoder_frozen=true", "name that model with --start"),
        (
            "--set is_encoder_frozen=true --set contrast=1",
            "a frozen encoder learns nothing",
        ),
        ("--set target_draws=0", "target_draws must be at least 1, not 0"),
        ("--set seed=-1", "seed must lie in [0, 2**32), not at -1"),
        ("--set steps=none", "nothing ends this training; set its steps, or give --seconds"),
        ("--pause-after 0", "pause_after must be positive, not 0.0"),
        ("--device tpu", "'tpu' is not a known device; use cpu or cuda"),
        ("--validation nowhere", "nowhere does not exist; name a corpus or a file of arrays"),
    ],
)
def test_an_impossible_training_is_one_sentence(
    options: str, sentence: str, arrays: Path, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    assert sentence in complaint("train", "paper", arrays, "-o", out, *options.split())
    assert not out.exists()


@pytest.mark.parametrize(
    ("text", "options", "sentence"),
    [
        ("x\nsin", "", "inputs.txt, line 2: "),
        ("x\n\nx", "", "inputs.txt, line 2: "),
        ("", "", "inputs.txt has no expressions"),
        ("x\n" + "sin " * 20 + "x", "", "line 2: the expression has 21 tokens; this model reads"),
        ("x", "--max-tokens 64", "max_tokens is 64; this model writes up to 20"),
        ("x", "--beam-width 0", "beams must be at least 1, not 0"),
        ("x", "--rows 0", "rows must be at least 1, not 0"),
        ("x", "--device tpu", "'tpu' is not a known device; use cpu or cuda"),
    ],
)
def test_an_impossible_generation_is_one_sentence(
    text: str, options: str, sentence: str, model: Path, tmp_path: Path
) -> None:
    inputs, out = tmp_path / "inputs.txt", tmp_path / "out.jsonl"
    inputs.write_text(text, encoding="utf-8")
    arguments = (
        "model",
        "generate",
        model,
        inputs,
        "-o",
        out,
        "--max-tokens",
        "16",
        *options.split(),
    )
    assert sentence in complaint(*arguments)
    assert not out.exists()


def test_a_missing_folder_is_found_before_the_work(model: Path, tmp_path: Path) -> None:
    out = tmp_path / "nowhere" / "out"
    sentence = f"{out} cannot be written: there is no folder {out.parent}"
    never = tmp_path / "never-read"
    about = ("--model-label", "SemEmb", "--set-label", "test", "--decoding-label", "greedy")
    assert complaint("model", "generate", model, never, "-o", out) == sentence
    assert complaint("evaluate", "accuracy", never, *about, "-o", out) == sentence


def test_what_is_judged_is_not_written_over(tmp_path: Path) -> None:
    written = tmp_path / "out.jsonl"
    written.write_text('{"input": "x", "outputs": [["add x INT+ 0", -1.0, true]]}\n')
    about = ("--model-label", "SemEmb", "--set-label", "test", "--decoding-label", "greedy")
    said = complaint("evaluate", "accuracy", written, *about, "-o", written)
    assert said == f"{written} is what is read; name another file for what is written"
    assert written.read_text().startswith('{"input": "x"')


def test_a_bundled_model_is_asked_by_its_name(tmp_path: Path) -> None:
    inputs, out = tmp_path / "inputs.txt", tmp_path / "out.jsonl"
    inputs.write_text("div sin x cos x\n", encoding="utf-8")
    arguments = ["model", "generate", "default", str(inputs), "-o", str(out), "--device", "cpu"]
    assert CliRunner().invoke(app, arguments).exit_code == 0
    assert out.read_text(encoding="utf-8").startswith('{"input": "div sin x cos x", "outputs": [[')


def test_a_gpu_that_is_not_there_is_named(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
    said = complaint(
        "model", "generate", model, tmp_path, "-o", tmp_path / "out", "--device", "cuda:1"
    )
    assert said == "there is no cuda:1: torch sees 1 GPUs"


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (
            "-o out --blend default",
            "a blend needs a model and its fraction: give --blend and --blend-fraction",
        ),
        (
            "-o out --blend-fraction 0.2",
            "a blend needs a model and its fraction: give --blend and --blend-fraction",
        ),
        (
            "-o out --blend default --blend-fraction 1",
            "the fraction of default must lie in (0, 1), not at 1.0",
        ),
        (
            "--blend default --blend-fraction 0.2",
            "a blend needs a folder to write to: name it with --out",
        ),
        (
            "-o out --blend default --blend-fraction 0.2",
            "default has another shape; blend models of the",
        ),
        (
            "-o out --blend default --blend-fraction 0.2 --encoder-only",
            "a blend also has a decoder; write the",
        ),
    ],
)
def test_what_cannot_be_blended_is_refused(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: str, sentence: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert complaint("model", "export", model, *options.split()).startswith(sentence)
    assert not list(tmp_path.iterdir())
