"""Micro-batching: many calls become few, and nobody notices."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import numpy as np
import pytest

from equivec.errors import ConfigError
from equivec.expression.tree import Node
from equivec.serve.batching import BatchingEncoder
from equivec.serve.fairness import CLIENT
from support.encoders import FakeEncoder

X, Y, BAD = map(Node, ("x", "y", "b"))
SIN = Node("sin", (X,))


@dataclass(frozen=True)
class Gated(FakeEncoder):
    """An encoder that waits at a gate and remembers what it was asked for."""

    begun: threading.Event = field(default_factory=threading.Event)
    gate: threading.Event = field(default_factory=threading.Event)
    calls: list[list[Node]] = field(default_factory=list)

    def encode(self, trees, *, normalize=True):
        self.calls.append(list(trees))
        self.begun.set()
        self.gate.wait()
        if BAD in trees:
            raise ConfigError("bad cannot be encoded")
        return super().encode(trees, normalize=normalize)


@pytest.fixture
def inner() -> Gated:
    return Gated()


@pytest.fixture
def encoder(inner: Gated):
    encoder = BatchingEncoder(inner, tokens=8)
    yield encoder
    inner.gate.set()
    encoder.close()


def begin(encoder: BatchingEncoder, inner: Gated):
    """The first call, which has begun and waits at the gate."""
    (first,) = encoder.submit([X])
    assert inner.begun.wait(60)
    return first


def submit(encoder: BatchingEncoder, *trees: Node, client: str = ""):
    """The parts of a call of a client, which wait for their turn."""
    CLIENT.set(client)
    return encoder.submit(trees)


def test_calls_that_come_while_one_runs_are_done_together(encoder, inner) -> None:
    first = begin(encoder, inner)
    others = [future for n in range(4) for future in submit(encoder, Node(n))]
    inner.gate.set()
    vectors = [future.result() for future in (first, *others)]
    assert [len(call) for call in inner.calls] == [1, 4]
    expected = FakeEncoder().encode([X, *(Node(n) for n in range(4))])
    np.testing.assert_array_equal(np.concatenate(vectors), expected)


def test_a_batch_has_a_size(encoder, inner) -> None:
    futures = [begin(encoder, inner)]
    futures += [future for _ in range(9) for future in submit(encoder, X, Y)]
    inner.gate.set()
    assert [len(future.result()) for future in futures] == [1] + [2] * 9
    assert [len(call) for call in inner.calls] == [1, 8, 8, 2]


def test_a_large_call_is_done_in_parts_and_comes_back_whole(encoder, inner) -> None:
    trees = [Node("add", (X, Node(n % 10))) for n in range(25)]  # of four tokens
    inner.gate.set()
    np.testing.assert_array_equal(encoder.encode(trees), FakeEncoder().encode(trees))
    assert max(len(call) for call in inner.calls) == 2
    assert encoder.encode([]).shape == (0, 32)


def test_a_small_call_does_not_wait_for_all_of_a_large_one_of_another_client(
    encoder, inner
) -> None:
    begin(encoder, inner)
    large = submit(encoder, *[X] * 80, client="one")
    (small,) = submit(encoder, SIN, client="another")
    inner.gate.set()
    assert len(small.result()) == 1
    assert [len(future.result()) for future in large] == [8] * 10
    assert SIN in inner.calls[1] + inner.calls[2]


def test_normalized_and_plain_vectors_are_kept_apart(encoder, inner) -> None:
    inner.gate.set()
    with ThreadPoolExecutor(8) as threads:
        wanted = [n % 2 == 0 for n in range(40)]
        found = threads.map(lambda flag: encoder.encode([SIN], normalize=flag), wanted)
        for flag, vectors in zip(wanted, found, strict=True):
            expected = FakeEncoder().encode([SIN], normalize=flag)
            np.testing.assert_array_equal(vectors, expected)


def test_an_expression_that_fails_fails_for_its_caller_only(encoder, inner) -> None:
    begin(encoder, inner)
    good, bad, other = (submit(encoder, tree)[0] for tree in (X, BAD, Y))
    inner.gate.set()
    assert good.result().shape == other.result().shape == (1, 32)
    with pytest.raises(ConfigError, match="bad cannot be encoded"):
        bad.result()


def test_closing_finishes_what_was_asked_for() -> None:
    inner = Gated()
    encoder = BatchingEncoder(inner, tokens=8)
    futures = [begin(encoder, inner), *submit(encoder, Y)]
    inner.gate.set()
    encoder.close()
    assert all(future.done() for future in futures)
