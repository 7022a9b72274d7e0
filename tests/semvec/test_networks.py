"""Many networks at once: each is what it would be alone."""

from dataclasses import replace

import pytest
import torch
from torch import Tensor, nn

from equivec.errors import ConfigError
from equivec.model.training import sequence_loss
from equivec.semvec.networks import (
    ManyNetworks,
    NetworkConfig,
    draw_weights,
    weight_shapes,
)

TINY = NetworkConfig(vocabulary_size=9, width=16, feed_forward=32, layers=2, heads=4, dropout=0.0)


def expressions(count: int, batch: int = 5, length: int = 7, seed: int = 0) -> Tensor:
    """Framed expressions of random length: start, tokens, end, padding."""
    generator = torch.Generator().manual_seed(seed)
    tokens = torch.randint(3, 9, (count, batch, length), generator=generator)
    ends = torch.randint(2, length, (count, batch, 1), generator=generator)
    places = torch.arange(length)
    tokens = torch.where(places == ends, 2, torch.where(places > ends, 0, tokens))
    tokens[:, :, 0] = 1
    return tokens


def train(networks: ManyNetworks, batches: list[tuple[Tensor, Tensor]]) -> Tensor:
    """Some steps of plain gradient descent; the losses, (steps, networks)."""
    every = []
    for sources, targets in batches:
        logits, vectors = networks(sources, targets)
        wanted = targets[:, :, 1:]
        losses = sequence_loss(logits, wanted, wanted != 0, 0.1, networks.count)
        losses = losses + vectors.square().mean(dim=(1, 2))
        (gradient,) = torch.autograd.grad(losses.sum(), networks.values)
        with torch.no_grad():
            networks.values -= 0.1 * gradient
        every.append(losses.detach())
    return torch.stack(every)


def test_networks_trained_at_once_are_those_trained_alone() -> None:
    batches = [(expressions(3, seed=step), expressions(3, seed=10 + step)) for step in range(5)]
    together = ManyNetworks(TINY, seeds=[1, 2, 3])
    losses = train(together, batches)
    for place, seed in enumerate([1, 2, 3]):
        alone = ManyNetworks(TINY, seeds=[seed])
        own = [(sources[place, None], targets[place, None]) for sources, targets in batches]
        assert torch.allclose(losses[:, place], train(alone, own)[:, 0], atol=1e-5)
        assert torch.allclose(together.values[place], alone.values[0], atol=1e-5)


def test_the_same_seed_gives_the_same_weights_in_any_company() -> None:
    pair, single = ManyNetworks(TINY, seeds=[5, 6]), ManyNetworks(TINY, seeds=[6])
    assert torch.equal(pair.values[1], single.values[0])
    assert not torch.equal(pair.values[0], pair.values[1])


def test_a_vector_does_not_depend_on_padding_or_company() -> None:
    networks = ManyNetworks(TINY, seeds=[1])
    short = torch.tensor([[[1, 4, 5, 6, 2]]])
    long = torch.nn.functional.pad(short, (0, 4))
    crowd = torch.cat([long, expressions(1, batch=6, length=9)], dim=1)
    vector = networks.encode(short).vectors[0, 0]
    assert torch.allclose(networks.encode(long).vectors[0, 0], vector, atol=1e-5)
    assert torch.allclose(networks.encode(crowd).vectors[0, 0], vector, atol=1e-5)


def test_shares_of_attention_are_dropped_in_training_alone() -> None:
    plain = ManyNetworks(TINY, seeds=[1])
    dropping = ManyNetworks(replace(TINY, attention_dropout=0.5), seeds=[1])
    tokens = expressions(1)
    first, second = (dropping.encode(tokens).vectors for _ in range(2))
    assert not torch.allclose(first, second)
    asked = dropping.eval().encode(tokens).vectors
    assert torch.equal(asked, plain.encode(tokens).vectors)


def test_a_vector_leaves_out_start_end_and_padding() -> None:
    networks = ManyNetworks(TINY, seeds=[1])
    encoded = networks.encode(torch.tensor([[[1, 4, 5, 6, 2, 0, 0]]]))
    inside = encoded.memory[0, 0, 1:4]
    assert torch.equal(encoded.vectors[0, 0], inside.amax(dim=0))


def test_a_token_is_foretold_from_earlier_ones_only() -> None:
    networks = ManyNetworks(TINY, seeds=[1])
    sources, targets = expressions(1), expressions(1, seed=1)
    changed = targets.clone()
    changed[:, :, 4:] = 3
    logits, others = (networks(sources, tokens)[0] for tokens in (targets, changed))
    assert torch.allclose(logits[:, :, :4], others[:, :, :4], atol=1e-6)
    assert not torch.allclose(logits[:, :, 4:], others[:, :, 4:], atol=1e-3)


def test_the_shapes_are_as_said() -> None:
    networks = ManyNetworks(TINY, seeds=[1, 2])
    encoded = networks.encode(expressions(2))
    assert encoded.memory.shape == (2, 5, 7, 16)
    assert encoded.vectors.shape == (2, 5, 16)
    logits, vectors = networks(expressions(2), expressions(2, batch=3))
    assert logits.shape == (2, 3, 6, 9), "as many sources are decoded as there are targets"
    assert vectors.shape == (2, 5, 16)


def test_every_weight_is_a_view_of_its_own_place() -> None:
    networks = ManyNetworks(TINY, seeds=[1])
    weights = networks.weights(torch.float32)
    assert {name: tuple(w.shape[1:]) for name, w in weights.items()} == weight_shapes(TINY)
    flat = torch.cat([weight.flatten() for weight in weights.values()])
    assert torch.equal(flat, draw_weights(TINY, 1)[: len(flat)])


def test_selected_networks_answer_as_before() -> None:
    networks = ManyNetworks(TINY, seeds=[1, 2, 3])
    tokens = expressions(1).expand(3, -1, -1)
    vectors = networks.encode(tokens).vectors
    chosen = networks.select([2, 0]).encode(tokens[:2]).vectors
    assert torch.allclose(chosen, vectors[[2, 0]], atol=1e-6)


def test_dropout_acts_in_training_only() -> None:
    networks = ManyNetworks(replace(TINY, dropout=0.5), seeds=[1])
    tokens = expressions(1)
    assert not torch.equal(networks.encode(tokens).vectors, networks.encode(tokens).vectors)
    networks.eval()
    assert torch.equal(networks.encode(tokens).vectors, networks.encode(tokens).vectors)


def test_a_shape_that_cannot_be_is_refused() -> None:
    with pytest.raises(ConfigError, match="width 10 is not a multiple of heads 4"):
        replace(TINY, width=10)


def transformer_of(networks: ManyNetworks) -> nn.Transformer:
    """Torch's Transformer with the weights of a single network of ours."""
    config = networks.config
    theirs = nn.Transformer(
        *(config.width, config.heads, config.layers, config.layers, config.feed_forward),
        dropout=0.0,
        norm_first=True,
        batch_first=True,
    )
    ours = {name: weight[0].detach() for name, weight in networks.weights(torch.float32).items()}
    theirs.load_state_dict({name: _named(ours, name) for name in theirs.state_dict()})
    return theirs.eval()


# What torch calls a part, in the encoder and in the decoder, and what we do.
PARTS = {
    "encoder": {"norm1": "self.norm", "norm2": "inner.norm"},
    "decoder": {"norm1": "self.norm", "norm2": "memory.norm", "norm3": "inner.norm"},
}
NORM_KINDS = {"weight": "scale", "bias": "shift"}
COMMON_PARTS = {
    "self_attn.in_proj": ("self.input",),
    "self_attn.out_proj": ("self.output",),
    "multihead_attn.in_proj": ("memory.query", "memory.input"),
    "multihead_attn.out_proj": ("memory.output",),
    "linear1": ("inner.input",),
    "linear2": ("inner.output",),
}


def _named(ours: dict[str, Tensor], name: str) -> Tensor:
    """The weight of ours that torch calls so."""
    part, _, rest = name.partition(".")
    kind = rest.split(".")[-1].removeprefix("in_proj_")
    if "norm" in rest:
        place = "norm"
        if rest.startswith("layers."):
            _, layer, norm, _ = rest.split(".")
            place = f"{layer}.{PARTS[part][norm]}"
        return ours[f"{part}.{place}.{NORM_KINDS[kind]}"].flatten()
    _, layer, block = rest.split(".", 2)
    block = block.replace("in_proj_", "in_proj.").removesuffix(f".{kind}")
    found = [ours[f"{part}.{layer}.{place}.{kind}"] for place in COMMON_PARTS[block]]
    return torch.cat(found, dim=1).T if kind == "weight" else torch.cat(found, dim=1)[0]


@pytest.mark.filterwarnings("ignore:enable_nested_tensor is True")
def test_a_network_is_the_transformer_of_torch() -> None:
    """Encoder and decoder, on padded input, with weights and biases that are all at random."""
    networks = ManyNetworks(TINY, seeds=[1]).eval()
    generator = torch.Generator().manual_seed(2)
    networks.values.data = 0.3 * torch.randn(networks.values.shape, generator=generator)
    theirs, weights = transformer_of(networks), networks.weights(torch.float32)
    sources, targets = expressions(1), expressions(1, seed=1)
    with torch.no_grad():
        encoded = networks.encode(sources)
        hidden = ~encoded.visible[0]
        inputs = networks._look_up(weights, sources)[0]
        memory = theirs.encoder(inputs, src_key_padding_mask=hidden)
        assert hidden.any()
        torch.testing.assert_close(encoded.memory[0][~hidden], memory[~hidden])
        later = torch.ones(6, 6, dtype=torch.bool).triu(1)
        states = theirs.decoder(
            networks._look_up(weights, targets[:, :, :-1])[0],
            memory,
            tgt_mask=later,
            memory_key_padding_mask=hidden,
        )
        wanted = states @ weights["output.weight"][0] + weights["output.bias"][0]
        torch.testing.assert_close(networks(sources, targets)[0][0], wanted)


def test_what_layers_add_up_is_float32_whatever_they_compute_in() -> None:
    networks = ManyNetworks(TINY, seeds=[1])
    weights, tokens = networks.weights(torch.bfloat16), expressions(1)
    states = networks._look_up(weights, tokens)
    allowed = (tokens > 0)[:, :, None, None, :]
    after = networks._block(weights, "encoder.0", states, allowed)
    assert states.dtype == after.dtype == torch.float32
    assert networks.encode(tokens, torch.bfloat16).memory.dtype == torch.bfloat16


def test_attention_is_drawn_as_one_matrix_as_in_torch() -> None:
    weights = ManyNetworks(TINY, seeds=[1]).weights(torch.float32)
    bound = (6 / (4 * TINY.width)) ** 0.5
    for name in ("encoder.0.self.input", "decoder.0.memory.query", "decoder.1.memory.input"):
        largest = float(weights[f"{name}.weight"].detach().abs().max())
        assert 0.95 * bound < largest <= bound, name
