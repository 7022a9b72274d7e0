"""Small SemVec datasets made anew, training sets of them, and batches: what the tests train on."""

from functools import cache

import numpy as np
import torch

from equivec.semvec.batches import ClassSampler, Lesson
from equivec.semvec.congruence import Space
from equivec.semvec.dataset import SemVecDataset, SemVecSpec, Split, semvec_spec
from equivec.semvec.derivation import DerivationConfig, TrainingSet, derive, plain_set
from equivec.semvec.enumeration import enumerate_semvec
from equivec.semvec.settings import SETTINGS

CPU = torch.device("cpu")
enumerated = cache(enumerate_semvec)


def ids(spec: SemVecSpec, names: tuple[str, ...]) -> tuple[int, ...]:
    return tuple(spec.grammar.tokens.index(name) for name in names)


def space_of(spec: SemVecSpec, size: int | None = None) -> Space:
    return Space(
        arities=tuple(symbol.arity for symbol in spec.grammar.symbols),
        operators=ids(spec, spec.operators),
        variables=ids(spec, spec.variables),
        largest_size=size or spec.largest_size,
    )


def training_rows(dataset: SemVecDataset) -> tuple[np.ndarray, np.ndarray]:
    rows = dataset.rows(Split.TRAIN)
    return dataset.expressions[rows], dataset.class_ids[rows].astype(np.int64)


def plain(name: str) -> TrainingSet:
    spec = semvec_spec(name)
    return plain_set(*training_rows(enumerated(spec)), spec.variable_count)


def derived(name: str, target: str | None = None, more: int = 0, smallest: int = 1) -> TrainingSet:
    spec, other = semvec_spec(name), semvec_spec(target or name)
    return derive(
        *training_rows(enumerated(spec)),
        ids(spec, spec.variables),
        space_of(other, other.largest_size + more),
        DerivationConfig(smallest_size=smallest),
    )


def sampler_of(
    *lessons: Lesson, batch_size: int = 64, length: int = 15, seed: int = 0
) -> ClassSampler:
    return ClassSampler(lessons, batch_size, length, CPU, seed)


def lesson_of(name: str, setting: str, *sets: TrainingSet) -> Lesson:
    first_variable = ids(semvec_spec(name), ("a",))[0]
    return Lesson(SETTINGS[setting], sets or (plain(name),), first_variable)
