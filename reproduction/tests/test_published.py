"""The paper's own answers score what it says, and its neighbours are all there."""

from __future__ import annotations

import pytest

from equivec.errors import ConfigError
from equivec.evaluate.analogies import paper_analogies, score_answers
from equivec.evaluate.distance_analysis import paper_queries
from equivec.storage.files import read_table
from equivec_reproduction.published import DATA, paper_answers, paper_neighbours


@pytest.mark.parametrize(
    ("model", "identities", "substitutions"), [("StructEmb", 3, 4), ("SemEmb", 9, 2)], ids=str
)
def test_the_paper_scores_what_the_paper_says(
    model: str, identities: int, substitutions: int
) -> None:
    by_kind = {score.kind: score for score in score_answers(paper_answers(model))}
    assert (by_kind["identity"].exact_at_1, by_kind["identity"].count) == (identities, 12)
    assert (by_kind["substitution"].exact_at_1, by_kind["substitution"].count) == (substitutions, 8)
    assert by_kind["all"].exact_at_1 == identities + substitutions


def test_an_unknown_model_of_the_paper_is_refused() -> None:
    with pytest.raises(ConfigError, match="'EqNet' is not a model of the paper"):
        paper_answers("EqNet")


def test_the_answers_are_those_to_the_analogies_of_the_package() -> None:
    answers = [row[0] for row in read_table(DATA / "paper_answers.tsv")]
    assert answers == [analogy.x2 for analogy in paper_analogies()]


def test_the_paper_has_ten_queries_with_five_neighbours_by_each_model() -> None:
    found = paper_neighbours()
    assert list(found) == ["StructEmb", "SemEmb"]
    for analysis in found.values():
        assert [row.query for row in analysis.queries] == paper_queries()
        assert len(analysis.queries) == 10
        assert {len(row.neighbours) for row in analysis.queries} == {5}


def test_without_constants_the_semantic_model_of_the_paper_is_nearer_to_its_first_query() -> None:
    """SemEmb's neighbours of 4*x**2*cos(3*x - 1) are x**2*cos(x) but for constants."""
    found = {model: analysis.queries[0] for model, analysis in paper_neighbours().items()}
    sem = [row.distances["without constants"] for row in found["SemEmb"].neighbours]
    struct = [row.distances["without constants"] for row in found["StructEmb"].neighbours]
    assert sem == [0] * 5
    assert min(struct) > 0
