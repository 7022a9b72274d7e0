"""The training sets of runs: the rows of a dataset as they are, or what follows from them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from equivec.semvec.congruence import Space
from equivec.semvec.dataset import SemVecDataset, SemVecSpec, Split, semvec_spec
from equivec.semvec.derivation import DerivationConfig, TrainingSet, derive, plain_set

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from equivec.semvec.runs import PlannedRun

Datasets = dict[str, SemVecDataset]
Sets = dict[str, TrainingSet]

_MORE_NODES = 2  # of larger expressions than a dataset's own
_MORE_NODES_OF_TEN_VARIABLES = 1  # they are too many


@dataclass(frozen=True, slots=True)
class Request:
    """A training set to be made: the rows of a dataset, or what follows from them in a space."""

    source: str
    target: str | None  # none: the rows as they are
    smallest_size: int = 1
    largest_size: int = 0

    @property
    def key(self) -> str:
        """The name of the set in a file."""
        return f"{self.source}_{self.target}_{self.smallest_size}-{self.largest_size}"


def requests(run: PlannedRun) -> list[Request]:
    """The sets that a run draws from; from the sampled datasets nothing is deduced."""
    spec = semvec_spec(run.dataset)
    plain = Request(run.source, None)
    if run.setting.derived == "transfer":
        sizes = {to: semvec_spec(to).largest_size for to in run.targets}
        return [plain, *(Request(run.source, to, 1, size) for to, size in sizes.items())]
    if run.setting.derived == "none" or spec.sampled_per_class:
        return [plain]
    if run.setting.derived == "within":
        return [Request(run.source, run.dataset, 1, spec.largest_size)]
    more = _MORE_NODES_OF_TEN_VARIABLES if spec.variable_count > 3 else _MORE_NODES
    smallest, largest = spec.largest_size + 1, spec.largest_size + more
    return [plain, Request(run.source, run.dataset, smallest, largest)]


def make_set(
    request: Request, dataset: SemVecDataset, config: DerivationConfig | None = None
) -> TrainingSet:
    """The training set of a request; of the dataset only training rows are looked at."""
    rows = dataset.rows(Split.TRAIN)
    expressions, class_ids = dataset.expressions[rows], dataset.class_ids[rows].astype(np.int64)
    if request.target is None:
        return plain_set(expressions, class_ids, dataset.spec.variable_count)
    return derive(
        expressions,
        class_ids,
        token_ids(dataset.spec, dataset.spec.variables),
        _space(dataset.spec, semvec_spec(request.target), request.largest_size),
        replace(config or DerivationConfig(), smallest_size=request.smallest_size),
    )


def _space(source: SemVecSpec, target: SemVecSpec, largest_size: int) -> Space:
    """The expressions of a dataset, as far as another's operators go."""
    common = [operator for operator in target.operators if operator in source.operators]
    return Space(
        arities=tuple(symbol.arity for symbol in target.grammar.symbols),
        operators=token_ids(target, common),
        variables=token_ids(target, target.variables),
        largest_size=largest_size,
    )


def token_ids(spec: SemVecSpec, names: Iterable[str]) -> tuple[int, ...]:
    """The places of symbols in a dataset's grammar."""
    return tuple(spec.grammar.tokens.index(name) for name in names)


def missing_sets(
    runs: Sequence[PlannedRun], datasets: Mapping[str, SemVecDataset], known: Iterable[str]
) -> Iterator[tuple[str, TrainingSet]]:
    """The training sets of runs that are not at hand, made one after the other."""
    wanted = {request.key: request for run in runs for request in requests(run)}
    for key, request in wanted.items():
        if key not in known:
            yield key, make_set(request, datasets[request.source])


def describe_set(
    part: TrainingSet, dataset: SemVecDataset, target: SemVecDataset | None = None
) -> dict[str, object]:
    """How large a set is, and which share of each split of its source it spells out.

    Deduction uses the training rows only, but what it finds can be an expression of a test split:
    a dataset holds every expression up to its size. Of the other dataset that a set was made for,
    the share of its unseen split is what counts.
    """
    found = _shares(part, dataset, Split)
    shares = {f"share_of_{split.name.lower()}": share for split, share in found.items()}
    if target is not None:
        found = _shares(part, target, [Split.UNSEEN])
        shares["share_of_target_unseen"] = found[Split.UNSEEN]
    return {"expressions": len(part.expressions), "classes": len(part.labels), **shares}


def _shares(
    part: TrainingSet, dataset: SemVecDataset, splits: Iterable[Split]
) -> dict[Split, float]:
    """The share of each split's expressions that are in a set, letter by letter."""
    width = max(part.expressions.shape[1], dataset.expressions.shape[1])
    known = spellings(part.expressions, width)
    return {
        split: round(float(np.isin(spellings(dataset.expressions[rows], width), known).mean()), 4)
        for split in splits
        if len(rows := dataset.rows(split))
    }


def spellings(expressions: npt.NDArray[np.uint8], width: int) -> npt.NDArray[np.void]:
    """One value for each expression, to be compared."""
    padded = np.full((len(expressions), width), 255, dtype=np.uint8)
    padded[:, : expressions.shape[1]] = expressions
    return padded.view(f"V{width}")[:, 0]
