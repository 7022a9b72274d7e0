"""Distance analysis: a query does not find itself."""

from __future__ import annotations

import json

from equivec.embed.baselines import BagOfTokens
from equivec.evaluate.distance_analysis import analyse_distances, paper_queries
from equivec.evaluate.pool import Pool

BAG = BagOfTokens()


def test_the_paper_has_ten_queries() -> None:
    assert len(set(paper_queries())) == 10


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
