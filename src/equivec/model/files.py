"""The files of a model folder, for those who write it and for those who read it without torch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from equivec.errors import ConfigError, FileFormatError
from equivec.storage.checksums import check_listed, remembered_checksum, write_checksums
from equivec.storage.files import read_json

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
# All that a model's numbers depend on; each has its checksum in the folder's list.
_LISTED = (CONFIG, VOCABULARY, WEIGHTS, ENCODER, QUANTISED, BRIDGE, DECODER)
_WHOLE_NUMBERS = ("vocabulary_size", "width", "feed_forward", "layers", "heads", "max_tokens")


def read_config(folder: Path) -> dict[str, Any]:
    """The settings of a model folder."""
    if not (folder / CONFIG).is_file():
        raise FileFormatError(f"{folder} is not a model folder: it has no {CONFIG}")
    check_listed(folder, CONFIG)
    config = read_json(folder / CONFIG)
    if not isinstance(config, dict) or config.get("format") != FORMAT:
        raise FileFormatError(f"{folder / CONFIG} is not of format {FORMAT}")
    shape = config.get("transformer")
    for name in _WHOLE_NUMBERS:
        if not isinstance(shape, dict) or not isinstance(shape.get(name), int):
            raise FileFormatError(f"{folder / CONFIG} has no whole number for {name}")
    if not isinstance(shape, dict) or not isinstance(shape.get("pooling"), str):
        raise FileFormatError(f"{folder / CONFIG} has no pooling")
    return config


def check_target(out: Path, source: Path | None = None) -> None:
    """Refuse to write a model over the one it is made from, or over what is no model."""
    if source is not None and source.resolve().is_relative_to(out.resolve()):
        raise ConfigError(f"{out} is or holds the model itself; name another folder for the copy")
    if out.is_dir():
        is_free = (out / CONFIG).is_file() or not any(out.iterdir())
    else:
        is_free = not out.exists()
    if not is_free:
        raise FileFormatError(f"{out} holds other things than a model; name another folder")


def list_checksums(folder: Path) -> None:
    """Write down the checksums of a model's files as they are, so that damage is seen."""
    write_checksums(folder, _LISTED)


def is_encoder_alone(folder: Path) -> bool:
    """Whether a model folder has an encoder in eight bits and nothing else of the network."""
    return not any((folder / name).is_file() for name in (WEIGHTS, ENCODER, BRIDGE, DECODER))


def model_checksum(folder: Path, pooling: str = "") -> str:
    """The SHA-256 of the files that vectors depend on, and of a pooling that is not the own."""
    files = (folder / name for name in (VOCABULARY, ENCODER, QUANTISED, WEIGHTS))
    return remembered_checksum(*(path for path in files if path.is_file()), more=pooling)


def weights_file(folder: Path) -> Path:
    """Where a model folder keeps its weights, those of an encoder alone in eight bits."""
    return folder / (QUANTISED if is_encoder_alone(folder) else WEIGHTS)


def read_tokens(folder: Path) -> tuple[str, ...]:
    """The tokens of a model's vocabulary, in the order of their ids."""
    check_listed(folder, VOCABULARY)
    tokens = read_json(folder / VOCABULARY)
    if not isinstance(tokens, list) or not all(isinstance(token, str) for token in tokens):
        raise FileFormatError(f"{folder / VOCABULARY} is not a list of tokens")
    return tuple(tokens)
