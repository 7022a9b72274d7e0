"""What a model writes for a file of expressions, as JSON lines: judging it is another step.

It is written in parts, so that a killed run goes on where it was.
"""

from __future__ import annotations

import json
import shutil
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from equivec.embed.runtime import model_folder
from equivec.errors import ConfigError, FileFormatError
from equivec.expression.completion import TokenTable
from equivec.expression.files import read_expressions
from equivec.expression.grammar import ELEMENTARY
from equivec.expression.prefix import write_prefix
from equivec.model.decoding import search
from equivec.model.devices import check_device
from equivec.model.files import CONFIG, VOCABULARY, weights_file
from equivec.model.folder import load_model
from equivec.storage.checksums import checksum
from equivec.storage.files import check_place, parts_folder, write_text, written_whole

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from equivec.model.beams import BeamConfig, Hypothesis
    from equivec.model.folder import Model


_INPUTS_PER_PART = 512  # or as many as are searched for at once


def generate(
    model: str | Path, inputs: str | Path, out: str | Path, config: BeamConfig, device: str
) -> Iterator[tuple[int, int]]:
    """Write a line for each prefix text of a file; yields how many of how many are done.

    The model is a folder or a bundled one's name. A line has the input, and for each hypothesis,
    best first, its prefix text, its log-probability, and whether it came to an end.
    """
    check_device(device)
    inputs, out, folder = Path(inputs), Path(out), model_folder(model)
    check_place(out, inputs)
    loaded = load_model(folder, device)
    most = loaded.network.config.max_tokens
    if config.max_tokens > most:
        raise ConfigError(f"max_tokens is {config.max_tokens}; this model writes up to {most}")
    texts = _read(inputs, most)
    parts = parts_folder(out, **_work(folder, texts), how=f"{device} {config}")
    size = max(_INPUTS_PER_PART, config.rows // config.beams)
    paths = {start: parts / f"{start:08d}.jsonl" for start in range(0, len(texts), size)}
    for start, path in paths.items():
        some = texts[start : start + size]
        if not path.exists():
            yield start, len(texts)
            for done in _write_part(path, loaded, some, config):
                yield start + done, len(texts)
    with written_whole(out) as file:
        for path in paths.values():
            file.write(path.read_text(encoding="utf-8"))
    shutil.rmtree(parts)


def _work(folder: Path, texts: Sequence[str]) -> dict[str, str]:
    """What is written of, and by which model."""
    files = (folder / CONFIG, folder / VOCABULARY, weights_file(folder))
    text = "\n".join(texts)  # as it was read: a pipe can be read only once
    return {
        "input": sha256(text.encode()).hexdigest(),
        "model": " ".join(map(checksum, files)),
    }


def _write_part(
    path: Path, model: Model, texts: Sequence[str], config: BeamConfig
) -> Iterator[int]:
    """Write the lines of some inputs; yields how many are done."""
    ids = [model.vocabulary.encode(text.split()) for text in texts]
    # Items of like lengths end their searches together.
    order = sorted(range(len(ids)), key=lambda place: len(ids[place]))
    table = TokenTable.of(model.vocabulary, ELEMENTARY)
    lines: dict[int, str] = {}
    places = iter(order)
    for found in search(model.network, [ids[place] for place in order], table, config):
        for hypotheses in found:
            place = next(places)
            outputs = [_output(model, one) for one in hypotheses]
            lines[place] = json.dumps({"input": texts[place], "outputs": outputs})
        yield len(lines)
    write_text(path, "".join(f"{lines[place]}\n" for place in range(len(texts))))


def _read(path: str | Path, most: int) -> list[str]:
    """The prefix texts of a file, each an expression of at most so many tokens."""
    texts = [write_prefix(tree) for tree in read_expressions(path)]
    if not texts:
        raise FileFormatError(f"{path} has no expressions")
    for number, text in enumerate(texts, 1):
        if (length := len(text.split())) > most:
            raise FileFormatError(
                f"{path}, line {number}: the expression has {length} tokens; this model reads up "
                f"to {most}"
            )
    return texts


def _output(model: Model, found: Hypothesis) -> tuple[str, float, bool]:
    text = " ".join(model.vocabulary.decode(found.ids))
    return text, round(found.log_probability, 4), found.is_finished
