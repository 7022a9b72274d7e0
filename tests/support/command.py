"""The command line as a user has it: a process of its own."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass


@dataclass(frozen=True)
class Result:
    """What a command left behind."""

    stdout: str
    stderr: str
    code: int


def run(*arguments: str, stdin: str | bytes = "") -> Result:
    """Run `equivec` with the arguments."""
    done = subprocess.run(
        [sys.executable, "-c", "from equivec.cli.main import main; main()", *arguments],
        input=stdin.encode() if isinstance(stdin, str) else stdin,
        capture_output=True,
        check=False,
        timeout=120,
    )
    return Result(done.stdout.decode(), done.stderr.decode(), done.returncode)
