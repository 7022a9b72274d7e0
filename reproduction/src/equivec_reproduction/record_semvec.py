"""What SemVec trainings leave, and what deduction and renaming give, put into results/.

Rows of a training go to results/semvec/NAME.json; rows of folds, which choose settings, to
results/semvec_selection.json; those of composition and the settings beside the earlier ones.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from equivec.errors import ConfigError, FileFormatError
from equivec.evaluate.provenance import provenance
from equivec.semvec.dataset import SEMVEC_SPECS
from equivec.semvec.deduction import describe_deduction
from equivec.semvec.derivation import DerivationConfig
from equivec.semvec.packing import read_semvec
from equivec.semvec.renaming import describe_renaming
from equivec.semvec.worlds_rows import WorldsRow
from equivec.storage.files import read_json, write_json
from equivec.storage.values import read_records, record_from
from equivec_reproduction.folder import RESULTS
from equivec_reproduction.semvec_results import WORLDS, Deduction, Deductions, Renaming, Worlds

if TYPE_CHECKING:
    from pathlib import Path

RUNS = RESULTS / "semvec_runs.json"


def record_training(folder: Path, name: str, command: str, commit: str) -> Path:
    """Record a training under a new name."""
    runs = _read(RUNS, {"runs": {}})
    if name in runs["runs"]:
        raise ConfigError(f"{name} is recorded already; choose another name")
    rows, settings = (_read(folder / part, None) for part in ("rows.json", "settings.json"))
    if rows is None or settings is None:
        raise FileFormatError(
            f"{folder} is not what a training leaves: it needs rows.json and settings.json"
        )
    recipe = settings["recipe"]
    settings["config"] = {
        "training": {**recipe["network"], **recipe["objective"], **recipe["training"]}
    }
    runs["runs"][name] = {
        "command": command,
        "commit": commit,
        "seed": sorted({row["seed"] for row in rows if not isinstance(row["seed"], list)}),
        "machine": f"{settings['device']}, Python {settings['python']}, torch {settings['torch']}",
        "date": datetime.now(UTC).date().isoformat(),
        "settings": settings,
    }
    _add_rows(RESULTS / "semvec_selection.json", [row for row in rows if "fold" in row])
    _add_rows(RESULTS / "semvec" / f"{name}.json", [row for row in rows if "fold" not in row])
    compositions = _read(folder / "compositionality.json", [])
    _add_rows(RESULTS / "semvec_compositionality.json", compositions)
    write_json(RUNS, runs)
    return RESULTS / "semvec" / f"{name}.json"


def record_renaming(data: Path) -> Path:
    """Record the shares of unseen classes that are training, renamed."""
    datasets, _ = read_semvec(data, [spec.name for spec in SEMVEC_SPECS])
    shares = {
        name: record_from(describe_renaming(dataset), Renaming, name).to_json()
        for name, dataset in datasets.items()
    }
    write_json(RUNS, {**_read(RUNS, {"runs": {}}), "renaming": shares})
    return RUNS


def record_deduction(data: Path) -> Path:
    """Record what deduction scores without a network, and what `larger` shows of unseen classes."""
    names = [spec.name for spec in SEMVEC_SPECS if spec.sampled_per_class is None]
    datasets, _ = read_semvec(data, names)
    found = Deductions(
        {
            name: record_from(describe_deduction(dataset), Deduction, name)
            for name, dataset in datasets.items()
        }
    )
    command = f"equivec-reproduction record deduction {data.name}"
    origin = provenance(command, DerivationConfig().seed)
    path = RESULTS / "semvec_deduction.json"
    write_json(path, {**origin.to_json(), **found.to_json()})
    return path


def record_worlds(folder: Path) -> Path:
    """Record what `equivec semvec worlds` left in a folder."""
    names = ("rows", "compositionality", "held_out")
    rows = {name: read_records(folder / f"{name}.json", WorldsRow) for name in names}
    found = Worlds(**{name: tuple(some) for name, some in rows.items()})
    path = RESULTS / WORLDS
    write_json(path, {**read_json(folder / "run.json"), **found.to_json()})
    return path


def _read(path: Path, default: Any) -> Any:
    """The JSON of a file, or the default where there is none."""
    return read_json(path) if path.exists() else default


def _add_rows(path: Path, rows: list[dict[str, Any]]) -> None:
    """Put rows after those of a file, if there are any."""
    if rows:
        write_json(path, [*_read(path, []), *rows])
