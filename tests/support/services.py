"""A small service to ask: a few formulas, and an embedder without a model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from equivec.search.index import Index
from equivec.serve.services import Services
from support.encoders import FakeEmbedder

if TYPE_CHECKING:
    from pathlib import Path

FORMULAS = [
    "(p + q)**2", "sin(x)/cos(x)", "tan(t)", "x + 1", "x + 2", "sin(x)", "cos(x)", "csc(x)",
    "sec(x)", "a/b**2", "sqrt(x**2)", "x*y*z", "log(x)/log(y)", "sqrt(x)*sqrt(x)", "exp(x)*exp(y)",
    "1/(1 + exp(-x))", "(exp(x) - exp(-x))/2", "sinh(x)", "1 - 2*sin(x)**2", "cos(2*x)",
]  # fmt: skip


def build(folder: Path) -> Path:
    """An index of the formulas in a new folder."""
    Index.build(FORMULAS, FakeEmbedder(), folder / "index")
    return folder / "index"


def load(folder: str | Path) -> Services:
    """What a service is given, from the folder of an index."""
    embedder = FakeEmbedder()
    return Services(embedder, Index.open(folder, embedder))
