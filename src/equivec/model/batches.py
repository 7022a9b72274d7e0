"""Batches drawn from clusters of equivalent expressions on the device.

A batch needs no padding and no copy from the host: clusters, members, new names, mutants and
analogies are drawn where the network is. The seed and the step decide everything that is drawn.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from equivec.expression.vocabulary import END_ID, START_ID, Vocabulary
from equivec.model.clusters import PARTS
from equivec.model.ragged import BLOCK, Ragged
from equivec.model.token_tables import (
    alternatives,
    bits_of_members,
    operator_types,
    operators_on_variables,
    shortest_members,
    variable_bits,
)
from equivec.model.variants import PARTS_READ, Forms, Names

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from equivec.expression.grammar import Grammar
    from equivec.model.clusters import Clusters
    from equivec.model.settings import ObjectiveConfig, TrainingConfig

FRAME = 2  # start and end
PAIRS_OF_AN_ANALOGY = 4  # so many pairs of a batch have one analogy beside them
_PROBES = 100_000  # pairs drawn to learn how long expressions are
_TRIES = 8  # places at which a mutant may differ from its target


class Batch(NamedTuple):
    """Expressions to read and expressions to write, as flat rows."""

    tokens: Tensor  # (places,): sources, then targets, mutants, analogies where they are compared
    layout: Ragged
    vector_layout: Ragged  # the expressions of `layout`, without what fills the row
    written: Tensor  # (places,): what the decoder has written so far
    wanted: Tensor  # (places,): what it is to write next
    written_layout: Ragged
    memory_layout: Ragged  # the sources alone, as many sequences as `written_layout` has
    memory_places: Tensor  # (places,): of the row that is read, whose state the decoder sees here
    wanted_count: Tensor  # (): wanted tokens of a process, the mean over all processes
    functions: Tensor  # (pairs,): a number for the function of each pair, of its new variables
    is_whole: Tensor  # (pairs,): false for the rare pair that the row has no place for
    is_mutated: Tensor  # (pairs,): whether the mutant of the target differs from it
    types: Tensor  # (pairs,): a number for the operator types of each cluster's function
    mutant_types: Tensor  # (pairs,): the same, or another where the mutation changed the type
    analogy_functions: Tensor  # (5, analogies): a number for the function of each expression
    analogy_types: Tensor  # (5, analogies): as `types`
    is_whole_analogy: Tensor  # (analogies,): as `is_whole`


@dataclass(eq=False, kw_only=True)
class ClusterSampler:
    """Draws batches from one or several sets of clusters, each with its share of the pairs.

    All expressions lie one after another, cluster after cluster and then those of analogies, which
    are never drawn as clusters.
    """

    objective: ObjectiveConfig
    training: TrainingConfig
    process: int  # of so many:
    processes: int
    ids: Tensor  # (tokens of all expressions,)
    lengths: Tensor  # (expressions,)
    sizes: Tensor  # (clusters and analogies,)
    functions: Tensor  # (clusters,)
    types: Tensor  # (clusters and analogies,): bits for the operators of the shortest member
    cumulative: Tensor  # (clusters,): the chances of all up to each
    analogy_functions: Tensor  # (analogies, 5)
    analogy_types: Tensor  # (analogies, 5)
    names: Names
    forms: Forms
    token_types: Tensor  # (tokens of the vocabulary,)
    is_on_variable: Tensor  # (tokens of all expressions,)
    alternatives: Tensor  # (tokens of the vocabulary, choices)
    longest: int  # tokens of an expression

    @classmethod
    def of(
        cls,
        sets: Sequence[Clusters],
        shares: Sequence[float],
        grammar: Grammar,
        objective: ObjectiveConfig,
        training: TrainingConfig,
        *,
        device: torch.device,
        analogies: Clusters | None = None,
        process: int = 0,
        processes: int = 1,
    ) -> ClusterSampler:
        """The sampler of clusters of a grammar, with all its tables on the device."""

        def numbers(array: NDArray[Any]) -> Tensor:
            """Whole numbers, those of 64 bits without a sign bit by bit."""
            return torch.from_numpy(array.astype(np.uint64).view(np.int64)).to(device)

        everything = [*sets, analogies] if analogies else sets
        ids, lengths, sizes = (
            np.concatenate([getattr(part, name) for part in everything])
            for name in ("ids", "lengths", "sizes")
        )
        of_analogies = analogies.functions if analogies else np.zeros((0, PARTS))
        functions = numbers(np.concatenate([part.functions for part in sets]))
        chances = _chances([part.weights(objective.weighting) for part in sets], shares)
        token_types, is_on_variable = operator_types(grammar), operators_on_variables(ids, grammar)
        types = bits_of_members(token_types[ids] * is_on_variable, lengths)
        used = bits_of_members(variable_bits(grammar)[ids], lengths)
        shortest = shortest_members(lengths, sizes)
        vocabulary = Vocabulary.of(grammar)
        variables = vocabulary.encode(grammar.variables)
        firsts = numbers(np.cumsum(sizes) - sizes)
        return cls(
            objective=objective,
            training=training,
            process=process,
            processes=processes,
            ids=torch.from_numpy(ids).to(device),
            lengths=numbers(lengths),
            sizes=numbers(sizes),
            functions=functions,
            types=numbers(types[shortest]),
            cumulative=torch.from_numpy(np.cumsum(chances) / chances.sum()).to(device),
            analogy_functions=numbers(of_analogies),
            analogy_types=numbers(types[len(types) - of_analogies.size :].reshape(-1, PARTS)),
            names=Names(len(vocabulary), variables, numbers(used[shortest])),
            forms=Forms(functions, numbers(of_analogies), firsts, numbers(sizes)),
            token_types=torch.from_numpy(token_types).to(device),
            is_on_variable=torch.from_numpy(is_on_variable).to(device),
            alternatives=torch.tensor(alternatives(grammar, objective.mutants), device=device),
            longest=int(lengths.max()),
        )

    def __post_init__(self) -> None:
        self.device = self.ids.device
        self.starts, self.firsts = (each.cumsum(0) - each for each in (self.lengths, self.sizes))

    def generators(self) -> Mapping[str, torch.Generator]:
        """None: the seed and the step decide everything that is drawn."""
        return {}

    def draw(self, step: int) -> Batch:
        """This process's part of the batch of a step, which all processes draw alike."""
        size, objective = self.training.batch_size, self.objective
        seed = self.training.seed * 1_000_003 + step
        generator = torch.Generator(self.device).manual_seed(seed)
        count = size * self.processes
        clusters, sources, targets = self._draw_pairs(generator, count)
        points = self._random(generator, count, 1 + len(self.names.variables))
        names = self.names.draw(points, objective.renamed_fraction)
        points = self._random(generator, count, _TRIES + 1)
        analogies = self._draw_analogies(generator, size // PAIRS_OF_AN_ANALOGY)
        wanted_count = (self.lengths[targets].sum() + len(targets)) / self.processes
        own = slice(self.process * size, (self.process + 1) * size)
        batch = self._batch(
            (clusters[own], sources[own], targets[own]), names[own], points[own], analogies
        )
        if fraction := objective.single_state_fraction:
            points = self._random(generator, 2, count)[:, own]
            batch = batch._replace(memory_places=_single_places(batch, points, fraction))
        return batch._replace(wanted_count=wanted_count)

    def _draw_pairs(
        self, generator: torch.Generator, count: int
    ) -> tuple[Tensor, Tensor, Tensor]:  # clusters, sources, targets
        """Clusters by their pairs, two members of each."""
        objective = self.objective
        points = self._random(generator, 2 + objective.target_draws, count)
        most = len(self.cumulative) - 1
        clusters = torch.searchsorted(self.cumulative, points[0]).clamp(max=most)
        sizes, firsts = self.sizes[clusters], self.firsts[clusters]
        source = (points[1] * sizes).long()
        if objective.copies:
            return clusters, firsts + source, firsts + source
        steps = 1 + (points[2:] * (sizes - 1)).long()  # (draws, pairs)
        return clusters, firsts + source, self._shortest(firsts + (source + steps) % sizes)

    def _draw_analogies(self, generator: torch.Generator, count: int) -> tuple[Tensor, Tensor]:
        """This process's own analogies: their numbers, and their expressions, x1 of all first."""
        processes, process = self.processes, self.process
        if not len(self.analogy_functions):
            nothing = torch.zeros(0, dtype=torch.long, device=self.device)
            return nothing, nothing
        points = self._random(generator, processes, count)[process]
        analogies = (points * len(self.analogy_functions)).long()
        draws = (processes, count, PARTS, 2 + self.objective.target_draws)
        points = self._random(generator, *draws)[process]
        drawn = self.forms.of_analogies(analogies, points.permute(2, 1, 0))
        points = self._random(generator, processes, count, 2)[process]
        forms = self.forms.of_answers(analogies, points.T)
        return analogies, torch.cat([self._shortest(drawn), forms[None]]).flatten()

    def _shortest(self, drawn: Tensor) -> Tensor:
        """Of several draws of expressions, the shortest of each place."""
        return drawn.gather(0, self.lengths[drawn].argmin(dim=0, keepdim=True))[0]

    def _batch(
        self,
        pairs: tuple[Tensor, Tensor, Tensor],
        names: Tensor,
        points: Tensor,
        of_analogies: tuple[Tensor, Tensor],
    ) -> Batch:
        (clusters, sources, targets), (analogies, expressions) = pairs, of_analogies
        count, objective = len(clusters), self.objective
        repeats = objective.compares + objective.mutates
        parts = [sources] + [targets] * repeats
        read, layout, is_read = self._row(
            torch.cat([*parts, expressions]), FRAME, (1, repeats, len(expressions) / count)
        )
        is_read, is_whole_analogy = is_read[: len(parts) * count], is_read[len(parts) * count :]
        functions = self.functions[clusters] + self.names.moves(clusters, names)
        # What belongs to no pair keeps its names.
        names = torch.cat([names, self.names.tokens[None]])
        owners = torch.where(layout.owners < len(is_read), layout.owners % count, count)
        tokens = names[owners, self._framed(read, layout)]
        types = mutant_types = self.types[clusters]
        is_mutated = torch.zeros(count, dtype=torch.bool, device=self.device)
        if objective.mutates:
            tokens, is_mutated, is_of_type = self._mutate(tokens, read, layout, points)
            mutant_types = torch.where(is_of_type, types, -1)
        written_ids, written_layout, is_written = self._row(targets, 1, (0, 1, 0))
        owners = written_layout.owners.clamp(max=count - 1)
        written = names[owners, self._framed(written_ids, written_layout)]
        wanted = names[owners, self._following(written_ids, written_layout)]
        is_whole = is_written & is_read.view(len(parts), count).all(dim=0)
        memory = _restricted(layout, count, len(written_layout.starts) - 1)
        return Batch(
            tokens=tokens,
            layout=layout,
            vector_layout=layout._replace(
                starts=layout.starts[: len(is_read) + len(expressions) + 1]
            ),
            written=written,
            wanted=wanted,
            written_layout=written_layout,
            memory_layout=memory,
            memory_places=torch.arange(len(tokens), device=self.device),
            wanted_count=written_layout.starts[count],
            functions=functions,
            is_whole=is_whole,
            is_mutated=is_mutated,
            types=types,
            mutant_types=mutant_types,
            analogy_functions=self.analogy_functions[analogies].T,
            analogy_types=self.analogy_types[analogies].T,
            is_whole_analogy=is_whole_analogy.view(PARTS_READ, -1).all(dim=0),
        )

    def _row(
        self, expressions: Tensor, frame: int, repeats: tuple[int, int, float]
    ) -> tuple[Tensor, Ragged, Tensor]:
        """A row with a frame around each expression, and which expressions it has room for."""
        lengths = self.lengths[expressions] + frame
        capacity = self._capacity(frame, repeats)
        fits = torch.ones_like(lengths, dtype=torch.bool)
        if capacity is not None:
            fits = lengths.cumsum(0) <= capacity
            lengths = lengths * fits
        layout = Ragged.of(lengths, self.longest + frame, capacity)
        owners = layout.owners.clamp(max=len(expressions) - 1)
        return expressions[owners], layout, fits

    def _capacity(self, frame: int, repeats: tuple[int, int, float]) -> int | None:
        """So many places that hardly ever an expression does not fit, in whole tiles.

        A row holds so many times the sources of a batch, its targets, and parts of analogies, of
        which there are so many to a pair.
        """
        if not self.training.is_compiled:
            return None
        pairs, spreads = self.training.batch_size, self._length_spreads
        mean = sum(times * spread[0] for times, spread in zip(repeats, spreads, strict=True))
        variance = sum(
            (times * spread[1]) ** 2 for times, spread in zip(repeats, spreads, strict=True)
        )
        wanted = pairs * (sum(repeats) * frame + mean) + 6 * math.sqrt(pairs * variance)
        return BLOCK * math.ceil(wanted / BLOCK)

    @cached_property
    def _length_spreads(self) -> list[tuple[float, float]]:
        """Mean and deviation of the lengths of sources, of targets and of analogies' parts."""
        generator = torch.Generator(self.device).manual_seed(self.training.seed)
        _, *expressions = self._draw_pairs(generator, _PROBES)
        _, of_analogies = self._draw_analogies(generator, _PROBES // PARTS)
        expressions.append(of_analogies if len(of_analogies) else expressions[0])
        lengths = [self.lengths[each].double() for each in expressions]
        return [(float(each.mean()), float(each.std())) for each in lengths]

    def _framed(self, expressions: Tensor, layout: Ragged) -> Tensor:
        """The token at each place: start, the expression's own, end."""
        offsets, lengths = layout.offsets, self.lengths[expressions]
        inner = (offsets - 1).clamp(min=0).minimum(lengths - 1)
        tokens = self.ids[self.starts[expressions] + inner].long()
        tokens = torch.where(offsets == 0, START_ID, tokens)
        return torch.where(offsets > lengths, END_ID, tokens)

    def _following(self, expressions: Tensor, layout: Ragged) -> Tensor:
        """The token after each place of a row that begins with start: the own ones, end."""
        lengths = self.lengths[expressions]
        inner = layout.offsets.minimum(lengths - 1)
        tokens = self.ids[self.starts[expressions] + inner].long()
        return torch.where(layout.offsets >= lengths, END_ID, tokens)

    def _mutate(
        self, tokens: Tensor, read: Tensor, layout: Ragged, points: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """One token of each expression of the third part replaced by another of its kind.

        Of some places that are tried the first is taken whose token has others of its kind. Given
        back: the tokens, for which expressions there was one, and where the type of the expression
        stays: the new token is of the same type, or stands on a constant.
        """
        count = len(points)
        starts = layout.starts[2 * count : 3 * count + 1].long()
        inner = (starts.diff() - FRAME).clamp(min=1)
        tried = starts[:-1, None] + 1 + (points[:, 1:] * inner[:, None]).long()
        tried = tried.clamp(max=len(tokens) - 1)
        choices = (points[:, :1] * self.alternatives.shape[1]).long()
        new = self.alternatives[tokens[tried], choices]  # (pairs, tries)
        is_other = new != tokens[tried]
        first = is_other.byte().argmax(dim=1, keepdim=True)
        places, chosen = tried.gather(1, first)[:, 0], new.gather(1, first)[:, 0]
        is_of_type = self.token_types[chosen] == self.token_types[tokens[places]]
        inner = (layout.offsets[places] - 1).clamp(min=0)
        is_of_type |= ~self.is_on_variable[self.starts[read[places]] + inner]
        return tokens.scatter(0, places, chosen), is_other.any(dim=1), is_of_type

    def _random(self, generator: torch.Generator, *shape: int) -> Tensor:
        return torch.rand(shape, dtype=torch.float64, device=self.device, generator=generator)


def _restricted(layout: Ragged, count: int, sequences: int) -> Ragged:
    """The first sequences of a layout, then as many more as it takes, of one place each.

    What fills the written row must look at something: attention to nothing is not a number.
    """
    more = torch.arange(1, sequences - count + 1, device=layout.starts.device, dtype=torch.int32)
    following = (layout.starts[count] + more).clamp(max=len(layout.owners))
    return layout._replace(starts=torch.cat([layout.starts[: count + 1], following]))


def _single_places(batch: Batch, points: Tensor, fraction: float) -> Tensor:  # (places,)
    """Each place, but of some pairs' sources one place alone, start and end left out."""
    count = points.shape[1]
    starts = batch.layout.starts[: count + 1].long()
    inner = (starts.diff() - FRAME).clamp(min=1)
    chosen = (starts[:-1] + 1 + (points[0] * inner).long()).clamp(max=len(batch.tokens) - 1)
    is_single = points[1] < fraction
    owners = batch.layout.owners
    of_sources = owners.clamp(max=count - 1)
    is_chosen = (owners < count) & is_single[of_sources]
    return torch.where(is_chosen, chosen[of_sources], batch.memory_places)


def _chances(
    weights: Sequence[NDArray[np.float64]], shares: Sequence[float]
) -> NDArray[np.float64]:  # (clusters of all sets,)
    """How often each cluster is drawn, by its weight in its set and by the set's share."""
    return np.concatenate(
        [share * each / each.sum() for each, share in zip(weights, shares, strict=True)]
    )
