"""Small SemVec datasets made anew, and a packed file of all that the tiny runs need."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from equivec.semvec.dataset import SemVecDataset, semvec_spec
from equivec.semvec.packing import pack_semvec
from support.semvec import enumerated

NAMES = ("SimpPoly5", "Poly5", "SimpPoly8", "SimpPoly10", "Poly8", "oneV-Poly10", "oneV-Poly13")


@pytest.fixture(scope="package", autouse=True)
def one_thread() -> None:
    """Networks so small are slower with more, and other tests need the cores."""
    torch.set_num_threads(1)


@pytest.fixture(scope="package")
def datasets() -> dict[str, SemVecDataset]:
    return {name: enumerated(semvec_spec(name)) for name in ("SimpPoly5", "Poly5", "Bool5")}


@pytest.fixture(scope="package")
def packed(tmp_path_factory: pytest.TempPathFactory, datasets: dict[str, SemVecDataset]) -> Path:
    """All the datasets that the tiny runs are scored on, the larger ones cut down to few rows."""
    path = tmp_path_factory.mktemp("data") / "semvec.npz"
    others = {name: _shortened(name) for name in NAMES if name not in datasets}
    pack_semvec({**datasets, **others}, {}, path)
    return path


def _shortened(name: str) -> SemVecDataset:
    """A dataset of the same name with trees of at most five nodes."""
    spec = semvec_spec(name)
    return replace(enumerated(replace(spec, largest_size=5)), spec=spec)
