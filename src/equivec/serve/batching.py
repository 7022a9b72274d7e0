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

    from equivec.search.encoder import Encoder

    Vectors = NDArray[np.float32]  # (expressions, width)


@dataclass(frozen=True, slots=True)
class _Call:
    expressions: Sequence[str]
    normalize: bool
    answer: Future[Vectors]


class BatchingEncoder:
    """An encoder that hands the calls of many threads to another one, few at a time.

    >>> import numpy as np
    >>> class Lengths:
    ...     name, width = "lengths", 1
    ...     def encode(self, expressions, *, normalize=True):
    ...         return np.array([[len(text)] for text in expressions], dtype=np.float32)
    >>> encoder = BatchingEncoder(Lengths(), batch=64)
    >>> encoder.encode(["x", "sin x"]).tolist()
    [[1.0], [5.0]]
    >>> encoder.close()
    """

    def __init__(
        self, encoder: Encoder, batch: int, report: Callable[[int], None] = lambda _: None
    ) -> None:
        self.name = encoder.name
        self.width = encoder.width
        self._encoder = encoder
        self._batch = batch
        self._report = report
        self._calls: SimpleQueue[_Call | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._work, name="encoder", daemon=True)
        self._thread.start()

    def submit(self, expressions: Sequence[str], *, normalize: bool = True) -> Future[Vectors]:
        """The vectors, once they are there."""
        answer: Future[Vectors] = Future()
        self._calls.put(_Call(expressions, normalize, answer))
        return answer

    def encode(self, expressions: Sequence[str], *, normalize: bool = True) -> Vectors:
        """The vectors, waited for."""
        return self.submit(expressions, normalize=normalize).result()

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
        calls, size = [first], len(first.expressions)
        while size < self._batch and not self._calls.empty():
            call = self._calls.get()
            if call is None:
                return calls, True
            calls.append(call)
            size += len(call.expressions)
        return calls, False

    def _answer(self, calls: list[_Call], normalize: bool) -> None:
        # Whoever gave up waiting is left out; the others can no longer be cancelled.
        calls = [call for call in calls if call.answer.set_running_or_notify_cancel()]
        if not calls:
            return
        texts = [text for call in calls for text in call.expressions]
        self._report(len(texts))
        try:
            vectors = self._encoder.encode(texts, normalize=normalize)
        except Exception as error:  # Each caller must hear of it; the thread must go on.
            if len(calls) > 1:
                self._one_by_one(calls, normalize)
            else:
                calls[0].answer.set_exception(error)
            return
        start = 0
        for call in calls:
            call.answer.set_result(vectors[start : start + len(call.expressions)])
            start += len(call.expressions)

    def _one_by_one(self, calls: list[_Call], normalize: bool) -> None:
        """Answer each call alone, so that an expression that fails fails for its caller only."""
        for call in calls:
            try:
                call.answer.set_result(self._encoder.encode(call.expressions, normalize=normalize))
            except Exception as error:
                call.answer.set_exception(error)
