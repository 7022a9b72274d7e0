"""Statistics of a corpus: small cases counted by hand, and brute force as the judge."""

from __future__ import annotations

import random
from functools import cache

from equivec.corpus.records import Row, to_table
from equivec.evaluate.corpus_statistics import diversity, edit_distance, statistics
from equivec.expression.grammar import ELEMENTARY

ROWS = [
    Row(0, "sin x", 0, "rules", "", True, "train"),
    Row(0, "add sin x INT+ 0", 0, "rules", "", False, "test"),
    Row(1, "ln mul INT- 1 2 x", 0, "rules", "", True, "train"),
    Row(1, "ln mul x INT- 1 2", 0, "rules", "", False, "train"),
]


def test_a_corpus_of_four_expressions_is_counted() -> None:
    found = statistics(to_table(ROWS))
    assert str(found.operators["train"]) == "1.67 ± 0.47"
    assert str(found.lengths["test"]) == "5.00 ± 0.00"
    assert found.with_operator == {"sin": 2, "ln": 2, "mul": 2, "add": 1}
    assert found.by_types == {1: 1, 2: 3}
    assert found.cluster_sizes == {2: 2}


def test_the_edit_distance_is_the_one_by_recursion() -> None:
    generator = random.Random(4)

    @cache
    def slow(a: tuple[str, ...], b: tuple[str, ...]) -> int:
        if not a or not b:
            return len(a) + len(b)
        change = slow(a[1:], b[1:]) + (a[0] != b[0])
        return min(change, slow(a[1:], b) + 1, slow(a, b[1:]) + 1)

    for _ in range(200):
        a, b = (
            tuple(generator.choices(ELEMENTARY.tokens[:4], k=generator.randint(0, 7)))
            for _ in range(2)
        )
        assert edit_distance(a, b) == slow(a, b)


def test_reordered_arguments_are_recognised_at_any_depth() -> None:
    same = ["add x mul y sin add u v", "add mul sin add v u y x"]
    regrouped = ["add add x y z", "add z add y x"]
    other = ["div x y", "div y x"]
    assert diversity([same]).only_reordered == 1
    assert diversity([regrouped]).only_reordered == 1
    assert diversity([other]).only_reordered == 0


def test_identical_members_are_at_no_distance() -> None:
    found = diversity([["sin x", "sin x"], ["sin x", "cos x"]])
    assert found.pairs == 2
    assert found.edit_distance == 0.25
