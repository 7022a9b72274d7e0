"""The tree edit distance equals that of zss, compiled or not, and is a metric."""

from __future__ import annotations

import random

import numpy as np
import pytest
import zss
from hypothesis import given

from equivec.errors import ConfigError
from equivec.evaluate import tree_edit_distance as module
from equivec.evaluate.tree_edit_comparison import compare_neighbours
from equivec.evaluate.tree_edit_distance import Forest, forest_distances, tree_edit_distance
from equivec.expression.text import parse
from equivec.expression.tree import Node
from support.trees import random_tree, trees


def by_zss(left: Node, right: Node) -> int:
    """The distance with unit costs for labels of any kind."""
    return zss.simple_distance(
        to_zss(left),
        to_zss(right),
        label_dist=lambda a, b: int(a != b),
        get_label=zss.Node.get_label,
    )


def to_zss(tree: Node) -> zss.Node:
    return zss.Node(tree.symbol, [to_zss(argument) for argument in tree.arguments])


def random_pairs(count: int) -> list[tuple[Node, Node]]:
    """Pairs of trees of any size from one node on; every third pair is near."""
    generator = random.Random(7)
    pairs = []
    for number in range(count):
        left = random_tree(generator, depth=generator.randint(1, 5))
        right = Node("sin", (left,)) if number % 3 == 0 else random_tree(generator, depth=4)
        pairs.append((left, right))
    return pairs


@pytest.mark.parametrize("is_compiled", [True, False], ids=["compiled", "plain Python"])
def test_the_distance_is_that_of_zss(is_compiled: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if is_compiled:
        assert module._compiled() is not None
    else:
        monkeypatch.setattr(module, "_compiled", lambda: None)
    pairs = random_pairs(300)
    forest = Forest.of(tree for pair in pairs for tree in pair)
    places = np.arange(len(pairs))
    found = forest_distances(forest, 2 * places, 2 * places + 1)
    assert found.tolist() == [by_zss(left, right) for left, right in pairs]


@given(trees(), trees(), trees())
def test_the_distance_is_a_metric(a: Node, b: Node, c: Node) -> None:
    assert tree_edit_distance(a, a) == 0
    assert (tree_edit_distance(a, b) == 0) == (a == b)
    assert tree_edit_distance(a, b) == tree_edit_distance(b, a)
    assert tree_edit_distance(a, c) <= tree_edit_distance(a, b) + tree_edit_distance(b, c)
    assert abs(a.size - b.size) <= tree_edit_distance(a, b) < a.size + b.size


def test_an_integer_is_one_node() -> None:
    assert tree_edit_distance(parse("x + 1"), parse("x + 123456")) == 1


def test_a_chain_as_long_as_a_limit_allows_is_measured() -> None:
    tree = Node("x")
    for _ in range(1_500):
        tree = Node("sin", (tree,))
    assert tree_edit_distance(tree, tree.arguments[0]) == 1


def test_no_pairs_have_no_distances() -> None:
    assert forest_distances(Forest.of([]), [], []).tolist() == []


def test_closer_counts_and_ties_add_up_to_the_queries() -> None:
    generator = random.Random(3)
    queries = [random_tree(generator) for _ in range(50)]
    found = {name: [[random_tree(generator) for _ in range(5)] for _ in queries] for name in "abc"}
    result = compare_neighbours(queries, found)
    assert len(result.matches) == 3 * 2 * 3
    for match in result.matches:
        assert match.left_closer + match.right_closer + match.ties == 50


def test_a_model_is_closer_by_its_nearest_and_by_its_five_nearest_apart() -> None:
    first_right = ["sin(x)"] + ["x"] * 4
    later_right = ["cos(x)"] + ["sin(x)"] * 4
    result = compare_neighbours(["sin(x)"], {"a": [first_right], "b": [later_right]})
    raw = {match.k: match for match in result.matches if match.form == "raw"}
    assert (raw[1].left_closer, raw[1].right_closer) == (1, 0)
    assert (raw[5].left_closer, raw[5].right_closer) == (0, 1)


def test_equally_far_neighbours_are_a_tie() -> None:
    (match, *_) = compare_neighbours(["sin(x)"], {"a": [["cos(x)"]], "b": [["tan(x)"]]}).matches
    assert (match.left_closer, match.right_closer, match.ties) == (0, 0, 1)


@pytest.mark.parametrize(
    ("found", "problem"),
    [
        ({"a": [["x"]]}, "a has neighbours of 1 of 2 queries"),
        ({"a": [["x"], ["x", "y"]]}, r"the same number of neighbours, not \[1, 2\]"),
        ({"a": [[], []]}, r"the same number of neighbours, not \[0\]"),
    ],
    ids=["a query too few", "rows of two lengths", "no neighbours"],
)
def test_neighbours_that_do_not_fit_the_queries_are_refused(
    found: dict[str, list[list[str]]], problem: str
) -> None:
    with pytest.raises(ConfigError, match=problem):
        compare_neighbours(["x", "y"], found)
