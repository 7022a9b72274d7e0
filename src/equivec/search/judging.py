"""Verdicts on what was found, within a time budget, and the order that follows from them."""

from __future__ import annotations

import time
from dataclasses import dataclass
from itertools import chain, islice
from types import MappingProxyType
from typing import TYPE_CHECKING

from equivec.algebra.compare import JudgeConfig, Relation, compare_each
from equivec.algebra.points import Domain
from equivec.errors import require_at_least
from equivec.expression.prefix import parse_prefix
from equivec.search.renaming import LETTERS, names_in_order, onto
from equivec.search.results import Hit

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from equivec.expression.tree import Node
    from equivec.search.store import Found

_JUDGE = JudgeConfig(domain=Domain.POSITIVE)


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchConfig:
    """Whether names of variables matter, and how long the judge may take for all hits.

    Its seconds are the processor's: on a busy machine a search takes longer and knows as much.
    """

    same_names: bool = False
    judge_seconds: float = 0.25
    judge: JudgeConfig = _JUDGE

    def __post_init__(self) -> None:
        require_at_least(0, judge_seconds=self.judge_seconds)


_EMPTY: Mapping[int, Mapping[str, str]] = MappingProxyType({})


class Judging:
    """One query's verdicts; the clock runs from the first one."""

    def __init__(self, query: Node, config: SearchConfig) -> None:
        self.query = query
        self.config = config
        self._by_appearance = dict(zip(names_in_order(query), LETTERS, strict=False))
        self._end: float | None = None
        self._queries: dict[frozenset[tuple[str, str]], Node] = {}

    def hits(
        self, some: Sequence[Found], letters: Mapping[int, Mapping[str, str]] = _EMPTY
    ) -> Iterator[Hit]:
        """What was found with its verdicts.

        For some keys there are ways to give the query canonical letters; otherwise it gets them in
        the order in which its variables appear.
        """
        trees = [parse_prefix(found.text) for found in some]
        renamings = [
            self._renaming(tree, letters.get(found.key, self._by_appearance))
            for found, tree in zip(some, trees, strict=True)
        ]
        verdicts = compare_each(
            [(self._renamed(names), tree) for names, tree in zip(renamings, trees, strict=True)],
            self.config.judge,
        )
        for found, tree, names in zip(some, trees, renamings, strict=True):
            yield Hit(tree, found.cosine, next(verdicts) if self._has_time() else None, names)

    def confirmed(
        self, matches: Sequence[Found], letters: Mapping[int, Mapping[str, str]], most: int
    ) -> Iterator[Hit]:
        """The matches that are equal at least where both are defined, or not judged in time.

        The simplest are taken. A shared key alone proves nothing: matches that turn out different
        are left out.
        """
        simplest = sorted(matches, key=lambda found: found.text.count(" "))
        some = (simplest[start : start + most] for start in range(0, len(simplest), most))
        hits = chain.from_iterable(self.hits(each, letters) for each in some)
        same = (hit for hit in hits if hit.verdict is None or hit.verdict.relation in _SAME)
        return islice(same, most)

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
        return onto(letters, names_in_order(tree))


_SAME = (Relation.EQUAL, Relation.EQUAL_ON_COMMON_DOMAIN)


def in_order(confirmed: list[Hit], neighbours: list[Hit]) -> list[Hit]:
    """Equal expressions, those equal where both are defined, unjudged matches, the others.

    Of those that are equal the simplest come first, of the others the nearest.
    """
    ranked = [(_rank(hit, 2), hit) for hit in confirmed]
    ranked += [(_rank(hit, 3), hit) for hit in neighbours]
    return [hit for _, hit in sorted(ranked, key=lambda row: row[0])]


def _rank(hit: Hit, otherwise: int) -> tuple[int, int, float]:
    if hit.verdict is None or hit.verdict.relation not in _SAME:
        return otherwise, 0, -hit.cosine
    return _SAME.index(hit.verdict.relation), hit.tree.size, -hit.cosine
