"""Arrays for training: what another corpus holds out does not get in."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from equivec.algebra.fingerprint import fingerprint, fingerprints
from equivec.corpus.export import export_arrays, export_arrays_without, export_held_out
from equivec.corpus.records import Row, to_table
from equivec.corpus.store import Corpus, write_corpus
from equivec.expression.grammar import ELEMENTARY
from equivec.expression.prefix import write_prefix
from equivec.expression.text import parse
from equivec.expression.vocabulary import Vocabulary

if TYPE_CHECKING:
    from pathlib import Path


def corpus(
    folder: Path, *clusters: dict[str, str], by_sympy: frozenset[str] = frozenset()
) -> Corpus:
    """A corpus of clusters that map each expression to its split."""
    rows, splits = [], []
    for number, members in enumerate(clusters):
        for text, split in members.items():
            value = int(fingerprint(text), 16)
            engine = "sympy" if text in by_sympy else "rules"
            rows.append(Row(number, write_prefix(parse(text)), value, engine, "", False))
            splits.append(split)
    table = to_table(rows)
    place = table.schema.get_field_index("split")
    table = table.set_column(place, "split", [splits])
    return write_corpus(folder, table, {})


def texts(path: Path) -> list[str]:
    vocabulary = Vocabulary.of(ELEMENTARY)
    with np.load(path) as arrays:
        ends = np.cumsum(arrays["lengths"].astype(int))
        rows = np.split(arrays["ids"], ends[:-1])
        assert arrays["sizes"].sum() == len(rows)
    return [" ".join(vocabulary.decode(row)) for row in rows]


def functions(path: Path) -> list[str]:
    """The fingerprint of each cluster."""
    with np.load(path) as arrays:
        return [f"{mark:016x}" for mark in arrays["functions"].tolist()]


def forms(*expressions: str) -> list[str]:
    return [write_prefix(parse(text)) for text in expressions]


def test_arrays_hold_the_training_expressions(tmp_path: Path) -> None:
    made = corpus(tmp_path / "a", {"2*x": "train", "x + x": "train", "x*2": "test"})
    assert export_arrays(made, tmp_path / "train.npz") == 2
    assert texts(tmp_path / "train.npz") == forms("2*x", "x + x")
    assert functions(tmp_path / "train.npz") == fingerprints(["2*x"])


def test_the_pairs_of_one_engine_alone_can_be_had(tmp_path: Path) -> None:
    clusters = (
        {"2*x": "train", "x + x": "train", "x*2": "train"},
        {"sin(x)/cos(x)": "train", "tan(x)": "train"},  # each engine found one
        {"exp(x)**2": "train", "exp(2*x)": "test", "exp(x + x)": "train"},
    )
    found = frozenset({"2*x", "x + x", "tan(x)", "exp(x)**2", "exp(2*x)"})
    made = corpus(tmp_path / "a", *clusters, by_sympy=found)
    assert export_arrays(made, tmp_path / "sympy.npz", engine="sympy") == 2
    assert texts(tmp_path / "sympy.npz") == forms("2*x", "x + x")
    assert functions(tmp_path / "sympy.npz") == fingerprints(["2*x"])


def test_a_held_out_expression_comes_with_one_equivalent_from_training(tmp_path: Path) -> None:
    made = corpus(tmp_path / "a", {"2*x": "train", "x + x": "train", "x*2": "validation"})
    assert export_held_out(made, tmp_path / "v.npz", "validation") == 2
    assert texts(tmp_path / "v.npz") == forms("x*2", "x + x")
    assert functions(tmp_path / "v.npz") == fingerprints(["2*x"])


def test_what_another_corpus_holds_out_is_left_out(tmp_path: Path) -> None:
    other = corpus(
        tmp_path / "other",
        {"2*x": "train", "x + x": "test"},
        {"sin(x)/cos(x)": "unseen", "tan(x)": "unseen equivalent"},
        {"cos(x) + 1/10**15": "unseen", "1/10**15 + cos(x)": "unseen equivalent"},
    )
    made = corpus(
        tmp_path / "made",
        {"2*x": "train", "x + x": "train", "x*2": "train"},  # one expression of it is a test
        {"1/cot(x)": "train", "sin(x)*sec(x)": "train"},  # the unseen function in other words
        {"cos(x)": "train", "sin(x + pi/2)": "train"},  # of the fingerprint of an unseen one
    )
    assert export_arrays_without(made, tmp_path / "t.npz", other) == 4
    assert texts(tmp_path / "t.npz") == forms("2*x", "x*2", "cos(x)", "sin(x + pi/2)")
    assert functions(tmp_path / "t.npz") == fingerprints(["2*x", "cos(x)"])
