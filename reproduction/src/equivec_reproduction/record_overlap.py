"""Count the functions of the benchmark that training has in some form, and keep it in results/.

Usage: python scripts/record_overlap.py CORPUS...
"""

from __future__ import annotations

import sys
from pathlib import Path

from equivec.algebra.fingerprint import fingerprints
from equivec.corpus.splitting import TRAIN
from equivec.corpus.store import Corpus
from equivec.evaluate.benchmark_sets import clusters, detection_pairs, retrieval_cases, walks
from equivec.evaluate.provenance import provenance
from equivec.storage.files import write_json

PATH = Path(__file__).parent.parent / "results" / "benchmark" / "overlap.json"


def main(*corpora: str) -> None:
    """Write results/benchmark/overlap.json."""
    known: set[int] = set()
    for folder in corpora:
        known.update(Corpus.open(folder).table(TRAIN)["fingerprint"].unique().to_pylist())
    sets = {
        "retrieval": [case.query for case in retrieval_cases()],
        "detection": [pair.left for pair in detection_pairs() if pair.is_equal],
        "clusters": [members[0] for members in clusters()],
        "walks": [walk.source for walk in walks()],
    }
    counts = {
        name: {
            "functions": len(texts),
            "in_training": sum(int(mark, 16) in known for mark in fingerprints(texts)),
        }
        for name, texts in sets.items()
    }
    names = " ".join(Path(folder).name for folder in corpora)
    command = f"python scripts/record_overlap.py {names}"
    write_json(PATH, {**provenance(command), "sets": counts})


if __name__ == "__main__":
    main(*sys.argv[1:])
