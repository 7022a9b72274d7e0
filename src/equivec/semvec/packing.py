"""Datasets and training sets in one file: what travels to the machine that trains."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from equivec.errors import FileFormatError
from equivec.semvec.dataset import SemVecDataset, semvec_spec
from equivec.semvec.derivation import TrainingSet
from equivec.semvec.enumeration import enumerate_semvec
from equivec.semvec.files import read_arrays, write_arrays
from equivec.semvec.published_files import read_published

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from equivec.semvec.sets import Datasets, Sets


REGENERATED = Path("regenerated")


def pack_semvec(
    datasets: Mapping[str, SemVecDataset], sets: Mapping[str, TrainingSet], path: Path
) -> None:
    """Write datasets and training sets into one file."""
    arrays: dict[str, npt.NDArray[np.generic]] = {}
    for name, dataset in datasets.items():
        arrays[f"data/{name}/expressions"] = dataset.expressions
        arrays[f"data/{name}/class_ids"] = dataset.class_ids
        arrays[f"data/{name}/split_ids"] = dataset.split_ids
        arrays[f"data/{name}/is_published"] = np.array(dataset.origin == "published")
    for name, part in sets.items():
        arrays[f"sets/{name}/expressions"] = part.expressions
        arrays[f"sets/{name}/class_ids"] = part.class_ids.astype(np.int32)
        arrays[f"sets/{name}/labels"] = part.labels
        arrays[f"sets/{name}/variable_count"] = np.array(part.variable_count)
    write_arrays(path, arrays, compressed=True)


def unpack_semvec(path: Path) -> tuple[Datasets, Sets]:
    """Read what `pack_semvec` wrote."""
    arrays = read_arrays(path)
    datasets = {
        name: SemVecDataset(
            spec=semvec_spec(name),
            expressions=arrays[f"data/{name}/expressions"].astype(np.uint8),
            class_ids=arrays[f"data/{name}/class_ids"].astype(np.int32),
            split_ids=arrays[f"data/{name}/split_ids"].astype(np.uint8),
            # Files of before this was kept hold published data.
            origin="published" if arrays.get(f"data/{name}/is_published", True) else "regenerated",
        )
        for name in _names(arrays, "data")
    }
    sets = {
        name: TrainingSet(
            arrays[f"sets/{name}/expressions"].astype(np.uint8),
            arrays[f"sets/{name}/class_ids"].astype(np.int64),
            arrays[f"sets/{name}/labels"].astype(np.int32),
            int(arrays[f"sets/{name}/variable_count"]),
        )
        for name in _names(arrays, "sets")
    }
    return datasets, sets


def read_semvec(path: Path, names: Iterable[str]) -> tuple[Datasets, Sets]:
    """Some datasets from the published folder, or all of a packed file with its training sets.

    In place of a path, `regenerated` stands for the datasets enumerated and split anew.
    """
    if path == REGENERATED:
        return {name: enumerate_semvec(semvec_spec(name)) for name in names}, {}
    if path.is_dir():
        return {name: read_published(path, semvec_spec(name)) for name in names}, {}
    if not path.exists():
        raise FileFormatError(
            f"{path} does not exist; name the folder of the published SemVec files, a file that "
            "`equivec semvec train --pack` wrote, or `regenerated` for data made anew"
        )
    datasets, sets = unpack_semvec(path)
    if missing := sorted(set(names) - datasets.keys()):
        raise FileFormatError(f"{path} has no dataset {', '.join(missing)}; pack them first")
    return datasets, sets


def _names(arrays: Mapping[str, object], kind: str) -> list[str]:
    """The names of a kind, in the order of the file."""
    keys = (key.split("/") for key in arrays)
    return list(dict.fromkeys(key[1] for key in keys if key[0] == kind))
