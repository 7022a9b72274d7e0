"""A corpus judged again: a random sample of its members, at fresh points."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Annotated

from equivec.algebra.compare import JudgeConfig, compare_many
from equivec.algebra.points import PAPER_DOMAIN
from equivec.algebra.sympy_judge import SymPyJudge
from equivec.corpus.export import clusters_of
from equivec.evaluate.results import Result
from equivec.expression.prefix import parse_prefix
from equivec.jobs.timebox import TimeBoxConfig
from equivec.storage.values import InJson

if TYPE_CHECKING:
    from collections.abc import Iterator

    from equivec.corpus.store import Corpus
    from equivec.expression.tree import Node

    Pair = tuple[Node, Node]

# Other points than those the corpus was made with, and several times the precision.
FRESH_JUDGE = JudgeConfig(domain=PAPER_DOMAIN, points_seed=1, confirmations=5, accurate_bits=400)
_CHUNK = 512


@dataclass(frozen=True, slots=True)
class Rejudged:
    """Verdicts on a sample of members against another member of their cluster."""

    judge: str
    verdicts: Counter[str]


@dataclass(frozen=True, slots=True)
class Verification(Result):
    """The damaged files of a corpus, and the verdicts on a sample of it by judge."""

    damaged_files: Annotated[tuple[str, ...], InJson("damaged files")]
    verdicts: Mapping[str, Mapping[str, int]]

    @property
    def is_wrong(self) -> bool:
        """Whether a file is damaged or our judge denies a member."""
        ours = self.verdicts.get("ours", {})
        wrong = ours.get("DIFFERENT", 0) + ours.get("EQUAL_ON_COMMON_DOMAIN", 0)
        return bool(self.damaged_files or wrong)

    def sentences(self) -> Iterator[str]:
        """The damaged files, and the verdicts of each judge."""
        yield f"damaged files: {', '.join(self.damaged_files) or 'none'}"
        for judge, verdicts in self.verdicts.items():
            counts = ", ".join(f"{name} {count:,}" for name, count in sorted(verdicts.items()))
            yield f"{judge}: {counts}"


def sample_members(corpus: Corpus, count: int, seed: int) -> list[Pair]:
    """Random members of random clusters, each with the first member of its cluster."""
    generator = Random(seed)  # noqa: S311
    pairs = [
        (members[0], other) for members in clusters_of(corpus.table()) for other in members[1:]
    ]
    chosen = generator.sample(pairs, min(count, len(pairs)))
    return [(parse_prefix(a), parse_prefix(b)) for a, b in chosen]


def rejudge(pairs: list[Pair]) -> Iterator[Rejudged]:
    """The counts of verdicts so far, after every chunk of the sample."""
    verdicts: Counter[str] = Counter()
    for start in range(0, len(pairs), _CHUNK):
        found = compare_many(pairs[start : start + _CHUNK], FRESH_JUDGE)
        verdicts.update(verdict.relation.name for verdict in found)
        yield Rejudged("ours", verdicts.copy())


def rejudge_by_sympy(
    pairs: list[Pair], workers: int = 2, time_limit: float = 2.0
) -> Iterator[Rejudged]:
    """The same by the paper's judge; what SymPy cannot show proves nothing."""
    verdicts: Counter[str] = Counter()
    with SymPyJudge(TimeBoxConfig(workers=workers, time_limit=time_limit)) as judge:
        for verdict in judge.compare_many(pairs):
            verdicts[verdict.name] += 1
            yield Rejudged("sympy", verdicts.copy())
