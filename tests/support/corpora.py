"""A tiny corpus for tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from equivec.algebra.fingerprint import fingerprints
from equivec.corpus.records import Row, to_table
from equivec.corpus.splitting import TEST, TRAIN, UNSEEN, UNSEEN_EQUIVALENT
from equivec.corpus.store import write_corpus
from equivec.evaluate.plot_set import plot_expressions
from equivec.evaluate.pool import prefix_text

if TYPE_CHECKING:
    from pathlib import Path


def write_tiny_corpus(folder: Path) -> Path:
    """202 simple expressions, tan(x) among them, every fifth for testing; ten unseen functions."""
    texts = [prefix_text(row.expression) for row in plot_expressions()[::35]]
    texts[1] = prefix_text("tan(x)")
    rows = [
        Row(number, text, int(mark, 16), "rules", "", True, TEST if number % 5 == 0 else TRAIN)
        for number, (text, mark) in enumerate(zip(texts, fingerprints(texts), strict=True))
    ]
    for number in range(10):
        for text, split in ((f"{number} + 77*x", UNSEEN), (f"77*x + {number}", UNSEEN_EQUIVALENT)):
            rows.append(Row(1_000 + number, prefix_text(text), 0, "rules", "", True, split))
    write_corpus(folder, to_table(rows), {})
    return folder
