"""Embedding algebra: x1 is to y1 as x2 is to y2.

The expression of a pool nearest by cosine to

    z = emb(x1) - emb(y1) + emb(y2)

is the answer, x1, y1 and y2 left out (the paper's equation 1; Mikolov et al. 2013). An answer is
exact if it is x2 as it is written, and right up to equivalence if it is the same function. Where x1
and y1 are the same function, so are x2 and y2, and any other form of y2 is right up to equivalence.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from equivec.algebra.compare import PAPER_JUDGE, compare_many
from equivec.corpus.analogies import Analogy
from equivec.evaluate.encoders import encode_once
from equivec.evaluate.pool import prefix_text
from equivec.evaluate.results import DATA, ModelResult, Result, result_of
from equivec.expression.infix import write_infix
from equivec.expression.prefix import parse_prefix
from equivec.storage.files import read_table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from equivec.embed.encoder import Encoder
    from equivec.embed.neighbours import Floats
    from equivec.evaluate.pool import Pool
    from equivec.evaluate.results import Steps

K = 5


@dataclass(frozen=True, slots=True)
class Answer(Result):
    """The nearest expressions to z, in infix, and the ranks (from 1) at which x2 is among them."""

    kind: str
    family: str
    x1: str
    y1: str
    y2: str
    x2: str
    found: tuple[str, ...]
    exact_rank: int | None
    equivalent_rank: int | None


@dataclass(frozen=True, slots=True)
class AnalogyScore(Result):
    """How many analogies of a kind are right with the first answer and among the first five."""

    kind: str
    count: int
    exact_at_1: int
    exact_at_5: int
    equivalent_at_1: int
    equivalent_at_5: int


@dataclass(frozen=True, slots=True)
class AnalogyResult(ModelResult):
    """A model's answers and their scores, by kind and for all."""

    pool: int
    scores: tuple[AnalogyScore, ...]
    answers: tuple[Answer, ...]

    def sentences(self) -> Iterator[str]:
        """How many analogies of all kinds are right."""
        total = self.scores[-1]
        yield (
            f"{total.exact_at_1} of {total.count} exact, {total.equivalent_at_1} up to "
            f"equivalence; {total.exact_at_5} exact among five"
        )


def paper_analogies() -> list[Analogy]:
    """The paper's twenty: twelve by identities, eight by substitution."""
    return [Analogy(row[0], "", *row[1:]) for row in read_table(DATA / "paper_analogies.tsv")]


def generated_analogies() -> list[Analogy]:
    """The committed set of more than a thousand."""
    return [Analogy(*row) for row in read_table(DATA / "analogies.tsv")]


def solve_analogies(encoder: Encoder, analogies: Sequence[Analogy], pool: Pool) -> AnalogyResult:
    """A model's answers from a pool, to which the expressions of the analogies are added."""
    return result_of(solve_in_steps(encoder, analogies, pool))


def solve_in_steps(
    encoder: Encoder, analogies: Sequence[Analogy], pool: Pool
) -> Steps[AnalogyResult]:
    """The same, telling how many analogies have been solved."""
    pool = pool.with_missing(encoder, (text for row in analogies for text in row.expressions))
    targets = _targets(encoder, analogies)
    asked = np.flatnonzero(targets.any(axis=1)).tolist()  # nothing is nearest where z is zero
    excluded = [analogies[place].expressions[:3] for place in asked]
    near = yield from pool.neighbours_in_steps(targets[asked], K, excluded)
    found = dict(zip(asked, near, strict=True))
    answers = judge_answers(analogies, [found.get(row, []) for row in range(len(analogies))])
    return AnalogyResult(encoder.name, len(pool), score_answers(answers), answers)


def judge_answers(
    analogies: Sequence[Analogy], found: Sequence[Sequence[str]]
) -> tuple[Answer, ...]:
    """The ranks at which x2 stands among what was found, as it is written and as a function."""
    expected = [prefix_text(analogy.x2) for analogy in analogies]
    texts = [[prefix_text(text) for text in row] for row in found]
    pairs = dict.fromkeys(
        (x2, text) for x2, row in zip(expected, texts, strict=True) for text in row
    )
    verdicts = compare_many([(parse_prefix(a), parse_prefix(b)) for a, b in pairs], PAPER_JUDGE)
    is_equal = {pair: verdict.is_equal for pair, verdict in zip(pairs, verdicts, strict=True)}
    return tuple(
        Answer(
            *(analogy.kind, analogy.family, *analogy.expressions),
            found=tuple(write_infix(parse_prefix(text)) for text in row),
            exact_rank=_rank(text == x2 for text in row),
            equivalent_rank=_rank(is_equal[x2, text] for text in row),
        )
        for analogy, x2, row in zip(analogies, expected, texts, strict=True)
    )


def score_answers(answers: Sequence[Answer]) -> tuple[AnalogyScore, ...]:
    """The scores of each kind, in the order of the analogies, and of all."""
    kinds = dict.fromkeys(answer.kind for answer in answers)
    groups = {kind: [answer for answer in answers if answer.kind == kind] for kind in kinds}
    return tuple(_score(kind, group) for kind, group in (*groups.items(), ("all", answers)))


def _targets(encoder: Encoder, analogies: Sequence[Analogy]) -> Floats:
    """z of each analogy."""
    texts = [prefix_text(text) for analogy in analogies for text in analogy.expressions[:3]]
    vectors = encode_once(encoder, texts)
    x1, y1, y2 = (vectors[place::3] for place in range(3))
    return x1 - y1 + y2


def _rank(is_right: Iterable[bool]) -> int | None:
    return next((rank for rank, right in enumerate(is_right, 1) if right), None)


def _score(kind: str, answers: Sequence[Answer]) -> AnalogyScore:
    exact = [answer.exact_rank for answer in answers]
    equivalent = [answer.equivalent_rank for answer in answers]
    counts = [
        sum(rank is not None and rank <= k for rank in ranks)
        for ranks in (exact, equivalent)
        for k in (1, K)
    ]
    return AnalogyScore(kind, len(answers), *counts)
