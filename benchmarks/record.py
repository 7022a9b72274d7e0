"""Results on disk: the numbers, and what it takes to measure them again."""

from __future__ import annotations

import json
import os
import platform
import subprocess
from contextlib import suppress
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_PACKAGES = ("numpy", "sympy", "python-flint", "torch", "onnxruntime", "faiss-cpu")


def save_results(
    path: Path, *, command: str, seed: int, rows: Sequence[Mapping[str, Any]], commit: str = ""
) -> None:
    """Write rows as JSON, with the command, the commit, the machine and the date beside them."""
    results = {
        "command": command,
        "commit": commit or _commit(),
        "seed": seed,
        "machine": _machine(),
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "rows": list(rows),
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")


def _machine() -> dict[str, Any]:
    return {
        "cpu": _cpu_model(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        **_versions(),
    }


def _versions() -> dict[str, str]:
    """The versions of the packages that matter, as far as they are installed."""
    found = {}
    for package in _PACKAGES:
        with suppress(PackageNotFoundError):
            found[package] = version(package)
    return found


def _cpu_model() -> str:
    """The processor's name, where the system tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or "unknown"
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else "unknown"


def _commit() -> str:
    """The commit that the numbers belong to, if this is a checkout."""
    command = ["git", "rev-parse", "--short", "HEAD"]
    try:
        answer = subprocess.run(  # noqa: S603
            command, capture_output=True, text=True, check=True, cwd=Path(__file__).parent
        )
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return answer.stdout.strip()
