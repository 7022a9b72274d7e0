"""`equivec-reproduction`: the pages of the report, and the files that they are made of."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from equivec.cli.console import note, run, show, show_json

app = typer.Typer(
    help="The paper's tables beside ours: make the sets, record the results, draw the report.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
record = typer.Typer(
    help="Put what was measured into results/.", no_args_is_help=True, rich_markup_mode=None
)
app.add_typer(record, name="record")

Folder = Annotated[Path, typer.Argument(help="The folder of results.")]
Command = Annotated[str, typer.Argument(help="The command line that was run.")]
Commit = Annotated[str, typer.Argument(help="The commit that it was run at.")]
SemVecData = Annotated[Path, typer.Argument(help="The folder of the published SemVec files.")]


@app.command()
def report(
    results: Folder = Path("results"),
    markdown: Annotated[
        Path | None, typer.Option(help="The page in Markdown; by default report.md in the folder.")
    ] = None,
    html: Annotated[
        Path | None,
        typer.Option(help="The page to look at, pictures in it; by default report.html."),
    ] = None,
) -> None:
    """Write the report of what was measured, the paper's figures beside ours."""
    from equivec.errors import ConfigError, FileFormatError
    from equivec.storage.files import write_text
    from equivec_reproduction.pages import html_page, markdown_page
    from equivec_reproduction.report import report_page

    if not results.is_dir():
        raise FileFormatError(f"{results} is not a folder of results")
    markdown, html = markdown or results / "report.md", html or results / "report.html"
    if markdown.resolve() == html.resolve():
        raise ConfigError(f"both pages would be {html}; name two files")
    page = report_page(results)
    for path, text in ((markdown, markdown_page(page, markdown.parent)), (html, html_page(page))):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_text(path, text)
        note(f"wrote {path}")


@app.command()
def semvec_report(
    results: Folder = Path("results"),
    markdown: Annotated[Path | None, typer.Option(help="Write the page here.")] = None,
    html: Annotated[Path | None, typer.Option(help="Write the page with styles here.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print tables as a JSON list.")] = False,
) -> None:
    """The published SemVec tables beside ours; without options, as Markdown."""
    from equivec.storage.files import write_text
    from equivec_reproduction.pages import html_page, markdown_page
    from equivec_reproduction.semvec_results import Results
    from equivec_reproduction.semvec_tables import semvec_page

    page = semvec_page(Results.read(results))
    for path, text in ((markdown, markdown_page(page)), (html, html_page(page))):
        if path is not None:
            write_text(path, text)
            note(f"wrote {path}")
    if as_json:
        show_json([asdict(table) for table in page.tables])
    elif markdown is None and html is None:
        show(markdown_page(page))


@app.command()
def make_evaluation_sets(
    names: Annotated[list[str] | None, typer.Argument(help="The sets; all by default.")] = None,
) -> None:
    """Make the committed evaluation sets anew."""
    from equivec_reproduction.make_evaluation_sets import make_sets

    make_sets(names or [])


@app.command()
def make_test_sets(
    corpus: Annotated[Path, typer.Argument(help="The corpus to take them from.")],
) -> None:
    """Write the test sets of published results, and a sample of a corpus, to data/."""
    from equivec_reproduction.make_test_sets import make_test_sets

    make_test_sets(corpus)


@record.command()
def blends(
    folders: Annotated[list[str], typer.Argument(help="Blends.", metavar="SHARE=FOLDER...")],
) -> None:
    """Record what blends of a model with an earlier one find."""
    from equivec_reproduction.record_blends import record_blends

    note(f"wrote {record_blends(folders)}")


@record.command()
def corpus(
    folder: Annotated[Path, typer.Argument(help="The corpus.")],
    command: Command,
    commit: Commit,
    seconds: Annotated[float, typer.Argument(help="How long the build took.")],
    kilobytes: Annotated[int, typer.Argument(help="The largest memory of one of its processes.")],
) -> None:
    """Describe a corpus and judge a sample of it again."""
    from equivec_reproduction.record_corpus import record_corpus

    note(f"wrote {record_corpus(folder, command, commit, seconds, kilobytes)}")


@record.command()
def identities() -> None:
    """Count the textbook identities that training's sources have."""
    from equivec_reproduction.record_identities import record_identities

    note(f"wrote {record_identities()}")


@record.command()
def overlap(
    corpora: Annotated[list[Path], typer.Argument(help="The corpora of the training.")],
) -> None:
    """Count the functions of the benchmark that training has in some form."""
    from equivec_reproduction.record_overlap import record_overlap

    note(f"wrote {record_overlap(corpora)}")


@record.command()
def training(
    name: Annotated[str, typer.Argument(help="The name of the model.")],
    settings: Annotated[Path, typer.Argument(help="settings.json of the run.")],
    metrics: Annotated[Path, typer.Argument(help="metrics.jsonl of the run, or its .gz.")],
    model_config: Annotated[Path, typer.Argument(help="config.json of the model.")],
    command: Command,
    commit: Commit,
) -> None:
    """Record the settings and the log of a training."""
    from equivec_reproduction.record_run import record_run

    note(f"wrote {record_run(name, settings, metrics, model_config, command, commit)}")


@record.command()
def semvec(
    folder: Annotated[Path, typer.Argument(help="What `equivec semvec train` left.")],
    name: Annotated[str, typer.Argument(help="A name for what the training holds.")],
    command: Command,
    commit: Commit,
) -> None:
    """Record a SemVec training; make the SemVec report anew afterwards."""
    from equivec_reproduction.record_semvec import record_training

    note(f"wrote {record_training(folder, name, command, commit)}")


@record.command()
def renaming(data: SemVecData) -> None:
    """Count the unseen SemVec classes that are training, renamed."""
    from equivec_reproduction.record_semvec import record_renaming

    note(f"wrote {record_renaming(data)}")


@record.command()
def deduction(data: SemVecData) -> None:
    """Measure what deduction scores on SemVec without a network."""
    from equivec_reproduction.record_semvec import record_deduction

    note(f"wrote {record_deduction(data)}")


@record.command()
def worlds(
    folder: Annotated[Path, typer.Argument(help="What `equivec semvec worlds` wrote.")],
) -> None:
    """Record the scores of learned operators in latent worlds."""
    from equivec_reproduction.record_semvec import record_worlds

    note(f"wrote {record_worlds(folder)}")


def main() -> None:
    """Run the command line."""
    run(app)
