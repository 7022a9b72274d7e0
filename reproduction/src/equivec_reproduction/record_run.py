"""The settings and the log of a training, as results/runs/NAME.json.

The command is the command line of these settings; a run that was started from Python by
`pipeline.training.train` says so there. SETTINGS is the run's settings.json, METRICS its
metrics.jsonl (.gz), MODEL_CONFIG the config.json of its model. One row in ten of the log is kept,
and the last. A run that began with the weights of a model that is recorded keeps that record as its
start.
"""

from __future__ import annotations

import gzip
import json
from datetime import UTC, datetime
from pathlib import Path

from equivec.storage.files import read_json, write_json
from equivec_reproduction.folder import RESULTS

KEPT = 10  # of so many rows one is kept


def record_run(
    name: str, settings: Path, metrics: Path, model_config: Path, command: str, commit: str
) -> Path:
    """Write one file."""
    path = RESULTS / "runs" / f"{name}.json"
    job = read_json(settings)
    recipe = job["recipe"]
    start = path.with_name(f"{Path(str(job['start'])).name}.json")
    log = metrics.read_bytes()
    lines = (gzip.decompress(log) if metrics.suffix == ".gz" else log).splitlines()
    rows = [json.loads(line) for line in lines]
    training = read_json(model_config)["training"]
    found = {
        "command": command,
        "commit": commit,
        "seed": recipe["training"]["seed"],
        "machine": {"device": training["device"]},
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "arrays": [Path(path).name for path in job["corpora"]],
        "shares": job["shares"],
        "network": recipe["network"],
        "training": {**recipe["training"], "objective": recipe["objective"]},
        "steps": training["steps"],
        "seconds": training["seconds"],
        "rows": [*rows[:-1:KEPT], rows[-1]],
        "start": read_json(start) if start.exists() else job["start"],
    }
    path.parent.mkdir(exist_ok=True)
    write_json(path, found)
    return path
