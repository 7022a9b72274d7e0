"""`equivec report`: every table of the paper beside ours, from a folder of results."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from equivec.cli.console import note


def report(
    results: Annotated[Path, typer.Argument(help="The folder of results.")] = Path("results"),
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
    from equivec.evaluate.pages import html_page, markdown_page
    from equivec.evaluate.report import report_page
    from equivec.storage.files import write_text

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
