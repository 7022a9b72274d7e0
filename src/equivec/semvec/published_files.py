"""Reading the published SemVec files: gzipped JSON, a whole dataset and its four splits."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from equivec.errors import FileFormatError
from equivec.semvec.dataset import PADDING, SemVecDataset, SemVecSpec, Split

if TYPE_CHECKING:
    from pathlib import Path

    from equivec.expression.grammar import Grammar, Symbol

SPLIT_FILES: Mapping[Split, str] = {
    Split.TRAIN: "trainset",
    Split.VALIDATION: "validationset",
    Split.SEEN: "testset",
    Split.UNSEEN: "neweqtestset",
}

_Classes = Mapping[str, list[bytes]]  # a class symbol to the token ids of its expressions


def read_published(folder: Path, spec: SemVecSpec) -> SemVecDataset:
    """A dataset with its published splits, in the order of the file.

    The folder holds `NAME.json.gz` and `split/NAME-trainset.json.gz`, `-validationset`, `-testset`
    and `-neweqtestset`, where NAME is `spec.file_name`.
    """
    classes = _read_classes(folder / f"{spec.file_name}.json.gz", spec)
    expressions = [expression for members in classes.values() for expression in members]
    if max(map(len, expressions), default=0) > spec.largest_size:
        raise FileFormatError(
            f"{folder}: {spec.file_name} has an expression of more than {spec.largest_size} nodes"
        )
    sizes = [len(members) for members in classes.values()]
    return SemVecDataset(
        spec=spec,
        expressions=_padded(expressions, spec.largest_size),
        class_ids=np.repeat(np.arange(len(sizes), dtype=np.int32), sizes),
        split_ids=_read_splits(folder / "split", spec, expressions),
        origin="published",
    )


def _read_splits(folder: Path, spec: SemVecSpec, expressions: list[bytes]) -> npt.NDArray[np.uint8]:
    """The split of every expression, each of which must stand in exactly one of the files."""
    splits = dict.fromkeys(expressions, -1)
    for split, suffix in SPLIT_FILES.items():
        path = folder / f"{spec.file_name}-{suffix}.json.gz"
        for members in _read_classes(path, spec).values():
            for expression in members:
                if splits.get(expression) != -1:
                    raise FileFormatError(_misplaced(path, spec, expression, splits))
                splits[expression] = split
    if len(splits) < len(expressions) or -1 in splits.values():
        raise FileFormatError(f"{folder}: the splits of {spec.file_name} do not cover the dataset")
    return np.fromiter(splits.values(), dtype=np.uint8, count=len(splits))


def _misplaced(path: Path, spec: SemVecSpec, expression: bytes, splits: dict[bytes, int]) -> str:
    text = " ".join(spec.grammar.tokens[token] for token in expression)
    what = "is in two splits" if expression in splits else "is not in the whole dataset"
    return f"{path}: the expression '{text}' {what}"


def _read_classes(path: Path, spec: SemVecSpec) -> _Classes:
    """The classes of a file, each expression folded into its token ids while the text is read."""
    if not path.is_file():
        raise FileFormatError(
            f"{path} does not exist; the folder must hold the published SemVec files, "
            f"{spec.file_name}.json.gz and split/{spec.file_name}-*.json.gz among them"
        )
    try:
        with gzip.open(path) as file:
            classes: _Classes = json.loads(file.read(), object_hook=_folder(spec.grammar))
    except (KeyError, TypeError, ValueError, EOFError, gzip.BadGzipFile) as error:
        raise FileFormatError(f"{path}: not a SemVec file of {spec.name}: {error!r}") from error
    return classes


def _folder(grammar: Grammar) -> Callable[[dict[str, Any]], object]:
    """What turns the JSON objects of a file into token ids, from the leaves up.

    Folding during parsing means that no tree of dictionaries is ever held: of the largest file
    (139 MB of JSON) only 2 MB of tokens stay.
    """
    spellings = {_published(s): bytes([i]) for i, s in enumerate(grammar.symbols)}
    spellings["Start"] = b""

    def fold(value: dict[str, Any]) -> object:
        if "Name" in value:
            return spellings[value["Name"]] + value.get("Children", b"")
        if "left" in value:
            return value["left"] + value["right"]
        if "child" in value:
            return value["child"]
        if "Tree" in value:
            return value["Tree"]
        if "Noise" in value:
            return [value["Original"], *value["Noise"]]
        return value

    return fold


def _published(symbol: Symbol) -> str:
    """The published name of a symbol: `And` for `and`, but `a` for `a`."""
    return symbol.name if symbol.is_variable else symbol.name.capitalize()


def _padded(expressions: list[bytes], width: int) -> npt.NDArray[np.uint8]:
    """One row an expression."""
    padding = bytes([PADDING])
    flat = b"".join(expression.ljust(width, padding) for expression in expressions)
    return np.frombuffer(flat, dtype=np.uint8).reshape(-1, width)
