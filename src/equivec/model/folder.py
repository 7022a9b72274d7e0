"""A model is a folder: its shape and its vocabulary as JSON, its weights as safetensors, its card.

Nothing in it is code: loading a model runs none.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING, Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save

from equivec.errors import ConfigError, FileFormatError
from equivec.expression.vocabulary import Vocabulary
from equivec.model.files import (
    CARD,
    CONFIG,
    FORMAT,
    VOCABULARY,
    WEIGHTS,
    check_target,
    list_checksums,
    read_config,
    read_tokens,
    weights_file,
)
from equivec.model.network import Transformer, TransformerConfig
from equivec.storage.checksums import check_listed
from equivec.storage.files import folder_renamed_when_complete, write_json

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from torch import Tensor

_WRITING = ("decoder", "output")  # how the names of weights begin that an encoder does not need

HALF = torch.float16  # enough for weights that were trained in bf16


@dataclass(frozen=True, eq=False)
class Model:
    """A network with the vocabulary that it reads and writes."""

    network: Transformer
    vocabulary: Vocabulary
    facts: Mapping[str, Any]  # how it was trained


def save_model(
    folder: str | Path, model: Model, card: str, dtype: torch.dtype | None = None
) -> None:
    """Write a model folder, whole or not at all; `dtype` rounds the weights."""
    check_target(Path(folder))
    with folder_renamed_when_complete(Path(folder)) as temporary:
        config = {
            "format": FORMAT,
            "grammar": "elementary",
            "transformer": asdict(model.network.config),
            **model.facts,
        }
        write_json(temporary / CONFIG, config)
        write_json(temporary / VOCABULARY, list(model.vocabulary.tokens))
        (temporary / WEIGHTS).write_bytes(save(weights_of(model.network, dtype)))
        (temporary / CARD).write_text(card, encoding="utf-8")
        list_checksums(temporary)


def weights_of(network: Transformer, dtype: torch.dtype | None = None) -> dict[str, Tensor]:
    """The weights by their names, on the CPU."""
    return {
        name: value.detach().to("cpu", dtype).contiguous()
        for name, value in network.state_dict().items()
    }


def load_model(folder: str | Path, device: str | torch.device = "cpu") -> Model:
    """The model in a folder, in fp32 and ready to be asked."""
    folder = Path(folder)
    read_config(folder)  # what is no model at all is refused as such
    if not (folder / WEIGHTS).is_file():
        raise FileFormatError(
            f"{folder} has no {WEIGHTS}: an encoder alone gives vectors but writes no expressions; "
            "choose a model that has both, such as default"
        )
    return load_encoder(folder, device)


def load_encoder(folder: str | Path, device: str | torch.device = "cpu", *, seed: int = 0) -> Model:
    """The model in a folder; where the encoder is alone there, with a decoder that knows nothing.

    The weights of an encoder alone have eight bits; the seed decides those of its decoder.
    """
    folder = Path(folder)
    config = read_config(folder)
    tokens = read_tokens(folder)
    with _told_of(folder, TypeError, ConfigError):
        shape = TransformerConfig(**config["transformer"])
    with _told_of(folder, RuntimeError):  # of a size that there is no memory for
        network = Transformer(shape)
    with _told_of(folder, OSError, SafetensorError):
        weights = _weights(folder, network, seed)
    if not any(value.any() for value in weights.values()):
        raise FileFormatError(f"{weights_file(folder)} is damaged: every weight is 0")
    with _told_of(folder, RuntimeError):
        network.load_state_dict(weights)
    if len(tokens) != shape.vocabulary_size:
        raise FileFormatError(
            f"{folder / VOCABULARY} has {len(tokens)} tokens, the network {shape.vocabulary_size}"
        )
    facts = {key: config[key] for key in config.keys() - {"format", "grammar", "transformer"}}
    return Model(network.to(device).eval(), Vocabulary(tokens), facts)


@contextmanager
def _told_of(folder: Path, *errors: type[Exception]) -> Iterator[None]:
    """Say in a sentence what is wrong with a model folder."""
    try:
        yield
    except errors as error:
        reason = shorten(str(error), 200, placeholder=" ...")
        raise FileFormatError(f"{folder} is not a model that can be loaded: {reason}") from None


def _weights(folder: Path, network: Transformer, seed: int) -> dict[str, Tensor]:
    """The weights of a folder in fp32; what it has none for is random."""
    path = weights_file(folder)
    check_listed(folder, path.name)
    if path.name == WEIGHTS:
        return {name: value.float() for name, value in load_file(path).items()}
    # Whoever reads whole models need not wait for onnx.
    from equivec.model.onnx_graph import quantised_weights

    first = network.initialise(seed).state_dict()
    own = {name: value for name, value in first.items() if name.startswith(_WRITING)}
    kept = quantised_weights(path)
    return own | {name: torch.from_numpy(value) for name, value in kept.items()}
