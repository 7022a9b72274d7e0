"""The evaluations of one model, a row each: what it needs, and how it is done, step by step."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import IntEnum
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from equivec.corpus.splitting import TEST, UNSEEN, VALIDATION
from equivec.embed.encoder import can_write, vectors_of
from equivec.errors import FileFormatError
from equivec.evaluate.analogies import (
    AnalogyResult,
    generated_analogies,
    paper_analogies,
    solve_in_steps,
)
from equivec.evaluate.benchmark import BenchmarkResult, benchmark_in_steps
from equivec.evaluate.distance_analysis import (
    DistanceAnalysis,
    ModelNeighbours,
    analyse_distances,
    neighbours_in_steps,
    paper_queries,
)
from equivec.evaluate.embedding_plots import PlotMeasures, plot_in_steps
from equivec.evaluate.encoders import CachedEncoder
from equivec.evaluate.generation import (
    GenerationResult,
    JudgedSet,
    accuracy,
    our_judge,
    read_generated,
)
from equivec.evaluate.plot_page import write_plot_page, write_plot_picture
from equivec.evaluate.pool import Pool
from equivec.evaluate.retrieval import Retrieval, retrieve_in_steps
from equivec.storage.files import made_again_if_damaged, renamed_when_complete, write_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from equivec.corpus.analogies import Analogy
    from equivec.embed.encoder import Encoder
    from equivec.embed.neighbours import Floats
    from equivec.evaluate.embedding_plots import MapName
    from equivec.evaluate.generation import Accuracy, Generated
    from equivec.evaluate.results import Result, Steps
    from equivec.pipeline.evaluation_data import EvaluationData, Questions


_ASKED = (VALIDATION, TEST)  # the sets that models write equivalents of


class EvaluatedModel:
    """A model under evaluation: its name, its encoder, what it is given, and its folder."""

    def __init__(
        self, model: str, encoder: Encoder, data: EvaluationData, folder: Path, device: str | None
    ) -> None:
        self.model = model
        self.encoder = encoder
        self.data = data
        self.folder = folder
        self.device = device
        self.work = folder / "work"
        # Distractors and what is plotted are asked for more than once, and take some models long.
        self.cached = CachedEncoder(encoder, self.work)

    @cached_property
    def pool(self) -> Pool:
        """The expressions among which neighbours are sought, their vectors in files."""
        count = -(-len(self.data.pool) // self.data.config.rows_per_part)
        return Pool(self.data.pool, tuple(map(self._read_part, range(count))))

    def _read_part(self, number: int) -> Floats:
        path, rows = self._part(number), self.data.config.rows_per_part
        wanted = min(rows, len(self.data.pool) - number * rows)
        with made_again_if_damaged(path):
            part: Floats = np.load(path, mmap_mode="r")
            if len(part) != wanted:
                raise ValueError(f"it has {len(part):,} vectors of {wanted:,} expressions")
        return part

    def can_be(self, evaluation: Evaluation) -> bool:
        """Whether the evaluation says anything of this model."""
        return can_write(self.encoder) or not evaluation.is_of_writing

    def make_vectors(self) -> Steps[None]:
        """Encode the pool, part by part, but for the parts that are there."""
        rows, texts = self.data.config.rows_per_part, self.data.pool
        self._part(0).parent.mkdir(parents=True, exist_ok=True)
        for number, start in enumerate(range(0, len(texts), rows)):
            path, some = self._part(number), texts[start : start + rows]
            if path.exists():
                continue
            yield start, len(texts)
            vectors = vectors_of(self.encoder, some)
            with renamed_when_complete(path) as temporary, temporary.open("wb") as file:
                np.save(file, vectors)
            yield start + len(some), len(texts)

    def _part(self, number: int) -> Path:
        return self.work / "vectors" / f"{number:05d}.npy"


class Needs(IntEnum):
    """What must be there before an evaluation, each more than the one before."""

    NOTHING = 0
    CORPUS = 1
    VECTORS = 2


@dataclass(frozen=True, slots=True)
class Evaluation:
    """How a model is evaluated, and what that needs."""

    result: type[Result]
    run: Callable[[EvaluatedModel], Steps[Result]]
    needs: Needs
    shown: tuple[str, ...] = ()  # files that it writes beside its result, for people
    is_of_writing: bool = False  # so that encoders alone are not asked
    sets: tuple[str, ...] = ()  # of a corpus, of which it asks one or all there are
    packages: tuple[str, ...] = ()  # what it imports beside the base install
    extra: str = "plots"  # what brings these


def _plot(name: MapName, *packages: str) -> Evaluation:
    page, picture = f"plot_{name}.html", f"plot_{name}.png"

    def run(evaluated: EvaluatedModel) -> Steps[Result]:
        yield 0, 1  # the set may have to be drawn from a corpus first
        plot = yield from plot_in_steps(
            evaluated.cached, evaluated.data.plot_set, name, evaluated.data.config.seed
        )
        write_plot_page(evaluated.folder / page, plot)
        write_plot_picture(evaluated.folder / picture, plot)
        return plot.measures

    return Evaluation(
        PlotMeasures,
        run,
        Needs.NOTHING,
        (page, picture),
        packages=("plotly", "matplotlib", *packages),
    )


def _retrieval(choose: Callable[[EvaluationData], Questions], *sets: str) -> Evaluation:
    def run(evaluated: EvaluatedModel) -> Steps[Result]:
        asked = choose(evaluated.data)
        found, _ = yield from retrieve_in_steps(
            evaluated.cached, asked.queries, asked.answers, asked.distractors
        )
        return found

    return Evaluation(Retrieval, run, Needs.CORPUS, sets=sets)


def _analogies(choose: Callable[[], Sequence[Analogy]], *, keeps_answers: bool) -> Evaluation:
    def run(evaluated: EvaluatedModel) -> Steps[Result]:
        found = yield from solve_in_steps(evaluated.encoder, choose(), evaluated.pool)
        return found if keeps_answers else replace(found, answers=())

    return Evaluation(AnalogyResult, run, Needs.VECTORS)


def _distance_analysis(evaluated: EvaluatedModel) -> Steps[Result]:
    queries = paper_queries()
    yield 0, len(queries)
    return analyse_distances(evaluated.encoder, evaluated.pool, queries)


def _neighbours(evaluated: EvaluatedModel) -> Steps[Result]:
    """The neighbours that the tree edit distances of all models are taken from."""
    queries = evaluated.data.queries
    found = yield from neighbours_in_steps(evaluated.encoder, evaluated.pool, queries)
    return ModelNeighbours(evaluated.encoder.name, tuple(queries), tuple(map(tuple, found)))


def _benchmark(evaluated: EvaluatedModel) -> Steps[Result]:
    found = yield from benchmark_in_steps(evaluated.encoder)
    return found


def _generation(evaluated: EvaluatedModel) -> Steps[Result]:
    """What the model writes for the held-out sets, by beam, judged by us."""
    rows: list[JudgedSet] = []
    splits = evaluated.data.corpus.manifest["counts"]["splits"]
    for split in filter(splits.get, _ASKED):
        for beam in evaluated.data.config.beams:
            generated = yield from _written(evaluated, split, beam)
            if len(generated) != splits[split]:
                raise FileFormatError(
                    f"{_written_file(evaluated, split, beam)} has hypotheses of {len(generated):,} "
                    f"inputs, not of {splits[split]:,}; remove it to have them written again"
                )
            found = yield from _judged(generated, beam)
            labels = {"model": evaluated.encoder.name, "set_name": split}
            rows.append(JudgedSet.of(found, **labels, decoding="unconstrained", judge="ours"))
    return GenerationResult(tuple(rows))


def _written(evaluated: EvaluatedModel, split: str, beam: int) -> Steps[list[Generated]]:
    """What the model writes for a set, read from a file that is made if it is not there."""
    from equivec.model.beams import BeamConfig
    from equivec.model.decoding import rows_on
    from equivec.pipeline.generation import generate

    path = _written_file(evaluated, split, beam)
    if not path.exists():
        inputs = path.with_name(f"{split}.txt")
        inputs.parent.mkdir(parents=True, exist_ok=True)
        texts = evaluated.data.corpus.expressions(split)
        write_text(inputs, "".join(f"{text}\n" for text in texts))
        device = evaluated.device or "cpu"
        config = BeamConfig(beams=beam, is_constrained=False, rows=rows_on(device))  # the paper's
        yield from generate(evaluated.model, inputs, path, config, device)
    with made_again_if_damaged(path):
        return list(read_generated(path))


def _written_file(evaluated: EvaluatedModel, split: str, beam: int) -> Path:
    return evaluated.work / "written" / f"{split}-{beam}.jsonl.gz"


def _judged(generated: Sequence[Generated], beam: int) -> Steps[Accuracy]:
    """The accuracy of a whole beam by our judge."""
    whole = None
    for rank, reached in accuracy(generated, our_judge):
        whole = reached
        yield rank, beam
    assert whole is not None, "files without any hypothesis are refused"
    return whole


TREE_EDIT = "tree_edit_distance"
EVALUATIONS: Mapping[str, Evaluation] = {
    "plot_pca": _plot("pca"),
    "plot_tsne": _plot("tsne", "sklearn"),
    "retrieval": _retrieval(lambda data: data.equivalents, UNSEEN),
    "identities": _retrieval(lambda data: data.identities),
    "distance_analysis": Evaluation(DistanceAnalysis, _distance_analysis, Needs.VECTORS),
    TREE_EDIT: Evaluation(ModelNeighbours, _neighbours, Needs.VECTORS, sets=(TEST,)),
    "paper_analogies": _analogies(paper_analogies, keeps_answers=True),
    "generated_analogies": _analogies(generated_analogies, keeps_answers=False),
    "benchmark": Evaluation(BenchmarkResult, _benchmark, Needs.NOTHING),
    "generation": Evaluation(
        GenerationResult,
        _generation,
        Needs.CORPUS,
        is_of_writing=True,
        sets=_ASKED,
        packages=("torch",),
        extra="train",
    ),
}
