"""The time box: it survives what work can do to a worker, and the other work goes on."""

from __future__ import annotations

import os
import re
import signal
import threading
import time

import pytest

from equivec.errors import ConfigError
from equivec.jobs.timebox import Answer, Failure, TimeBox, TimeBoxConfig


def hang_in_c() -> bool:
    return re.match(r"(a+)+$", "a" * 60 + "b") is None


def ignore_signals_and_sleep() -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    time.sleep(1000)


def blow_up() -> int:
    return len(bytearray(1 << 40))


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def double(number: int) -> int:
    return 2 * number


def mistake() -> None:
    raise ZeroDivisionError("a bug in the work")


@pytest.fixture(scope="module")
def box():
    with TimeBox(TimeBoxConfig(time_limit=60, workers=2)) as box:
        yield box


@pytest.fixture(scope="module")
def hasty():
    """A box for work that never ends; on a busy machine other work may take too long for it."""
    with TimeBox(TimeBoxConfig(time_limit=0.5, workers=2)) as box:
        yield box


@pytest.mark.parametrize("work", [hang_in_c, ignore_signals_and_sleep])
def test_work_that_never_ends_is_stopped_and_its_worker_replaced(hasty, work) -> None:
    assert hasty.run(work) == Answer(None, Failure.TIME_LIMIT)
    assert Answer(2) in (hasty.run(double, 1) for _ in range(100))


@pytest.mark.parametrize(
    ("work", "failure"), [(blow_up, Failure.MEMORY_LIMIT), (die, Failure.DIED)]
)
def test_a_lost_worker_is_an_outcome_and_the_others_go_on(box, work, failure: Failure) -> None:
    assert box.run(work) == Answer(None, failure)
    assert list(box.map(double, [(1,), (2,), (3,)])) == [Answer(2), Answer(4), Answer(6)]


def test_a_worker_that_dies_while_it_has_nothing_to_do_is_replaced() -> None:
    with TimeBox(TimeBoxConfig(time_limit=60)) as box:
        os.kill(box.run(os.getpid).value, signal.SIGKILL)
        # Whoever asks before the death is noticed is told of it.
        assert box.run(double, 1) in (Answer(2), Answer(None, Failure.DIED))
        assert box.run(double, 2) == Answer(4)
    with pytest.raises(RuntimeError, match="the time box is closed"):
        box.run(double, 3)


def test_a_mistake_in_the_work_comes_back_as_it_is(box) -> None:
    with pytest.raises(ZeroDivisionError, match="a bug in the work"):
        box.run(mistake)


def test_the_limit_holds_from_any_thread(hasty) -> None:
    answers: list[Answer[bool]] = []
    thread = threading.Thread(target=lambda: answers.append(hasty.run(hang_in_c)))
    thread.start()
    thread.join()
    assert answers == [Answer(None, Failure.TIME_LIMIT)]


def test_settings_are_checked_at_birth() -> None:
    with pytest.raises(ConfigError, match="time_limit must be more than 0 seconds, not 0"):
        TimeBoxConfig(time_limit=0)
    with pytest.raises(ConfigError, match="workers must be at least 1, not 0"):
        TimeBoxConfig(workers=0)
