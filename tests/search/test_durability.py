"""An index survives kill -9 at any moment, damage is named, and writers are kept apart."""

from __future__ import annotations

import json
import multiprocessing
import os
import threading
import time
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from equivec.errors import BusyError, FileFormatError
from equivec.expression.prefix import write_prefix
from equivec.expression.text import parse
from equivec.search.entries import FINGERPRINT_VERSION
from equivec.search.filters import EVERYTHING
from equivec.search.folder import FolderStore, damage
from equivec.search.index import Index, begin_store
from equivec.search.manifest import MANIFEST, read_manifest, sole_writer, write_manifest
from support import index_work
from support.encoders import FakeEncoder

CONTEXT = multiprocessing.get_context("forkserver")
CONTEXT.set_forkserver_preload(["support.index_work"])
TESTS = Path(__file__).parent.parent


@pytest.fixture
def start(monkeypatch):
    """Start a process that is gone when the test is."""
    started = []
    # The server from which processes are forked looks for our modules here.
    monkeypatch.setenv("PYTHONPATH", str(TESTS), prepend=os.pathsep)

    def begin(target, *arguments):
        process = CONTEXT.Process(target=target, args=arguments, daemon=True)
        process.start()
        started.append(process)
        return process

    yield begin
    for process in started:
        process.kill()
        process.join()


def until(condition, seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.01)


def texts(folder: Path) -> set[str]:
    """Every expression that counts, in prefix form."""
    view = FolderStore.open(folder, unfinished=True).view()
    rows = set(range(view.manifest.rows)) - set(view.removed.tolist())
    return {view.text(row) for row in rows}


def prefix(expressions) -> set[str]:
    return {write_prefix(parse(text)) for text in expressions}


def lines(path: Path) -> list[tuple[str, list[str]]]:
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text().splitlines()]


def after(steps) -> set[str]:
    """What an index holds after some steps."""
    held: set[str] = set()
    for kind, expressions in steps:
        held = held - prefix(expressions) if kind == "remove" else held | prefix(expressions)
    return held


def assert_holds(folder: Path, done: int) -> None:
    """The steps that were acknowledged are there, and at most the next one besides."""
    steps = index_work.STEPS
    before, behind = after(steps[:done]), after(steps[: done + 1])
    found = texts(folder)
    assert found - (before | behind) == set()
    assert (before & behind) - found == set()
    assert damage(folder) == []


def assert_is_tidy(folder: Path) -> None:
    files = {path.name for path in folder.iterdir()}
    assert files == {MANIFEST, "lock", *read_manifest(folder).files}


@pytest.mark.parametrize("stride", [11, pytest.param(1, marks=pytest.mark.slow)])
def test_a_process_killed_at_any_rename_or_deletion_loses_nothing(
    tmp_path: Path, start, stride
) -> None:
    for kill_at in range(0, 200, stride):
        folder, acknowledged = tmp_path / f"{kill_at}", tmp_path / f"{kill_at}.done"
        process = start(index_work.do_all, folder, acknowledged, kill_at)
        process.join()
        done = len(lines(acknowledged))
        if FolderStore.exists(folder):
            assert_holds(folder, done)
        if process.exitcode == 0:
            break
        # Whoever comes next can go on from what is there.
        for kind, expressions in index_work.STEPS[done:]:
            if kind == "build":
                Index.build(expressions, FakeEncoder(), folder, resume=folder.exists())
            else:
                index_work.do(kind, folder, list(expressions))
        assert texts(folder) == after(index_work.STEPS)
        assert_is_tidy(folder)
    assert process.exitcode == 0
    assert done == len(index_work.STEPS)
    assert kill_at > 30


@pytest.mark.parametrize("patience", [1, 7, 20])
def test_what_was_acknowledged_before_a_kill_is_there(tmp_path: Path, start, patience) -> None:
    folder, acknowledged = tmp_path / "index", tmp_path / "done"
    Index.build(["sin(x)"], FakeEncoder(), folder)
    process = start(index_work.add_for_ever, folder, acknowledged)
    until(lambda: len(lines(acknowledged)) >= patience)
    process.kill()
    process.join()
    promised = after(lines(acknowledged))
    assert len(promised) >= patience
    assert promised - texts(folder) == set()
    assert damage(folder) == []


def test_an_index_opens_whole_while_another_process_adds_to_it(tmp_path: Path, start) -> None:
    folder, acknowledged = tmp_path / "index", tmp_path / "done"
    Index.build(["sin(x)"], FakeEncoder(), folder)
    start(index_work.add_for_ever, folder, acknowledged)
    seen = 0
    while seen < 20:
        promised = after(lines(acknowledged))
        found = texts(folder)
        assert promised - found == set()
        seen = len(found)


def test_a_killed_build_is_not_taken_for_an_index_and_can_go_on(tmp_path: Path, start) -> None:
    folder = tmp_path / "index"
    # The first rename is the empty index; three files and a manifest are a batch.
    start(index_work.do_all, folder, tmp_path / "done", 6).join()
    with pytest.raises(FileFormatError, match="unfinished index of 2 expressions; continue"):
        Index.open(folder, FakeEncoder())
    built = index_work.STEPS[0][1]
    with pytest.raises(FileFormatError, match="unfinished index of 2 expressions"):
        Index.build(built, FakeEncoder(), folder)
    assert len(Index.build(built, FakeEncoder(), folder, resume=True)) == len(built)
    assert len(Index.open(folder, FakeEncoder())) == len(built)


def test_a_second_writer_is_told_who_the_first_is(tmp_path: Path, start) -> None:
    folder, holds = tmp_path / "index", tmp_path / "holds"
    index = Index.build(["sin(x)"], FakeEncoder(), folder)
    process = start(index_work.hold_the_lock, folder, holds)
    until(holds.exists)
    with pytest.raises(BusyError, match=rf"written to by process {process.pid} .*; wait for it"):
        index.add(["cos(x)"])
    assert len(Index.open(folder, FakeEncoder()).search("sin(x)").hits) == 1
    process.kill()
    process.join()
    assert index.add(["cos(x)"]) == 1


def test_a_build_that_lost_its_folder_to_another_writer_leaves_it_alone(
    tmp_path: Path, monkeypatch
) -> None:
    folder = tmp_path / "index"
    with ExitStack() as other:

        def begin_and_lose(*arguments, **options):
            store = begin_store(*arguments, **options)
            other.enter_context(sole_writer(folder))
            return store

        monkeypatch.setattr("equivec.search.index.begin_store", begin_and_lose)
        with pytest.raises(BusyError, match="is being written to by"):
            Index.build(["sin(x)"], FakeEncoder(), folder)
    assert FolderStore.exists(folder)


def test_a_writer_sees_what_another_wrote_before(tmp_path: Path) -> None:
    first = Index.build(["sin(x)"], FakeEncoder(), tmp_path / "index")
    second = Index.open(tmp_path / "index", FakeEncoder())
    assert second.add(["cos(x)"]) == 1
    assert first.add(["cos(x)", "tan(x)"]) == 1
    assert texts(tmp_path / "index") == prefix(["sin(x)", "cos(x)", "tan(x)"])
    assert len(second) == 2
    second.refresh()
    assert len(second) == 3


def test_a_copy_has_what_another_wrote_before(tmp_path: Path) -> None:
    first = Index.build(["sin(x)"], FakeEncoder(), tmp_path / "index")
    # The files that the first one knows are joined with the new ones and deleted.
    Index.open(tmp_path / "index", FakeEncoder()).add(["cos(x)", "tan(x)"])
    first.save(tmp_path / "copy")
    assert texts(tmp_path / "copy") == prefix(["sin(x)", "cos(x)", "tan(x)"])


def test_threads_search_while_another_adds_and_removes(tmp_path: Path) -> None:
    index = Index.build(["sin(x)", "x + 1"], FakeEncoder(), tmp_path / "index")
    problems: list[BaseException] = []
    is_over = threading.Event()

    def ask() -> None:
        try:
            while not is_over.is_set():
                best = index.search("sin(t)", k=3).hits[0]
                assert (best.expression, best.is_equal) == ("sin(x)", True)
        except BaseException as error:
            problems.append(error)

    threads = [threading.Thread(target=ask) for _ in range(3)]
    for thread in threads:
        thread.start()
    for number in range(2, 12):
        index.add([f"x + {number}"])
        index.remove([f"x + {number - 1}"])
    is_over.set()
    for thread in threads:
        thread.join()
    assert problems == []
    assert texts(tmp_path / "index") == prefix(["sin(x)", "x + 11"])


FILES = ["segment-000001.parquet", "segment-000001.keys.npy", "segment-000001.vectors.npy"]


def small_index(folder: Path) -> None:
    Index.build(["sin(x)", "cos(x)", "x + y"], FakeEncoder(), folder)
    assert set(read_manifest(folder).files) == set(FILES)


def flip_a_bit(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) - 9] ^= 4
    path.write_bytes(content)


@pytest.mark.parametrize("kind", ["vectors", "keys"])
@pytest.mark.parametrize("change", ["cut off", "overwritten"])
def test_an_index_that_is_damaged_while_it_is_searched_says_so_and_the_others_go_on(
    tmp_path: Path, kind: str, change: str
) -> None:
    """Looking at a part that was cut off would end the process."""
    for name in ("damaged", "whole"):
        Index.build([f"x + {n}" for n in range(3_000)], FakeEncoder(), tmp_path / name)
    damaged, whole = (Index.open(tmp_path / name, FakeEncoder()) for name in ("damaged", "whole"))
    assert damaged.search("x + 1").hits
    path = tmp_path / "damaged" / f"segment-000001.{kind}.npy"
    if change == "cut off":
        os.truncate(path, 128)
    else:
        with path.open("r+b") as file:
            file.seek(1_000)
            file.write(bytes(1_000))
    sentence = rf"{path} is damaged: it was changed while it was in use"
    for ask in (damaged.search, damaged.similar_to, lambda text: damaged.add([text])):
        with pytest.raises(FileFormatError, match=sentence):
            ask("x + 1")
    assert whole.search("x + 1").hits


def test_an_index_with_keys_of_another_version_is_refused(tmp_path: Path, monkeypatch) -> None:
    small_index(tmp_path / "index")
    manifest = read_manifest(tmp_path / "index")
    assert manifest.fingerprints == FINGERPRINT_VERSION
    write_manifest(tmp_path / "index", replace(manifest, fingerprints=FINGERPRINT_VERSION + 1))
    sentence = (
        f"finds equal expressions by fingerprints of version {FINGERPRINT_VERSION + 1}, but this "
        f"is version {FINGERPRINT_VERSION}; build it again: equivec index build"
    )
    with pytest.raises(FileFormatError, match=sentence):
        Index.open(tmp_path / "index", FakeEncoder())


def test_vectors_of_zeros_are_damage_and_not_another_encoder(tmp_path: Path) -> None:
    small_index(tmp_path / "index")
    path = tmp_path / "index" / "segment-000001.vectors.npy"
    content = path.read_bytes()
    path.write_bytes(content[:128] + bytes(len(content) - 128))
    with pytest.raises(FileFormatError, match=r"vectors\.npy is damaged: its checksum"):
        Index.open(tmp_path / "index", FakeEncoder())


@pytest.mark.parametrize("place", range(0, 128, 5))
def test_a_damaged_header_is_named(tmp_path: Path, place: int) -> None:
    small_index(tmp_path / "index")
    path = tmp_path / "index" / "segment-000001.vectors.npy"
    content = bytearray(path.read_bytes())
    content[place] ^= 2
    path.write_bytes(content)
    with pytest.raises(FileFormatError, match=r"vectors\.npy is damaged: its checksum"):
        FolderStore.open(tmp_path / "index", without_neighbours=True)


@pytest.mark.parametrize("name", FILES)
def test_a_flipped_bit_is_found_and_named(tmp_path: Path, name: str) -> None:
    small_index(tmp_path / "index")
    flip_a_bit(tmp_path / "index" / name)
    path = tmp_path / "index" / name
    assert damage(tmp_path / "index") == [
        f"{path} is damaged: its checksum is not the one in manifest.json"
    ]
    with pytest.raises(FileFormatError, match=rf"{name} is damaged: its checksum"):
        Index.open(tmp_path / "index", FakeEncoder())


@pytest.mark.parametrize("name", FILES)
def test_a_shortened_file_is_found_on_opening(tmp_path: Path, name: str) -> None:
    small_index(tmp_path / "index")
    path = tmp_path / "index" / name
    size = path.stat().st_size
    path.write_bytes(path.read_bytes()[:-1])
    expected = rf"{name} is damaged: it has {size - 1:,} bytes, not {size:,}"
    with pytest.raises(FileFormatError, match=expected):
        Index.open(tmp_path / "index", FakeEncoder())


@pytest.mark.parametrize("name", FILES)
def test_a_missing_file_is_named(tmp_path: Path, name: str) -> None:
    small_index(tmp_path / "index")
    (tmp_path / "index" / name).unlink()
    with pytest.raises(FileFormatError, match=rf"{name} is missing"):
        Index.open(tmp_path / "index", FakeEncoder())
    assert damage(tmp_path / "index") == [f"{tmp_path / 'index' / name} is missing"]


def test_a_changed_manifest_is_found(tmp_path: Path) -> None:
    small_index(tmp_path / "index")
    path = tmp_path / "index" / MANIFEST
    path.write_text(path.read_text().replace('"rows": 3', '"rows": 2'))
    with pytest.raises(FileFormatError, match=r"manifest.json is damaged: its checksum"):
        Index.open(tmp_path / "index", FakeEncoder())
    path.write_text("{")
    with pytest.raises(FileFormatError, match=r"manifest.json is damaged"):
        Index.open(tmp_path / "index", FakeEncoder())


def test_a_folder_with_other_things_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "segment-of-my-thesis.txt").write_text("precious")
    with pytest.raises(FileFormatError, match="holds other files"):
        Index.build(["x"], FakeEncoder(), tmp_path)
    assert (tmp_path / "segment-of-my-thesis.txt").read_text() == "precious"


def test_segments_stay_few_however_often_is_added(tmp_path: Path) -> None:
    index = Index.build([], FakeEncoder(), tmp_path / "index")
    for number in range(40):
        index.add([f"x + {number}"])
        assert 2 ** len(index.store.view().segments) <= 2 * (number + 1)
    assert texts(tmp_path / "index") == prefix(f"x + {number}" for number in range(40))
    vector = FakeEncoder().encode([parse("x + 7")])
    assert index.store.view().nearest(vector, 1, EVERYTHING)[0][0].text == "add x INT+ 7"
    assert_is_tidy(tmp_path / "index")
