"""What every command shares on the terminal."""

from __future__ import annotations

import errno
import os
import sys
from typing import TYPE_CHECKING

import pytest

from equivec.cli import main
from equivec.cli.console import ProgressLine, complain, note, share_cores
from equivec.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.mark.parametrize(
    "speak", [note, lambda text: complain(ConfigError(text))], ids=["note", "complain"]
)
def test_what_is_said_stands_on_a_line_of_its_own(
    speak: Callable[[str], None],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    line = ProgressLine()
    line.show("half done")
    speak("a sentence")
    line.end()
    assert capsys.readouterr().err == "\r\x1b[2Khalf done\r\x1b[2Ka sentence\n"


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EFBIG])
def test_where_there_is_no_room_a_sentence_says_so(
    number: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fill() -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(main, "app", fill)
    with pytest.raises(SystemExit, match="2"):
        main.main()
    assert capsys.readouterr().err == f"what was to be written: {os.strerror(number)}\n"


@pytest.mark.parametrize(("own", "expected"), [(None, "PASSIVE"), ("ACTIVE", "ACTIVE")])
def test_threads_that_wait_sleep_unless_a_user_wants_them_awake(
    own: str | None, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OMP_WAIT_POLICY", raising=False)
    if own is not None:
        monkeypatch.setenv("OMP_WAIT_POLICY", own)
    share_cores()
    assert os.environ["OMP_WAIT_POLICY"] == expected
