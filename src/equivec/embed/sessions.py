"""Sessions of onnxruntime: the one place that loads it, with its telemetry switched off.

Its builds report to their maker unless this variable is set while the library is loaded. Whoever
has set the variable, or has loaded the library before, has decided for the process.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from equivec.errors import FileFormatError
from equivec.storage.environment import switched

with switched("ORT_DISABLE_TELEMETRY", "1"):
    import onnxruntime

__all__ = ["onnxruntime", "open_session"]

# Its operator for a sum and the normalisation of it takes several times as long as the two apart.
_SLOW_REWRITINGS = ["SkipLayerNormFusion"]


# What goes wrong is in the error that is raised; it need not be on the screen as well.
_FATAL = 4


def open_session(path: Path, threads: int) -> Any:
    """The session of a graph's file."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = _FATAL
    if not _sums_are_exact():
        options.add_session_config_entry("session.x64quantprecision", "1")
    try:
        return onnxruntime.InferenceSession(
            str(path),
            options,
            providers=["CPUExecutionProvider"],
            disabled_optimizers=_SLOW_REWRITINGS,
        )
    except Exception as error:  # onnxruntime raises classes of its own making
        reason = str(error).splitlines()[0]
        raise FileFormatError(f"{path} is damaged: {reason}") from None


def _sums_are_exact() -> bool:
    """Whether the processor is known to sum products of eight bits without cutting sums off.

    Others of its kind have a slower way that is exact; onnxruntime does not choose it by itself.
    """
    try:
        return "vnni" in Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return False
