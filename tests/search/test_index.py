"""Search: what is equal over the reals comes first, what is similar follows by cosine."""

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from pymilvus import MilvusClient

from equivec.algebra.compare import Relation
from equivec.errors import ConfigError, FileFormatError, ParseError
from equivec.expression.prefix import write_prefix
from equivec.expression.text import parse
from equivec.search.filters import EVERYTHING, Filter
from equivec.search.folder import FolderStore, damage
from equivec.search.index import Index, IndexConfig
from equivec.search.judging import SearchConfig
from equivec.search.manifest import NeighbourConfig
from equivec.search.milvus import Address
from equivec.search.renaming import canonical
from support.encoders import FakeEncoder

pytestmark = pytest.mark.filterwarnings("default::DeprecationWarning:pymilvus.*")

FORMULAS = [
    "(p + q)**2", "sin(x)/cos(x)", "tan(t)", "x + 1", "x + 2", "sin(x)", "cos(x)", "csc(x)",
    "sec(x)", "y - y + x", "a/b**2", "sqrt(x**2)", "x*y*z", "log(x)/log(y)", "sqrt(-1 - x**2)",
]  # fmt: skip


PLACES = {"folder": "{}/index", "milvus": "milvus://{}/index.db"}


@pytest.fixture(scope="module", params=PLACES)
def index(request, tmp_path_factory) -> Index:
    """An index to ask: the laws hold in a folder and on Milvus."""
    return new_index(request.param, tmp_path_factory.mktemp("index"))


@pytest.fixture(params=PLACES)
def changing(request, tmp_path: Path) -> Index:
    """An index to change."""
    return new_index(request.param, tmp_path)


def new_index(place: str, folder: Path) -> Index:
    return Index.build(FORMULAS, FakeEncoder(), PLACES[place].format(folder))


def found(result) -> list[str]:
    return [hit.expression for hit in result.hits]


def equal(result) -> list[str]:
    return [hit.expression for hit in result.hits if hit.is_equal]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("a^2 + 2ab + b^2", {"(p + q)**2"}),
        ("sin(u)/cos(u)", {"sin(x)/cos(x)", "tan(t)"}),
        ("q", {"y - y + x"}),
        ("abs(q)", {"sqrt(x**2)"}),
        ("b*b**(-3)*a", {"a/b**2"}),
        ("log(a)/log(b)", {"log(x)/log(y)"}),
        ("log(b)/log(a)", {"log(x)/log(y)"}),
        ("1/log(a)*log(b)", {"log(x)/log(y)"}),
        ("c*d*k", {"x*y*z"}),
        ("sqrt(-1 - t**2)", {"sqrt(-1 - x**2)"}),
        ("x + 3", set()),
    ],
)
def test_equal_expressions_are_found_whatever_the_names_and_come_first(
    index: Index, query: str, expected: set[str]
) -> None:
    hits = index.search(query).hits
    assert {hit.expression for hit in hits[: len(expected)]} == expected
    assert {hit.expression for hit in hits if hit.is_equal} == expected


def test_what_is_equal_for_positive_variables_alone_comes_after_what_is_equal(index: Index) -> None:
    first, second, *others = index.search("q", k=5).hits
    assert [first.expression, second.expression] == ["y - y + x", "sqrt(x**2)"]
    assert (first.verdict.words, first.is_equal) == ("equal over the reals", True)
    assert (second.verdict.words, second.is_equal) == ("equal for positive x", False)
    assert second.verdict.relation is Relation.DIFFERENT
    assert not any(hit.is_equal for hit in others)


def test_simpler_forms_that_are_equal_for_positive_variables_hide_no_equal_one(tmp_path) -> None:
    index = Index.build(["x", "2*x/2", "x + 0", "sqrt(x**2)"], FakeEncoder(), tmp_path / "index")
    assert found(index.search("abs(t)", k=1)) == ["sqrt(x**2)"]
    assert found(index.search("abs(t)", k=3)) == ["sqrt(x**2)", "x", "x + 0"]


def test_variables_are_paired_as_they_are_equal_over_the_reals(tmp_path: Path) -> None:
    """For positive variables either way to pair them is as good as the other."""
    index = Index.build(["x*abs(y)", "abs(x)*y"], FakeEncoder(), tmp_path / "index")
    hits = index.search("abs(p)*q").hits
    assert [hit.is_equal for hit in hits] == [True, True]
    renamings = {hit.expression: hit.renaming for hit in hits}
    assert renamings == {"x*abs(y)": {"p": "y", "q": "x"}, "abs(x)*y": {"p": "x", "q": "y"}}


def test_what_is_equal_where_both_are_defined_comes_between(tmp_path: Path) -> None:
    texts = ["abs(x)", "sqrt(x)**2", "x + 0"]
    index = Index.build(texts, FakeEncoder(), tmp_path / "index")
    assert found(index.search("t")) == ["x + 0", "sqrt(x)**2", "abs(x)"]


def test_a_verdict_is_about_the_query_under_the_renaming(index: Index) -> None:
    best = index.search("1/log(a)*log(b)").hits[0]
    assert best.expression == "log(x)/log(y)"
    assert best.renaming == {"a": "y", "b": "x"}


def test_of_equal_expressions_the_simplest_come_first(index: Index) -> None:
    assert equal(index.search("sin(u)/cos(u)")) == ["tan(t)", "sin(x)/cos(x)"]
    assert equal(index.search("sin(u)/cos(u)", k=1)) == ["tan(t)"]


def test_eulers_number_alone_is_stored_and_found(tmp_path: Path) -> None:
    where = tmp_path / "index"
    Index.build(["e", "x + 1"], FakeEncoder(), where)
    index = Index.open(where, FakeEncoder())
    assert equal(index.search("e")) == ["e"]
    assert "e" in found(index.analogy("x", "x", "x + 2"))


def test_a_build_that_stored_nothing_leaves_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "index"
    with pytest.raises(ParseError, match="'coss' is not a symbol"):
        Index.build(["x", "coss(x)"], FakeEncoder(), folder)
    assert not folder.exists()
    assert len(Index.build(["x", "cos(x)"], FakeEncoder(), folder)) == 2


def test_a_build_without_a_place_says_what_is_wrong() -> None:
    with pytest.raises(ParseError, match="never closed"):
        Index.build(["sin("], FakeEncoder())


def test_a_build_that_stored_nothing_leaves_the_link_to_its_folder(tmp_path: Path) -> None:
    folder, link = tmp_path / "folder", tmp_path / "link"
    folder.mkdir()
    link.symlink_to(folder)
    with pytest.raises(ParseError, match="never closed"):
        Index.build(["sin("], FakeEncoder(), link)
    assert list(folder.iterdir()) == []
    assert len(Index.build(["sin(x)"], FakeEncoder(), link)) == 1


def test_a_build_goes_on_with_the_precision_it_was_begun_with(tmp_path: Path) -> None:
    folder, config = tmp_path / "index", IndexConfig(precision="float16")
    Index.build(["x"], FakeEncoder(), folder, config)
    with pytest.raises(ConfigError, match="begun with the precision float16, not int8; continue"):
        Index.build(["x", "sin(x)"], FakeEncoder(), folder, resume=True)
    assert len(Index.build(["x", "sin(x)"], FakeEncoder(), folder, config, resume=True)) == 2


def test_names_matter_if_asked(index: Index) -> None:
    config = SearchConfig(same_names=True)
    assert equal(index.search("sin(x)/cos(x)", config=config)) == ["sin(x)/cos(x)"]
    assert equal(index.search("sin(t)/cos(t)", config=config)) == ["tan(t)"]
    assert equal(index.search("a^2 + 2ab + b^2", config=config)) == []
    assert equal(index.search("p^2 + 2pq + q^2", config=config)) == ["(p + q)**2"]


def test_neighbours_follow_by_cosine_with_verdicts(index: Index) -> None:
    hits = index.search("x + 7", k=5).hits
    assert [hit.expression for hit in hits[:2]] in (["x + 1", "x + 2"], ["x + 2", "x + 1"])
    cosines = [hit.cosine for hit in hits]
    assert cosines == sorted(cosines, reverse=True)
    assert {hit.verdict.relation for hit in hits[:2]} == {Relation.DIFFERENT}


def test_without_time_nothing_is_judged_and_matches_still_come_first(index: Index) -> None:
    result = index.search("sin(u)/cos(u)", config=SearchConfig(judge_seconds=0))
    assert set(found(result)[:2]) == {"sin(x)/cos(x)", "tan(t)"}
    assert {hit.verdict for hit in result.hits} == {None}


def test_a_search_gives_as_many_as_asked_for_and_each_once(index: Index) -> None:
    for k in (1, 2, 7, 100):
        expressions = found(index.search("sin(u)/cos(u)", k=k))
        assert len(expressions) == min(k, len(FORMULAS)) == len(set(expressions))


def test_filters_hold_for_equals_and_neighbours(index: Index) -> None:
    chosen = Filter(excludes={"tan"}, max_operators=3)
    expressions = found(index.search("tan(x)", k=100, filter=chosen))
    assert expressions[0] == "sin(x)/cos(x)"
    assert "tan(t)" not in expressions
    assert "sqrt(-1 - x**2)" not in expressions
    only = found(index.search("x", k=100, filter=Filter(contains={"*"}, variables=3)))
    assert only == ["x*y*z"]


def test_similar_expressions_do_not_include_the_expression_itself(index: Index) -> None:
    result = index.similar_to("x + 1", k=3)
    assert found(result)[0] == "x + 2"
    assert "x + 1" not in found(result)
    assert len(result.hits) == 3


def test_an_analogy_leaves_out_what_it_was_given(index: Index) -> None:
    expressions = found(index.analogy("cos(x)", "sin(x)", "csc(x)", k=100))
    assert len(expressions) == len(FORMULAS) - 3
    assert not {"cos(x)", "sin(x)", "csc(x)"} & set(expressions)


def test_an_analogy_is_the_nearest_to_the_sum_and_difference(index: Index) -> None:
    trees = [parse(text) for text in ("cos(x)", "sin(x)", "csc(x)")]
    vectors = FakeEncoder().encode(trees, normalize=False)
    target = vectors[0] - vectors[1] + vectors[2]
    target /= np.linalg.norm(target)
    best = index.analogy("cos(x)", "sin(x)", "csc(x)", k=1).hits[0]
    others = [text for text in FORMULAS if text not in ("cos(x)", "sin(x)", "csc(x)")]
    renamed = [canonical(parse(text))[0] for text in others]
    cosines = FakeEncoder().encode(renamed) @ target
    assert best.expression == others[cosines.argmax()]
    assert best.cosine == pytest.approx(cosines.max(), abs=0.01)


def test_what_is_added_is_found_and_what_is_removed_is_not(changing: Index) -> None:
    assert changing.add(["x*x*x", "sin(x)"]) == 1
    assert equal(changing.search("t**3")) == ["x*x*x"]
    assert changing.remove(["x*x*x", "x**3"]) == 1
    assert equal(changing.search("t**3")) == []
    assert "x*x*x" not in found(changing.search("t**3", k=100))
    assert changing.add(["x*x*x"]) == 1
    assert equal(changing.search("t**3")) == ["x*x*x"]


def test_an_expression_is_kept_once(changing: Index) -> None:
    assert len(changing) == len(FORMULAS)
    assert changing.add([*FORMULAS, "sin(x)", r"\sin x", "sin x"]) == 0
    assert len(changing) == len(FORMULAS)
    assert changing.add(["sin(t)", "sin(t)"]) == 1


def test_opening_gives_the_same_answers(index: Index) -> None:
    again = Index.open(index.info().where, FakeEncoder())
    for query in ("sin(u)/cos(u)", "x + 7", "a^2 + 2ab + b^2"):
        before, after = index.search(query), again.search(query)
        assert [(h.expression, h.cosine) for h in before.hits] == [
            (h.expression, h.cosine) for h in after.hits
        ]


def test_an_index_without_a_place_goes_with_its_object_unless_it_is_saved(tmp_path: Path) -> None:
    index = Index.build(FORMULAS, FakeEncoder())
    where = Path(index.info().where)
    assert found(index.search("tan(u)"))[:2] == ["tan(t)", "sin(x)/cos(x)"]
    index.add(["x + 77"])
    index.save(tmp_path / "copy")
    del index
    assert not where.exists()
    copy = Index.load(tmp_path / "copy", FakeEncoder())
    assert len(copy) == len(FORMULAS) + 1
    assert damage(tmp_path / "copy") == []
    with pytest.raises(FileFormatError, match="holds other files"):
        copy.save(tmp_path / "copy")


def test_what_a_server_keeps_is_not_copied(tmp_path: Path) -> None:
    index = new_index("milvus", tmp_path)
    with pytest.raises(ConfigError, match="is kept by its server; it cannot be copied"):
        index.save(tmp_path / "copy")


def test_an_index_is_not_built_over_another(index: Index) -> None:
    with pytest.raises(FileFormatError, match="already h"):
        Index.build(["x"], FakeEncoder(), index.info().where)


def test_timings_are_told(index: Index) -> None:
    timings = index.search("x").timings
    assert timings.total == timings.encode + timings.lookup + timings.neighbours + timings.judge
    assert min(timings.encode, timings.lookup, timings.neighbours, timings.judge) > 0


@pytest.mark.parametrize("k", [0, -1, 10_001])
def test_k_has_a_range(index: Index, k: int) -> None:
    with pytest.raises(ConfigError, match=re.escape(f"between 1 and 10,000, not at {k:,}")):
        index.search("x", k=k)


def test_another_encoder_is_refused(tmp_path: Path) -> None:
    Index.build(["x"], FakeEncoder(), tmp_path / "index")
    with pytest.raises(ConfigError, match="made with the encoder 'fake' of width 32, not with"):
        Index.open(tmp_path / "index", FakeEncoder("other"))


@dataclass(frozen=True)
class BadEncoder(FakeEncoder):
    """An encoder whose vectors are wrong in a way of its own."""

    value: float = np.nan
    columns: int = 32

    def encode(self, trees, **_):
        return np.full((len(trees), self.columns), self.value, dtype=np.float32)


def test_vectors_that_are_none_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"fake gave 'sin\(x\)' a vector of length 0\.0; every"):
        Index.build(["sin(x)"], BadEncoder(value=0.0), tmp_path / "zeros")
    with pytest.raises(ConfigError, match=r"fake gave 'sin\(x\)' a vector of length nan; every"):
        Index.build(["sin(t)"], BadEncoder(), tmp_path / "a")
    with pytest.raises(ConfigError, match=r"an array of shape \(1, 3\) .*with a row of 32 for"):
        Index.build(["sin(t)"], BadEncoder(columns=3), tmp_path / "b")


def test_an_empty_index_answers_with_nothing(tmp_path: Path) -> None:
    index = Index.build([], FakeEncoder(), tmp_path / "index")
    assert index.search("x").hits == ()
    assert index.similar_to("x", filter=Filter(contains={"sin"})).hits == ()
    assert index.add(["x"]) == 1
    assert index.remove(["x"]) == 1
    with index.store.writing():
        index.store.tune()
    assert Index.open(tmp_path / "index", FakeEncoder()).search("x").hits == ()


@pytest.fixture(scope="module")
def large(tmp_path_factory) -> Index:
    """More expressions than are searched exactly, then some more, some of them removed."""
    config = IndexConfig(neighbours=NeighbourConfig(exact_below=1_000, recall=0.95))
    folder = tmp_path_factory.mktemp("large") / "index"
    names = ("sin", "cos", "tan", "exp", "log", "sqrt")
    texts = [
        f"{f}({a}*x + {g}({b}))" for f in names for g in names for a in (2, 3) for b in range(2, 40)
    ]
    index = Index.build(texts, FakeEncoder(), folder, config)
    index.add([f"sinh({n}*x)" for n in range(2, 12)])
    index.remove(["sin(2*x + cos(7))", "sinh(3*x)"])
    return index


def test_a_large_index_is_compressed_and_the_rest_searched_exactly(large: Index) -> None:
    view = large.store.view()
    assert view.covered == 2_736
    assert view.flat.ntotal == 10
    assert large.info().neighbours.startswith("neighbours: IVF")
    assert damage(Path(large.info().where)) == []


@pytest.mark.parametrize(
    "chosen", [EVERYTHING, Filter(contains={"sin"}), Filter(contains={"sinh"})]
)
def test_a_large_index_finds_the_neighbours_that_there_are(large: Index, chosen: Filter) -> None:
    view = large.store.view()
    vectors = view.vectors.take(np.arange(len(view.vectors)))
    is_allowed = chosen.admits(view.traits)
    is_allowed[view.removed] = False
    queries = vectors[::40]
    cosines = np.where(is_allowed, queries @ vectors.T, -2)
    best = -np.sort(-cosines, axis=1)[:, :5]
    rows, values = view.nearest_rows(queries, 5, chosen)
    assert is_allowed[rows].all()
    assert (values > best - 1e-4).mean() > 0.9


def test_a_damaged_neighbour_file_is_made_again_from_the_vectors(tmp_path: Path, large) -> None:
    folder = shutil.copytree(large.info().where, tmp_path / "copy")
    name = large.store.view().manifest.neighbours
    (folder / name).write_bytes(b"not faiss at all")
    with pytest.raises(FileFormatError, match=rf"{name} is damaged: .*: equivec index tune"):
        Index.open(folder, FakeEncoder())
    store = FolderStore.open(folder, without_neighbours=True)
    with store.writing():
        store.tune()
    again = Index.open(folder, FakeEncoder())
    assert again.store.view().covered == len(again) == len(large) == 2_744
    assert len(again.store.view().removed) == 0
    assert damage(folder) == []


def test_an_encoder_that_changed_and_kept_its_name_is_noticed(index: Index) -> None:
    @dataclass(frozen=True)
    class Changed(FakeEncoder):
        def encode(self, trees, *, normalize=True):
            return np.roll(super().encode(trees, normalize=normalize), 1, axis=1)

    with pytest.raises(ConfigError, match="was made with another encoder called 'fake'; build it"):
        Index(index.store, Changed()).check_encoder()


def test_an_address_that_leads_nowhere_is_refused() -> None:
    with pytest.raises(ConfigError, match="names no server and no file"):
        Address.of("milvus://")


def test_a_sample_is_spread_over_the_index_and_has_its_vectors(index: Index) -> None:
    texts, vectors = index.sample(len(FORMULAS) + 5)
    assert sorted(texts) == sorted(write_prefix(parse(text)) for text in FORMULAS)
    renamed = [canonical(parse(text))[0] for text in texts]
    np.testing.assert_allclose(vectors, FakeEncoder().encode(renamed), atol=0.02)
    some, vectors = index.sample(4)
    assert len(set(some)) == len(vectors) == 4
    assert set(some) <= set(texts)


def test_a_milvus_that_fails_or_holds_something_else_is_told_in_a_sentence(tmp_path: Path) -> None:
    index = new_index("milvus", tmp_path)
    MilvusClient(uri=str(tmp_path / "index.db")).drop_collection("equivec")
    with pytest.raises(FileFormatError, match=r"Milvus at .*index\.db failed: "):
        index.search("x")
    MilvusClient(uri=str(tmp_path / "index.db")).create_collection("equivec", dimension=4)
    with pytest.raises(FileFormatError, match="the collection 'equivec' is not an index of ours"):
        Index.open(PLACES["milvus"].format(tmp_path), FakeEncoder())
