"""An encoder without a model: tokens counted, and the counts thrown together at random."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from equivec.algebra.judgement import judge_each
from equivec.expression.prefix import write_prefix
from equivec.expression.text import parse, write

if TYPE_CHECKING:
    from collections.abc import Sequence

    from equivec.algebra.judgement import Judgement
    from equivec.expression.tree import Node


class OfTexts:
    """An encoder made for a test, of the prefix texts of trees; `rows` gives their vectors."""

    checksum = "made for a test"

    def rows(self, texts: Sequence[str]) -> np.ndarray:
        raise NotImplementedError

    def encode(self, trees: Sequence[Node], **_: bool) -> np.ndarray:
        return self.rows([write_prefix(tree) for tree in trees])


@dataclass(frozen=True)
class FakeEncoder:
    """Expressions with the same tokens side by side get vectors that are near."""

    name: str = "fake"
    width: int = 32

    @property
    def checksum(self) -> str:
        return f"{self.name} {self.width}"

    def encode(self, trees: Sequence[Node], *, normalize: bool = True) -> np.ndarray:
        vectors = np.array([self._vector(write_prefix(tree)) for tree in trees], dtype=np.float32)
        vectors = vectors.reshape(len(trees), self.width)
        if normalize:
            vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors

    def _vector(self, text: str) -> np.ndarray:
        tokens = text.split()
        counts = Counter([*tokens, *map(" ".join, pairwise(tokens))])
        return sum(count * self._direction(token) for token, count in counts.items())

    def _direction(self, token: str) -> np.ndarray:
        return _direction(token, self.width)


@cache
def _direction(token: str, width: int) -> np.ndarray:
    seed = int.from_bytes(blake2b(token.encode(), digest_size=4).digest())
    return np.random.default_rng(seed).normal(size=width)


@dataclass(frozen=True)
class FakeEquivalent:
    """A proposal with its verdict, as a model would give it."""

    tree: Node
    log_probability: float
    verdict: Judgement


@dataclass(frozen=True)
class FakeEmbedder(FakeEncoder):
    """An encoder that also proposes equivalents: some true, one wrong."""

    can_write = True

    def equivalents(
        self,
        tree: Node,
        *,
        k: int = 10,
        beam: int = 10,
        threads: int = 0,  # noqa: ARG002
    ) -> list[FakeEquivalent]:
        forms = ("0 + ({})", "({}) + 1", "2*({})/2", "log(exp({}))")
        proposals = [parse(form.format(write(tree))) for form in forms][: min(k, beam)]
        verdicts = judge_each([(tree, each) for each in proposals])
        return [
            FakeEquivalent(each, -0.5 * place, verdict)
            for place, (each, verdict) in enumerate(zip(proposals, verdicts, strict=True))
        ]


def load_encoder(name: str = "fake", **_: object) -> FakeEmbedder:
    """What the command line asks for, by the name it has in the package."""
    return FakeEmbedder("fake" if name == "default" else name)
