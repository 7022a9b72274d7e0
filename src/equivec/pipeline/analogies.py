"""Analogies to be learnt, as arrays: what `equivec train --analogies` reads."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import numpy as np

from equivec.algebra.fingerprint import fingerprints
from equivec.corpus.export import clusters_of, write_arrays
from equivec.corpus.splitting import TRAIN
from equivec.corpus.store import Corpus
from equivec.evaluate.analogy_making import rival, training_analogies
from equivec.evaluate.pool import prefix_text
from equivec.expression.infix import write_infix
from equivec.expression.prefix import parse_prefix

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


_LONGEST_ARGUMENT = 6  # tokens


def write_training_analogies(
    path: str | Path, of_each_family: int, seed: int = 42, corpus: str | Path | None = None
) -> int:
    """Write analogies of every family with a rival each, and a number for every function.

    Short functions of a corpus may stand as arguments, beside those of a table.
    """
    arguments = [] if corpus is None else list(_short_functions(Corpus.open(corpus)))
    analogies = training_analogies(Random(seed), of_each_family, arguments)  # noqa: S311
    rows = [(*analogy.expressions, rival(analogy)) for analogy in analogies]
    texts = list(dict.fromkeys(text for row in rows for text in row))
    marks = dict(zip(texts, fingerprints(texts), strict=True))
    numbers = {mark: number for number, mark in enumerate(dict.fromkeys(marks.values()))}
    write_arrays(
        ([prefix_text(text) for text in row] for row in rows),
        path,
        functions=np.array(
            [[numbers[marks[text]] for text in row] for row in rows], dtype=np.uint32
        ),
    )
    return len(rows)


def _short_functions(corpus: Corpus) -> Iterator[str]:
    """The shortest training form, in infix, of each function of x that has a short one."""
    for members in clusters_of(corpus.table(TRAIN)):
        tokens = min((text.split() for text in members), key=len)
        if len(tokens) <= _LONGEST_ARGUMENT and "x" in tokens:
            yield write_infix(parse_prefix(" ".join(tokens)))
