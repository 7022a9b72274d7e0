"""The whole evaluation as a user would type it: a tiny model and corpus in, a report out."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from equivec.evaluate.provenance import provenance
from equivec.pipeline.evaluation import EVALUATIONS
from equivec.pipeline.evaluation_steps import TREE_EDIT
from support.command import run
from support.corpora import write_tiny_corpus
from support.models import model_folder_of, tiny_network

if TYPE_CHECKING:
    from pathlib import Path

SMALL = (
    *("--plot-size", "80", "--queries", "20", "--pool", "150", "--distractors", "100"),
    *("--beam-width", "1", "--beam-width", "2"),
)
WRITTEN = {"input": "sin x", "outputs": [["sin x", -0.1, True], ["add INT+ 0 sin x", -0.5, True]]}


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of results of a tiny model, and of a baseline."""
    folder = tmp_path_factory.mktemp("whole")
    model = model_folder_of(tiny_network(), folder / "SemEmb")
    corpus = write_tiny_corpus(folder / "corpus")
    out = folder / "results"
    where = ("--out", str(out), "--corpus", str(corpus))
    done = run("evaluate", "run", str(model), "bag-of-tokens", *where, *SMALL)
    assert done.code == 0, done.stderr
    assert done.stderr.endswith(f"wrote {out}\n")
    lines = ("SemEmb", "  retrieval: recall@1 ", "  paper_analogies: ", "raw, 5 nearest: ")
    for line in (*lines, "  benchmark: retrieval, recall@1 ", "  generation: test, beam 2: "):
        assert line in done.stdout
    return out


def test_every_evaluation_left_a_file_that_says_how_it_was_made(results: Path) -> None:
    every = {f"{name}.json" for name in {*EVALUATIONS, "settings"} - {TREE_EDIT}}
    # A bag of tokens writes nothing.
    for model, expected in (("sememb", every), ("bag-of-tokens", every - {"generation.json"})):
        folder = results / model
        assert {path.name for path in folder.glob("*.json")} == expected
        for name in expected - {"settings.json"}:
            found = json.loads((folder / name).read_text(encoding="utf-8"))
            assert provenance("").to_json().keys() <= found.keys(), name
            assert found["command"].startswith("equivec evaluate ")
        plot = json.loads((folder / "plot_pca.json").read_text())
        assert plot["by_origin"]["training"]["count"] == 28
        assert json.loads((folder / "distance_analysis.json").read_text())["pool"] == 150
        assert (folder / "plot_tsne.html").is_file()
    comparison = json.loads((results / "tree_edit_distance.json").read_text())
    assert comparison["queries"] == 20
    for match in comparison["matches"]:
        assert match["left_closer"] + match["right_closer"] + match["ties"] == 20
    counts = json.loads((results / "statistics.json").read_text())["counts"]["splits"]
    written = json.loads((results / "sememb" / "generation.json").read_text())["rows"]
    assert [(row["set"], row["beam"], row["inputs"]) for row in written] == [
        ("test", beam, counts["test"]) for beam in (1, 2)
    ]


def test_the_report_has_every_table_of_what_was_measured(results: Path, tmp_path: Path) -> None:
    (tmp_path / "greedy.jsonl").write_text(json.dumps(WRITTEN) + "\n", encoding="utf-8")
    about = ("--model-label", "SemEmb", "--set-label", "test", "--decoding-label", "unconstrained")
    save = results / "generation" / "greedy.json"
    save.parent.mkdir()
    done = run("evaluate", "accuracy", str(tmp_path / "greedy.jsonl"), *about, "-o", str(save))
    assert done.code == 0, done.stderr
    pages = (tmp_path / "results.md", tmp_path / "report.html")
    paths = ("--markdown", str(pages[0]), "--html", str(pages[1]))
    done = run("report", str(results), *paths, program="equivec_reproduction.command")
    assert done.code == 0, done.stderr
    markdown, html = (page.read_text(encoding="utf-8") for page in pages)
    assert re.findall(r"## (.*)\n\nNot measured yet", markdown) == ["Training throughput"]
    shares = "| 1.0000 | 1.0000 | 1.0000 | 0.0000 | copy 1 |"
    assert f"| test | SemEmb | unconstrained | values | 2 | 1 |  {shares}" in markdown
    assert "| paper | raw | 1 | StructEmb | SemEmb | 1,044 | 261 | 695 |" in markdown
    assert html.count("src='data:image/png;base64,") == 5
    assert not re.search(r"(src|href)=['\"](?!data:)", html)
    for page in (markdown, html):
        assert "SemEmb (paper): 11 of 20 exact" in page
        assert "StructEmb (paper): 7 of 20 exact" in page


def test_results_that_are_kept_must_say_whose_they_are(tmp_path: Path) -> None:
    (tmp_path / "greedy.jsonl").write_text(json.dumps(WRITTEN) + "\n", encoding="utf-8")
    done = run(
        *("evaluate", "accuracy", str(tmp_path / "greedy.jsonl")),
        *("-o", str(tmp_path / "kept.json")),
    )
    assert done.code == 2
    assert done.stderr == "--out needs --model-label, --set-label and --decoding-label\n"
