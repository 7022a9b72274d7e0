"""`equivec train`: a network from a corpus."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path  # noqa: TC003 (typer reads it at run time)
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from equivec.cli.console import ProgressLine, need_torch, note
from equivec.cli.options import out_option

if TYPE_CHECKING:
    from equivec.model.training import TrainingConfig
    from equivec.pipeline.training import Progress


def train(
    corpus: Annotated[
        list[Path],
        typer.Argument(help="Corpora, or files of exported arrays."),
    ],
    out: Annotated[Path, out_option("The folder of the run; its model is OUT/model.")],
    recipe: Annotated[
        Literal["paper", "fast"], typer.Option(help="The paper's training, or a fast one.")
    ] = "paper",
    setting: Annotated[
        Literal["semantic", "structural"],
        typer.Option(help="Write an equivalent (SemEmb) or the input itself (StructEmb)."),
    ] = "semantic",
    width: Annotated[int, typer.Option(help="Width of the network.")] = 512,
    layers: Annotated[int, typer.Option(help="Layers of the encoder, and of the decoder.")] = 6,
    heads: Annotated[int, typer.Option(help="Attention heads.")] = 8,
    pooling: Annotated[
        Literal["max", "mean", "first", "last"], typer.Option(help="How states become a vector.")
    ] = "max",
    norm: Annotated[
        Literal["first", "last"],
        typer.Option(help="Where layers are normalised: what a part sees, or the sum after it."),
    ] = "first",
    dropout: Annotated[
        float, typer.Option(help="The share of activations that training drops.")
    ] = 0.1,
    contrast: Annotated[float, typer.Option(help="Weight of the contrastive loss.")] = 0.0,
    sequence: Annotated[float, typer.Option(help="Weight of the sequence loss.")] = 1.0,
    temperature: Annotated[float, typer.Option(help="Temperature of the contrastive loss.")] = 0.07,
    analogies: Annotated[
        Path | None, typer.Option(help="Analogies to be learnt: a file of `corpus analogies`.")
    ] = None,
    analogy: Annotated[float, typer.Option(help="Weight of the loss of analogies.")] = 0.0,
    mutants: Annotated[
        Literal["none", "operators", "all"],
        typer.Option(help="Hard negatives: targets with another operator, or number as well."),
    ] = "none",
    margin: Annotated[
        float,
        typer.Option(help="Cosine by which functions of other operator types lie further away."),
    ] = 0.0,
    renamed_share: Annotated[
        float, typer.Option(help="Share of the pairs whose variables get other names.")
    ] = 0.0,
    lone_share: Annotated[
        float,
        typer.Option(help="Share of the pairs that are written from one state of the input alone."),
    ] = 0.0,
    weighting: Annotated[
        Literal["pairs", "members"],
        typer.Option(help="Clusters are drawn by their pairs (the paper) or by their members."),
    ] = "pairs",
    target_draws: Annotated[
        int, typer.Option(help="Equivalents drawn, of which the shortest is to be written.")
    ] = 1,
    batch_size: Annotated[
        int | None, typer.Option(help="How many pairs a step takes in each process.")
    ] = None,
    learning_rate: Annotated[float | None, typer.Option(help="The highest learning rate.")] = None,
    warmup_steps: Annotated[
        int | None, typer.Option(help="Steps in which the learning rate rises to its highest.")
    ] = None,
    max_steps: Annotated[int | None, typer.Option(help="End after this many steps.")] = None,
    precision: Annotated[
        Literal["fp32", "bf16"] | None, typer.Option(help="The number format of matrix products.")
    ] = None,
    compiled: Annotated[
        bool | None, typer.Option("--compiled/--eager", help="Whether layers are compiled.")
    ] = None,
    share: Annotated[
        list[float] | None,
        typer.Option(help="A corpus's share of the pairs; give it once for each corpus."),
    ] = None,
    validation: Annotated[
        Path | None, typer.Option(help="Validation pairs as arrays; a corpus brings its own.")
    ] = None,
    start: Annotated[
        str | None,
        typer.Option(
            help="A model of the same shape, or its encoder alone, whose weights are the first; "
            "what it has none for is random."
        ),
    ] = None,
    frozen_encoder: Annotated[
        bool,
        typer.Option("--frozen-encoder", help="Train the decoder alone; vectors stay as they are."),
    ] = False,
    seconds: Annotated[
        float | None,
        typer.Option(help="End after this many seconds; the learning rate falls accordingly."),
    ] = None,
    checkpoint_seconds: Annotated[float, typer.Option(help="Seconds between checkpoints.")] = 120.0,
    report_every: Annotated[int, typer.Option(help="Steps between lines of the metrics.")] = 100,
    seed: Annotated[int, typer.Option(help="The seed of weights, batches and dropout.")] = 42,
    device: Annotated[
        str | None, typer.Option(help="cpu or cuda; by default what is there.")
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue the run that OUT holds.")
    ] = False,
) -> None:
    """Train a network on a corpus, or on several."""
    need_torch()
    from equivec.expression.grammar import ELEMENTARY
    from equivec.expression.vocabulary import Vocabulary
    from equivec.model.devices import default_device
    from equivec.model.network import TransformerConfig
    from equivec.model.objectives import ObjectiveConfig
    from equivec.model.training import RECIPES
    from equivec.pipeline.training import TrainingJob
    from equivec.pipeline.training import train as run

    objective = ObjectiveConfig(
        setting=setting,
        sequence=sequence,
        contrast=contrast,
        analogy=analogy,
        temperature=temperature,
        mutants=mutants,
        margin=margin,
        renamed_share=renamed_share,
        lone_share=lone_share,
        target_draws=target_draws,
        weighting=weighting,
    )
    job = TrainingJob(
        corpora=tuple(map(str, corpus)),
        shares=tuple(share or ()),
        validation=None if validation is None else str(validation),
        analogies=None if analogies is None else str(analogies),
        start=start,
        network=TransformerConfig(
            vocabulary_size=len(Vocabulary.of(ELEMENTARY)),
            width=width,
            feed_forward=4 * width,
            layers=layers,
            heads=heads,
            dropout=dropout,
            pooling=pooling,
            norm=norm,
        ),
        training=_changed(
            RECIPES[recipe],
            objective=objective,
            seed=seed,
            batch_size=batch_size,
            learning_rate=learning_rate,
            warmup_steps=warmup_steps,
            max_steps=max_steps,
            min_steps=None if max_steps is None else min(max_steps, RECIPES[recipe].min_steps),
            precision=precision,
            is_compiled=compiled,
            is_encoder_frozen=frozen_encoder,
        ),
        seconds=seconds,
        checkpoint_seconds=checkpoint_seconds,
        report_every=report_every,
        device=device or default_device(),
    )
    line = ProgressLine()
    for progress in run(out, job, resume=resume):
        line.show(_text(progress))
    line.end()
    note(f"wrote {out / 'model'}")


def _changed(config: TrainingConfig, **changes: object) -> TrainingConfig:
    """The recipe with what was asked for otherwise."""
    return replace(config, **{key: value for key, value in changes.items() if value is not None})  # type: ignore[arg-type]


def _text(progress: Progress) -> str:
    left = progress.seconds / max(progress.progress, 1e-9) - progress.seconds
    validation = "" if progress.validation is None else f" · validation {progress.validation:.3f}"
    return (
        f"step {progress.step:,} · loss {progress.loss:.3f}{validation} · "
        f"{progress.pairs_per_second:,.0f} pairs/s · {left:,.0f} s left"
    )
