"""A model folder run by onnxruntime: token ids in, arrays out.

It knows nothing of expressions; sessions are made when they are first needed.
"""

from __future__ import annotations

import hashlib
import os
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np
import onnxruntime

from equivec.errors import ConfigError, FileFormatError
from equivec.expression.vocabulary import Vocabulary
from equivec.model.files import (
    BRIDGE,
    DECODER,
    ENCODER,
    QUANTISED,
    VOCABULARY,
    WEIGHTS,
    read_config,
    read_tokens,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

_BUNDLED = Path(__file__).parent / "models"
_ENCODERS = {"fp32": ENCODER, "uint8": QUANTISED}


def model_folder(name: str | Path) -> Path:
    """The folder of a model: a path, or the name of a model that comes with the package."""
    bundled = _BUNDLED / str(name)
    if bundled.is_dir():
        return bundled
    if Path(name).is_dir():
        return Path(name)
    known = ", ".join(sorted(path.name for path in _BUNDLED.glob("*/"))) or "none"
    raise FileFormatError(
        f"{str(name)!r} is neither a model folder nor a bundled model (bundled: {known})"
    )


class Runtime:
    """The sessions of a model folder; several threads may use it at once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.config = read_config(folder)["transformer"]
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
        """The SHA-256 of the files that vectors depend on."""
        digest = hashlib.sha256()
        for name in (VOCABULARY, ENCODER, WEIGHTS):
            path = self.folder / name
            digest.update(path.read_bytes() if path.is_file() else b"")
        return digest.hexdigest()

    @cached_property
    def cache_shape(self) -> tuple[int, int, int]:
        """Layers, heads and the size of a head."""
        heads = int(self.config["heads"])
        return int(self.config["layers"]), heads, self.width // heads

    def vectors(self, framed: Sequence[Sequence[int]], precision: str) -> Floats:
        """The vectors of framed expressions of one length, (expressions, width)."""
        if precision not in _ENCODERS:
            known = ", ".join(_ENCODERS)
            raise ConfigError(f"{precision!r} is no precision; choose from {known}")
        session = self.session(_ENCODERS[precision], threads=1)
        found: Floats = session.run(["vectors"], {"tokens": np.array(framed, dtype=np.int64)})[0]
        return found

    def session(self, name: str, threads: int = 0) -> Any:
        """The session of one of the graphs; 0 threads are as many as there are cores."""
        threads = threads or os.cpu_count() or 1
        with self._lock:
            if (name, threads) not in self._sessions:
                self._sessions[name, threads] = self._open(name, threads)
            return self._sessions[name, threads]

    def _open(self, name: str, threads: int) -> Any:
        path = self.folder / name
        if not path.is_file():
            raise FileFormatError(
                f"{self.folder} has no {name}; write it with: equivec export {self.folder}"
            )
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        try:
            return onnxruntime.InferenceSession(
                str(path), options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # onnxruntime raises classes of its own making
            reason = str(error).splitlines()[0]
            raise FileFormatError(f"{path} is damaged: {reason}") from None

    def memory(self, framed: Sequence[int]) -> tuple[Floats, Floats]:
        """What the decoder looks at: keys and values, (layers, 1, heads, length, size)."""
        tokens = np.array([framed], dtype=np.int64)
        states = self.session(ENCODER, threads=1).run(["states"], {"tokens": tokens})[0]
        keys, values = self.session(BRIDGE).run(None, {"states": states})
        return keys, values

    def decoder(self) -> Any:
        """The session that writes one token more."""
        return self.session(DECODER)
