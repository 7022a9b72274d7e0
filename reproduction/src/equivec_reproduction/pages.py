"""Tables, sentences and pictures as one page, in Markdown or as HTML that needs nothing else."""

from __future__ import annotations

import os
import re
from base64 import b64encode
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

NOT_RUN = "not run"
_MEDIA = {".png": "image/png", ".svg": "image/svg+xml"}
_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 90rem; margin: 2rem auto; padding: 0 1rem; }
div { overflow-x: auto; } table { border-collapse: collapse; margin: 1rem 0; }
th, td { padding: .2rem .6rem; text-align: right; border-bottom: 1px solid #8884; }
th { vertical-align: bottom; } th:first-child, td:first-child { text-align: left; }
p { max-width: 60rem; } .missing { color: #888; font-style: italic; }
@media (prefers-color-scheme: dark) { body { background: #181818; color: #ddd; } }
"""
# Pictures are drawn on white; on a dark page they stay on it.
_FIGURES = """
figure { display: inline-block; margin: .5rem 1rem .5rem 0; vertical-align: top; }
img { max-width: 100%; width: 34rem; background: #fff; border-radius: .4rem; }
"""


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture in a file, and what it shows."""

    caption: str
    path: Path


@dataclass(frozen=True, slots=True)
class Table:
    """A table and what must be said under it; without headings, only what must be said."""

    title: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    sentences: tuple[str, ...]
    pictures: tuple[Picture, ...] = ()


@dataclass(frozen=True, slots=True)
class Page:
    """What a page says, from the top."""

    title: str
    introduction: str
    tables: tuple[Table, ...]


def markdown_page(page: Page, folder: Path | None = None) -> str:
    """The page in Markdown; it will lie in a folder, from which pictures are linked."""
    parts = [f"# {page.title}", page.introduction]
    for table in page.tables:
        pictures = [_markdown_picture(picture, folder) for picture in table.pictures]
        parts += [f"## {table.title}", *_markdown_table(table), *pictures, *table.sentences]
    return "\n\n".join(parts) + "\n"


def _markdown_picture(picture: Picture, folder: Path | None) -> str:
    path = picture.path if folder is None else os.path.relpath(picture.path, folder)
    return f"![{picture.caption}]({path})"


def _markdown_table(table: Table) -> list[str]:
    if not table.headings:
        return []
    if not table.rows:
        return ["Nothing yet."]
    lines = [table.headings, ("---",) * len(table.headings), *table.rows]
    return ["\n".join(f"| {' | '.join(cells)} |" for cells in lines)]


def html_page(page: Page) -> str:
    """The page in HTML, its pictures in it."""
    has_pictures = any(table.pictures for table in page.tables)
    parts = [
        "<!doctype html><html lang='en'><meta charset='utf-8'>",
        "<meta name='viewport' content='width=device-width'>",
        f"<title>{page.title}</title><style>{_STYLE}{_FIGURES if has_pictures else ''}</style>",
        f"<h1>{page.title}</h1>",
        f"<p>{_inline(page.introduction)}</p>",
    ]
    for table in page.tables:
        parts += [f"<h2>{_inline(table.title)}</h2>", *_html_table(table)]
        parts += [_html_picture(picture) for picture in table.pictures]
        parts += [f"<p>{_inline(sentence)}</p>" for sentence in table.sentences]
    return "\n".join([*parts, "</html>"]) + "\n"


def _html_picture(picture: Picture) -> str:
    data = b64encode(picture.path.read_bytes()).decode()
    caption = escape(picture.caption, quote=True)
    source = f"data:{_MEDIA[picture.path.suffix]};base64,{data}"
    return (
        f"<figure><img alt='{caption}' src='{source}'><figcaption>{caption}</figcaption></figure>"
    )


def _html_table(table: Table) -> list[str]:
    if not table.headings:
        return []
    if not table.rows:
        return ["<div><p>Nothing yet.</p></div>"]
    head = _html_row("th", table.headings)
    body = "".join(_html_row("td", row) for row in table.rows)
    return [f"<div><table>{head}{body}</table></div>"]


def _html_row(tag: str, cells: Sequence[str]) -> str:
    inner = (
        f"<{tag}{' class=missing' if cell == NOT_RUN else ''}>{_inline(cell)}</{tag}>"
        for cell in cells
    )
    return f"<tr>{''.join(inner)}</tr>\n"


def _inline(text: str) -> str:
    """Text as HTML, with what stands in backticks as code."""
    return re.sub(r"`([^`]*)`", r"<code>\1</code>", escape(text))
