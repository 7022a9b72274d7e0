"""A trainer on disk: its tensors, and what the run knows of itself."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from safetensors import SafetensorError, safe_open
from safetensors.torch import load_file, save_file

from equivec.errors import FileFormatError
from equivec.storage.files import renamed_when_complete

if TYPE_CHECKING:
    from pathlib import Path

    from equivec.model.training import Trainer


def save_checkpoint(path: Path, trainer: Trainer, facts: dict[str, Any]) -> None:
    """Write a checkpoint, whole or not at all."""
    with renamed_when_complete(path) as temporary:
        save_file(trainer.state(), temporary, {"run": json.dumps(facts)})


def restore_checkpoint(path: Path, trainer: Trainer) -> dict[str, Any]:
    """Let a trainer go on from a checkpoint; what the run knew comes back."""
    try:
        trainer.restore(load_file(path))
        with safe_open(path, "pt") as file:
            facts: dict[str, Any] = json.loads(file.metadata()["run"])
    except (SafetensorError, KeyError, OSError) as error:
        raise FileFormatError(f"{path} is damaged: {error}") from None
    return facts
