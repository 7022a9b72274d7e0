"""The `equivec` command and how it ends when something is wrong.

A verb alone works on formulas (`search`), trains or serves; everything else is a noun and a verb
(`index build`). Exit codes: 0 done (`check`: equal), 1 damage or a wrong verdict was found
(`check`: different), 2 bad input; `check` also has 3 unknown, 4 equal only where both are defined.
"""

from __future__ import annotations

from typing import Annotated

import typer

from equivec import __version__
from equivec.cli import corpus, index, semvec
from equivec.cli.accuracy import accuracy
from equivec.cli.app import App, FormulaCommand
from equivec.cli.benchmark import benchmark
from equivec.cli.check import check
from equivec.cli.console import run, set_verbosity
from equivec.cli.embed import embed, equivalents, similarity
from equivec.cli.evaluate import evaluate
from equivec.cli.export import export
from equivec.cli.generate import generate
from equivec.cli.parse import parse
from equivec.cli.reading import reading
from equivec.cli.search import analogy, search
from equivec.cli.semvec_worlds import worlds
from equivec.cli.serve import serve
from equivec.cli.train import train

app = App(
    "Mathematical expressions: read them, compare them, search them by meaning.", name="equivec"
)
for of_formulas in (parse, check, embed, similarity, equivalents, search, analogy):
    app.command(cls=FormulaCommand)(of_formulas)
for other in (reading, serve, train):
    app.command()(other)
model = App("Trained models: export them, generate with them.")
model.command()(export)
model.command()(generate)
evaluation = App("Measurements of models and of what they write.")
evaluation.command("run")(evaluate)
evaluation.command()(benchmark)
evaluation.command()(accuracy)
semvec.app.command()(worlds)
for name, group in (
    *(("index", index.app), ("corpus", corpus.app), ("model", model)),
    *(("evaluate", evaluation), ("semvec", semvec.app)),
):
    app.add_typer(group, name=name)


def _show_version(is_wanted: bool) -> None:
    if is_wanted:
        typer.echo(f"equivec {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[  # noqa: ARG001
        bool,
        typer.Option("--version", help="Print the version.", callback=_show_version, is_eager=True),
    ] = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", help="Also tell the steps of the work, on stderr.")
    ] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", help="Tell nothing but results and errors.")
    ] = False,
) -> None:
    set_verbosity(is_verbose=verbose, is_quiet=quiet)


def main() -> None:
    """Run the command line; a mistake in the input ends in one sentence and exit code 2."""
    run(app)
