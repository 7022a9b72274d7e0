"""The benchmark: its sets are what they say, and known encoders get the scores they must get."""

from __future__ import annotations

import json
from collections import Counter
from random import Random
from typing import TYPE_CHECKING

import numpy as np
import pytest

from equivec.algebra.compare import PAPER_JUDGE, Relation, compare_many
from equivec.algebra.fingerprint import fingerprints
from equivec.embed.baselines import BagOfTokens
from equivec.embed.encoder import vectors_of
from equivec.embed.neighbours import unit_vectors
from equivec.evaluate import benchmark_sets as sets
from equivec.evaluate.benchmark import (
    SEED,
    run_benchmark,
    score_clustering,
    score_detection,
    score_retrieval,
    score_robustness,
)
from equivec.evaluate.benchmark_sets import DetectionPair, RetrievalCase, Walk, mutants
from equivec.evaluate.measures import adjusted_rand_index, k_means
from equivec.expression.text import parse, write
from equivec.expression.tree import Node
from support.encoders import OfTexts
from support.trees import random_tree

if TYPE_CHECKING:
    from collections.abc import Sequence


class Perfect(OfTexts):
    """An encoder that nearly knows what a function is: a direction for each fingerprint.

    A few forms cannot be decided at a fixed point, so that their fingerprints are their own.
    """

    name = "perfect"
    width = 64

    def rows(self, texts: Sequence[str]) -> np.ndarray:
        seeds = [int(mark, 16) for mark in fingerprints(texts)]
        rows = [np.random.default_rng(seed).normal(size=64) for seed in seeds]
        return np.array(rows, dtype=np.float32)


def sample(rows: list[tuple[str, str]], count: int = 250) -> list[tuple[str, str]]:
    return Random(3).sample(rows, min(count, len(rows)))


def relations(pairs: list[tuple[str, str]]) -> Counter[Relation]:
    return Counter(verdict.relation for verdict in compare_many(pairs, PAPER_JUDGE))


def test_the_sets_have_the_sizes_they_should() -> None:
    assert len(sets.retrieval_cases()) == 400
    assert Counter(pair.is_equal for pair in sets.detection_pairs()) == {True: 1_000, False: 1_000}
    assert [len(cluster) for cluster in sets.clusters()] == [8] * 100
    assert [len(walk.rewrites) for walk in sets.walks()] == [8] * 200


def test_equivalents_are_equal_and_mutants_are_not() -> None:
    cases = sets.retrieval_cases()
    equal = sample([(case.query, text) for case in cases for text in case.equivalents])
    apart = sample([(case.query, text) for case in cases for text in case.mutants])
    assert relations(equal) == {Relation.EQUAL: len(equal)}
    assert relations(apart) == {Relation.DIFFERENT: len(apart)}


def test_no_mutant_is_another_query() -> None:
    cases = sets.retrieval_cases()
    queries = set(fingerprints(case.query for case in cases))
    assert len(queries) == len(cases)
    assert queries.isdisjoint(fingerprints(text for case in cases for text in case.mutants))


def test_pairs_to_detect_are_what_they_are_called() -> None:
    pairs = sets.detection_pairs()
    equal = sample([(pair.left, pair.right) for pair in pairs if pair.is_equal])
    apart = sample([(pair.left, pair.right) for pair in pairs if not pair.is_equal])
    assert relations(equal) == {Relation.EQUAL: len(equal)}
    assert relations(apart) == {Relation.DIFFERENT: len(apart)}


def test_clusters_hold_one_function_each_and_every_one_another() -> None:
    clusters = sets.clusters()
    pairs = sample([(first, text) for first, *others in clusters for text in others])
    assert relations(pairs) == {Relation.EQUAL: len(pairs)}
    assert len(set(fingerprints(first for first, *_ in clusters))) == len(clusters)


def test_walks_lead_to_new_forms_of_the_same_function() -> None:
    walks = sets.walks()
    pairs = sample([(walk.source, text) for walk in walks for text in walk.rewrites])
    assert relations(pairs) == {Relation.EQUAL: len(pairs)}
    assert all(len({walk.source, *walk.rewrites}) == 9 for walk in walks)


def test_mutants_differ_in_one_place_and_never_are_the_tree_itself() -> None:
    generator = Random(2)
    for _ in range(200):
        tree = random_tree(generator)
        for what, mutant in mutants(tree):
            assert mutant != tree, write(tree)
            sizes = {"operator": {0}, "constant": {0}, "sign": {-2, 0, 2}}
            assert mutant.size - tree.size in sizes[what]


def test_the_sign_of_a_negated_term_is_no_constant() -> None:
    found = [(what, write(mutant)) for what, mutant in mutants(parse("-x"))]
    assert found == [("sign", "x"), ("sign", "-(-x)")]
    assert ("constant", Node(0)) in mutants(Node(1))


def test_a_perfect_encoder_has_full_marks() -> None:
    cases, walks = sets.retrieval_cases()[:60], sets.walks()[:30]
    retrieval = score_retrieval(Perfect(), cases)
    assert retrieval.recall_at_1 == 1
    assert retrieval.beats_mutants > 0.99
    assert score_detection(Perfect(), sets.detection_pairs()[:200]).area_under_curve == 1
    assert score_clustering(Perfect(), sets.clusters()[:20]).adjusted_rand_index == 1
    robustness = score_robustness(Perfect(), walks)
    assert min(robustness.mean_cosines) == pytest.approx(1)
    assert abs(robustness.others) < 0.1


def test_clustering_is_the_mean_of_ten_runs_of_k_means() -> None:
    clusters = sets.clusters()[:20]
    score = score_clustering(BagOfTokens(), clusters)
    vectors = unit_vectors(vectors_of(BagOfTokens(), [text for some in clusters for text in some]))
    truth = np.repeat(np.arange(20), 8)
    runs = [adjusted_rand_index(k_means(vectors, 20, SEED + run), truth) for run in range(10)]
    assert score.adjusted_rand_index == pytest.approx(np.mean(runs))
    assert score.deviation == pytest.approx(np.std(runs))
    assert min(runs) < max(runs)


def test_counting_tokens_is_fooled_by_mutants() -> None:
    retrieval = score_retrieval(BagOfTokens(), sets.retrieval_cases())
    assert retrieval.recall_at_1 < 0.2
    assert retrieval.beats_mutants < 0.2


def test_a_tie_with_a_mutant_is_lost() -> None:
    """x*(x + 2) and x + x*2 have the same tokens, so that nothing tells them from the query."""
    case = RetrievalCase("x*(2 + x)", ("x*(x + 2)",), ("x + x*2",))
    found = score_retrieval(BagOfTokens(), [case])
    assert (found.recall_at_1, found.mean_reciprocal_rank, found.beats_mutants) == (0, 0.5, 0)


class Noise(OfTexts):
    """All expressions alike, but for the last bits."""

    name = "noise"
    width = 64

    def rows(self, texts: Sequence[str]) -> np.ndarray:
        generator = np.random.default_rng(0)
        noise = generator.standard_normal((len(texts), 64)) * 1e-8
        return (1 + noise).astype(np.float32)


def test_the_last_bits_win_nothing() -> None:
    retrieval = score_retrieval(Noise(), sets.retrieval_cases()[:50])
    assert (retrieval.recall_at_1, retrieval.beats_mutants) == (0, 0)
    assert score_detection(Noise(), sets.detection_pairs()[:200]).area_under_curve == 0.5


def test_detection_worked_by_hand() -> None:
    pairs = [
        DetectionPair("x + 1", "1 + x", True),
        DetectionPair("sin(x)", "cos(x)", False),
    ]
    found = score_detection(BagOfTokens(), pairs)
    assert (found.area_under_curve, found.best_f1.value) == (1, 1)
    assert found.best_f1.threshold == pytest.approx(1), "a cosine"


def test_cosines_after_steps_are_means_over_walks() -> None:
    walks = [Walk("sin(x)", ("sin(x)", "cos(x)")), Walk("x", ("x", "x"))]
    found = score_robustness(BagOfTokens(), walks)
    assert found.mean_cosines == pytest.approx((1, 0.75))
    assert found.others == pytest.approx(2**-0.5)


@pytest.mark.slow
def test_the_whole_benchmark_runs_and_becomes_json() -> None:
    result = run_benchmark(BagOfTokens())
    assert json.loads(json.dumps(result.to_json()))["model"] == "bag of tokens"
    assert all(-1 <= value <= 1 for value in result.row.values())
