"""Batches: pairs of one cluster, by the paper's weights, the same for the same step."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from equivec.expression.grammar import ELEMENTARY
from equivec.expression.prefix import parse_prefix, write_tokens
from equivec.model.clusters import Clusters
from equivec.model.token_tables import operators_on_variables
from equivec.model.variants import OTHER_FORMS
from support.models import (
    EQUIVALENTS,
    VOCABULARY,
    ids_of,
    sampler_of,
    tiny_analogies,
    tiny_clusters,
)
from support.trees import trees

if TYPE_CHECKING:
    from equivec.expression.tree import Node
    from equivec.model.batches import Batch, ClusterSampler

CLUSTER_OF = {
    tuple(ids_of(text)): number for number, texts in enumerate(EQUIVALENTS) for text in texts
}

# Of the expressions of clusters and of analogies.
FUNCTION_OF = CLUSTER_OF | {
    tuple(member.tolist()): number
    for data in [tiny_analogies()]
    for member, number in zip(
        np.split(data.ids, np.cumsum(data.lengths)[:-1]),
        data.functions.flatten().tolist(),
        strict=True,
    )
}


def read(batch: Batch, part: int) -> list[tuple[int, ...]]:
    """The expressions of the sources (0), targets (1) or mutants (2), without their frames."""
    count, starts = len(batch.functions), batch.layout.starts.tolist()
    places = range(part * count, (part + 1) * count)
    return [tuple(batch.tokens[starts[i] + 1 : starts[i + 1] - 1].tolist()) for i in places]


def wanted(batch: Batch) -> list[tuple[int, ...]]:
    starts = batch.written_layout.starts.tolist()
    ends = pairwise(starts[: len(batch.functions) + 1])
    return [tuple(batch.wanted[a : b - 1].tolist()) for a, b in ends]


@pytest.mark.parametrize("fixed_shapes", [False, True])
def test_source_and_target_are_two_members_of_the_named_cluster(fixed_shapes: bool) -> None:
    draws = sampler_of(contrast=1.0, is_compiled=fixed_shapes)
    for step in range(20):
        batch = draws.draw(step)
        assert batch.is_whole.all()
        for source, target, written, cluster in zip(
            read(batch, 0), read(batch, 1), wanted(batch), batch.functions.tolist(), strict=True
        ):
            assert CLUSTER_OF[source] == CLUSTER_OF[target] == cluster
            assert source != target == written


def test_whatever_is_written_has_something_to_look_at() -> None:
    # Attention to an empty memory is not a number, and one such place spoils all gradients.
    for compares in (False, True):
        draws = sampler_of(contrast=float(compares), is_compiled=True, batch_size=64)
        for step in range(20):
            batch = draws.draw(step)
            written, memory = batch.written_layout.starts.diff(), batch.memory_layout.starts.diff()
            assert len(written) == len(memory) > 64
            assert (memory[written > 0] > 0).all()
            assert int(batch.memory_layout.starts[-1]) <= len(batch.tokens)


def test_a_structural_batch_copies() -> None:
    batch = sampler_of(setting="structural").draw(0)
    assert read(batch, 0) == wanted(batch)


def test_pairs_are_drawn_evenly() -> None:
    draws = sampler_of()
    pairs: Counter[tuple[tuple[int, ...], ...]] = Counter()
    for step in range(400):
        batch = draws.draw(step)
        pairs.update(zip(read(batch, 0), wanted(batch), strict=True))
    possible = sum(len(texts) * (len(texts) - 1) for texts in EQUIVALENTS)
    assert len(pairs) == possible
    expected = 400 * 16 / possible
    assert all(0.7 * expected < count < 1.3 * expected for count in pairs.values())


def test_the_shortest_of_many_drawn_equivalents_is_written() -> None:
    batch = sampler_of(target_draws=60).draw(0)
    for source, target in zip(read(batch, 0), wanted(batch), strict=True):
        others = [ids for ids in CLUSTER_OF if CLUSTER_OF[ids] == CLUSTER_OF[source]]
        assert target != source
        assert len(target) == min(len(ids) for ids in others if ids != source)


@pytest.mark.parametrize("mutants", ["operators", "all"])
def test_mutants_are_valid_and_differ_in_one_token(mutants: str) -> None:
    batch = sampler_of(contrast=1.0, mutants=mutants).draw(3)
    for target, mutant, is_mutated in zip(
        read(batch, 1), read(batch, 2), batch.is_mutated.tolist(), strict=True
    ):
        parse_prefix(" ".join(VOCABULARY.decode(mutant)))
        changed = [VOCABULARY.decode([a])[0] for a, b in zip(target, mutant, strict=True) if a != b]
        assert len(changed) == is_mutated
        assert mutants == "all" or not any(token.isdigit() for token in changed)
    assert float(batch.is_mutated.float().mean()) > 0.8


def test_the_types_of_a_function_are_those_of_its_shortest_form() -> None:
    trigonometric, hyperbolic, exponential = 1, 2, 4
    texts = [["(exp(x) - exp(-x))/2", "sinh(x)"], ["tan(x)", "sin(x)/cos(x)"], ["x + x", "2*x"]]
    texts.append(["ln(sin(x)**2)", "2*ln(sin(x))"])
    data = Clusters.of([[ids_of(text) for text in cluster] for cluster in texts])
    drawn = sampler_of(data)
    assert drawn.types.tolist() == [hyperbolic, trigonometric, 0, trigonometric | exponential]


def test_operators_on_constants_are_of_no_type() -> None:
    """In the paper sinh(x*cos(2)) is hyperbolic."""
    trigonometric, hyperbolic = 1, 2
    texts = [["sinh(x*cos(2))", "sinh(cos(2)*x)"], ["x*tan(1)", "tan(1)*x"], ["x*sin(y)"] * 2]
    data = Clusters.of([[ids_of(text) for text in cluster] for cluster in texts])
    drawn = sampler_of(data)
    assert drawn.types.tolist() == [hyperbolic, 0, trigonometric]


@given(st.lists(trees(), min_size=1, max_size=4))
def test_operators_on_variables_are_those_whose_subtree_has_one(drawn: list[Node]) -> None:
    nodes = [node for tree in drawn for node in tree.walk()]
    tokens = [write_tokens(node) if node.is_leaf else [str(node.symbol)] for node in nodes]
    expected = [
        bool(node.arguments and node.variables)
        for node, own in zip(nodes, tokens, strict=True)
        for _ in own
    ]
    ids = VOCABULARY.encode(token for own in tokens for token in own)
    found = operators_on_variables(np.array(ids, np.uint8), ELEMENTARY)
    assert found.tolist() == expected


def test_a_mutant_is_of_another_type_where_the_new_token_is() -> None:
    drawn = sampler_of(contrast=1.0, mutants="operators", batch_size=64)
    batch = drawn.draw(3)
    keeps_type = batch.types == batch.mutant_types
    for target, mutant, is_kept in zip(
        read(batch, 1), read(batch, 2), keeps_type.tolist(), strict=True
    ):
        types = [drawn.token_types[list(ids)].tolist() for ids in (target, mutant)]
        assert (types[0] == types[1]) == is_kept
    assert 0 < float(keeps_type.float().mean()) < 1


def test_a_mutant_keeps_its_type_where_the_new_token_stands_on_a_constant() -> None:
    data = Clusters.of([[ids_of("x + sin(2)"), ids_of("sin(2) + x")]])
    batch = sampler_of(data, batch_size=64, contrast=1.0, mutants="operators").draw(3)
    assert (batch.types == batch.mutant_types).all()
    sine = VOCABULARY.ids["sin"]
    assert {sine in mutant for mutant in read(batch, 2)} == {False, True}


def test_both_sides_of_a_pair_get_the_same_new_names() -> None:
    batch = sampler_of(contrast=1.0, renamed_fraction=1.0).draw(0)
    texts = [[" ".join(VOCABULARY.decode(ids)) for ids in read(batch, part)] for part in (0, 1)]
    names = [[parse_prefix(text).variables for text in part] for part in texts]
    assert names[0] == names[1]
    assert len(set(names[0])) > 4


def test_a_function_of_other_variables_is_another() -> None:
    """tan(y) is no form of tan(x), wherever the variables went that are not in it."""
    one = Clusters.of([[ids_of("tan(x)"), ids_of("1/cot(x)")]])
    batch = sampler_of(one, batch_size=400, contrast=1.0, renamed_fraction=0.5).draw(0)
    variables = [VOCABULARY.decode(ids)[-1] for ids in read(batch, 0)]
    numbers = dict(zip(variables, batch.functions.tolist(), strict=True))
    assert [numbers[name] for name in variables] == batch.functions.tolist()
    assert len(set(numbers.values())) == len(numbers) == 16
    assert numbers["x"] == 0


def test_the_step_decides_the_batch_and_processes_share_it() -> None:
    whole = sampler_of(batch_size=8).draw(5)
    parts = [sampler_of(batch_size=4, process=p, processes=2).draw(5) for p in (0, 1)]
    assert read(whole, 0) == [*read(parts[0], 0), *read(parts[1], 0)]
    assert float(parts[0].wanted_count) * 2 == float(whole.wanted_count)
    assert read(whole, 0) != read(sampler_of(batch_size=8).draw(6), 0)


def seen_by_decoder(batch: Batch) -> list[list[int]]:
    """For each source, which of its places the decoder sees in the place of each."""
    starts, places = batch.layout.starts.tolist(), batch.memory_places.tolist()
    bounds = pairwise(starts[: len(batch.functions) + 1])
    return [[place - first for place in places[first:end]] for first, end in bounds]


def test_of_some_sources_a_single_inner_place_is_seen() -> None:
    batch = sampler_of(batch_size=400, single_state_fraction=0.25).draw(0)
    whole, single = [], []
    for seen in seen_by_decoder(batch):
        (whole if seen == list(range(len(seen))) else single).append(seen)
    assert len(single) == pytest.approx(100, abs=25)
    for seen in single:
        assert len(set(seen)) == 1
        assert 0 < seen[0] < len(seen) - 1
    assert len({seen[0] for seen in single}) > 3
    plain = sampler_of(batch_size=400).draw(0)
    assert torch.equal(plain.tokens, batch.tokens)
    assert torch.equal(plain.written, batch.written)


@pytest.mark.parametrize("fixed_shapes", [False, True])
def test_what_is_no_source_is_seen_whole(fixed_shapes: bool) -> None:
    batch = sampler_of(contrast=1.0, single_state_fraction=1.0, is_compiled=fixed_shapes).draw(0)
    after = int(batch.layout.starts[len(batch.functions)])
    rest = torch.arange(after, len(batch.tokens))
    assert torch.equal(batch.memory_places[after:], rest)


def test_processes_share_which_sources_are_seen_in_part() -> None:
    whole = sampler_of(batch_size=8, single_state_fraction=0.5).draw(5)
    parts = [
        sampler_of(batch_size=4, process=p, processes=2, single_state_fraction=0.5) for p in (0, 1)
    ]
    assert seen_by_decoder(whole) == [
        seen for part in parts for seen in seen_by_decoder(part.draw(5))
    ]


def with_analogies(**changes: object) -> ClusterSampler:
    settings = {"contrast": 1.0, "mutants": "all", **changes}
    return sampler_of(analogies=tiny_analogies(), **settings)  # type: ignore[arg-type]


PART_NAMES = ("x1", "y1", "y2", "x2", "rival")


def parts_of(batch: Batch, first: int, count: int) -> list[tuple[int, ...]]:
    """So many parts of all analogies of a batch, from one part on."""
    starts, analogies = batch.layout.starts.tolist(), batch.analogy_functions.shape[1]
    begin = 3 * len(batch.functions) + first * analogies
    places = range(begin, begin + count * analogies)
    return [tuple(batch.tokens[starts[i] + 1 : starts[i + 1] - 1].tolist()) for i in places]


def analogies_of(batch: Batch) -> list[tuple[tuple[int, ...], ...]]:
    """x1, y1, y2, x2 and the rival of each analogy of a batch."""
    rows, count = parts_of(batch, 0, len(PART_NAMES)), batch.analogy_functions.shape[1]
    return [tuple(rows[number::count]) for number in range(count)]


@pytest.mark.parametrize("fixed_shapes", [False, True])
def test_analogies_are_read_beside_pairs_and_change_nothing_of_them(fixed_shapes: bool) -> None:
    plain = sampler_of(contrast=1.0, mutants="all", renamed_fraction=0.5)
    draws = with_analogies(renamed_fraction=0.5, is_compiled=fixed_shapes)
    for step in range(10):
        alone, batch = plain.draw(step), draws.draw(step)
        assert all(read(alone, part) == read(batch, part) for part in range(3))
        assert wanted(alone) == wanted(batch)
        assert batch.is_whole_analogy.all()
        found = analogies_of(batch)
        assert len(found) == 4, "one for four pairs"
        functions = [[FUNCTION_OF[each] for each in row] for row in found]
        assert functions == batch.analogy_functions.T.tolist()


def given_and_sought(functions: list[int]) -> tuple[list[tuple[tuple[int, ...], ...]], set[object]]:
    """How the analogy of these functions is drawn: x1, y1 and y2 each time, and all x2."""
    draws = with_analogies()
    batches = [draws.draw(step) for step in range(300)]
    rows = [
        row
        for batch in batches
        for row, found in zip(analogies_of(batch), batch.analogy_functions.T.tolist(), strict=True)
        if found == functions
    ]
    return [row[:3] for row in rows], {row[3] for row in rows}


def test_what_an_analogy_gives_stands_in_other_forms_too_but_not_what_it_seeks() -> None:
    given, sought = given_and_sought([15, 11, 1, 2, 16])
    assert {row[:2] for row in given} == {(tuple(ids_of("exp(x)")), tuple(ids_of("x")))}
    assert sought == {tuple(ids_of("exp(2*x)"))}
    written = Counter(y2 for *_, y2 in given)
    assert set(written) == {tuple(ids_of(text)) for text in ("2*x", "x + x", "4*x/2")}
    share = written[tuple(ids_of("2*x"))] / written.total()
    assert abs(share - (1 - OTHER_FORMS * 2 / 3)) < 0.1, "itself is one of three forms"


def test_an_analogy_of_writing_is_written_as_it_is() -> None:
    given, sought = given_and_sought([2, 2, 1, 1, 17])
    assert set(given) == {tuple(tuple(ids_of(text)) for text in ("exp(2*x)", "exp(x)**2", "x + x"))}
    assert sought == {tuple(ids_of("2*x"))}


def test_beside_what_is_sought_stands_a_form_of_it() -> None:
    """Of 2*x any that the clusters have; cos(3*y), of which they have none, itself."""
    draws, found = with_analogies(), set()
    for batch in map(draws.draw, range(100)):
        numbers = batch.analogy_functions[3].tolist()
        found |= set(zip(numbers, parts_of(batch, len(PART_NAMES), 1), strict=True))
    forms = {(1, "2*x"), (1, "x + x"), (1, "4*x/2"), (2, "exp(2*x)"), (2, "exp(x)**2")}
    alone = {(13, "sin(ln(x))"), (22, "cos(3*y)")}
    assert found == {(function, tuple(ids_of(text))) for function, text in forms | alone}


def test_processes_share_the_analogies_of_a_step() -> None:
    whole = with_analogies(batch_size=16).draw(5)
    parts = [with_analogies(batch_size=8, process=p, processes=2).draw(5) for p in (0, 1)]
    assert analogies_of(whole) == [*analogies_of(parts[0]), *analogies_of(parts[1])]
    forms, *others = (parts_of(batch, len(PART_NAMES), 1) for batch in (whole, *parts))
    assert forms == [*others[0], *others[1]]


def test_several_sets_keep_their_shares() -> None:
    one, two = tiny_clusters(), Clusters.of([[ids_of("cot(x)"), ids_of("1/tan(x)")]], [99])
    draws = sampler_of(one, two, shares=[0.75, 0.25], batch_size=64)
    functions = torch.cat([draws.draw(step).functions for step in range(50)])
    assert abs(float((functions == 99).float().mean()) - 0.25) < 0.03


def test_a_function_has_one_number_in_all_sets() -> None:
    """Else forms of one function from two sets would be pushed apart."""
    one = Clusters.of([[ids_of("tan(x)"), ids_of("1/cot(x)")]], [2**64 - 1])
    draws = sampler_of(one, one, batch_size=64)
    assert len(draws.draw(0).functions.unique()) == 1
