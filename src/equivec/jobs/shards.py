"""Numbered pieces of work ("shards"), done by worker processes here or on a Ray cluster.

A shard that loses its worker (killed, hung, out of memory) is tried again in a fresh one; what the
work itself raises is a bug and comes back at once.
"""

from __future__ import annotations

import atexit
import logging
from collections import Counter, deque
from dataclasses import dataclass, replace
from multiprocessing.connection import wait
from typing import TYPE_CHECKING, Any, Generic, Literal, Protocol, TypeVar, get_args

from equivec.errors import ConfigError, ShardError, require_at_least
from equivec.jobs.workers import GRACE, Failure, Outcome, Worker
from equivec.storage.environment import switched

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Self

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

Executor = Literal["local", "ray"]

_LOGGER = logging.getLogger(__name__)
_TIME_LIMIT = "it took longer than shard_time_limit ({} s); raise the limit or make shards smaller"
_MEMORY_LIMIT = "it ran out of memory; raise memory_limit or make shards smaller"
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
    # In seconds, from when its worker has read it; None: no limit.
    shard_time_limit: float | None = None
    # In bytes of address space, for the worker and for each process it starts; None: no limit.
    memory_limit: int | None = None
    # SymPy's cache only grows: a worker is replaced after this many shards (on Ray after each).
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
                if outcome.failure is None:
                    yield ShardDone(shard, outcome.value, attempts[shard])
                elif attempts[shard] < config.attempts:
                    _LOGGER.info("shard %d failed (%s); it is tried again", shard, outcome.failure)
                    # Last in the queue: a shard that cannot be done holds up no other.
                    waiting.append(shard)
                else:
                    raise ShardError(_given_up(shard, config, outcome))


def check_executor(config: ExecutorConfig) -> None:
    """Raise unless there is what workers need, before anything is written for them."""
    if config.executor == "ray":
        _import_ray()


def _given_up(shard: int, config: ExecutorConfig, last: Outcome) -> str:
    causes = {
        Failure.TIME_LIMIT: _TIME_LIMIT.format(config.shard_time_limit),
        Failure.MEMORY_LIMIT: _MEMORY_LIMIT,
        Failure.DIED: last.cause_of_death,
    }
    assert last.failure is not None
    times = "once" if config.attempts == 1 else f"{config.attempts} times, the last time"
    return f"shard {shard} failed {times} because {causes[last.failure]}"


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

    def wait(self) -> list[tuple[int, Outcome]]:
        """Attempts that have come to their end, at least one of them."""


class _LocalCrew:
    """Processes of this machine, started when they are needed."""

    def __init__(self, work: ShardWork[Any], config: ExecutorConfig) -> None:
        self._work = work
        self._config = config
        self._busy: dict[int, Worker] = {}
        self._idle: list[Worker] = []

    def __enter__(self) -> Self:
        # If nobody closes the generator, the exit of multiprocessing would wait for the workers.
        atexit.register(self._stop)
        return self

    def __exit__(self, kind: type[BaseException] | None, /, *_: object) -> None:
        if kind is None:
            _retire(self._idle)
            self._idle = []
        self._stop()
        atexit.unregister(self._stop)

    @property
    def is_busy(self) -> bool:
        return bool(self._busy)

    @property
    def has_room(self) -> bool:
        return len(self._busy) < self._config.workers

    def give(self, shard: int) -> None:
        # Spawned, not forked: the caller may have threads and open files.
        worker = self._idle.pop() if self._idle else Worker("spawn", self._config.memory_limit)
        self._busy[shard] = worker
        worker.give(self._work, (shard,), self._config.shard_time_limit or float("inf"))

    def wait(self) -> list[tuple[int, Outcome]]:
        ended: list[tuple[int, Outcome]] = []
        while not ended:
            handles = [handle for worker in self._busy.values() for handle in worker.handles]
            left = [worker.seconds_left for worker in self._busy.values()]
            ready = set(
                wait(handles, min((each for each in left if each is not None), default=None))
            )
            for shard, worker in list(self._busy.items()):
                outcome = worker.outcome(is_ready=not ready.isdisjoint(worker.handles))
                if outcome is not None:
                    del self._busy[shard]
                    self._keep_or_retire(worker, outcome)
                    ended.append((shard, outcome))
        return ended

    def _keep_or_retire(self, worker: Worker, outcome: Outcome) -> None:
        if outcome.is_value and worker.given < self._config.shards_per_worker:
            self._idle.append(worker)
        elif outcome.is_value:
            _retire([worker])

    def _stop(self) -> None:
        for worker in (*self._busy.values(), *self._idle):
            worker.stop()
        self._busy, self._idle = {}, []


def _retire(workers: Sequence[Worker]) -> None:
    """Let idle workers leave by themselves, all at the same time."""
    for worker in workers:
        worker.leave()
    for worker in workers:
        worker.stop(grace=GRACE)


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

    def wait(self) -> list[tuple[int, Outcome]]:
        ready, _ = self._ray.wait(list(self._shards))
        return [(self._shards.pop(reference), self._outcome(reference)) for reference in ready]

    def _outcome(self, reference: Any) -> Outcome:
        errors = self._ray.exceptions
        try:
            outcome = self._ray.get(reference)
        except (
            errors.WorkerCrashedError,
            errors.NodeDiedError,
            errors.OutOfMemoryError,
            errors.ObjectLostError,
        ) as error:
            cause = _LOST_BY_RAY.format(type(error).__name__)
            return Outcome(failure=Failure.DIED, cause_of_death=cause)
        assert isinstance(outcome, Outcome)
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


def _attempt_apart(work: ShardWork[Any], shard: int, config: ExecutorConfig) -> Outcome:
    """In a Ray task: the outcome of one attempt in a local worker."""
    with _LocalCrew(work, replace(config, workers=1)) as crew:
        crew.give(shard)
        [(_, outcome)] = crew.wait()
        return outcome


_CREWS: dict[Executor, type[_Crew]] = {"local": _LocalCrew, "ray": _RayCrew}
