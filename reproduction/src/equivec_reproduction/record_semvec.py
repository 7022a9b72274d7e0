"""Put what a SemVec training left in a folder into results/, and make the report anew.

Usage: python scripts/record_semvec.py FOLDER NAME COMMAND COMMIT
       python scripts/record_semvec.py renaming DATA
       python scripts/record_semvec.py deduction DATA

Rows go to results/semvec/NAME.json; rows of folds, which choose settings, to
results/semvec_selection.json; those of composition and the settings beside the earlier ones. The
second form counts, in the published files, the unseen classes that are training, renamed.
"""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from equivec.corpus.semvec import SEMVEC_SPECS
from equivec.evaluate.provenance import provenance
from equivec.evaluate.semvec_page import html_page, markdown_page
from equivec.evaluate.semvec_results import Results
from equivec.evaluate.semvec_tables import semvec_tables
from equivec.model.derivation import DerivationConfig
from equivec.pipeline.semvec.deduction import describe_deduction
from equivec.pipeline.semvec.packing import read_semvec
from equivec.pipeline.semvec.renaming import describe_renaming
from equivec.storage.files import read_json, write_json, write_text

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "results"
RUNS = RESULTS / "semvec_runs.json"


def read(path: Path, default: Any) -> Any:
    """The JSON of a file, or the default where there is none."""
    return read_json(path) if path.exists() else default


def add_rows(path: Path, rows: list[dict[str, Any]]) -> None:
    """Put rows after those of a file, if there are any."""
    if rows:
        write_json(path, [*read(path, []), *rows])


def record_training(folder: str, name: str, command: str, commit: str) -> None:
    """Record a training under a new name."""
    runs = read(RUNS, {"runs": {}})
    if name in runs["runs"]:
        sys.exit(f"{name} is recorded already; choose another name")
    rows, settings = (read(Path(folder) / part, None) for part in ("rows.json", "run.json"))
    if rows is None or settings is None:
        sys.exit(f"{folder} is not what a training leaves: it needs rows.json and run.json")
    runs["runs"][name] = {
        "command": command,
        "commit": commit,
        "seed": sorted({row["seed"] for row in rows if not isinstance(row["seed"], list)}),
        "machine": f"{settings['device']}, Python {settings['python']}, torch {settings['torch']}",
        "date": datetime.now(UTC).date().isoformat(),
        "settings": settings,
    }
    add_rows(RESULTS / "semvec_selection.json", [row for row in rows if "fold" in row])
    add_rows(RESULTS / "semvec" / f"{name}.json", [row for row in rows if "fold" not in row])
    compositions = read(Path(folder) / "compositionality.json", [])
    add_rows(RESULTS / "semvec_compositionality.json", compositions)
    write_json(RUNS, runs)


def record_renaming(data: str) -> None:
    """Record the shares of unseen classes that are training, renamed."""
    datasets, _ = read_semvec(Path(data), [spec.name for spec in SEMVEC_SPECS])
    shares = {name: describe_renaming(dataset) for name, dataset in datasets.items()}
    runs = read(RUNS, {"runs": {}})
    write_json(RUNS, {**runs, "renaming": shares})


def record_deduction(data: str) -> None:
    """Record what deduction scores without a network, and what `larger` shows of unseen classes."""
    names = [spec.name for spec in SEMVEC_SPECS if spec.sampled_per_class is None]
    datasets, _ = read_semvec(Path(data), names)
    rows = {name: describe_deduction(dataset) for name, dataset in datasets.items()}
    command = f"python scripts/record_semvec.py deduction {Path(data).name}"
    origin = provenance(command, DerivationConfig().seed)
    write_json(RESULTS / "semvec_deduction.json", {**origin, "datasets": rows})


def make_report() -> None:
    """Write both pages of the report."""
    tables = semvec_tables(Results.read(RESULTS))
    write_text(ROOT / "docs" / "semvec.md", markdown_page(tables))
    write_text(RESULTS / "semvec.html", html_page(tables))


if __name__ == "__main__":
    if sys.argv[1:2] == ["renaming"]:
        record_renaming(*sys.argv[2:])
    elif sys.argv[1:2] == ["deduction"]:
        record_deduction(*sys.argv[2:])
    else:
        record_training(*sys.argv[1:])
    make_report()
