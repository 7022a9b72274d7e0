"""An index built in shards: the same bytes whatever happens on the way."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from equivec.corpus.records import Row, to_table
from equivec.corpus.store import Corpus, write_corpus
from equivec.embed import Embedder
from equivec.errors import ConfigError, FileFormatError
from equivec.jobs.shards import ExecutorConfig
from equivec.pipeline.indexing import BulkConfig, build_index
from equivec.search.index import Index, IndexConfig
from support.killing import run_killed

pytestmark = pytest.mark.filterwarnings("default::DeprecationWarning:pymilvus.*")

TEXTS = [f"add {function} x INT+ {number}" for function in ("sin", "ln") for number in range(1, 10)]
CONFIG = BulkConfig(shard=4)


def build(source: Path, where: Path | str, workers: int = 1, **options) -> Index:
    crew = ExecutorConfig(workers=workers)
    read = [each.read for each in build_index(source, where, "default", crew, CONFIG, **options)]
    assert read == sorted(read)
    return Index.open(where, Embedder())


def content(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rows = [Row(0, text, 0, "rules", "", is_source=True) for text in TEXTS]
    return write_corpus(tmp_path_factory.mktemp("corpus") / "corpus", to_table(rows), {}).folder


@pytest.fixture(scope="module")
def index(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("indexes") / "one"
    build(source, folder)
    return folder


def test_shards_together_are_the_index_built_in_one_process(
    source: Path, index: Path, tmp_path: Path
) -> None:
    whole = Index.build(TEXTS, Embedder(), tmp_path / "whole", IndexConfig(batch=100))
    texts, vectors = whole.sample(100)
    found, others = Index.open(index, Embedder()).sample(100)
    assert found == texts == TEXTS
    np.testing.assert_allclose(others, vectors, atol=0.01)
    assert content(index).keys() == content(whole.store.folder).keys()
    name = "segment-000001.keys.npy"
    assert content(index)[name] == content(whole.store.folder)[name]


def test_some_rows_of_a_corpus_are_read_across_its_parts(source: Path, monkeypatch) -> None:
    corpus = Corpus.open(source)
    assert list(corpus.run(3, 5)) == TEXTS[3:8]
    assert list(corpus.run(16, 5)) == TEXTS[16:]
    monkeypatch.setattr(
        Corpus,
        "parts",
        property(lambda self: 2 * [*map(self.folder.joinpath, self.manifest["files"])]),
    )
    assert list(corpus.run(16, 5)) == [*TEXTS[16:], *TEXTS[:3]]
    assert list(corpus.run(20, 2)) == TEXTS[2:4]


BUILD = """
import sys
sys.path.insert(0, sys.argv[3])
from pathlib import Path
from test_indexing import build
if __name__ == "__main__":
    build(Path(sys.argv[1]), Path(sys.argv[2]), workers=2, resume=True)
"""


def test_a_build_that_is_killed_again_and_again_ends_in_the_same_bytes(
    source: Path, index: Path, tmp_path: Path
) -> None:
    script, folder = tmp_path / "run.py", tmp_path / "killed"
    script.write_text(BUILD)
    command = [sys.executable, str(script), str(source), str(folder), str(Path(__file__).parent)]
    code, killed = run_killed(command, folder, 3)
    assert code == 0
    assert killed > 0, "the build was never killed"
    assert content(folder) == content(index)


def build_until(monkeypatch, place: str, stop, source: Path, folder: Path) -> None:
    """Build with a stop in the place of a function that it calls."""
    with monkeypatch.context() as patch:
        patch.setattr(place, stop)
        with pytest.raises(KeyboardInterrupt):
            build(source, folder)


def test_a_build_that_was_killed_over_its_settings_begins_again(
    source: Path, index: Path, tmp_path: Path, monkeypatch
) -> None:
    def stop(path: Path, _: object) -> None:
        path.with_name(f".partial.1.{path.name}").write_text("{")
        raise KeyboardInterrupt

    folder = tmp_path / "index"
    build_until(monkeypatch, "equivec.pipeline.indexing.write_json", stop, source, folder)
    build(source, folder, resume=True)
    assert content(folder) == content(index)


def test_a_build_that_lost_only_its_last_step_takes_that_step(
    source: Path, index: Path, tmp_path: Path, monkeypatch
) -> None:
    def stop(self) -> None:
        raise KeyboardInterrupt

    folder = tmp_path / "index"
    build_until(monkeypatch, "equivec.search.folder.FolderStore.finish", stop, source, folder)
    assert (folder / "shards").is_dir()
    build(source, folder, resume=True)
    assert content(folder) == content(index)
    # And once more when all is done.
    build(source, folder, resume=True)
    assert content(folder) == content(index)


def test_an_expression_that_a_file_has_twice_is_stored_once(tmp_path: Path) -> None:
    path = tmp_path / "some.txt"
    path.write_text("sin(x)\ntan(x)\nx+1\nsin(x)\n1/x\nsin(x)\n\\tan x\n")
    index = build(path, tmp_path / "index")
    assert index.sample(10)[0] == ["sin x", "tan x", "add x INT+ 1", "div INT+ 1 x"]
    assert index.search("tan(u)", 1).hits[0].is_equal


def test_milvus_takes_the_shards_too(source: Path, tmp_path: Path) -> None:
    where = f"milvus://{tmp_path}/index.db"
    with pytest.raises(ConfigError, match="name a folder for the shards with --shards DIR"):
        build(source, where)
    index = build(source, where, shards=tmp_path / "shards")
    assert len(index) == len(TEXTS)
    assert index.search("3 + sin(t)", 1).hits[0].is_equal
    assert not (tmp_path / "shards").exists()


def test_what_was_begun_otherwise_is_not_continued(source: Path, tmp_path: Path) -> None:
    def begin(folder: Path, shard: int) -> None:
        next(
            build_index(
                source, folder, "default", ExecutorConfig(workers=1), BulkConfig(shard=shard)
            )
        )

    begin(tmp_path / "index", 7)
    with pytest.raises(FileFormatError, match="was begun with other settings"):
        build(source, tmp_path / "index", resume=True)
    with pytest.raises(FileFormatError, match="an unfinished index"):
        build(source, tmp_path / "index")
    with pytest.raises(FileFormatError, match="there is no file or corpus /nowhere"):
        build(Path("/nowhere"), tmp_path / "other")
    with pytest.raises(ConfigError, match="a shard needs at least 1 expression, not 0"):
        BulkConfig(shard=0)


def test_a_folder_with_other_things_in_it_takes_no_shards_and_is_left_alone(
    source: Path, index: Path, tmp_path: Path
) -> None:
    precious = tmp_path / "shards" / "precious"
    precious.parent.mkdir()
    precious.touch()
    with pytest.raises(FileFormatError, match="holds other files; name a new folder"):
        build(source, tmp_path / "index", shards=precious.parent)
    build(source, index, shards=precious.parent, resume=True)
    assert precious.exists()


@pytest.mark.slow
def test_on_ray_the_bytes_are_the_same(source: Path, index: Path, tmp_path: Path) -> None:
    pytest.importorskip("ray")
    crew = ExecutorConfig(workers=2, executor="ray")
    for _ in build_index(source, tmp_path / "index", "default", crew, CONFIG):
        pass
    assert content(tmp_path / "index") == content(index)
