"""The evaluations as one run: a folder of results that a stopped run goes on with."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pytest

from equivec.corpus.records import Row, to_table
from equivec.corpus.store import write_corpus
from equivec.errors import ConfigError, FileFormatError
from equivec.evaluate import encoders
from equivec.evaluate.encoders import BagOfTokens
from equivec.evaluate.plot_set import plot_expressions
from equivec.evaluate.pool import prefix_text
from equivec.pipeline.evaluation import (
    COMPARISON,
    EVALUATIONS,
    EvaluationConfig,
    evaluate_models,
    read_results,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import numpy as np


class Reversed(BagOfTokens):
    """Another model: it counts the tokens from the last to the first, and no sign."""

    name = "reversed bag"

    def encode(self, expressions: Sequence[str]) -> np.ndarray:
        vectors = super().encode(expressions)[:, ::-1].copy()
        vectors[:, :12] *= 0.1
        return vectors


@pytest.fixture(autouse=True)
def two_models(monkeypatch: pytest.MonkeyPatch) -> None:
    table = {"bag-of-tokens": BagOfTokens, "reversed": Reversed}
    monkeypatch.setattr(encoders, "_BASELINES", table)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus of 200 expressions, every fifth for testing."""
    texts = [prefix_text(row.expression) for row in plot_expressions()[::35]]
    rows = [
        Row(number, text, 0, "rules", "", True, "test" if number % 5 == 0 else "train")
        for number, text in enumerate(texts)
    ]
    folder = tmp_path_factory.mktemp("corpus")
    write_corpus(folder, to_table(rows), {})
    return folder


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small file to plot."""
    path = tmp_path_factory.mktemp("plots") / "own.tsv"
    rows = plot_expressions()[::160]
    path.write_text("".join(f"{row.expression}\t{row.label}\n" for row in rows), encoding="utf-8")
    return path


@pytest.fixture
def config(corpus: Path, own: Path) -> EvaluationConfig:
    return EvaluationConfig(corpus=str(corpus), plot_file=str(own), queries=30, rows_per_part=50)


def steps(out: Path, config: EvaluationConfig, *only: str, models: Sequence[str]) -> list[str]:
    found = evaluate_models(models, out, config, only)
    return [f"{progress.model}: {progress.step}" for progress in found]


def test_the_whole_evaluation_of_two_models(tmp_path: Path, config: EvaluationConfig) -> None:
    steps(tmp_path, config, models=["bag-of-tokens", "reversed"])
    results = read_results(tmp_path)
    assert list(results) == ["bag of tokens", "reversed bag"]
    for found in results.values():
        assert list(found) == list(EVALUATIONS)
        assert found["paper_analogies"]["scores"][-1]["count"] == 20
        assert found["generated_analogies"]["scores"][-1]["count"] == 1_200
        assert len(found["distance_analysis"]["queries"]) == 10
        assert len(found["neighbours"]["neighbours"]) == 30
    folder = tmp_path / "bag-of-tokens"
    assert len(list((folder / "vectors").iterdir())) == 4
    assert {path.name for path in folder.glob("plot_*")} == {
        f"plot_{name}.{ending}" for name in ("pca", "tsne") for ending in ("html", "json", "png")
    }
    comparison = json.loads((tmp_path / COMPARISON).read_text(encoding="utf-8"))
    assert comparison["queries"] == 30
    assert len(comparison["matches"]) == 6


def test_a_stopped_run_goes_on_with_what_is_missing(
    tmp_path: Path, config: EvaluationConfig
) -> None:
    only = ("distance_analysis", "neighbours")
    steps(tmp_path, config, *only, models=["bag-of-tokens"])
    folder = tmp_path / "bag-of-tokens"
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*.npy")}
    expected = (folder / "distance_analysis.json").read_bytes()
    (folder / "distance_analysis.json").unlink()
    (folder / "vectors" / "00002.npy").unlink()
    again = steps(tmp_path, config, *only, models=["bag-of-tokens"])
    assert again[-1] == "bag of tokens: distance_analysis"
    assert "bag of tokens: neighbours" not in again
    assert (folder / "distance_analysis.json").read_bytes() == expected
    after = {path: path.stat().st_mtime_ns for path in folder.rglob("*.npy")}
    assert [path.name for path in before if before[path] != after[path]] == ["00002.npy"]


def test_plots_need_no_corpus_and_one_may_be_named_later(
    tmp_path: Path, config: EvaluationConfig
) -> None:
    plain = EvaluationConfig(plot_file=config.plot_file, queries=30, rows_per_part=50)
    steps(tmp_path, plain, "plot_pca", models=["bag-of-tokens"])
    steps(tmp_path, config, "distance_analysis", models=["bag-of-tokens"])
    steps(tmp_path, plain, "plot_pca", models=["bag-of-tokens"])
    assert list(read_results(tmp_path)["bag of tokens"]) == ["plot_pca", "distance_analysis"]


def test_results_of_another_corpus_are_not_mixed_in(
    tmp_path: Path, config: EvaluationConfig, corpus: Path
) -> None:
    steps(tmp_path / "out", config, "distance_analysis", models=["bag-of-tokens"])
    other = tmp_path / "other"
    shutil.copytree(corpus, other)
    manifest = json.loads((other / "manifest.json").read_text(encoding="utf-8"))
    manifest["files"] = dict.fromkeys(manifest["files"], "another checksum")
    (other / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    mixed = EvaluationConfig(
        corpus=str(other), plot_file=config.plot_file, queries=30, rows_per_part=50
    )
    with pytest.raises(FileFormatError, match="has results of other settings"):
        steps(tmp_path / "out", mixed, "distance_analysis", models=["bag-of-tokens"])


def test_what_is_missing_is_said_before_anything_is_done(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="are sought in a corpus; name its folder, or choose"):
        steps(tmp_path, EvaluationConfig(), models=["bag-of-tokens"])
    with pytest.raises(ConfigError, match="'plots' is not an evaluation; use plot_pca"):
        steps(tmp_path, EvaluationConfig(), "plots", models=["bag-of-tokens"])
    with pytest.raises(ConfigError, match="queries must be at least 1, not 0"):
        EvaluationConfig(queries=0)
    assert list(tmp_path.iterdir()) == []
