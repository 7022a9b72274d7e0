"""Building a corpus: the same bytes whatever happens on the way."""

from __future__ import annotations

import json
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from equivec.corpus.export import clusters_of, export_arrays, export_expressions, export_pairs
from equivec.corpus.records import Row, read_table, to_table, write_table
from equivec.corpus.shards import ShardConfig, ShardWork
from equivec.corpus.splitting import SplitConfig
from equivec.corpus.store import Corpus
from equivec.errors import ConfigError, FileFormatError
from equivec.expression.files import read_pairs
from equivec.expression.grammar import ELEMENTARY
from equivec.expression.vocabulary import Vocabulary
from equivec.jobs.shards import ExecutorConfig
from equivec.pipeline.corpus import BuildConfig, build_corpus, sample_corpus
from support.killing import run_killed

CONFIG = BuildConfig(
    size=4_000,
    shard=ShardConfig(sources=40),
    splits=SplitConfig(validation=10, test=20, unseen=20),
)


def build(folder: Path, config: BuildConfig = CONFIG, workers: int = 1, **options: bool) -> Corpus:
    for _ in build_corpus(folder, config, ExecutorConfig(workers=workers), **options):
        pass
    return Corpus.open(folder)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return build(tmp_path_factory.mktemp("corpora") / "one")


def test_a_build_makes_what_was_asked_for(corpus: Corpus) -> None:
    counts = corpus.manifest["counts"]
    assert counts["pairs"] >= CONFIG.size
    assert counts["expressions"] == sum(counts["splits"].values()) == len(corpus.table())
    assert sorted(path.name for path in corpus.folder.iterdir()) == ["manifest.json", "parts"]


def test_the_counts_add_up(corpus: Corpus) -> None:
    manifest = corpus.manifest
    made = manifest["proposals"]["kept"] + manifest["sources"]["kept"]
    reasons = ("duplicates across clusters", "too many operators", "too near a limit")
    dropped = sum(manifest[reason] for reason in reasons)
    assert made - dropped == manifest["counts"]["expressions"]
    assert sum(manifest["sources"].values()) == manifest["shards"] * CONFIG.shard.sources


def test_the_number_of_workers_does_not_matter(corpus: Corpus, tmp_path: Path) -> None:
    assert build(tmp_path / "two", workers=2).manifest == corpus.manifest


def test_a_corpus_built_with_the_sets_of_another_has_its_splits(
    corpus: Corpus, tmp_path: Path
) -> None:
    """They are held out for what they are; sizes of random sets no longer matter."""
    for split, name in (("validation", "validation.txt"), ("test", "test.txt")):
        export_expressions(corpus, tmp_path / name, split)
    unseen = corpus.table("unseen", "unseen equivalent")
    pairs: dict[int, dict[str, str]] = {}
    for row in unseen.to_pylist():
        pairs.setdefault(row["cluster"], {})[row["split"]] = row["tokens"]
    (tmp_path / "unseen.tsv").write_text(
        "".join(f"{pair['unseen']}\t{pair['unseen equivalent']}\n" for pair in pairs.values())
    )
    held_out = replace(CONFIG, held_out=str(tmp_path), splits=SplitConfig(test=1))
    again = build(tmp_path / "again", held_out)
    assert again.table().equals(corpus.table())
    assert set(again.manifest["held out but not made"].values()) == {0}


BUILD = """
import sys
sys.path.insert(0, sys.argv[2])
from pathlib import Path
from test_corpus_build import CONFIG, build
if __name__ == "__main__":
    build(Path(sys.argv[1]), workers=2, resume=True)
"""


def test_a_build_that_is_killed_again_and_again_ends_in_the_same_bytes(
    corpus: Corpus, tmp_path: Path
) -> None:
    script, folder = tmp_path / "run.py", tmp_path / "killed"
    script.write_text(BUILD)
    command = [sys.executable, str(script), str(folder), str(Path(__file__).parent)]
    code, killed = run_killed(command, folder, 4)
    assert code == 0
    assert Corpus.open(folder).manifest == corpus.manifest
    assert killed > 0, "the build was never killed"


def test_another_seed_gives_another_corpus(corpus: Corpus, tmp_path: Path) -> None:
    config = BuildConfig(size=1_000, shard=ShardConfig(sources=40, seed=7), splits=CONFIG.splits)
    other = build(tmp_path / "other", config)
    assert other.manifest["files"] != corpus.manifest["files"]


def test_own_expressions_can_be_the_sources(tmp_path: Path) -> None:
    path = tmp_path / "own.txt"
    path.write_text("sin(x)/cos(x)\n\\frac{x^2-1}{x-1}\nadd x x\n")
    config = BuildConfig(
        shard=ShardConfig(sources=2, sources_file=str(path)), splits=SplitConfig(test=0, unseen=0)
    )
    corpus = build(tmp_path / "own", config)
    sources = corpus.table().filter(corpus.table()["is_source"])["tokens"].to_pylist()
    assert sorted(sources) == sorted(
        ["div sin x cos x", "div add pow x INT+ 2 INT- 1 add x INT- 1", "add x x"]
    )


@pytest.mark.parametrize("text", ["", "5\n"])
def test_sources_without_any_equivalent_end_in_a_sentence(tmp_path: Path, text: str) -> None:
    path = tmp_path / "own.txt"
    path.write_text(text)
    config = BuildConfig(shard=ShardConfig(sources=2, sources_file=str(path)))
    with pytest.raises(FileFormatError, match=r"no equivalents were found of the sources in .*own"):
        build(tmp_path / "own", config)


def test_own_sources_are_known_by_their_content_and_read_before_a_folder_is_made(
    tmp_path: Path,
) -> None:
    path, folder = tmp_path / "own.txt", tmp_path / "own"
    config = BuildConfig(shard=ShardConfig(sources=2, sources_file=str(path)))
    with pytest.raises(FileNotFoundError):
        build(folder, config)
    path.write_text("sin(x)/cos(x)\nsin(x\n")
    with pytest.raises(FileFormatError, match=r"own\.txt, line 2"):
        build(folder, config)
    assert not folder.exists()
    path.write_text("sin(x)/cos(x)\nadd x x\n")
    progress = build_corpus(folder, config, ExecutorConfig(workers=1))
    next(progress)
    progress.close()
    path.write_text("sin(x)/cos(x)\n2*x\n")
    with pytest.raises(FileFormatError, match="was begun with other settings"):
        build(folder, config, resume=True)


@pytest.mark.parametrize("content", [b"", b"cut", b"PAR1 and then noise PAR1"])
def test_a_damaged_shard_is_as_good_as_none(tmp_path: Path, content: bytes) -> None:
    work = ShardWork("rules", str(tmp_path), ShardConfig(sources=2))
    work.path(0).write_bytes(content)
    assert work.report(0) is None
    made = work(0)
    assert work.report(0) == made


def test_an_unfinished_folder_is_swept_and_continued_only_with_the_same_settings(
    tmp_path: Path,
) -> None:
    progress = build_corpus(tmp_path / "a", CONFIG, ExecutorConfig(workers=1))
    next(progress)
    progress.close()
    leftovers = [
        tmp_path / "a" / ".partial.7.build.json",
        tmp_path / "a" / "shards" / ".partial.8.rules-00000.parquet",
    ]
    for path in leftovers:
        path.touch()
    with pytest.raises(FileFormatError, match="unfinished build; continue it with --resume"):
        build(tmp_path / "a")
    with pytest.raises(FileFormatError, match="was begun with other settings"):
        build(tmp_path / "a", BuildConfig(size=10), resume=True)
    progress = build_corpus(tmp_path / "a", CONFIG, ExecutorConfig(workers=1), resume=True)
    next(progress)
    progress.close()
    assert not any(path.exists() for path in leftovers)


def test_a_finished_folder_is_left_alone(corpus: Corpus) -> None:
    with pytest.raises(FileFormatError, match="already holds a finished corpus"):
        build(corpus.folder)


def test_a_build_killed_before_its_clean_up_is_finished_by_a_resumption(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = BuildConfig(size=100, shard=ShardConfig(sources=10), splits=CONFIG.splits)
    with monkeypatch.context() as patch:
        patch.setattr("equivec.pipeline.corpus._clean_up", lambda _: None)
        finished = build(tmp_path / "a", config)
    assert (finished.folder / "shards").exists()
    with pytest.raises(FileFormatError, match="was begun with other settings"):
        build(finished.folder, resume=True)
    assert build(finished.folder, config, resume=True).manifest == finished.manifest
    assert sorted(path.name for path in finished.folder.iterdir()) == ["manifest.json", "parts"]


def test_damage_is_found_and_named(corpus: Corpus, tmp_path: Path) -> None:
    assert corpus.damaged_files() == []
    copy = tmp_path / "copy"
    (copy / "parts").mkdir(parents=True)
    (copy / "manifest.json").write_text(json.dumps(dict(corpus.manifest)))
    name = next(iter(corpus.manifest["files"]))
    data = bytearray((corpus.folder / name).read_bytes())
    data[len(data) // 2] ^= 1
    (copy / name).write_bytes(data)
    damaged = Corpus.open(copy)
    assert damaged.damaged_files() == [name]
    sentence = rf"{name} is damaged: its checksum is not the one in manifest\.json"
    for read in (
        damaged.table,
        lambda: list(damaged.expressions()),
        lambda: list(damaged.run(0, 1)),
    ):
        with pytest.raises(FileFormatError, match=sentence):
            read()


IS_DAMAGED = r"manifest\.json is damaged: its checksum does not fit its content"


def test_a_changed_manifest_is_named_and_an_older_one_has_no_checksum(
    corpus: Corpus, tmp_path: Path
) -> None:
    manifest = dict(corpus.manifest)
    path = tmp_path / "manifest.json"
    path.write_text(json.dumps({**manifest, "shards": -1}))
    with pytest.raises(FileFormatError, match=IS_DAMAGED):
        Corpus.open(tmp_path)
    del manifest["sha256"]
    path.write_text(json.dumps(manifest))
    with pytest.raises(FileFormatError, match=IS_DAMAGED):
        Corpus.open(tmp_path)
    manifest["format"] = 1
    path.write_text(json.dumps(manifest))
    assert Corpus.open(tmp_path).manifest == manifest


def test_a_damaged_shard_is_named(tmp_path: Path) -> None:
    """No manifest lists shards: what a page of theirs holds has its checksum beside it."""
    path = tmp_path / "shard.parquet"
    rows = [Row(0, f"add x INT+ {n}", n, "rules", "", n == 0) for n in range(200)]
    write_table(path, to_table(rows), {"clusters": 1})
    whole = path.read_bytes()
    expected = read_table(path)
    for place in range(4, len(whole) // 2, 7):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        found = None
        with suppress(FileFormatError):
            found = read_table(path)
        assert found is None or found.equals(expected), place


def test_without_ray_nothing_is_left_behind(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ConfigError, match="Ray, which is not installed"):
        list(
            build_corpus(tmp_path / "corpus", BuildConfig(size=10), ExecutorConfig(executor="ray"))
        )
    assert not (tmp_path / "corpus").exists()


def test_a_folder_that_is_no_corpus_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match=r"is not a finished corpus: it has no manifest.json"):
        Corpus.open(tmp_path)


@pytest.mark.parametrize(
    ("manifest", "sentence"),
    [
        ("[]", r"manifest\.json is not of format 1 or 2"),
        ('{"format": 3}', r"manifest\.json is not of format 1 or 2"),
        ('{"format": 1}', r"manifest\.json does not list its counts; make the corpus again"),
        ('{"format": 1, "counts": {}, "files": []}', r"manifest\.json does not list its files"),
    ],
)
def test_a_manifest_that_is_none_is_named(tmp_path: Path, manifest: str, sentence: str) -> None:
    (tmp_path / "manifest.json").write_text(manifest)
    with pytest.raises(FileFormatError, match=sentence):
        Corpus.open(tmp_path)


def test_pairs_are_exported_in_both_orders(corpus: Corpus, tmp_path: Path) -> None:
    count = export_pairs(corpus, tmp_path / "pairs.gz")
    pairs = [(pair.input, pair.output) for pair in read_pairs(tmp_path / "pairs.gz")]
    assert len(pairs) == count
    assert set(pairs) == {(b, a) for a, b in pairs}
    sizes = [len(members) for members in clusters_of(corpus.table("train"))]
    assert count == sum(size * (size - 1) for size in sizes)


def test_arrays_hold_the_tokens_of_the_training_set(corpus: Corpus, tmp_path: Path) -> None:
    count = export_arrays(corpus, tmp_path / "train.npz")
    with np.load(tmp_path / "train.npz") as arrays:
        ids, lengths, sizes = arrays["ids"], arrays["lengths"], arrays["sizes"]
    assert count == len(lengths) == sizes.sum()
    vocabulary = Vocabulary.of(ELEMENTARY)
    ends = np.cumsum(lengths.astype(int))
    texts = [
        " ".join(vocabulary.decode(ids[end - length : end]))
        for end, length in zip(ends, lengths, strict=True)
    ]
    assert texts == corpus.table("train")["tokens"].to_pylist()


def test_a_sample_is_a_corpus_with_whole_clusters(corpus: Corpus, tmp_path: Path) -> None:
    small = sample_corpus(corpus.folder, tmp_path / "small", clusters=20)
    assert small.manifest["counts"]["clusters"] == 20
    whole = {frozenset(members) for members in clusters_of(corpus.table())}
    assert {frozenset(members) for members in clusters_of(small.table())} <= whole
    assert Corpus.open(small.folder).damaged_files() == []


def test_a_sample_is_written_over_no_corpus_not_even_its_own_source(
    corpus: Corpus, tmp_path: Path
) -> None:
    source = sample_corpus(corpus.folder, tmp_path / "source", clusters=20)
    with pytest.raises(FileFormatError, match="source already holds a finished corpus; choose"):
        sample_corpus(source.folder, source.folder, clusters=5)
    assert Corpus.open(source.folder).manifest == source.manifest
    assert source.damaged_files() == []


def test_a_split_is_exported_line_by_line(corpus: Corpus, tmp_path: Path) -> None:
    count = export_expressions(corpus, tmp_path / "test.txt", "test")
    assert count == CONFIG.splits.test == len((tmp_path / "test.txt").read_text().splitlines())
