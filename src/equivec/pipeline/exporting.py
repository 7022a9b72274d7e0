"""From a trained model to one that runs without torch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from equivec.model.files import CARD, check_target
from equivec.model.folder import HALF, load_model, save_model
from equivec.model.onnx_export import export

if TYPE_CHECKING:
    from pathlib import Path


def export_model(folder: Path, out: Path | None = None) -> Path:
    """Write the graphs of a model beside its weights; with `out`, of a copy in half precision."""
    model = load_model(folder)  # refuses what is no model before anything is written
    if out is None:
        export(folder)
        return folder
    check_target(out, folder)
    save_model(out, model, (folder / CARD).read_text(encoding="utf-8"), HALF)
    export(out)
    return out
