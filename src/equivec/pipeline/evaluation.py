"""The evaluations of the paper on some models: a corpus in, a folder of results out.

Every result is a file of its own, written whole, and names its command, commit, seed and machine;
what is there is not done again, so that a run that was stopped goes on where it was. The vectors of
a corpus are kept in parts, so that no more than one part is ever lost. All models of a folder are
given the same, so that they can be compared.

    out/settings.json              what all results here were made of
    out/plot_set.tsv               the expressions of the plots, and which are from training
    out/MODEL/settings.json        what the results of this model belong to
    out/MODEL/EVALUATION.json      one file for each evaluation, and a page and a picture for plots
    out/MODEL/neighbours.json.gz   what the trees of the queries are compared with
    out/MODEL/work/                vectors of the pool, what was written: can be made again
    out/tree_edit_distance.json    every two models against each other
    out/statistics.json            what the corpus looks like, and a chart of its operators
"""

from __future__ import annotations

import re
import shutil
import time
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from equivec.corpus.store import Corpus
from equivec.embed.encoder import precision_of
from equivec.embed.registry import BASELINES, load_encoder
from equivec.errors import ConfigError, FileFormatError, require_packages
from equivec.evaluate.corpus_page import write_operator_chart
from equivec.evaluate.corpus_statistics import CorpusDescription, describe
from equivec.evaluate.distance_analysis import ModelNeighbours
from equivec.evaluate.encoders import ASKED
from equivec.evaluate.plot_set import write_labelled
from equivec.evaluate.provenance import (
    Measurement,
    Provenance,
    Recorded,
    provenance,
    read_recorded,
)
from equivec.evaluate.tree_edit_comparison import (
    ComparisonFile,
    ModelProvenance,
    compare_neighbours,
)
from equivec.pipeline.evaluation_data import (
    BEAMS,
    EvaluationConfig,
    EvaluationData,
    FolderSettings,
    ModelSettings,
)
from equivec.pipeline.evaluation_steps import EVALUATIONS, TREE_EDIT, EvaluatedModel, Needs
from equivec.storage.checksums import checksum
from equivec.storage.files import PARTIAL, write_json
from equivec.storage.values import read_record

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Mapping, Sequence

    from equivec.evaluate.results import Result, Steps
    from equivec.storage.values import Record

__all__ = [
    "BEAMS",
    "COMPARISON",
    "EVALUATIONS",
    "EVERY",
    "PLOT_SET",
    "STATISTICS",
    "TREE_EDIT",
    "EvaluationConfig",
    "evaluate_models",
    "read_comparison",
    "read_results",
    "read_statistics",
    "what_is_lacking",
]

T = TypeVar("T")
R = TypeVar("R", bound="Record")
SETTINGS, COMPARISON, PLOT_SET = "settings.json", "tree_edit_distance.json", "plot_set.tsv"
STATISTICS = "statistics"  # of the corpus, not of a model
_NEIGHBOURS = "neighbours.json.gz"
_NEEDS = {**{name: each.needs for name, each in EVALUATIONS.items()}, STATISTICS: Needs.CORPUS}
EVERY = tuple(_NEEDS)
OF_A_CORPUS = tuple(name for name, needs in _NEEDS.items() if needs)


@dataclass(frozen=True, slots=True)
class Progress:
    """How far an evaluation of a model is."""

    model: str
    step: str
    done: int
    wanted: int


def evaluate_models(
    models: Sequence[str],
    out: Path,
    config: EvaluationConfig,
    only: Sequence[str] = (),
    *,
    command: str = "",
    device: str | None = None,
) -> Iterator[Progress]:
    """Run the evaluations that are not there yet; the caller shows the progress."""
    chosen, data = _chosen(only, config), EvaluationData(config)
    every = list(_evaluated_models(models, out, data, device))
    if config.plot_file is not None:
        _ = data.plot_set  # a file that cannot be read is refused before anything is written
    _check_folders(every)
    _check_writing(every, chosen, only)
    _check_packages(every, chosen)
    _prepare(out, every)
    _ = read_results(out), read_statistics(out)  # what is damaged is told of before any work
    if STATISTICS in chosen and not all(map(Path.exists, _statistics_files(out))):
        yield Progress("corpus", STATISTICS, 0, 1)
        _write_statistics(out, data, command)
    for evaluated in every:
        yield from _evaluate(evaluated, chosen, command)
    has_drawn = config.plot_file is None and any(name.startswith("plot_") for name in chosen)
    if has_drawn and not (out / PLOT_SET).exists():
        write_labelled(out / PLOT_SET, data.plot_set)
    compared = _neighbours(out)
    if TREE_EDIT in chosen and len(compared) < 2:
        (out / COMPARISON).unlink(missing_ok=True)  # models that it compared are gone
    elif TREE_EDIT in chosen:
        yield Progress(" and ".join(compared), "tree edit distance", 0, 1)
        write_json(out / COMPARISON, _comparison(compared).to_json())


def _evaluated_models(
    models: Sequence[str], out: Path, data: EvaluationData, device: str | None
) -> Iterator[EvaluatedModel]:
    for model in models:
        encoder = load_encoder(model, device=device, precision=data.config.precision)
        yield EvaluatedModel(model, encoder, data, out / _folder_name(encoder.name), device)


def read_results(out: Path) -> dict[str, dict[str, Recorded[Result]]]:
    """What the folder of an evaluation holds: for each model, the results by evaluation."""
    results: dict[str, dict[str, Recorded[Result]]] = {}
    for settings in sorted(out.glob(f"*/{SETTINGS}")):
        files = {name: _result_file(settings.parent, name) for name in EVALUATIONS}
        results[read_record(settings, ModelSettings).model] = {
            name: _read(path, EVALUATIONS[name].result)
            for name, path in files.items()
            if path.exists()
        }
    return results


def read_comparison(out: Path) -> ComparisonFile | None:
    """What trees say of every two models, if it is there."""
    path = out / COMPARISON
    if not path.exists():
        return None
    with _can_be_made_again():
        return read_record(path, ComparisonFile)


def read_statistics(out: Path) -> Recorded[CorpusDescription] | None:
    """What the corpus looks like, if it is there."""
    path, _ = _statistics_files(out)
    return _read(path, CorpusDescription) if path.exists() else None


def _read(path: Path, kind: type[R]) -> Recorded[R]:
    with _can_be_made_again():
        return read_recorded(path, kind)


@contextmanager
def _can_be_made_again() -> Iterator[None]:
    """Says of a result that cannot be read what to do."""
    try:
        yield
    except FileFormatError as error:
        raise FileFormatError(f"{error}; remove it to have it made again") from None


def _statistics_files(out: Path) -> tuple[Path, Path]:
    return out / f"{STATISTICS}.json", out / f"{STATISTICS}.png"


def _result_file(folder: Path, name: str) -> Path:
    """Where a model's folder has a result; of trees it has the neighbours to be compared."""
    return folder / (_NEIGHBOURS if name == TREE_EDIT else f"{name}.json")


def _write_statistics(out: Path, data: EvaluationData, command: str) -> None:
    found, (path, chart) = describe(data.corpus), _statistics_files(out)
    write_operator_chart(chart, found)
    write_json(path, {**provenance(command, data.config.seed).to_json(), **found.to_json()})


def _evaluate(evaluated: EvaluatedModel, chosen: Sequence[str], command: str) -> Iterator[Progress]:
    """What is missing of a model; the vectors of the pool are made when they are first needed."""
    model, seed = evaluated.encoder.name, evaluated.data.config.seed
    has_vectors = False
    for name in chosen:
        if name == STATISTICS or not evaluated.can_be(EVALUATIONS[name]):
            continue
        path = _result_file(evaluated.folder, name)
        shown = (evaluated.folder / each for each in EVALUATIONS[name].shown)
        if all(file.exists() for file in (path, *shown)):
            continue
        if EVALUATIONS[name].needs is Needs.VECTORS and not has_vectors:
            yield from _with_progress(evaluated.make_vectors(), model, "vectors")
            has_vectors = True
        started = time.monotonic()
        result = yield from _with_progress(EVALUATIONS[name].run(evaluated), model, name)
        seconds = round(time.monotonic() - started, 1)
        origin = asdict(provenance(command, seed))
        made = Measurement(**origin, device=evaluated.device, seconds=seconds)
        write_json(path, Recorded(made, result).to_json())


def _with_progress(steps: Steps[T], model: str, step: str) -> Generator[Progress, None, T]:
    """Steps as progress; what they return comes back."""
    while True:
        try:
            done, wanted = next(steps)
        except StopIteration as end:
            result: T = end.value
            return result
        yield Progress(model, step, done, wanted)


def _neighbours(out: Path) -> dict[str, Recorded[ModelNeighbours]]:
    """The neighbours that every model of the folder found."""
    folders = (path.parent for path in sorted(out.glob(f"*/{SETTINGS}")))
    paths = (_result_file(folder, TREE_EDIT) for folder in folders)
    found = [_read(path, ModelNeighbours) for path in paths if path.exists()]
    return {each.result.model: each for each in found}


def _comparison(found: Mapping[str, Recorded[ModelNeighbours]]) -> ComparisonFile:
    """Every two models, whose neighbours must be of the same queries."""
    queries = next(iter(found.values())).result.queries
    for model, each in found.items():
        if each.result.queries != queries:
            raise FileFormatError(f"{model} was evaluated with other queries than the others")
    neighbours = {model: each.result.neighbours for model, each in found.items()}
    compared = compare_neighbours(queries, neighbours)
    origins = (_origin(model, each.origin) for model, each in found.items())
    return ComparisonFile(compared.queries, compared.matches, tuple(origins))


def _origin(model: str, made: Measurement) -> ModelProvenance:
    names = (each.name for each in fields(Provenance))
    return ModelProvenance(model=model, **{name: getattr(made, name) for name in names})


def _chosen(only: Sequence[str], config: EvaluationConfig) -> list[str]:
    """The evaluations that are named, or all for which what they need is there."""
    lacking = what_is_lacking(config)
    for name in only:
        if name not in _NEEDS:
            raise ConfigError(f"{name!r} is not an evaluation; use {', '.join(_NEEDS)}")
        if name in lacking:
            raise ConfigError(f"{name} needs {lacking[name]}")
    return [name for name in _NEEDS if (name in only if only else name not in lacking)]


def what_is_lacking(config: EvaluationConfig) -> Mapping[str, str]:
    """The evaluations that cannot be done, and what each would need."""
    if config.corpus is None:
        return dict.fromkeys(
            OF_A_CORPUS, "the expressions of a corpus; name its folder with --corpus"
        )
    sets = Corpus.open(config.corpus).manifest["counts"]["splits"]
    return {
        name: f"a corpus with a set {' or '.join(each.sets)}, but {config.corpus} has none"
        for name, each in EVALUATIONS.items()
        if each.sets and not any(map(sets.get, each.sets))
    }


def _check_writing(
    every: Sequence[EvaluatedModel], chosen: Sequence[str], only: Sequence[str]
) -> None:
    """Raise where a model is asked by name to write that cannot; else such a one is let off."""
    writing = [name for name in chosen if name in EVALUATIONS and EVALUATIONS[name].is_of_writing]
    for evaluated, name in product(every, writing):
        if name in only and not evaluated.can_be(EVALUATIONS[name]):
            raise ConfigError(f"{name} needs a decoder, but {evaluated.encoder.name} has none")


def _check_packages(every: Sequence[EvaluatedModel], chosen: Sequence[str]) -> None:
    """Raise at once, not after hours, where an evaluation lacks what an extra brings."""
    try:
        for name in chosen:
            if name == STATISTICS:
                require_packages(name, "plots", "matplotlib")
            elif any(evaluated.can_be(EVALUATIONS[name]) for evaluated in every):
                require_packages(name, EVALUATIONS[name].extra, *EVALUATIONS[name].packages)
    except ConfigError as error:
        raise ConfigError(f"{error}; or choose the other evaluations with --only") from None


def _check_folders(every: Sequence[EvaluatedModel]) -> None:
    """Raise unless every model has a folder of its own."""
    owners: dict[Path, str] = {}
    for evaluated in every:
        if not _folder_name(evaluated.encoder.name):
            raise ConfigError(f"{evaluated.model} has no letter or digit in its name; rename it")
        if other := owners.get(evaluated.folder):
            raise ConfigError(
                f"{other} and {evaluated.model} would share {evaluated.folder}; rename one of them"
            )
        owners[evaluated.folder] = evaluated.model


def _prepare(out: Path, every: Sequence[EvaluatedModel]) -> None:
    """Make the models' folders, once what is there is seen to belong to the same settings."""
    settings = [_settings(evaluated) for evaluated in every]
    for evaluated, own in zip(every, settings, strict=True):
        _check_settings(evaluated, own)
    for evaluated, own in zip(every, settings, strict=True):
        _remove_old_vectors(evaluated, own)
        evaluated.folder.mkdir(parents=True, exist_ok=True)
        write_json(evaluated.folder / SETTINGS, own.to_json())
    if settings:
        common = {each.name: getattr(settings[0], each.name) for each in fields(FolderSettings)}
        write_json(out / SETTINGS, FolderSettings(**common).to_json())


def _check_settings(evaluated: EvaluatedModel, settings: ModelSettings) -> None:
    """Raise unless what is there belongs to the same model and settings."""
    own, common = evaluated.folder / SETTINGS, evaluated.folder.with_name(SETTINGS)
    if not own.exists() and _holds_results(evaluated.folder):
        raise FileFormatError(
            f"{own} is missing, so that nothing tells of which model the results beside it are; "
            f"remove {evaluated.folder}, or choose another folder for these"
        )
    for path in sorted(evaluated.folder.parent.glob(f"*/{SETTINGS}")):
        _check_same(path, settings, ModelSettings, of_model=path == own)
    if common.exists():
        _check_same(common, settings, FolderSettings, of_model=False)


def _remove_old_vectors(evaluated: EvaluatedModel, settings: ModelSettings) -> None:
    """Remove vectors that a start that failed left: they may be another model's."""
    own = evaluated.folder / SETTINGS
    is_same = own.exists() and read_record(own, ModelSettings) == settings
    if not is_same and not _holds_results(evaluated.folder):
        shutil.rmtree(evaluated.work, ignore_errors=True)


def _check_same(
    path: Path, settings: ModelSettings, kind: type[FolderSettings], *, of_model: bool
) -> None:
    """Raise where there are results that were made with other settings."""
    found = read_record(path, kind)
    names = (each.name for each in fields(ModelSettings if of_model else FolderSettings))
    pairs = {name: (getattr(found, name), getattr(settings, name)) for name in sorted(names)}
    others = [_other(name, *pair) for name, pair in pairs.items() if pair[0] != pair[1]]
    if others and _holds_results(path.parent):
        raise FileFormatError(
            f"{path.parent} has results of {' and '.join(others)}; remove it, or choose another "
            "folder for these"
        )


def _holds_results(folder: Path) -> bool:
    """Whether there is more than what a start that failed leaves behind."""
    files = (path for path in folder.rglob("*") if path.is_file())
    left = (SETTINGS, ASKED, f"{PARTIAL}*")
    return any(not any(map(path.match, left)) for path in files)


def _other(name: str, found: Any, wanted: Any) -> str:
    """How a setting differs; of files there are only checksums."""
    if name in ("corpus", "plot_file", "weights"):
        return f"another {name}"
    return f"{name} {_shown(found)}, not {_shown(wanted)}"


def _shown(setting: Any) -> str:
    if setting is None:
        return "all"
    return ", ".join(map(str, setting)) if isinstance(setting, tuple) else str(setting)


def _settings(evaluated: EvaluatedModel) -> ModelSettings:
    """The model, the settings and the checksums that tell a corpus or a file from any other."""
    config = evaluated.data.config
    encoder = evaluated.encoder
    is_baseline = evaluated.model in BASELINES
    return ModelSettings(
        model=encoder.name,
        weights=None if is_baseline else encoder.checksum,
        has_small_weights=getattr(encoder, "has_small_weights", False),
        corpus=dict(evaluated.data.corpus.manifest["files"]) if config.corpus is not None else {},
        plot_file=None if config.plot_file is None else checksum(Path(config.plot_file)),
        plot_size=config.plot_size,
        queries=config.queries,
        pool=config.pool,
        distractors=config.distractors,
        beams=config.beams,
        precision=precision_of(encoder),
        seed=config.seed,
        rows_per_part=config.rows_per_part,
    )


def _folder_name(model: str) -> str:
    return re.sub(r"\W+", "-", model.lower()).strip("-")
