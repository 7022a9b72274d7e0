"""Merging: one function, one cluster; one expression, one row."""

from __future__ import annotations

from typing import TYPE_CHECKING

from equivec.algebra.fingerprint import fingerprint
from equivec.corpus.export import clusters_of
from equivec.corpus.merging import merge_shards, without_extremes, without_large
from equivec.corpus.records import Row, to_table, write_table
from equivec.expression.prefix import write_prefix
from equivec.expression.text import parse

if TYPE_CHECKING:
    from pathlib import Path


def shard(path: Path, *clusters: list[str], prints: dict[str, int] | None = None) -> Path:
    rows = []
    for number, members in enumerate(clusters):
        value = (prints or {}).get(members[0]) or int(fingerprint(members[0]), 16)
        for place, text in enumerate(members):
            tokens = write_prefix(parse(text))
            rows.append(Row(number, tokens, value, "rules", "", place == 0))
    write_table(path, to_table(rows), {})
    return path


def merged(*paths: Path) -> list[set[str]]:
    return [set(members) for members in clusters_of(merge_shards(paths))]


def prefix(*texts: str) -> set[str]:
    return {write_prefix(parse(text)) for text in texts}


def test_clusters_of_one_function_become_one(tmp_path: Path) -> None:
    first = shard(tmp_path / "1", ["2*x", "x + x"], ["sin(x)", "cos(pi/2 - x)"])
    second = shard(tmp_path / "2", ["x*2", "3*x - x"], ["x**2", "x*x"])
    assert merged(first, second) == [
        prefix("2*x", "x + x", "x*2", "3*x - x"),
        prefix("sin(x)", "cos(pi/2 - x)"),
        prefix("x**2", "x*x"),
    ]


def test_an_expression_is_kept_once(tmp_path: Path) -> None:
    first = shard(tmp_path / "1", ["2*x", "x + x"])
    second = shard(tmp_path / "2", ["x + x", "2*x", "x*2"])
    table = merge_shards([first, second])
    assert sorted(table["tokens"].to_pylist()) == sorted(prefix("2*x", "x + x", "x*2"))


def test_a_shared_expression_joins_clusters_whose_fingerprints_differ(tmp_path: Path) -> None:
    first = shard(tmp_path / "1", ["2*x", "x + x"], prints={"2*x": 1})
    second = shard(tmp_path / "2", ["x*2", "x + x"], prints={"x*2": 2})
    assert merged(first, second) == [prefix("2*x", "x + x", "x*2")]


def test_a_shared_fingerprint_alone_joins_nothing(tmp_path: Path) -> None:
    prints = {"2*x": 7, "3*x": 7, "x*3": 7, "x*2": 7}
    path = shard(tmp_path / "1", ["2*x"], ["3*x"], ["x*3"], ["x*2"], prints=prints)
    assert merged(path) == [prefix("2*x", "x*2"), prefix("3*x", "x*3")]


def test_no_shards_give_no_rows() -> None:
    assert len(merge_shards([])) == 0


def test_forms_with_too_many_operators_are_left_out_and_clusters_stay_dense() -> None:
    texts = [
        "x",
        "add x INT+ 0",
        "sin x",
        "sin add x add x mul INT- 1 x",
        "cos x",
        "cos add x INT+ 0",
    ]
    rows = [
        Row(number // 2, text, 0, "rules", "", number % 2 == 0) for number, text in enumerate(texts)
    ]
    kept = without_large(to_table(rows), max_operators=3)
    assert kept["tokens"].to_pylist() == ["x", "add x INT+ 0", "cos x", "cos add x INT+ 0"]
    assert kept["cluster"].to_pylist() == [0, 0, 1, 1]


def test_members_that_no_precision_tells_from_a_limit_are_left_out() -> None:
    # cos(exp(-68)) is 1 up to 59 digits; the judge had once put it into the cluster of 1 + x.
    texts = ["x + 1", "x + cos(exp(-68))", "1 + x", "exp(x - 900000)", "exp(x)*exp(-900000)"]
    rows = [
        Row(number // 3, write_prefix(parse(text)), 0, "rules", "", False)
        for number, text in enumerate(texts)
    ]
    kept = without_extremes(to_table(rows))
    assert kept["tokens"].to_pylist() == [write_prefix(parse(text)) for text in ("x + 1", "1 + x")]
