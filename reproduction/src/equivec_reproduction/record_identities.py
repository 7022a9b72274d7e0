"""How many textbook identities training's sources have, and the recall with and without these.

Sources are those that reproduction/make_extra_corpora draws, before the rules add equivalents, and
the training expressions of data/sample, among which the default model is asked. The corpus of
several variables and the main one, of which the sample is a part, are not counted: the counts are
least ones. They go to results/identities_overlap.json.
"""

from __future__ import annotations

import re
from random import Random
from typing import TYPE_CHECKING

import numpy as np

from equivec.algebra.fingerprint import fingerprints
from equivec.corpus.sources import special_sources
from equivec.corpus.splitting import TRAIN
from equivec.corpus.store import Corpus
from equivec.embed.registry import load_encoder
from equivec.evaluate.provenance import provenance
from equivec.evaluate.retrieval import read_identities, retrieve
from equivec.expression.prefix import write_prefix
from equivec.storage.files import write_json
from equivec_reproduction.folder import RESULTS, ROOT
from equivec_reproduction.measured import IdentitiesOverlap

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

_SOURCES = re.compile(r"^from_sources (\w+) (\d+) (\d+)", re.MULTILINE)


def training_sources() -> set[str]:
    """The sources of one variable that reproduction/make_extra_corpora draws, as it stands."""
    script = (ROOT / "reproduction" / "make_extra_corpora").read_text(encoding="utf-8")
    return {
        write_prefix(tree)
        for kind, count, seed in _SOURCES.findall(script)
        for tree in special_sources(kind, int(count), Random(int(seed)))  # noqa: S311
    }


def record_identities() -> Path:
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
    asked_functions = functions(left for left, _ in rows)
    is_known = np.array([fingerprint in known for fingerprint in asked_functions])
    verbatim = np.array([(left in sources) + (right in sources) for left, right in rows])
    queries, answers = zip(*rows, strict=True)
    others = [text for text, fingerprint in pool.items() if fingerprint not in set(asked_functions)]
    found, ranks = retrieve(load_encoder("default"), queries, answers, others)
    overlap = IdentitiesOverlap(
        identities=len(rows),
        function_in_training=int(is_known.sum()),
        a_side_verbatim=int((verbatim > 0).sum()),
        both_sides_verbatim=int((verbatim == 2).sum()),
        sources=len(sources),
        distractors=found.distractors,
        recall_1=found.recall_1,
        recall_1_of_functions_in_training=float((ranks[is_known] < 1).mean()),
        recall_1_of_other_functions=float((ranks[~is_known] < 1).mean()),
    )
    path = RESULTS / "identities_overlap.json"
    origin = provenance("equivec-reproduction record identities")
    write_json(path, {**origin.to_json(), **overlap.to_json()})
    return path


def functions(texts: Iterable[str]) -> list[int]:
    """The fingerprints of expressions, as a corpus has them."""
    return [int(fingerprint, 16) for fingerprint in fingerprints(texts)]
