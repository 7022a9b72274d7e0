"""Shards are done whatever happens to their workers, and nobody is left behind."""

from __future__ import annotations

import importlib
import importlib.util
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from unittest.mock import MagicMock

import pytest

from equivec.errors import ConfigError, FileFormatError
from equivec.jobs.shards import ExecutorConfig, ShardDone, ShardError, run_shards
from support import shard_work
from support.shard_work import survivors, workers

# Where processes of their own find the modules of the tests.
PYTHONPATH = os.pathsep.join([str(Path(__file__).parent.parent), *sys.path])


@pytest.fixture(autouse=True)
def nobody_is_left(tmp_path: Path):
    yield
    assert survivors(tmp_path) == []


def squares(shards) -> list[ShardDone[int]]:
    return [ShardDone(shard, shard * shard, 1) for shard in shards]


def in_order(done) -> list[ShardDone[int]]:
    return sorted(done, key=lambda each: each.shard)


@pytest.mark.parametrize("number", [1, 2, 5])
def test_all_shards_are_done_once_whatever_the_number_of_workers(tmp_path: Path, number) -> None:
    done = run_shards(shard_work.Square(tmp_path), range(3, 12), ExecutorConfig(workers=number))
    assert in_order(done) == squares(range(3, 12))
    assert len(workers(tmp_path)) <= number


def test_without_shards_nothing_is_started(tmp_path: Path) -> None:
    assert list(run_shards(shard_work.Square(tmp_path), [], ExecutorConfig())) == []
    assert workers(tmp_path) == set()


def test_a_worker_is_replaced_after_so_many_shards(tmp_path: Path) -> None:
    config = ExecutorConfig(workers=1, shards_per_worker=2)
    assert in_order(run_shards(shard_work.Square(tmp_path), range(5), config)) == squares(range(5))
    assert len(workers(tmp_path)) == 3


@pytest.mark.parametrize("work", [shard_work.DieOnce, shard_work.DieOnceAndLeaveAChild])
def test_a_shard_whose_worker_is_killed_is_tried_again(tmp_path: Path, work) -> None:
    done = in_order(run_shards(work(tmp_path, bad=2), range(5), ExecutorConfig()))
    assert done[2] == ShardDone(2, 4, attempts=2)
    assert done[:2] + done[3:] == squares([0, 1, 3, 4])


def test_a_shard_that_ran_out_of_memory_is_tried_again(tmp_path: Path) -> None:
    config = ExecutorConfig(memory_limit=1 << 30)
    done = in_order(run_shards(shard_work.BlowUpOnce(tmp_path, bad=0), range(2), config))
    assert done == [ShardDone(0, 0, attempts=2), ShardDone(1, 1, attempts=1)]


@pytest.mark.parametrize(
    ("work", "cause"),
    [
        (
            shard_work.Die,
            "its worker was killed by signal 9 (Killed); see whether the machine ran out of memory",
        ),
        (shard_work.BlowUp, "it ran out of memory; raise memory_limit or make shards smaller"),
        (shard_work.Leave, "its worker ended with exit code 7; see its last words above"),
    ],
)
def test_the_last_cause_is_named_when_the_queue_is_done(tmp_path: Path, work, cause) -> None:
    config = ExecutorConfig(workers=1, attempts=2, memory_limit=1 << 30)
    done = []
    with pytest.raises(ShardError) as error:
        done.extend(run_shards(work(tmp_path, bad=1), range(4), config))
    assert str(error.value) == f"shard 1 failed 2 times, the last time because {cause}"
    assert in_order(done) == squares([0, 2, 3])


def test_a_shard_that_hangs_is_given_up(tmp_path: Path) -> None:
    # No other shard is there: the start of a worker counts too, and a busy machine takes its time.
    config = ExecutorConfig(workers=1, attempts=2, shard_time_limit=4.0)
    with pytest.raises(ShardError) as error:
        list(run_shards(shard_work.HangInC(tmp_path, bad=1), [1], config))
    assert str(error.value) == (
        "shard 1 failed 2 times, the last time because it took longer than shard_time_limit "
        "(4.0 s); raise the limit or make shards smaller"
    )


def test_a_mistake_in_the_work_comes_back_at_once_as_it_is(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match="a bug in the work") as error:
        list(run_shards(shard_work.Mistake(tmp_path, bad=1), range(4), ExecutorConfig()))
    assert "shard_work.py" in error.value.__notes__[0]
    assert "in misbehave" in error.value.__notes__[0]


def test_an_error_that_cannot_travel_comes_back_as_text(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match=r"(?s)too stubborn to travel.*in misbehave"):
        list(run_shards(shard_work.StubbornMistake(tmp_path, bad=0), [0], ExecutorConfig()))


def test_a_result_that_cannot_travel_is_a_mistake(tmp_path: Path) -> None:
    with pytest.raises((AttributeError, TypeError), match="pickle"):
        list(run_shards(shard_work.Unpicklable(tmp_path), [0], ExecutorConfig()))


def test_closing_early_stops_all_workers_at_once(tmp_path: Path) -> None:
    done = run_shards(shard_work.Sleep(tmp_path, bad=0), range(5), ExecutorConfig(workers=3))
    assert next(done) == ShardDone(0, 0, 1)
    done.close()


def test_work_may_use_a_time_box(tmp_path: Path) -> None:
    config = ExecutorConfig(memory_limit=1 << 30)
    done = run_shards(shard_work.InATimeBox(tmp_path), range(2), config)
    assert in_order(done) == squares(range(2))


PARENT = """
import signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in what a shell runs behind
from pathlib import Path
from equivec.jobs.shards import ExecutorConfig, run_shards
from support import shard_work
work = getattr(shard_work, sys.argv[1])(Path(sys.argv[2]), bad=0)
shards = run_shards(work, range(3), ExecutorConfig())  # a name that outlives the interrupt
for done in shards:
    time.sleep(float(sys.argv[3]))
"""


@pytest.mark.parametrize("work", ["Sleep", "HangInC", "HangInATimeBox"])
def test_when_the_parent_is_killed_everyone_ends(tmp_path: Path, work: str) -> None:
    with parent(work, tmp_path, pause=0.0) as process:
        process.kill()
    assert process.returncode == -signal.SIGKILL
    assert survivors(tmp_path) == []


@pytest.mark.parametrize("pause", [0.0, 1000.0], ids=["waiting for workers", "in the caller"])
def test_an_interrupt_stops_everyone(tmp_path: Path, pause: float) -> None:
    with parent("Sleep", tmp_path, pause) as process:
        process.send_signal(signal.SIGINT)
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=60.0)
        process.kill()
    assert process.returncode == -signal.SIGINT


def parent(work: str, folder: Path, pause: float) -> subprocess.Popen[bytes]:
    """A process that runs three shards, once two workers have been at work for a moment."""
    process = subprocess.Popen(
        [sys.executable, "-c", PARENT, work, str(folder), str(pause)],
        env={**os.environ, "PYTHONPATH": PYTHONPATH},
        stderr=subprocess.DEVNULL,
    )
    end = time.monotonic() + 60.0
    while len(workers(folder)) < 2 and process.poll() is None and time.monotonic() < end:
        time.sleep(0.05)
    time.sleep(0.7)
    if len(workers(folder)) < 2 or process.poll() is not None:
        process.kill()
        process.wait()
        pytest.fail("two workers were never at work")
    return process


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"workers": 0}, "workers must be at least 1, not 0"),
        ({"attempts": 0}, "attempts must be at least 1, not 0"),
        ({"shards_per_worker": 0}, "shards_per_worker must be at least 1, not 0"),
        (
            {"shard_time_limit": 0},
            "shard_time_limit must be more than 0, or None for no limit, not 0",
        ),
        ({"memory_limit": -1}, "memory_limit must be more than 0, or None for no limit, not -1"),
        ({"executor": "dask"}, "executor must be 'local' or 'ray', not 'dask'"),
    ],
)
def test_settings_are_checked_at_birth(setting, message: str) -> None:
    with pytest.raises(ConfigError) as error:
        ExecutorConfig(**setting)
    assert str(error.value) == message


def test_without_ray_the_error_says_what_to_do(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ConfigError, match=r"run: pip install 'equivec\[ray\]', or take executor"):
        next(run_shards(shard_work.Square(tmp_path), [0], ExecutorConfig(executor="ray")))


@pytest.mark.parametrize(("own", "seen"), [(None, "0"), ("1", "1")])
def test_a_ray_of_our_own_does_not_report_its_use_unless_the_user_wants_it(
    tmp_path: Path, monkeypatch, own: str | None, seen: str
) -> None:
    name = "RAY_USAGE_STATS_ENABLED"
    monkeypatch.delenv(name, raising=False)
    if own is not None:
        monkeypatch.setenv(name, own)
    fake, found = MagicMock(), []
    fake.is_initialized.return_value = False
    fake.init.side_effect = lambda **_: found.append(os.environ.get(name))
    monkeypatch.setitem(sys.modules, "ray", fake)
    config = ExecutorConfig(executor="ray")
    assert list(run_shards(shard_work.Square(tmp_path), [], config)) == []
    assert (found, os.environ.get(name)) == ([seen], own)


needs_ray = pytest.mark.skipif(not importlib.util.find_spec("ray"), reason="Ray is not installed")


@pytest.fixture
def ray(monkeypatch):
    """Ray, whose nodes find the modules of the tests."""
    monkeypatch.setenv("PYTHONPATH", PYTHONPATH)
    return importlib.import_module("ray")


@needs_ray
def test_on_ray_a_shard_whose_worker_is_killed_is_tried_again(tmp_path: Path, ray) -> None:
    config = ExecutorConfig(executor="ray", workers=2)
    work = shard_work.KillTheParentOnce(tmp_path, bad=2)
    done = in_order(run_shards(work, range(5), config))
    assert done[2] == ShardDone(2, 4, attempts=2)
    assert done[:2] + done[3:] == squares([0, 1, 3, 4])
    assert not ray.is_initialized()


@needs_ray
def test_a_ray_that_runs_is_used_and_left_running(tmp_path: Path, ray) -> None:
    config = ExecutorConfig(executor="ray", attempts=1)
    ray.init(address="local", num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:
        with pytest.raises(FileFormatError, match="a bug in the work"):
            list(run_shards(shard_work.Mistake(tmp_path, bad=0), [0], config))
        hurried = replace(config, shard_time_limit=3.0)
        with pytest.raises(ShardError, match="shard 0 failed once because it took longer than"):
            list(run_shards(shard_work.HangInC(tmp_path, bad=0), [0], hurried))
        assert ray.is_initialized()
    finally:
        ray.shutdown()
