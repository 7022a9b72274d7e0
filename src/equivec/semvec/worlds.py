"""LatentWorlds: learned operators, evaluated in worlds in which every variable has a learned state.

A state is a short vector: a distribution over a few nameless values, or a direction. A variable has
one of a few learned states, its prototypes; which one, is drawn at random: a world is a choice of a
prototype for each variable. An operator is a learned function from the states of its children to
its own, the same in all places and worlds:

    state(op(x, y)) = normalise(T_op (state(x) ⊗ state(y)))
    state(op(x)) = normalise(T_op state(x))

where `normalise` is softmax(2 ...), or division by the length. The vector of an expression is its
state in all worlds, side by side. No algebra is given: neither what an operator means nor which
laws it has. Given are the tree, and that all variables are alike.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from equivec.errors import FileFormatError
from equivec.semvec.subtrees import find_subtrees

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from equivec.semvec.dataset import SemVecDataset, SemVecSpec
    from equivec.semvec.files import Arrays
    from equivec.semvec.subtrees import Group, Subtrees
    from equivec.semvec.worlds_settings import WorldsConfig

MOST_WORLDS = 128  # in which expressions are evaluated for a score
_ROWS_AT_ONCE = 8_192


@dataclass(frozen=True, eq=False, slots=True)
class Application:
    """One operator, applied to many children at once."""

    symbol: str
    count: int


@dataclass(frozen=True, eq=False, slots=True)
class Level:
    """What is computed at once: all subtrees of one height."""

    applications: tuple[Application, ...]
    left: Tensor  # (subtrees,), places of first children among the states so far
    right: Tensor  # (subtrees under binary operators,)


@dataclass(frozen=True, eq=False, slots=True)
class Plan:
    """In which order the states of some expressions are computed."""

    variables: Tensor  # (leaves,), numbers of variables
    levels: tuple[Level, ...]
    roots: Tensor  # (rows,), places of the whole expressions


class LatentWorlds(nn.Module):
    """Networks of one shape, side by side: their values are rows of one matrix."""

    def __init__(self, config: WorldsConfig, spec: SemVecSpec, count: int) -> None:
        super().__init__()
        self.config, self.spec = config, spec
        self.arities = {name: spec.grammar[name].arity for name in spec.operators}
        self.shapes = _shapes(config, self.arities)
        length = sum(math.prod(shape) for shape in self.shapes.values())
        self.values = nn.Parameter(torch.zeros(count, length))

    def draw(self, generator: torch.Generator) -> None:
        """Draw values to begin with."""
        parts = [
            _SCALES.get(name, 1 / self.config.width)
            * torch.randn(len(self.values), math.prod(shape), generator=generator)
            for name, shape in self.shapes.items()
        ]
        with torch.no_grad():
            self.values.copy_(torch.cat(parts, dim=1))

    def parts(self) -> dict[str, Tensor]:  # (networks, *shape)
        """The values by name: an operator's, `prototypes` and `sharpness`."""
        sizes = [math.prod(shape) for shape in self.shapes.values()]
        pieces = torch.split(self.values, sizes, dim=1)
        return {
            name: piece.reshape(-1, *shape)
            for (name, shape), piece in zip(self.shapes.items(), pieces, strict=True)
        }

    def forward(
        self, parts: Mapping[str, Tensor], plan: Plan, worlds: Tensor
    ) -> Tensor:  # (networks, rows, width * worlds), unit vectors
        """The vectors of a plan's expressions in worlds, (variables, worlds) of prototypes."""
        prototypes = self._normalise(parts["prototypes"])
        states = prototypes[:, :, worlds[plan.variables]]  # (networks, width, subtrees, worlds)
        for level in plan.levels:
            states = torch.cat([states, self._evaluate(parts, level, states)], dim=2)
        rows = states.index_select(2, plan.roots).transpose(1, 2).flatten(2)
        return functional.normalize(rows, dim=2)

    def _evaluate(self, parts: Mapping[str, Tensor], level: Level, states: Tensor) -> Tensor:
        counts = [application.count for application in level.applications]
        is_binary = [self.arities[each.symbol] == 2 for each in level.applications]
        binary = [count for count, has_two in zip(counts, is_binary, strict=True) if has_two]
        lefts = torch.split(states.index_select(2, level.left), counts, dim=2)
        rights = iter(torch.split(states.index_select(2, level.right), binary, dim=2))
        computed = []
        for application, left, has_two in zip(level.applications, lefts, is_binary, strict=True):
            inputs = left.flatten(2)  # (networks, width, subtrees * worlds)
            if has_two:
                inputs = (inputs[:, :, None] * next(rights).flatten(2)[:, None]).flatten(1, 2)
            computed.append(parts[application.symbol] @ inputs)
        new = self._normalise(torch.cat(computed, dim=2))  # (networks, width, subtrees * worlds)
        return new.view(*states.shape[:2], -1, states.shape[3])

    def _normalise(self, states: Tensor) -> Tensor:
        """Over the values of a state, which are the second dimension."""
        if self.config.states == "distributions":
            return torch.softmax(2 * states, dim=1)
        return states * torch.rsqrt(states.square().sum(dim=1, keepdim=True) + 1e-6)

    def select(self, number: int) -> LatentWorlds:
        """One of the networks, its values rounded to the half precision that files have."""
        one = LatentWorlds(self.config, self.spec, 1)
        with torch.no_grad():
            one.values.copy_(self.values[number : number + 1].half())
        return one

    def arrays(self) -> Arrays:
        """The values of a single network for a file, in half precision."""
        return {name: part[0].detach().half().cpu().numpy() for name, part in self.parts().items()}

    def load(self, arrays: Arrays) -> None:
        """Take the values of a file for a single network."""
        if {name: array.shape for name, array in arrays.items()} != self.shapes:
            raise FileFormatError(
                f"a file of this network must have arrays of these shapes: {self.shapes}"
            )
        flat = [torch.from_numpy(arrays[name]).float().flatten() for name in self.shapes]
        with torch.no_grad():
            self.values.copy_(torch.cat(flat)[None])


_SCALES: Mapping[str, float] = {"prototypes": 1.0, "sharpness": 0.0}


def _shapes(config: WorldsConfig, arities: Mapping[str, int]) -> dict[str, tuple[int, ...]]:
    operators = {name: (config.width, config.width**arity) for name, arity in arities.items()}
    return {**operators, "prototypes": (config.width, config.prototypes), "sharpness": (1,)}


def make_plan(subtrees: Subtrees, spec: SemVecSpec, device: torch.device | str = "cpu") -> Plan:
    """The order in which the states of expressions are computed."""
    leaves, *levels = subtrees.levels()
    symbols = spec.grammar.symbols
    numbers = {name: number for number, name in enumerate(spec.grammar.variables)}
    variables = [numbers[symbols[leaf.symbol].name] for leaf in leaves for _ in range(leaf.count)]
    return Plan(
        torch.tensor(variables, device=device),
        tuple(_level(level, spec, device) for level in levels),
        torch.from_numpy(subtrees.roots).to(device),
    )


def _level(groups: Sequence[Group], spec: SemVecSpec, device: torch.device | str) -> Level:
    left, right = (
        torch.from_numpy(np.concatenate(parts)).to(device)
        for parts in ([group.left for group in groups], [group.right for group in groups])
    )
    names = [spec.grammar.symbols[group.symbol].name for group in groups]
    applications = zip(names, (group.count for group in groups), strict=True)
    return Level(tuple(Application(name, count) for name, count in applications), left, right)


def draw_worlds(
    variables: int, prototypes: int, count: int, generator: torch.Generator
) -> Tensor:  # (variables, worlds)
    """Worlds drawn for a training step: the number of a prototype for every variable."""
    return torch.randint(prototypes, (variables, count), generator=generator)


def scored_worlds(variables: int, prototypes: int) -> Tensor:  # (variables, worlds)
    """The worlds in which expressions are scored: all, or 128 that are always the same.

    >>> scored_worlds(1, 3).tolist()
    [[0, 1, 2]]
    >>> scored_worlds(10, 8).shape
    torch.Size([10, 128])
    """
    if prototypes**variables <= MOST_WORLDS:
        return torch.tensor(list(product(range(prototypes), repeat=variables))).T
    generator = torch.Generator().manual_seed(0)
    return draw_worlds(variables, prototypes, MOST_WORLDS, generator)


def embed_in_worlds(
    network: LatentWorlds, dataset: SemVecDataset
) -> Tensor:  # (rows, width * worlds), unit vectors
    """The vectors of all expressions of a dataset by a single network."""
    device = network.values.device
    subtrees = find_subtrees(dataset.expressions, arities_of(dataset.spec))
    worlds = scored_worlds(dataset.spec.variable_count, network.config.prototypes).to(device)
    with torch.no_grad():
        parts = network.parts()
        return torch.cat(
            [
                network(parts, make_plan(subtrees.of_rows(rows), dataset.spec, device), worlds)[0]
                for rows in _blocks(len(dataset))
            ]
        )


def _blocks(count: int) -> Iterator[np.ndarray[tuple[int], np.dtype[np.int64]]]:
    for start in range(0, count, _ROWS_AT_ONCE):
        yield np.arange(start, min(count, start + _ROWS_AT_ONCE))


def arities_of(spec: SemVecSpec) -> list[int]:
    """How many children each symbol of a dataset's grammar has."""
    return [symbol.arity for symbol in spec.grammar.symbols]
