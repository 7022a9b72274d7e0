"""Arrays of an index that stay on the disk, looked at as long as nobody touches their files."""

from __future__ import annotations

import os
import weakref
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from equivec.errors import FileFormatError

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Mapped:
    """An array and the file that it lies in.

    The system kills a process that looks at a part of a file that somebody has cut off. So the file
    is held open, and `check` asks before each search whether it is as it was.
    """

    path: Path
    array: NDArray[Any]
    _file: int
    _mark: tuple[int, int]

    @classmethod
    def open(cls, path: Path) -> Mapped:
        """The array that `np.save` wrote."""
        file = os.open(path, os.O_RDONLY)
        opened = cls(path, np.load(path, mmap_mode="r"), file, _mark(file))
        weakref.finalize(opened, os.close, file)
        return opened

    def check(self) -> None:
        """Raise if the file was cut off or written to."""
        if _mark(self._file) != self._mark:
            raise FileFormatError(f"{self.path} is damaged: it was changed while it was in use")


def _mark(file: int) -> tuple[int, int]:
    of = os.fstat(file)
    return of.st_size, of.st_mtime_ns
