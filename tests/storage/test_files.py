"""Files and folders are written whole or not at all, and what cannot be read is a sentence."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING

import pytest

from equivec.errors import FileFormatError
from equivec.storage.files import (
    folder_renamed_when_complete,
    read_json,
    renamed_when_complete,
    write_text,
)

if TYPE_CHECKING:
    from pathlib import Path


def test_a_folder_is_replaced_whole_or_stays_as_it_was(tmp_path: Path) -> None:
    folder = tmp_path / "model"
    for text in ("first", "second"):
        with folder_renamed_when_complete(folder) as temporary:
            (temporary / text).touch()
        assert [path.name for path in folder.iterdir()] == [text]
    with pytest.raises(RuntimeError), folder_renamed_when_complete(folder) as temporary:
        raise RuntimeError
    with pytest.raises(OSError, match="No such file"), folder_renamed_when_complete(folder) as gone:
        gone.rmdir()  # so that the last rename fails
    assert [path.name for path in folder.iterdir()] == ["second"]
    assert list(tmp_path.iterdir()) == [folder]
    link = tmp_path / "link"
    link.symlink_to(folder)
    with folder_renamed_when_complete(link) as temporary:
        (temporary / "third").touch()
    assert [path.name for path in folder.iterdir()] == ["third"]
    assert sorted(tmp_path.iterdir()) == [link, folder]


def test_json_that_cannot_be_read_is_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    with pytest.raises(FileFormatError, match=r"settings\.json cannot be read: No such file"):
        read_json(path)
    for content in (b"{", b"\xff", b"[" * 100_000):
        path.write_bytes(content)
        with pytest.raises(FileFormatError, match=r"settings\.json is not JSON: "):
            read_json(path)
    path.write_text('{"a": [1]}', encoding="utf-8")
    assert read_json(path) == {"a": [1]}


@pytest.mark.parametrize("place", [renamed_when_complete, folder_renamed_when_complete])
def test_a_write_that_finds_no_room_names_the_file(tmp_path: Path, place) -> None:
    path = tmp_path / "array"
    for error in (OSError("5 requested and 3 written"), OSError(errno.ENOSPC, "No space left")):
        with pytest.raises(OSError, match=r"no room|No space") as raised, place(path):
            raise error
        assert (raised.value.errno, raised.value.filename) == (errno.ENOSPC, str(path))
    assert list(tmp_path.iterdir()) == []


def test_what_is_no_file_is_not_replaced(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(FileFormatError, match=r"pipe cannot be written: it is no file"):
        write_text(tmp_path / "pipe", "x")
    assert (tmp_path / "pipe").is_fifo()


def test_a_link_stays_and_what_it_leads_to_is_written(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "folder" / "file")
    write_text(tmp_path / "link", "x")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "folder" / "file").read_text() == "x"
