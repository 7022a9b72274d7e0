"""Embedding plots: the set, the classes, the plane, and the page that shows them."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import numpy as np
import pytest
from sklearn.decomposition import PCA

from equivec.algebra.compare import PAPER_JUDGE, compare_with_first
from equivec.embed.baselines import BagOfTokens
from equivec.embed.encoder import vectors_of
from equivec.errors import ConfigError, FileFormatError
from equivec.evaluate import plot_set
from equivec.evaluate.embedding_plots import (
    function_numbers,
    neighbour_map,
    plane,
    plot_embeddings,
    purity_of_functions,
    variance_shares,
)
from equivec.evaluate.measures import purities
from equivec.evaluate.plot_page import write_plot_page, write_plot_picture
from equivec.evaluate.plot_set import (
    CLASSES,
    MAX_OPERATORS,
    Labelled,
    expression_class,
    make_plot_set,
    plot_expressions,
    read_labelled,
    write_labelled,
)
from equivec.evaluate.pool import prefix_text
from equivec.expression.text import parse
from support.encoders import OfTexts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from equivec.evaluate.embedding_plots import MapName

FRESH = read_labelled(Path(__file__).parents[2] / "results" / "plots" / "fresh" / "plot_set.tsv")
SMALL = [Labelled(row.expression, row.label) for row in plot_expressions()[::70]]


class ByClass(OfTexts):
    """An encoder that knows the class and nothing else, but for a little noise."""

    name = "by class"
    width = 6

    def rows(self, texts: Sequence[str]) -> np.ndarray:
        places = [CLASSES.index(expression_class(parse(text))) for text in texts]
        noise = np.random.default_rng(0).normal(size=(len(places), 6))
        return (np.eye(6)[places] + 0.02 * noise).astype(np.float32)


def test_the_committed_set_has_as_many_of_each_class_and_no_expression_twice() -> None:
    rows = plot_expressions()
    assert Counter(row.label for row in rows) == dict.fromkeys(CLASSES, 1_760)
    assert len({row.expression for row in rows}) == len(rows) >= 7_000


def test_every_committed_expression_is_simple_and_of_its_class() -> None:
    for row in plot_expressions():
        tree = parse(row.expression)
        assert expression_class(tree) == row.label, row
        assert sum(not node.is_leaf for node in tree.walk()) <= MAX_OPERATORS, row


def test_a_quarter_of_the_fresh_set_is_in_the_committed_one() -> None:
    committed = {row.expression for row in plot_expressions()}
    assert (
        round(len(committed.intersection(row.expression for row in FRESH)) / len(FRESH), 2) == 0.24
    )


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("x**2 + 2*x + 5", "polynomial"),
        ("2*x + 2", "polynomial"),
        ("x**2*(x**2 - x)", "polynomial"),
        ("sqrt(2)*x/3", "polynomial"),
        ("sin(x)*tan(x)", "trigonometric"),
        ("cos(4*x)**5", "trigonometric"),
        ("tan(x*sqrt(2)/2)", "trigonometric"),
        ("cosh(x - 4)", "hyperbolic"),
        ("sinh(x*cos(2))", "hyperbolic"),
        ("exp(-2*x - 4)", "logarithmic/exponential"),
        ("log(x + 3)**3", "logarithmic/exponential"),
        ("x**x", None),
        ("2**x", None),
        ("sqrt(x)", None),
        ("1/x", None),
        ("sin(exp(x))", None),
        ("cos(2)", None),
    ],
)
def test_the_classes_of_the_papers_examples(text: str, label: str | None) -> None:
    assert expression_class(parse(text)) == label


def test_the_same_seed_gives_the_same_set() -> None:
    assert make_plot_set(Random(5), 20) == make_plot_set(Random(5), 20)


@pytest.mark.slow
def test_both_sets_are_made_by_the_committed_code() -> None:
    assert plot_expressions() == make_plot_set(Random("42 plot_expressions"), 1_760)
    assert make_plot_set(Random("43 plot_expressions"), 1_760) == FRESH


def test_a_third_comes_from_training_and_the_rest_is_new_to_it() -> None:
    training = [prefix_text(row.expression) for row in plot_expressions()]
    chosen = make_plot_set(Random(5), 40, [*training, prefix_text("sin(x)*exp(x)")])
    for row in chosen:
        assert (prefix_text(row.expression) in training) == row.is_from_training, row
    seen = Counter(row.label for row in chosen if row.is_from_training)
    assert seen == dict.fromkeys(CLASSES, 14)
    assert len(chosen) == len({row.expression for row in chosen}) == 160


def test_where_training_has_too_few_of_a_class_all_are_taken() -> None:
    training = [prefix_text(text) for text in ("sin(x)", "cos(x + 1)", "x**2", "sin(x)*log(x)")]
    chosen = make_plot_set(Random(5), 10, training)
    assert Counter(row.label for row in chosen) == dict.fromkeys(CLASSES, 10)
    assert {row.expression for row in chosen if row.is_from_training} == {
        *("sin(x)", "cos(x + 1)", "x**2")
    }


def test_principal_components_are_those_of_scikit_learn() -> None:
    vectors = np.random.default_rng(0).normal(size=(200, 9)).astype(np.float32) * np.arange(1, 10)
    found, expected = plane(vectors), PCA(2).fit_transform(vectors)
    np.testing.assert_allclose(np.abs(found), np.abs(expected), atol=1e-3)
    shares = PCA(4).fit(vectors.astype(np.float64)).explained_variance_ratio_
    np.testing.assert_allclose(variance_shares(vectors), shares, atol=1e-6)


def test_a_map_keeps_classes_together_that_lie_apart() -> None:
    vectors = vectors_of(ByClass(), [row.expression for row in SMALL])
    labels = np.array([CLASSES.index(row.label) for row in SMALL])
    points = neighbour_map(vectors, seed=1)
    assert points.shape == (len(SMALL), 2)
    assert purities(points, labels[None], [5]).min() == 1


def test_an_encoder_that_knows_the_class_has_full_marks_and_shuffled_labels_have_none() -> None:
    found = plot_embeddings(ByClass(), SMALL).measures
    assert (found.full.purity_at_1, found.full.purity_at_5) == (1, 1)
    assert found.full.centroid_accuracy == 1
    assert found.full.silhouette > 0.9
    for shuffled in (found.full_shuffled, found.plane_shuffled):
        assert shuffled.purity_at_5 < 0.45
        assert shuffled.silhouette < 0.05
    assert json.loads(json.dumps(found.to_json()))["classes"] == dict(found.classes)


def test_an_equal_expression_of_another_class_is_no_mistake() -> None:
    texts = {"exp(x)": "e", "exp(3*x)": "e", "sinh(x) + cosh(x)": "h", "sinh(x)": "h"}
    rows = [Labelled(text, label) for text, label in texts.items()]

    class Angles(OfTexts):
        name = "angles"
        width = 2

        def rows(self, texts: Sequence[str]) -> np.ndarray:
            angles = [
                {"exp x": 0, "exp mul INT+ 3 x": 40, "sinh x": 90}.get(text, 10) for text in texts
            ]
            return np.array([(np.cos(a), np.sin(a)) for a in np.radians(angles)], dtype=np.float32)

    # Nearest: exp(x) and the sum are to each other, exp(3 x) to the sum, sinh(x) to exp(3 x).
    found = plot_embeddings(Angles(), rows).measures
    assert (found.full.purity_at_1, found.full_or_equal) == (0, 0.5)


def test_equals_that_share_a_vector_tell_their_class_by_chance_and_all_else_is_right() -> None:
    forms = {
        "h": "sinh(x) + cosh(x) | tanh(atanh(x/9)) | tanh(x) - tanh(x) | atanh(x + 7)",
        "e": "exp(x) | exp(2*x)/exp(x) | exp(-5*x - 5)**5 | log(x) | atanh(x + 8)",
        "t": "sin(asin(x/9)) | cos(acos(x/9)) | sin(x)",
    }
    rows = [Labelled(text.strip(), label) for label in forms for text in forms[label].split("|")]
    shares = []
    for row in rows:
        others = [other for other in rows if other is not row]
        verdicts = compare_with_first(
            row.expression, [other.expression for other in others], PAPER_JUDGE
        )
        equals = [each for each, verdict in zip(others, verdicts, strict=True) if verdict.is_equal]
        shares.append(np.mean([each.label == row.label for each in equals] or [True]))
    assert min(shares) == 0 < sorted(shares)[2] < 1
    labels = np.array([list(forms).index(row.label) for row in rows])
    found = purity_of_functions(labels, function_numbers(rows))
    assert found == pytest.approx(np.mean(shares))


def test_the_order_of_the_expressions_does_not_matter_even_where_vectors_are_equal() -> None:
    class Counts(OfTexts):
        name = "counts"
        width = 2

        def rows(self, texts: Sequence[str]) -> np.ndarray:
            counts = [(len(text.split()) // 2, 1 + text.count("x")) for text in texts]
            return np.array(counts, dtype=np.float32)

    assert len(np.unique(vectors_of(Counts(), [row.expression for row in SMALL]), axis=0)) < 20
    found = plot_embeddings(Counts(), SMALL).measures
    other = plot_embeddings(Counts(), SMALL[::-1]).measures
    for name in ("full_or_equal", "full_of_functions"):
        assert getattr(other, name) == pytest.approx(getattr(found, name))
    for space in ("plane", "full"):
        values, others = (getattr(each, space).to_json() for each in (found, other))
        assert others == pytest.approx(values, abs=1e-6)


def test_the_purities_of_the_origins_make_up_that_of_all() -> None:
    rows = [replace(row, is_from_training=place % 3 == 0) for place, row in enumerate(SMALL)]
    found = plot_embeddings(BagOfTokens(), rows).measures
    origins = found.by_origin
    assert {name: each.count for name, each in origins.items()} == {"training": 34, "new": 67}
    for space in ("plane", "full"):
        right = sum(each.count * getattr(each, space) for each in origins.values())
        assert right / len(rows) == pytest.approx(getattr(found, space).purity_at_1)
    assert plot_embeddings(BagOfTokens(), SMALL).measures.by_origin == {}


def test_counting_tokens_is_between_the_two() -> None:
    found = plot_embeddings(BagOfTokens(), SMALL).measures
    assert 0.3 < found.full.purity_at_1 < 1


def test_classes_that_cannot_be_measured_are_refused() -> None:
    with pytest.raises(ConfigError, match="at least two classes of at least two expressions"):
        plot_embeddings(BagOfTokens(), [Labelled("x", "a"), Labelled("x + 1", "a")])


def test_any_file_of_expressions_and_labels_can_be_plotted(tmp_path: Path) -> None:
    path = tmp_path / "own.tsv"
    path.write_text("sin x\twaves\n\\cos x\twaves\nx**2\tpowers\nx^3\tpowers\n", encoding="utf-8")
    rows = read_labelled(path)
    assert [row.expression for row in rows] == ["sin(x)", "cos(x)", "x**2", "x**3"]
    assert plot_embeddings(BagOfTokens(), rows).measures.classes == {"powers": 2, "waves": 2}


def test_a_table_of_plotted_expressions_can_be_plotted_again(tmp_path: Path) -> None:
    rows = make_plot_set(Random(3), 4, ["sin x", "cos x", "tan x"])
    write_labelled(tmp_path / "plot_set.tsv", rows)
    assert read_labelled(tmp_path / "plot_set.tsv") == rows
    own = Path(plot_set.__file__).parent / "data" / "plot_expressions.tsv"
    assert read_labelled(own) == plot_expressions()


def test_an_unknown_map_and_too_few_classes_are_refused_before_any_work() -> None:
    class Never(OfTexts):
        name, width = "never", 2

        def rows(self, texts: Sequence[str]) -> np.ndarray:
            raise AssertionError(texts)

    with pytest.raises(ConfigError, match="'umap' is not a map; choose from pca, tsne"):
        plot_embeddings(Never(), SMALL, "umap")  # type: ignore[arg-type]
    for rows in ([], SMALL[:1], [row for row in SMALL if row.label == "polynomial"]):
        with pytest.raises(ConfigError, match="at least two classes of at least two expressions"):
            plot_embeddings(Never(), rows)


@pytest.mark.parametrize("map_name", ["pca", "tsne"])
@pytest.mark.parametrize(
    ("vectors", "problem"),
    [
        (np.ones((8, 4)), "all expressions one vector"),
        (np.full((8, 4), np.nan), r"'x \+ 0' a vector of length nan"),
        (np.ones((8, 1)), "vectors of one number"),
        (np.eye(7), r"an array of shape \(7, 7\) and type float32 for 8 expressions"),
    ],
    ids=["equal", "nan", "narrow", "few"],
)
def test_vectors_that_have_no_map_are_refused(
    vectors: np.ndarray, problem: str, map_name: MapName
) -> None:
    class Fixed(OfTexts):
        name = "fixed"
        width = vectors.shape[1]

        def rows(self, texts: Sequence[str]) -> np.ndarray:  # noqa: ARG002
            return vectors.astype(np.float32)

    rows = [Labelled(f"x + {number}", "ab"[number % 2]) for number in range(8)]
    with pytest.raises(ConfigError, match=f"fixed (gave|gives) {problem}"):
        plot_embeddings(Fixed(), rows, map_name)


def test_a_map_of_directions_takes_more_than_one() -> None:
    class Ray(OfTexts):
        name, width = "ray", 2

        def rows(self, texts: Sequence[str]) -> np.ndarray:
            return np.outer(np.arange(1, 1 + len(texts)), [1, 2]).astype(np.float32)

    rows = [Labelled(f"x + {number}", "ab"[number % 2]) for number in range(8)]
    assert plot_embeddings(Ray(), rows).points.shape == (8, 2)
    with pytest.raises(ConfigError, match="ray gave all expressions one vector"):
        plot_embeddings(Ray(), rows, "tsne")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("sin(x)\n", "line 1: expected expression<TAB>label, found 1 column$"),
        ("expression\n", "line 1: expected expression<TAB>label, found 1 column$"),
        ("x\ta\ncoss(x)\tb\n", "line 2: column 1: 'coss' is not a symbol"),
        ("x\ta\n", "at least two labels, each twice or more; it has 1: 'a' 1x$"),
        ("", "at least two labels, each twice or more; it has 0$"),
        ("x\t \n", "line 1: the label is empty"),
        ("x\ta\tb\tc\n", "line 1: expected expression<TAB>label, found 4 columns"),
        ("x\ta\told\n", "line 1: 'old' is not an origin; expected one of training, new"),
        ("sin(x)\ta\nx\tb\nsin x\tb\n", r"line 3: 'sin\(x\)' is there already, in line 1; an"),
    ],
    ids=[
        "no label",
        "half a heading",
        "no expression",
        "one label",
        "nothing",
        "empty label",
        "four",
        "origin",
        "twice",
    ],
)
def test_a_bad_file_is_refused_with_the_line(tmp_path: Path, text: str, problem: str) -> None:
    path = tmp_path / "own.tsv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FileFormatError, match=problem):
        read_labelled(path)


def test_files_of_other_programs_are_read(tmp_path: Path) -> None:
    path = tmp_path / "own.tsv"
    path.write_bytes(b"\xef\xbb\xbfx\ta\r\nsin(x)\tb\r\n\r\nx**2\ta\r\ncos(x)\tb\r\n\r\n")
    assert [(row.expression, row.label) for row in read_labelled(path)] == [
        *(("x", "a"), ("sin(x)", "b"), ("x**2", "a"), ("cos(x)", "b"))
    ]


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match="cannot be read"):
        read_labelled(tmp_path / "none.tsv")


def test_the_page_needs_nothing_from_elsewhere_and_has_every_expression(tmp_path: Path) -> None:
    rows = [*SMALL, Labelled("x", "</script><b>"), Labelled("x + 1", "</script><b>")]
    write_plot_page(tmp_path / "page.html", plot_embeddings(BagOfTokens(), rows))
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert not re.search(r"<(script|link|img)[^>]*(src|href)=", page.split("/**")[0])
    found = re.search(r"id='data'>(.*?)</script>", page)
    assert found is not None
    data = json.loads(found[1])
    texts = {text for trace in data for text in trace["texts"]}
    assert texts == {row.expression for row in rows}
    assert {len(trace["x"]) == len(trace["math"]) for trace in data} == {True}
    assert data[0]["math"][0].startswith("<math")


@pytest.mark.parametrize("ending", ["png", "svg"])
def test_the_picture_is_written_by_its_ending(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"plot.{ending}"
    write_plot_picture(path, plot_embeddings(BagOfTokens(), SMALL))
    head = path.read_bytes()[:200]
    assert head.startswith(b"\x89PNG") if ending == "png" else b"<?xml" in head


def test_any_label_is_drawn_as_it_is_written(tmp_path: Path) -> None:
    labels = ["$\\frac$", "_hidden", "日本", "<b>", "long" * 20, *"efghij"]
    rows = [Labelled(f"x + {n}", label) for n, label in enumerate(labels + labels)]
    plot = plot_embeddings(BagOfTokens(), rows)
    write_plot_picture(tmp_path / "plot.svg", plot)
    picture = (tmp_path / "plot.svg").read_text(encoding="utf-8")
    drawn = ("$\\frac$", "_hidden", "日本", "&lt;b&gt;", f"{'long' * 7}l…")
    assert [label for label in drawn if f"<!-- {label} -->" not in picture] == []
    write_plot_page(tmp_path / "page.html", plot)
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    found = re.search(r"id='data'>(.*?)</script>", page)
    assert found is not None
    looks = {(trace["colour"], trace["shape"]) for trace in json.loads(found[1])}
    assert len(looks) == len(labels)
