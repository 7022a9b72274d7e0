"""Keep the settings and the log of a training as results/runs/NAME.json.

Usage: python scripts/record_run.py NAME SETTINGS METRICS MODEL_CONFIG COMMAND COMMIT

COMMAND is the command line of these settings; a run that was started from Python by
`pipeline.training.train` says so there. SETTINGS is the run's settings.json, METRICS its
metrics.jsonl (.gz), MODEL_CONFIG the config.json of its model. One row in ten of the log is kept,
and the last. A run that began with the weights of a model that is recorded keeps that record as its
start.
"""

from __future__ import annotations

import gzip
import json
import sys
from datetime import UTC, datetime
from pathlib import Path

from equivec.storage.files import read_json, write_json

ROOT = Path(__file__).parent.parent
KEPT = 10  # of so many rows one is kept


def main(
    name: str, settings: str, metrics: str, model_config: str, command: str, commit: str
) -> None:
    """Write one file."""
    path = ROOT / "results" / "runs" / f"{name}.json"
    job = read_json(Path(settings))
    start = path.with_name(f"{Path(str(job['start'])).name}.json")
    log = Path(metrics).read_bytes()
    lines = (gzip.decompress(log) if metrics.endswith(".gz") else log).splitlines()
    rows = [json.loads(line) for line in lines]
    training = read_json(Path(model_config))["training"]
    found = {
        "command": command,
        "commit": commit,
        "seed": job["training"]["seed"],
        "machine": {"device": training["device"]},
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "arrays": [Path(path).name for path in job["corpora"]],
        "shares": job["shares"],
        "network": job["network"],
        "training": job["training"],
        "steps": training["steps"],
        "seconds": training["seconds"],
        "rows": [*rows[:-1:KEPT], rows[-1]],
        "start": read_json(start) if start.exists() else job["start"],
    }
    path.parent.mkdir(exist_ok=True)
    write_json(path, found)


if __name__ == "__main__":
    main(*sys.argv[1:])
