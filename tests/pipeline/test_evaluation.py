"""The evaluations as one run: a folder of results that a stopped run goes on with."""

from __future__ import annotations

import gzip
import json
import re
import shutil
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from equivec import errors
from equivec.algebra.compare import PAPER_JUDGE, compare_many
from equivec.algebra.fingerprint import fingerprints
from equivec.corpus.records import Row, read_table, to_table, write_table
from equivec.corpus.splitting import TRAIN
from equivec.corpus.store import Corpus, write_corpus
from equivec.embed import registry
from equivec.embed.baselines import BagOfTokens
from equivec.errors import ConfigError, FileFormatError
from equivec.evaluate.embedding_plots import PlotMeasures
from equivec.evaluate.plot_set import CLASSES, plot_expressions
from equivec.evaluate.pool import prefix_text
from equivec.evaluate.retrieval import read_identities
from equivec.expression.text import parse
from equivec.model.onnx_export import export_encoder
from equivec.pipeline.evaluation import (
    COMPARISON,
    PLOT_SET,
    EvaluationConfig,
    evaluate_models,
    read_results,
    what_is_lacking,
)
from equivec.pipeline.evaluation_data import EvaluationData
from support.corpora import write_tiny_corpus
from support.models import model_folder_of, tiny_network

if TYPE_CHECKING:
    from collections.abc import Sequence

    from equivec.embed.runtime import Precision
    from equivec.expression.tree import Node


class Reversed(BagOfTokens):
    """Another model: it counts the tokens from the last to the first, and no sign."""

    name = "reversed bag"

    def encode(self, trees: Sequence[Node], *, normalize: bool = False) -> np.ndarray:
        vectors = super().encode(trees, normalize=normalize)[:, ::-1].copy()
        vectors[:, :12] *= 0.1
        return vectors


@pytest.fixture(autouse=True)
def two_models(monkeypatch: pytest.MonkeyPatch) -> None:
    table = {"bag-of-tokens": BagOfTokens, "reversed": Reversed}
    monkeypatch.setattr(registry, "BASELINES", table)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_corpus(tmp_path_factory.mktemp("corpus"))


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


def measures_of(out: Path) -> PlotMeasures:
    """What was measured of the plane of the bag of tokens."""
    found = read_results(out)["bag of tokens"]["plot_pca"].result
    assert isinstance(found, PlotMeasures)
    return found


def test_a_stopped_run_goes_on_with_what_is_missing(
    tmp_path: Path, config: EvaluationConfig
) -> None:
    only = ("distance_analysis", "tree_edit_distance")
    steps(tmp_path, config, *only, models=["bag-of-tokens"])
    folder = tmp_path / "bag-of-tokens"
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*.npy")}
    expected = json.loads((folder / "distance_analysis.json").read_text())["queries"]
    (folder / "distance_analysis.json").unlink()
    (folder / "work" / "vectors" / "00002.npy").unlink()
    again = steps(tmp_path, config, *only, models=["bag-of-tokens"])
    assert again[-1] == "bag of tokens: distance_analysis"
    assert "bag of tokens: tree_edit_distance" not in again
    assert json.loads((folder / "distance_analysis.json").read_text())["queries"] == expected
    after = {path: path.stat().st_mtime_ns for path in folder.rglob("*.npy")}
    assert [path.name for path in before if before[path] != after[path]] == ["00002.npy"]


def test_what_was_written_is_not_written_again(tmp_path: Path, config: EvaluationConfig) -> None:
    model = str(model_folder_of(tiny_network(), tmp_path / "SemEmb"))
    greedy = replace(config, beams=(1,))
    steps(tmp_path / "out", greedy, "generation", models=[model])
    folder = tmp_path / "out" / "sememb"
    expected = json.loads((folder / "generation.json").read_text())["rows"]
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*.jsonl.gz")}
    assert len(before) == len(expected) == 1  # the test set alone has any
    assert {row["decoding"] for row in expected} == {"unconstrained"}
    (folder / "generation.json").unlink()
    lost = next(iter(before))
    lines = gzip.decompress(lost.read_bytes()).splitlines(keepends=True)
    lost.write_bytes(gzip.compress(b"".join(lines[1:])))
    with pytest.raises(FileFormatError, match=r"jsonl.gz has hypotheses of .*; remove it to have"):
        steps(tmp_path / "out", greedy, "generation", models=[model])
    lost.unlink()
    steps(tmp_path / "out", greedy, "generation", models=[model])
    assert json.loads((folder / "generation.json").read_text())["rows"] == expected
    after = {path: path.stat().st_mtime_ns for path in folder.rglob("*.jsonl.gz")}
    assert [path for path in before if before[path] != after[path]] == [lost]


@pytest.mark.parametrize("damage", [b"", b"no array"])
@pytest.mark.parametrize("name", ["vectors/00001.npy", "asked-00000000.npz"])
def test_a_damaged_file_of_vectors_is_named(
    tmp_path: Path, config: EvaluationConfig, name: str, damage: bytes
) -> None:
    only = ("retrieval", "distance_analysis")
    steps(tmp_path, config, *only, models=["bag-of-tokens"])
    folder = tmp_path / "bag-of-tokens"
    (folder / "work" / name).write_bytes(damage)
    for each in only:
        (folder / f"{each}.json").unlink()
    with pytest.raises(FileFormatError, match=rf"{Path(name).name} is damaged .*; remove it"):
        steps(tmp_path, config, *only, models=["bag-of-tokens"])


def test_a_part_with_too_few_vectors_is_named(tmp_path: Path, config: EvaluationConfig) -> None:
    steps(tmp_path, config, "distance_analysis", models=["bag-of-tokens"])
    folder = tmp_path / "bag-of-tokens"
    (folder / "distance_analysis.json").unlink()
    part = folder / "work" / "vectors" / "00000.npy"
    np.save(part, np.load(part)[:3])
    with pytest.raises(FileFormatError, match=r"00000.npy is damaged \(it has 3 vectors of 50 exp"):
        steps(tmp_path, config, "distance_analysis", models=["bag-of-tokens"])


def test_plots_need_no_corpus(tmp_path: Path, config: EvaluationConfig) -> None:
    plain = EvaluationConfig(plot_file=config.plot_file)
    steps(tmp_path, plain, "plot_pca", models=["bag-of-tokens"])
    assert list(read_results(tmp_path)["bag of tokens"]) == ["plot_pca"]
    assert measures_of(tmp_path).by_origin == {}


def test_a_page_that_is_gone_is_made_again(tmp_path: Path, config: EvaluationConfig) -> None:
    """Pages are too large to be kept beside results, and so a clone has none."""
    plain = EvaluationConfig(plot_file=config.plot_file)
    steps(tmp_path, plain, "plot_pca", models=["bag-of-tokens"])
    page = tmp_path / "bag-of-tokens" / "plot_pca.html"
    page.unlink()
    assert steps(tmp_path, plain, "plot_pca", models=["bag-of-tokens"])
    assert page.exists()
    assert not steps(tmp_path, plain, "plot_pca", models=["bag-of-tokens"])


def test_a_third_of_what_is_plotted_comes_from_the_corpus(tmp_path: Path, corpus: Path) -> None:
    config = EvaluationConfig(corpus=str(corpus), plot_size=80)
    steps(tmp_path, config, "plot_pca", models=["bag-of-tokens"])
    measures = measures_of(tmp_path)
    assert measures.by_origin["training"].count == 28
    rows = [line.split("\t") for line in (tmp_path / PLOT_SET).read_text().splitlines()[2:]]
    assert Counter(row[1] for row in rows) == measures.classes == dict.fromkeys(CLASSES, 20)
    training = set(Corpus.open(corpus).expressions("train"))
    for expression, _, source in rows:
        assert (prefix_text(expression) in training) == (source == "training"), expression


def test_a_pool_is_a_sample_of_training_that_the_seed_decides(config: EvaluationConfig) -> None:
    whole = EvaluationData(config)
    small = [EvaluationData(replace(config, pool=40, seed=seed)).pool for seed in (1, 1, 2)]
    assert whole.pool == whole.training
    assert small[0] == small[1] != small[2]
    assert all(len(set(pool)) == 40 and set(pool) <= set(whole.pool) for pool in small)


def test_equivalents_are_of_one_cluster_and_not_in_training(config: EvaluationConfig) -> None:
    asked = EvaluationData(config).equivalents
    pairs = [(parse(a), parse(b)) for a, b in zip(asked.queries, asked.answers, strict=True)]
    assert len(pairs) == 10
    assert all(verdict.is_equal for verdict in compare_many(pairs, PAPER_JUDGE))
    assert not set(asked.queries) & set(asked.distractors)


def test_no_distractor_of_an_identity_equals_it(config: EvaluationConfig) -> None:
    material = EvaluationData(config)
    kept = set(material.identities.distractors)
    dropped = [text for text in material.equivalents.distractors if text not in kept]
    assert prefix_text("tan(x)") in dropped
    marks = set(fingerprints([row.left for row in read_identities()]))
    assert marks.issuperset(fingerprints(dropped))
    assert marks.isdisjoint(fingerprints(kept))


def test_results_of_another_corpus_are_not_mixed_in(
    tmp_path: Path, config: EvaluationConfig, corpus: Path
) -> None:
    steps(tmp_path / "out", config, "statistics", models=["bag-of-tokens"])
    other = tmp_path / "other"
    write_corpus(other, Corpus.open(corpus).table().slice(5), {})
    mixed = EvaluationConfig(
        corpus=str(other), plot_file=config.plot_file, queries=30, rows_per_part=50
    )
    for _ in range(2):  # what is of no one model is of the first corpus still
        with pytest.raises(FileFormatError, match="has results of another corpus; remove it"):
            steps(tmp_path / "out", mixed, "statistics", models=["bag-of-tokens"])
        shutil.rmtree(tmp_path / "out" / "bag-of-tokens", ignore_errors=True)


def test_models_of_one_folder_are_given_the_same(tmp_path: Path, config: EvaluationConfig) -> None:
    steps(tmp_path, replace(config, pool=40), "distance_analysis", models=["bag-of-tokens"])
    with pytest.raises(FileFormatError, match=r"results of pool 40, not all; remove"):
        steps(tmp_path, config, "distance_analysis", models=["reversed"])
    assert not (tmp_path / "reversed-bag").exists()


def test_a_file_that_was_changed_is_another_file(tmp_path: Path, config: EvaluationConfig) -> None:
    own = tmp_path / "own.tsv"
    own.write_text("x\ta\n2*x\ta\nsin(x)\tb\ncos(x)\tb\n")
    changed = replace(config, plot_file=str(own))
    steps(tmp_path / "out", changed, "plot_pca", models=["bag-of-tokens"])
    own.write_text("x\tb\n2*x\ta\nsin(x)\tb\ncos(x)\ta\n")
    with pytest.raises(FileFormatError, match="has results of another plot_file"):
        steps(tmp_path / "out", changed, "plot_pca", models=["bag-of-tokens"])


def test_after_a_start_that_failed_other_settings_may_be_chosen(
    tmp_path: Path, config: EvaluationConfig, corpus: Path
) -> None:
    own, out = tmp_path / "own.tsv", tmp_path / "out"
    own.write_text("x + x*2\ta\nx*2 + x\ta\n2*x + x\tb\nx + 2*x\tb\n")
    changed = replace(config, corpus=None, plot_file=str(own))
    with pytest.raises(ConfigError, match="gave all expressions one vector"):
        steps(out, changed, "plot_pca", models=["bag-of-tokens"])
    own.write_text("x\tb\n2*x\ta\nsin(x)\tb\ncos(x)\ta\n")
    steps(out, changed, "plot_pca", models=["bag-of-tokens"])
    with pytest.raises(
        FileFormatError, match="has results of another corpus and another plot_file"
    ):
        steps(out, replace(changed, corpus=str(corpus), plot_file=None), models=["bag-of-tokens"])


def test_vectors_that_a_start_that_failed_left_are_not_taken_for_another_models(
    tmp_path: Path, own: Path
) -> None:
    config, out = EvaluationConfig(plot_file=str(own)), tmp_path / "out"
    first, second = (
        model_folder_of(tiny_network(seed), tmp_path / str(seed) / "name") for seed in (1, 2)
    )
    steps(out, config, "plot_pca", models=[str(first)])
    for path in (out / "name").glob("plot_*"):
        path.unlink()  # as if it had been stopped just before
    steps(out, config, "plot_pca", models=[str(second)])
    steps(tmp_path / "fresh", config, "plot_pca", models=[str(second)])
    found, expected = (
        json.loads((folder / "name" / "plot_pca.json").read_text())["plane"]
        for folder in (out, tmp_path / "fresh")
    )
    assert found == expected


def test_results_whose_settings_are_gone_are_of_nobody_knows_what(
    tmp_path: Path, config: EvaluationConfig
) -> None:
    steps(tmp_path, config, "plot_pca", models=["bag-of-tokens"])
    (tmp_path / "bag-of-tokens" / "settings.json").unlink()
    with pytest.raises(FileFormatError, match=r"settings\.json is missing, .* remove .*bag-of-tok"):
        steps(tmp_path, config, "plot_pca", models=["bag-of-tokens"])


def test_a_start_that_is_refused_leaves_nothing_of_any_model(
    tmp_path: Path, config: EvaluationConfig
) -> None:
    steps(tmp_path, config, "plot_pca", models=["reversed"])
    other = replace(config, queries=7)
    with pytest.raises(FileFormatError, match="has results of queries 30, not 7; remove it"):
        steps(tmp_path, other, "plot_pca", models=["bag-of-tokens", "reversed"])
    assert not (tmp_path / "bag-of-tokens").exists()


def test_a_corpus_that_is_not_what_its_manifest_says_is_refused(
    tmp_path: Path, config: EvaluationConfig, corpus: Path
) -> None:
    other = tmp_path / "other"
    shutil.copytree(corpus, other)
    (part,) = Corpus.open(other).parts
    write_table(part, read_table(part).slice(0, 50))
    wrong = replace(config, corpus=str(other))
    with pytest.raises(FileFormatError, match=r"parquet is missing, or is not the file that the"):
        steps(tmp_path / "out", wrong, "retrieval", models=["bag-of-tokens"])
    assert not (tmp_path / "out").exists()


def test_every_two_models_of_a_folder_are_compared(
    tmp_path: Path, config: EvaluationConfig
) -> None:
    for model in ("bag-of-tokens", "reversed"):
        steps(tmp_path, config, "tree_edit_distance", models=[model])
        shutil.rmtree(tmp_path / "bag-of-tokens" / "work", ignore_errors=True)
    found = json.loads((tmp_path / COMPARISON).read_text())
    assert [each["model"] for each in found["models"]] == ["bag of tokens", "reversed bag"]
    assert {(match["left"], match["right"]) for match in found["matches"]} == {
        ("bag of tokens", "reversed bag")
    }
    shutil.rmtree(tmp_path / "reversed-bag")
    steps(tmp_path, config, "tree_edit_distance", models=["bag-of-tokens"])
    assert not (tmp_path / COMPARISON).exists()


def test_a_folder_of_no_model_is_refused_before_anything_is_done(
    tmp_path: Path, config: EvaluationConfig
) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "settings.json").write_text("{}")
    with pytest.raises(FileFormatError, match=r"settings\.json has no '"):
        steps(tmp_path, config, "plot_pca", models=["bag-of-tokens"])
    assert [path.name for path in tmp_path.iterdir()] == ["own"]


def test_a_failed_start_leaves_nothing_behind(tmp_path: Path, config: EvaluationConfig) -> None:
    wrong = replace(config, plot_file=str(tmp_path / "nope"))
    with pytest.raises(FileFormatError, match="nope cannot be read"):
        steps(tmp_path, wrong, "plot_pca", models=["bag-of-tokens"])
    assert list(tmp_path.iterdir()) == []
    assert steps(tmp_path, config, "plot_pca", models=["bag-of-tokens"])


@pytest.mark.parametrize(
    ("name", "package"),
    [
        ("generation", "torch"),
        ("plot_pca", "plotly"),
        ("plot_tsne", "sklearn"),
        ("statistics", "matplotlib"),
    ],
)
def test_what_an_extra_brings_is_missed_before_anything_is_done(
    name: str,
    package: str,
    tmp_path: Path,
    config: EvaluationConfig,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(errors, "find_spec", lambda each: None if each == package else each)
    problem = rf"{name} needs {package}, the extra .*; or choose the other evaluations with --only"
    with pytest.raises(ConfigError, match=problem):
        steps(tmp_path / "out", config, name, models=["default"])
    assert not (tmp_path / "out").exists()


def test_models_without_a_decoder_are_not_asked_to_write(
    tmp_path: Path, config: EvaluationConfig
) -> None:
    with pytest.raises(ConfigError, match="generation needs a decoder, but bag of tokens has none"):
        steps(tmp_path / "out", config, "generation", models=["bag-of-tokens"])
    assert not (tmp_path / "out").exists()


def test_what_a_corpus_has_no_set_for_is_left_out(tmp_path: Path, own: Path) -> None:
    write_corpus(tmp_path / "corpus", to_table([Row(0, "x", 0, "rules", "", True, TRAIN)]), {})
    config = EvaluationConfig(corpus=str(tmp_path / "corpus"), plot_file=str(own))
    lacking = what_is_lacking(config)
    assert list(lacking) == ["retrieval", "tree_edit_distance", "generation"]
    problem = f"retrieval needs a corpus with a set unseen, but {config.corpus} has none"
    with pytest.raises(ConfigError, match=re.escape(problem)):
        steps(tmp_path / "out", config, "retrieval", models=["bag-of-tokens"])
    assert not (tmp_path / "out").exists()


def test_models_whose_folders_would_be_one_are_told_of(tmp_path: Path, own: Path) -> None:
    config = EvaluationConfig(plot_file=str(own))
    names = ("a-b", "a b", "модель", "--")
    folders = [str(model_folder_of(tiny_network(), tmp_path / name)) for name in names]
    for pair in (folders[:2], [folders[0]] * 2):
        with pytest.raises(ConfigError, match=r"a-b and .*a.b would share .*a-b; rename one"):
            steps(tmp_path / "out", config, "plot_pca", models=pair)
    with pytest.raises(ConfigError, match="-- has no letter or digit in its name; rename it"):
        steps(tmp_path / "out", config, "plot_pca", models=folders[3:])
    assert not (tmp_path / "out").exists()
    steps(tmp_path / "out", config, "plot_pca", models=folders[2:3])
    assert list(read_results(tmp_path / "out")) == ["модель"]


@pytest.mark.parametrize(("precision", "expected"), [(None, "fp32"), ("uint8", "uint8")])
def test_settings_name_the_precision_that_a_model_ran_at(
    tmp_path: Path, own: Path, precision: Precision | None, expected: str
) -> None:
    model = model_folder_of(tiny_network(), tmp_path / "whole")
    export_encoder(model, tmp_path / "alone")
    config = EvaluationConfig(plot_file=str(own), precision=precision)
    folders = [str(model), str(tmp_path / "alone")]
    steps(tmp_path / "out", config, "plot_pca", models=folders)
    found = {
        name: json.loads((tmp_path / "out" / name / "settings.json").read_text())["precision"]
        for name in ("whole", "alone")
    }
    assert found == {"whole": expected, "alone": "uint8"}


def test_a_baseline_has_no_precision(tmp_path: Path, config: EvaluationConfig) -> None:
    steps(tmp_path, config, "plot_pca", models=["bag-of-tokens"])
    other = replace(config, precision="uint8")
    assert not steps(tmp_path, other, "plot_pca", models=["bag-of-tokens"])


def test_what_is_missing_is_said_before_anything_is_done(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="identities needs the expressions of a corpus; name"):
        steps(tmp_path, EvaluationConfig(), "identities", models=["bag-of-tokens"])
    with pytest.raises(ConfigError, match="'plots' is not an evaluation; use plot_pca"):
        steps(tmp_path, EvaluationConfig(), "plots", models=["bag-of-tokens"])
    with pytest.raises(ConfigError, match="queries must be at least 1, not 0"):
        EvaluationConfig(queries=0)
    with pytest.raises(ConfigError, match="plot_size is of plots drawn from a corpus"):
        EvaluationConfig(plot_size=80)
    with pytest.raises(ConfigError, match="bag-of-tokens has no network to run on cuda"):
        list(
            evaluate_models(
                ["bag-of-tokens"], tmp_path, EvaluationConfig(), device="cuda", only=["plot_pca"]
            )
        )
    assert list(tmp_path.iterdir()) == []
