"""Micro-batching: many calls become few, and nobody notices."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import numpy as np
import pytest

from equivec.errors import ConfigError
from equivec.serve.batching import BatchingEncoder
from equivec.serve.fairness import CLIENT
from support.encoders import FakeEncoder


@dataclass(frozen=True)
class Gated(FakeEncoder):
    """An encoder that waits at a gate and remembers what it was asked for."""

    begun: threading.Event = field(default_factory=threading.Event)
    gate: threading.Event = field(default_factory=threading.Event)
    calls: list[list[str]] = field(default_factory=list)

    def encode(self, expressions, *, normalize=True):
        self.calls.append(list(expressions))
        self.begun.set()
        self.gate.wait()
        if "bad" in expressions:
            raise ConfigError("bad cannot be encoded")
        return super().encode(expressions, normalize=normalize)


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
    (first,) = encoder.submit(["x"])
    assert inner.begun.wait(60)
    return first


def submit(encoder: BatchingEncoder, *expressions: str, client: str = ""):
    """The parts of a call of a client, which wait for their turn."""
    CLIENT.set(client)
    return encoder.submit(expressions)


def test_calls_that_come_while_one_runs_are_done_together(encoder, inner) -> None:
    first = begin(encoder, inner)
    others = [future for n in range(4) for future in submit(encoder, f"INT+ {n}")]
    inner.gate.set()
    vectors = [future.result() for future in (first, *others)]
    assert [len(call) for call in inner.calls] == [1, 4]
    expected = FakeEncoder().encode(["x", *(f"INT+ {n}" for n in range(4))])
    np.testing.assert_array_equal(np.concatenate(vectors), expected)


def test_a_batch_has_a_size(encoder, inner) -> None:
    futures = [begin(encoder, inner)]
    futures += [future for _ in range(9) for future in submit(encoder, "x", "y")]
    inner.gate.set()
    assert [len(future.result()) for future in futures] == [1] + [2] * 9
    assert [len(call) for call in inner.calls] == [1, 8, 8, 2]


def test_a_large_call_is_done_in_parts_and_comes_back_whole(encoder, inner) -> None:
    texts = [f"add x INT+ {n}" for n in range(10, 35)]
    inner.gate.set()
    np.testing.assert_array_equal(encoder.encode(texts), FakeEncoder().encode(texts))
    assert max(len(call) for call in inner.calls) == 2
    assert encoder.encode([]).shape == (0, 32)


def test_a_small_call_does_not_wait_for_all_of_a_large_one_of_another_client(
    encoder, inner
) -> None:
    begin(encoder, inner)
    large = submit(encoder, *["x"] * 80, client="one")
    (small,) = submit(encoder, "sin x", client="another")
    inner.gate.set()
    assert len(small.result()) == 1
    assert [len(future.result()) for future in large] == [8] * 10
    assert "sin x" in inner.calls[1] + inner.calls[2]


def test_normalized_and_plain_vectors_are_kept_apart(encoder, inner) -> None:
    inner.gate.set()
    with ThreadPoolExecutor(8) as threads:
        wanted = [n % 2 == 0 for n in range(40)]
        found = threads.map(lambda flag: encoder.encode(["sin x"], normalize=flag), wanted)
        for flag, vectors in zip(wanted, found, strict=True):
            expected = FakeEncoder().encode(["sin x"], normalize=flag)
            np.testing.assert_array_equal(vectors, expected)


def test_an_expression_that_fails_fails_for_its_caller_only(encoder, inner) -> None:
    begin(encoder, inner)
    good, bad, other = (submit(encoder, text)[0] for text in ("x", "bad", "y"))
    inner.gate.set()
    assert good.result().shape == other.result().shape == (1, 32)
    with pytest.raises(ConfigError, match="bad cannot be encoded"):
        bad.result()


def test_closing_finishes_what_was_asked_for() -> None:
    inner = Gated()
    encoder = BatchingEncoder(inner, tokens=8)
    futures = [begin(encoder, inner), *submit(encoder, "y")]
    inner.gate.set()
    encoder.close()
    assert all(future.done() for future in futures)
