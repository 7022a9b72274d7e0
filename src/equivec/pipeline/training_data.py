"""What a run is trained on: corpora and files of arrays, told from others by their checksums.

A corpus becomes arrays in the run's folder; a file of arrays is read where it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from equivec.corpus.export import export_arrays, export_held_out
from equivec.corpus.splitting import TRAIN, VALIDATION
from equivec.corpus.store import Corpus
from equivec.errors import FileFormatError
from equivec.expression.grammar import ELEMENTARY
from equivec.model.clusters import Clusters
from equivec.storage.checksums import checksum

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True)
class Source:
    """A corpus, or a file of arrays, and where its arrays are."""

    path: Path
    arrays: Path  # the same for a file
    split: str = TRAIN

    @property
    def name(self) -> str:
        """What people call it."""
        return self.path.resolve().name

    @property
    def is_corpus(self) -> bool:
        """Whether the arrays are to be made."""
        return self.path != self.arrays

    def checksums(self) -> dict[str, str]:
        """What tells it from any other, wherever it lies."""
        if self.is_corpus:
            return dict(Corpus.open(self.path).manifest["files"])
        return {"arrays": checksum(self.path)}

    def write(self) -> None:
        """Make the arrays of a corpus."""
        self.arrays.parent.mkdir(parents=True, exist_ok=True)
        corpus = Corpus.open(self.path)
        if self.split == TRAIN:
            export_arrays(corpus, self.arrays)
        else:
            export_held_out(corpus, self.arrays, self.split)

    @cached_property
    def clusters(self) -> Clusters:
        """What is in the arrays."""
        return Clusters.load(self.arrays, ELEMENTARY)

    def check(self) -> None:
        """Raise unless the arrays can be read and have a pair."""
        if self.clusters.sizes.max(initial=0) < 2:
            raise FileFormatError(
                f"{self.path} has no two equivalent expressions for {self.split}; name another one"
            )


def training_sources(paths: Sequence[str], folder: Path) -> list[Source]:
    """What is trained on; the arrays of corpora belong in the run's folder."""
    return [
        _source(Path(path), folder / f"train-{number}.npz") for number, path in enumerate(paths)
    ]


def validation_source(path: str | None, training: Sequence[Source], folder: Path) -> Source | None:
    """What was named, or else what the first corpus holds out for it."""
    if path is not None:
        return _source(Path(path), folder / "validation.npz", VALIDATION)
    for source in training:
        if source.is_corpus and _holds_out(Corpus.open(source.path)):
            return Source(source.path, folder / "validation.npz", VALIDATION)
    return None


def _holds_out(corpus: Corpus) -> bool:
    return bool(corpus.manifest["counts"]["splits"].get(VALIDATION))


def _source(path: Path, arrays: Path, split: str = TRAIN) -> Source:
    if not path.exists():
        raise FileFormatError(f"{path} does not exist; name a corpus or a file of arrays")
    return Source(path, arrays, split) if path.is_dir() else Source(path, path, split)
