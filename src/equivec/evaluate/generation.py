"""How often a model writes a correct equivalent: the paper's accuracy by beam, and what else.

An input counts as solved when any hypothesis of its beam is equal to it and not the input itself
(Gangwar & Kani 2023, section 5.4). Beside that, the stricter count asks for more than another order
of commutative arguments. What the first hypothesis of each input is, is counted by kind; of all
hypotheses the share that is no expression is given, which only unconstrained decoding writes.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

from equivec.algebra.compare import PAPER_JUDGE, Relation, compare_many
from equivec.algebra.sympy_judge import SymPyJudge, SymPyVerdict
from equivec.errors import FileFormatError, ParseError
from equivec.evaluate.results import Result
from equivec.expression.order import in_order
from equivec.expression.prefix import parse_prefix
from equivec.jobs.timebox import TimeBoxConfig
from equivec.storage.files import read_lines
from equivec.storage.values import InJson

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from equivec.expression.tree import Node

    Pair = tuple[Node, Node]
    Judge = Callable[[Sequence[Pair]], Sequence["Kind"]]


class Kind(StrEnum):
    """What a hypothesis is to its input."""

    EQUAL = "equal"
    COPY = "copy"
    REORDERED = "equal up to the order of commutative arguments"
    DIFFERENT = "different"
    INVALID = "invalid"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Generated:
    """An input and what was written for it, best first; None for what is no expression."""

    source: Node
    written: tuple[Node | None, ...]


@dataclass(frozen=True, slots=True)
class Accuracy(Result):
    """The shares of the inputs that were solved, and the kinds of the first hypotheses."""

    inputs: int
    beam: int
    solved: float  # as the paper counts
    solved_beyond_order: float
    copied: float  # the input stands in the beam: what StructEmb is to write
    first: Mapping[str, int]
    # The share of all hypotheses that are no expressions; it was not always measured.
    invalid: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedSet(Accuracy):
    """The accuracy of a model on a set, how it was decoded and who judged."""

    model: str
    set_name: Annotated[str, InJson("set")]
    decoding: str
    judge: str
    file: str | None = None  # what `equivec generate` wrote

    @classmethod
    def of(cls, found: Accuracy, **labels: Any) -> JudgedSet:
        """An accuracy with its labels."""
        return cls(**asdict(found), **labels)


@dataclass(frozen=True, slots=True)
class GenerationResult(Result):
    """The accuracy of every set and beam."""

    rows: tuple[JudgedSet, ...]

    def sentences(self) -> Iterator[str]:
        """How often an equivalent is written, a sentence a row."""
        for row in self.rows:
            yield (
                f"{row.set_name}, beam {row.beam}: an equivalent of {100 * row.solved:.1f}%, "
                f"beyond the order of arguments {100 * row.solved_beyond_order:.1f}%"
            )


def read_generated(path: str | Path) -> list[Generated]:
    """What `equivec model generate` wrote."""
    generated = [_generated(line, f"{path}, line {number}") for number, line in read_lines(path)]
    if not any(one.written for one in generated):
        raise FileFormatError(f"{path} has no hypotheses to judge")
    return generated


def _generated(text: str, place: str) -> Generated:
    try:
        line = json.loads(text)
        written = tuple(
            _tree(str(output)) if is_whole else None for output, _, is_whole in line["outputs"]
        )
        return Generated(parse_prefix(str(line["input"])), written)
    except (KeyError, TypeError, ValueError, ParseError) as error:
        raise FileFormatError(
            f"{place} is not what equivec model generate writes: {error}"
        ) from None


def _tree(text: str) -> Node | None:
    try:
        return parse_prefix(text)
    except ParseError:
        return None


def accuracy(generated: Sequence[Generated], judge: Judge) -> Iterator[tuple[int, Accuracy]]:
    """The accuracy after each rank of the beam has been looked at; the last one is the whole.

    Inputs that are solved in the stricter sense are not looked at any further.
    """
    beam = max((len(one.written) for one in generated), default=0)
    first: Counter[str] = Counter()
    solved, beyond = set[int](), set[int]()
    for rank in range(beam):
        places = [
            place
            for place, one in enumerate(generated)
            if place not in beyond and rank < len(one.written)
        ]
        kinds = _kinds([(generated[place], rank) for place in places], judge)
        for place, kind in zip(places, kinds, strict=True):
            if rank == 0:
                first[kind] += 1
            if kind in (Kind.EQUAL, Kind.REORDERED):
                solved.add(place)
            if kind is Kind.EQUAL:
                beyond.add(place)
        count = max(1, len(generated))
        shares = (len(solved) / count, len(beyond) / count, _copied(generated, rank + 1) / count)
        kinds_of_first = dict(sorted(first.items()))
        invalid = _invalid(generated, rank + 1)
        yield rank + 1, Accuracy(len(generated), beam, *shares, kinds_of_first, invalid)


def _copied(generated: Sequence[Generated], ranks: int) -> int:
    return sum(one.source in one.written[:ranks] for one in generated)


def _invalid(generated: Sequence[Generated], ranks: int) -> float:
    written = [tree for one in generated for tree in one.written[:ranks]]
    return sum(tree is None for tree in written) / max(1, len(written))


def _kinds(asked: list[tuple[Generated, int]], judge: Judge) -> list[Kind]:
    kinds: list[Kind | None] = []
    pairs: list[Pair] = []
    for one, rank in asked:
        tree = one.written[rank]
        kinds.append(_kind_by_form(one.source, tree))
        if kinds[-1] is None and tree is not None:
            pairs.append((one.source, tree))
    judged = iter(judge(pairs))
    return [next(judged) if kind is None else kind for kind in kinds]


def _kind_by_form(source: Node, tree: Node | None) -> Kind | None:
    """The kind where it can be seen without judging."""
    if tree is None:
        return Kind.INVALID
    if tree == source:
        return Kind.COPY
    return Kind.REORDERED if in_order(tree) == in_order(source) else None


_RELATIONS = {
    Relation.EQUAL: Kind.EQUAL,
    Relation.EQUAL_ON_COMMON_DOMAIN: Kind.DIFFERENT,
    Relation.DIFFERENT: Kind.DIFFERENT,
    Relation.UNKNOWN: Kind.UNKNOWN,
}
_SYMPY = {
    SymPyVerdict.EQUAL: Kind.EQUAL,
    SymPyVerdict.NOT_SHOWN: Kind.DIFFERENT,
    SymPyVerdict.TIME_LIMIT: Kind.UNKNOWN,
    SymPyVerdict.FAILED: Kind.UNKNOWN,
}


def our_judge(pairs: Sequence[Pair]) -> list[Kind]:
    """The kinds by `compare`: equal means on the same domain."""
    return [_RELATIONS[verdict.relation] for verdict in compare_many(pairs, PAPER_JUDGE)]


class PaperJudge:
    """The paper's judge, SymPy under a time limit; close it in the end.

    It is asked for a pair once: a wider beam has most of a narrower one's hypotheses.
    """

    def __init__(self, seconds: float = 2.0, workers: int = 2) -> None:
        self._judge = SymPyJudge(TimeBoxConfig(time_limit=seconds, workers=workers))
        self._known: dict[Pair, Kind] = {}

    def __call__(self, pairs: Sequence[Pair]) -> list[Kind]:
        """The kinds by SymPy; what it does not show counts as different, as in the paper."""
        new = [pair for pair in dict.fromkeys(pairs) if pair not in self._known]
        verdicts = self._judge.compare_many(new)
        self._known.update(zip(new, (_SYMPY[verdict] for verdict in verdicts), strict=True))
        return [self._known[pair] for pair in pairs]

    def close(self) -> None:
        """Stop its workers."""
        self._judge.close()
