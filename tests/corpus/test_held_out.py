"""Given sets: a corpus built again holds out what the first one did, and no form of it is left."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from equivec.algebra.fingerprint import fingerprints
from equivec.corpus.held_out import HeldOut, held_out_files, split_as
from equivec.corpus.records import Row, to_table
from equivec.errors import FileFormatError
from equivec.expression.prefix import write_prefix
from equivec.expression.text import parse

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow as pa

CLUSTERS = (
    ("x + x", "2*x", "3*x - x"),
    ("(x + 1)**2", "x**2 + 2*x + 1"),
    ("sin(x)/cos(x)", "tan(x)", "1/cot(x)"),
)


def prefix(text: str) -> str:
    return write_prefix(parse(text))


@pytest.fixture
def table() -> pa.Table:
    marks = [int(mark, 16) for mark in fingerprints([parse(row[0]) for row in CLUSTERS])]
    return to_table(
        [
            Row(number, prefix(text), marks[number], "rules", "", place == 0)
            for number, texts in enumerate(CLUSTERS)
            for place, text in enumerate(texts)
        ]
    )


def sets(folder: Path, *, validation: str, test: str, unseen: tuple[str, str]) -> HeldOut:
    for name, line in (
        ("validation.txt", prefix(validation)),
        ("test.rules.txt", prefix(test)),
        ("unseen.tsv", "\t".join(map(prefix, unseen))),
    ):
        (folder / name).write_text(f"{line}\n")
    return HeldOut.read(folder)


def splits(table: pa.Table) -> dict[str, str]:
    return dict(zip(table["tokens"].to_pylist(), table["split"].to_pylist(), strict=True))


def test_every_expression_of_the_sets_is_held_out(tmp_path: Path, table: pa.Table) -> None:
    held_out = sets(
        tmp_path, validation="3*x - x", test="x + x", unseen=("tan(x)", "sin(x)/cos(x)")
    )
    found = splits(split_as(table, held_out))
    assert found == {
        prefix("x + x"): "test",
        prefix("2*x"): "train",
        prefix("3*x - x"): "validation",
        prefix("(x + 1)**2"): "train",
        prefix("x**2 + 2*x + 1"): "train",
        prefix("sin(x)/cos(x)"): "unseen equivalent",
        prefix("tan(x)"): "unseen",
        prefix("1/cot(x)"): "unseen equivalent",
    }
    assert held_out.missing_from(table) == {"validation": 0, "test": 0, "unseen": 0}


def test_an_unseen_function_is_known_whatever_its_forms_are(
    tmp_path: Path, table: pa.Table
) -> None:
    held_out = sets(
        tmp_path, validation="x - 7", test="2*x", unseen=("x*(x + 2) + 1", "(1 + x)*(x + 1)")
    )
    found = splits(split_as(table, held_out))
    assert found[prefix("(x + 1)**2")] == found[prefix("x**2 + 2*x + 1")] == "unseen equivalent"
    assert found[prefix("tan(x)")] == "train"
    assert held_out.missing_from(table) == {"validation": 1, "test": 0, "unseen": 1}


def test_a_function_that_only_looks_unseen_is_trained_on(tmp_path: Path, table: pa.Table) -> None:
    """2*x has the fingerprint of 2*x + 1/10**15: x, 1 and x - 1 once went with such neighbours."""
    near = ("2*x + 1/10**15", "x + x + 1/10**15")
    assert fingerprints([parse(near[0])]) == fingerprints([parse("2*x")])
    held_out = sets(tmp_path, validation="tan(x)", test="1/cot(x)", unseen=near)
    found = splits(split_as(table, held_out))
    assert {found[prefix(text)] for text in CLUSTERS[0]} == {"train"}


def test_a_folder_without_a_set_is_refused(tmp_path: Path) -> None:
    (tmp_path / "validation.txt").write_text("x\n")
    with pytest.raises(FileFormatError, match=r"has no test set: expected test\*\.txt"):
        held_out_files(tmp_path)
