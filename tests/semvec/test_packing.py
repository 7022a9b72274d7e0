"""What is packed is read back."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from equivec.errors import FileFormatError
from equivec.semvec.dataset import SemVecDataset
from equivec.semvec.packing import pack_semvec, read_semvec, unpack_semvec
from equivec.semvec.runs import parse_runs
from equivec.semvec.sets import missing_sets


def test_what_is_packed_is_read_back(tmp_path: Path, datasets: dict[str, SemVecDataset]) -> None:
    sets = dict(missing_sets(parse_runs(["Poly5:combined"]), datasets, ()))
    datasets = {**datasets, "Bool5": replace(datasets["Bool5"], origin="published")}
    pack_semvec(datasets, sets, tmp_path / "file.npz")
    read, read_sets = unpack_semvec(tmp_path / "file.npz")
    assert read.keys() == datasets.keys()
    for name, dataset in datasets.items():
        assert np.array_equal(read[name].expressions, dataset.expressions)
        assert np.array_equal(read[name].class_ids, dataset.class_ids)
        assert np.array_equal(read[name].split_ids, dataset.split_ids)
        assert read[name].origin == dataset.origin
    assert read_sets.keys() == sets.keys()
    for name, part in sets.items():
        assert np.array_equal(read_sets[name].expressions, part.expressions)
        assert np.array_equal(read_sets[name].class_ids, part.class_ids)
        assert np.array_equal(read_sets[name].labels, part.labels)


def test_regenerated_data_is_enumerated_and_says_so(datasets: dict[str, SemVecDataset]) -> None:
    read, sets = read_semvec(Path("regenerated"), ["Poly5"])
    assert (list(read), sets) == (["Poly5"], {})
    assert np.array_equal(read["Poly5"].expressions, datasets["Poly5"].expressions)
    assert read["Poly5"].origin == "regenerated"


def test_a_missing_dataset_is_named(packed: Path) -> None:
    with pytest.raises(FileFormatError, match="has no dataset BoolL5; pack them first"):
        read_semvec(packed, ["BoolL5", "Poly5"])


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match="nowhere does not exist; name the folder of the pub"):
        read_semvec(tmp_path / "nowhere", ["Poly5"])


def test_a_folder_of_something_else_says_what_it_lacks(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match=r"poly5\.json\.gz does not exist; the folder must"):
        read_semvec(tmp_path, ["Poly5"])
