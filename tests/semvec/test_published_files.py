"""Reading the published SemVec files, and what they establish; skipped where they are not at hand.

The files are those of Allamanis et al. 2017; EQUIVEC_SEMVEC names the folder they lie in.
"""

import gzip
import json
import os
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from equivec.errors import FileFormatError
from equivec.semvec.dataset import SEMVEC_SPECS, SemVecDataset, SemVecSpec, Split, semvec_spec
from equivec.semvec.enumeration import enumerate_semvec
from equivec.semvec.published_files import SPLIT_FILES, read_published
from equivec.semvec.splits import training_pairs_count

PAIRS = {
    "Bool8": 16_143_072,
    "oneV-Poly13": 9_958_406,
    "SimpPoly10": 6_731_858,
    "SimpBool8": 4_440_450,
    "Bool10": 3_041_640,
    "SimpBool10": 1_448_804,
    "BoolL5": 552_642,
    "Poly8": 257_190,
    "SimpPoly8": 113_660,
    "SimpBoolL5": 66_876,
    "oneV-Poly10": 25_590,
    "Bool5": 17_934,
    "Poly5": 1_350,
    "SimpPoly5": 882,
}

every_dataset = pytest.mark.parametrize("spec", SEMVEC_SPECS, ids=lambda spec: spec.name)
read_once = cache(read_published)


@pytest.fixture(scope="module")
def published() -> Path:
    shared = Path(__file__).parents[3] / "shared" / "semvec"
    folder = Path(os.environ.get("EQUIVEC_SEMVEC", shared))
    if not folder.is_dir():
        pytest.skip("the published SemVec files are not here; EQUIVEC_SEMVEC can name their folder")
    return folder


def sorted_by_expression(dataset: SemVecDataset) -> tuple[np.ndarray, np.ndarray]:
    order = np.lexsort(dataset.expressions.T)
    return dataset.expressions[order], dataset.class_ids[order]


@every_dataset
def test_the_training_pairs_are_as_many_as_published(spec: SemVecSpec, published: Path) -> None:
    assert training_pairs_count(read_once(published, spec)) == PAIRS[spec.name]


@every_dataset
def test_what_is_made_anew_is_what_was_published(spec: SemVecSpec, published: Path) -> None:
    made, read = enumerate_semvec(spec), read_once(published, spec)
    assert np.array_equal(np.sort(made.class_sizes), np.sort(read.class_sizes))
    if spec.sampled_per_class is None:
        made_expressions, made_classes = sorted_by_expression(made)
        read_expressions, read_classes = sorted_by_expression(read)
        assert np.array_equal(made_expressions, read_expressions)
        pairs = np.unique(np.stack([made_classes, read_classes]), axis=1)
        assert pairs.shape[1] == made.class_count, "the classes are the same sets"


@every_dataset
def test_the_published_splits_follow_our_rule(spec: SemVecSpec, published: Path) -> None:
    dataset = read_once(published, spec)
    counts = np.zeros((dataset.class_count, len(Split)), dtype=np.int64)
    np.add.at(counts, (dataset.class_ids, dataset.split_ids), 1)
    sizes, unseen = dataset.class_sizes, counts[:, Split.UNSEEN] > 0
    assert unseen.sum() == -(-dataset.class_count // 6)
    assert np.array_equal(counts[unseen, Split.UNSEEN], sizes[unseen])
    assert sizes[unseen].min() >= 2
    assert sizes[unseen].max() <= 3 * sizes.mean()
    assert np.array_equal(counts[~unseen, Split.SEEN], sizes[~unseen] // 4)
    assert np.array_equal(counts[~unseen, Split.VALIDATION], sizes[~unseen] * 15 // 100)


SPEC = semvec_spec("SimpPoly5")
LEAF = {"Name": "a", "Symbol": "a"}


def expression(name: str) -> dict[str, object]:
    child = {"Name": name, "Symbol": "?", "Children": {"left": LEAF, "right": LEAF}}
    return {"Tree": {"Name": "Start", "Symbol": "?", "Children": {"child": child}}, "Tokens": []}


def write_classes(path: Path, **classes: list[dict[str, object]]) -> None:
    value = {name: {"Original": of[0], "Noise": of[1:]} for name, of in classes.items()}
    path.write_bytes(gzip.compress(json.dumps(value).encode()))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two expressions in two classes, the one for training, the other unseen."""
    (tmp_path / "split").mkdir()
    write_classes(
        tmp_path / "simplepoly5.json.gz", zero=[expression("Subtract")], two=[expression("Add")]
    )
    for suffix in SPLIT_FILES.values():
        write_classes(tmp_path / "split" / f"simplepoly5-{suffix}.json.gz")
    write_classes(tmp_path / "split" / "simplepoly5-trainset.json.gz", two=[expression("Add")])
    unseen = tmp_path / "split" / "simplepoly5-neweqtestset.json.gz"
    write_classes(unseen, zero=[expression("Subtract")])
    return tmp_path


def test_a_folder_of_files_is_read_in_order(folder: Path) -> None:
    dataset = read_published(folder, SPEC)
    assert [" ".join(dataset.tokens(row)) for row in (0, 1)] == ["subtract a a", "add a a"]
    assert dataset.class_ids.tolist() == [0, 1]
    assert dataset.split_ids.tolist() == [Split.UNSEEN, Split.TRAIN]


def test_a_symbol_of_no_grammar_is_named(folder: Path) -> None:
    write_classes(folder / "simplepoly5.json.gz", one=[expression("Divide")])
    with pytest.raises(FileFormatError, match=r"simplepoly5.json.gz: .* SimpPoly5: .*'Divide'"):
        read_published(folder, SPEC)


def test_an_expression_in_two_splits_is_named(folder: Path) -> None:
    write_classes(folder / "split" / "simplepoly5-testset.json.gz", two=[expression("Add")])
    with pytest.raises(FileFormatError, match="'add a a' is in two splits"):
        read_published(folder, SPEC)


def test_an_expression_from_elsewhere_is_named(folder: Path) -> None:
    path = folder / "split" / "simplepoly5-testset.json.gz"
    write_classes(path, square=[expression("Multiply")])
    with pytest.raises(FileFormatError, match="'multiply a a' is not in the whole dataset"):
        read_published(folder, SPEC)


def test_an_expression_in_no_split_is_reported(folder: Path) -> None:
    write_classes(folder / "split" / "simplepoly5-trainset.json.gz")
    with pytest.raises(FileFormatError, match="splits of simplepoly5 do not cover the dataset"):
        read_published(folder, SPEC)


@pytest.mark.parametrize(
    "content",
    [b"plain text", gzip.compress(b"not JSON", mtime=0), gzip.compress(b"{}", mtime=0)[:-4]],
)
def test_a_file_that_is_not_gzipped_json_is_named(folder: Path, content: bytes) -> None:
    (folder / "simplepoly5.json.gz").write_bytes(content)
    with pytest.raises(FileFormatError, match=r"simplepoly5.json.gz: not a SemVec file"):
        read_published(folder, SPEC)
