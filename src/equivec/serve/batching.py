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

from equivec.serve.fairness import CLIENT, FairQueue

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from equivec.search.encoder import Encoder

    Vectors = NDArray[np.float32]  # (expressions, width)


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """Some of the expressions of a call."""

    expressions: Sequence[str]
    normalize: bool
    answer: Future[Vectors]

    @property
    def tokens(self) -> int:
        return sum(map(_tokens, self.expressions))


class BatchingEncoder:
    """An encoder that hands the calls of many threads to another one, few tokens at a time.

    >>> class Lengths:
    ...     name, width = "lengths", 1
    ...     def encode(self, expressions, *, normalize=True):
    ...         return np.array([[len(text)] for text in expressions], dtype=np.float32)
    >>> encoder = BatchingEncoder(Lengths(), tokens=64)
    >>> encoder.encode(["x", "sin x"]).tolist()
    [[1.0], [5.0]]
    >>> encoder.close()
    """

    def __init__(
        self, encoder: Encoder, tokens: int, report: Callable[[int], None] = lambda _: None
    ) -> None:
        self.name = encoder.name
        self.width = encoder.width
        self._encoder = encoder
        self._tokens = tokens
        self._report = report
        self._queue = FairQueue[_Part]()
        self._changed = threading.Condition()
        self._is_closed = False
        self._thread = threading.Thread(target=self._work, name="encoder", daemon=True)
        self._thread.start()

    def encode(self, expressions: Sequence[str], *, normalize: bool = True) -> Vectors:
        """The vectors, waited for."""
        found = self.submit(expressions, normalize=normalize)
        return np.concatenate([part.result() for part in found])

    def submit(
        self, expressions: Sequence[str], *, normalize: bool = True
    ) -> list[Future[Vectors]]:
        """The vectors, part by part, once they are there."""
        client = CLIENT.get()
        parts = [_Part(some, normalize, Future()) for some in _parts(expressions, self._tokens)]
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
        texts = [text for part in parts for text in part.expressions]
        self._report(len(texts))
        try:
            vectors = self._encoder.encode(texts, normalize=parts[0].normalize)
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
            part.answer.set_result(vectors[start : start + len(part.expressions)])
            start += len(part.expressions)


def _parts(expressions: Sequence[str], tokens: int) -> Iterator[Sequence[str]]:
    """Expressions in their order, so many tokens together, but one expression at least.

    >>> list(_parts(["add x y", "x", "sin x", "y"], 4))
    [['add x y', 'x'], ['sin x', 'y']]
    """
    some: list[str] = []
    size = 0
    for text in expressions:
        if some and size + _tokens(text) > tokens:
            yield some
            some, size = [], 0
        some.append(text)
        size += _tokens(text)
    yield some


def _tokens(text: str) -> int:
    return text.count(" ") + 1
