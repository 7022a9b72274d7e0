"""The report: made of the committed results, and one line for what is missing."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from equivec.errors import FileFormatError
from equivec.evaluate.benchmark import FIGURES
from equivec_reproduction.pages import Page, Picture, Table, html_page, markdown_page
from equivec_reproduction.published import MODELS
from equivec_reproduction.report import report_page
from equivec_reproduction.sentences import NOT_MEASURED

ROOT = Path(__file__).parents[2]
MACHINE = {"cpu": "a cpu", "cores": 2}
MADE = {"command": "c", "commit": "1", "seed": 42, "machine": MACHINE, "date": "today"}


def test_the_pages_are_those_of_the_results() -> None:
    """Else: equivec-reproduction report --markdown docs/results.md."""
    page = report_page(ROOT / "results")
    markdown = (ROOT / "docs" / "results.md").read_text(encoding="utf-8")
    assert markdown == markdown_page(page, ROOT / "docs")
    assert (ROOT / "results" / "report.html").read_text(encoding="utf-8") == html_page(page)


def test_rows_are_as_long_as_their_headings_and_every_table_says_something() -> None:
    for table in report_page(ROOT / "results").tables:
        assert all(len(row) == len(table.headings) for row in table.rows), table.title
        assert table.sentences, table.title


def test_a_section_of_which_nothing_was_measured_says_so_in_one_line(tmp_path: Path) -> None:
    shutil.copy(ROOT / "results" / "training.json", tmp_path)
    *tables, semvec = report_page(tmp_path).tables
    (measured,) = (table for table in tables if table.rows)
    assert measured.title == "Training throughput"
    tables.remove(measured)
    assert len(tables) == 8
    for table in tables:
        assert (table.headings, table.rows) == ((), ())
        (sentence,) = table.sentences
        assert sentence.startswith(f"{NOT_MEASURED} Measure it with `")
    assert "docs/semvec.md" in semvec.sentences[0]


def test_a_folder_without_any_result_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match=r"has no results; `equivec evaluate .*` makes some$"):
        report_page(tmp_path)


def test_the_corpus_stands_beside_the_papers(tmp_path: Path) -> None:
    spread = {"mean": 5.5, "deviation": 1.0}
    found = json.loads((ROOT / "results" / "corpus.json").read_text()) | MADE
    described, verified = (found["rows"][0][name] for name in ("described", "verified"))
    described["counts"] |= {"splits": {"train": 2_744_824}, "pairs": 9_324_600}
    described |= {"operators": {"train": spread}, "lengths": {"train": spread}}
    described["by_types"] = {"1": 5, "4": 6}
    verified["verdicts"] = {"ours": {"EQUAL": 50_000}}
    (tmp_path / "corpus.json").write_text(json.dumps(found))
    corpus, types, *_ = report_page(tmp_path).tables
    row = ("train", "2,744,824", "5.68 ± 1.32", "5.50 ± 1.00", "16.19 ± 6.28", "5.50 ± 1.00")
    assert corpus.rows == (row,)
    assert "9,324,600 ordered pairs (200% of the paper's 4,662,300" in corpus.sentences[0]
    assert "ours: EQUAL 50,000" in corpus.sentences[1]
    assert corpus.sentences[2] == "Measured by `c` (commit 1, seed 42, a cpu, 2 cores)."
    assert types.rows == (("1", "1,424,243", "5"), ("4", "", "6"))


def test_a_decoder_that_was_trained_afterwards_is_told(tmp_path: Path) -> None:
    for name in ("generation/SemEmb-rules-free-ours.json", "runs/SemEmb.json"):
        (tmp_path / name).parent.mkdir()
        shutil.copy(ROOT / "results" / name, tmp_path / name)
    told = "SemEmb writes with a decoder trained beside its frozen encoder: 33,972 steps of 1,024"
    for has_decoder in (False, True):
        if has_decoder:
            shutil.copy(ROOT / "results" / "runs" / "SemEmb-decoder.json", tmp_path / "runs")
        (written,) = (table for table in report_page(tmp_path).tables if table.rows)
        assert any(each.startswith(told) for each in written.sentences) == has_decoder


def test_another_build_of_the_corpus_is_told(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "results", tmp_path, dirs_exist_ok=True)
    path = tmp_path / "corpus.json"
    found = json.loads(path.read_text())
    pool = json.loads((tmp_path / "evaluation/default/distance_analysis.json").read_text())["pool"]
    for count, is_told in ((pool, False), (5, True)):
        found["rows"][0]["described"]["counts"]["splits"]["train"] = count
        path.write_text(json.dumps(found))
        corpus, *_ = report_page(tmp_path).tables
        told = [text for text in corpus.sentences if f"another build of it, of {pool:,}" in text]
        assert bool(told) == is_told


@pytest.mark.parametrize(
    ("k", "counts", "reading"),
    [
        (
            1,
            (50, 3),
            "raw, the nearest: StructEmb is closer more often than SemEmb, as in the paper.",
        ),
        (
            1,
            (3, 50),
            "raw, the nearest: SemEmb is closer more often than StructEmb, unlike the paper.",
        ),
        (1, (50, 45), "raw, the nearest: StructEmb is closer about as often as SemEmb."),
        (1, (0, 0), "raw, the nearest: StructEmb is closer about as often as SemEmb."),
        (5, (3, 50), "raw, the nearest 5: SemEmb is closer more often than StructEmb."),
    ],
)
def test_trees_are_read_against_the_paper_but_not_what_chance_may_do(
    tmp_path: Path, k: int, counts: tuple[int, int], reading: str
) -> None:
    match = {
        "form": "raw",
        "k": k,
        "left": MODELS[0],
        "right": MODELS[1],
        "ties": 0,
        "left_closer": counts[0],
        "right_closer": counts[1],
    }
    (tmp_path / "evaluation").mkdir()
    found = {"models": [{**MADE, "model": "a"}], "queries": 8, "matches": [match]}
    (tmp_path / "evaluation" / "tree_edit_distance.json").write_text(json.dumps(found))
    (table,) = (table for table in report_page(tmp_path).tables if table.rows)
    assert table.sentences[0] == reading


def test_the_benchmarks_figures_keep_their_order_and_the_best_are_named(tmp_path: Path) -> None:
    (tmp_path / "benchmark").mkdir()
    found = json.loads((ROOT / "results" / "benchmark" / "benchmark.json").read_text())
    found["models"][1]["retrieval"]["recall_at_1"] = 1.0
    (tmp_path / "benchmark" / "benchmark.json").write_text(json.dumps(found))
    (table,) = (table for table in report_page(tmp_path).tables if table.rows)
    assert [row[0] for row in table.rows] == list(FIGURES)
    assert table.sentences[0].startswith("SemEmb is first in retrieval, recall@1.")
    assert table.sentences[1].startswith("default is first in retrieval, MRR;")


@pytest.mark.parametrize(
    ("part", "titles"),
    [
        ("margin", ["Embedding plots"]),
        ("analogy", ["Embedding algebra", "Embedding algebra", "A public benchmark"]),
        ("mutants", ["A public benchmark"]),
    ],
)
def test_what_a_model_was_taught_is_said_where_it_is_measured(
    part: str, titles: list[str], tmp_path: Path
) -> None:
    shutil.copytree(ROOT / "results", tmp_path, dirs_exist_ok=True)
    path = tmp_path / "runs" / "default.json"
    run = json.loads(path.read_text())
    for name in ("margin", "analogy", "mutants"):
        idle, value = ("none", "constants") if name == "mutants" else (0.0, 0.7)
        run["training"]["objective"][name] = value if name == part else idle
    path.write_text(json.dumps(run))
    taught = [
        table.title.split(":")[0]
        for table in report_page(tmp_path).tables
        if any("taught" in text for text in table.sentences)
    ]
    assert taught == titles


def test_the_plane_of_the_plain_training_is_read_where_both_were_measured(tmp_path: Path) -> None:
    for name in ("plots", "runs"):
        shutil.copytree(ROOT / "results" / name, tmp_path / name)
    shutil.copytree(
        ROOT / "results" / "evaluation" / "default", tmp_path / "evaluation" / "default"
    )
    for name, purity in (("sememb", 0.5), ("sememb-plain", 0.25)):
        path = tmp_path / "plots" / "fresh" / name / "plot_pca.json"
        found = json.loads(path.read_text())
        found["plane"]["purity_at_1"] = purity
        path.write_text(json.dumps(found))

    def said() -> list[str]:
        sentences = (text for table in report_page(tmp_path).tables for text in table.sentences)
        return [text for text in sentences if text.startswith("SemEmb wrote 50% of its targets")]

    (sentence,) = said()
    assert "1-NN purity by PCA of the fresh set 0.500 and 0.250." in sentence
    run = json.loads((tmp_path / "runs" / "SemEmb.json").read_text())
    run["training"]["objective"]["lone_share"] = 0.0
    (tmp_path / "runs" / "SemEmb.json").write_text(json.dumps(run))
    assert not said()


def test_planes_are_read_set_by_set(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "results" / "plots", tmp_path / "plots")
    for name, purity in (("corpus", 0.25), ("fresh", 1.0)):
        path = tmp_path / "plots" / name / "sememb" / "plot_pca.json"
        found = json.loads(path.read_text())
        found["plane"]["purity_at_1"] = purity
        path.write_text(json.dumps(found))
    (plots,) = (table for table in report_page(tmp_path).tables if table.rows)
    text = "\n".join(plots.sentences)
    assert "1-NN purity by PCA (fresh): SemEmb 1.000, default 0.939, text model 0.782, " in text
    drawn, *_ = (each for each in plots.sentences if "(35% from training)" in each)
    assert drawn.endswith("SemEmb 0.250. The paper's have SemEmb 0.626, StructEmb 0.441.")
    (purer,) = (each for each in plots.sentences if "purer plane than SemEmb" in each)
    assert "text model 0.687 to 0.250 (35% from training)" in purer
    assert "fresh" not in purer


def test_a_baseline_with_a_purer_plane_is_told() -> None:
    (plots,) = (
        table
        for table in report_page(ROOT / "results").tables
        if table.title.startswith("Embeddi") and "plots" in table.title
    )
    (purer,) = (each for each in plots.sentences if "purer plane than SemEmb" in each)
    found = ("0.687 to 0.674 (35% from training)", "0.784 to 0.710", "0.782 to 0.769 (fresh)")
    assert all(f"text model {text}" in purer for text in found)


def test_what_training_has_of_the_identities_stands_beside_them() -> None:
    (retrieval,) = (
        table for table in report_page(ROOT / "results").tables if table.title.startswith("Retri")
    )
    (told,) = (text for text in retrieval.sentences if text.startswith("Of the 693 identities"))
    assert "584 (84%) have their function in `data/sample` or among the sources" in told
    assert "308 (44%) have both" in told
    assert "0.894 where the function is known to be in training and 0.844 for the others" in told


def test_a_plot_of_ones_own_expressions_is_not_read_against_the_paper(tmp_path: Path) -> None:
    for name in ("plot_pca.json", "settings.json"):
        (tmp_path / "own").mkdir(exist_ok=True)
        shutil.copy(ROOT / "results" / "plots" / "committed" / "default" / name, tmp_path / "own")
    path = tmp_path / "own" / "settings.json"
    settings = json.loads(path.read_text())
    for plot_file, name, beside in (
        (None, "committed", " The paper's have SemEmb 0.626, StructEmb 0.441."),
        ("a checksum", "a file of one's own", ""),
    ):
        path.write_text(json.dumps({**settings, "plot_file": plot_file}))
        (plots,) = (table for table in report_page(tmp_path).tables if table.rows)
        assert plots.sentences[0] == f"1-NN purity by PCA ({name}): default 0.953.{beside}"


@pytest.mark.parametrize("name", ["corpus", "committed", "fresh"])
def test_plots_of_one_set_alone_are_read(name: str, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "results" / "plots" / name, tmp_path / "plots" / name)
    (plots,) = (table for table in report_page(tmp_path).tables if table.rows)
    (label,) = {row[2] for row in plots.rows[2:]}
    readings = [text for text in plots.sentences if text.startswith("1-NN purity by PCA")]
    assert readings[0].startswith(f"1-NN purity by PCA ({label}): default ")


def test_plots_of_a_corpus_are_those_that_were_evaluated_if_any_were(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "results" / "plots", tmp_path / "plots")
    shutil.copytree(tmp_path / "plots" / "corpus" / "default", tmp_path / "evaluation" / "default")
    (plots,) = (table for table in report_page(tmp_path).tables if table.rows)
    drawn = [row[:2] for row in plots.rows if row[2] == "35% from training"]
    assert drawn == [("default", "PCA"), ("default", "t-SNE")]


def test_eight_bits_are_told_whether_they_compute_or_are_only_kept(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "results", tmp_path, dirs_exist_ok=True)
    precisions = {"sememb": "uint8", "sememb-plain": "fp32", "structemb": "fp32"}
    precisions["text-model"] = "fp32"  # whose trees are not compared
    for model, precision in precisions.items():
        path = tmp_path / "evaluation" / model / "settings.json"
        settings = json.loads(path.read_text())
        path.write_text(json.dumps({**settings, "precision": precision, "has_small_weights": True}))
    (table,) = (t for t in report_page(tmp_path).tables if t.title.startswith("Retrieval"))
    assert "In eight bits: SemEmb; the others in float32." in table.sentences
    small = "In float32, but with weights of eight bits: SemEmb-plain, StructEmb"
    assert f"{small}, text model." in table.sentences
    (trees,) = (t for t in report_page(tmp_path).tables if t.title.startswith("Tree edit"))
    assert f"{small}." in trees.sentences


def test_a_result_of_no_model_is_refused(tmp_path: Path) -> None:
    (tmp_path / "evaluation" / "x").mkdir(parents=True)
    (tmp_path / "evaluation" / "x" / "retrieval.json").write_text("{}")
    with pytest.raises(FileFormatError, match=r"retrieval\.json has no 'command'"):
        report_page(tmp_path)


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "training.json").write_text("{")
    with pytest.raises(FileFormatError, match=r"training\.json is not JSON"):
        report_page(tmp_path)


@pytest.mark.parametrize(
    ("name", "found", "problem"),
    [
        ("corpus.json", {}, " has no 'rows'"),
        ("corpus.json", [], " is a list, not an object"),
        ("corpus.json", {"rows": [{}]}, ": rows[0] has no 'seconds'"),
        ("generation/a.json", {}, " has no 'rows'"),
        ("evaluation/a/retrieval.json", {"model": "a"}, " has no 'queries'"),
        ("evaluation/tree_edit_distance.json", 3, " is 3, not an object"),
        ("benchmark/benchmark.json", {"models": 3}, ": models is 3, not a list"),
    ],
)
def test_a_file_of_another_shape_is_named(
    tmp_path: Path, name: str, found: object, problem: str
) -> None:
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({**MADE, **found} if isinstance(found, dict) else found))
    with pytest.raises(FileFormatError, match=rf"^{re.escape(f'{path}{problem}')}$"):
        report_page(tmp_path)


def test_notes_stand_where_they_belong(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "results" / "generation", tmp_path / "generation")
    (tmp_path / "notes.toml").write_text('generation = ["It was a Tuesday."]')
    (written,) = (table for table in report_page(tmp_path).tables if table.rows)
    assert written.sentences[-2] == "It was a Tuesday."
    (tmp_path / "notes.toml").write_text("generation = [7]")
    with pytest.raises(FileFormatError, match=r"notes\.toml: .*\[0\] is 7, not a text"):
        report_page(tmp_path)


def test_which_model_copies_is_told_by_its_training(tmp_path: Path) -> None:
    """A copy of the input is right for such a model alone, whatever its name."""
    name = "generation/StructEmb-rules-free-ours.json"
    for part in (name, "runs/StructEmb.json"):
        (tmp_path / part).parent.mkdir()
        shutil.copy(ROOT / "results" / part, tmp_path / part)
    (written,) = (table for table in report_page(tmp_path).tables if table.rows)
    assert {row[7] for row in written.rows} == {"1.0000"}
    (tmp_path / "runs" / "StructEmb.json").unlink()
    (written,) = (table for table in report_page(tmp_path).tables if table.rows)
    assert "1.0000" not in {row[7] for row in written.rows}


def test_a_benchmark_of_no_model_is_not_measured(tmp_path: Path) -> None:
    (tmp_path / "benchmark").mkdir()
    (tmp_path / "benchmark" / "benchmark.json").write_text(json.dumps({**MADE, "models": []}))
    shutil.copy(ROOT / "results" / "training.json", tmp_path)
    (benchmark,) = (t for t in report_page(tmp_path).tables if t.title.startswith("A public"))
    assert not benchmark.rows
    assert benchmark.sentences[0].startswith(NOT_MEASURED)


def test_pictures_are_linked_in_markdown_and_contained_in_html(tmp_path: Path) -> None:
    (tmp_path / "dot.svg").write_text("<svg/>")
    table = Table("t", (), (), ("s",), (Picture("a <dot>", tmp_path / "dot.svg"),))
    page = Page("p", "i", (table,))
    assert "![a <dot>](../dot.svg)" in markdown_page(page, tmp_path / "docs")
    html = html_page(page)
    assert "<img alt='a &lt;dot&gt;' src='data:image/svg+xml;base64,PHN2Zy8+'>" in html
