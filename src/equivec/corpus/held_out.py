"""Sets that results were measured on: a corpus that is built again holds the same ones out.

What SymPy's time limits let through depends on the machine, and with it which expressions a seed
draws. Given as files, the sets stay what they were, and models trained on either corpus can be
compared by them.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from equivec.algebra.compare import compare_many
from equivec.algebra.fingerprint import fingerprints, is_uninformative
from equivec.algebra.points import PAPER_DOMAIN
from equivec.corpus.clusters import CORPUS_JUDGE
from equivec.corpus.splitting import TEST, TRAIN, UNSEEN, UNSEEN_EQUIVALENT, VALIDATION
from equivec.errors import FileFormatError
from equivec.expression.files import read_expressions, read_pairs
from equivec.expression.prefix import parse_prefix, write_prefix
from equivec.expression.tree import Node

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

_FILES = {VALIDATION: "validation*.txt", TEST: "test*.txt", UNSEEN: "unseen*.tsv"}


@dataclass(frozen=True, slots=True)
class HeldOut:
    """The sets as prefix texts; `equivalents` has another form of each unseen function."""

    validation: frozenset[str]
    test: frozenset[str]
    unseen: frozenset[str]
    equivalents: frozenset[str]

    @classmethod
    def read(cls, folder: str | Path) -> HeldOut:
        """The sets of a folder: an expression a line, and pairs for the unseen functions."""
        files = held_out_files(folder)
        pairs = [pair for path in files[UNSEEN] for pair in read_pairs(path)]
        return cls(
            _texts(tree for path in files[VALIDATION] for tree in read_expressions(path)),
            _texts(tree for path in files[TEST] for tree in read_expressions(path)),
            _texts(pair.input for pair in pairs),
            _texts(pair.output for pair in pairs),
        )

    def missing_from(self, table: pa.Table) -> dict[str, int]:
        """How many expressions of each set a corpus does not have."""
        made = set(table["tokens"].to_pylist())
        sets = {VALIDATION: self.validation, TEST: self.test, UNSEEN: self.unseen}
        return {name: len(texts - made) for name, texts in sets.items()}


def held_out_files(folder: str | Path) -> Mapping[str, list[Path]]:
    """The files of each set in a folder, which must have some of every one."""
    found = {split: sorted(Path(folder).glob(name)) for split, name in _FILES.items()}
    for split, files in found.items():
        if not files:
            raise FileFormatError(
                f"{folder} has no {split} set: expected {_FILES[split]}; see `data/`, which "
                "equivec-reproduction make-test-sets wrote"
            )
    return found


def split_as(table: pa.Table, held_out: HeldOut) -> pa.Table:
    """The table with its `split` column filled as given sets ask for.

    Of an unseen function no form is left for training, whether the sets name it or not.
    """
    tokens = table["tokens"]
    clusters = functions_among(table, held_out.unseen, held_out.equivalents)
    unseen = _is_in(table["cluster"], clusters)
    named = pc.case_when(
        pc.make_struct(
            pc.and_(unseen, _is_in(tokens, held_out.unseen)),
            unseen,
            _is_in(tokens, held_out.test),
            _is_in(tokens, held_out.validation),
        ),
        *(UNSEEN, UNSEEN_EQUIVALENT, TEST, VALIDATION, TRAIN),
    )
    return table.set_column(table.schema.get_field_index("split"), "split", named)


def functions_among(
    table: pa.Table, functions: frozenset[str], other_forms: frozenset[str]
) -> set[int]:
    """The clusters that are one of some functions, in these forms, in others given, or in any."""
    is_named = _is_in(table["tokens"], functions | other_forms)
    named = set(table["cluster"].filter(is_named).to_pylist())
    return named | set(_equal_clusters(table, functions, named))


def _equal_clusters(table: pa.Table, texts: Iterable[str], but: set[int]) -> Iterator[int]:
    """The clusters, but for some, that share a fingerprint with a text and that the judge confirms.

    Fingerprints alone would take away x, because of x + 1/10**12.
    """
    trees = [parse_prefix(text) for text in sorted(texts)]
    by_fingerprint = defaultdict[int, list[Node]](list)
    for tree, fingerprint in zip(trees, fingerprints(trees, PAPER_DOMAIN), strict=True):
        if not is_uninformative(fingerprint):
            by_fingerprint[int(fingerprint, 16)].append(tree)
    alike = table.filter(_is_in(table["fingerprint"], by_fingerprint))
    columns = (alike[name].to_pylist() for name in ("cluster", "fingerprint", "tokens"))
    one_of_each = {cluster: each for cluster, *each in zip(*columns, strict=True)}
    candidates = [
        (cluster, (parse_prefix(text), tree))
        for cluster, (fingerprint, text) in one_of_each.items()
        if cluster not in but
        for tree in by_fingerprint[fingerprint]
    ]
    verdicts = compare_many([pair for _, pair in candidates], CORPUS_JUDGE)
    for (cluster, _), verdict in zip(candidates, verdicts, strict=True):
        if verdict.is_equal:
            yield cluster


def _is_in(column: pa.ChunkedArray, values: Iterable[int | str]) -> pa.ChunkedArray:
    return pc.is_in(column, pa.array(values, column.type))


def _texts(trees: Iterable[Node]) -> frozenset[str]:
    return frozenset(map(write_prefix, trees))
