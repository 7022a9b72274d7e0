"""The network: sequences do not see each other, the future, or what fills a row."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from equivec.errors import ConfigError
from equivec.expression.vocabulary import END_ID, START_ID
from equivec.model.batches import _restricted
from equivec.model.network import NORMS, Block, TransformerConfig
from equivec.model.pooling import POOLINGS
from equivec.model.ragged import BLOCK, Ragged, Sight, attend, seen_blocks
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


def layer_of(block: Block, layer: nn.Module) -> nn.Module:
    """A layer of torch's Transformer with the weights of a block of ours."""
    parts = {
        "self_attn.out_proj": block.self_output,
        "linear1": block.inner_input,
        "linear2": block.inner_output,
        "norm1": block.self_norm,
    }
    weights = {f"self_attn.in_proj_{kind}": value for kind, value in both(block.self_input)}
    if block.has_memory:
        parts |= {"norm2": block.memory_norm, "norm3": block.inner_norm}
        parts |= {"multihead_attn.out_proj": block.memory_output}
        asking, asked = dict(both(block.memory_query)), dict(both(block.memory_input))
        for kind in asking:
            weights[f"multihead_attn.in_proj_{kind}"] = torch.cat([asking[kind], asked[kind]])
    else:
        parts |= {"norm2": block.inner_norm}
    for name, part in parts.items():
        weights |= {f"{name}.{kind}": value for kind, value in both(part)}
    layer.load_state_dict(weights)
    return layer.eval()


def both(part: nn.Module) -> list[tuple[str, torch.Tensor]]:
    """Weight and bias."""
    return [(kind, getattr(part, kind).detach()) for kind in ("weight", "bias")]


@pytest.mark.parametrize("norm", NORMS)
def test_a_layer_is_that_of_the_transformer_of_torch(norm: str) -> None:
    config = TransformerConfig(vocabulary_size=9, width=32, feed_forward=64, heads=2, norm=norm)
    shape = {"d_model": 32, "nhead": 2, "dim_feedforward": 64, "batch_first": True}
    shape["norm_first"] = norm == "first"
    layout = Ragged.of(torch.tensor([7]), longest=7)
    states, memory = torch.randn(2, 7, 32, generator=torch.Generator().manual_seed(3))
    seen, past = Sight.of(layout, layout), Sight.of(layout, layout, is_causal=True)

    encoder = Block(config, has_memory=False).eval()
    theirs = layer_of(encoder, nn.TransformerEncoderLayer(**shape))
    torch.testing.assert_close(encoder(states, seen), theirs(states[None])[0])

    decoder = Block(config, has_memory=True).eval()
    theirs = layer_of(decoder, nn.TransformerDecoderLayer(**shape))
    future = nn.Transformer.generate_square_subsequent_mask(7)
    wanted = theirs(states[None], memory[None], tgt_mask=future)[0]
    torch.testing.assert_close(decoder(states, past, memory, seen), wanted)


def test_attention_weights_are_dropped() -> None:
    _, layout = row(TEXTS)
    sight, parts = Sight.of(layout, layout), torch.randn(3, len(layout.owners), 2, 4)
    whole = attend(*parts, sight)
    torch.testing.assert_close(attend(*parts, sight, dropout=0.0), whole)
    assert not torch.allclose(attend(*parts, sight, dropout=0.5), whole)


def test_nothing_is_dropped_but_in_training(monkeypatch: pytest.MonkeyPatch) -> None:
    dropped: list[float] = []
    monkeypatch.setattr(
        "equivec.model.network.attend",
        lambda query, _key, _value, _sight, dropout: dropped.append(dropout) or query,
    )
    network = tiny_network(dropout=0.25)
    for is_training in (True, False):
        network.train(is_training).encode(*row(TEXTS))
    layers = len(network.encoder)
    assert dropped == [0.25] * layers + [0.0] * layers


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
        ({"pooling": "sum"}, "'sum' is not a pooling; choose from max, mean, first, last"),
        ({"norm": "never"}, "'never' is not a place for the norm; choose first or last"),
        ({"dropout": 1.0}, r"dropout must lie in \[0, 1\), not at 1.0"),
    ],
)
def test_an_impossible_shape_is_refused(change: dict[str, object], sentence: str) -> None:
    with pytest.raises(ConfigError, match=sentence.replace("*", r"\*")):
        tiny_network(**change)


def pairs_of_rows(device: str = "cpu") -> tuple[Ragged, Ragged]:
    """A row of 600 sequences, and one of their partners that goes on with other sequences."""
    lengths = torch.randint(1, 40, (1200,), generator=torch.Generator().manual_seed(5))
    asking = Ragged.of(lengths[:600].to(device), 40, 16_384)
    return asking, _restricted(Ragged.of(lengths.flip(0).to(device), 40, 32_768), 600, 1010)


@pytest.mark.parametrize("is_causal", [False, True])
def test_the_listed_tiles_hold_everything_that_is_seen(is_causal: bool) -> None:
    asking, asked = pairs_of_rows()
    asked = asking if is_causal else asked
    mask = seen_blocks(asking, asked, is_causal=is_causal)
    seen = asking.owners[:, None] == asked.owners
    if is_causal:
        seen &= asking.offsets[:, None] >= asked.offsets
    seen[asking.owners >= 600] = False  # what fills the row may see anything or nothing
    tiles = seen.unflatten(0, (-1, BLOCK)).unflatten(2, (-1, BLOCK)).any(dim=3).any(dim=1)
    listed = mask.to_dense()[0, 0].bool()
    assert not (tiles & ~listed).any()
    assert int(listed.sum()) < 4 * len(listed)  # a narrow band


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
@pytest.mark.parametrize("is_causal", [False, True])
def test_fused_attention_equals_the_padded_one_and_so_do_its_gradients(is_causal: bool) -> None:
    asking, asked = pairs_of_rows("cuda")
    sight = Sight.of(asking, asking if is_causal else asked, is_causal=is_causal)
    sizes = [len(row.owners) for row in (sight.asking, sight.asked, sight.asked)]
    inputs = [torch.randn(size, 8, 64, device="cuda", dtype=torch.bfloat16) for size in sizes]
    used = asking.owners < 600
    found = []
    for way in (torch.compile(attend), attend):
        parts = [part.clone().requires_grad_() for part in inputs]
        result = way(*parts, sight)
        assert result.isfinite().all()
        (result[used].float() ** 2).sum().backward()
        found.append([result[used], *(part.grad for part in parts)])
    for fused, padded in zip(*found, strict=True):
        torch.testing.assert_close(fused, padded, rtol=0.05, atol=0.05)
