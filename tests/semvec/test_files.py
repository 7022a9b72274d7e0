"""Arrays, JSON and weights on disk."""

from pathlib import Path

import numpy as np
import pytest
import torch

from equivec.errors import FileFormatError
from equivec.semvec.files import read_arrays, read_weights, write_arrays, write_weights


def test_arrays_are_read_back(tmp_path: Path) -> None:
    arrays = {"a/b": np.arange(3), "c": np.array("text")}
    write_arrays(tmp_path / "new" / "file.npz", arrays)
    read = read_arrays(tmp_path / "new" / "file.npz")
    assert read.keys() == arrays.keys()
    assert all(np.array_equal(read[name], arrays[name]) for name in arrays)


def test_a_file_of_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file.npz").write_text("no arrays")
    with pytest.raises(FileFormatError, match=r"file\.npz is not a file of arrays"):
        read_arrays(tmp_path / "file.npz")


def test_an_array_of_objects_is_refused(tmp_path: Path) -> None:
    """Reading it would run code."""
    np.savez(tmp_path / "file.npz", a=np.array([{}], dtype=object))
    with pytest.raises(FileFormatError, match="not a file of arrays"):
        read_arrays(tmp_path / "file.npz")


def test_weights_come_back_by_name_from_several_files(tmp_path: Path) -> None:
    weights = {f"Bool5:SemEmb@{seed}": torch.full((4,), seed / 8) for seed in range(20)}
    write_weights(tmp_path, weights)
    assert len(list(tmp_path.iterdir())) == 3
    read = read_weights(tmp_path)
    assert read.keys() == weights.keys()
    assert all((read[name] == values.numpy()).all() for name, values in weights.items())


def test_weights_of_an_earlier_larger_training_are_gone(tmp_path: Path) -> None:
    write_weights(tmp_path, {f"run {number}": torch.zeros(4) for number in range(20)})
    write_weights(tmp_path, {"run 3": torch.ones(4)})
    assert read_weights(tmp_path).keys() == {"run 3"}


def test_a_folder_without_weights_says_how_to_keep_them(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match="train with --weights to keep them"):
        read_weights(tmp_path)
