"""What every command shares on the terminal."""

from __future__ import annotations

import errno
import logging
import os
import sys
import time
from typing import TYPE_CHECKING

import pytest
import typer

from equivec.cli.console import ProgressLine, complain, note, run, set_verbosity, share_cores
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
    number: int, capsys: pytest.CaptureFixture[str]
) -> None:
    class Full(typer.Typer):
        def __call__(self, **_: object) -> None:
            raise OSError(number, os.strerror(number))

    with pytest.raises(SystemExit, match="2"):
        run(Full())
    assert capsys.readouterr().err == f"the output: {os.strerror(number)}\n"


@pytest.mark.parametrize(("own", "expected"), [(None, "PASSIVE"), ("ACTIVE", "ACTIVE")])
def test_threads_that_wait_sleep_unless_a_user_wants_them_awake(
    own: str | None, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OMP_WAIT_POLICY", raising=False)
    if own is not None:
        monkeypatch.setenv("OMP_WAIT_POLICY", own)
    share_cores()
    assert os.environ["OMP_WAIT_POLICY"] == expected


def test_progress_that_is_redirected_is_a_line_now_and_then(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    line = ProgressLine()
    for second in range(25):
        now[0] = float(second)
        line.show(f"{second} done")
    line.end()
    assert capsys.readouterr().err == "10 done\n20 done\n"


def test_a_line_on_a_terminal_is_no_longer_than_the_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "10")
    line = ProgressLine()
    line.show("0123456789")
    line.end()
    assert capsys.readouterr().err == "\r\x1b[2K012345678\r\x1b[2K"


def test_what_the_library_logs_stands_on_a_line_of_its_own(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    set_verbosity(is_verbose=True, is_quiet=False)
    line = ProgressLine()
    line.show("half done")
    logging.getLogger("equivec.some.module").info("a step")
    line.end()
    said = capsys.readouterr().err
    assert said.startswith("\r\x1b[2Khalf done\r\x1b[2K")
    assert said.endswith(" equivec.some.module: a step\n")
    set_verbosity(is_verbose=False, is_quiet=False)
