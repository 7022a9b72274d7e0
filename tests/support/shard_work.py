"""Shards that do to their workers what can happen to workers, and a look at who survived.

Every work leaves a file named after its process: the worker leads a session, so that the session
of that number holds the worker and all it started.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from equivec.errors import FileFormatError
from equivec.jobs.timebox import TimeBox, TimeBoxConfig


@dataclass(frozen=True)
class Square:
    """The square of the shard; the bad shard does something else first."""

    folder: Path
    bad: int = -1

    def __call__(self, shard: int) -> int:
        (self.folder / f"{os.getpid()}.worker").touch()
        if shard == self.bad:
            self.misbehave()
        return shard * shard

    def misbehave(self) -> None:
        raise NotImplementedError

    def is_first_attempt(self) -> bool:
        try:
            (self.folder / "attempted").touch(exist_ok=False)
        except FileExistsError:
            return False
        return True


class DieOnce(Square):
    def misbehave(self) -> None:
        if self.is_first_attempt():
            os.kill(os.getpid(), signal.SIGKILL)


class Die(Square):
    def misbehave(self) -> None:
        os.kill(os.getpid(), signal.SIGKILL)


class DieOnceAndLeaveAChild(Square):
    def misbehave(self) -> None:
        if self.is_first_attempt():
            if os.fork() == 0:
                time.sleep(1000)
            os.kill(os.getpid(), signal.SIGKILL)


class KillTheParentOnce(Square):
    """On Ray that is the worker of Ray."""

    def misbehave(self) -> None:
        if self.is_first_attempt():
            os.kill(os.getppid(), signal.SIGKILL)
            time.sleep(1000)


class HangInC(Square):
    """The worker and a child of it hang where no Python code runs any more."""

    def misbehave(self) -> None:
        subprocess.Popen(["sleep", "1000"])
        re.match(r"(a+)+$", "a" * 60 + "b")


class Sleep(Square):
    """Every shard but the bad one sleeps, beside a child that ignores signals."""

    def __call__(self, shard: int) -> int:
        if shard != self.bad:
            subprocess.Popen(["sh", "-c", "trap '' TERM INT HUP; sleep 1000"])
            (self.folder / f"{os.getpid()}.worker").touch()
            time.sleep(1000)
        return super().__call__(shard)

    def misbehave(self) -> None:
        pass


class BlowUp(Square):
    def misbehave(self) -> None:
        bytearray(1 << 40)


class BlowUpOnce(Square):
    def misbehave(self) -> None:
        if self.is_first_attempt():
            bytearray(4 << 30)


class Leave(Square):
    def misbehave(self) -> None:
        raise SystemExit(7)


class Mistake(Square):
    def misbehave(self) -> None:
        raise FileFormatError("a bug in the work")


class StubbornError(Exception):
    """Cannot be pickled: it is made from two arguments and keeps one."""

    def __init__(self, left: str, right: str) -> None:
        super().__init__(left + right)


class StubbornMistake(Square):
    def misbehave(self) -> None:
        raise StubbornError("too stubborn ", "to travel")


class Unpicklable(Square):
    def __call__(self, shard: int) -> int:
        return lambda: shard


class InATimeBox(Square):
    """One shard in a time box; the box loses a worker and goes on."""

    def __call__(self, shard: int) -> int:
        (self.folder / f"{os.getpid()}.worker").touch()
        with TimeBox(TimeBoxConfig(time_limit=1.0)) as box:
            assert box.run(re.match, r"(a+)+$", "a" * 60 + "b").value is None
        with TimeBox(TimeBoxConfig(time_limit=60)) as box:
            return box.run(pow, shard, 2).value


class HangInATimeBox(Square):
    """The time box's own worker is the one that hangs in C code."""

    def misbehave(self) -> None:
        with TimeBox(TimeBoxConfig(time_limit=1000)) as box:
            box.run(re.match, r"(a+)+$", "a" * 60 + "b")


def workers(folder: Path) -> set[int]:
    """The processes that worked, dead or alive."""
    return {int(path.stem) for path in folder.glob("*.worker")}


def survivors(folder: Path, patience: float = 60.0) -> list[str]:
    """Who lives on in the sessions of the workers; a killed process takes a moment to go."""
    end = time.monotonic() + patience
    while (alive := _alive(workers(folder))) and time.monotonic() < end:
        time.sleep(0.05)
    return alive


def _alive(sessions: set[int]) -> list[str]:
    stats = [_read(path) for path in Path("/proc").glob("[0-9]*/stat")]
    return [stat for stat in stats if stat and _is_alive_in(stat, sessions)]


def _read(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:  # it has just ended
        return ""


def _is_alive_in(stat: str, sessions: set[int]) -> bool:
    state, _, _, session = stat.rpartition(")")[2].split()[:4]
    return int(session) in sessions and state not in "ZX"
