"""Micro-batching: what several threads ask of an encoder at the same time becomes one call.

Nobody is kept waiting for company: a call that finds the encoder idle begins at once, and those
that come while it runs are done together in the next one.
"""

from __future__ import annotations

import threading
from concurrent.futures import Future
from dataclasses import dataclass
from queue import SimpleQueue
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from equivec.embed.encoder import Encoder
    from equivec.expression.tree import Node

    Vectors = NDArray[np.float32]  # (expressions, width)


@dataclass(frozen=True, slots=True)
class _Call:
    trees: Sequence[Node]
    normalize: bool
    answer: Future[Vectors]


class BatchingEncoder:
    """An encoder that hands the calls of many threads to another one, few at a time.

    >>> import numpy as np
    >>> from equivec.expression.text import parse
    >>> class Sizes:
    ...     name, width, checksum = "sizes", 1, "1"
    ...     def encode(self, trees, *, normalize=True):
    ...         return np.array([[tree.size] for tree in trees], dtype=np.float32)
    >>> encoder = BatchingEncoder(Sizes(), batch=64)
    >>> encoder.encode([parse("x"), parse("sin(x)")]).tolist()
    [[1.0], [2.0]]
    >>> encoder.close()
    """

    def __init__(
        self, encoder: Encoder, batch: int, report: Callable[[int], None] = lambda _: None
    ) -> None:
        self.name = encoder.name
        self.width = encoder.width
        self.checksum = encoder.checksum
        self._encoder = encoder
        self._batch = batch
        self._report = report
        self._calls: SimpleQueue[_Call | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._work, name="encoder", daemon=True)
        self._thread.start()

    def submit(self, trees: Sequence[Node], *, normalize: bool = True) -> Future[Vectors]:
        """The vectors, once they are there."""
        answer: Future[Vectors] = Future()
        self._calls.put(_Call(trees, normalize, answer))
        return answer

    def encode(self, trees: Sequence[Node], *, normalize: bool = True) -> Vectors:
        """The vectors, waited for."""
        return self.submit(trees, normalize=normalize).result()

    def close(self) -> None:
        """Finish what was asked for and end the thread."""
        self._calls.put(None)
        self._thread.join()

    def _work(self) -> None:
        while (first := self._calls.get()) is not None:
            calls, is_last = self._together(first)
            for normalize in (True, False):
                self._answer([call for call in calls if call.normalize is normalize], normalize)
            if is_last:
                return

    def _together(self, first: _Call) -> tuple[list[_Call], bool]:
        """The call and those that wait behind it, as far as a batch goes, and if no more come."""
        calls, size = [first], len(first.trees)
        while size < self._batch and not self._calls.empty():
            call = self._calls.get()
            if call is None:
                return calls, True
            calls.append(call)
            size += len(call.trees)
        return calls, False

    def _answer(self, calls: list[_Call], normalize: bool) -> None:
        # Whoever gave up waiting is left out; the others can no longer be cancelled.
        calls = [call for call in calls if call.answer.set_running_or_notify_cancel()]
        if not calls:
            return
        trees = [tree for call in calls for tree in call.trees]
        self._report(len(trees))
        try:
            vectors = self._encoder.encode(trees, normalize=normalize)
        except Exception as error:  # Each caller must hear of it; the thread must go on.
            if len(calls) > 1:
                self._one_by_one(calls, normalize)
            else:
                calls[0].answer.set_exception(error)
            return
        start = 0
        for call in calls:
            call.answer.set_result(vectors[start : start + len(call.trees)])
            start += len(call.trees)

    def _one_by_one(self, calls: list[_Call], normalize: bool) -> None:
        """Answer each call alone, so that an expression that fails fails for its caller only."""
        for call in calls:
            try:
                call.answer.set_result(self._encoder.encode(call.trees, normalize=normalize))
            except Exception as error:
                call.answer.set_exception(error)
