"""Encoders by name: the one place that says what `--model` means, in every command.

| name | encoder |
| --- | --- |
| `bag-of-tokens`, `text` | a baseline |
| `default` | a model that comes with the package |
| `run/model` | the folder of a model |
| `mathbert` | an encoder of an installed package (entry points in the group `equivec.encoders`) |
| `my_module:MyEncoder` | a class of the user's own, made without arguments |
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.metadata import entry_points
from inspect import signature
from typing import TYPE_CHECKING, Any

from equivec.embed.baselines import BagOfTokens, TextModel
from equivec.embed.embedder import Embedder
from equivec.embed.runtime import model_folder
from equivec.errors import ConfigError, FileFormatError, require_packages

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from equivec.embed.encoder import Encoder
    from equivec.embed.runtime import Precision

GROUP = "equivec.encoders"
BASELINES: Mapping[str, Callable[[], Encoder]] = {"bag-of-tokens": BagOfTokens, "text": TextModel}
_ATTRIBUTES = ("name", "width", "checksum", "encode")


def load_encoder(
    name: str | Path = "default",
    *,
    device: str | None = None,
    precision: Precision | None = None,
    pooling: str | None = None,
    threads: int = 0,
    imports: bool = True,
) -> Encoder:
    """The encoder of a name.

    On a device, such as "cuda", a model is run by torch; else by onnxruntime, at a precision and
    with some threads. Other encoders have no such settings. With `imports=False` no module is
    imported because of a name: for names that are read from a file.

    >>> load_encoder("bag-of-tokens").name
    'bag of tokens'
    """
    try:
        folder = model_folder(name) if str(name) not in BASELINES else None
    except FileFormatError as error:
        folder, unknown = None, error
    if folder is None:
        _refuse_settings(name, device, pooling)
    if str(name) in BASELINES:
        return BASELINES[str(name)]()
    if folder is not None:
        return _model(name, device, precision, pooling, threads)
    installed = {point.name: point for point in entry_points(group=GROUP)}
    if str(name) in installed:
        return _made(installed[str(name)].load(), str(name))
    if imports and ":" in str(name):
        return _made(_imported(str(name)), str(name))
    others = ", ".join([*BASELINES, *installed])
    raise ConfigError(
        f"{unknown}; other encoders are {others}, and module:Class for a class of your own"
    )


def _refuse_settings(name: str | Path, device: str | None, pooling: str | None) -> None:
    if device is not None:
        raise ConfigError(f"{name} has no network to run on {device}; leave the device out")
    if pooling is not None:
        raise ConfigError(f"{name} has no states to pool; leave the pooling out")


def _model(
    name: str | Path,
    device: str | None,
    precision: Precision | None,
    pooling: str | None,
    threads: int,
) -> Encoder:
    if device is None:
        return Embedder(name, pooling=pooling, precision=precision, threads=threads)
    if precision not in (None, "fp32"):
        raise ConfigError(f"{precision} is for onnxruntime; a device runs models in fp32")
    if pooling is not None:
        raise ConfigError("on a device a model has the pooling of its training; leave it out")
    require_packages("a device", "train", "torch")
    from equivec.model.vectors import NetworkEncoder

    embedder = Embedder(name)
    return NetworkEncoder(embedder.runtime.folder, embedder.name, device)


def _imported(name: str) -> Any:
    """The attribute of a module that a user names; modules may lie in the current folder."""
    module, _, attribute = name.partition(":")
    if "" not in sys.path:
        sys.path.append("")
    try:
        found = import_module(module)
    except (ImportError, ValueError) as error:
        raise ConfigError(f"the module of {name} cannot be imported: {error}") from None
    if not hasattr(found, attribute):
        raise ConfigError(f"the module {module} has no class {attribute!r}")
    return getattr(found, attribute)


def _made(make: Any, name: str) -> Encoder:
    """What a class or a function without arguments makes, seen to be an encoder."""
    if not callable(make) or not _takes(make):
        raise ConfigError(f"{name} must be a class that is made without arguments")
    encoder = make()
    for attribute in _ATTRIBUTES:
        if not hasattr(encoder, attribute):
            raise ConfigError(
                f"the class {type(encoder).__qualname__} of {name} has no {attribute!r}; an "
                f"encoder has {', '.join(_ATTRIBUTES[:-1])} and {_ATTRIBUTES[-1]}"
            )
    if not _takes(encoder.encode, [], normalize=True):
        raise ConfigError(
            f"the class {type(encoder).__qualname__} of {name} must have "
            "encode(trees, *, normalize=True)"
        )
    made: Encoder = encoder
    return made


def _takes(function: Any, *arguments: Any, **named: Any) -> bool:
    try:
        signature(function).bind(*arguments, **named)
    except TypeError:
        return False
    except ValueError:  # of a function that is not written in Python nothing is known
        return True
    return True
