"""What it takes to measure a number again: the command, the commit, the seed, the machine."""

from __future__ import annotations

import os
import platform
import subprocess
from contextlib import suppress
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from equivec import __version__

_PACKAGES = ("numpy", "sympy", "python-flint", "torch", "onnxruntime", "faiss-cpu")
_CHECKOUT = Path(__file__).parents[3]


def provenance(command: str, seed: int | None = None, commit: str = "") -> dict[str, Any]:
    """What a file of results says of itself.

    >>> sorted(provenance("equivec benchmark default", seed=42))
    ['command', 'commit', 'date', 'machine', 'seed']
    """
    return {
        "command": command,
        "commit": commit or _commit(),
        "seed": seed,
        "machine": machine(),
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def machine() -> dict[str, Any]:
    """The processor, and the versions of the packages that matter, as far as they are there."""
    found = {"cpu": _cpu_model(), "cores": os.cpu_count(), "python": platform.python_version()}
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
    """The commit of the checkout that this package lies in, or the version that is installed.

    Where a copy of a checkout has no history, EQUIVEC_COMMIT can say it.
    """
    if named := os.environ.get("EQUIVEC_COMMIT"):
        return named
    if not (_CHECKOUT / "src" / "equivec").is_dir():
        return f"equivec {__version__}"
    command = ["git", "rev-parse", "--short", "HEAD"]
    try:
        answer = subprocess.run(  # noqa: S603
            command, capture_output=True, text=True, check=True, cwd=_CHECKOUT
        )
    except (OSError, subprocess.CalledProcessError):
        return f"equivec {__version__}"
    return answer.stdout.strip()
