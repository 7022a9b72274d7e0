"""Hits: what was found, with verdicts within a time budget, in the order that follows from them."""

from __future__ import annotations

import time
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from equivec.algebra.fingerprint import fingerprints
from equivec.algebra.judgement import UNLIKE, judge_each
from equivec.algebra.points import Domain
from equivec.errors import require_at_least
from equivec.expression.infix import write_infix
from equivec.expression.prefix import parse_prefix
from equivec.search.renaming import LETTERS, canonical, names_in_order, names_of_letters

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from equivec.algebra.judgement import Judgement
    from equivec.expression.tree import Node
    from equivec.search.store import Found

    # For each key the ways to give the query's variables canonical letters that lead to it.
    Letters = Mapping[int, Sequence[Mapping[str, str]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchConfig:
    """Whether names of variables matter, and how long the judge may take for all hits.

    Its seconds are the processor's: on a busy machine a search takes longer and knows as much.
    """

    same_names: bool = False
    judge_seconds: float = 0.25

    def __post_init__(self) -> None:
        require_at_least(0, judge_seconds=self.judge_seconds)


_EMPTY: Letters = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Hit:
    """An expression that was found.

    The verdict over the reals is that of the query, its variables renamed as `renaming` says,
    against this expression; None where there was no time for it. A verdict DIFFERENT therefore
    speaks of this renaming.
    """

    tree: Node
    cosine: float
    verdict: Judgement | None
    renaming: Mapping[str, str]

    @property
    def expression(self) -> str:
        """The expression in infix form."""
        return write_infix(self.tree)

    @property
    def is_equal(self) -> bool:
        """Whether the judge found no difference from the query over the reals."""
        return self.verdict is not None and self.verdict.is_equal


class Judging:
    """One query's verdicts; the clock runs from the first one."""

    def __init__(self, query: Node, config: SearchConfig) -> None:
        self.query = query
        self.config = config
        self._by_appearance = dict(zip(names_in_order(query), LETTERS, strict=False))
        self._end: float | None = None
        self._queries: dict[frozenset[tuple[str, str]], Node] = {}
        self._by_function: dict[int, dict[str, Mapping[str, str]]] = {}

    def hits(self, some: Sequence[Found], letters: Letters = _EMPTY) -> Iterator[Hit]:
        """What was found with its verdicts.

        Where no letters lead to a key the query gets them in the order in which its variables
        appear.
        """
        trees = [parse_prefix(found.text) for found in some]
        renamings = [
            self._renaming(tree, self._letters(found.key, tree, letters))
            for found, tree in zip(some, trees, strict=True)
        ]
        verdicts = judge_each(
            [(self._renamed(names), tree) for names, tree in zip(renamings, trees, strict=True)]
        )
        for found, tree, names in zip(some, trees, renamings, strict=True):
            yield Hit(tree, found.cosine, next(verdicts) if self._has_time() else None, names)

    def confirmed(self, matches: Sequence[Found], letters: Letters, most: int) -> list[Hit]:
        """The matches that are equal at least for positive variables, or not judged in time.

        The simplest are taken, until so many are equal over the reals or there is no more time. A
        shared key alone proves nothing: matches that turn out different are left out.
        """
        simplest = sorted(matches, key=lambda found: found.text.count(" "))
        kept: list[Hit] = []
        equal = 0
        for start in range(0, len(simplest), most):
            for hit in self.hits(simplest[start : start + most], letters):
                if hit.verdict is None or hit.verdict.rank < UNLIKE:
                    kept.append(hit)
                    equal += hit.is_equal
                if equal == most or (hit.verdict is None and len(kept) >= most):
                    return kept
        return kept

    def _letters(self, key: int, tree: Node, letters: Letters) -> Mapping[str, str]:
        """Of the letters that lead to a key those that give the tree's function over the reals."""
        ways = letters.get(key, (self._by_appearance,))
        if len(ways) == 1:
            return ways[0]
        if key not in self._by_function:
            known = fingerprints([self.query.rename(dict(names)) for names in ways], Domain.REAL)
            self._by_function[key] = dict(zip(reversed(known), reversed(ways), strict=True))
        (fingerprint,) = fingerprints([canonical(tree)[0]], Domain.REAL)
        return self._by_function[key].get(fingerprint, ways[0])

    def _has_time(self) -> bool:
        now = time.thread_time()
        if self._end is None:
            self._end = now + self.config.judge_seconds
        return now < self._end

    def _renamed(self, names: Mapping[str, str]) -> Node:
        """The query under other names: one tree for the same names, so that its work is shared."""
        key = frozenset(names.items())
        if key not in self._queries:
            self._queries[key] = self.query.rename(dict(names))
        return self._queries[key]

    def _renaming(self, tree: Node, letters: Mapping[str, str]) -> dict[str, str]:
        if self.config.same_names:
            return {name: name for name in letters}
        return names_of_letters(letters, names_in_order(tree))


# Ranks after those of judgements that find expressions equal in some sense.
_NOT_JUDGED, _NEIGHBOUR = UNLIKE, UNLIKE + 1


def in_order(confirmed: list[Hit], neighbours: list[Hit]) -> list[Hit]:
    """Expressions by how equal they are, then matches that were not judged, then the others.

    Equal over the reals is most, then equal where both are defined, then either for positive
    variables alone. Of those that are as equal the simplest come first, of the others the nearest.
    """
    ranked = [(_rank(hit, _NOT_JUDGED), hit) for hit in confirmed]
    ranked += [(_rank(hit, _NEIGHBOUR), hit) for hit in neighbours]
    return [hit for _, hit in sorted(ranked, key=lambda row: row[0])]


def _rank(hit: Hit, otherwise: int) -> tuple[int, int, float]:
    if hit.verdict is None or hit.verdict.rank == UNLIKE:
        return otherwise, 0, -hit.cosine
    return hit.verdict.rank, hit.tree.size, -hit.cosine
