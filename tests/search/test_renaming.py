"""Names of variables: canonical letters, and every way to match them."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from equivec.expression.grammar import ELEMENTARY
from equivec.expression.text import parse
from equivec.search.renaming import canonical, names_in_order, names_of_letters, renamings
from support.trees import trees


@given(trees(), st.permutations(ELEMENTARY.variables))
def test_the_canonical_form_does_not_depend_on_the_names(tree, shuffled) -> None:
    names = dict(zip(ELEMENTARY.variables, shuffled, strict=True))
    assert canonical(tree.rename(names)) == canonical(tree)


@given(trees())
def test_the_first_renaming_is_the_canonical_one(tree) -> None:
    assert [tree.rename(next(renamings(tree)))] == canonical(tree)


@given(trees())
def test_a_renamed_query_fits_the_expression_it_was_matched_with(tree) -> None:
    letters = next(renamings(tree))
    assert names_of_letters(letters, names_in_order(tree)) == {name: name for name in letters}


@pytest.mark.parametrize("count", [0, 1, 2, 3, 4, 5])
def test_up_to_five_variables_are_tried_in_every_order(count: int) -> None:
    names = "pqabc"[:count]
    found = [tuple(each.values()) for each in renamings(parse("+".join(names) or "1"))]
    assert len(set(found)) == len(found)
    assert set(permutations("xyztu"[:count])) <= set(found)


def test_many_variables_are_tried_in_a_bounded_number_of_orders() -> None:
    found = list(renamings(parse("a+b+c+d+k+m+n+p+q")))
    assert len(found) == 120
    assert list(found[0].values()) == list("xyztuvwab")
