"""The vectors of a file: the same whatever happens on the way, and never of two models."""

from __future__ import annotations

import gzip
import resource
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from equivec.embed import Embedder
from equivec.errors import ConfigError, FileFormatError
from equivec.pipeline import embedding
from equivec.pipeline.embedding import WRITERS, embed_file
from support.models import model_folder_of, tiny_network

TEXTS = ["x", "sin(x)", "x + 1", r"\frac{x}{2}", "add x x", "tan(x)", "ln(x)"]


@pytest.fixture(scope="module")
def embedder(tmp_path_factory: pytest.TempPathFactory) -> Embedder:
    return Embedder(model_folder_of(tiny_network(1), tmp_path_factory.mktemp("one") / "tiny"))


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file of expressions that is embedded in three parts."""
    monkeypatch.setattr(embedding, "_LINES_PER_PART", 3)
    path = tmp_path / "texts.txt"
    path.write_text("\n".join(TEXTS) + "\n", encoding="utf-8")
    return path


def test_a_file_has_a_row_for_each_line(embedder: Embedder, path: Path, tmp_path: Path) -> None:
    out = tmp_path / "vectors.npy"
    assert [progress[:2] for progress in embed_file(embedder, path, out)] == [
        (3, 7),
        (6, 7),
        (7, 7),
    ]
    np.testing.assert_array_equal(np.load(out), embedder.encode(TEXTS))
    assert sorted(tmp_path.iterdir()) == [path, out]


def test_a_compressed_file_and_parquet_hold_the_same(
    embedder: Embedder, path: Path, tmp_path: Path
) -> None:
    compressed, out = tmp_path / "texts.txt.gz", tmp_path / "vectors.parquet"
    compressed.write_bytes(gzip.compress(path.read_bytes()))
    assert len(list(embed_file(embedder, compressed, out))) == 3
    vectors = np.stack(pq.read_table(out)["vector"].to_numpy())
    np.testing.assert_array_equal(vectors, embedder.encode(TEXTS))


def test_a_stopped_run_goes_on_where_it_was(
    embedder: Embedder, path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "vectors.npy"
    stopped = embed_file(embedder, path, out)
    next(stopped)
    stopped.close()
    asked: list[list[str]] = []

    def encode(texts: list[str], **options: object) -> np.ndarray:
        asked.append(texts)
        return Embedder.encode(embedder, texts, **options)

    monkeypatch.setattr(embedder, "encode", encode)
    for _ in embed_file(embedder, path, out):
        pass
    assert asked == [TEXTS[3:6], TEXTS[6:]]
    np.testing.assert_array_equal(np.load(out), Embedder.encode(embedder, TEXTS))


def test_parts_of_another_model_of_the_same_name_are_thrown_away(
    embedder: Embedder, path: Path, tmp_path: Path
) -> None:
    other = Embedder(model_folder_of(tiny_network(2), tmp_path / "other" / "tiny"))
    assert other.name == embedder.name
    out = tmp_path / "vectors.npy"
    stopped = embed_file(other, path, out)
    next(stopped)
    stopped.close()
    for _ in embed_file(embedder, path, out):
        pass
    np.testing.assert_array_equal(np.load(out), embedder.encode(TEXTS))


def test_a_line_that_cannot_be_read_is_named_skipped_or_nan(
    embedder: Embedder, path: Path, tmp_path: Path
) -> None:
    path.write_text("\n".join([*TEXTS[:4], "sin(", *TEXTS[4:]]), encoding="utf-8")
    out = tmp_path / "vectors.npy"
    with pytest.raises(FileFormatError, match=r"line 5 of .*: column 4: .* --on-error skip"):
        list(embed_file(embedder, path, out))
    skipped = [now.skipped for now in embed_file(embedder, path, out, on_error="skip")]
    assert skipped == [0, 1, 1]
    assert len(np.load(out)) == len(TEXTS)
    list(embed_file(embedder, path, out, on_error="nan"))
    assert np.flatnonzero(np.isnan(np.load(out)).any(axis=1)).tolist() == [4]


def test_more_parts_are_joined_than_files_may_be_open(tmp_path: Path) -> None:
    for number in range(64):
        np.save(tmp_path / f"{number:06d}.npy", np.full((1, 2), number, dtype=np.float32))
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    opened = len(list(Path("/proc/self/fd").iterdir()))
    resource.setrlimit(resource.RLIMIT_NOFILE, (opened + 16, hard))
    try:
        WRITERS[".npy"](tmp_path / "vectors.npy", tmp_path, 64, 2)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert np.load(tmp_path / "vectors.npy")[:, 0].tolist() == list(range(64))


def test_a_file_of_another_kind_is_not_written(
    embedder: Embedder, path: Path, tmp_path: Path
) -> None:
    with pytest.raises(ConfigError, match=r"vectors\.csv must end in \.npy or \.parquet"):
        list(embed_file(embedder, path, tmp_path / "vectors.csv"))
