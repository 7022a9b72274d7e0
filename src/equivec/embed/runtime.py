"""A model folder run by onnxruntime: token ids in, arrays out.

It knows nothing of expressions; sessions are made when they are first needed.
"""

from __future__ import annotations

import logging
import os
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import numpy as np

from equivec.embed.sessions import open_session
from equivec.errors import ConfigError, FileFormatError
from equivec.expression.vocabulary import Vocabulary
from equivec.model.files import (
    DECODER,
    ENCODER,
    QUANTISED,
    WEIGHTS,
    is_encoder_alone,
    model_checksum,
    read_config,
    read_tokens,
)
from equivec.model.pooling import find_pooling
from equivec.storage.checksums import check_listed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

_LOGGER = logging.getLogger(__name__)
_BUNDLED = Path(__file__).parent / "models"
Precision = Literal["fp32", "uint8"]
_ENCODERS: Mapping[Precision, str] = {"fp32": ENCODER, "uint8": QUANTISED}

Work = TypeVar("Work")
Result = TypeVar("Result")


def thread_count(threads: int) -> int:
    """So many threads as are asked for; for 0, as many as there are processors."""
    if threads < 0:
        raise ConfigError(f"threads must be at least 0 (all processors), not {threads}")
    return threads or os.cpu_count() or 1


def share_out(
    function: Callable[[Work, int], Result], works: Sequence[Work], threads: int
) -> list[Result]:
    """The result of each piece of work, given how many threads it may have.

    One each, where there is work for all: threads that wait for nobody do the most.

    >>> share_out(lambda number, threads: (number, threads), [7, 8, 9], 2)
    [(7, 1), (8, 1), (9, 1)]
    """
    if threads == 1 or len(works) < threads:
        return [function(work, threads) for work in works]
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(lambda work: function(work, 1), works))


def model_folder(name: str | Path) -> Path:
    """The folder of a model: a path, or the name of a model that comes with the package."""
    bundled = {path.name: path for path in sorted(_BUNDLED.glob("*/"))}
    if str(name) in bundled:
        return bundled[str(name)]
    if str(name) and Path(name).is_dir():
        return Path(name)
    known = ", ".join(bundled) or "none"
    raise FileFormatError(
        f"{str(name)!r} is neither a model folder nor a bundled model (bundled: {known})"
    )


class Runtime:
    """The sessions of a model folder; several threads may use it at once."""

    def __init__(self, folder: Path, pooling: str | None = None) -> None:
        if pooling is not None:
            find_pooling(pooling)
        _LOGGER.info("loading the model in %s", folder)
        self.folder = folder
        self.config = read_config(folder)["transformer"]
        own = self.config["pooling"]
        self.other_pooling = None if pooling == own else pooling
        self.vocabulary = Vocabulary(read_tokens(folder))
        self._sessions: dict[tuple[str, int], Any] = {}
        self._lock = Lock()

    @property
    def width(self) -> int:
        """How many numbers a vector has."""
        return int(self.config["width"])

    @property
    def max_tokens(self) -> int:
        """The longest expression, in tokens."""
        return int(self.config["max_tokens"])

    @cached_property
    def checksum(self) -> str:
        """The SHA-256 of what vectors depend on: files, and a pooling that is not the own."""
        return model_checksum(self.folder, self.other_pooling or "")

    @property
    def has_weights(self) -> bool:
        """Whether the folder has the weights of the whole network, decoder and all."""
        return (self.folder / WEIGHTS).is_file()

    @cached_property
    def cache_shape(self) -> tuple[int, int, int]:
        """Layers, heads and the size of a head."""
        heads = int(self.config["heads"])
        return int(self.config["layers"]), heads, self.width // heads

    def vectors(self, framed: Sequence[Sequence[int]], precision: Precision) -> Floats:
        """The vectors of framed expressions of one length, (expressions, width)."""
        session = self.session(_ENCODERS[precision], threads=1)
        wanted = "states" if self.other_pooling else "vectors"
        found = self.encoded(session, wanted, np.array(framed, dtype=np.int64))
        return find_pooling(self.other_pooling).even(found) if self.other_pooling else found

    def encoded(self, encoder: Any, output: str, tokens: NDArray[np.int64]) -> Floats:
        """An output of an encoder's session, which must tell expressions from nothing."""
        found: Floats = encoder.run([output], {"tokens": tokens})[0]
        if not found.any(axis=-1).all() or not np.isfinite(found).all():
            raise FileFormatError(
                f"{self.folder} is damaged: its encoder gives zeros, or values that are no numbers"
            )
        return found

    def session(self, name: str, threads: int) -> Any:
        """The session of one of the graphs."""
        with self._lock:
            if (name, threads) not in self._sessions:
                self._sessions[name, threads] = self._open(name, threads)
            return self._sessions[name, threads]

    def precision(self, wanted: Precision | None) -> Precision:
        """The precision that is wanted, which the model must have, or the finest that it has."""
        if wanted is None:
            wanted = "uint8" if is_encoder_alone(self.folder) else "fp32"
        if wanted not in _ENCODERS:
            known = ", ".join(_ENCODERS)
            raise ConfigError(f"{wanted!r} is not a precision; choose from {known}")
        self._graph(_ENCODERS[wanted])
        return wanted

    def _graph(self, name: str) -> Path:
        """The file of a graph, which must be there."""
        path = self.folder / name
        if is_encoder_alone(self.folder) and not (self.folder / QUANTISED).is_file():
            raise FileFormatError(f"{self.folder} has no weights: no {WEIGHTS}, no {QUANTISED}")
        if not path.is_file() and not self.has_weights and name != ENCODER:
            raise FileFormatError(
                f"{self.folder} has no decoder, only an encoder: it gives vectors but writes no "
                "expressions; choose a model that has both, such as default"
            )
        if not path.is_file() and not self.has_weights:
            raise FileFormatError(
                f"{self.folder} has an encoder in eight bits alone; use it with precision uint8"
            )
        if not path.is_file():
            raise FileFormatError(
                f"{self.folder} has no {name}; write it with: equivec model export {self.folder}"
            )
        return path

    def _open(self, name: str, threads: int) -> Any:
        path = self._graph(name)
        check_listed(self.folder, name)
        if name != QUANTISED:
            check_listed(self.folder, WEIGHTS)  # which the other graphs have in common
        session = open_session(path, threads)
        if name == DECODER and "paths" not in {one.name for one in session.get_inputs()}:
            raise FileFormatError(
                f"{path} is of an older version; write it again with: equivec model export "
                f"{self.folder}"
            )
        return session
