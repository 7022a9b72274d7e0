"""One worker process: it is given one piece of work after another, and is killed when it must be.

A worker may start processes of its own: they form a group that ends with the worker, when the
worker is stopped, and when the caller is killed. What goes wrong with the worker is an outcome;
what the work itself raises is carried back.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import pickle
import resource
import signal
import subprocess
import time
import traceback
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from enum import StrEnum
from multiprocessing.connection import wait
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from multiprocessing.connection import Connection

# A spawned process starts afresh; a forked one is a copy of a server that has its modules loaded.
Start = Literal["spawn", "forkserver"]

_KILLED = "its worker was killed by signal {} ({}); see whether the machine ran out of memory"
_LEFT = "its worker ended with exit code {}; see its last words above"
_BEGUN = b"begun"


class Failure(StrEnum):
    """What can go wrong with a worker."""

    TIME_LIMIT = "time limit"
    MEMORY_LIMIT = "memory limit"
    DIED = "worker died"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one piece of work came to: a value, a failure of the worker, or the work's own error."""

    value: Any = None
    failure: Failure | None = None
    cause_of_death: str = ""
    error: Exception | None = None

    @property
    def is_value(self) -> bool:
        """Whether the work returned."""
        return self.failure is None and self.error is None


class Worker:
    """One process, the group of processes it leads, and our end of its pipe."""

    def __init__(self, start: Start, memory_limit: int | None) -> None:
        context: Any = multiprocessing.get_context(start)
        self.given = 0
        self._deadline = self._seconds = float("inf")
        self._connection, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, memory_limit))
        self._process.start()
        theirs.close()
        self._pid: int = self._process.pid
        self._pidfd = _open_pidfd(self._pid)

    @property
    def handles(self) -> tuple[Connection[Any, Any], int]:
        """What becomes readable when the worker has something to say, and when it has ended."""
        # The sentinel stays silent while a forked child of the worker lives on; a pidfd does not.
        return self._connection, self._process.sentinel if self._pidfd is None else self._pidfd

    @property
    def seconds_left(self) -> float | None:
        """The seconds until the work must have ended; None: no limit, or it has not begun."""
        if self._deadline == float("inf"):
            return None
        return max(0.0, self._deadline - time.monotonic())

    def give(self, work: Callable[..., Any], arguments: tuple[Any, ...], seconds: float) -> None:
        """Begin a piece of work; its seconds count from when the worker has read it."""
        message = pickle.dumps((work, arguments))
        self.given += 1
        self._seconds, self._deadline = seconds, float("inf")
        # A worker that died in the meantime shows when it is waited for.
        with suppress(BrokenPipeError, ConnectionResetError):
            self._connection.send_bytes(message)

    def outcome(self, *, is_ready: bool) -> Outcome | None:
        """What the work came to, None while it goes on; after a failure the worker is gone."""
        if is_ready:
            message = self._message()
            if message == _BEGUN:
                self._deadline = time.monotonic() + self._seconds
                return None
            if message is None:
                death = _cause_of_death(self.stop(grace=GRACE))
                return Outcome(failure=Failure.DIED, cause_of_death=death)
            outcome: Outcome = pickle.loads(message)  # noqa: S301 - our own worker's
        elif time.monotonic() >= self._deadline:
            outcome = Outcome(failure=Failure.TIME_LIMIT)
        else:
            return None
        if not outcome.is_value:
            self.stop()
        return outcome

    def wait(self) -> Outcome:
        """What the work comes to."""
        while True:
            ready = wait(self.handles, self.seconds_left)
            outcome = self.outcome(is_ready=bool(ready))
            if outcome is not None:
                return outcome

    def _message(self) -> bytes | None:
        """What the worker sent; None if it ended without a word."""
        try:
            return self._connection.recv_bytes() if self._connection.poll() else None
        except (EOFError, ConnectionResetError):
            return None

    def leave(self) -> None:
        """Let an idle worker end by itself, so that its temporary folders go with it."""
        self._connection.close()

    def kill(self) -> None:
        """End the worker with all that it started; whoever waits for it learns that it died."""
        self._process.kill()
        # Its leader is dead, so the group grows no more; or it never came to lead one.
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._pid, signal.SIGKILL)

    def stop(self, grace: float = 0.0) -> int:
        """End the worker with all that it started, now or after some seconds; its exit code."""
        wait(self.handles[1:], grace)
        self.kill()
        self._process.join()
        self._connection.close()
        if self._pidfd is not None:
            os.close(self._pidfd)
        exit_code: int = self._process.exitcode
        return exit_code


GRACE = 2.0  # seconds that an idle worker may take to leave by itself


def _open_pidfd(pid: int) -> int | None:
    try:
        return os.pidfd_open(pid)
    except (AttributeError, OSError):  # not Linux, or one that has none
        return None


def _cause_of_death(exit_code: int) -> str:
    if exit_code < 0:
        return _KILLED.format(-exit_code, signal.strsignal(-exit_code))
    return _LEFT.format(exit_code)


def _serve(connection: Connection[Any, Any], memory_limit: int | None) -> None:
    """In the worker: do one piece of work after the other until the pipe is closed."""
    os.setsid()
    with _end_with_the_parent():
        if memory_limit is not None:
            # The hard limit stays: a worker inside this one may set its own.
            _, most = resource.getrlimit(resource.RLIMIT_AS)
            resource.setrlimit(resource.RLIMIT_AS, (memory_limit, most))
        with suppress(EOFError):
            while True:
                message = connection.recv_bytes()
                connection.send_bytes(_done(message, connection))
                # Freeze what is left (rules, tables), so that later collections skip it.
                gc.collect()
                gc.freeze()


@contextmanager
def _end_with_the_parent() -> Iterator[None]:
    """In the worker: a shell that kills the whole group when the parent's end of a pipe closes.

    It works where PR_SET_PDEATHSIG does not: for the worker's own children, in whichever thread the
    worker was started, and outside Linux.
    """
    parent = multiprocessing.parent_process()
    assert parent is not None
    with subprocess.Popen(
        ["/bin/sh", "-c", "read line; kill -9 0"], stdin=parent.sentinel
    ) as shell:
        try:
            yield
        finally:
            shell.kill()


def _done(message: bytes, connection: Connection[Any, Any]) -> bytes:
    """In the worker: the outcome of one piece of work."""
    try:
        work, arguments = pickle.loads(message)  # noqa: S301 - our own parent's
        connection.send_bytes(_BEGUN)
        return pickle.dumps(Outcome(value=work(*arguments)))
    except MemoryError:
        return pickle.dumps(Outcome(failure=Failure.MEMORY_LIMIT))
    except Exception as error:
        error.add_note(f"in the worker:\n{traceback.format_exc()}")
        return pickle.dumps(Outcome(error=_portable(error)))


def _portable(error: Exception) -> Exception:
    """The error itself if it survives the journey between processes, else one with its text."""
    try:
        copy = pickle.loads(pickle.dumps(error))  # noqa: S301 - made on this very line
    except Exception:  # whatever a class of errors raises when it is not made to be pickled
        copy = None
    if isinstance(copy, type(error)):
        return error
    return RuntimeError("\n".join([repr(error), *error.__notes__]))
