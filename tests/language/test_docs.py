"""The page of the language shows the table that the reader follows."""

from __future__ import annotations

from pathlib import Path

from equivec.language.reading import CONVENTIONS, conventions_table

ROOT = Path(__file__).parents[2]


def test_the_page_shows_every_convention_as_the_table_has_it() -> None:
    assert conventions_table() in (ROOT / "docs/language.md").read_text(encoding="utf-8")


def test_every_doubtful_convention_is_asked_for_by_the_reader() -> None:
    sources = "".join(
        path.read_text(encoding="utf-8")
        for path in (ROOT / "src/equivec/language/reader").glob("*.py")
    )
    doubtful = [key for key, row in CONVENTIONS.items() if row.strict == "refuse"]
    assert [key for key in doubtful if f'follow("{key}"' not in sources] == []
