"""Numbered pieces of work ("shards"), done by worker processes here or on a Ray cluster.

A shard that loses its worker (killed, hung, out of memory) is tried again in a fresh one; what the
work itself raises is a bug and comes back at once. A worker may start processes of its own: they
form a group that ends with the worker, when the caller stops early, and when the caller is killed.
"""

from __future__ import annotations

import atexit
import gc
import multiprocessing
import os
import pickle
import resource
import signal
import subprocess
import time
import traceback
from collections import Counter, deque
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from multiprocessing.connection import wait
from typing import TYPE_CHECKING, Any, Generic, Literal, Protocol, TypeVar, get_args

from equivec.errors import ConfigError, ShardError, require_at_least
from equivec.storage.environment import switched

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from multiprocessing.connection import Connection
    from typing import Self

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

Executor = Literal["local", "ray"]

# What an idle worker may take to leave by itself, so that its temporary folders go with it.
_GRACE = 2.0

_TIME_LIMIT = "it took longer than shard_time_limit ({} s); raise the limit or make shards smaller"
_MEMORY_LIMIT = "it ran out of memory; raise memory_limit or make shards smaller"
_KILLED = "its worker was killed by signal {} ({}); see whether the machine ran out of memory"
_LEFT = "its worker ended with exit code {}; see its last words above"
_LOST_BY_RAY = "Ray lost its worker ({}); see whether the node ran out of memory"


class ShardWork(Protocol[T_co]):
    """Work that can be pickled, writes its own file whole, and returns something small.

    For Ray it must be defined in a module that every node can import.
    """

    def __call__(self, shard: int, /) -> T_co:
        """Do one shard."""


@dataclass(frozen=True, slots=True)
class ShardDone(Generic[T]):
    """A finished shard, what its work returned, and how many attempts that took."""

    shard: int
    value: T
    attempts: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecutorConfig:
    """Where shards are worked on, how many at once, and what one may cost."""

    workers: int = 2
    executor: Executor = "local"
    attempts: int = 3
    # In seconds, the start of the worker included; None: no limit.
    shard_time_limit: float | None = None
    # In bytes of address space, for the worker and for each process it starts; None: no limit.
    memory_limit: int | None = None
    # SymPy's cache only grows: a worker is replaced after so many shards (on Ray after each).
    shards_per_worker: int = 50
    # The Ray cluster to join; None: one of `workers` processors is started on this machine.
    address: str | None = None

    def __post_init__(self) -> None:
        require_at_least(
            1,
            workers=self.workers,
            attempts=self.attempts,
            shards_per_worker=self.shards_per_worker,
        )
        for name in ("shard_time_limit", "memory_limit"):
            limit = getattr(self, name)
            if limit is not None and limit <= 0:
                raise ConfigError(f"{name} must be more than 0, or None for no limit, not {limit}")
        if self.executor not in get_args(Executor):
            choices = " or ".join(map(repr, get_args(Executor)))
            raise ConfigError(f"executor must be {choices}, not {self.executor!r}")


def run_shards(
    work: ShardWork[T], shards: Sequence[int], config: ExecutorConfig
) -> Iterator[ShardDone[T]]:
    """The shards as they finish, in any order; closing the iterator stops all workers at once.

    >>> done = run_shards(abs, [0, 1], ExecutorConfig(workers=1))
    >>> sorted((each.shard, each.value) for each in done)
    [(0, 0), (1, 1)]
    """
    waiting, attempts = deque(shards), Counter[int]()
    with _CREWS[config.executor](work, config) as crew:
        while waiting or crew.is_busy:
            while waiting and crew.has_room:
                attempts[waiting[0]] += 1
                crew.give(waiting.popleft())
            for shard, outcome in crew.wait():
                if outcome.error is not None:
                    raise outcome.error
                if outcome.cause is None:
                    yield ShardDone(shard, outcome.value, attempts[shard])
                elif attempts[shard] < config.attempts:
                    # Last in the queue: a shard that cannot be done holds up no other.
                    waiting.append(shard)
                else:
                    raise ShardError(_given_up(shard, config.attempts, outcome.cause))


def check_executor(config: ExecutorConfig) -> None:
    """Raise unless there is what workers need, before anything is written for them."""
    if config.executor == "ray":
        _import_ray()


def _given_up(shard: int, attempts: int, cause: str) -> str:
    times = "once" if attempts == 1 else f"{attempts} times, the last time"
    return f"shard {shard} failed {times} because {cause}"


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What one attempt came to: a value, the cause why there is none, or the work's own error."""

    value: Any = None
    cause: str | None = None
    error: Exception | None = None

    @property
    def has_failed(self) -> bool:
        return self.cause is not None or self.error is not None


class _Crew(Protocol):
    """Workers that take shards and give back outcomes; left with an error, they stop at once."""

    def __init__(self, work: ShardWork[Any], config: ExecutorConfig) -> None: ...

    def __enter__(self) -> Self: ...

    def __exit__(self, kind: type[BaseException] | None, /, *_: object) -> None: ...

    @property
    def is_busy(self) -> bool:
        """Whether a shard is being worked on."""

    @property
    def has_room(self) -> bool:
        """Whether one more shard may be given."""

    def give(self, shard: int) -> None:
        """Begin an attempt at a shard."""

    def wait(self) -> list[tuple[int, _Outcome]]:
        """Attempts that have come to their end, at least one of them."""


class _LocalCrew:
    """Processes of this machine, started when they are needed."""

    def __init__(self, work: ShardWork[Any], config: ExecutorConfig) -> None:
        self._work = work
        self._config = config
        self._busy: list[_Worker] = []
        self._idle: list[_Worker] = []

    def __enter__(self) -> Self:
        # If nobody closes the generator, the exit of multiprocessing would wait for the workers.
        atexit.register(self._stop)
        return self

    def __exit__(self, kind: type[BaseException] | None, /, *_: object) -> None:
        if kind is None:
            self._retire(self._idle)
        self._stop()
        atexit.unregister(self._stop)

    @property
    def is_busy(self) -> bool:
        return bool(self._busy)

    @property
    def has_room(self) -> bool:
        return len(self._busy) < self._config.workers

    def give(self, shard: int) -> None:
        worker = self._idle.pop() if self._idle else _Worker(self._config)
        self._busy.append(worker)
        worker.give(self._work, shard)

    def wait(self) -> list[tuple[int, _Outcome]]:
        ended: list[tuple[int, _Outcome]] = []
        while not ended:
            handles = [handle for worker in self._busy for handle in worker.handles]
            ready = set(wait(handles, self._seconds_to_deadline()))
            for worker in list(self._busy):
                outcome = worker.outcome(is_ready=not ready.isdisjoint(worker.handles))
                if outcome is not None:
                    self._busy.remove(worker)
                    self._keep_or_retire(worker, outcome)
                    ended.append((worker.shard, outcome))
        return ended

    def _seconds_to_deadline(self) -> float | None:
        if self._config.shard_time_limit is None:
            return None
        return max(0.0, min(worker.deadline for worker in self._busy) - time.monotonic())

    def _keep_or_retire(self, worker: _Worker, outcome: _Outcome) -> None:
        if outcome.has_failed:
            return
        if worker.shards_given < self._config.shards_per_worker:
            self._idle.append(worker)
        else:
            self._retire([worker])

    def _retire(self, workers: list[_Worker]) -> None:
        for worker in workers:
            worker.connection.close()
        while workers:
            workers.pop().stop(grace=_GRACE)

    def _stop(self) -> None:
        for workers in (self._busy, self._idle):
            while workers:
                workers.pop().stop()


class _Worker:
    """One process, the group of processes it leads, and our end of its pipe."""

    def __init__(self, config: ExecutorConfig) -> None:
        # Spawned, not forked: the caller may have threads and open files.
        context = multiprocessing.get_context("spawn")
        self.shard = -1
        self.shards_given = 0
        self.deadline = float("inf")
        self._time_limit = config.shard_time_limit
        self.connection, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, config.memory_limit))
        self._process.start()
        theirs.close()
        self._pidfd = _open_pidfd(self._pid)

    @property
    def handles(self) -> tuple[Connection[Any, Any], int]:
        """What becomes readable when the worker has answered, and when it has ended."""
        # The sentinel stays silent while a forked child of the worker lives on; a pidfd does not.
        return self.connection, self._process.sentinel if self._pidfd is None else self._pidfd

    @property
    def _pid(self) -> int:
        assert self._process.pid is not None
        return self._process.pid

    def give(self, work: ShardWork[Any], shard: int) -> None:
        """Begin an attempt."""
        self.shard = shard
        self.shards_given += 1
        if self._time_limit is not None:
            self.deadline = time.monotonic() + self._time_limit
        # A worker that died in the meantime shows when it is waited for.
        with suppress(BrokenPipeError, ConnectionResetError):
            self.connection.send_bytes(pickle.dumps((work, shard)))

    def outcome(self, *, is_ready: bool) -> _Outcome | None:
        """What the attempt came to, None while it goes on; after a failure the worker is gone."""
        if is_ready:
            outcome = self._answer()
            if outcome is None:
                return _Outcome(cause=_cause_of_death(self.stop(grace=_GRACE)))
        elif time.monotonic() >= self.deadline:
            outcome = _Outcome(cause=_TIME_LIMIT.format(self._time_limit))
        else:
            return None
        if outcome.has_failed:
            self.stop()
        return outcome

    def _answer(self) -> _Outcome | None:
        """What the worker sent; None if it ended without a word."""
        try:
            if not self.connection.poll():
                return None
            answer = pickle.loads(self.connection.recv_bytes())  # noqa: S301 - our own worker's
        except (EOFError, ConnectionResetError):
            return None
        assert isinstance(answer, _Outcome)
        return answer

    def stop(self, grace: float = 0.0) -> int:
        """End the worker with all it started, now or after a time of grace; its exit code."""
        wait(self.handles[1:], grace)
        self._process.kill()
        # Its leader is dead, so the group grows no more; or it never came to lead one.
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._pid, signal.SIGKILL)
        self._process.join()
        self.connection.close()
        if self._pidfd is not None:
            os.close(self._pidfd)
        assert self._process.exitcode is not None
        return self._process.exitcode


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
    """In the worker: attempt one shard after the other until the pipe is closed."""
    os.setsid()
    with _end_with_the_parent():
        if memory_limit is not None:
            # The hard limit stays: a time box inside may set its own.
            _, most = resource.getrlimit(resource.RLIMIT_AS)
            resource.setrlimit(resource.RLIMIT_AS, (memory_limit, most))
        with suppress(EOFError):
            while True:
                connection.send_bytes(_attempt(connection.recv_bytes()))
                # What is left stays, as the rules do: no collection need walk through it again.
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


def _attempt(message: bytes) -> bytes:
    """In the worker: the outcome of one attempt."""
    try:
        work, shard = pickle.loads(message)  # noqa: S301 - our own parent's
        return pickle.dumps(_Outcome(value=work(shard)))
    except MemoryError:
        return pickle.dumps(_Outcome(cause=_MEMORY_LIMIT))
    except Exception as error:
        error.add_note(f"in the worker:\n{traceback.format_exc()}")
        return pickle.dumps(_Outcome(error=_portable(error)))


def _portable(error: Exception) -> Exception:
    """The error itself if it survives the journey between processes, else one with its text."""
    try:
        copy = pickle.loads(pickle.dumps(error))  # noqa: S301 - made on this very line
    except Exception:  # whatever a class of errors raises when it is not made to be pickled
        copy = None
    if isinstance(copy, type(error)):
        return error
    return RuntimeError("\n".join([repr(error), *error.__notes__]))


class _RayCrew:
    """Tasks of a Ray cluster, each with a local worker of its own, so that the limits are the same.

    Ray is told not to retry: what is retried, how often, and under which name is decided once.
    """

    def __init__(self, work: ShardWork[Any], config: ExecutorConfig) -> None:
        self._work = work
        self._config = config
        self._ray = _import_ray()
        self._shards: dict[Any, int] = {}

    def __enter__(self) -> Self:
        self._is_ours = not self._ray.is_initialized()
        if self._is_ours:
            self._connect()
        self._task = self._ray.remote(num_cpus=1, max_retries=0)(_attempt_apart)
        return self

    def _connect(self) -> None:
        start = {"num_cpus": self._config.workers, "include_dashboard": False}
        # A cluster of our own would report its use to its maker.
        with switched("RAY_USAGE_STATS_ENABLED", "0"):
            self._ray.init(
                address=self._config.address or "local",
                log_to_driver=False,
                logging_level="ERROR",
                **({} if self._config.address else start),
            )

    def __exit__(self, *_: object) -> None:
        for reference in self._shards:
            self._ray.cancel(reference, force=True)
        if self._is_ours:
            self._ray.shutdown()

    @property
    def is_busy(self) -> bool:
        return bool(self._shards)

    @property
    def has_room(self) -> bool:
        # Twice the workers: the next task is on its node when the last one ends.
        return len(self._shards) < 2 * self._config.workers

    def give(self, shard: int) -> None:
        self._shards[self._task.remote(self._work, shard, self._config)] = shard

    def wait(self) -> list[tuple[int, _Outcome]]:
        ready, _ = self._ray.wait(list(self._shards))
        return [(self._shards.pop(reference), self._outcome(reference)) for reference in ready]

    def _outcome(self, reference: Any) -> _Outcome:
        errors = self._ray.exceptions
        try:
            outcome = self._ray.get(reference)
        except (
            errors.WorkerCrashedError,
            errors.NodeDiedError,
            errors.OutOfMemoryError,
            errors.ObjectLostError,
        ) as error:
            return _Outcome(cause=_LOST_BY_RAY.format(type(error).__name__))
        assert isinstance(outcome, _Outcome)
        return outcome


def _import_ray() -> Any:
    try:
        import ray
    except ImportError as error:
        raise ConfigError(
            "executor 'ray' needs Ray, which is not installed; "
            "run: pip install 'equivec[ray]', or take executor 'local'"
        ) from error
    return ray


def _attempt_apart(work: ShardWork[Any], shard: int, config: ExecutorConfig) -> _Outcome:
    """In a Ray task: the outcome of one attempt in a local worker."""
    with _LocalCrew(work, replace(config, workers=1)) as crew:
        crew.give(shard)
        [(_, outcome)] = crew.wait()
        return outcome


_CREWS: dict[Executor, type[_Crew]] = {"local": _LocalCrew, "ray": _RayCrew}
