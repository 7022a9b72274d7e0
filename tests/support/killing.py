"""Processes that are killed again and again, their children with them."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_PATIENCE = 240.0
_PLACES = [str(Path(__file__).parents[1]), *filter(None, [os.environ.get("PYTHONPATH")])]
_ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join(_PLACES)}


def run_killed(command: Sequence[str], folder: Path, kills: int) -> tuple[int, int]:
    """Kill -9 a command's process group so often while it writes a folder, then let it end.

    A moment is a number of new files, and not a time: no machine is too fast or too slow for it.
    The first kill comes with the first file. Returned: the exit code, and the kills.
    """
    generator = random.Random(3)
    for killed in range(kills):
        wanted = _files(folder) + (generator.randint(1, 4) if killed else 1)
        process = subprocess.Popen(command, start_new_session=True, env=_ENVIRONMENT)
        end = time.monotonic() + _PATIENCE
        while process.poll() is None and _files(folder) < wanted and time.monotonic() < end:
            time.sleep(0.002)
        if process.returncode is not None:
            return process.returncode, killed
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        if time.monotonic() >= end:
            raise TimeoutError(f"the command wrote no new file in {_PATIENCE:g} s")
    ended = subprocess.run(command, env=_ENVIRONMENT, timeout=_PATIENCE, check=False)
    return ended.returncode, kills


def _files(folder: Path) -> int:
    return sum(len(names) for _, _, names in os.walk(folder))
