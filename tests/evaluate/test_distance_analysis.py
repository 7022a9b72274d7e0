"""Distance analysis: the paper's tables are all there, and a query does not find itself."""

from __future__ import annotations

import json

from equivec.embed.baselines import BagOfTokens
from equivec.evaluate.distance_analysis import (
    analyse_distances,
    paper_neighbours,
    paper_queries,
)
from equivec.evaluate.pool import Pool

BAG = BagOfTokens()


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


def test_a_query_is_not_its_own_neighbour_but_another_writing_of_it_is() -> None:
    pool = Pool.of(BAG, ["x**2 + 5", "5 + x**2", "x**2 + 6", "sin(x)"])
    result = analyse_distances(BAG, pool, ["x**2 + 5"], k=2)
    (row,) = result.queries
    assert [neighbour.expression for neighbour in row.neighbours] == ["5 + x**2", "x**2 + 6"]
    assert row.neighbours[0].distances["raw"] == 0
    assert row.neighbours[1].distances == {
        "raw": 1,
        "without outer constants": 0,
        "without constants": 0,
    }
    assert json.loads(json.dumps(result.to_json()))["pool"] == 4
