"""Describe and verify a corpus, and keep what was found in results/.

Usage: python scripts/record_corpus.py FOLDER BUILD_COMMAND COMMIT SECONDS PEAK_KILOBYTES
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.record import save_results  # noqa: E402

SAMPLE, SYMPY_SAMPLE = 50_000, 2_000


def equivec(*arguments: str) -> str:
    """What a command prints; a failing one ends the script."""
    program = Path(sys.executable).parent / "equivec"
    done = subprocess.run(  # noqa: S603
        [str(program), *arguments], stdout=subprocess.PIPE, text=True, check=True
    )
    return done.stdout


def main(folder: str, command: str, commit: str, seconds: str, kilobytes: str) -> None:
    """Write results/corpus.json and results/corpus.html."""
    page = ROOT / "results" / "corpus.html"
    chart = ROOT / "results" / "corpus.png"
    described = json.loads(
        equivec("corpus", "describe", folder, "-o", str(page), "-o", str(chart), "--json")
    )
    sizes = ("--sample", str(SAMPLE), "--sympy-sample", str(SYMPY_SAMPLE))
    verified = json.loads(equivec("corpus", "verify", folder, *sizes, "--json"))
    manifest = json.loads((Path(folder) / "manifest.json").read_text(encoding="utf-8"))
    row = {
        "seconds": float(seconds),
        "peak memory of a process, kilobytes": int(kilobytes),
        "described": described,
        "verified": verified,
        "manifest": manifest,
    }
    seed = manifest["settings"]["shard"]["seed"]
    path = ROOT / "results" / "corpus.json"
    save_results(path, command=command, seed=seed, rows=[row], commit=commit)


if __name__ == "__main__":
    main(*sys.argv[1:])
