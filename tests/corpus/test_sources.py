"""Sources: instances of laws, every family alike, and none of them twice."""

from __future__ import annotations

from random import Random

from equivec.corpus.sources import law_sources


def test_law_sources_are_distinct_expressions_with_variables() -> None:
    sources = list(law_sources(500, Random(3)))
    assert len(set(sources)) == 500
    assert all(source.variables for source in sources)


def test_the_same_seed_gives_the_same_laws() -> None:
    assert list(law_sources(50, Random(1))) == list(law_sources(50, Random(1)))
    assert list(law_sources(50, Random(1))) != list(law_sources(50, Random(2)))
