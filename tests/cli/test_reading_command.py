"""`equivec reading`: what of a file of formulas is read, and what stands in the way."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING

from support.command import run

if TYPE_CHECKING:
    from pathlib import Path

LINES = [r"E = mc^2", r"x = \foo{y}", r"\foo{y}", "E = mc^2", r"Bi = x + y + z"]


def test_counts_add_up_and_reasons_are_named(tmp_path: Path) -> None:
    file = tmp_path / "formulas.txt"
    file.write_text("\n".join(LINES))
    result = run("reading", str(file), "--json")
    record = json.loads(result.stdout)
    assert result.code == 0
    counts = [record[name] for name in ("formulas", "whole", "with_parts", "unread")]
    assert counts == [4, 1, 1, 2]
    assert record["kept"] == {r"\foo": 1, "letters like a word": 1}
    assert record["milliseconds"]["max"] >= record["milliseconds"]["median"] > 0


def test_a_column_of_a_packed_table_is_read_strictly(tmp_path: Path) -> None:
    file = tmp_path / "formulas.tsv.gz"
    with gzip.open(file, "wt") as lines:
        lines.write("id\tlatex\n" + "".join(f"{at}\t{line}\n" for at, line in enumerate(LINES)))
    result = run("reading", str(file), "--column", "latex", "--strict")
    assert "4 distinct formulas" in result.stdout
    assert "Id, Gal, mod" in result.stdout
    assert result.code == 0


def test_a_column_that_is_not_there_is_named(tmp_path: Path) -> None:
    file = tmp_path / "formulas.tsv"
    file.write_text("id\tlatex\n1\tx+1\n")
    result = run("reading", str(file), "--column", "tex")
    assert (result.code, "has no column 'tex'; it has id, latex" in result.stderr) == (2, True)
