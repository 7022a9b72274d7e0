"""What blends of a model with the one it was tuned from find, as results/default_blends.json.

A blend is a SHARE of the earlier model (`equivec export --blend MODEL --share SHARE`) and the
FOLDER where `equivec evaluate BLEND --out ...` wrote its results; 1 is the earlier model itself.
Every row names the command, commit and machine of its evaluation.
"""

from __future__ import annotations

from dataclasses import asdict, fields
from pathlib import Path
from typing import TYPE_CHECKING

from equivec.errors import ConfigError
from equivec.evaluate.analogies import AnalogyResult
from equivec.evaluate.provenance import Provenance, provenance, read_recorded
from equivec.evaluate.retrieval import Retrieval
from equivec.storage.files import write_json
from equivec_reproduction.folder import RESULTS
from equivec_reproduction.measured import Blend

if TYPE_CHECKING:
    from collections.abc import Sequence


def record_blends(blends: Sequence[str]) -> Path:
    """Write the file of SHARE=FOLDER texts."""
    rows = [_blend(*_parts(text)) for text in blends]
    shares = " ".join(f"{row.share}=FOLDER" for row in rows)
    origin = provenance(f"equivec-reproduction record blends {shares}", rows[0].seed)
    path = RESULTS / "default_blends.json"
    write_json(path, {**origin.to_json(), "rows": [row.to_json() for row in rows]})
    return path


def _parts(text: str) -> tuple[float, Path]:
    share, _, folder = text.partition("=")
    try:
        return float(share), Path(folder)
    except ValueError:
        raise ConfigError(f"{text!r} is not SHARE=FOLDER, such as 0.3=out/blend") from None


def _blend(share: float, folder: Path) -> Blend:
    retrieval = read_recorded(folder / "retrieval.json", Retrieval)
    identities = read_recorded(folder / "identities.json", Retrieval)
    papers, generated = (
        read_recorded(folder / f"{name}.json", AnalogyResult).result.scores[-1]
        for name in ("paper_analogies", "generated_analogies")
    )
    made = asdict(identities.origin)
    return Blend(
        **{each.name: made[each.name] for each in fields(Provenance)},
        share=share,
        identities=identities.result.recall_1,
        unseen=retrieval.result.recall_1,
        paper_exact=papers.exact_at_1,
        paper_equivalent=papers.equivalent_at_1,
        generated_exact=generated.exact_at_1,
        generated_equivalent=generated.equivalent_at_1,
    )
