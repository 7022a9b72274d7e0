"""The files of a model folder, for those who write it and for those who read it without torch."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from equivec.errors import FileFormatError
from equivec.expression.files import read_json

if TYPE_CHECKING:
    from pathlib import Path

CONFIG, VOCABULARY, WEIGHTS, CARD = (
    "config.json",
    "vocabulary.json",
    "model.safetensors",
    "README.md",
)
ENCODER, QUANTISED, BRIDGE, DECODER = (
    "encoder.onnx",
    "encoder.uint8.onnx",
    "bridge.onnx",
    "decoder.onnx",
)
FORMAT = 1


def read_config(folder: Path) -> dict[str, Any]:
    """The settings of a model folder."""
    if not (folder / CONFIG).is_file():
        raise FileFormatError(f"{folder} is not a model folder: it has no {CONFIG}")
    config = read_json(folder / CONFIG)
    if not isinstance(config, dict) or config.get("format") != FORMAT:
        raise FileFormatError(f"{folder / CONFIG} is not of format {FORMAT}")
    return config


def read_tokens(folder: Path) -> tuple[str, ...]:
    """The tokens of a model's vocabulary, in the order of their ids."""
    return tuple(read_json(folder / VOCABULARY))


def write_json(path: Path, value: Any) -> None:
    """Write a JSON file for people to read."""
    path.write_text(json.dumps(value, indent=2) + "\n", encoding="utf-8")
