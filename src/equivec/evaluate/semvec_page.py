"""Tables as one page, in Markdown or as HTML that needs nothing else."""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING

from equivec.evaluate.semvec_cells import NOT_RUN

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from equivec.evaluate.semvec_cells import Table

_TITLE = "SemVec: the published scores and ours"
_INTRODUCTION = (
    "score_5 in percent on the published splits: of an expression's five nearest neighbours among "
    "all expressions of its dataset, how many mean the same. Made by `equivec semvec report` from "
    "`semvec/*.json`, `semvec_compositionality.json`, `semvec_selection.json` and "
    "`semvec_runs.json` of the folder `results`, and from the figures that Gangwar & Kani 2023 "
    "print; not to be edited. `docs/semvec_training.md` says how to train."
)
_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 90rem; margin: 2rem auto; padding: 0 1rem; }
div { overflow-x: auto; } table { border-collapse: collapse; margin: 1rem 0; }
th, td { padding: .2rem .6rem; text-align: right; border-bottom: 1px solid #8884; }
th { vertical-align: bottom; } th:first-child, td:first-child { text-align: left; }
p { max-width: 60rem; } .missing { color: #888; font-style: italic; }
@media (prefers-color-scheme: dark) { body { background: #181818; color: #ddd; } }
"""


def markdown_page(tables: Iterable[Table]) -> str:
    """The page in Markdown."""
    parts = [f"# {_TITLE}", _INTRODUCTION]
    for table in tables:
        parts += [f"## {table.title}", _markdown_table(table), *table.sentences]
    return "\n\n".join(parts) + "\n"


def _markdown_table(table: Table) -> str:
    if not table.rows:
        return "Nothing yet."
    lines = [table.headings, ("---",) * len(table.headings), *table.rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def html_page(tables: Iterable[Table]) -> str:
    """The page in HTML."""
    parts = [
        "<!doctype html><html lang='en'><meta charset='utf-8'>",
        "<meta name='viewport' content='width=device-width'>",
        f"<title>{_TITLE}</title><style>{_STYLE}</style>",
        f"<h1>{_TITLE}</h1>",
        f"<p>{_inline(_INTRODUCTION)}</p>",
    ]
    for table in tables:
        parts += [f"<h2>{_inline(table.title)}</h2>", f"<div>{_html_table(table)}</div>"]
        parts += [f"<p>{_inline(sentence)}</p>" for sentence in table.sentences]
    return "\n".join([*parts, "</html>"]) + "\n"


def _html_table(table: Table) -> str:
    if not table.rows:
        return "<p>Nothing yet.</p>"
    head = _html_row("th", table.headings)
    return f"<table>{head}{''.join(_html_row('td', row) for row in table.rows)}</table>"


def _html_row(tag: str, cells: Sequence[str]) -> str:
    inner = (
        f"<{tag}{' class=missing' if cell == NOT_RUN else ''}>{_inline(cell)}</{tag}>"
        for cell in cells
    )
    return f"<tr>{''.join(inner)}</tr>\n"


def _inline(text: str) -> str:
    """Text as HTML, with what stands in backticks as code."""
    return re.sub(r"`([^`]*)`", r"<code>\1</code>", escape(text))
