"""`scripts/demo`: it goes on after every verdict and ends at the first mistake."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

DEMO = Path(__file__).parents[2] / "scripts" / "demo"


@pytest.mark.parametrize(
    ("command", "code", "ends"),
    [("check", 1, 0), ("check", 3, 0), ("check", 4, 0), ("check", 2, 2), ("search", 1, 1)],
)
def test_only_a_verdict_may_have_another_exit_code_than_0(
    tmp_path: Path, command: str, code: int, ends: int
) -> None:
    equivec = tmp_path / ".venv" / "bin" / "equivec"
    equivec.parent.mkdir(parents=True)
    equivec.write_text(f'#!/bin/sh\n[ "$1" != {command} ] || exit {code}\n')
    equivec.chmod(0o755)
    (tmp_path / "scripts").mkdir()
    demo = shutil.copy(DEMO, tmp_path / "scripts" / "demo")
    done = subprocess.run([demo], capture_output=True, check=False, timeout=60)
    assert done.returncode == ends
