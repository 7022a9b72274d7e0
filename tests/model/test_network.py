"""The network: sequences do not see each other, the future, or what fills a row."""

from __future__ import annotations

import pytest
import torch

from equivec.errors import ConfigError
from equivec.model.clusters import END_ID, START_ID
from equivec.model.network import POOLINGS, TransformerConfig
from equivec.model.ragged import Ragged
from support.models import VOCABULARY, ids_of, tiny_network

TEXTS = ("sin(x)", "x**2 + 3*x + 17", "exp(x)/x")


def row(texts: tuple[str, ...], capacity: int | None = None) -> tuple[torch.Tensor, Ragged]:
    """Framed expressions in a row."""
    framed = [[START_ID, *ids_of(text), END_ID] for text in texts]
    lengths = torch.tensor([len(ids) for ids in framed])
    layout = Ragged.of(lengths, int(lengths.max()), capacity)
    tokens = torch.tensor([token for ids in framed for token in ids])
    filler = torch.full((len(layout.owners) - len(tokens),), 5)
    return torch.cat([tokens, filler]), layout


@pytest.mark.parametrize("pooling", POOLINGS)
def test_a_vector_does_not_depend_on_its_company(pooling: str) -> None:
    network = tiny_network(pooling=pooling).eval()
    tokens, layout = row(TEXTS)
    together = network.pool(network.encode(tokens, layout), layout)
    for text, vector in zip(TEXTS, together, strict=True):
        tokens, layout = row((text,))
        alone = network.pool(network.encode(tokens, layout), layout)
        torch.testing.assert_close(alone[0], vector, rtol=1e-5, atol=1e-5)


def test_what_fills_a_row_changes_nothing() -> None:
    network = tiny_network().eval()
    plain, filled = row(TEXTS), row(TEXTS, capacity=64)
    a = network.pool(network.encode(*plain), plain[1])
    b = network.pool(network.encode(*filled), filled[1])
    torch.testing.assert_close(a, b[: len(TEXTS)], rtol=1e-5, atol=1e-5)


def test_start_and_end_have_no_part_in_the_maximum() -> None:
    network = tiny_network().eval()
    tokens, layout = row(("x",))
    states = network.encode(tokens, layout)
    torch.testing.assert_close(network.pool(states, layout)[0], states[1])


def test_the_decoder_does_not_see_the_future() -> None:
    network = tiny_network().eval()
    tokens, layout = row(("sin(x)",))
    memory = network.encode(tokens, layout)
    written = torch.tensor([START_ID, *ids_of("tan(x) + 1")])
    target = Ragged.of(torch.tensor([len(written)]), len(written))
    before = network.decode(written, target, memory, layout)
    written[-1] = ids_of("pi")[0]
    after = network.decode(written, target, memory, layout)
    torch.testing.assert_close(before[:-1], after[:-1])
    assert not torch.allclose(before[-1], after[-1])


def test_the_same_seed_gives_the_same_weights() -> None:
    first, second, other = (tiny_network(seed).state_dict() for seed in (3, 3, 4))
    assert all(torch.equal(first[name], second[name]) for name in first)
    assert not torch.equal(first["output.weight"], other["output.weight"])


def test_the_shape_of_the_paper_is_the_default() -> None:
    config = TransformerConfig(vocabulary_size=len(VOCABULARY))
    assert (config.width, config.feed_forward, config.layers, config.heads) == (512, 2048, 6, 8)
    assert (config.dropout, config.max_tokens, config.pooling) == (0.1, 256, "max")


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"width": 30}, "width 30 is not a multiple of 2 * 4 heads"),
        ({"pooling": "sum"}, "'sum' is no pooling; choose from max, mean, first, last"),
        ({"dropout": 1.0}, r"dropout must lie in \[0, 1\), not at 1.0"),
    ],
)
def test_an_impossible_shape_is_refused(change: dict[str, object], sentence: str) -> None:
    with pytest.raises(ConfigError, match=sentence.replace("*", r"\*")):
        tiny_network(**change)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
@pytest.mark.parametrize("is_causal", [False, True])
def test_fused_attention_equals_the_padded_one_and_so_do_its_gradients(is_causal: bool) -> None:
    from equivec.model import ragged

    assert ragged.varlen_attn is not None
    lengths = torch.randint(1, 40, (64,), device="cuda")
    asking = Ragged.of(lengths, 40, 2048)
    asked = (
        asking
        if is_causal
        else asking._replace(
            starts=torch.cat(
                [asking.starts[:65], asking.starts[64].expand(len(asking.starts) - 65)]
            )
        )
    )
    grads = []
    inputs = [torch.randn(2048, 8, 64, device="cuda", dtype=torch.bfloat16) for _ in range(3)]
    used = asking.owners < len(lengths)
    for way in (ragged.attend, ragged._attend_padded):
        parts = [part.clone().requires_grad_() for part in inputs]
        result = way(*parts, asking, asked, is_causal=is_causal)
        assert result[used].isfinite().all()
        (result[used].float() ** 2).sum().backward()
        grads.append([result[used], *(part.grad[used] for part in parts)])
    for fused, padded in zip(*grads, strict=True):
        torch.testing.assert_close(fused, padded, rtol=0.05, atol=0.05)
