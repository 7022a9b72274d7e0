"""Expressions written per second: ours beside a straightforward decoder.

The alternative works as the authors' code does: it keeps the inputs of every decoder layer and
projects all of them again in each step, keeps finished items in the batch until all are finished,
and sorts hypotheses beam by beam in Python. Same weights, same inputs, batches of 32, two threads.
Ours writes only valid expressions, the alternative any tokens, which is less work.
"""

from __future__ import annotations

import math
import random
from functools import partial
from typing import TYPE_CHECKING

import torch
from torch import Tensor
from torch.nn import functional

from benchmarks.timing import Row, duel
from benchmarks.work import sample_trees
from equivec.embed.decoding import search
from equivec.embed.runtime import Runtime, model_folder
from equivec.errors import FileFormatError
from equivec.expression.prefix import write_tokens
from equivec.expression.vocabulary import END_ID, START_ID
from equivec.model.beams import BeamConfig
from equivec.model.folder import load_model
from equivec.model.ragged import Ragged

if TYPE_CHECKING:
    from collections.abc import Iterator

    from equivec.model.network import Block, Transformer

_BATCH, _LONGEST, _THREADS = 32, 64, 2
_GOALS = {1: 8.0, 10: 10.0, 50: 10.0}
_INPUTS = {1: 96, 10: 32, 50: 32}


def decoding(seed: int, model: str = "default") -> Iterator[Row]:
    """Greedy search and beams of 10 and 50, and how often both write the same."""
    try:
        folder = model_folder(model)
    except FileFormatError:
        return  # without trained weights there is nothing to measure
    torch.set_num_threads(_THREADS)
    runtime, network = Runtime(folder), load_model(folder).network
    trees = sample_trees(random.Random(seed), max(_INPUTS.values()))
    ids = [runtime.vocabulary.encode(write_tokens(tree)) for tree in trees]
    for beams, count in _INPUTS.items():
        ours = partial(_our_search, runtime, beams=beams)
        alternative = partial(reference_search, network, beams=beams)
        batches = [ids[start : start + _BATCH] for start in range(0, count, _BATCH)]
        for warm_up in (ours, alternative):  # sessions are opened, memory is taken
            warm_up(batches[0])
        bouts = list(duel(batches, ours, alternative, stretch=1))
        rates = [
            count / sum(timing.seconds for timing in timings)
            for timings in zip(*((bout.ours, bout.alternative) for bout in bouts), strict=True)
        ]
        name = "greedy" if beams == 1 else f"beam of {beams}"
        yield Row(
            benchmark="decoding",
            what=name,
            ours=rates[0],
            alternative=rates[1],
            unit="expressions/s",
            ratio=rates[0] / rates[1],
            goal=_GOALS[beams],
        )
        same = [
            written == expected
            for bout in bouts
            for written, expected in zip(bout.ours.result, bout.alternative.result, strict=True)
        ]
        yield Row(
            benchmark="decoding",
            what=f"- both wrote the same, {name}",
            ours=100 * sum(same) / len(same),
            unit="% of inputs",
        )


def _our_search(runtime: Runtime, batch: list[list[int]], beams: int) -> list[list[int]]:
    config = BeamConfig(beams=beams, max_tokens=_LONGEST, excludes_input=False)
    found = search(runtime, batch, config, threads=_THREADS)
    return [list(hypotheses[0].ids) if hypotheses else [] for hypotheses in found]


@torch.no_grad()
def reference_search(network: Transformer, batch: list[list[int]], beams: int) -> list[list[int]]:
    """The best hypothesis for each input, the straightforward way."""
    memory = _padded_memory(network, batch, beams)
    hypotheses = [[([START_ID], 0.0, False)] for _ in batch]
    layers: list[Tensor] = []
    for step in range(_LONGEST):
        rows = [(one + [one[-1]] * beams)[:beams] for one in hypotheses]
        newest = torch.tensor([row[0][-1] for one in rows for row in one])
        scores, layers = _step(network, newest, step, layers, memory)
        parents: list[int] = []
        for item, one in enumerate(rows):
            kept = _extend(one[: len(hypotheses[item])], scores, item * beams, beams)
            hypotheses[item] = [hypothesis for hypothesis, _ in kept]
            places = [item * beams + parent for _, parent in kept]
            parents += (places + [places[-1]] * beams)[:beams]
        layers = [layer[parents] for layer in layers]
        if all(is_done for one in hypotheses for _, _, is_done in one):
            break
    return [[token for token in one[0][0] if token not in (START_ID, END_ID)] for one in hypotheses]


def _extend(
    hypotheses: list[tuple[list[int], float, bool]], scores: Tensor, first: int, beams: int
) -> list[tuple[tuple[list[int], float, bool], int]]:
    """The best continuations of the hypotheses of one item, each with its parent."""
    ways: list[tuple[tuple[list[int], float, bool], int]] = []
    for place, (tokens, score, is_done) in enumerate(hypotheses):
        if is_done:
            ways.append(((tokens, score, True), place))
            continue
        values, ids = scores[first + place].topk(min(beams, scores.shape[1]))
        for value, token in zip(values.tolist(), ids.tolist(), strict=True):
            ways.append((([*tokens, token], score + value, token == END_ID), place))
    return sorted(ways, key=lambda way: -way[0][1])[:beams]


def _step(
    network: Transformer,
    newest: Tensor,
    step: int,
    layers: list[Tensor],
    memory: tuple[Tensor, Tensor],
) -> tuple[Tensor, list[Tensor]]:
    """Log-probabilities of the next tokens, and the inputs of all layers so far."""
    states = network.look_up(newest, torch.full_like(newest, step))[:, None]
    kept: list[Tensor] = []
    blocks: list[Block] = list(network.decoder)  # type: ignore[arg-type]
    for number, block in enumerate(blocks):
        seen = torch.cat([layers[number], states], dim=1) if layers else states
        kept.append(seen)
        _, key, value = block.look_at_itself(seen)
        query, _, _ = block.look_at_itself(states)
        states = states + block.self_output(_attend(query, key, value, None))
        key, value = block.look_at_memory(memory[0])
        query = block.split(block.memory_query(block.memory_norm(states)))
        states = states + block.memory_output(_attend(query, key, value, memory[1]))
        states = states + block.feed_forward(states)
    logits = network.output(network.decoder_norm(states[:, 0]))
    return functional.log_softmax(logits, dim=-1), kept


def _attend(query: Tensor, key: Tensor, value: Tensor, is_seen: Tensor | None) -> Tensor:
    scores = torch.einsum("bqhd,bkhd->bhqk", query, key) / math.sqrt(query.shape[-1])
    if is_seen is not None:
        scores = scores.masked_fill(~is_seen[:, None, None], -torch.inf)
    return torch.einsum("bhqk,bkhd->bqhd", scores.softmax(dim=-1), value).flatten(2)


def _padded_memory(
    network: Transformer, batch: list[list[int]], beams: int
) -> tuple[Tensor, Tensor]:
    framed = [[START_ID, *ids, END_ID] for ids in batch]
    lengths = torch.tensor([len(ids) for ids in framed])
    layout = Ragged.of(lengths, int(lengths.max()))
    states = network.encode(torch.tensor([token for ids in framed for token in ids]), layout)
    memory = states[layout.padded_places()].repeat_interleave(beams, dim=0)
    return memory, layout.is_inside().repeat_interleave(beams, dim=0)
