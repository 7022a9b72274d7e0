"""How the sets of the benchmark are made: random expressions, our rules, and the judge.

The same seed and the same rules give the same sets. The sets are committed, so that a new rule
does not change what models are measured by.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from equivec.algebra.compare import Relation, compare_with_first
from equivec.algebra.fingerprint import fingerprint, fingerprints, is_uninformative
from equivec.algebra.rewriting import Rewriter, RewritingConfig
from equivec.algebra.rules.terms import from_tuple, measure, to_tuple
from equivec.corpus.clusters import Tally, make_clusters
from equivec.corpus.engines import RulesEngine
from equivec.corpus.sampler import SamplerConfig
from equivec.corpus.sources import random_sources
from equivec.evaluate.benchmark_sets import DetectionPair, RetrievalCase, Walk, mutants
from equivec.expression.infix import write_infix
from equivec.expression.limits import is_readable

if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random

    from equivec.expression.tree import Node

# People's expressions: two to five operators, small integers, and the laws of the textbooks.
SOURCES = SamplerConfig(operators=(0, 2, 4, 3, 1), integers=((1, 9, 1.0),))
_LAWS = 0.3
_BATCH = 64
_MAX_TOKENS, _MAX_OPERATORS = 40, 9
_STEPS, _TRIES = 8, 40


def make_retrieval_cases(random: Random, count: int) -> list[RetrievalCase]:
    """Queries with three equivalents and up to twelve mutants each.

    No mutant of a query is another query's function: that would be a right answer called wrong.
    """
    cases: list[RetrievalCase] = []
    for query, *others in _clusters(random, least=4):
        near = _near_misses(query, query, 12, random)
        if len(near) >= 6:
            equivalents = random.sample(others, 3)
            cases.append(RetrievalCase(write_infix(query), _texts(equivalents), _texts(near)))
        if len(cases) == count:
            break
    queries = set(fingerprints(case.query for case in cases))
    return [
        replace(case, mutants=tuple(m for m in case.mutants if fingerprint(m) not in queries))
        for case in cases
    ]


def make_detection_pairs(random: Random, count: int) -> list[DetectionPair]:
    """Pairs a = b, and as many of a with a mutant of b: the two kinds look equally alike."""
    pairs: list[DetectionPair] = []
    for members in _clusters(random, least=2):
        left, right = random.sample(members, 2)
        near = _near_misses(left, right, 1, random)
        if near:
            pairs.append(DetectionPair(write_infix(left), write_infix(right), True))
            pairs.append(DetectionPair(write_infix(left), write_infix(near[0]), False))
        if len(pairs) >= count:
            return pairs
    raise AssertionError("the clusters do not end")


def make_clusters_of(random: Random, count: int, size: int) -> list[tuple[str, ...]]:
    """Clusters of equal expressions, all of one size."""
    found = islice(_clusters(random, least=size), count)
    return [_texts(random.sample(members, size)) for members in found]


def make_walks(random: Random, count: int) -> list[Walk]:
    """Expressions with their rewrites by 1, 2, ... steps, each equal to the source."""
    rewriter = Rewriter()
    found: list[Walk] = []
    for source, *_ in _clusters(random, least=2):
        rewrites = _walk(rewriter, source, random)
        is_whole = len(rewrites) == _STEPS
        if is_whole and all(v.is_equal for v in compare_with_first(source, rewrites)):
            found.append(Walk(write_infix(source), _texts(rewrites)))
        if len(found) == count:
            return found
    raise AssertionError("the clusters do not end")


def _clusters(random: Random, least: int) -> Iterator[list[Node]]:
    """Verified clusters of different functions with at least so many members, without end."""
    engine = RulesEngine(RewritingConfig(max_operators=_MAX_OPERATORS, max_tokens=_MAX_TOKENS))
    seen: set[str] = set()
    while True:
        sources = list(random_sources(_BATCH, SOURCES, _LAWS, random))
        for cluster in make_clusters(sources, engine, random, _MAX_TOKENS, Tally()):
            first, *others = cluster.members
            key = fingerprint(first)
            if key in seen or is_uninformative(key) or first.variables != {"x"}:
                continue
            verdicts = compare_with_first(first, others)
            members = [first, *(o for o, v in zip(others, verdicts, strict=True) if v.is_equal)]
            if len(members) >= least:
                seen.add(key)
                yield members


def _near_misses(query: Node, origin: Node, count: int, random: Random) -> list[Node]:
    """Mutants of one expression that are proved to differ from another, of all kinds in turn."""
    groups: dict[str, list[Node]] = {"operator": [], "constant": [], "sign": []}
    for what, mutant in mutants(origin):
        if mutant.variables and is_readable(mutant):
            groups[what].append(mutant)
    for group in groups.values():
        random.shuffle(group)
    longest = max(map(len, groups.values()))
    turns = [g[number] for number in range(longest) for g in groups.values() if number < len(g)]
    candidates = list(dict.fromkeys(turns))[: 3 * count + 6]
    verdicts = compare_with_first(query, candidates)
    proved = [
        mutant
        for mutant, verdict in zip(candidates, verdicts, strict=True)
        if verdict.relation is Relation.DIFFERENT
    ]
    return proved[:count]


def _walk(rewriter: Rewriter, source: Node, random: Random) -> list[Node]:
    """The expressions after each of several steps; no expression is met twice."""
    term = to_tuple(source)
    seen = {term}
    found: list[Node] = []
    for _ in range(_TRIES):
        step = rewriter.step(term, random)
        if step is None or step[0] in seen:
            continue
        operators, tokens = measure(step[0])
        tree = from_tuple(step[0])
        if operators <= _MAX_OPERATORS and tokens <= _MAX_TOKENS and tree.variables:
            term = step[0]
            seen.add(term)
            found.append(tree)
        if len(found) == _STEPS:
            break
    return found


def _texts(trees: list[Node]) -> tuple[str, ...]:
    return tuple(write_infix(tree) for tree in trees)
