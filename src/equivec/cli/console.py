"""What every command shares: results to stdout, everything else to stderr, errors as sentences."""

from __future__ import annotations

import json
import os
import shlex
import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equivec.errors import EquivecError, ParseError, require_packages

if TYPE_CHECKING:
    from collections.abc import Iterator

BAD_INPUT = 2

Models = Annotated[
    list[str],
    typer.Argument(
        help="Models: names, folders, the baselines bag-of-tokens and text, or module:Class.",
        metavar="MODEL...",
    ),
]


def show(text: str) -> None:
    """A result, on stdout."""
    typer.echo(text)


def show_json(value: Any) -> None:
    """A result as one line of JSON, on stdout."""
    typer.echo(json.dumps(value, ensure_ascii=False))


def note(text: str) -> None:
    """What was done, on stderr."""
    ProgressLine.end()
    typer.echo(text, err=True)


def command_line() -> str:
    """What was typed, for results to name."""
    return shlex.join(["equivec", *sys.argv[1:]])


def share_cores() -> None:
    """Let threads of ours that wait for each other sleep; call it before torch is loaded.

    Else those of two commands on the same cores keep each other from working.
    """
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")


def need_torch() -> None:
    """Refuse to go on without torch, and say how to get it."""
    require_packages("this", "train", "torch")


class ProgressLine:
    """One line that is written over and over, on a terminal only."""

    is_open = False  # whether there is one: the terminal has no more

    def __init__(self) -> None:
        self._is_terminal = sys.stderr.isatty()

    def show(self, text: str) -> None:
        """Replace the line."""
        if self._is_terminal:
            ProgressLine.is_open = True
            sys.stderr.write(f"\r\x1b[2K{text}")
            sys.stderr.flush()

    @classmethod
    def end(cls) -> None:
        """Leave the line free for what comes next."""
        if cls.is_open:
            cls.is_open = False
            sys.stderr.write("\r\x1b[2K")


def complain(error: EquivecError, place: str = "") -> None:
    """What is wrong and where, on stderr."""
    note(f"{place}{error.with_caret() if isinstance(error, ParseError) else error}")


def input_lines() -> Iterator[tuple[int, str]]:
    """The lines of stdin with their numbers; undecodable bytes become a stray character."""
    stream = typer.get_text_stream("stdin", encoding="utf-8", errors="replace")
    if sys.stdin.isatty():
        typer.echo("reading expressions from the terminal, one a line; end with Ctrl-D", err=True)
    for number, line in enumerate(stream, 1):
        yield number, line.rstrip("\r\n")
