"""The committed results are read by the classes that write them, and nothing of a class is lost."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from equivec.evaluate.benchmark import BenchmarkFile
from equivec.evaluate.generation import GenerationResult
from equivec.evaluate.tree_edit_comparison import ComparisonFile
from equivec.pipeline.evaluation import EVALUATIONS, TREE_EDIT
from equivec.pipeline.evaluation_data import ModelSettings
from equivec.storage.files import read_json
from equivec.storage.values import read_record
from equivec_reproduction.measured import (
    BenchmarkOverlap,
    BuiltCorpora,
    IdentitiesOverlap,
    Throughputs,
    TrainingRun,
)
from equivec_reproduction.semvec_results import Deductions

if TYPE_CHECKING:
    from equivec.storage.values import Record

RESULTS = Path(__file__).parents[2] / "results"
KINDS: list[tuple[str, type[Record]]] = [
    *((f"*/*/{name}.json", row.result) for name, row in EVALUATIONS.items() if name != TREE_EDIT),
    *((f"*/*/*/{name}.json", row.result) for name, row in EVALUATIONS.items()),
    ("evaluation/*/neighbours.json.gz", EVALUATIONS[TREE_EDIT].result),
    ("evaluation/tree_edit_distance.json", ComparisonFile),
    ("**/*/settings.json", ModelSettings),
    ("generation/*.json", GenerationResult),
    ("benchmark/benchmark.json", BenchmarkFile),
    ("benchmark/overlap.json", BenchmarkOverlap),
    ("corpus.json", BuiltCorpora),
    ("identities_overlap.json", IdentitiesOverlap),
    ("runs/*.json", TrainingRun),
    ("semvec_deduction.json", Deductions),
    ("training.json", Throughputs),
]


def is_part(small: Any, large: Any) -> bool:
    """Whether a JSON value says nothing but what another says; defaults aside."""
    if isinstance(small, dict) and isinstance(large, dict):
        return all(is_part(value, large[key]) for key, value in small.items() if key in large)
    if isinstance(small, list) and isinstance(large, list):
        pairs = zip(small, large, strict=True)
        return all(is_part(one, other) for one, other in pairs)
    return bool(small == large)


@pytest.mark.parametrize(("pattern", "kind"), KINDS, ids=lambda each: str(each)[:40])
def test_what_is_read_is_what_the_file_says(pattern: str, kind: type[Record]) -> None:
    for path in RESULTS.glob(pattern):
        if kind is ModelSettings and path.parent.name in ("corpus", "committed", "fresh"):
            continue  # what all models of a folder have in common
        read = json.dumps(read_record(path, kind).to_json())  # numbers as keys become texts
        assert is_part(json.loads(read), read_json(path)), path


def test_every_pattern_of_measured_things_has_a_file() -> None:
    empty = [pattern for pattern, _ in KINDS if not list(RESULTS.glob(pattern))]
    assert all(pattern.startswith("*/") for pattern in empty), empty
