"""The SemVec datasets made anew: sizes, and the laws of an enumeration."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import product

import numpy as np
import pytest

from equivec.expression.tree import Node
from equivec.semvec.dataset import SEMVEC_SPECS, SemVecDataset, SemVecSpec, semvec_spec
from equivec.semvec.enumeration import enumerate_semvec

SIZES = {  # classes, expressions
    "Bool5": (95, 1_239),
    "Bool8": (232, 257_784),
    "Bool10": (256, 51_200),
    "BoolL5": (7_312, 36_050),
    "SimpBool8": (120, 39_048),
    "SimpBool10": (191, 26_304),
    "SimpBoolL5": (1_342, 10_050),
    "Poly5": (150, 516),
    "Poly8": (1_102, 11_451),
    "SimpPoly5": (47, 237),
    "SimpPoly8": (104, 3_477),
    "SimpPoly10": (195, 57_909),
    "oneV-Poly10": (83, 1_291),
    "oneV-Poly13": (677, 107_725),
}
SMALL = ("Bool5", "SimpBoolL5", "Poly5", "Poly8", "SimpPoly8", "oneV-Poly10")

enumerated = cache(enumerate_semvec)

every_dataset = pytest.mark.parametrize("spec", SEMVEC_SPECS, ids=lambda spec: spec.name)
small_datasets = pytest.mark.parametrize(
    "spec", [semvec_spec(name) for name in SMALL], ids=lambda spec: spec.name
)


def all_trees(spec: SemVecSpec, size: int) -> Iterator[Node]:
    """Every tree of a size, written down as one would by hand."""
    if size == 1:
        yield from map(Node, spec.variables)
        return
    for operator in spec.operators:
        if spec.grammar[operator].arity == 1:
            yield from (Node(operator, (child,)) for child in all_trees(spec, size - 1))
            continue
        for left in range(1, size - 1):
            pairs = product(all_trees(spec, left), all_trees(spec, size - 1 - left))
            yield from (Node(operator, pair) for pair in pairs)


Polynomial = dict[tuple[str, ...], int]  # the variables of a monomial, sorted, to its coefficient


def expand(tree: Node) -> Polynomial:
    """The coefficients of a polynomial, exactly."""
    if tree.is_leaf:
        return {(str(tree.symbol),): 1}
    left, right = map(expand, tree.arguments)
    if tree.symbol == "multiply":
        terms = [
            (tuple(sorted(m + n)), c * d) for (m, c), (n, d) in product(left.items(), right.items())
        ]
    else:
        sign = {"add": 1, "subtract": -1}[str(tree.symbol)]
        terms = [*left.items(), *((monomial, sign * c) for monomial, c in right.items())]
    total: Polynomial = {}
    for monomial, coefficient in terms:
        total[monomial] = total.get(monomial, 0) + coefficient
    return {monomial: c for monomial, c in total.items() if c}


def is_true(tree: Node, values: dict[str, bool]) -> bool:
    """The value of a Boolean tree under an assignment."""
    if tree.is_leaf:
        return values[str(tree.symbol)]
    truths = [is_true(argument, values) for argument in tree.arguments]
    return {
        "and": lambda: truths[0] and truths[1],
        "or": lambda: truths[0] or truths[1],
        "xor": lambda: truths[0] != truths[1],
        "implies": lambda: not truths[0] or truths[1],
        "not": lambda: not truths[0],
    }[str(tree.symbol)]()


def function_of(tree: Node, spec: SemVecSpec) -> object:
    """What makes two trees equal, found without arrays.

    A Boolean tree of at most five nodes has at most three variables, so that of the 1,024
    assignments to ten variables only those of the variables that matter are compared.
    """
    if spec.grammar.name == "polynomial":
        return frozenset(expand(tree).items())
    used = sorted(tree.variables)
    table = {
        values: is_true(tree, dict(zip(used, values, strict=True)))
        for values in product((False, True), repeat=len(used))
    }
    flips = [i for i in range(len(used)) if any(table[v] != table[_flip(v, i)] for v in table)]
    needed = tuple(used[i] for i in flips)
    return needed, frozenset(tuple(v[i] for i in flips) for v, truth in table.items() if truth)


def _flip(values: tuple[bool, ...], place: int) -> tuple[bool, ...]:
    return (*values[:place], not values[place], *values[place + 1 :])


def as_bytes(dataset: SemVecDataset) -> list[bytes]:
    return [expression.tobytes() for expression in dataset.expressions]


@every_dataset
def test_the_sizes_are_the_published_ones_exactly(spec: SemVecSpec) -> None:
    dataset = enumerated(spec)
    assert (dataset.class_count, len(dataset)) == SIZES[spec.name]


@every_dataset
def test_no_expression_stands_twice_and_classes_have_no_gaps(spec: SemVecSpec) -> None:
    dataset = enumerated(spec)
    assert len(set(as_bytes(dataset))) == len(dataset)
    assert dataset.class_sizes.min() >= 1


@every_dataset
def test_every_tree_is_within_its_size_and_symbols(spec: SemVecSpec) -> None:
    dataset = enumerated(spec)
    allowed = {*spec.operators, *spec.variables}
    for row in range(0, len(dataset), 1 + len(dataset) // 500):
        tree = dataset.tree(row)
        assert tree.size <= spec.largest_size, tree
        assert {node.symbol for node in tree.walk()} <= allowed, tree


@small_datasets
def test_the_trees_are_all_there_are(spec: SemVecSpec) -> None:
    dataset = enumerated(spec)
    trees = {dataset.tree(row) for row in range(len(dataset))}
    assert trees == {t for size in range(1, spec.largest_size + 1) for t in all_trees(spec, size)}


@small_datasets
def test_two_trees_share_a_class_where_they_are_one_function(spec: SemVecSpec) -> None:
    dataset = enumerated(spec)
    functions = [function_of(dataset.tree(row), spec) for row in range(len(dataset))]
    pairs = set(zip(dataset.class_ids.tolist(), functions, strict=True))
    assert len(pairs) == len(set(functions)) == dataset.class_count


@pytest.mark.parametrize("name", ["Bool10", "SimpBool10"])
def test_a_sample_is_of_one_function_a_class(name: str) -> None:
    dataset = enumerated(semvec_spec(name))
    assert dataset.class_sizes.max() == 200
    functions: dict[int, object] = {}
    for row in range(0, len(dataset), 13):
        function = function_of(dataset.tree(row), dataset.spec)
        assert functions.setdefault(int(dataset.class_ids[row]), function) == function


def test_a_class_smaller_than_the_sample_is_kept_whole() -> None:
    """Of SimpBool8 sampled at 200 a class nothing is lost but what large classes have over 200."""
    whole = enumerated(semvec_spec("SimpBool8"))
    row = whole.spec
    spec = SemVecSpec(
        row.name,
        row.file_name,
        row.grammar,
        row.operators,
        row.variable_count,
        row.largest_size,
        200,
    )
    sample = enumerate_semvec(spec)
    assert np.array_equal(sample.class_sizes, np.minimum(whole.class_sizes, 200))
    classes = dict(zip(as_bytes(whole), whole.class_ids.tolist(), strict=True))
    assert [classes[expression] for expression in as_bytes(sample)] == sample.class_ids.tolist()


def test_a_sample_is_uniform_over_its_class() -> None:
    """Drawn 400 times, each of a class's 21 expressions comes up about as often as another."""
    whole = enumerate_semvec(semvec_spec("Poly5"))
    spec = replace(whole.spec, sampled_per_class=4)
    largest = int(whole.class_sizes.argmax())
    counts = dict.fromkeys(np.flatnonzero(whole.class_ids == largest).tolist(), 0)
    place = {expression: i for i, expression in enumerate(as_bytes(whole))}
    for seed in range(400):
        sample = enumerate_semvec(spec, seed)
        for i in np.flatnonzero(sample.class_ids == largest):
            counts[place[sample.expressions[i].tobytes()]] += 1
    expected = 400 * 4 / len(counts)
    assert all(abs(count - expected) < 5 * expected**0.5 for count in counts.values()), counts


@pytest.mark.parametrize("name", ["SimpBool10", "Poly8"])
def test_the_same_seed_gives_the_same_bytes(name: str) -> None:
    spec = semvec_spec(name)
    first, again, other = (enumerate_semvec(spec, seed) for seed in (3, 3, 4))
    assert first.expressions.tobytes() == again.expressions.tobytes()
    assert first.class_ids.tobytes() == again.class_ids.tobytes()
    assert first.split_ids.tobytes() == again.split_ids.tobytes()
    assert first.split_ids.tobytes() != other.split_ids.tobytes()
