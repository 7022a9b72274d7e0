"""From a trained model to one that runs without torch."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING

from equivec.embed.runtime import model_folder
from equivec.errors import ConfigError
from equivec.model.files import CARD, check_target
from equivec.model.folder import HALF, load_model, save_model
from equivec.model.onnx_export import export

if TYPE_CHECKING:
    from pathlib import Path

    from equivec.model.folder import Model


@dataclass(frozen=True, slots=True)
class Blend:
    """Another model, and its fraction in the average of the weights."""

    model: str
    fraction: float

    def __post_init__(self) -> None:
        if not 0 < self.fraction < 1:
            raise ConfigError(
                f"the fraction of {self.model} must lie in (0, 1), not at {self.fraction}"
            )


def export_model(folder: Path, out: Path | None = None, blend: Blend | None = None) -> Path:
    """Write the graphs of a model beside its weights; with `out`, of a copy in half precision.

    The weights of the copy may be a mean of the model's and of those it was tuned from: between the
    two lie models that have learnt the new and forgotten little (Wortsman et al. 2022).
    """
    model = load_model(folder)  # refuses what is no model before anything is written
    if out is None:
        if blend is not None:
            raise ConfigError("a blend needs a folder to write to: name it with --out")
        export(folder)
        return folder
    check_target(out, folder)
    card = (folder / CARD).read_text(encoding="utf-8")
    if blend is not None:
        model = _blended(model, blend)
        card += f"\nThe fraction of `{blend.model}` in these weights is {blend.fraction}.\n"
    save_model(out, model, card, HALF)
    export(out)
    return out


def _blended(model: Model, blend: Blend) -> Model:
    """The model with the mean of its weights and the other's."""
    own, other = model.network, load_model(model_folder(blend.model)).network
    if own.config.unlike(other.config):
        raise ConfigError(f"{blend.model} has another shape; blend models of the same shape")
    theirs = other.state_dict()
    own.load_state_dict(
        {name: ours.lerp(theirs[name], blend.fraction) for name, ours in own.state_dict().items()}
    )
    return replace(model, facts={**model.facts, "blend": asdict(blend)})
