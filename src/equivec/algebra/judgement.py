"""The verdict that people are told: over the reals, and for positive variables where that differs.

The sentences about verdicts are made here, for the command line, the service and the page alike.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from equivec.algebra.compare import (
    DEFAULT_JUDGE,
    JudgeConfig,
    Relation,
    Verdict,
    Witness,
    compare,
    compare_each,
)
from equivec.algebra.points import Domain
from equivec.expression.text import as_tree

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from equivec.expression.tree import Node

_SAME = (Relation.EQUAL, Relation.EQUAL_ON_COMMON_DOMAIN)
# The rank of expressions that were not found equal in any sense.
UNLIKE = 3

_WORDS = {
    Relation.EQUAL: "equal{}",
    Relation.EQUAL_ON_COMMON_DOMAIN: "equal{} only where both are defined",
    Relation.DIFFERENT: "different{}",
    Relation.UNKNOWN: "unknown{}",
}
_EVIDENCE = {
    Relation.EQUAL: "{reason}",
    Relation.EQUAL_ON_COMMON_DOMAIN: "{at}; {reason}",
    Relation.DIFFERENT: "by proof: {at}",
    Relation.UNKNOWN: "{reason}",
}
# Over the reals, after the verdict for positive variables.
_EVIDENCE_BESIDE = {
    Relation.EQUAL_ON_COMMON_DOMAIN: "over the reals equal only where both are defined ({at})",
    Relation.DIFFERENT: "over the reals they differ {at}",
    Relation.UNKNOWN: "over the reals unknown: {reason}",
}
_SENTENCES = {
    Relation.EQUAL: "{} ({})",
    Relation.EQUAL_ON_COMMON_DOMAIN: "{} ({})",
    Relation.DIFFERENT: "{}, {}",
    Relation.UNKNOWN: "{}: {}",
}
# More variables than this are not called by their names.
_MOST_NAMES = 3


@dataclass(frozen=True, slots=True)
class Judgement:
    """How two expressions stand to each other over the reals, or over another domain asked for.

    `positive` is the verdict where all variables are positive; None where the one over the reals
    says as much, being EQUAL or DIFFERENT at a positive point, and where there are no variables.
    """

    variables: tuple[str, ...]
    domain: Domain
    verdict: Verdict
    positive: Verdict | None = None

    @property
    def relation(self) -> Relation:
        """How they stand to each other over the domain."""
        return self.verdict.relation

    @property
    def reason(self) -> str:
        """What the verdict over the domain rests on."""
        return self.verdict.reason

    @property
    def witness(self) -> Witness | None:
        """A point where they differ over the domain, if one was found."""
        return self.verdict.witness

    @property
    def is_equal(self) -> bool:
        """Whether no difference was found over the domain, of values or of where they exist."""
        return self.verdict.is_equal

    @property
    def rank(self) -> int:
        """0 if EQUAL, 1 if equal where both are defined, 2 if either for positive variables alone.

        All others have the rank UNLIKE.
        """
        if self.relation in _SAME:
            return _SAME.index(self.relation)
        return 2 if self._milder is not None else UNLIKE

    @property
    def words(self) -> str:
        """The verdict and its domain in a few words.

        >>> judge("tan(x)", "sin(x)/cos(x)").words, judge("abs(x)", "x").words
        ('equal over the reals', 'equal for positive x')
        """
        if self._milder is not None:
            return _WORDS[self._milder.relation].format(place(Domain.POSITIVE, self.variables))
        return _WORDS[self.relation].format(place(self.domain, self.variables))

    @property
    def evidence(self) -> str:
        """What the words rest on, and what is so over the reals where they are not about these.

        >>> judge("abs(x)", "x").evidence
        'over the reals they differ at x = -1: 1 and -1'
        """
        told = _EVIDENCE if self._milder is None else _EVIDENCE_BESIDE
        at = shown(self.witness) if self.witness is not None else ""
        return told[self.relation].format(at=at, reason=self.reason)

    @property
    def sentence(self) -> str:
        """Words and evidence.

        >>> judge("sqrt(x**2)", "x").sentence
        'equal for positive x; over the reals they differ at x = -1: 1 and -1'
        >>> judge("x", "x + 1").sentence
        'different over the reals, by proof: at x = 1: 1 and 2'
        """
        joint = "{}; {}" if self._milder is not None else _SENTENCES[self.relation]
        return joint.format(self.words, self.evidence)

    @property
    def _milder(self) -> Verdict | None:
        """The verdict for positive variables if it finds them equal and the other one does not."""
        is_milder = (
            self.positive is not None
            and self.positive.relation in _SAME
            and self.positive.relation is not self.relation
        )
        return self.positive if is_milder else None


def judge(
    left: str | Node,
    right: str | Node,
    domain: Domain | None = None,
    config: JudgeConfig = DEFAULT_JUDGE,
) -> Judgement:
    """How two expressions stand to each other over one domain, or else over the reals first.

    The domain counts, not that of the config.

    >>> judge("sqrt(x)**2", "x").sentence
    'equal for positive x; over the reals equal only where both are defined (at x = -1: \
undefined and -1)'
    >>> judge("sqrt(x)**2", "x", Domain.POSITIVE).words
    'equal for positive x'
    """
    return next(judge_each([(left, right)], domain, config))


def judge_each(
    pairs: Sequence[tuple[str | Node, str | Node]],
    domain: Domain | None = None,
    config: JudgeConfig = DEFAULT_JUDGE,
) -> Iterator[Judgement]:
    """The judgement of each pair, in order, when it is asked for; what pairs share is done once."""
    trees = [(as_tree(left), as_tree(right)) for left, right in pairs]
    first = Domain.REAL if domain is None else Domain(domain)
    verdicts = compare_each(trees, replace(config, domain=first))
    positive = replace(config, domain=Domain.POSITIVE)
    for (left, right), verdict in zip(trees, verdicts, strict=True):
        names = tuple(sorted(left.variables | right.variables))
        if domain is not None or not names or _settles(verdict):
            yield Judgement(names, first, verdict)
        else:
            yield _joint(names, verdict, compare(left, right, positive))


def _settles(verdict: Verdict) -> bool:
    """Whether a verdict over the reals holds for positive variables too."""
    if verdict.relation is Relation.DIFFERENT and verdict.witness is not None:
        return all(value > 0 for value in verdict.witness.point.values())
    return verdict.is_equal


def _joint(names: tuple[str, ...], verdict: Verdict, positive: Verdict) -> Judgement:
    if positive.relation is not Relation.DIFFERENT:
        return Judgement(names, Domain.REAL, verdict, positive)
    # Positive numbers are real: a proof among them is one over the reals.
    proved = replace(
        verdict,
        relation=positive.relation,
        reason=positive.reason,
        witness=positive.witness,
    )
    return Judgement(names, Domain.REAL, proved)


def place(domain: Domain, variables: Sequence[str]) -> str:
    """Where a verdict holds, in words that follow it; nothing without variables.

    >>> place(Domain.REAL, ["x"]), place(Domain.POSITIVE, ["a", "x", "y"]), place(Domain.REAL, [])
    (' over the reals', ' for positive a, x and y', '')
    """
    if not variables:
        return ""
    if domain is Domain.REAL:
        return " over the reals"
    if len(variables) > _MOST_NAMES:
        return " for positive variables"
    *others, last = variables
    return f" for positive {', '.join(others)}{' and ' if others else ''}{last}"


def shown(witness: Witness) -> str:
    """A point and both values there: "at x = -1: undefined and -1".

    >>> shown(Witness({"x": -1.0, "y": 0.5}, None, "-1"))
    'at x = -1, y = 0.5: undefined and -1'
    """
    point = ", ".join(f"{name} = {value:.17g}" for name, value in witness.point.items())
    values = f"{witness.left or 'undefined'} and {witness.right or 'undefined'}"
    return f"at {point}: {values}" if point else values
