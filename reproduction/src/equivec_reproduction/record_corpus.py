"""A corpus described and judged again, as results/corpus.json, corpus.html and corpus.png."""

from __future__ import annotations

from typing import TYPE_CHECKING

from equivec.corpus.store import Corpus
from equivec.evaluate.corpus_page import write_operator_chart, write_page
from equivec.evaluate.corpus_statistics import describe
from equivec.evaluate.corpus_verification import (
    Verification,
    rejudge,
    rejudge_by_sympy,
    sample_members,
)
from equivec.evaluate.provenance import provenance
from equivec.storage.files import write_json
from equivec_reproduction.folder import RESULTS
from equivec_reproduction.measured import BuiltCorpora, BuiltCorpus

if TYPE_CHECKING:
    from pathlib import Path

SAMPLE, SYMPY_SAMPLE, SEED = 50_000, 2_000, 1


def record_corpus(folder: Path, command: str, commit: str, seconds: float, kilobytes: int) -> Path:
    """Write the three files; command, commit, time and memory are those of the build."""
    corpus = Corpus.open(folder)
    described = describe(corpus)
    write_page(RESULTS / "corpus.html", corpus, described)
    write_operator_chart(RESULTS / "corpus.png", described)
    row = BuiltCorpus(seconds, kilobytes, described, _verified(corpus), corpus.manifest)
    origin = provenance(command, corpus.manifest["settings"]["shard"]["seed"], commit)
    path = RESULTS / "corpus.json"
    write_json(path, {**origin.to_json(), **BuiltCorpora((row,)).to_json()})
    return path


def _verified(corpus: Corpus) -> Verification:
    pairs = sample_members(corpus, SAMPLE, SEED)
    judged = (*rejudge(pairs), *rejudge_by_sympy(pairs[:SYMPY_SAMPLE]))
    verdicts = {each.judge: dict(each.verdicts) for each in judged}
    return Verification(tuple(corpus.damaged_files()), verdicts)
