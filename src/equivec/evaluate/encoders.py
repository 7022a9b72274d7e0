"""The vectors of what is evaluated: each expression is encoded once, and kept if asked."""

from __future__ import annotations

import itertools
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from equivec.embed.encoder import vectors_of
from equivec.expression.prefix import write_prefix
from equivec.storage.files import made_again_if_damaged, renamed_when_complete

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from equivec.embed.encoder import Encoder, Floats
    from equivec.expression.tree import Node


ASKED = "asked-*.npz"  # files of what was asked before


class CachedEncoder:
    """An encoder whose vectors are kept in a folder: nothing is encoded twice.

    Whoever stops it and comes again with the same encoder and folder finds all finished calls.
    """

    def __init__(self, encoder: Encoder, folder: Path) -> None:
        self.name = encoder.name
        self.width = encoder.width
        self.checksum = encoder.checksum
        self._encoder = encoder
        self._folder = folder

    @cached_property
    def _rows(self) -> dict[str, Floats]:
        rows: dict[str, Floats] = {}
        for path in sorted(self._folder.glob(ASKED)):
            rows.update(_asked(path))
        return rows

    def encode(self, trees: Sequence[Node], **settings: bool) -> Floats:
        """The encoder's vectors, (trees, width); those of other settings are not kept."""
        if settings or not trees:
            return self._encoder.encode(trees, **settings)
        named = {write_prefix(tree): tree for tree in trees}
        missing = [text for text in named if text not in self._rows]
        if missing:
            vectors = vectors_of(self._encoder, [named[text] for text in missing])
            self._write(missing, vectors)
            self._rows.update(zip(missing, vectors, strict=True))
        return np.stack([self._rows[write_prefix(tree)] for tree in trees])

    def _write(self, texts: Sequence[str], vectors: Floats) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        paths = (self._folder / ASKED.replace("*", f"{n:08d}") for n in itertools.count())
        free = next(path for path in paths if not path.exists())
        with renamed_when_complete(free) as temporary:
            np.savez(
                temporary, texts=np.frombuffer("\n".join(texts).encode(), np.uint8), vectors=vectors
            )


def _asked(path: Path) -> dict[str, Floats]:
    """The vectors of a file that an encoder's vectors are kept in."""
    with made_again_if_damaged(path), np.load(path) as kept:
        texts = kept["texts"].tobytes().decode().split("\n")
        return dict(zip(texts, kept["vectors"], strict=True))


def encode_once(encoder: Encoder, expressions: Sequence[str]) -> Floats:
    """The vectors of expressions of which many are the same, each encoded once."""
    places = {text: place for place, text in enumerate(dict.fromkeys(expressions))}
    return vectors_of(encoder, list(places))[[places[text] for text in expressions]]
