"""What every command prints: results to stdout, all else to stderr, errors as sentences."""

from __future__ import annotations

import json
import logging
import os
import shlex
import shutil
import sys
import time
from typing import TYPE_CHECKING, Any

import typer
from typer.exceptions import TyperException

from equivec.cli.app import BAD_INPUT
from equivec.errors import EquivecError, ParseError, require_packages
from equivec.storage.files import NO_ROOM

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_REASONS: Mapping[type[OSError], str] = {
    NotADirectoryError: "one of these names is a file where a folder is needed",
    FileExistsError: "a file has this name where a folder is needed",
}
_PLAIN_EVERY = 10.0  # seconds between lines of progress where a line cannot be replaced


def show(text: str) -> None:
    """A result, on stdout."""
    typer.echo(text)


def show_json(value: Any) -> None:
    """A result as one line of JSON, on stdout."""
    typer.echo(json.dumps(value, ensure_ascii=False))


def note(text: str) -> None:
    """What was done, on stderr; nothing with --quiet."""
    if not ProgressLine.is_quiet:
        _say(text)


def _say(text: str) -> None:
    ProgressLine.end()
    typer.echo(text, err=True)


def set_verbosity(*, is_verbose: bool, is_quiet: bool) -> None:
    """Choose how much is told: the steps of the library too, or nothing but results and errors."""
    ProgressLine.is_quiet = is_quiet
    handler = _LogHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(name)s: %(message)s", "%H:%M:%S"))
    logger = logging.getLogger("equivec")
    logger.handlers = [handler]
    logger.setLevel(logging.INFO if is_verbose else logging.ERROR if is_quiet else logging.WARNING)
    logger.propagate = False


class _LogHandler(logging.Handler):
    """Shows what the library logs on a line of its own."""

    def emit(self, record: logging.LogRecord) -> None:
        _say(self.format(record))


def command_line() -> str:
    """The command line as it was typed, which results name."""
    return shlex.join(["equivec", *sys.argv[1:]])


def share_cores() -> None:
    """Let threads that wait for each other sleep; call it before torch is loaded.

    Threads that spin while they wait take the cores from another command on the same machine.
    """
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")


def need_torch() -> None:
    """Refuse to go on without torch, and say how to get it."""
    require_packages("this", "train", "torch")


class ProgressLine:
    """How far a command is: one line, replaced on a terminal, else repeated now and then."""

    is_open = False  # whether a line stands on the terminal, which has one only
    is_quiet = False

    def __init__(self) -> None:
        self._is_terminal = sys.stderr.isatty()
        self._told: float | None = None  # when the last plain line was written

    def show(self, text: str) -> None:
        """Replace the line."""
        if ProgressLine.is_quiet:
            return
        if self._is_terminal:
            ProgressLine.is_open = True
            width = shutil.get_terminal_size().columns - 1  # a longer line could not be replaced
            sys.stderr.write(f"\r\x1b[2K{text[:width]}")
            sys.stderr.flush()
        elif self._is_due():
            typer.echo(text, err=True)

    def _is_due(self) -> bool:
        now = time.monotonic()
        if self._told is None:  # a short command shows none
            self._told = now
        is_due = now - self._told >= _PLAIN_EVERY
        if is_due:
            self._told = now
        return is_due

    @classmethod
    def end(cls) -> None:
        """Clear the line for what comes next."""
        if cls.is_open:
            cls.is_open = False
            sys.stderr.write("\r\x1b[2K")


def complain(error: Exception, place: str = "") -> None:
    """What is wrong and where, on stderr."""
    if isinstance(error, TyperException):
        _say(_of_usage(error.format_message()))
    else:
        _say(f"{place}{error.with_caret() if isinstance(error, ParseError) else error}")


def _of_usage(message: str) -> str:
    """A sentence of typer, in the style of our sentences."""
    message = message.replace("Value error, ", "")
    return f"{message[0].lower()}{message[1:].rstrip('.')}"


def run(app: typer.Typer) -> None:
    """Run a command line; a mistake in the input ends in one sentence and exit code 2."""
    try:
        sys.exit(app(standalone_mode=False, prog_name=app.info.name))
    except (EquivecError, TyperException) as error:
        complain(error)
    except OSError as error:
        # A file that is missing or may not be written, or a full disk; else a mistake of ours.
        if error.filename is None and error.errno not in NO_ROOM:
            raise
        reason = _REASONS.get(type(error), error.strerror)
        _say(f"{error.filename or 'the output'}: {reason}")
    sys.exit(BAD_INPUT)


def input_lines() -> Iterator[tuple[int, str]]:
    """The lines of stdin with their numbers; undecodable bytes become a stray character."""
    stream = typer.get_text_stream("stdin", encoding="utf-8", errors="replace")
    if sys.stdin.isatty():
        typer.echo("reading expressions from the terminal, one a line; end with Ctrl-D", err=True)
    for number, line in enumerate(stream, 1):
        yield number, line.rstrip("\r\n")
