"""Expressions to vectors, and to equivalents that are verified."""

from __future__ import annotations

import sys
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Literal

import numpy as np

from equivec.embed.decoding import search
from equivec.embed.encoder import unit
from equivec.embed.runtime import (
    Runtime,
    model_folder,
    share_out,
    thread_count,
)
from equivec.errors import ConfigError, EquivecError, LimitError, require_at_least
from equivec.expression.infix import write_infix
from equivec.expression.prefix import parse_prefix, write_tokens
from equivec.expression.text import as_tree
from equivec.expression.tree import Node
from equivec.expression.vocabulary import END_ID, START_ID
from equivec.model.beams import BeamConfig
from equivec.model.files import is_encoder_alone

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from equivec.algebra.judgement import Judgement
    from equivec.embed.runtime import Precision

    Floats = NDArray[np.float32]

OnError = Literal["raise", "skip", "nan"]
# Expressions that are sorted by length together: enough for full batches, little memory.
_WINDOW = 16_384
_ROOM = 64  # tokens that an equivalent may have at least
_LONGEST_NAME = 40  # of an expression in a message


@dataclass(frozen=True, slots=True)
class Equivalent:
    """What the model wrote, how likely it holds it, and what the judge says of it."""

    tree: Node
    log_probability: float
    verdict: Judgement

    @property
    def expression(self) -> str:
        """The expression in infix form."""
        return write_infix(self.tree)


class Embedder:
    """A model: `encode` gives vectors, `equivalents` writes expressions that mean the same.

    Expressions may be text in any format, or trees. Several threads may use one embedder.
    `pooling` makes vectors in another way than the model was trained for: of the states of the
    tokens their "max" or "mean", or the state of the "first" (start) or "last" (end). `precision`
    is that of the network's arithmetic, by default the finest that the model has; with `threads`
    of 0 all processors are used.
    """

    def __init__(
        self,
        model: str | Path = "default",
        *,
        pooling: str | None = None,
        precision: Precision | None = None,
        threads: int = 0,
    ) -> None:
        folder = model_folder(model)
        # A run keeps its model in a folder called model; the run's name says more.
        self.name = folder.resolve().parent.name if folder.name == "model" else folder.name
        self.runtime = Runtime(folder, pooling)
        self.threads = thread_count(threads)
        self._wanted_precision = precision

    @property
    def width(self) -> int:
        """How many numbers a vector has."""
        return self.runtime.width

    @property
    def checksum(self) -> str:
        """What tells this model's vectors from those of any other, whatever its name."""
        return self.runtime.checksum

    @cached_property
    def precision(self) -> Precision:
        """The precision that was wanted, or the finest that the model has."""
        return self.runtime.precision(self._wanted_precision)

    @property
    def can_write(self) -> bool:
        """Whether the model has a decoder; encoders alone have none."""
        return self.runtime.has_weights

    @property
    def has_small_weights(self) -> bool:
        """Whether the weights have eight bits, at whatever precision the model is run."""
        return is_encoder_alone(self.runtime.folder)

    def encode(
        self,
        expressions: str | Node | Iterable[str | Node],
        *,
        batch_size: int = 64,
        show_progress: bool = False,
        normalize: bool = True,
        on_error: OnError = "raise",
    ) -> Floats:
        """One vector for an expression, or a row for each of many, in their order.

        What cannot be read raises, is skipped (no row), or gets a row of NaN. With `normalize` the
        vectors have length 1, and their products are cosines. A vector does not depend on what it
        is encoded with.
        """
        if isinstance(expressions, (str, Node)):
            if on_error == "skip":
                raise ConfigError("one expression cannot be skipped; on_error must be raise or nan")
            (vector,) = self.encode(
                [expressions],
                batch_size=batch_size,
                normalize=normalize,
                on_error=on_error,
            )
            return np.asarray(vector)
        parts = [np.empty((0, self.width), dtype=np.float32)]
        for part in self.encode_stream(
            expressions,
            batch_size=batch_size,
            normalize=normalize,
            on_error=on_error,
        ):
            parts.append(part)
            if show_progress:
                _show_progress(sum(map(len, parts)))
        return np.concatenate(parts)

    def encode_stream(
        self,
        expressions: Iterable[str | Node],
        *,
        batch_size: int = 64,
        normalize: bool = True,
        on_error: OnError = "raise",
    ) -> Iterator[Floats]:
        """The vectors of any number of expressions, some thousands at a time, in their order."""
        if on_error not in ("raise", "skip", "nan"):
            raise ConfigError(f"on_error must be raise, skip or nan, not {on_error!r}")
        require_at_least(1, batch_size=batch_size)
        precision = self.precision  # before anything is read
        if isinstance(expressions, str):
            raise ConfigError("a stream is of many expressions; one alone is for encode")
        stream = iter(expressions)
        while window := list(islice(stream, _WINDOW)):
            ids = [self._read(expression, on_error) for expression in window]
            if on_error == "skip":
                ids = [found for found in ids if found]
            vectors = self._encode_ids(ids, batch_size, precision)
            yield unit(vectors) if normalize else vectors

    def similarity(self, a: str | Node, b: str | Node) -> float:
        """The cosine of the vectors of two expressions."""
        first, second = self.encode([a, b])
        return float(first @ second)

    def equivalents(
        self,
        expression: str | Node,
        k: int = 10,
        *,
        beam: int = 50,
        only_verified: bool = False,
        threads: int = 0,
    ) -> list[Equivalent]:
        """Up to k expressions that the model holds for equivalent, the equal ones first.

        Verified are those that the judge finds equal over the reals; those that are so where both
        are defined come after them, then those that are so for positive variables alone. With
        `threads` of 0 it uses as many as the embedder was made with.
        """
        from equivec.algebra.judgement import judge_each

        require_at_least(1, k=k, beam=beam)
        tree = as_tree(expression)
        ids = self._ids(tree)
        config = BeamConfig(
            beams=max(beam, k),
            max_tokens=self._room_for_equivalents(len(ids)),
            excludes_input=True,  # a copy is no news
        )
        (found,) = search(self.runtime, [ids], config, threads=threads or self.threads)
        written = [parse_prefix(" ".join(self.runtime.vocabulary.decode(one.ids))) for one in found]
        verdicts = judge_each([(tree, other) for other in written])
        judged = [
            Equivalent(other, one.log_probability, verdict)
            for other, one, verdict in zip(written, found, verdicts, strict=True)
            if verdict.is_equal or not only_verified
        ]
        return sorted(judged, key=lambda one: one.verdict.rank)[:k]

    def _room_for_equivalents(self, length: int) -> int:
        """How many tokens may be written: an equivalent may well be longer than the input."""
        return min(max(_ROOM, 2 * length), self.runtime.max_tokens)

    def _read(self, expression: str | Node, on_error: OnError) -> list[int]:
        """The framed token ids of an expression; empty for what could not be read."""
        try:
            return [START_ID, *self._ids(as_tree(expression)), END_ID]
        except EquivecError:
            if on_error == "raise":
                raise
            return []

    def _ids(self, tree: Node) -> list[int]:
        ids = self.runtime.vocabulary.encode(write_tokens(tree))
        if len(ids) > self.runtime.max_tokens:
            text = write_infix(tree)
            name = text if len(text) <= _LONGEST_NAME else f"{text[:_LONGEST_NAME]}…"
            raise LimitError(
                f"{name!r} has {len(ids)} tokens; this model reads up to {self.runtime.max_tokens}"
            )
        return ids

    def _encode_ids(self, framed: list[list[int]], batch_size: int, precision: Precision) -> Floats:
        """Expressions of one length at a time: no padding, and no vector depends on another.

        Each thread takes batches of its own: threads that share one would wait for each other, and
        a single expression longest of all.
        """
        vectors = np.full((len(framed), self.width), np.nan, dtype=np.float32)
        batches = _batches(framed, batch_size)
        found = share_out(
            lambda batch, _: self.runtime.vectors([framed[place] for place in batch], precision),
            batches,
            self.threads,
        )
        for batch, rows in zip(batches, found, strict=True):
            vectors[batch] = rows
        return vectors


def _batches(framed: list[list[int]], batch_size: int) -> list[list[int]]:
    """The places of expressions of one length, some at a time; those with most work come first."""
    places: dict[int, list[int]] = defaultdict(list)
    for place, ids in enumerate(framed):
        if ids:
            places[len(ids)].append(place)
    return [
        alike[start : start + batch_size]
        for _, alike in sorted(places.items(), reverse=True)
        for start in range(0, len(alike), batch_size)
    ]


def _show_progress(done: int) -> None:
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[2Kencoded {done:,}")
        sys.stderr.flush()
