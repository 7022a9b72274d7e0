"""What processes do to an index while somebody kills them."""

from __future__ import annotations

import json
import os
import signal
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from equivec.search.index import Index, IndexConfig, open_store
from support.encoders import FakeEncoder

if TYPE_CHECKING:
    from collections.abc import Iterator

# What is done to an index, in order: each line is acknowledged when its call has returned.
STEPS = (
    ("build", ("sin(x)", "x + 1", "x + 2", "cos(x)", "x*y", "tan(x)")),
    ("add", ("x + 3", "x + 4", "x + 5")),
    ("remove", ("x + 2", "x + 4")),
    ("add", ("exp(x)",)),
    ("tune", ()),
    ("add", ("x + 2", "log(x)")),
)


def do_all(folder: Path, acknowledged: Path, kill_at: int) -> None:
    """Do the steps; die without a word just before a file is renamed or deleted so often."""
    with dying_at(kill_at):
        for kind, expressions in STEPS:
            do(kind, folder, list(expressions))
            with acknowledged.open("a", encoding="utf-8") as file:
                file.write(json.dumps([kind, expressions]) + "\n")


def do(kind: str, folder: Path, expressions: list[str]) -> None:
    """One step."""
    if kind == "build":
        Index.build(expressions, FakeEncoder(), folder, IndexConfig(batch=2))
        return
    index = Index.open(folder, FakeEncoder())
    if kind == "tune":
        with index.store.writing():
            index.store.tune()
    else:
        getattr(index, kind)(expressions)


@contextmanager
def dying_at(count: int) -> Iterator[None]:
    """Kill this process, as kill -9 does, at the count-th rename or deletion."""
    left = [count]

    def deadly(real):
        def call(*arguments, **options):
            # Clearing away what may not be there changes nothing.
            left[0] -= "missing_ok" not in options
            if left[0] < 0:
                os.kill(os.getpid(), signal.SIGKILL)
            return real(*arguments, **options)

        return call

    Path.replace = deadly(Path.replace)
    Path.unlink = deadly(Path.unlink)
    yield


def add_for_ever(folder: Path, acknowledged: Path) -> None:
    """Add expressions one after the other and say so each time."""
    index = Index.open(folder, FakeEncoder())
    for number in range(10_000):
        index.add([f"x + {number}"])
        with acknowledged.open("a", encoding="utf-8") as file:
            file.write(json.dumps(["add", [f"x + {number}"]]) + "\n")


def hold_the_lock(folder: Path, signal_file: Path) -> None:
    """Begin to write and never end."""
    with open_store(folder).writing():
        signal_file.touch()
        time.sleep(600)
