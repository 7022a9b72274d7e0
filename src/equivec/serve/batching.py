"""Micro-batching: what several threads ask of an encoder at the same time becomes one call.

Nobody is kept waiting for company: a call that finds the encoder idle begins at once, and those
that come while it runs are done together in the next one. A call is small, and clients take turns,
so that nobody waits for all that another client wants encoded.
"""

from __future__ import annotations

import threading
from concurrent.futures import Future
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from equivec.expression.prefix import write_tokens
from equivec.serve.fairness import CLIENT, FairQueue

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from equivec.embed.encoder import Encoder
    from equivec.expression.tree import Node

    Vectors = NDArray[np.float32]  # (expressions, width)


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """Some of the expressions of a call."""

    trees: Sequence[Node]
    tokens: int
    normalize: bool
    answer: Future[Vectors]


class BatchingEncoder:
    """An encoder that hands the calls of many threads to another one, few tokens at a time.

    >>> from equivec.expression.text import parse
    >>> class Sizes:
    ...     name, width, checksum = "sizes", 1, "1"
    ...     def encode(self, trees, *, normalize=True):
    ...         return np.array([[tree.size] for tree in trees], dtype=np.float32)
    >>> encoder = BatchingEncoder(Sizes(), tokens=64)
    >>> encoder.encode([parse("x"), parse("sin(x)")]).tolist()
    [[1.0], [2.0]]
    >>> encoder.close()
    """

    def __init__(
        self, encoder: Encoder, tokens: int, report: Callable[[int], None] = lambda _: None
    ) -> None:
        self.name = encoder.name
        self.width = encoder.width
        self.checksum = encoder.checksum
        self._encoder = encoder
        self._tokens = tokens
        self._report = report
        self._queue = FairQueue[_Part]()
        self._changed = threading.Condition()
        self._is_closed = False
        self._thread = threading.Thread(target=self._work, name="encoder", daemon=True)
        self._thread.start()

    def encode(self, trees: Sequence[Node], *, normalize: bool = True) -> Vectors:
        """The vectors, waited for."""
        found = self.submit(trees, normalize=normalize)
        return np.concatenate([part.result() for part in found])

    def submit(self, trees: Sequence[Node], *, normalize: bool = True) -> list[Future[Vectors]]:
        """The vectors, part by part, once they are there."""
        client = CLIENT.get()
        parts = [
            _Part(some, tokens, normalize, Future()) for some, tokens in _parts(trees, self._tokens)
        ]
        with self._changed:
            for part in parts:
                self._queue.put(client, part)
            self._changed.notify()
        return [part.answer for part in parts]

    def close(self) -> None:
        """Finish what was asked for and end the thread."""
        with self._changed:
            self._is_closed = True
            self._changed.notify()
        self._thread.join()

    def _work(self) -> None:
        while turns := self._next():
            for normalize in (True, False):
                self._answer([part for _, part in turns if part.normalize is normalize])
            with self._changed:
                for client, part in turns:
                    self._queue.done(client, part.tokens)

    def _next(self) -> list[tuple[str, _Part]]:
        """What is encoded together now, as far as a batch goes; nothing when it is over."""
        with self._changed:
            self._changed.wait_for(lambda: len(self._queue) or self._is_closed)
            turns: list[tuple[str, _Part]] = []
            tokens = 0
            while (turn := self._queue.turn()) is not None:
                tokens += turn[1].tokens
                if turns and tokens > self._tokens:
                    break
                self._queue.take()
                turns.append(turn)
            return turns

    def _answer(self, parts: list[_Part]) -> None:
        if not parts:
            return
        trees = [tree for part in parts for tree in part.trees]
        self._report(len(trees))
        try:
            vectors = self._encoder.encode(trees, normalize=parts[0].normalize)
        except Exception as error:  # Each caller must hear of it; the thread must go on.
            if len(parts) == 1:
                parts[0].answer.set_exception(error)
                return
            # Each alone, so that an expression that fails fails for its caller only.
            for part in parts:
                self._answer([part])
            return
        start = 0
        for part in parts:
            part.answer.set_result(vectors[start : start + len(part.trees)])
            start += len(part.trees)


def _parts(trees: Sequence[Node], tokens: int) -> Iterator[tuple[Sequence[Node], int]]:
    """Expressions in their order, so many tokens together, but one expression at least.

    Beside each part stands how many tokens it has.

    >>> from equivec.expression.text import parse
    >>> trees = [parse(text) for text in ("x + y", "x", "sin(x)", "y")]
    >>> [(len(some), size) for some, size in _parts(trees, 4)]
    [(2, 4), (2, 3)]
    """
    some: list[Node] = []
    size = 0
    for tree in trees:
        length = len(write_tokens(tree))
        if some and size + length > tokens:
            yield some, size
            some, size = [], 0
        some.append(tree)
        size += length
    yield some, size
