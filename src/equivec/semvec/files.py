"""What a SemVec run leaves on disk: arrays, JSON and weights, each file whole or not there."""

from __future__ import annotations

import zipfile
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from equivec.errors import FileFormatError
from equivec.storage.files import renamed_when_complete

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from torch import Tensor

Arrays = dict[str, npt.NDArray[np.generic]]

_NETWORKS_OF_A_FILE = 8  # of weights


def write_arrays(
    path: Path, arrays: Mapping[str, npt.NDArray[np.generic]], *, compressed: bool = False
) -> None:
    """Write named arrays."""
    save: Callable[..., None] = np.savez_compressed if compressed else np.savez
    path.parent.mkdir(parents=True, exist_ok=True)
    with renamed_when_complete(path) as temporary, temporary.open("wb") as file:
        save(file, **arrays)


def read_arrays(path: Path) -> Arrays:
    """What `write_arrays` wrote."""
    if not zipfile.is_zipfile(path):
        raise FileFormatError(f"{path} is not a file of arrays (.npz)")
    try:
        with np.load(path, allow_pickle=False) as file:
            return {name: file[name] for name in file.files}
    except (OSError, ValueError, zipfile.BadZipFile) as error:
        raise FileFormatError(f"{path} is not a file of arrays (.npz): {error}") from error


def write_weights(folder: Path, weights: Mapping[str, Tensor]) -> None:
    """Write the weights of networks by their runs' names, in half precision, a few a file."""
    names, earlier = list(weights), set(folder.glob("weights-*.npz"))
    for number, start in enumerate(range(0, len(names), _NETWORKS_OF_A_FILE)):
        chosen = names[start : start + _NETWORKS_OF_A_FILE]
        arrays = {name: weights[name].detach().half().cpu().numpy() for name in chosen}
        path = folder / f"weights-{number}.npz"
        write_arrays(path, arrays)
        earlier.discard(path)
    for path in earlier:  # of a training of more networks
        path.unlink()


def read_weights(folder: Path) -> Arrays:
    """The weights of all networks of a folder by their runs' names."""
    paths = sorted(folder.glob("weights-*.npz"))
    if not paths:
        raise FileFormatError(f"{folder} has no weights-0.npz; train with --weights to keep them")
    return {name: values for path in paths for name, values in read_arrays(path).items()}
