"""Figures of Gangwar & Kani 2023, beside which ours are shown: printed, or computed from theirs."""

from __future__ import annotations

from importlib.resources import files
from itertools import groupby
from typing import TYPE_CHECKING

from equivec.errors import ConfigError
from equivec.evaluate.analogies import judge_answers, paper_analogies
from equivec.evaluate.distance_analysis import DistanceAnalysis, measured_neighbours
from equivec.storage.files import read_table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from equivec.evaluate.analogies import Answer

DATA = files("equivec_reproduction") / "data"
STRUCTURAL, SEMANTIC = MODELS = ("StructEmb", "SemEmb")

TRAINING_PAIRS, TRAINING_EXPRESSIONS = 4_662_300, 2_744_824
# Operators and lengths of the sets: mean and standard deviation (its table 1).
OPERATORS: Mapping[str, str] = {
    "train": "5.68 ± 1.32",
    "validation": "5.60 ± 1.29",
    "test": "5.98 ± 1.22",
}
LENGTHS: Mapping[str, str] = {
    "train": "16.19 ± 6.28",
    "validation": "15.03 ± 4.31",
    "test": "16.20 ± 4.13",
}
# Expressions that have operators of so many types (its appendix).
BY_TYPES: Mapping[int, int] = {1: 1_424_243, 2: 1_186_808, 3: 130_547}

# How often a beam holds a correct equivalent, by set, model and beam.
ACCURACY: Mapping[tuple[str, str], Mapping[int, float]] = {
    ("test", "SemEmb"): {1: 0.7206, 10: 0.8118, 50: 0.8386},
    ("validation", "SemEmb"): {1: 0.7615, 10: 0.8365, 50: 0.8665},
    ("test", "StructEmb"): {1: 0.9996, 10: 0.9998, 50: 0.9998},
    ("validation", "StructEmb"): {1: 0.9995, 10: 0.9995, 50: 0.9995},
}

# 1-NN purity in the 2-D coordinates that the authors published for their 7,030 expressions.
PURITY: Mapping[str, float] = {"SemEmb": 0.626, "StructEmb": 0.441}

# In how many of 2,000 queries a model's nearest expression is strictly closer, by form of trees.
TREE_EDIT: Mapping[str, Mapping[str, int]] = {
    "raw": {"StructEmb": 1_044, "SemEmb": 261},
    "without constants": {"StructEmb": 402, "SemEmb": 683},
}
TREE_EDIT_QUERIES = 2_000


def paper_answers(model: str) -> tuple[Answer, ...]:
    """What one of the paper's models answered to its analogies, judged as ours are."""
    if model not in MODELS:
        raise ConfigError(f"{model!r} is not a model of the paper; use {' or '.join(MODELS)}")
    place = 1 + MODELS.index(model)
    texts = [[row[place]] for row in read_table(DATA / "paper_answers.tsv")]
    return judge_answers(paper_analogies(), texts)


def paper_neighbours() -> dict[str, DistanceAnalysis]:
    """What the paper's models found in its distance analysis, by model.

    >>> [analysis.queries[0].query for analysis in paper_neighbours().values()]
    ['4*x**2*cos(3*x - 1)', '4*x**2*cos(3*x - 1)']
    """
    rows = read_table(DATA / "paper_neighbours.tsv")
    groups = {query: list(some) for query, some in groupby(rows, lambda row: row[0])}
    return {
        model: DistanceAnalysis(
            model,
            TRAINING_EXPRESSIONS,
            tuple(
                measured_neighbours(query, [row[place] for row in some])
                for query, some in groups.items()
            ),
        )
        for place, model in enumerate(MODELS, 1)
    }
