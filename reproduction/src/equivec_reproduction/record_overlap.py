"""How many functions of the benchmark training has in some form: results/benchmark/overlap.json."""

from __future__ import annotations

from typing import TYPE_CHECKING

from equivec.algebra.fingerprint import fingerprints
from equivec.corpus.splitting import TRAIN
from equivec.corpus.store import Corpus
from equivec.evaluate.benchmark_sets import clusters, detection_pairs, retrieval_cases, walks
from equivec.evaluate.provenance import provenance
from equivec.storage.files import write_json
from equivec_reproduction.folder import RESULTS
from equivec_reproduction.measured import BenchmarkOverlap, SeenFunctions

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


def record_overlap(corpora: Sequence[Path]) -> Path:
    """Count the functions that some corpora have, and write the file."""
    known: set[int] = set()
    for folder in corpora:
        known.update(Corpus.open(folder).table(TRAIN)["fingerprint"].unique().to_pylist())
    sets = {
        "retrieval": [case.query for case in retrieval_cases()],
        "detection": [pair.left for pair in detection_pairs() if pair.is_equal],
        "clusters": [members[0] for members in clusters()],
        "walks": [walk.source for walk in walks()],
    }
    overlap = BenchmarkOverlap({name: _seen(texts, known) for name, texts in sets.items()})
    names = " ".join(folder.name for folder in corpora)
    origin = provenance(f"equivec-reproduction record overlap {names}")
    path = RESULTS / "benchmark" / "overlap.json"
    write_json(path, {**origin.to_json(), **overlap.to_json()})
    return path


def _seen(texts: Sequence[str], known: set[int]) -> SeenFunctions:
    seen = sum(int(each, 16) in known for each in fingerprints(texts))
    return SeenFunctions(len(texts), seen)
