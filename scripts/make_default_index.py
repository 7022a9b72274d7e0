"""The expressions of the default index: `python scripts/make_default_index.py CORPUS`.

Textbook forms with some equivalents of each, then clusters of a corpus' training set: all simple
ones, then one of each kind in turn, a kind being the number of operators and the functions of the
simplest member, so that rare functions and sizes are as well represented as common ones. Only the
expressions are kept; the vectors are made from them by the model of whoever searches.
"""

from __future__ import annotations

import argparse
import gzip
from collections import defaultdict
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from equivec.algebra.compare import PAPER_JUDGE, compare_with_first
from equivec.algebra.rewriting import Rewriter
from equivec.corpus.export import clusters_of
from equivec.corpus.splitting import TRAIN
from equivec.corpus.store import Corpus
from equivec.expression.grammar import ELEMENTARY
from equivec.expression.prefix import write_prefix
from equivec.expression.text import parse
from equivec.search.default import EXPRESSIONS
from equivec.storage.files import renamed_when_complete

if TYPE_CHECKING:
    from collections.abc import Iterator

    from equivec.expression.tree import Node

FORMS = Path(__file__).with_name("textbook_forms.txt")
_OPERATORS = {symbol.name for symbol in ELEMENTARY.symbols if symbol.arity}
_DIGITS = set("0123456789")
# Expressions that are taken of one function; of a simple one more, since they are asked for most.
_MEMBERS, _SIMPLE_MEMBERS = 3, 5
# Random numbers of many digits are no formulas that people look for.
_LONGEST_NUMBER = 2


def main() -> None:
    """Write the expressions into the package."""
    options = _options()
    random = Random(options.seed)  # noqa: S311
    texts: dict[str, None] = dict.fromkeys(textbook(random))
    for text in varied(Corpus.open(options.corpus), random):
        if len(texts) == options.count:
            break
        texts[text] = None
    content = "".join(f"{text}\n" for text in texts).encode()
    with renamed_when_complete(EXPRESSIONS) as path:
        # Without a time in it the same expressions are the same bytes.
        path.write_bytes(gzip.compress(content, mtime=0))
    print(f"wrote {EXPRESSIONS}: {len(texts):,} expressions")  # noqa: T201


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", help="the folder of a finished corpus")
    parser.add_argument("--count", type=int, default=60_000, help="how many expressions")
    parser.add_argument("--seed", type=int, default=42)
    return parser.parse_args()


def textbook(random: Random) -> Iterator[str]:
    """The textbook forms, and the shortest that the rules make of each function's first form."""
    for line in FORMS.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            continue
        first, *others = (parse(form) for form in line.split(";"))
        _see_that_they_are_equal(first, others)
        yield from map(write_prefix, (first, *others))
        made = [write_prefix(each.tree) for each in Rewriter().cluster(first, random)]
        yield from sorted(made, key=_simplicity)[:_MEMBERS]


def _see_that_they_are_equal(first: Node, others: list[Node]) -> None:
    for other, verdict in zip(others, compare_with_first(first, others, PAPER_JUDGE), strict=True):
        if not verdict.is_equal:
            raise SystemExit(
                f"{write_prefix(first)} and {write_prefix(other)}: {verdict.relation.name}"
            )


def varied(corpus: Corpus, random: Random) -> Iterator[str]:
    """Members of all simple clusters, then of one cluster of each kind in turn."""
    kinds: dict[tuple[int, tuple[str, ...]], list[list[str]]] = defaultdict(list)
    for cluster in clusters_of(corpus.table(TRAIN)):
        members = sorted(
            (text for text in cluster if _longest_number(text) <= _LONGEST_NUMBER), key=_simplicity
        )
        if members and _is_simple(members[0]):
            yield from members[:_SIMPLE_MEMBERS]
        elif members:
            kinds[_kind(members[0])].append(members)
    for clusters in kinds.values():
        random.shuffle(clusters)
    while kinds:
        for kind in random.sample(sorted(kinds), len(kinds)):
            simplest, *others = kinds[kind].pop()
            yield from [simplest, *random.sample(others, min(len(others), _MEMBERS - 1))]
            if not kinds[kind]:
                del kinds[kind]


def _is_simple(text: str) -> bool:
    return _operators(text) <= 2 and _longest_number(text) <= 1


def _kind(text: str) -> tuple[int, tuple[str, ...]]:
    return _operators(text), tuple(sorted(_OPERATORS.intersection(text.split())))


def _simplicity(text: str) -> tuple[int, int, str]:
    return _operators(text), len(text.split()), text


def _operators(text: str) -> int:
    return sum(token in _OPERATORS for token in text.split())


def _longest_number(text: str) -> int:
    longest = length = 0
    for token in text.split():
        length = length + 1 if token in _DIGITS else 0
        longest = max(longest, length)
    return longest


if __name__ == "__main__":
    main()
