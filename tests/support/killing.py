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

_ATTEMPTS, _PATIENCE = 60, 240.0
_ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}


def run_killed(
    command: Sequence[str], kills: int, soonest: float, latest: float
) -> tuple[int | None, int]:
    """Kill -9 a command's process group so often, at random moments, then let it end.

    Its exit code, and how often it was killed.
    """
    generator = random.Random(3)
    for attempt in range(_ATTEMPTS):
        process = subprocess.Popen(command, start_new_session=True, env=_ENVIRONMENT)
        try:
            process.wait(generator.uniform(soonest, latest) if attempt < kills else _PATIENCE)
            break
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            time.sleep(0.2)
    return process.returncode, attempt
