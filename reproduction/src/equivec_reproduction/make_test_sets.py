"""The sets that published results use, and a sample of the corpus, in data/.

Expressions stand one a line in the published token format: the validation set; the test set, those
of each engine apart; and the unseen functions, each beside one of its equivalents. The training
expressions of the sample can stand as distractors: none of them is equal to an unseen function.
"""

from __future__ import annotations

import random
from collections import defaultdict
from typing import TYPE_CHECKING

from equivec.corpus.splitting import TEST, UNSEEN, UNSEEN_EQUIVALENT, VALIDATION
from equivec.corpus.store import Corpus
from equivec.pipeline.corpus import sample_corpus
from equivec.storage.files import written_whole
from equivec_reproduction.folder import ROOT

if TYPE_CHECKING:
    from pathlib import Path

DATA = ROOT / "data"
SEED = 42
CLUSTERS = 10_000


def make_test_sets(folder: Path) -> None:
    """Write all files."""
    corpus = Corpus.open(folder)
    DATA.mkdir(exist_ok=True)
    write_lines("validation.txt", corpus.table(VALIDATION)["tokens"].to_pylist())
    by_engine = defaultdict[str, list[str]](list)
    for row in corpus.table(TEST).select(["engine", "tokens"]).to_pylist():
        by_engine[row["engine"]].append(row["tokens"])
    for engine, texts in by_engine.items():
        write_lines(f"test.{engine}.txt", texts)
    write_lines("unseen.tsv", [f"{text}\t{other}" for text, other in unseen_pairs(corpus)])
    sample_corpus(folder, DATA / "sample", CLUSTERS, SEED)


def unseen_pairs(corpus: Corpus) -> list[tuple[str, str]]:
    """Each unseen function with one of its equivalents, drawn by the seed."""
    draw = random.Random(SEED)  # noqa: S311
    equivalents = defaultdict[int, list[str]](list)
    for row in corpus.table(UNSEEN_EQUIVALENT).select(["cluster", "tokens"]).to_pylist():
        equivalents[row["cluster"]].append(row["tokens"])
    unseen = corpus.table(UNSEEN).select(["cluster", "tokens"]).to_pylist()
    return [
        (row["tokens"], draw.choice(equivalents[row["cluster"]]))
        for row in unseen
        if row["cluster"] in equivalents
    ]


def write_lines(name: str, lines: list[str]) -> None:
    """One file of data/."""
    with written_whole(DATA / name) as file:
        file.writelines(f"{line}\n" for line in lines)
