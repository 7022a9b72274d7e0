"""Trees: frozen, compared by structure, cheap to hash, checked by sorts."""

from __future__ import annotations

import pickle

import pytest

from equivec.errors import ConversionError, LimitError, SortError
from equivec.language.binding import free_variables, side_conditions
from equivec.language.infix_reader import read_infix
from equivec.language.latex_reader import read_latex
from equivec.language.latex_writer import write_latex
from equivec.language.layers import ELEMENTARY, LAYERS, RELATIONS, SIGNATURE
from equivec.language.operators import Signature, compose
from equivec.language.tree import Apply, Number, Opaque, Variable

X, Y, K, N = (Variable(name) for name in "xykn")


def test_python_operators_and_calls_build_trees() -> None:
    assert str((X + 1) ** 2 / -Y - abs(X) * 3) == "(x + 1)^2/(-y) - abs(x)*3"
    assert str(Variable("f")(X, 2) <= Y) == "f(x, 2) <= y"
    assert (X + 1)._repr_latex_() == "$x + 1$"
    assert repr(X + 1) == "Apply(x + 1)"


def test_a_truth_cannot_stand_where_a_number_must() -> None:
    with pytest.raises(
        SortError, match=r"^'sin' takes a number or a matrix as argument 1, not a tr"
    ):
        SIGNATURE["sin"](X < 1)
    with pytest.raises(ConversionError, match=r"^'div' takes 2 arguments, not 1$"):
        SIGNATURE["div"](X)


def test_trees_do_not_change() -> None:
    with pytest.raises(AttributeError, match="trees do not change"):
        X.base = "y"


def test_equal_trees_are_equal_however_they_were_made_and_survive_pickling() -> None:
    first, second = read_latex(r"\frac{x_1}{2} + f(y)"), read_infix("x_1/2 + f(y)")
    assert first == second
    assert hash(first) == hash(second)
    assert pickle.loads(pickle.dumps(first)) == first


def test_a_tree_of_any_depth_is_built_compared_and_walked_but_not_written() -> None:
    def tower() -> Apply:
        tree = -X
        for _ in range(50_000):
            tree = -tree
        return tree

    first, second = tower(), tower()
    assert first == second
    assert (first.size, first.depth, len(list(first.walk()))) == (50_002, 50_002, 50_002)
    with pytest.raises(LimitError, match="50,002 nodes"):
        str(first)


def test_bound_names_are_not_free_and_may_be_renamed() -> None:
    tree = read_latex(r"\sum_{k=1}^n k x")
    assert free_variables(tree) == {N, X}
    assert tree.alpha_equal(read_latex(r"\sum_{j=1}^n j x"))
    assert not tree.alpha_equal(read_latex(r"\sum_{x=1}^n x x"))
    assert read_latex(r"\int_0^1 t^2\,dt").alpha_equal(read_latex(r"\int_0^1 s^2\,ds"))


def test_substitution_captures_nothing() -> None:
    tree = read_latex(r"\sum_{k=1}^n k x")
    replaced = tree.substitute({X: K + 1})
    assert free_variables(replaced) == {N, K}
    assert replaced.alpha_equal(read_latex(r"\sum_{j=1}^n j (k + 1)"))
    assert tree.substitute({K: Number(3)}) == tree


def test_an_index_is_replaced_in_a_subscript() -> None:
    assert read_latex("x_k").substitute({K: Number(3)}) == read_latex("x_3")


def test_the_hundredth_variable_is_like_the_first() -> None:
    names = [Variable(f"v{index}") for index in range(100)]
    tree = names[0] + names[1]
    for name in names[2:]:
        tree = tree + name
    assert len(tree.free_variables) == 100
    assert read_infix(str(tree)) == tree


def test_side_conditions_are_told_from_the_formula() -> None:
    formula, conditions = side_conditions(read_latex(r"x^2 \ge 0, x \in \mathbb{R}"))
    assert (str(formula), [str(one) for one in conditions]) == ("x^2 >= 0", ["x in bb.R"])
    formula, conditions = side_conditions(read_latex(r"a_n = 1 \quad (n \ge 1)"))
    assert [str(one) for one in conditions] == ["n >= 1"]


def test_every_layer_stands_alone_and_all_compose() -> None:
    assert compose("all", LAYERS).by_name.keys() == SIGNATURE.by_name.keys()
    with pytest.raises(ConversionError, match="'lt' is not an operator of elementary"):
        ELEMENTARY.check(X < 1)
    assert (ELEMENTARY + RELATIONS).check(X < 1) == (X < 1)


def test_a_signature_suggests_the_nearest_name() -> None:
    with pytest.raises(ConversionError, match="did you mean 'cosh'"):
        Signature("small", ELEMENTARY.operators)["coshh"]


def test_metavariables_of_rules_are_names_of_their_own() -> None:
    tree = read_infix("?a + a")
    assert [name.is_metavariable for name in tree.arguments] == [True, False]
    assert read_infix(str(tree)) == tree


def test_opaque_parts_are_found_in_scripts_too() -> None:
    tree = read_latex(r"x_{\foo{y}} + 1", on_unknown="keep")
    assert [part.text for part in tree.opaque_parts] == [r"\foo{y}"]
    assert write_latex(Opaque(r"\foo{y}")) == r"\foo{y}"
