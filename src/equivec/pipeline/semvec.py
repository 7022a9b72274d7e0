"""The SemVec benchmark from data to rows: networks for all datasets trained at once, and scored.

The input is the folder of the published files or one compact file of them; the output a folder:

    rows.json               scores, a row for each dataset, setting, seed and split
    compositionality.json   scores on a dataset of networks trained on another
    training.jsonl          losses and validation scores on the way
    run.json                settings, versions, and what was deduced from each training set
    weights-N.npz           the chosen weights, half precision, on request

Nothing is chosen by a test split: weights are chosen by the published validation split, or by
training classes held out whole.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.nn import functional

from equivec.corpus.semvec import SEMVEC_SPECS, SemVecDataset, SemVecSpec, Split, semvec_spec
from equivec.corpus.semvec_files import read_published
from equivec.errors import ConfigError, EquivecError, FileFormatError
from equivec.evaluate.semvec_score import LARGEST_K, ceiling
from equivec.expression.vocabulary import Vocabulary
from equivec.model.derivation import DerivationConfig, Space, TrainingSet, derive, plain_set
from equivec.model.many_networks import ManyNetworks, NetworkConfig
from equivec.model.semvec_training import (
    SETTINGS,
    BatchSampler,
    Run,
    Setting,
    Trainer,
    TrainingConfig,
    frame,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

COMPOSITIONS: tuple[tuple[str, str], ...] = (
    ("Bool5", "Bool10"),
    ("Bool5", "Bool8"),
    ("BoolL5", "Bool8"),
    ("oneV-Poly10", "oneV-Poly13"),
    ("Poly5", "Poly8"),
    ("Poly5", "SimpPoly10"),
    ("Poly8", "oneV-Poly13"),
    ("Poly8", "SimpPoly10"),
    ("Poly8", "SimpPoly8"),
    ("SimpPoly5", "SimpPoly10"),
    ("SimpPoly8", "SimpPoly10"),
)
# One size for both grammars, so that all networks have one shape.
VOCABULARY_SIZE = max(len(Vocabulary.of(spec.grammar)) for spec in SEMVEC_SPECS)

_MORE_NODES = 2  # of larger expressions than a dataset's own
_MORE_NODES_OF_TEN_VARIABLES = 1  # they are too many
_KS = (1, 5, 10, 15)
_NETWORKS_OF_A_WEIGHTS_FILE = 8
_EMBEDDED_AT_ONCE = 16_384
_SIMILARITIES_AT_ONCE = 2**28
_REPORT_EVERY = 50  # steps

Datasets = dict[str, SemVecDataset]
Reporter = Callable[[str], None]  # what shows a line of progress
Row = dict[str, object]  # of a results file
Sets = dict[str, TrainingSet]
Rows = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class SemVecConfig:
    """What is trained for how long; how is in TrainingConfig."""

    runs: tuple[str, ...]  # such as "all:combined" or "Bool5,Poly5:SemEmb@43"
    seconds: float = 480.0  # for everything: reading, training, scoring
    schedule_seconds: float | None = None  # of training in all, over several commands
    reserve_seconds: float = 25.0  # for scoring
    held_out: float = 0.0  # share of the training classes, for choosing settings
    choices: tuple[float, ...] = (0.7, 0.85)  # shares of training after which weights are compared
    layers: int = 6
    width: int | None = None  # in place of the settings'
    training: TrainingConfig = field(default_factory=TrainingConfig)
    keeps_weights: bool = False

    def __post_init__(self) -> None:
        if not 0 <= self.held_out < 1:
            raise ConfigError(f"held_out must be a share from 0 to below 1, not {self.held_out}")


# --- the compact file ----------------------------------------------------------------------------


def pack_semvec(datasets: Datasets, sets: Sets, path: Path) -> None:
    """Write datasets and training sets deduced from them into one file."""
    arrays: dict[str, npt.NDArray[np.generic]] = {}
    for name, dataset in datasets.items():
        arrays[f"data/{name}/expressions"] = dataset.expressions
        arrays[f"data/{name}/class_ids"] = dataset.class_ids
        arrays[f"data/{name}/split_ids"] = dataset.split_ids
    for name, part in sets.items():
        arrays[f"sets/{name}/expressions"] = part.expressions
        arrays[f"sets/{name}/class_ids"] = part.class_ids.astype(np.int32)
        arrays[f"sets/{name}/labels"] = part.labels
        arrays[f"sets/{name}/variable_count"] = np.array(part.variable_count)
    _write_arrays(path, arrays, compressed=True)


def unpack_semvec(path: Path) -> tuple[Datasets, Sets]:
    """Read what `pack_semvec` wrote."""
    arrays = _read_arrays(path)
    datasets = {
        name: SemVecDataset(
            spec=semvec_spec(name),
            expressions=arrays[f"data/{name}/expressions"].astype(np.uint8),
            class_ids=arrays[f"data/{name}/class_ids"].astype(np.int32),
            split_ids=arrays[f"data/{name}/split_ids"].astype(np.uint8),
        )
        for name in _names(arrays, "data")
    }
    sets = {
        name: TrainingSet(
            arrays[f"sets/{name}/expressions"].astype(np.uint8),
            arrays[f"sets/{name}/class_ids"].astype(np.int64),
            arrays[f"sets/{name}/labels"].astype(np.int32),
            int(arrays[f"sets/{name}/variable_count"]),
        )
        for name in _names(arrays, "sets")
    }
    return datasets, sets


def read_semvec(path: Path, names: Iterable[str]) -> tuple[Datasets, Sets]:
    """Some datasets from the published folder, or all from a compact file with what it deduces."""
    if path.is_dir():
        return {name: read_published(path, semvec_spec(name)) for name in names}, {}
    datasets, sets = unpack_semvec(path)
    if missing := sorted(set(names) - datasets.keys()):
        raise FileFormatError(f"{path}: has no dataset {', '.join(missing)}; pack them first")
    return datasets, sets


def _names(arrays: Mapping[str, object], kind: str) -> list[str]:
    """The names of a kind, in the order of the file."""
    keys = (key.split("/") for key in arrays)
    return list(dict.fromkeys(key[1] for key in keys if key[0] == kind))


def _write_arrays(
    path: Path, arrays: Mapping[str, npt.NDArray[np.generic]], *, compressed: bool = False
) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f"{path.name}.part")
    with temporary.open("wb") as file:
        save: Callable[..., None] = np.savez_compressed if compressed else np.savez
        save(file, **arrays)
    temporary.replace(path)


def _read_arrays(path: Path) -> dict[str, npt.NDArray[np.generic]]:
    try:
        with np.load(path, allow_pickle=False) as file:
            return {name: file[name] for name in file.files}
    except (OSError, ValueError) as error:
        raise FileFormatError(f"{path}: not a file of arrays: {error}") from error


# --- runs ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RunName:
    """One network to train, as asked for."""

    dataset: str
    setting: Setting
    seed: int

    @property
    def targets(self) -> tuple[str, ...]:
        """The datasets beside its own whose composition it is asked about."""
        return tuple(to for source, to in COMPOSITIONS if source == self.dataset)


def parse_runs(texts: Sequence[str], seed: int = 42) -> list[RunName]:
    """The runs that texts like `Bool5,Poly5:SemEmb@43` name; `all` stands for every dataset.

    >>> [(run.dataset, run.setting.name) for run in parse_runs(["Bool5,Poly5:SemEmb"])]
    [('Bool5', 'SemEmb'), ('Poly5', 'SemEmb')]
    >>> len(parse_runs(["all:combined"])), len(parse_runs(["all:transfer"]))
    (14, 7)
    """
    runs: list[RunName] = []
    for text in texts:
        names, _, rest = text.partition(":")
        setting_name, _, seed_text = rest.partition("@")
        if setting_name not in SETTINGS or not (seed_text or "0").isdigit():
            raise ConfigError(
                f"{text!r} is not DATASETS:SETTING or DATASETS:SETTING@SEED; "
                f"settings are {', '.join(SETTINGS)}"
            )
        setting = SETTINGS[setting_name]
        chosen = _all_names(setting) if names == "all" else names.split(",")
        number = int(seed_text) if seed_text else seed
        runs += [RunName(semvec_spec(name).name, setting, number) for name in chosen]
    return runs


def _all_names(setting: Setting) -> list[str]:
    if setting.derived == "transfer":
        return list(dict.fromkeys(source for source, _ in COMPOSITIONS))
    return [spec.name for spec in SEMVEC_SPECS]


def held_out_rows(dataset: SemVecDataset, share: float, seed: int) -> Rows:
    """The training rows of some whole classes, chosen as the unseen ones are: by size.

    A class must have two training rows, and at most three times the mean.
    """
    rows = dataset.rows(Split.TRAIN)
    sizes = np.bincount(dataset.class_ids[rows], minlength=dataset.class_count)
    mean = sizes[sizes > 0].mean()
    eligible = np.flatnonzero((sizes >= 2) & (sizes <= 3 * mean))
    count = round(share * len(eligible))
    chosen = np.random.default_rng(seed).choice(eligible, count, replace=False)
    return rows[np.isin(dataset.class_ids[rows], chosen)]


@dataclass(frozen=True, slots=True)
class _Request:
    """A training set to be made: the rows of a dataset, or what follows from them in a space."""

    source: str
    target: str | None  # none: the rows as they are
    smallest_size: int = 1
    largest_size: int = 0
    held_out: float = 0.0

    @property
    def key(self) -> str:
        """The name of the set in a compact file."""
        sizes = f"{self.smallest_size}-{self.largest_size}"
        return f"{self.source}_{self.target}_{sizes}_{self.held_out:g}"


def requests(run: RunName, held_out: float) -> list[_Request]:
    """The sets that a run draws from.

    The sampled datasets hold so few of their expressions that next to nothing follows.
    """
    spec = semvec_spec(run.dataset)
    plain = _Request(run.dataset, None, held_out=held_out)
    if run.setting.derived == "transfer":
        sizes = {to: semvec_spec(to).largest_size for to in run.targets}
        return [plain, *(_Request(run.dataset, to, 1, sizes[to], held_out) for to in sizes)]
    if run.setting.derived == "none" or spec.sampled_per_class:
        return [plain]
    if run.setting.derived == "within":
        return [_Request(run.dataset, run.dataset, 1, spec.largest_size, held_out)]
    more = _MORE_NODES_OF_TEN_VARIABLES if spec.variable_count > 3 else _MORE_NODES
    smallest, largest = spec.largest_size + 1, spec.largest_size + more
    return [plain, _Request(run.dataset, run.dataset, smallest, largest, held_out)]


def make_set(request: _Request, dataset: SemVecDataset) -> TrainingSet:
    """The training set of a request; of the dataset only training rows are looked at."""
    rows = dataset.rows(Split.TRAIN)
    rows = np.setdiff1d(rows, held_out_rows(dataset, request.held_out, seed=0))
    expressions, class_ids = dataset.expressions[rows], dataset.class_ids[rows].astype(np.int64)
    if request.target is None:
        return plain_set(expressions, class_ids, dataset.spec.variable_count)
    return derive(
        expressions,
        class_ids,
        _ids(dataset.spec, dataset.spec.variables),
        _space(dataset.spec, semvec_spec(request.target), request.largest_size),
        DerivationConfig(smallest_size=request.smallest_size),
    )


def _space(source: SemVecSpec, target: SemVecSpec, largest_size: int) -> Space:
    """The expressions of a dataset, as far as another's operators go."""
    common = [operator for operator in target.operators if operator in source.operators]
    return Space(
        arities=tuple(symbol.arity for symbol in target.grammar.symbols),
        operators=_ids(target, common),
        variables=_ids(target, target.variables),
        largest_size=largest_size,
    )


def _ids(spec: SemVecSpec, names: Iterable[str]) -> tuple[int, ...]:
    return tuple(spec.grammar.tokens.index(name) for name in names)


def prepare_sets(
    runs: Sequence[RunName], datasets: Datasets, sets: Sets, held_out: float, report: Reporter
) -> Sets:
    """All training sets of the runs by key, those at hand as they are, the others made."""
    made = dict(sets)
    for run in runs:
        for request in requests(run, held_out):
            if request.key not in made:
                part = made[request.key] = make_set(request, datasets[request.source])
                report(f"{request.key}: {len(part.expressions):,} expressions")
    return made


# --- scores --------------------------------------------------------------------------------------


def embed(
    networks: ManyNetworks, expressions: npt.NDArray[np.uint8]
) -> Tensor:  # (rows, width), at length one
    """Unit vectors of expressions by a single network."""
    framed = torch.from_numpy(frame(expressions, expressions.shape[1] + 2))
    networks.eval()
    with torch.no_grad():
        vectors = [
            networks.encode(part.to(networks.values.device).long()[None]).vectors[0]
            for part in torch.split(framed, _EMBEDDED_AT_ONCE)
        ]
    return functional.normalize(torch.cat(vectors), dim=1)


def nearest_on_device(units: Tensor, queries: Rows, k: int) -> Rows:  # (queries, k)
    """The k rows nearest to each query by cosine, itself left out, exact, in blocks."""
    k = min(k, len(units) - 1)
    nearest: list[Tensor] = []
    at_once = max(1, _SIMILARITIES_AT_ONCE // len(units))
    for block in torch.split(torch.from_numpy(queries), at_once):
        places = block.to(units.device)
        cosines = units[places] @ units.T
        cosines[torch.arange(len(places), device=units.device), places] = -torch.inf
        nearest.append(cosines.topk(k, dim=1).indices.cpu())
    result: Rows = torch.cat(nearest).numpy()
    return result


def score_queries(dataset: SemVecDataset, units: Tensor, queries: Rows) -> dict[str, float]:
    """score_k and its corrected variant over queries; see `evaluate.semvec_score`."""
    sizes = dataset.class_sizes[dataset.class_ids[queries]]
    queries, sizes = queries[sizes > 1], sizes[sizes > 1][:, None]
    nearest = nearest_on_device(units, queries, LARGEST_K)
    hits = (dataset.class_ids[nearest] == dataset.class_ids[queries, None]).cumsum(axis=1)
    ks = np.minimum(np.array(_KS), hits.shape[1])
    found = hits[:, ks - 1]
    published = 100 * (found / np.minimum(_KS, sizes)).mean(axis=0)
    corrected = 100 * (found / np.minimum(_KS, sizes - 1)).mean(axis=0)
    scores = {f"score_{k}": round(float(value), 3) for k, value in zip(_KS, published, strict=True)}
    return {**scores, "score_5_corrected": round(float(corrected[_KS.index(5)]), 3)}


# --- training ------------------------------------------------------------------------------------


def _start_clock() -> Callable[[], float]:
    """A function that tells the seconds since now."""
    start = time.monotonic()
    return lambda: time.monotonic() - start


class GroupTraining:
    """Runs of one shape, trained together: the loop, the choice of weights, the checkpoint."""

    def __init__(
        self,
        runs: Sequence[RunName],
        sets: Sets,
        datasets: Datasets,
        config: SemVecConfig,
        device: torch.device,
        log: TextIO,
    ) -> None:
        self.runs, self.datasets, self.config, self.log = runs, datasets, config, log
        self.trainer = _make_trainer(runs, sets, config, device)
        self.held_out = {
            run.dataset: held_out_rows(datasets[run.dataset], config.held_out, seed=0)
            for run in runs
        }
        self.best_scores = np.full(len(runs), -1.0)
        self.best_steps = np.zeros(len(runs), dtype=np.int64)
        self.best_values = self.trainer.average.clone()
        self.trained_seconds = 0.0
        self.choices_made = 0

    def train(self, seconds: float, schedule_seconds: float, report: Reporter) -> None:
        """Train until the schedule or the seconds end, then choose a last time."""
        clock = _start_clock()
        # The first step compiles, which is no part of the schedule.
        float(self.trainer.step(self._progress(schedule_seconds)).mean())
        started, before, first = clock(), self.trained_seconds, self.trainer.step_count
        while (progress := self._progress(schedule_seconds)) < 1 and clock() < seconds:
            losses = self.trainer.step(progress)
            if self.trainer.step_count % _REPORT_EVERY == 0:
                mean = float(losses.mean())  # waits for the device
                pace = (clock() - started) / (self.trainer.step_count - first)
                self._report(mean, pace, seconds - clock(), report)
                self._write(losses=[round(loss, 4) for loss in losses.tolist()])
            if self._is_choice_due(progress):
                self.choose(report)
            self.trained_seconds = before + clock() - started
        self.choose(report)

    def _progress(self, schedule_seconds: float) -> float:
        steps = self.trainer.step_count / self.config.training.steps
        return max(steps, self.trained_seconds / schedule_seconds)

    def _is_choice_due(self, progress: float) -> bool:
        due = sum(progress >= share for share in self.config.choices)
        return due > self.choices_made

    def choose(self, report: Reporter) -> None:
        """Keep each run's averaged weights, unless earlier ones were better by more than chance."""
        self.choices_made += 1
        queries = [self._validation_rows(run.dataset) for run in self.runs]
        scores = np.array([self._validate(place, rows) for place, rows in enumerate(queries)])
        chance = np.array([50 / len(rows) ** 0.5 for rows in queries])  # a standard error
        kept = scores > self.best_scores - chance
        self.best_scores[kept] = scores[kept]
        self.best_steps[kept] = self.trainer.step_count
        self.best_values[torch.from_numpy(kept)] = self.trainer.average[torch.from_numpy(kept)]
        names = [f"{run.dataset}:{run.setting.name}@{run.seed}" for run in self.runs]
        self._write(chosen_by=dict(zip(names, scores.round(2).tolist(), strict=True)))
        report(f"step {self.trainer.step_count:,} · validation {scores.round(1).tolist()}")

    def _validation_rows(self, name: str) -> Rows:
        """The rows that weights are chosen by: held-out classes, or else the published split."""
        held_out = self.held_out[name]
        return held_out if len(held_out) else self.datasets[name].rows(Split.VALIDATION)

    def _validate(self, place: int, queries: Rows) -> float:
        dataset = self.datasets[self.runs[place].dataset]
        units = embed(self.network(place, self.trainer.average), dataset.expressions)
        return score_queries(dataset, units, queries)["score_5"]

    def network(self, place: int, values: Tensor) -> ManyNetworks:
        """One of the networks with its row of these weights."""
        return self.trainer.networks.select([place], values)

    def rows(self) -> tuple[list[Row], list[Row]]:
        """The scores of the chosen weights: on the own dataset, and on larger ones.

        Networks that differ in their seeds only are also scored together, their vectors joined.
        With classes held out settings are being chosen, so that no test split is scored.
        """
        own: list[Row] = []
        others: list[Row] = []
        is_trial = self.config.held_out > 0
        for places in self._alike():
            run = self.runs[places[0]]
            own += self._rows_of(places, run.dataset, _TRIAL_SPLITS if is_trial else _SPLITS)
            for target in () if is_trial else run.targets:
                others += self._rows_of(places, target, (Split.UNSEEN,))
        return own, others

    def _alike(self) -> list[list[int]]:
        """The places of runs that differ in their seeds only."""
        places: dict[tuple[str, str], list[int]] = {}
        for place, run in enumerate(self.runs):
            places.setdefault((run.dataset, run.setting.name), []).append(place)
        return list(places.values())

    def _rows_of(
        self, places: Sequence[int], name: str, splits: Sequence[Split | None]
    ) -> Iterator[Row]:
        expressions = self.datasets[name].expressions
        every = [embed(self.network(place, self.best_values), expressions) for place in places]
        for place, units in zip(places, every, strict=True):
            yield from (self._row([place], name, units, split) for split in splits)
        if len(every) > 1:
            joined = torch.cat(every, dim=1) / len(every) ** 0.5
            yield from (self._row(places, name, joined, split) for split in splits)

    def _row(self, places: Sequence[int], name: str, units: Tensor, split: Split | None) -> Row:
        run, dataset = self.runs[places[0]], self.datasets[name]
        queries = self.held_out[run.dataset] if split is None else dataset.rows(split)
        seeds = [self.runs[place].seed for place in places]
        row: Row = {
            "dataset": name,
            "data": "published",
            "setting": run.setting.name,
            "split": "held-out classes" if split is None else split.name.lower(),
            **score_queries(dataset, units, queries),
            "seed": seeds[0] if len(seeds) == 1 else seeds,
            "steps": int(self.best_steps[list(places)].max()),
            "seconds": round(self.trained_seconds, 1),
            "networks_at_once": len(self.runs),
            "ceiling_5": None if split is None else round(ceiling(dataset, split, 5), 3),
        }
        return row if name == run.dataset else {"trained_on": run.dataset, **row}

    def save(self, folder: Path) -> None:
        """Write a checkpoint to go on from."""
        arrays = {
            **self.trainer.state(),
            "best_scores": self.best_scores,
            "best_steps": self.best_steps,
            "best_values": self.best_values.cpu().numpy(),
            "trained_seconds": np.array(self.trained_seconds),
            "choices_made": np.array(self.choices_made - 1),  # the last was not on schedule
        }
        _write_arrays(self._checkpoint(folder), arrays)

    def load(self, folder: Path) -> bool:
        """Go on from a checkpoint, if there is one of the same runs."""
        path = self._checkpoint(folder)
        if not path.exists():
            return False
        arrays = _read_arrays(path)
        self.trainer.restore({k: v for k, v in arrays.items() if k not in _OWN_ARRAYS})
        self.best_scores = arrays["best_scores"].astype(np.float64)
        self.best_steps = arrays["best_steps"].astype(np.int64)
        values = torch.from_numpy(arrays["best_values"])
        self.best_values = values.to(self.trainer.average.device)
        self.trained_seconds = float(arrays["trained_seconds"])
        self.choices_made = int(arrays["choices_made"])
        return True

    def _checkpoint(self, folder: Path) -> Path:
        setting = self.runs[0].setting
        return folder / f"checkpoint-{setting.width}-{setting.pooling}-{len(self.runs)}.npz"

    def _report(self, loss: float, pace: float, left: float, report: Reporter) -> None:
        report(
            f"step {self.trainer.step_count:,} · loss {loss:.3f} · "
            f"{1000 * pace:.1f} ms/step · {left:.0f} s left"
        )

    def _write(self, **values: object) -> None:
        self.log.write(json.dumps({"step": self.trainer.step_count, **values}) + "\n")
        self.log.flush()


_SPLITS = (Split.VALIDATION, Split.SEEN, Split.UNSEEN)
_TRIAL_SPLITS = (Split.VALIDATION, None)  # none: the classes held out
_OWN_ARRAYS = ("best_scores", "best_steps", "best_values", "trained_seconds", "choices_made")


def _make_trainer(
    runs: Sequence[RunName], sets: Sets, config: SemVecConfig, device: torch.device
) -> Trainer:
    """Networks, batches and optimiser of runs whose settings have one shape."""
    torch.manual_seed(config.training.seed)
    setting = runs[0].setting
    width = config.width or setting.width
    network_config = NetworkConfig(
        vocabulary_size=VOCABULARY_SIZE,
        width=width,
        feed_forward=4 * width,
        layers=config.layers,
        pooling=setting.pooling,
    )
    networks = ManyNetworks(network_config, [run.seed for run in runs]).to(device)
    with_sets = [_with_sets(run, sets, config.held_out) for run in runs]
    widths = [part.expressions.shape[1] for run in with_sets for part in run.sets]
    sampler = BatchSampler(
        with_sets,
        config.training.batch_size,
        max(widths) + 2,  # with start and end
        [_ids(semvec_spec(run.dataset), "a")[0] for run in runs],
        device,
        config.training.seed,
    )
    contrasts = [run.setting.contrast for run in runs]
    compute_type = torch.bfloat16 if device.type == "cuda" else torch.float32
    return Trainer(networks, sampler, contrasts, config.training, compute_type)


def _with_sets(run: RunName, sets: Sets, held_out: float) -> Run:
    parts = tuple(sets[request.key] for request in requests(run, held_out))
    return Run(run.dataset, run.setting, run.seed, parts)


def train_semvec(
    data: Path,
    out: Path,
    config: SemVecConfig,
    checkpoint: Path | None = None,
    report: Reporter | None = None,
) -> tuple[list[Row], list[Row]]:
    """Train and score runs within the time given; the rows come back and lie in the folder."""
    clock, report = _start_clock(), report or _silent
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    runs = parse_runs(config.runs, config.training.seed)
    names = {run.dataset for run in runs} | {to for run in runs for to in run.targets}
    datasets, sets = read_semvec(data, sorted(names))
    sets = prepare_sets(runs, datasets, sets, config.held_out, report)
    out.mkdir(parents=True, exist_ok=True)
    own: list[Row] = []
    others: list[Row] = []
    weights: list[npt.NDArray[np.float16]] = []
    left = len(runs)
    with (out / "training.jsonl").open("w", encoding="utf-8") as log:
        for group in _groups(runs):
            share = len(group) / left
            seconds = share * (config.seconds - clock())
            training = GroupTraining(group, sets, datasets, config, device, log)
            if checkpoint and training.load(checkpoint):
                report(f"going on from step {training.trainer.step_count:,}")
            training_seconds = max(1.0, seconds - share * config.reserve_seconds)
            training.train(training_seconds, config.schedule_seconds or training_seconds, report)
            if checkpoint:
                training.save(checkpoint)
            for rows, more in zip((own, others), training.rows(), strict=True):
                rows += more
            weights += list(training.best_values.half().cpu().numpy())
            left -= len(group)
            _write_json(out / "rows.json", own)
            _write_json(out / "compositionality.json", others)
            del training  # its graphs hold memory of the device
            torch.compiler.reset()
    ordered = [run for group in _groups(runs) for run in group]
    _write_json(out / "run.json", _description(ordered, sets, datasets, config, device))
    if config.keeps_weights:
        _write_weights(out, ordered, weights)
    report(f"{len(own)} and {len(others)} rows in {out} after {clock():.0f} s")
    return own, others


def _groups(runs: Sequence[RunName]) -> list[list[RunName]]:
    """Runs by the shape of their networks."""
    groups: dict[tuple[int, str], list[RunName]] = {}
    for run in runs:
        groups.setdefault((run.setting.width, run.setting.pooling), []).append(run)
    return list(groups.values())


def _description(
    runs: Sequence[RunName],
    sets: Sets,
    datasets: Datasets,
    config: SemVecConfig,
    device: torch.device,
) -> Row:
    used = {
        request.key: request.source for run in runs for request in requests(run, config.held_out)
    }
    return {
        "config": asdict(config),
        "runs": [f"{run.dataset}:{run.setting.name}@{run.seed}" for run in runs],
        "device": torch.cuda.get_device_name() if device.type == "cuda" else "cpu",
        "torch": torch.__version__,
        "sets": {key: _describe(sets[key], datasets[source]) for key, source in used.items()},
    }


def _describe(part: TrainingSet, dataset: SemVecDataset) -> Row:
    """How large a set is, and which share of each split of its source it spells out.

    Deduction uses the training rows only, but what it finds can be an expression of a test split:
    a dataset holds every expression up to its size.
    """
    width = max(part.expressions.shape[1], dataset.expressions.shape[1])
    known = _spellings(part.expressions, width)
    shares = {
        f"share_of_{split.name.lower()}": round(
            float(
                np.isin(_spellings(dataset.expressions[dataset.rows(split)], width), known).mean()
            ),
            4,
        )
        for split in Split
    }
    return {"expressions": len(part.expressions), "classes": len(part.labels), **shares}


def _spellings(expressions: npt.NDArray[np.uint8], width: int) -> npt.NDArray[np.void]:
    """One value a row, to be compared."""
    padded = np.full((len(expressions), width), 255, dtype=np.uint8)
    padded[:, : expressions.shape[1]] = expressions
    return padded.view(f"V{width}")[:, 0]


def _write_weights(
    out: Path, runs: Sequence[RunName], weights: Sequence[npt.NDArray[np.float16]]
) -> None:
    names = [f"{run.dataset}:{run.setting.name}@{run.seed}" for run in runs]
    for number, start in enumerate(range(0, len(names), _NETWORKS_OF_A_WEIGHTS_FILE)):
        part = slice(start, start + _NETWORKS_OF_A_WEIGHTS_FILE)
        arrays = dict(zip(names[part], weights[part], strict=True))
        _write_arrays(out / f"weights-{number}.npz", arrays)


def _write_json(path: Path, value: object) -> None:
    temporary = path.with_name(f"{path.name}.part")
    temporary.write_text(json.dumps(value, indent=1) + "\n", encoding="utf-8")
    temporary.replace(path)


def _silent(_: str) -> None:
    """Say nothing."""


def _say(line: str) -> None:
    sys.stderr.write(line + "\n")
    sys.stderr.flush()


# --- command line --------------------------------------------------------------------------------


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m equivec.pipeline.semvec", description=__doc__)
    add = parser.add_argument
    add("--data", type=Path, required=True, help="folder of the published files, or compact file")
    add("--out", type=Path, help="folder for the results")
    add("--pack", type=Path, help="write a compact file with the runs' training sets, and stop")
    add("--runs", nargs="+", required=True, help="such as all:combined or Bool5,Poly5:SemEmb@43")
    add("--seconds", type=float, default=480.0)
    add("--schedule-seconds", type=float)
    add("--reserve-seconds", type=float, default=25.0)
    add("--held-out", type=float, default=0.0)
    add("--layers", type=int, default=6)
    add("--width", type=int)
    add("--steps", type=int)
    add("--batch-size", type=int)
    add("--learning-rate", type=float)
    add("--warmup-steps", type=int)
    add("--temperature", type=float)
    add("--unknown-weight", type=float)
    add("--average-decay", type=float)
    add("--seed", type=int)
    add("--checkpoint", type=Path, help="folder to go on from and to save to")
    add("--compiled", action=argparse.BooleanOptionalAction, default=torch.cuda.is_available())
    add("--weights", action="store_true", help="write the chosen weights")
    return parser


_TRAINING_OPTIONS = (
    "steps",
    "batch_size",
    "learning_rate",
    "warmup_steps",
    "temperature",
    "unknown_weight",
    "average_decay",
    "seed",
)


def _config(options: argparse.Namespace) -> SemVecConfig:
    given = {name: getattr(options, name) for name in _TRAINING_OPTIONS}
    given = {name: value for name, value in given.items() if value is not None}
    return SemVecConfig(
        runs=tuple(options.runs),
        seconds=options.seconds,
        schedule_seconds=options.schedule_seconds,
        reserve_seconds=options.reserve_seconds,
        held_out=options.held_out,
        layers=options.layers,
        width=options.width,
        training=replace(TrainingConfig(is_compiled=options.compiled), **given),
        keeps_weights=options.weights,
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Train, or pack; a caller's mistake is one line and a status of 2."""
    options = _parser().parse_args(arguments)
    try:
        config = _config(options)
        if options.pack:
            runs = parse_runs(config.runs)
            datasets, _ = read_semvec(options.data, [spec.name for spec in SEMVEC_SPECS])
            sets = prepare_sets(runs, datasets, {}, config.held_out, _say)
            pack_semvec(datasets, sets, options.pack)
            _say(f"{options.pack}: {options.pack.stat().st_size / 2**20:.1f} MiB")
            return 0
        if not options.out:
            raise ConfigError("--out is needed, or --pack")
        own, others = train_semvec(options.data, options.out, config, options.checkpoint, _say)
    except EquivecError as error:
        _say(f"error: {error}")
        return 2
    sys.stdout.writelines(_table([*own, *others]))
    return 0


def _table(rows: Sequence[Row]) -> Iterator[str]:
    for row in rows:
        name = " -> ".join(str(row[key]) for key in ("trained_on", "dataset") if key in row)
        yield (
            f"{name:28} {row['setting']:36} {row['split']:16} {row['seed']!s:9} "
            f"{row['score_5']:7.2f} of {row['ceiling_5'] or 100:6.2f}\n"
        )


if __name__ == "__main__":
    sys.exit(main())
