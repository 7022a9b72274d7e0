"""A training run: its folder, its resumption, and several processes that are as one."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import numpy as np
import pytest
import torch
from typer.testing import CliRunner

from equivec.cli.main import app
from equivec.corpus.export import export_arrays
from equivec.corpus.records import Row, to_table
from equivec.corpus.splitting import TRAIN
from equivec.corpus.store import Corpus, write_corpus
from equivec.errors import EquivecError, FileFormatError
from equivec.model.folder import load_encoder, load_model
from equivec.model.onnx_export import export_encoder
from equivec.pipeline.training import Recipe
from equivec.storage.checksums import CHECKSUMS
from equivec.storage.files import write_json
from support.models import tiny_analogies, tiny_clusters

if TYPE_CHECKING:
    from pathlib import Path

CHANGES = (
    "is_compiled=false precision=fp32 width=32 layers=1 heads=2 warmup_steps=1 dropout=0"
).split()
SMALL = ["--device", "cpu", *(part for change in CHANGES for part in ("--set", change))]


def setting(*changes: str) -> list[str]:
    """The options that change settings."""
    return [part for change in changes for part in ("--set", change)]


@pytest.fixture
def arrays(tmp_path: Path) -> Path:
    path = tmp_path / "arrays.npz"
    np.savez(path, **vars(tiny_clusters()))
    return path


@pytest.fixture
def analogies(tmp_path: Path) -> Path:
    path = tmp_path / "analogies.npz"
    np.savez(path, **vars(tiny_analogies()))
    return path


def arguments_of(corpus: str | Path, out: str | Path, *options: str | Path) -> list[str]:
    return ["train", "fast", str(corpus), "-o", str(out), *SMALL, *map(str, options)]


def command(corpus: str | Path, out: str | Path, *options: str | Path) -> list[str]:
    return [sys.executable, "-m", "equivec", *arguments_of(corpus, out, *options)]


def losses(run: Path) -> list[float]:
    lines = (run / "metrics.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line)["loss"] for line in lines]


def environment(**more: str) -> dict[str, str]:
    return {**os.environ, **more}


def in_two_processes(arguments: list[str]) -> list[int]:
    """The exit codes of a command that two processes run together, as `torchrun` starts them."""
    # They meet at a store of ours, as at that of `torchrun`: its port is free and stays taken.
    store = torch.distributed.TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False)
    shared = {
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": str(store.port),
        "WORLD_SIZE": "2",
        "TORCHELASTIC_USE_AGENT_STORE": "True",
        "TORCHELASTIC_RESTART_COUNT": "0",
    }
    workers = [
        subprocess.Popen(arguments, env=environment(RANK=rank, LOCAL_RANK=rank, **shared))
        for rank in ("0", "1")
    ]
    try:
        return [worker.wait(timeout=120) for worker in workers]
    finally:
        for worker in workers:
            worker.kill()
            worker.wait()


def test_a_run_ends_in_a_model_that_loads(arrays: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    options = [*setting("steps=3"), "--validation", str(arrays)]
    result = CliRunner().invoke(app, arguments_of(arrays, out, *options))
    assert result.exit_code == 0, result.output
    model = load_model(out / "model")
    assert model.network.config.width == 32
    assert model.facts["training"]["steps"] == 3
    assert (out / "settings.json").exists()
    assert Recipe.read(str(out / "recipe.toml")) == Recipe.read("fast", [*CHANGES, "steps=3"])
    assert losses(out)


def test_the_card_of_a_model_has_data_recipe_and_validation(arrays: Path, tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path / "corpus", "mul INT+ 2 x", "add x x")
    options = [*setting("steps=7", "batch_size=4", "contrast=0.5"), *"--share 3 --share 1".split()]
    card = card_of(tmp_path / "one", corpus, arrays, options=options)
    assert "| corpus | 0.75 | 1 | 2 |\n| arrays.npz | 0.25 | 6 | 15 |\n" in card
    assert "7 steps of 4 pairs" in card
    assert "weight 1 of the sequence loss and 0.5 of the contrastive loss" in card
    assert "There was no validation." in card
    options = [*setting("validation_every=none", "batch_size=2", "steps=4"), "--validation", arrays]
    card = card_of(tmp_path / "two", corpus, options=options)
    assert "lowest validation loss was" in card
    assert "on 6 clusters of arrays.npz" in card


def test_a_run_begins_with_the_weights_of_a_model(arrays: Path, tmp_path: Path) -> None:
    options = setting("learning_rate=1e-12", "steps=1", "batch_size=4")
    card_of(tmp_path / "first", arrays, options=setting("steps=9", "batch_size=4"))
    start = ["--start", str(tmp_path / "first" / "model")]
    card = card_of(tmp_path / "second", arrays, options=[*options, *start])
    assert "; begun with the weights of `model`; 1 steps" in card
    options += setting("is_encoder_frozen=true", "single_state_fraction=0.5")
    card = card_of(tmp_path / "third", arrays, options=[*options, *start])
    assert "; 0.5 of the pairs decoded from one encoder state alone; begun with" in card
    assert "weights of `model`, whose encoder stayed as it was; 1 steps" in card
    first, second = (load_model(tmp_path / name / "model") for name in ("first", "second"))
    for name, value in first.network.state_dict().items():
        torch.testing.assert_close(value, second.network.state_dict()[name])


def test_however_little_time_there_is_a_step_is_taken(arrays: Path, tmp_path: Path) -> None:
    options = ["--seconds", "1e-9", *setting("batch_size=4")]
    card = card_of(tmp_path / "run", arrays, options=options)
    assert "; 1 steps of 4 pairs" in card


def test_an_encoder_that_is_alone_is_given_a_decoder(arrays: Path, tmp_path: Path) -> None:
    card_of(tmp_path / "whole", arrays, options=setting("steps=2", "batch_size=4"))
    export_encoder(tmp_path / "whole" / "model", tmp_path / "alone")
    options = setting("steps=2", "batch_size=4", "is_encoder_frozen=true")
    options += ["--start", str(tmp_path / "alone")]
    card = card_of(tmp_path / "one", arrays, options=options)
    start = (
        "begun with the weights of `alone`, an encoder in eight bits alone, whose encoder stayed"
    )
    assert start in card
    card_of(tmp_path / "other", arrays, options=options)
    alone = load_encoder(tmp_path / "alone").network.state_dict()
    one, other = (load_model(tmp_path / name / "model").network for name in ("one", "other"))
    for name, value in one.state_dict().items():
        assert torch.equal(value, other.state_dict()[name]), name
        assert torch.equal(value, alone[name]) != name.startswith(("decoder", "output")), name


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ("--start default", "default has width 256, the network to be trained 32; start"),
        ("--start nowhere", "'nowhere' is neither a model folder nor a bundled model"),
        ("--set contrast=1 --set analogy=1", "a weight of analogies needs a file of them"),
        ("--set contrast=1 --analogies {}", "a weight of analogies needs a file of them"),
        ("--set analogy=1 --analogies {}", "analogy only matter with a contrastive loss"),
        ("--set contrast=1 --set analogy=1 --analogies {0}/none", "none holds no training arrays"),
    ],
)
def test_what_cannot_be_learnt_is_refused_before_anything_is_written(
    options: str, sentence: str, arrays: Path, analogies: Path, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    arguments = arguments_of(arrays, out, *options.format(analogies).split())
    with pytest.raises(EquivecError, match=sentence):
        CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert not out.exists()


def card_of(out: Path, *corpora: Path, options: list[str]) -> str:
    arguments = ["train", "fast", *map(str, corpora), "-o", str(out), *SMALL, *options]
    result = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return (out / "model" / "README.md").read_text(encoding="utf-8")


# The command, which kills itself as kill -9 does when its third checkpoint is written.
KILLED = """
import os, signal
from equivec.cli.main import main
from equivec.pipeline import runs
save, left = runs.save_checkpoint, [3]
def save_and_die(*arguments):
    save(*arguments)
    left[0] -= 1
    if not left[0]:
        os.kill(os.getpid(), signal.SIGKILL)
runs.save_checkpoint = save_and_die
main()
"""


def test_a_killed_run_resumes_to_the_same_weights(arrays: Path, tmp_path: Path) -> None:
    steady, killed = tmp_path / "steady", tmp_path / "killed"
    options = setting("steps=60", "batch_size=4")
    subprocess.run(command(arrays, steady, *options), check=True, env=environment())
    often = ("--checkpoint-seconds", "0")
    arguments = arguments_of(arrays, killed, *options, *often)
    ended = subprocess.run([sys.executable, "-c", KILLED, *arguments], check=False)
    assert ended.returncode == -signal.SIGKILL
    assert not (killed / "model").exists()
    subprocess.run(command(arrays, killed, *options, "--resume"), check=True, env=environment())
    for name, value in load_model(steady / "model").network.state_dict().items():
        assert torch.equal(value, load_model(killed / "model").network.state_dict()[name]), name


def test_a_resumed_run_sweeps_its_folder_and_has_every_step_once_in_its_metrics(
    arrays: Path, tmp_path: Path
) -> None:
    out, run = tmp_path / "run", CliRunner()
    start = arguments_of(arrays, out, *setting("steps=3"), "--report-every", "1")
    assert run.invoke(app, start).exit_code == 0
    metrics = out / "metrics.jsonl"
    before = metrics.read_text(encoding="utf-8")
    with metrics.open("a", encoding="utf-8") as file:  # after the last checkpoint, then kill -9
        file.write(before.splitlines()[-1].replace('"step": 3', '"step": 4') + '\n{"step": 5, "pro')
    (out / ".partial.7.model").mkdir()
    (out / ".partial.7.model" / "config.json").touch()
    (out / ".partial.7.checkpoint.safetensors").touch()
    assert run.invoke(app, [*start, "--resume"]).exit_code == 0
    assert not list(out.glob(".partial.*"))
    assert metrics.read_text(encoding="utf-8") == before
    assert [json.loads(line)["step"] for line in before.splitlines()] == [1, 2, 3]


def test_two_processes_are_one_with_the_doubled_batch(
    arrays: Path, analogies: Path, tmp_path: Path
) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    options = (
        *("--report-every", "1", "--analogies", analogies),
        *setting("steps=5", "contrast=0.5", "mutants=all", "renamed_fraction=0.3", "analogy=0.5"),
    )
    subprocess.run(
        command(arrays, one, *options, *setting("batch_size=16")), check=True, env=environment()
    )
    assert in_two_processes(command(arrays, two, *options, *setting("batch_size=8"))) == [0, 0]
    assert losses(two) == pytest.approx(losses(one), rel=1e-4)
    assert len(losses(one)) == 5


# The command, which says at its end what its steps were told, what became of the weights, and which
# threads still listen to other processes: one that lets go of what it heard while the interpreter
# ends aborts it. Its clock advances by a second whenever it is looked at; that of the second
# process by ten. No trainer is kept, since it holds the group.
CLOCKED = """
import hashlib, itertools, os, pathlib, sys, types
from equivec.cli.main import app
from equivec.model.training import Trainer
from equivec.pipeline import runs
seconds = itertools.count(0, 1 if os.environ["RANK"] == "0" else 10)
runs.time = types.SimpleNamespace(monotonic=lambda: float(next(seconds)))
told, weights, step = [], [], Trainer.step
def noting_step(trainer, progress):
    losses = step(trainer, progress)
    told.append(progress)
    weights[:] = [part.numpy().tobytes() for part in trainer.objective.state_dict().values()]
    return losses
Trainer.step = noting_step
app(standalone_mode=False)
mark = hashlib.sha256(b"".join(weights)).hexdigest()
names = (path.read_text().strip() for path in pathlib.Path("/proc/self/task").glob("*/comm"))
listening = [name for name in names if "gloo" in name]
print(told, mark, listening, file=open(sys.argv[5] + os.environ["RANK"], "w"))
"""


def test_processes_go_by_one_clock(arrays: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    arguments = arguments_of(arrays, out, "--seconds", "40", *setting("batch_size=4"))
    assert in_two_processes([sys.executable, "-c", CLOCKED, *arguments]) == [0, 0]
    first, second = (tmp_path.joinpath(f"run{rank}").read_text() for rank in range(2))
    assert first == second
    assert first.count(",") > 1
    assert first.endswith(" []\n"), "threads still listen"


def test_a_refused_start_is_a_sentence_in_every_process(arrays: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    out.mkdir()
    (out / "settings.json").write_text("{}", encoding="utf-8")  # a run that is not to be resumed
    assert in_two_processes(command(arrays, out, *setting("steps=2"))) == [2, 2]


def test_another_setting_cannot_resume_a_run(arrays: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    run = CliRunner()
    start = arguments_of(arrays, out, *setting("steps=2"))
    assert run.invoke(app, start).exit_code == 0
    with pytest.raises(FileFormatError, match="holds a run already; continue it with --resume"):
        run.invoke(app, start, catch_exceptions=False)
    with pytest.raises(FileFormatError, match=r"begun with other settings \(seed\)"):
        run.invoke(app, [*start, "--resume", *setting("seed=7")], catch_exceptions=False)
    (out / "settings.json").write_text("[]", encoding="utf-8")
    with pytest.raises(FileFormatError, match=r"settings\.json holds no settings of a run"):
        run.invoke(app, [*start, "--resume"], catch_exceptions=False)


def test_a_paused_run_goes_on_to_the_same_losses(arrays: Path, tmp_path: Path) -> None:
    run, options = CliRunner(), [*setting("steps=4", "batch_size=4"), "--report-every", "1"]
    assert run.invoke(app, arguments_of(arrays, tmp_path / "whole", *options)).exit_code == 0
    out = tmp_path / "paused"
    start = arguments_of(arrays, out, *options)
    paused = run.invoke(app, [*start, "--pause-after", "1e-9"])
    assert f"paused; --resume continues the run in {out}" in paused.stderr
    assert not (out / "model").exists()
    assert run.invoke(app, [*start, "--resume"]).exit_code == 0
    assert losses(out) == losses(tmp_path / "whole")
    assert len(losses(out)) == 4


def corpus_of(folder: Path, *texts: str) -> Path:
    """A corpus of one cluster."""
    rows = [Row(0, text, 0, "rules", "", True, TRAIN) for text in texts]
    write_corpus(folder, to_table(rows), {})
    return folder


def test_another_corpus_cannot_resume_a_run(tmp_path: Path) -> None:
    first = corpus_of(tmp_path / "first", "mul INT+ 2 x", "add x x")
    other = corpus_of(tmp_path / "other", "mul INT+ 3 x", "add x add x x")
    out, run = tmp_path / "run", CliRunner()
    options = setting("steps=2")
    assert run.invoke(app, arguments_of(first, out, *options)).exit_code == 0
    with pytest.raises(FileFormatError, match="begun with other training data; name those of"):
        run.invoke(app, arguments_of(other, out, *options, "--resume"), catch_exceptions=False)
    moved = first.rename(tmp_path / "moved")
    assert run.invoke(app, arguments_of(moved, out, *options, "--resume")).exit_code == 0


def test_a_run_is_resumed_by_as_many_processes_and_no_data_changes_places(
    arrays: Path, tmp_path: Path
) -> None:
    corpus = corpus_of(tmp_path / "corpus", "mul INT+ 2 x", "add x x")
    other, out, run = tmp_path / "other.npz", tmp_path / "run", CliRunner()
    export_arrays(Corpus.open(corpus), other)
    options = [*setting("steps=2"), "--validation"]
    assert run.invoke(app, arguments_of(arrays, out, *options, other)).exit_code == 0
    swapped = arguments_of(other, out, *options, arrays, "--resume")
    with pytest.raises(FileFormatError, match="begun with other training data"):
        run.invoke(app, swapped, catch_exceptions=False)
    settings = json.loads((out / "settings.json").read_text(encoding="utf-8"))
    write_json(out / "settings.json", {**settings, "processes": 2})
    again = arguments_of(arrays, out, *options, other, "--resume")
    with pytest.raises(FileFormatError, match=r"begun with other settings \(processes\)"):
        run.invoke(app, again, catch_exceptions=False)


@pytest.mark.parametrize(
    ("mistake", "sentence"),
    [
        (["--set", "steps=0"], "steps must be at least 1, not 0"),
        (["--validation", "{broken}"], "broken.npz holds no training arrays"),
    ],
)
def test_a_failed_start_leaves_nothing_behind(
    mistake: list[str], sentence: str, tmp_path: Path
) -> None:
    corpus = corpus_of(tmp_path / "corpus", "mul INT+ 2 x", "add x x")
    broken, out, run = tmp_path / "broken.npz", tmp_path / "run", CliRunner()
    broken.write_text("no archive", encoding="utf-8")
    start = arguments_of(corpus, out, *setting("steps=2"))
    wrong = [*start, *(part.format(broken=broken) for part in mistake)]
    with pytest.raises(EquivecError, match=sentence):
        run.invoke(app, wrong, catch_exceptions=False)
    assert not out.exists()
    assert run.invoke(app, start).exit_code == 0


ENORMOUS = json.dumps(
    {
        "format": 1,
        "transformer": {
            **dict.fromkeys(("vocabulary_size", "feed_forward", "layers", "heads"), 8),
            "width": 2**40,
            "max_tokens": 256,
            "pooling": "max",
        },
    }
)


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("config.json", None, "is not a model folder: it has no config.json"),
        ("config.json", "{", "is not JSON"),
        ("config.json", '{"format": 9}', "is not of format 1"),
        ("config.json", '{"format": 1, "transformer": []}', "has no whole number for vocabulary_"),
        (
            "config.json",
            '{"format": 1, "transformer": {"vocabulary_size": 66, "width": "a"}}',
            "config.json has no whole number for width",
        ),
        ("config.json", ENORMOUS, "is not a model that can be loaded: .* memory"),
        ("vocabulary.json", "3", "vocabulary.json is not a list of tokens"),
        ("vocabulary.json", "[3]", "vocabulary.json is not a list of tokens"),
        ("model.safetensors", None, "has no model.safetensors: an encoder alone gives vectors but"),
        ("model.safetensors", "cut", "is not a model that can be loaded"),
        ("vocabulary.json", '["PAD"]', "has 1 tokens, the network 66"),
    ],
)
def test_a_damaged_model_is_refused_with_a_sentence(
    arrays: Path, tmp_path: Path, name: str, content: str | None, sentence: str
) -> None:
    out = tmp_path / "run"
    CliRunner().invoke(app, arguments_of(arrays, out, *setting("steps=1")))
    path = out / "model" / name
    path.unlink()
    if content is not None:
        path.write_text(content, encoding="utf-8")
        with pytest.raises(FileFormatError, match=rf"{name} is damaged: its checksum is not the"):
            load_model(out / "model")
    (out / "model" / CHECKSUMS).unlink()  # as folders were before they had any
    with pytest.raises(FileFormatError, match=sentence):
        load_model(out / "model")
