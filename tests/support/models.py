"""Tiny networks and clusters for tests."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

import torch

from equivec.expression.completion import TokenTable
from equivec.expression.grammar import ELEMENTARY
from equivec.expression.prefix import write_tokens
from equivec.expression.text import parse
from equivec.expression.vocabulary import Vocabulary
from equivec.model.batches import ClusterSampler
from equivec.model.clusters import Clusters
from equivec.model.folder import Model, save_model
from equivec.model.network import Transformer, TransformerConfig
from equivec.model.objectives import TransformerObjective
from equivec.model.onnx_export import export
from equivec.model.settings import ObjectiveConfig, TrainingConfig
from equivec.model.training import Trainer

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

VOCABULARY = Vocabulary.of(ELEMENTARY)
TABLE = TokenTable.of(VOCABULARY, ELEMENTARY)

EQUIVALENTS = (
    ("sin(x)/cos(x)", "tan(x)", "1/cot(x)"),
    ("2*x", "x + x", "4*x/2"),
    ("exp(2*x)", "exp(x)**2"),
    ("(x + 1)**2", "x**2 + 2*x + 1", "1 + x*(x + 2)"),
    ("ln(x**3)", "3*ln(x)"),
    ("sqrt(x)*sqrt(x)*17", "17*x"),
)


def ids_of(text: str) -> list[int]:
    """The token ids of an expression."""
    return VOCABULARY.encode(write_tokens(parse(text)))


def tiny_clusters() -> Clusters:
    """A handful of clusters."""
    return Clusters.of([[ids_of(text) for text in cluster] for cluster in EQUIVALENTS])


def tiny_analogies() -> Clusters:
    """Four of f at two arguments, one of writing; functions have the numbers of the clusters."""
    rows = [
        ("sin(x)", "x", "ln(x)", "sin(ln(x))", "ln(sin(x))"),
        ("exp(x)", "x", "2*x", "exp(2*x)", "2*exp(x)"),
        ("x**2", "x", "exp(x)", "exp(x)**2", "exp(x**2)"),
        ("cos(y)", "y", "3*y", "cos(3*y)", "3*cos(y)"),
        ("exp(2*x)", "exp(x)**2", "x + x", "2*x", "x**2"),
    ]
    functions = [
        [10, 11, 12, 13, 14],
        [15, 11, 1, 2, 16],
        [17, 11, 15, 2, 18],
        [19, 20, 21, 22, 23],
        [2, 2, 1, 1, 17],
    ]
    return Clusters.of([[ids_of(text) for text in row] for row in rows], functions)


def tiny_network(seed: int = 1, **changes: object) -> Transformer:
    """A network that computes in milliseconds."""
    shape = {"width": 32, "feed_forward": 64, "layers": 2, "heads": 4, "dropout": 0.0, **changes}
    config = TransformerConfig(vocabulary_size=len(VOCABULARY), **shape)  # type: ignore[arg-type]
    return Transformer(config).initialise(seed)


def configs_of(**changes: Any) -> tuple[ObjectiveConfig, TrainingConfig]:
    """The configs with each change in the one that has it."""
    names = {field.name for field in fields(ObjectiveConfig)}
    objective = {name: value for name, value in changes.items() if name in names}
    training = {name: value for name, value in changes.items() if name not in names}
    return ObjectiveConfig(**objective), TrainingConfig(**{"batch_size": 16, **training})


def sampler_of(
    *sets: Clusters,
    shares: Sequence[float] = (),
    analogies: Clusters | None = None,
    process: int = 0,
    processes: int = 1,
    **changes: object,
) -> ClusterSampler:
    """A sampler on the CPU, of the tiny clusters if of no others."""
    objective, training = configs_of(**changes)
    return ClusterSampler.of(
        sets or [tiny_clusters()],
        shares or [1.0] * max(1, len(sets)),
        ELEMENTARY,
        objective,
        training,
        device=torch.device("cpu"),
        analogies=analogies,
        process=process,
        processes=processes,
    )


def trainer_of(
    network: Transformer,
    *sets: Clusters,
    shares: Sequence[float] = (),
    analogies: Clusters | None = None,
    **changes: object,
) -> Trainer[Any]:
    """A trainer on the CPU."""
    objective, training = configs_of(**changes)
    sampler = sampler_of(*sets, shares=shares, analogies=analogies, **changes)
    return Trainer(TransformerObjective(network, objective, training.precision), sampler, training)


def model_folder_of(network: Transformer, folder: Path) -> Path:
    """A model folder with its graphs."""
    save_model(folder, Model(network, VOCABULARY, {}), "a tiny model")
    export(folder)
    return folder
