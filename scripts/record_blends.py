"""Keep what blends of a model with the one it was tuned from find, as results/default_blends.json.

Usage: python scripts/record_blends.py SHARE=FOLDER...

FOLDER is where `equivec evaluate run BLEND --out ...` wrote the results of the blend that has SHARE
of the earlier model (`equivec model export --blend MODEL --blend-fraction SHARE`); 1 is the earlier
model itself.
Every row names the command, commit and machine of its evaluation.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from equivec.evaluate.provenance import provenance
from equivec.storage.files import read_json, write_json

PATH = Path(__file__).parent.parent / "results" / "default_blends.json"


def main(*blends: str) -> None:
    """Write one file."""
    rows = [
        _row(float(share), Path(folder)) for share, folder in (each.split("=") for each in blends)
    ]
    shares = " ".join(f"{row['share']}=FOLDER" for row in rows)
    origin = provenance(f"python scripts/record_blends.py {shares}", rows[0]["seed"])
    write_json(PATH, {**origin, "rows": rows})


def _row(share: float, folder: Path) -> dict[str, Any]:
    retrieval, identities, papers, generated = (
        read_json(folder / f"{name}.json")
        for name in ("retrieval", "identities", "paper_analogies", "generated_analogies")
    )
    return {
        "share": share,
        "identities, recall@1": identities["recall_1"],
        "unseen functions, recall@1": retrieval["recall_1"],
        **_counts("the paper's analogies", papers),
        **_counts("generated analogies", generated),
        **{key: identities[key] for key in ("command", "commit", "seed", "machine", "date")},
    }


def _counts(name: str, found: dict[str, Any]) -> dict[str, int]:
    """How many analogies are answered with the nearest expression, of all kinds."""
    score = found["scores"][-1]
    return {
        f"{name}, exact": score["exact_at_1"],
        f"{name}, up to equivalence": score["equivalent_at_1"],
    }


if __name__ == "__main__":
    main(*sys.argv[1:])
