"""The index that there is without building one: bundled expressions, and vectors made once.

The expressions come with the package. Their vectors depend on the encoder, so they are made at
their first use and kept in the user's cache, in a folder named by what they were made from.
"""

from __future__ import annotations

import fcntl
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from equivec import __version__
from equivec.errors import ConfigError
from equivec.expression.files import read_expressions
from equivec.search.folder import FolderStore
from equivec.search.index import Index
from equivec.storage.checksums import remembered_checksum
from equivec.storage.environment import CACHE, cache_folder
from equivec.storage.files import NO_ROOM

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from equivec.embed.encoder import Encoder
    from equivec.search.index import IndexProgress

# Made by scripts/make_default_index.py.
EXPRESSIONS = Path(__file__).parent / "data" / "expressions.txt.gz"


def default_folder(encoder: Encoder, expressions: Path) -> Path:
    """Where the default index of an encoder is kept: in EQUIVEC_CACHE, or the user's cache."""
    # The keys are the judge's, so they may change with the version.
    made_from = f"{__version__} {encoder.checksum} {remembered_checksum(expressions)}"
    name = f"index-{sha256(made_from.encode()).hexdigest()[:16]}"
    return cache_folder() / name


def is_there(folder: Path) -> bool:
    """Whether a default index is complete."""
    return FolderStore.open_complete(folder) is not None


def default_index(
    encoder: Encoder,
    expressions: Path,
    report: Callable[[IndexProgress], None] = lambda _: None,
    tell: Callable[[str], None] = lambda _: None,
) -> Index:
    """A file of expressions as an index; it is built if it is not there, or not complete.

    Of several processes that need it at once, one builds it and the others wait; `tell` gets a
    sentence on why this takes its time.
    """
    folder = default_folder(encoder, expressions)
    # The folder is named by the encoder's checksum, so that no other encoder opens it.
    if store := FolderStore.open_complete(folder):
        return Index(store, encoder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with _turn(folder, tell):
            if store := FolderStore.open_complete(folder):
                return Index(store, encoder)
            tell(f"building the default index in {folder}, once; this takes a minute or two")
            texts, resume = read_expressions(expressions), FolderStore.exists(folder)
            return Index.build(texts, encoder, folder, resume=resume, report=report)
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
