"""The index that there is without building one: bundled expressions, and vectors made once.

The expressions come with the package. Their vectors depend on the model, so they are made when they
are first asked for and kept in the user's cache, in a folder named by what they were made from.
"""

from __future__ import annotations

import fcntl
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from equivec import __version__
from equivec.errors import ConfigError
from equivec.expression.files import read_expressions
from equivec.search.encoder import Encoder
from equivec.search.folder import FolderStore
from equivec.search.index import Index
from equivec.search.manifest import read_manifest
from equivec.storage.checksums import remembered_checksum
from equivec.storage.environment import CACHE, cache_folder
from equivec.storage.files import NO_ROOM

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from equivec.search.index import IndexProgress

# Made by scripts/make_default_index.py.
EXPRESSIONS = Path(__file__).parent / "data" / "expressions.txt.gz"


class Model(Encoder, Protocol):
    """An encoder that can tell which numbers it is made of."""

    @property
    def checksum(self) -> str:
        """The same for the same vectors, whatever the model is called."""


def default_folder(model: Model, expressions: Path) -> Path:
    """Where the default index of a model is kept: in EQUIVEC_CACHE, or the user's cache."""
    # The keys are the judge's, so they may change with the version.
    made_from = f"{__version__} {model.checksum} {remembered_checksum(expressions)}"
    name = f"index-{sha256(made_from.encode()).hexdigest()[:16]}"
    return cache_folder() / name


def is_there(folder: Path) -> bool:
    """Whether a default index is complete."""
    return FolderStore.exists(folder) and read_manifest(folder).is_complete


def default_index(
    model: Model,
    expressions: Path,
    report: Callable[[IndexProgress], None] = lambda _: None,
    tell: Callable[[str], None] = lambda _: None,
) -> Index:
    """A file of expressions as an index; it is built if it is not there, or not complete.

    Of several processes that need it at once, one builds it and the others wait; `tell` gets a
    sentence on why this takes its time.
    """
    folder = default_folder(model, expressions)
    if is_there(folder):
        return Index.open(folder, model)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with _turn(folder, tell):
            if is_there(folder):
                return Index.open(folder, model)
            tell(f"building the default index in {folder}, once; this takes a minute or two")
            texts, resume = read_expressions(expressions), FolderStore.exists(folder)
            return Index.build(texts, model, folder, resume=resume, report=report)
    except OSError as error:
        if error.errno in NO_ROOM:
            raise
        raise ConfigError(
            f"the default index cannot be kept in {folder}: {error.strerror}; "
            f"name another place in {CACHE}"
        ) from None


@contextmanager
def _turn(folder: Path, tell: Callable[[str], None]) -> Iterator[None]:
    """Wait until no other process builds in a folder; the system ends a dead one's turn."""
    with folder.with_name(f"{folder.name}.lock").open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            tell(f"another process is building the default index in {folder}; waiting for it")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield
