"""The `equivec` command and how it ends when something is wrong.

Exit codes: 0 done (and for `check`: equal), 1 different, 2 bad input, 3 unknown, 4 equal only where
both are defined.
"""

from __future__ import annotations

from typing import Annotated

import typer

from equivec import __version__
from equivec.cli import corpus, index, semvec
from equivec.cli.accuracy import accuracy
from equivec.cli.benchmark import benchmark
from equivec.cli.check import check
from equivec.cli.console import run
from equivec.cli.embed import embed, equivalents, similarity
from equivec.cli.evaluate import evaluate
from equivec.cli.export import export
from equivec.cli.generate import generate
from equivec.cli.parse import parse
from equivec.cli.search import analogy, search
from equivec.cli.semvec_worlds import worlds
from equivec.cli.serve import serve
from equivec.cli.train import train

app = typer.Typer(
    name="equivec",
    help="Mathematical expressions: read them, write them, and tell which are equal.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
COMMANDS = (
    *(parse, check, embed, similarity, equivalents, search, analogy, serve),
    *(train, export, generate, accuracy, evaluate, benchmark),
)
for command in COMMANDS:
    app.command()(command)
semvec.app.command()(worlds)
for group, name in ((index.app, "index"), (corpus.app, "corpus"), (semvec.app, "semvec")):
    app.add_typer(group, name=name)


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
    run(app)
