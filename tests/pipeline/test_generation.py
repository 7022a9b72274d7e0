"""What a model writes for a file: in parts, so that a stop costs little; not over its input."""

from __future__ import annotations

import json
import os
import threading
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from equivec.errors import FileFormatError
from equivec.model.beams import BeamConfig
from equivec.model.files import list_checksums
from equivec.pipeline import generation
from equivec.pipeline.generation import generate
from support.models import model_folder_of, tiny_network

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from equivec.model.network import Transformer

CONFIG = BeamConfig(beams=2, max_tokens=6, rows=4)
TEXTS = ["x", "sin x", "add x INT+ 1", "cos x", "mul x x", "tan x", "exp x", "pow x INT+ 2", "ln x"]


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return model_folder_of(tiny_network(), tmp_path / "model")


def write_inputs(path: Path, texts: list[str]) -> Path:
    path.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    return path


def test_a_stopped_run_goes_on_and_writes_the_same(
    tmp_path: Path, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(generation, "_INPUTS_PER_PART", 4)
    inputs = write_inputs(tmp_path / "inputs.txt", TEXTS)
    whole, out = tmp_path / "whole.jsonl", tmp_path / "out.jsonl"
    progress = list(generate(model, inputs, whole, CONFIG, "cpu"))
    assert progress == sorted(progress)
    assert progress[-1] == (9, 9)
    stopped = generate(model, inputs, out, CONFIG, "cpu")
    while next(stopped)[0] < 6:
        pass
    stopped.close()
    assert not out.exists()
    searched = []
    search = generation.search

    def noting_search(network: Transformer, ids: list[list[int]], *rest: object) -> object:
        searched.append(len(ids))
        return search(network, ids, *rest)

    monkeypatch.setattr(generation, "search", noting_search)
    first, *_ = generate(model, inputs, out, CONFIG, "cpu")
    assert first == (4, 9)  # of the part that was there
    assert searched == [4, 1]
    assert out.read_bytes() == whole.read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        *("inputs.txt", "model", "out.jsonl", "whole.jsonl")
    ]


@pytest.mark.parametrize("change", ["inputs", "length", "weights", "shape", "damage"])
def test_parts_of_other_work_are_not_gone_on_with(
    change: str, tmp_path: Path, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(generation, "_INPUTS_PER_PART", 4)
    inputs, out = write_inputs(tmp_path / "inputs.txt", TEXTS), tmp_path / "out.jsonl"
    stopped = generate(model, inputs, out, CONFIG, "cpu")
    while next(stopped)[0] < 6:
        pass
    stopped.close()
    config = CONFIG
    if change == "inputs":
        write_inputs(inputs, TEXTS[::-1])
    elif change == "length":
        config = replace(CONFIG, max_tokens=5)
    elif change == "weights":
        model = model_folder_of(tiny_network(seed=2), tmp_path / "other")
    elif change == "shape":
        path = model / "config.json"
        settings = json.loads(path.read_text())
        settings["transformer"]["heads"] *= 2
        path.write_text(json.dumps(settings))
        list_checksums(model)
    else:
        (tmp_path / ".out.jsonl.parts" / "work.json").write_text("")
    assert next(generate(model, inputs, out, config, "cpu")) == (0, 9)


def test_what_comes_through_a_pipe_is_told_by_what_it_was(
    tmp_path: Path, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(generation, "_INPUTS_PER_PART", 4)
    pipe, out = tmp_path / "pipe", tmp_path / "out.jsonl"
    os.mkfifo(pipe)

    def generating(texts: list[str]) -> Iterator[tuple[int, int]]:
        threading.Thread(target=write_inputs, args=(pipe, texts), daemon=True).start()
        return generate(model, pipe, out, CONFIG, "cpu")

    stopped = generating(TEXTS)
    while next(stopped)[0] < 6:
        pass
    stopped.close()
    list(generating(TEXTS[::-1]))
    lines = out.read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["input"] for line in lines] == TEXTS[::-1]


def test_nothing_is_written_over_its_input(tmp_path: Path, model: Path) -> None:
    inputs = write_inputs(tmp_path / "inputs.txt", TEXTS)
    before = inputs.read_bytes()
    with pytest.raises(FileFormatError, match=r"inputs.txt is what is read; name another file"):
        list(generate(model, inputs, inputs, CONFIG, "cpu"))
    assert inputs.read_bytes() == before
