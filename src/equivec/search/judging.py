"""Verdicts on what was found, within a time budget, and the order that follows from them."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from equivec.algebra.compare import DEFAULT_JUDGE, JudgeConfig, Relation, Verdict, compare
from equivec.errors import ConfigError
from equivec.expression.prefix import parse_prefix
from equivec.search.renaming import LETTERS, names_in_order, onto
from equivec.search.results import Hit

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from equivec.expression.tree import Node
    from equivec.search.store import Found


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchConfig:
    """Whether names of variables matter, and how long the judge may take for all hits.

    Its seconds are the processor's: on a busy machine a search takes longer and knows as much.
    """

    same_names: bool = False
    judge_seconds: float = 0.25
    judge: JudgeConfig = DEFAULT_JUDGE

    def __post_init__(self) -> None:
        if self.judge_seconds < 0:
            raise ConfigError(f"judge_seconds must be at least 0, not {self.judge_seconds}")


class Judging:
    """One query's verdicts; the clock runs from the first one."""

    def __init__(self, query: Node, config: SearchConfig) -> None:
        self.query = query
        self.config = config
        self._by_appearance = dict(zip(names_in_order(query), LETTERS, strict=False))
        self._end: float | None = None

    def hit(self, found: Found, letters: Mapping[str, str] | None = None) -> Hit:
        """What was found with its verdict, under a way to give the query canonical letters."""
        tree = parse_prefix(found.text)
        renaming = self._renaming(tree, self._by_appearance if letters is None else letters)
        return Hit(tree, found.cosine, self._verdict(renaming, tree), renaming)

    def confirmed(
        self, matches: Iterable[Found], letters: Mapping[int, Mapping[str, str]], most: int
    ) -> Iterator[Hit]:
        """The matches that are equal at least where both are defined, or not judged in time.

        A shared key alone proves nothing: matches that turn out different are left out.
        """
        count = 0
        for found in matches:
            if count == most:
                return
            hit = self.hit(found, letters[found.key])
            if hit.verdict is None or hit.verdict.relation in _SAME:
                count += 1
                yield hit

    def _verdict(self, renaming: Mapping[str, str], tree: Node) -> Verdict | None:
        now = time.thread_time()
        if self._end is None:
            self._end = now + self.config.judge_seconds
        if now >= self._end:
            return None
        return compare(self.query.rename(dict(renaming)), tree, self.config.judge)

    def _renaming(self, tree: Node, letters: Mapping[str, str]) -> dict[str, str]:
        if self.config.same_names:
            return {name: name for name in letters}
        return onto(letters, names_in_order(tree))


_SAME = (Relation.EQUAL, Relation.EQUAL_ON_COMMON_DOMAIN)


def in_order(confirmed: list[Hit], neighbours: list[Hit]) -> list[Hit]:
    """Equal expressions, those equal where both are defined, unjudged matches, the others."""
    ranked = [(_rank(hit, 2), -hit.cosine, hit) for hit in confirmed]
    ranked += [(_rank(hit, 3), -hit.cosine, hit) for hit in neighbours]
    return [hit for *_, hit in sorted(ranked, key=lambda row: row[:2])]


def _rank(hit: Hit, otherwise: int) -> int:
    if hit.verdict is None or hit.verdict.relation not in _SAME:
        return otherwise
    return _SAME.index(hit.verdict.relation)
