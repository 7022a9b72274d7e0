"""Decoding: fast paths equal slow ones, scores are log-probabilities, grammar holds."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from equivec.expression.completion import TokenTable
from equivec.expression.prefix import parse_prefix
from equivec.expression.vocabulary import END_ID, START_ID
from equivec.model.beams import BeamConfig, beam_search
from equivec.model.decoding import NetworkStepper, search, search_batch
from equivec.model.network import NORMS
from equivec.model.ragged import Ragged
from support.models import TABLE, VOCABULARY, ids_of, tiny_network

if TYPE_CHECKING:
    from equivec.model.beams import Hypothesis
    from equivec.model.network import Transformer

INPUTS = [ids_of(text) for text in ("sin(x)/cos(x)", "x", "x**2 + 17*x", "exp(x)**3", "ln(x)*pi")]


@torch.no_grad()
def score(network: Transformer, source: list[int], target: list[int]) -> float:
    """The log-probability of an expression without any cache, token by token."""
    framed = torch.tensor([START_ID, *source, END_ID])
    layout = Ragged.of(torch.tensor([len(framed)]), len(framed))
    memory = network.encode(framed, layout)
    written = torch.tensor([START_ID, *target])
    target_layout = Ragged.of(torch.tensor([len(written)]), len(written))
    logits = network.decode(written, target_layout, memory, layout).log_softmax(dim=-1)
    following = torch.tensor([*target, END_ID])
    return float(logits.gather(1, following[:, None]).sum())


def bodies(found: list[list[Hypothesis]], item: int) -> list[list[int]]:
    return [list(one.ids) for one in found[item]]


@pytest.fixture(scope="module", params=NORMS)
def network(request: pytest.FixtureRequest) -> Transformer:
    network = tiny_network(7, norm=request.param).eval()
    network.output.weight.data *= 3  # opinions strong enough to differ
    return network


@pytest.mark.parametrize("is_constrained", [True, False])
def test_scores_are_true_log_probabilities_best_first(
    network: Transformer, is_constrained: bool
) -> None:
    config = BeamConfig(beams=6, max_tokens=12, is_constrained=is_constrained)
    found = search_batch(network, INPUTS, TABLE, config)
    for item, source in enumerate(INPUTS):
        for one in found[item]:
            if one.is_finished:
                expected = score(network, source, list(one.ids))
                assert one.log_probability == pytest.approx(expected, abs=1e-3)
        values = [one.log_probability for one in found[item]]
        assert values == sorted(values, reverse=True)
        assert len(values) == 6


def test_every_finished_hypothesis_is_a_valid_expression(network: Transformer) -> None:
    found = search_batch(network, INPUTS, TABLE, BeamConfig(beams=20, max_tokens=9))
    assert all(one.is_finished for hypotheses in found for one in hypotheses)
    for item in range(len(INPUTS)):
        for body in bodies(found, item):
            assert len(body) <= 9
            parse_prefix(" ".join(VOCABULARY.decode(body)))


def test_a_beam_of_one_is_greedy(network: Transformer) -> None:
    found = search_batch(network, INPUTS, TABLE, BeamConfig(max_tokens=15, is_constrained=False))
    for item, source in enumerate(INPUTS):
        framed = torch.tensor([START_ID, *source, END_ID])
        layout = Ragged.of(torch.tensor([len(framed)]), len(framed))
        memory = network.encode(framed, layout)
        written = [START_ID]
        while len(written) <= 15:
            target = Ragged.of(torch.tensor([len(written)]), len(written))
            logits = network.decode(torch.tensor(written), target, memory, layout)[-1]
            logits[[0, START_ID]] = -torch.inf
            best = int(logits.argmax())
            if best == END_ID:
                break
            written.append(best)
        assert bodies(found, item)[0][: len(written) - 1] == written[1:]


def test_a_hypothesis_does_not_depend_on_its_batch(network: Transformer) -> None:
    config = BeamConfig(beams=3, max_tokens=10)
    together = search_batch(network, INPUTS, TABLE, config)
    split = list(search(network, INPUTS, TABLE, BeamConfig(beams=3, max_tokens=10, rows=6)))
    assert len(split) == 3
    alone = [hypotheses for part in split for hypotheses in part]
    for item in range(len(INPUTS)):
        assert bodies(alone, item) == bodies(together, item)


def test_a_wide_beam_is_exhaustive_search() -> None:
    # Five tokens besides the special ones: two leaves, a unary and a binary symbol.
    table = TokenTable(
        opened=(0, 0, 0, -1, -1, 0, 1),
        is_sign=(False,) * 7,
        is_digit=(False,) * 7,
        is_special=(True, True, True, False, False, False, False),
    )
    network = tiny_network(3, width=16, heads=2).eval()
    network.embedding.weight.data = network.embedding.weight.data[:7]
    network.output.weight.data = network.output.weight.data[:7]
    network.output.bias.data = network.output.bias.data[:7]
    source = [6, 3, 4]
    bodies_ = [
        list(body)
        for length in range(1, 5)
        for body in product((3, 4, 5, 6), repeat=length)
        if _is_complete(list(body), table)
    ]
    wanted = sorted(((score(network, source, body), body) for body in bodies_), reverse=True)
    config = BeamConfig(beams=len(bodies_) * 4, max_tokens=4)
    found = search_batch(network, [source], table, config)
    assert bodies(found, 0) == [body for _, body in wanted]
    values = [one.log_probability for one in found[0]]
    assert values == pytest.approx([value for value, _ in wanted], abs=1e-4)


def _is_complete(body: list[int], table: TokenTable) -> bool:
    missing = 1
    for place, token in enumerate(body):
        missing += table.opened[token]
        if missing == 0:
            return place == len(body) - 1
    return False


def test_the_input_is_never_written_where_it_is_excluded(network: Transformer) -> None:
    config = BeamConfig(beams=2_000, max_tokens=2)
    source = ids_of("sin(x)")
    with_copy = bodies(search_batch(network, [source], TABLE, config), 0)
    config = replace(config, excludes_input=True)
    without = bodies(search_batch(network, [source], TABLE, config), 0)
    assert source not in without
    assert source in with_copy


class Watch(TorchDispatchMode):
    """Remembers the names of all operations."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: set[str] = set()

    def __torch_dispatch__(self, function, types, arguments=(), named=None):
        self.seen.add(str(function.overloadpacket))
        return function(*arguments, **(named or {}))


@torch.inference_mode()
def test_a_step_waits_for_nothing_from_the_device(network: Transformer) -> None:
    """Operations whose result has a size, or a value, that the host must know."""
    stepper = NetworkStepper(network, INPUTS, beams=3)
    config = BeamConfig(beams=3, max_tokens=6, excludes_input=True)  # over before the first look
    with Watch() as watch:
        found = beam_search(stepper, INPUTS, TABLE, config)
    assert all(len(hypotheses) == 3 for hypotheses in found)
    assert "aten.topk" in watch.seen
    assert not watch.seen & {
        *("aten.nonzero", "aten._local_scalar_dense", "aten.masked_select", "aten.unique"),
    }
