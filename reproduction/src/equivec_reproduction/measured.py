"""What is measured for the reproduction alone, as files of the folder of results hold it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from equivec.evaluate.corpus_statistics import CorpusDescription
from equivec.evaluate.corpus_verification import Verification
from equivec.evaluate.provenance import Provenance
from equivec.storage.values import InJson, Record


@dataclass(frozen=True, slots=True, kw_only=True)
class Throughput(Record):
    """How fast a network is trained, beside the same by a plain loop."""

    what: str
    ours: float
    alternative: float | None = None
    unit: str
    ratio: float | None = None
    share_of_peak: Annotated[float | None, InJson("share of the bf16 peak")] = None
    device: str = ""


@dataclass(frozen=True, slots=True)
class Throughputs(Record):
    """All that were measured."""

    rows: tuple[Throughput, ...]


@dataclass(frozen=True, slots=True)
class BuiltCorpus(Record):
    """A corpus: what its building took, what it looks like, and a sample of it judged again."""

    seconds: float
    peak_memory: Annotated[int, InJson("peak memory of a process, kilobytes")]
    described: CorpusDescription
    verified: Verification
    manifest: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class BuiltCorpora(Record):
    """All that were recorded; the first is the one that was trained on."""

    rows: tuple[BuiltCorpus, ...]


@dataclass(frozen=True, slots=True)
class IdentitiesOverlap(Record):
    """How many textbook identities training's sources have, and the recall with and without."""

    identities: int
    function_in_training: int
    a_side_verbatim: int
    both_sides_verbatim: int
    sources: int
    distractors: int
    recall_1: float
    recall_1_of_functions_in_training: float
    recall_1_of_other_functions: float


@dataclass(frozen=True, slots=True)
class SeenFunctions(Record):
    """How many functions of a set training has in some form."""

    functions: int
    in_training: int


@dataclass(frozen=True, slots=True)
class BenchmarkOverlap(Record):
    """The same of every set of the benchmark."""

    sets: Mapping[str, SeenFunctions]


@dataclass(frozen=True, slots=True, kw_only=True)
class Blend(Provenance):
    """What a blend of a model with an earlier one finds; `share` is the earlier one's."""

    share: float
    identities: Annotated[float, InJson("identities, recall@1")]
    unseen: Annotated[float, InJson("unseen functions, recall@1")]
    paper_exact: Annotated[int, InJson("the paper's analogies, exact")]
    paper_equivalent: Annotated[int, InJson("the paper's analogies, up to equivalence")]
    generated_exact: Annotated[int, InJson("generated analogies, exact")]
    generated_equivalent: Annotated[int, InJson("generated analogies, up to equivalence")]


@dataclass(frozen=True, slots=True)
class Objective(Record):
    """What a network was trained for, as far as the report tells it."""

    setting: str
    weighting: str
    target_draws: int
    contrast: float = 0.0
    analogy: float = 0.0
    margin: float = 0.0
    mutants: str | bool = "none"
    single_state_fraction: float = 0.0
    lone_share: float = 0.0  # the fraction's name in earlier records

    @property
    def from_single_states(self) -> float:
        """The fraction of the targets that are written from one state of the input."""
        return self.single_state_fraction or self.lone_share

    @property
    def is_copying(self) -> bool:
        """Whether the network was trained to give back its input."""
        return self.setting == "structural"

    @property
    def is_writing_alone(self) -> bool:
        """Whether all that is trained for is to write equivalents, from all states of the input."""
        others = self.contrast or self.analogy or self.from_single_states
        return not (self.is_copying or others)


@dataclass(frozen=True, slots=True)
class RunTraining(Record):
    """How a network was trained, as far as the report tells it."""

    objective: Objective
    batch_size: int
    is_encoder_frozen: bool = False  # a decoder was trained beside it

    @property
    def is_writing_alone(self) -> bool:
        """Whether a whole network was trained to write equivalents and for nothing else."""
        return self.objective.is_writing_alone and not self.is_encoder_frozen


@dataclass(frozen=True, slots=True)
class RunNetwork(Record):
    """The shape of a network, as far as the report tells or compares it."""

    width: int
    layers: int
    heads: int
    dropout: float

    def has_shape_of(self, other: RunNetwork) -> bool:
        """Whether another network is as large."""
        shapes = ((each.width, each.layers, each.heads) for each in (self, other))
        return len(set(shapes)) == 1


@dataclass(frozen=True, slots=True)
class TrainingRun(Record):
    """A training of a model; its file has all settings and a part of its log beside these."""

    training: RunTraining
    network: RunNetwork
    steps: int
