"""A changed file is never taken for what it was, with a cache, without one, or with a bad one."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

import pytest

from equivec.errors import FileFormatError
from equivec.storage import checksums
from equivec.storage.checksums import (
    CHECKSUMS,
    check_listed,
    checksum,
    remembered_checksum,
    write_checksums,
)

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def cache(tmp_path: Path, monkeypatch) -> Path:
    monkeypatch.setenv("EQUIVEC_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def read(monkeypatch) -> list[Path]:
    """The files that were read through."""
    paths: list[Path] = []

    def note(*some: Path, more: str = "") -> str:
        paths.extend(some)
        return checksum(*some, more=more)

    monkeypatch.setattr(checksums, "checksum", note)
    return paths


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A file that was written long ago."""
    path = tmp_path / "weights"
    path.write_bytes(b"weights")
    return path


def at_rest(monkeypatch) -> None:
    """Let every file count as long written; its time of change cannot be set back."""
    monkeypatch.setattr(checksums, "_SETTLED_SECONDS", -1.0)


def test_a_sum_is_that_of_the_files_one_after_the_other(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"ab")
    (tmp_path / "b").write_bytes(b"c")
    (tmp_path / "whole").write_bytes(b"abc")
    assert checksum(tmp_path / "a", more="c") == checksum(tmp_path / "whole")
    assert checksum(tmp_path / "a", tmp_path / "b") == checksum(tmp_path / "whole")


def test_a_file_is_read_once_until_it_changes(cache, read, old: Path, monkeypatch) -> None:
    at_rest(monkeypatch)
    first = remembered_checksum(old)
    assert remembered_checksum(old) == first
    assert read == [old]
    times = old.stat()
    old.write_bytes(b"WEIGHTS")
    os.utime(old, ns=(times.st_atime_ns, times.st_mtime_ns))  # as if nobody had written to it
    assert remembered_checksum(old) == checksum(old) != first
    assert len(list((cache / "checksums").iterdir())) == 1


def test_what_was_just_written_is_read_each_time(cache, read, old: Path) -> None:
    remembered_checksum(old)
    remembered_checksum(old)
    assert read == [old, old]


def test_a_cache_that_is_damaged_or_cannot_be_kept_changes_no_sum(
    cache: Path, old: Path, monkeypatch
) -> None:
    at_rest(monkeypatch)
    expected = checksum(old)
    assert remembered_checksum(old) == expected
    [record] = (cache / "checksums").iterdir()
    whole = record.read_bytes()
    damaged = [whole[:place] + b"0" + whole[place + 1 :] for place in range(len(whole))]
    for content in (b"", b"\xff", whole[:-10], whole * 2, *damaged):
        record.write_bytes(content)
        assert remembered_checksum(old) == expected
    cache.rename(cache.with_name("other"))
    cache.write_text("no folder")
    assert remembered_checksum(old) == expected
    monkeypatch.delenv("EQUIVEC_CACHE")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.delenv("HOME")
    monkeypatch.setattr(os, "getuid", lambda: 123_456)
    assert remembered_checksum(old) == expected


def test_a_listed_file_is_checked_and_a_folder_without_a_list_is_taken_as_it_is(
    cache, tmp_path: Path, old: Path
) -> None:
    check_listed(tmp_path, old.name)
    write_checksums(tmp_path, [old.name, "graph"])
    check_listed(tmp_path, old.name)
    check_listed(tmp_path, "graph")  # which there has never been
    old.write_bytes(b"weighty")
    sentence = f"{old} is damaged: its checksum is not the one in {CHECKSUMS}"
    with pytest.raises(FileFormatError, match=re.escape(sentence)):
        check_listed(tmp_path, old.name)
    old.unlink()
    with pytest.raises(FileFormatError, match="weights is missing; restore it"):
        check_listed(tmp_path, old.name)


@pytest.mark.parametrize("content", ["[]", "{}", '{"weights": 1}', "{"])
def test_a_damaged_list_is_named(cache, tmp_path: Path, old: Path, content: str) -> None:
    (tmp_path / CHECKSUMS).write_text(content)
    with pytest.raises(FileFormatError, match=CHECKSUMS):
        check_listed(tmp_path, old.name)
