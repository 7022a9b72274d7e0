"""What every evaluation returns: a frozen dataclass of plain values that JSON can hold."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any


class Result:
    """The base of the results, which are dataclasses."""

    __slots__ = ()

    def to_json(self) -> dict[str, Any]:
        """The result as JSON has it."""
        return asdict(self)  # type: ignore[call-overload, no-any-return]
