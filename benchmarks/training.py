"""Training: pairs a second of the fast recipe and of a plain padded loop, on the same GPU.

python -m benchmarks.training ARRAYS [--width 512] [--batch-size 1024] [--seconds 20] [--save FILE]

The plain loop is what one writes first: `nn.Transformer` in eager mode under autocast, every batch
padded to its longest expression. Both draw the same pairs from arrays on the device.
"""

from __future__ import annotations

import argparse
import math
import shlex
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn
from torch.nn import functional

from benchmarks.record import save_results
from equivec.expression.grammar import ELEMENTARY
from equivec.model.batches import ClusterSampler
from equivec.model.clusters import Clusters
from equivec.model.network import Transformer, TransformerConfig, sinusoids
from equivec.model.objectives import TransformerObjective
from equivec.model.training import Trainer
from equivec.pipeline.training import Recipe
from equivec_reproduction.measured import Throughput

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from equivec.model.batches import Batch
    from equivec.model.ragged import Ragged

_BF16_PEAK = 989e12  # dense, operations a second, from the data sheet of the H100 and H200


class PlainNetwork(nn.Module):
    """Embedding, `nn.Transformer` and output, as in the documentation's examples."""

    positions: Tensor

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.embedding = nn.Embedding(config.vocabulary_size, config.width, padding_idx=0)
        self.transformer = nn.Transformer(
            config.width,
            config.heads,
            config.layers,
            config.layers,
            config.feed_forward,
            config.dropout,
            batch_first=True,
            norm_first=True,
        )
        self.output = nn.Linear(config.width, config.vocabulary_size)
        self.register_buffer("positions", sinusoids(config.max_tokens + 2, config.width))

    def forward(self, sources: Tensor, written: Tensor) -> Tensor:
        """Logits of the next tokens."""
        length = written.shape[1]
        future = torch.ones(length, length, dtype=torch.bool, device=written.device).triu(1)
        result: Tensor = self.transformer(
            self._look_up(sources),
            self._look_up(written),
            tgt_mask=future,
            src_key_padding_mask=sources == 0,
            tgt_key_padding_mask=written == 0,
            memory_key_padding_mask=sources == 0,
        )
        logits: Tensor = self.output(result)
        return logits

    def _look_up(self, tokens: Tensor) -> Tensor:
        states: Tensor = self.embedding(tokens) * math.sqrt(self.positions.shape[1])
        return states + self.positions[: tokens.shape[1]]


def _padded(tokens: Tensor, layout: Ragged) -> Tensor:
    """A row as a rectangle, padded with zeros to the longest sequence."""
    longest = int(layout.starts.diff().max())
    rows = torch.zeros(len(layout.starts) - 1, longest, dtype=torch.long, device=tokens.device)
    rows[layout.owners, layout.offsets] = tokens
    return rows


def plain_step(
    network: PlainNetwork, optimiser: torch.optim.Optimizer, sampler: ClusterSampler
) -> Callable[[int], Tensor]:
    """One step of the plain loop."""

    def step(number: int) -> Tensor:
        batch = sampler.draw(number)
        sources = _padded(batch.tokens, batch.layout)
        written = _padded(batch.written, batch.written_layout)
        wanted = _padded(batch.wanted, batch.written_layout)
        with torch.autocast(sources.device.type, dtype=torch.bfloat16):
            logits = network(sources, written)
        loss = functional.cross_entropy(
            logits.float().flatten(0, 1), wanted.flatten(), ignore_index=0, label_smoothing=0.1
        )
        optimiser.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimiser.step()
        return loss.detach()

    return step


def measure(step: Callable[[int], Tensor], seconds: float) -> tuple[float, int]:
    """Steps a second after a warm-up, and how many there were."""
    for number in range(5):
        float(step(number))
    started, count = time.perf_counter(), 0
    while time.perf_counter() - started < seconds:
        for _ in range(10):
            loss = step(5 + count)
            count += 1
        float(loss)  # waits for the device
    return count / (time.perf_counter() - started), count


def operations_per_pair(config: TransformerConfig, batch: Batch, pairs: int) -> float:
    """Operations of a step on tokens that are no padding, for one pair: 6 for each weight."""
    width, inner, layers = config.width, config.feed_forward, config.layers
    encoder = layers * (4 * width**2 + 2 * width * inner)
    memory = layers * 2 * width**2  # keys and values of the memory
    decoder = layers * (6 * width**2 + 2 * width * inner) + width * config.vocabulary_size
    read = float(batch.layout.starts[pairs])
    written = float(batch.written_layout.starts[pairs])
    return 6 * (read * (encoder + memory) + written * decoder) / pairs


def main(arguments: Sequence[str]) -> None:
    """Measure both and print the ratio."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.training", description=__doc__)
    parser.add_argument("arrays")
    parser.add_argument("--width", type=int, default=512)
    parser.add_argument("--batch-size", type=int, default=1024)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--eager", action="store_true", help="compile nothing")
    parser.add_argument("--save", type=Path)
    options = parser.parse_args(arguments)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    compiled = str(not options.eager).lower()
    changes = [f"width={options.width}", f"batch_size={options.batch_size}"]
    recipe = Recipe.read("fast", [*changes, f"is_compiled={compiled}"])
    config = recipe.network
    clusters = Clusters.load(options.arrays, ELEMENTARY)
    ours = _ours(recipe, clusters, device)
    plain = PlainNetwork(config).to(device)
    optimiser = torch.optim.Adam(plain.parameters(), lr=1e-4)
    sampler = _sampler(recipe, clusters, device, is_compiled=False)
    rates = {
        name: measure(step, options.seconds)[0] * options.batch_size
        for name, step in (
            ("ours", lambda _: ours.step(0.0).whole),
            ("plain", plain_step(plain, optimiser, sampler)),
        )
    }
    work = operations_per_pair(config, sampler.draw(0), options.batch_size)
    row = Throughput(
        what=f"training, width {options.width}, batch {options.batch_size}",
        ours=rates["ours"],
        alternative=rates["plain"],
        unit="pairs/s",
        ratio=rates["ours"] / rates["plain"],
        share_of_peak=rates["ours"] * work / _BF16_PEAK,
        device=torch.cuda.get_device_name() if device.type == "cuda" else "CPU",
    )
    print(row.to_json())
    if options.save:
        command = shlex.join(["python", "-m", "benchmarks.training", *arguments])
        save_results(options.save, command=command, seed=42, rows=[row])


def _sampler(
    recipe: Recipe, clusters: Clusters, device: torch.device, *, is_compiled: bool
) -> ClusterSampler:
    training = replace(recipe.training, is_compiled=is_compiled)
    return ClusterSampler.of(
        [clusters], [1.0], ELEMENTARY, recipe.objective, training, device=device
    )


def _ours(recipe: Recipe, clusters: Clusters, device: torch.device) -> Trainer[Batch]:
    network = Transformer(recipe.network).initialise(42).to(device)
    training = recipe.training
    objective = TransformerObjective(network, recipe.objective, training.precision)
    sampler = _sampler(recipe, clusters, device, is_compiled=training.is_compiled)
    return Trainer(objective, sampler, training)


if __name__ == "__main__":
    main(sys.argv[1:])
