"""The user's environment: where the package keeps its cache, and switches that libraries read."""

from __future__ import annotations

import os
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from equivec.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator

CACHE = "EQUIVEC_CACHE"


def cache_folder() -> Path:
    """Where the package keeps what it can make again: in EQUIVEC_CACHE, or the user's cache."""
    if given := os.environ.get(CACHE):
        return Path(given)
    if shared := os.environ.get("XDG_CACHE_HOME"):
        return Path(shared) / "equivec"
    try:
        return Path.home() / ".cache" / "equivec"
    except RuntimeError:
        raise ConfigError(
            f"user {os.getuid()} has no home directory, so there is no place for the cache; "
            f"name a folder for it in {CACHE}"
        ) from None


@contextmanager
def switched(name: str, value: str) -> Iterator[None]:
    """Set an environment variable during the block, unless the user has set it.

    >>> with switched("LIBRARY_MAY_CALL_HOME", "0"):
    ...     os.environ["LIBRARY_MAY_CALL_HOME"]
    '0'
    >>> "LIBRARY_MAY_CALL_HOME" in os.environ
    False
    """
    if name in os.environ:
        yield
        return
    os.environ[name] = value
    try:
        yield
    finally:
        os.environ.pop(name, None)
