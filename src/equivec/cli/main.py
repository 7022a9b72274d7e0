"""The `equivec` command and how it ends when something is wrong.

Exit codes: 0 done (and for `check`: equal), 1 different, 2 bad input, 3 unknown, 4 equal only where
both are defined.
"""

from __future__ import annotations

import errno
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from equivec import __version__
from equivec.cli import corpus, index, semvec
from equivec.cli.accuracy import accuracy
from equivec.cli.benchmark import benchmark
from equivec.cli.check import check
from equivec.cli.console import BAD_INPUT, complain, note
from equivec.cli.embed import embed, equivalents, similarity
from equivec.cli.evaluate import evaluate
from equivec.cli.export import export
from equivec.cli.generate import generate
from equivec.cli.parse import parse
from equivec.cli.reading import reading
from equivec.cli.report import report
from equivec.cli.search import analogy, search
from equivec.cli.serve import serve
from equivec.cli.train import train
from equivec.errors import EquivecError

if TYPE_CHECKING:
    from collections.abc import Mapping

app = typer.Typer(
    name="equivec",
    help="Mathematical expressions: read them, write them, and tell which are equal.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
COMMANDS = (
    *(parse, reading, check, embed, similarity, equivalents, search, analogy, serve),
    *(train, export, generate, accuracy, evaluate, benchmark, report),
)
for command in COMMANDS:
    app.command()(command)
for group, name in ((index.app, "index"), (corpus.app, "corpus"), (semvec.app, "semvec")):
    app.add_typer(group, name=name)


_REASONS: Mapping[type[OSError], str] = {
    NotADirectoryError: "one of these names is a file where a folder is needed",
    FileExistsError: "a file has this name where a folder is needed",
}
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def _show_version(is_wanted: bool) -> None:
    if is_wanted:
        typer.echo(f"equivec {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version and leave.", callback=_show_version, is_eager=True
        ),
    ] = False,
) -> None:
    pass


def main() -> None:
    """Run the command line; a mistake in the input ends in one sentence and exit code 2."""
    try:
        app()
    except EquivecError as error:
        complain(error)
        sys.exit(BAD_INPUT)
    except BrokenPipeError:
        # Whoever reads our output has had enough; that is no error of ours or theirs.
        sys.stderr.close()
        sys.exit(0)
    except OSError as error:
        # A file that is not there or may not be written, or no room for it; else a mistake of ours.
        if error.filename is None and error.errno not in _NO_ROOM:
            raise
        reason = _REASONS.get(type(error), error.strerror)
        note(f"{error.filename or 'what was to be written'}: {reason}")
        sys.exit(BAD_INPUT)
