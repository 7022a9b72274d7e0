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


def run(
    *arguments: str,
    stdin: str | bytes = "",
    without: tuple[str, ...] = (),
    program: str = "equivec.cli.main",
) -> Result:
    """Run `equivec`, or another program, where some modules cannot be imported."""
    code = (
        f"import sys; sys.modules.update(dict.fromkeys({without!r})); "
        f"from {program} import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        input=stdin.encode() if isinstance(stdin, str) else stdin,
        capture_output=True,
        check=False,
        timeout=120,
    )
    return Result(done.stdout.decode(), done.stderr.decode(), done.returncode)
