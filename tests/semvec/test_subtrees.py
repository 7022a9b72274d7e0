"""Distinct subtrees against trees built by the parser."""

import numpy as np
import pytest

from equivec.expression.prefix import write_prefix
from equivec.expression.tree import Node
from equivec.semvec.dataset import SemVecDataset, semvec_spec
from equivec.semvec.subtrees import NONE, Subtrees, find_subtrees
from equivec.semvec.worlds import arities_of
from support.semvec import enumerated


def subtrees_of(tree: Node) -> set[str]:
    return {write_prefix(tree)}.union(*map(subtrees_of, tree.arguments))


def spelled(subtrees: Subtrees, dataset: SemVecDataset) -> list[str]:
    """Every subtree as text, children before parents."""
    names, texts = dataset.spec.grammar.tokens, []
    for symbol, children in zip(subtrees.symbols, subtrees.children, strict=True):
        texts.append(" ".join([names[symbol], *(texts[c] for c in children if c != NONE)]))
    return texts


@pytest.mark.parametrize("name", ["SimpPoly5", "Bool5"])
def test_all_subtrees_are_found_once_and_children_come_first(name: str) -> None:
    dataset = enumerated(semvec_spec(name))
    subtrees = find_subtrees(dataset.expressions, arities_of(dataset.spec))
    texts = spelled(subtrees, dataset)
    trees = [dataset.tree(row) for row in range(len(dataset))]
    assert len(texts) == len(set(texts))
    assert set(texts) == set().union(*map(subtrees_of, trees))
    assert [texts[root] for root in subtrees.roots] == list(map(write_prefix, trees))
    assert subtrees.heights.tolist() == sorted(subtrees.heights.tolist())


def test_the_subtrees_of_some_rows_are_those_found_from_them_alone() -> None:
    dataset = enumerated(semvec_spec("Bool5"))
    rows = np.array([900, 3, 41])
    arities = arities_of(dataset.spec)
    some = find_subtrees(dataset.expressions, arities).of_rows(rows)
    alone = find_subtrees(dataset.expressions[rows], arities)
    assert spelled(some, dataset) == spelled(alone, dataset)
    np.testing.assert_array_equal(some.places, alone.places)


def test_levels_group_by_height_and_symbol_and_know_their_children() -> None:
    dataset = enumerated(semvec_spec("Bool5"))
    subtrees = find_subtrees(dataset.expressions, arities_of(dataset.spec))
    levels = list(subtrees.levels())
    assert [{group.symbol for group in level} for level in levels[:1]] == [{7, 8, 9}], "a, b, c"
    assert sum(group.count for level in levels for group in level) == len(subtrees.symbols)
    for level in levels[1:]:
        assert all(len(group.left) == group.count for group in level)
        arities = [dataset.spec.grammar.symbols[group.symbol].arity for group in level]
        wanted = [g.count if arity == 2 else 0 for g, arity in zip(level, arities, strict=True)]
        assert [len(group.right) for group in level] == wanted
