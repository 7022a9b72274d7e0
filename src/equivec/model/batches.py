"""Batches drawn from clusters of equivalent expressions on the device.

A batch needs no padding and no copy from the host: clusters, members, new names, mutants and
analogies are drawn where the network is. The seed and the step decide everything that is drawn.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from equivec.errors import ConfigError, require_at_least
from equivec.expression.grammar import ELEMENTARY
from equivec.expression.vocabulary import Vocabulary
from equivec.model.clusters import PARTS, WEIGHTINGS
from equivec.model.forms import PARTS_READ, Forms
from equivec.model.names import Names
from equivec.model.ragged import BLOCK, Ragged
from equivec.model.token_tables import (
    MUTANTS,
    NO_MUTANTS,
    alternatives,
    bits_of_members,
    operator_types,
    operators_on_variables,
    shortest_members,
    variable_bits,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from equivec.model.clusters import Clusters

START_ID, END_ID = 1, 2  # padding is 0: the first places of every vocabulary
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


@dataclass(frozen=True, slots=True, kw_only=True)
class SamplingConfig:
    """How pairs are drawn."""

    batch_size: int = 256  # of this process
    process: int = 0
    processes: int = 1
    seed: int = 42
    copies: bool = False  # the target is the source itself
    target_draws: int = 1  # members drawn for a target, of which the shortest is taken
    weighting: str = "pairs"  # of the clusters
    compares: bool = False  # targets are read as well, so that vectors can be compared
    mutants: str = NO_MUTANTS  # of the targets, read as well
    renamed_share: float = 0.0  # of the pairs, whose variables get other names
    lone_share: float = 0.0  # of the pairs, written from the state of a single place
    fixed_shapes: bool = False

    def __post_init__(self) -> None:
        require_at_least(2, batch_size=self.batch_size)
        if self.weighting not in WEIGHTINGS:
            known = ", ".join(WEIGHTINGS)
            raise ConfigError(f"{self.weighting!r} is not a weighting; choose from {known}")
        require_at_least(1, target_draws=self.target_draws)
        for name in ("renamed_share", "lone_share"):
            if not 0 <= getattr(self, name) <= 1:
                raise ConfigError(f"{name} must lie in [0, 1], not at {getattr(self, name)}")
        if self.mutants not in MUTANTS:
            known = ", ".join(MUTANTS)
            raise ConfigError(f"{self.mutants!r} is not a kind of mutants; choose from {known}")
        if self.mutates and not self.compares:
            raise ConfigError("mutants only matter where vectors are compared")

    @property
    def mutates(self) -> bool:
        """Whether there are mutants."""
        return self.mutants != NO_MUTANTS


class Sampler:
    """Draws batches from one or several sets of clusters, each with its share of the pairs."""

    def __init__(
        self,
        sets: Sequence[Clusters],
        shares: Sequence[float],
        config: SamplingConfig,
        device: torch.device,
        analogies: Clusters | None = None,
    ) -> None:
        self.config, self.device = config, device
        vocabulary = Vocabulary.of(ELEMENTARY)
        # Analogies come after all clusters, and are never drawn as such.
        everything = [*sets, analogies] if analogies else sets
        ids, lengths, sizes = (
            np.concatenate([getattr(part, name) for part in everything])
            for name in ("ids", "lengths", "sizes")
        )
        of_analogies = analogies.functions if analogies else np.zeros((0, PARTS))
        self.functions = self._numbers(np.concatenate([part.functions for part in sets]))
        self.analogy_functions = self._numbers(of_analogies)
        self.ids = torch.from_numpy(ids).to(device)
        self.lengths, self.sizes = self._numbers(lengths), self._numbers(sizes)
        self.starts, self.firsts = (each.cumsum(0) - each for each in (self.lengths, self.sizes))
        self.forms = Forms(self.functions, self.analogy_functions, self.firsts, self.sizes)
        chances = _chances([part.weights(config.weighting) for part in sets], shares)
        self.cumulative = torch.from_numpy(np.cumsum(chances) / chances.sum()).to(device)
        self.longest = int(lengths.max())
        self.spreads = self._length_spreads()
        token_types = operator_types(vocabulary)
        self.token_types = torch.from_numpy(token_types).to(device)
        is_on_variable = operators_on_variables(ids, vocabulary)
        self.is_on_variable = torch.from_numpy(is_on_variable).to(device)
        types = bits_of_members(token_types[ids] * is_on_variable, lengths)
        used = bits_of_members(variable_bits(vocabulary)[ids], lengths)
        shortest = shortest_members(lengths, sizes)
        self.names = Names(vocabulary, self._numbers(used[shortest]))
        self.types = self._numbers(types[shortest])
        of_parts = types[len(types) - of_analogies.size :]
        self.analogy_types = self._numbers(of_parts.reshape(-1, PARTS))
        self.alternatives = torch.tensor(alternatives(vocabulary, config.mutants), device=device)

    def _numbers(self, array: NDArray[Any]) -> Tensor:
        """Whole numbers on the device, those of 64 bits without a sign bit by bit."""
        return torch.from_numpy(array.astype(np.uint64).view(np.int64)).to(self.device)

    def draw(self, step: int) -> Batch:
        """This process's part of the batch of a step, which all processes draw alike."""
        config = self.config
        generator = torch.Generator(self.device).manual_seed(config.seed * 1_000_003 + step)
        count = config.batch_size * config.processes
        clusters, sources, targets = self._draw_pairs(generator, count)
        points = self._random(generator, count, 1 + len(self.names.variables))
        names = self.names.draw(points, config.renamed_share)
        points = self._random(generator, count, _TRIES + 1)
        analogies = self._draw_analogies(generator, config.batch_size // PAIRS_OF_AN_ANALOGY)
        wanted_count = (self.lengths[targets].sum() + len(targets)) / config.processes
        own = slice(config.process * config.batch_size, (config.process + 1) * config.batch_size)
        batch = self._batch(
            (clusters[own], sources[own], targets[own]), names[own], points[own], analogies
        )
        if config.lone_share:
            places = _lone_places(batch, self._random(generator, 2, count)[:, own], config)
            batch = batch._replace(memory_places=places)
        return batch._replace(wanted_count=wanted_count)

    def _draw_pairs(
        self, generator: torch.Generator, count: int
    ) -> tuple[Tensor, Tensor, Tensor]:  # clusters, sources, targets
        """Clusters by their pairs, two members of each."""
        config = self.config
        points = self._random(generator, 2 + config.target_draws, count)
        most = len(self.cumulative) - 1
        clusters = torch.searchsorted(self.cumulative, points[0]).clamp(max=most)
        sizes, firsts = self.sizes[clusters], self.firsts[clusters]
        source = (points[1] * sizes).long()
        if config.copies:
            return clusters, firsts + source, firsts + source
        steps = 1 + (points[2:] * (sizes - 1)).long()  # (draws, pairs)
        return clusters, firsts + source, self._shortest(firsts + (source + steps) % sizes)

    def _draw_analogies(self, generator: torch.Generator, count: int) -> tuple[Tensor, Tensor]:
        """This process's own analogies: their numbers, and their expressions, x1 of all first."""
        config = self.config
        if not len(self.analogy_functions):
            nothing = torch.zeros(0, dtype=torch.long, device=self.device)
            return nothing, nothing
        points = self._random(generator, config.processes, count)[config.process]
        analogies = (points * len(self.analogy_functions)).long()
        draws = (config.processes, count, PARTS, 2 + config.target_draws)
        points = self._random(generator, *draws)[config.process]
        drawn = self.forms.of_analogies(analogies, points.permute(2, 1, 0))
        points = self._random(generator, config.processes, count, 2)[config.process]
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
        count, config = len(clusters), self.config
        repeats = config.compares + config.mutates
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
        if config.mutates:
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
        if not self.config.fixed_shapes:
            return None
        pairs = self.config.batch_size
        mean = sum(times * spread[0] for times, spread in zip(repeats, self.spreads, strict=True))
        variance = sum(
            (times * spread[1]) ** 2 for times, spread in zip(repeats, self.spreads, strict=True)
        )
        wanted = pairs * (sum(repeats) * frame + mean) + 6 * math.sqrt(pairs * variance)
        return BLOCK * math.ceil(wanted / BLOCK)

    def _length_spreads(self) -> list[tuple[float, float]]:
        """Mean and deviation of the lengths of sources, of targets and of analogies' parts."""
        generator = torch.Generator(self.device).manual_seed(self.config.seed)
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


def _lone_places(batch: Batch, points: Tensor, config: SamplingConfig) -> Tensor:  # (places,)
    """Each place, but of some pairs' sources one place alone, start and end left out."""
    count = points.shape[1]
    starts = batch.layout.starts[: count + 1].long()
    inner = (starts.diff() - FRAME).clamp(min=1)
    chosen = (starts[:-1] + 1 + (points[0] * inner).long()).clamp(max=len(batch.tokens) - 1)
    is_lone = points[1] < config.lone_share
    owners = batch.layout.owners
    of_sources = owners.clamp(max=count - 1)
    is_chosen = (owners < count) & is_lone[of_sources]
    return torch.where(is_chosen, chosen[of_sources], batch.memory_places)


def _chances(
    weights: Sequence[NDArray[np.float64]], shares: Sequence[float]
) -> NDArray[np.float64]:  # (clusters of all sets,)
    """How often each cluster is drawn, by its weight in its set and by the set's share."""
    return np.concatenate(
        [share * each / each.sum() for each, share in zip(weights, shares, strict=True)]
    )
