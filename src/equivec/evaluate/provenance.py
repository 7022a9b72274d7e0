"""What it takes to measure a number again: the command, the commit, the seed, the machine."""

from __future__ import annotations

import os
import platform
import subprocess
from contextlib import suppress
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from equivec import __version__

_PACKAGES = (
    *("numpy", "sympy", "python-flint", "torch", "onnxruntime", "faiss-cpu"),
    *("numba", "scikit-learn"),
)
_CODE = ("src", "benchmarks", "scripts")  # what a result depends on
_CHECKOUT = Path(__file__).parents[3]


def provenance(command: str, seed: int | None = None, commit: str = "") -> dict[str, Any]:
    """What a file of results says of itself.

    >>> sorted(provenance("equivec evaluate benchmark default", seed=42))
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
    """The commit of the code; where a copy has no history, EQUIVEC_COMMIT can say it."""
    return os.environ.get("EQUIVEC_COMMIT") or _checked_out()


@cache
def _checked_out() -> str:
    """The commit of the checkout that this package lies in, or the version that is installed.

    Code that is not committed is said to be there. A process asks once: it does not run code that
    is changed while it runs.
    """
    if not (_CHECKOUT / "src" / "equivec").is_dir():
        return f"equivec {__version__}"
    try:
        commit = _git("rev-parse", "--short", "HEAD")
        has_changes = bool(_git("status", "--porcelain", "--", *_CODE))
    except (OSError, subprocess.CalledProcessError):
        return f"equivec {__version__}"
    return f"{commit} with changes" if has_changes else commit


def _git(*arguments: str) -> str:
    answer = subprocess.run(  # noqa: S603
        ["git", *arguments],  # noqa: S607
        capture_output=True,
        text=True,
        check=True,
        cwd=_CHECKOUT,
    )
    return answer.stdout.strip()
