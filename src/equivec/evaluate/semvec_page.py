"""The SemVec tables as one page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from equivec.evaluate import pages
from equivec.evaluate.pages import Page

if TYPE_CHECKING:
    from collections.abc import Iterable

    from equivec.evaluate.pages import Table

_TITLE = "SemVec: the published scores and ours"
_INTRODUCTION = (
    "score_5 in percent on the published splits: of an expression's five nearest neighbours among "
    "all expressions of its dataset, how many mean the same. Made by `equivec semvec report` from "
    "`semvec/*.json`, `semvec_compositionality.json`, `semvec_selection.json`, "
    "`semvec_deduction.json` and `semvec_runs.json` of the folder `results`, and from the figures "
    "that Gangwar & Kani 2023 print; not to be edited. `docs/semvec_training.md` says how to train."
)


def markdown_page(tables: Iterable[Table]) -> str:
    """The page in Markdown."""
    return pages.markdown_page(Page(_TITLE, _INTRODUCTION, tuple(tables)))


def html_page(tables: Iterable[Table]) -> str:
    """The page in HTML."""
    return pages.html_page(Page(_TITLE, _INTRODUCTION, tuple(tables)))
