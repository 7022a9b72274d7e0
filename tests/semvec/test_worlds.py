"""Networks of learned operators against states worked out tree by tree."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.nn import functional

from equivec.errors import FileFormatError
from equivec.expression.tree import Node
from equivec.semvec.dataset import SemVecDataset, semvec_spec
from equivec.semvec.subtrees import find_subtrees
from equivec.semvec.worlds import (
    LatentWorlds,
    arities_of,
    draw_worlds,
    embed_in_worlds,
    make_plan,
    scored_worlds,
)
from equivec.semvec.worlds_settings import WORLDS_CONFIGS, WorldsConfig
from support.semvec import enumerated

TINY = WorldsConfig(width=3, prototypes=2)
BOTH = [replace(config, width=3, prototypes=2) for config in WORLDS_CONFIGS]


def network_of(name: str, count: int = 1, config: WorldsConfig = TINY) -> LatentWorlds:
    network = LatentWorlds(config, semvec_spec(name), count)
    network.draw(torch.Generator().manual_seed(1))
    return network


def vectors_of(network: LatentWorlds, dataset: SemVecDataset, worlds: Tensor) -> Tensor:
    subtrees = find_subtrees(dataset.expressions, arities_of(dataset.spec))
    return network(network.parts(), make_plan(subtrees, dataset.spec), worlds)


def state_of(
    tree: Node, parts: dict[str, Tensor], world: dict[str, int], config: WorldsConfig
) -> Tensor:
    """A state by its definition, (networks, width)."""
    if not tree.arguments:
        return normalised(parts["prototypes"][:, :, world[tree.symbol]], config)
    first, *rest = (state_of(child, parts, world, config) for child in tree.arguments)
    inputs = torch.einsum("ni,nj->nij", first, rest[0]).flatten(1) if rest else first
    return normalised(torch.einsum("noi,ni->no", parts[tree.symbol], inputs), config)


def normalised(states: Tensor, config: WorldsConfig) -> Tensor:
    if config.states == "directions":
        return functional.normalize(states)
    return (2 * states).softmax(1)


@pytest.mark.parametrize("config", BOTH, ids=lambda config: config.states)
def test_a_vector_is_the_states_of_an_expression_in_all_worlds(config: WorldsConfig) -> None:
    dataset = enumerated(semvec_spec("Bool5"))
    network = network_of("Bool5", count=2, config=config)
    worlds = draw_worlds(3, TINY.prototypes, 4, torch.Generator().manual_seed(2))
    vectors = vectors_of(network, dataset, worlds)
    assert vectors.shape == (2, len(dataset), TINY.width * 4)
    for row in (0, 17, 700, len(dataset) - 1):
        choices = [dict(zip("abc", world.tolist(), strict=True)) for world in worlds.T]
        tree = dataset.tree(row)
        states = [state_of(tree, network.parts(), world, config) for world in choices]
        wanted = functional.normalize(torch.stack(states, dim=2).flatten(1), dim=1)
        torch.testing.assert_close(vectors[:, row], wanted, atol=1e-5, rtol=1e-4)


def test_a_vector_does_not_depend_on_its_batch() -> None:
    dataset = enumerated(semvec_spec("Poly5"))
    network = network_of("Poly5")
    rows = np.array([5, 100, 31])
    few = replace(dataset, expressions=dataset.expressions[rows])
    worlds = scored_worlds(3, 2)
    torch.testing.assert_close(
        vectors_of(network, few, worlds), vectors_of(network, dataset, worlds)[:, rows]
    )


def test_variables_are_alike_so_a_renaming_only_changes_places_with_the_worlds() -> None:
    dataset = enumerated(semvec_spec("Poly5"))
    network = network_of("Poly5")
    worlds = scored_worlds(3, 2)
    names = dataset.spec.grammar.tokens
    a, b = names.index("a"), names.index("b")
    renaming = np.arange(256, dtype=np.uint8)
    renaming[[a, b]] = b, a
    renamed = replace(dataset, expressions=renaming[dataset.expressions])
    torch.testing.assert_close(
        vectors_of(network, renamed, worlds), vectors_of(network, dataset, worlds[[1, 0, 2]])
    )


def test_operators_carry_over_to_a_dataset_with_other_operators_and_more_variables() -> None:
    network = network_of("Bool5")
    dataset = enumerated(semvec_spec("SimpBoolL5"))
    units = embed_in_worlds(network, dataset)
    torch.testing.assert_close(units.norm(dim=1), torch.ones(len(dataset)))


def test_few_worlds_are_all_scored_and_many_are_always_the_same() -> None:
    assert len(set(map(tuple, scored_worlds(3, 4).T.tolist()))) == 64
    assert torch.equal(scored_worlds(10, 8), scored_worlds(10, 8))


def test_a_network_read_from_its_arrays_gives_the_same_vectors() -> None:
    dataset = enumerated(semvec_spec("SimpPoly5"))
    chosen = network_of("SimpPoly5", count=3).select(2)
    again = LatentWorlds(TINY, dataset.spec, 1)
    again.load(chosen.arrays())
    assert torch.equal(embed_in_worlds(again, dataset), embed_in_worlds(chosen, dataset))
    assert all(array.dtype == np.float16 for array in chosen.arrays().values())


def test_arrays_of_another_shape_are_refused() -> None:
    network = network_of("SimpPoly5")
    with pytest.raises(FileFormatError, match=r"must have arrays of these shapes: \{'add': "):
        network.load(network_of("Poly5").arrays())
