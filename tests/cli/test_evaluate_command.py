"""`equivec evaluate` and `equivec benchmark`, as a user would type them."""

from __future__ import annotations

import inspect
import json
from typing import TYPE_CHECKING

import pytest

from equivec.cli.evaluate import _Clock, evaluate
from equivec.pipeline.evaluation import EVERY, Progress
from equivec.pipeline.evaluation_data import EvaluationConfig
from support.command import run
from support.corpora import write_tiny_corpus

if TYPE_CHECKING:
    from pathlib import Path

OWN = "sin(x)\twaves\ncos(x)\twaves\ntan(x)\twaves\nx**2\tpowers\nx**3\tpowers\nx**4\tpowers\n"


def plotted(folder: Path) -> tuple[Path, tuple[str, ...]]:
    """Where results are, and the command that made them."""
    (folder / "own.tsv").write_text(OWN, encoding="utf-8")
    out = folder / "out"
    options = ("--out", str(out), "--only", "plot_pca", "--plot-file", str(folder / "own.tsv"))
    command = ("evaluate", "run", "bag-of-tokens", *options)
    assert run(*command).code == 0
    return out, command


def test_a_plot_of_a_file_of_ones_own(tmp_path: Path) -> None:
    (tmp_path / "own.tsv").write_text(OWN, encoding="utf-8")
    out = tmp_path / "out"
    options = ("--out", str(out), "--only", "plot_pca", "--plot-file", str(tmp_path / "own.tsv"))
    result = run("evaluate", "run", "bag-of-tokens", *options)
    assert result.code == 0, result.stderr
    assert "plot_pca: 1-NN purity 1.000 on the plane" in result.stdout
    assert result.stderr == f"wrote {out}\n"
    assert (out / "bag-of-tokens" / "plot_pca.html").is_file()
    answer = json.loads(run("evaluate", "run", "bag-of-tokens", *options, "--json").stdout)
    measures = answer["models"]["bag of tokens"]["plot_pca"]
    assert measures["classes"] == {"powers": 3, "waves": 3}


def test_a_result_that_is_none_is_named(tmp_path: Path) -> None:
    out, command = plotted(tmp_path)
    (out / "bag-of-tokens" / "plot_pca.json").write_text("{}", encoding="utf-8")
    result = run(*command)
    assert result.code == 2
    assert "plot_pca.json has no 'command'; remove it to have it made again" in result.stderr


def test_a_damaged_result_is_named_before_any_work(tmp_path: Path) -> None:
    out, command = plotted(tmp_path)
    (out / "bag-of-tokens" / "plot_pca.html").unlink()
    (out / "bag-of-tokens" / "benchmark.json").write_text("[" * 100_000, encoding="utf-8")
    result = run(*command)
    assert result.code == 2
    assert "benchmark.json is not JSON: " in result.stderr
    assert result.stderr.endswith("; remove it to have it made again\n")
    assert not (out / "bag-of-tokens" / "plot_pca.html").exists()


def test_a_result_of_another_kind_is_named_before_any_work(tmp_path: Path) -> None:
    out, command = plotted(tmp_path)
    (out / "bag-of-tokens" / "plot_pca.html").unlink()
    kept = json.loads((out / "bag-of-tokens" / "plot_pca.json").read_text(encoding="utf-8"))
    path = out / "bag-of-tokens" / "benchmark.json"
    path.write_text(json.dumps({**kept, "retrieval": None}), encoding="utf-8")
    result = run(*command)
    problem = f"{path}: retrieval is null, not an object; remove it to have it made again"
    assert (result.code, result.stderr) == (2, f"{problem}\n")
    assert not (out / "bag-of-tokens" / "plot_pca.html").exists()


def test_the_clock_begins_anew_with_every_part_of_a_step() -> None:
    clock, steps = _Clock(), []
    for done, wanted in ((0, 9), (5, 9), (9, 9), (1, 1), (0, 9), (0, 9), (3, 9), (10, 50), (5, 50)):
        steps.append(clock.sentence(Progress("m", "generation", done, wanted)))
    assert not any("-" in step for step in steps), steps
    assert ["left" in step for step in steps] == [0, 1, 1, 0, 0, 0, 1, 0, 0]


def test_without_a_corpus_all_is_done_that_needs_none(tmp_path: Path) -> None:
    (tmp_path / "own.tsv").write_text(OWN, encoding="utf-8")
    out = tmp_path / "out"
    options = ("--out", str(out), "--plot-file", str(tmp_path / "own.tsv"))
    result = run("evaluate", "run", "bag-of-tokens", *options)
    assert result.code == 0, result.stderr
    assert result.stderr.endswith(
        "not run: retrieval, identities, distance_analysis, tree_edit_distance, paper_analogies, "
        "generated_analogies, generation, statistics (needed: the expressions of a corpus; name "
        "its folder with --corpus)\n"
        f"wrote {out}\n"
    )
    found = {path.stem for path in (out / "bag-of-tokens").glob("*.json")}
    assert found == {"benchmark", "plot_pca", "plot_tsne", "settings"}


def test_what_is_run_alone_is_told_alone(tmp_path: Path) -> None:
    corpus, out = write_tiny_corpus(tmp_path / "corpus"), tmp_path / "out"
    where = ("--out", str(out), "--corpus", str(corpus))
    first = run("evaluate", "run", "bag-of-tokens", *where, "--only", "benchmark")
    assert first.stdout.startswith("bag of tokens\n  benchmark: retrieval, recall@1 ")
    assert first.stdout.count("\n") == 2
    assert first.stderr.endswith(f"wrote {out}\n")
    second = run("evaluate", "run", "bag-of-tokens", *where, "--only", "statistics")
    assert second.stdout.startswith("corpus: "), second.stderr
    assert "  train: " in second.stdout
    assert "benchmark" not in second.stdout


def test_the_help_names_every_evaluation() -> None:
    told = " ".join(run("evaluate", "run", "--help").stdout.split())
    assert f"may be repeated: {', '.join(EVERY)}." in told


def test_the_command_has_the_defaults_of_the_evaluation() -> None:
    config = EvaluationConfig()
    for name, parameter in inspect.signature(evaluate).parameters.items():
        if name in config.__dataclass_fields__:
            assert parameter.default == getattr(config, name), name


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (
            ("evaluate", "run", "best", "--out", "{out}", "--only", "plot_pca"),
            "'best' is neither a model folder nor a bundled model",
        ),
        (
            ("evaluate", "run", "text", "--out", "{out}", "--only", "retrieval"),
            "retrieval needs the expressions of a corpus; name its folder with --corpus",
        ),
        (
            ("evaluate", "run", "text", "--out", "{out}", "--corpus", "none"),
            "is not a finished corpus",
        ),
        (
            (
                "evaluate",
                "run",
                "bag-of-tokens",
                "models/SemEmb",
                "--out",
                "{out}",
                "--precision",
                "fp32",
            ),
            "models/SemEmb has an encoder in eight bits alone; use it with precision uint8",
        ),
        (
            ("evaluate", "run", "text", "--out", "{out}", "--seed", "4294967296"),
            "seed must be less than 2**32, not 4294967296",
        ),
        (("evaluate", "benchmark", "best"), "'best' is neither a model folder nor a bundled model"),
    ],
    ids=[
        "model",
        "no corpus",
        "not a corpus",
        "eight bits",
        "seed",
        "benchmark",
    ],
)
def test_bad_input_is_one_sentence(
    arguments: tuple[str, ...], problem: str, tmp_path: Path
) -> None:
    result = run(*(argument.format(out=tmp_path / "out") for argument in arguments))
    assert result.code == 2
    assert not (tmp_path / "out").exists()
    assert problem.format(out=tmp_path / "out") in result.stderr
    assert "Traceback" not in result.stderr
    assert len(result.stderr.splitlines()) == 1


@pytest.mark.slow
def test_the_benchmark_prints_a_table_and_writes_json_and_a_figure(tmp_path: Path) -> None:
    result = run("evaluate", "benchmark", "bag-of-tokens", "--out", str(tmp_path))
    assert result.code == 0, result.stderr
    assert "detection, AUC" in result.stdout
    answer = json.loads((tmp_path / "benchmark.json").read_text(encoding="utf-8"))
    assert [each["model"] for each in answer["models"]] == ["bag of tokens"]
    assert "<svg" in (tmp_path / "benchmark.svg").read_text(encoding="utf-8")
