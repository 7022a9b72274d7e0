"""Count the textbook identities that training's sources have, and split the recall by it.

Usage: python scripts/record_identities.py

Sources are those that scripts/make_extra_corpora draws, before the rules add equivalents, and the
training expressions of data/sample, among which the default model is asked. The corpus of several
variables and the main one, of which the sample is a part, are not counted: the counts are least
ones. It writes results/identities_overlap.json.
"""

from __future__ import annotations

import re
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import numpy as np

from equivec.algebra.fingerprint import fingerprints
from equivec.corpus.sources import special_sources
from equivec.corpus.splitting import TRAIN
from equivec.corpus.store import Corpus
from equivec.embed.registry import load_encoder
from equivec.evaluate.identities import read_identities
from equivec.evaluate.provenance import provenance
from equivec.evaluate.retrieval import retrieve
from equivec.expression.prefix import write_prefix
from equivec.storage.files import write_json

if TYPE_CHECKING:
    from collections.abc import Iterable

ROOT = Path(__file__).parent.parent
PATH = ROOT / "results" / "identities_overlap.json"
_SOURCES = re.compile(r"^from_sources (\w+) (\d+) (\d+)", re.MULTILINE)


def training_sources() -> set[str]:
    """The sources of one variable that scripts/make_extra_corpora draws, as it stands."""
    script = (ROOT / "scripts" / "make_extra_corpora").read_text(encoding="utf-8")
    return {
        write_prefix(tree)
        for kind, count, seed in _SOURCES.findall(script)
        for tree in special_sources(kind, int(count), Random(int(seed)))  # noqa: S311
    }


def main() -> None:
    """Count, ask the default model, and write one file."""
    sources = training_sources()
    table = Corpus.open(ROOT / "data" / "sample").table(TRAIN)
    pool = dict(zip(table["tokens"].to_pylist(), table["fingerprint"].to_pylist(), strict=True))
    known = {*functions(sources), *pool.values()}
    rows = [
        (write_prefix(row.left), write_prefix(row.right))
        for row in read_identities()
        if row.variables == {"x"}
    ]
    marks = functions(left for left, _ in rows)
    is_known = np.array([mark in known for mark in marks])
    verbatim = np.array([(left in sources) + (right in sources) for left, right in rows])
    queries, answers = zip(*rows, strict=True)
    others = [text for text, mark in pool.items() if mark not in set(marks)]
    found, ranks = retrieve(load_encoder("default"), queries, answers, others)
    shares = {
        "identities": len(rows),
        "function_in_training": int(is_known.sum()),
        "a_side_verbatim": int((verbatim > 0).sum()),
        "both_sides_verbatim": int((verbatim == 2).sum()),
        "sources": len(sources),
        "distractors": found.distractors,
        "recall_1": found.recall_1,
        "recall_1_of_functions_in_training": float((ranks[is_known] < 1).mean()),
        "recall_1_of_other_functions": float((ranks[~is_known] < 1).mean()),
    }
    write_json(PATH, {**provenance("python scripts/record_identities.py"), **shares})


def functions(texts: Iterable[str]) -> list[int]:
    """The fingerprints of expressions, as a corpus has them."""
    return [int(mark, 16) for mark in fingerprints(texts)]


if __name__ == "__main__":
    main()
