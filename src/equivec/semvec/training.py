"""Networks of one shape trained together, and the choice of their weights.

No test takes part: weights are chosen by the published validation split, whose neighbours are
sought among training and validation rows alone.
"""

from __future__ import annotations

import hashlib
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from equivec.expression.vocabulary import Vocabulary
from equivec.model.devices import set_seed
from equivec.model.training import Trainer
from equivec.pipeline.runs import Pace, Run, Validation
from equivec.semvec.batches import ClassSampler, Lesson
from equivec.semvec.dataset import SEMVEC_SPECS, Split, semvec_spec
from equivec.semvec.folds import without_tests
from equivec.semvec.networks import ManyNetworks, NetworkConfig
from equivec.semvec.objective import ManyObjective
from equivec.semvec.rows import TrainedNetwork
from equivec.semvec.score import score_neighbours
from equivec.semvec.sets import requests, token_ids
from equivec.semvec.vectors import embed, nearest_on_device

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import numpy.typing as npt

    from equivec.semvec.dataset import SemVecDataset
    from equivec.semvec.runs import PlannedRun
    from equivec.semvec.sets import Datasets, Sets
    from equivec.semvec.settings import SemVecRecipe, ShapeConfig

    Floats = npt.NDArray[np.float64]

# One size for both grammars, so that all networks have one shape.
VOCABULARY_SIZE = max(len(Vocabulary.of(spec.grammar)) for spec in SEMVEC_SPECS)


def network_config(run: PlannedRun, shape: ShapeConfig) -> NetworkConfig:
    """The shape of a run's network, and what is dropped in its training."""
    width = run.setting.width if shape.width is None else shape.width
    return NetworkConfig(
        vocabulary_size=VOCABULARY_SIZE,
        width=width,
        feed_forward=4 * width,
        layers=shape.layers,
        attention_dropout=shape.attention_dropout,
    )


def data_checksum(runs: Sequence[PlannedRun], sets: Sets, datasets: Datasets) -> str:
    """The SHA-256 of what runs are trained on and what their weights are chosen by."""
    digest = hashlib.sha256()
    for part in (sets[key] for key in sorted({each.key for run in runs for each in requests(run)})):
        for array in (part.expressions, part.class_ids, part.labels):
            digest.update(array.tobytes())
    for name in sorted({run.source for run in runs}):
        digest.update(dataset_checksum(datasets[name]).encode())
    return digest.hexdigest()


def dataset_checksum(dataset: SemVecDataset) -> str:
    """The SHA-256 of a dataset: its expressions, classes and splits."""
    digest = hashlib.sha256()
    for array in (dataset.expressions, dataset.class_ids, dataset.split_ids):
        digest.update(array.tobytes())
    return digest.hexdigest()


class GroupTraining:
    """Runs of one shape in a folder of their own, trained together until their schedule ends.

    With patience they also end when none of them has been getting better; a network that has run
    out of it sooner is trained on with the others, but keeps the weights it would have had alone.
    """

    def __init__(
        self,
        folder: Path,
        runs: Sequence[PlannedRun],
        sets: Sets,
        datasets: Datasets,
        recipe: SemVecRecipe,
        pace: Pace,
        device: str,
    ) -> None:
        self.runs = runs
        self.choosing = {run.source: without_tests(datasets[run.source]) for run in runs}
        set_seed(recipe.training.seed)
        shape = network_config(runs[0], recipe.network)
        self.networks = ManyNetworks(shape, [run.seed for run in runs]).to(device)
        contrasts = [run.setting.contrast for run in runs]
        training = recipe.training
        objective = ManyObjective(self.networks, contrasts, recipe.objective, training.precision)
        lessons = [_lesson(run, sets) for run in runs]
        longest = max(part.largest_size for lesson in lessons for part in lesson.sets)
        sampler = ClassSampler(lessons, training.batch_size, longest + 2, device, training.seed)
        self.trainer = Trainer(objective, sampler, training)
        self.run = Run(
            folder=folder,
            trainer=self.trainer,
            pace=pace,
            validation=Validation(measure=self.validate, is_loss=False, chance=self.chance()),
        )

    @property
    def is_finished(self) -> bool:
        """Whether the whole schedule is done, or every network has run out of patience."""
        return self.run.is_over(self.run.progress())

    def chance(self) -> Floats:  # (runs,)
        """For each run the largest standard error that its validation score can have."""
        chosen_by = (self.choosing[run.source] for run in self.runs)
        queries = [len(dataset.rows(Split.VALIDATION)) for dataset in chosen_by]
        return 50 / np.sqrt(queries)

    def validate(self) -> Floats:  # (runs,)
        """The validation scores of the networks as they are."""
        return np.array([self._score(place) for place in range(len(self.runs))])

    def _score(self, place: int) -> float:
        dataset = self.choosing[self.runs[place].source]
        units = embed(self.networks.select([place]), dataset.expressions)
        nearest = partial(nearest_on_device, units)
        found = score_neighbours(dataset, dataset.rows(Split.VALIDATION), nearest)
        return float(found.published[4])

    def results(self) -> list[TrainedNetwork]:
        """Every network with its chosen weights."""
        self.trainer.take_result()
        return [
            TrainedNetwork(
                run=run,
                network=self.networks.select([place]),
                steps=int(self.trainer.best_steps[place]),
                seconds=self.run.seconds,
                networks_at_once=len(self.runs),
            )
            for place, run in enumerate(self.runs)
        ]


def _lesson(run: PlannedRun, sets: Sets) -> Lesson:
    parts = tuple(sets[request.key] for request in requests(run))
    return Lesson(run.setting, parts, token_ids(semvec_spec(run.dataset), "a")[0])
