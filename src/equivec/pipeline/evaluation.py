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
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from equivec.corpus.store import Corpus
from equivec.embed.encoder import precision_of
from equivec.embed.registry import BASELINES, load_encoder
from equivec.errors import ConfigError, FileFormatError, require_packages
from equivec.evaluate.corpus_page import write_operator_chart
from equivec.evaluate.corpus_statistics import describe
from equivec.evaluate.encoders import ASKED
from equivec.evaluate.plot_set import write_labelled
from equivec.evaluate.provenance import provenance
from equivec.evaluate.results import read_result
from equivec.evaluate.tree_edit_comparison import TreeEditComparison, compare_neighbours
from equivec.pipeline.evaluation_material import BEAMS, EvaluationConfig, Material
from equivec.pipeline.evaluation_steps import EVALUATIONS, TREE_EDIT, Needs, Subject
from equivec.storage.checksums import checksum
from equivec.storage.files import PARTIAL, made_again_if_damaged, read_json, write_json

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence

    from equivec.evaluate.results import Steps

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
SETTINGS, COMPARISON, PLOT_SET = "settings.json", "tree_edit_distance.json", "plot_set.tsv"
STATISTICS = "statistics"  # of the corpus, not of a model
_NEIGHBOURS = "neighbours.json.gz"
_NEEDS = {**{name: each.needs for name, each in EVALUATIONS.items()}, STATISTICS: Needs.CORPUS}
EVERY = tuple(_NEEDS)
OF_A_CORPUS = tuple(name for name, needs in _NEEDS.items() if needs)
# What the results of all models in a folder must have in common.
_SHARED = ("corpus", "distractors", "plot_file", "plot_size", "pool", "queries", "seed")
# What a comparison repeats of where each model's neighbours are from.
_ORIGIN = ("model", "command", "commit", "seed", "machine", "date")


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
    chosen, material = _chosen(only, config), Material(config)
    subjects = list(_subjects(models, out, material, device))
    if config.plot_file is not None:
        _ = material.plot_set  # a file that cannot be read is refused before anything is written
    _check_folders(subjects)
    _check_writing(subjects, chosen, only)
    _check_packages(subjects, chosen)
    _prepare(out, subjects)
    _ = read_results(out), read_statistics(out)  # what is damaged is told of before any work
    if STATISTICS in chosen and not all(map(Path.exists, _statistics_files(out))):
        yield Progress("corpus", STATISTICS, 0, 1)
        _write_statistics(out, material, command)
    for subject in subjects:
        yield from _evaluate(subject, chosen, command)
    has_drawn = config.plot_file is None and any(name.startswith("plot_") for name in chosen)
    if has_drawn and not (out / PLOT_SET).exists():
        write_labelled(out / PLOT_SET, material.plot_set)
    compared = _neighbours(out)
    if TREE_EDIT in chosen and len(compared) < 2:
        (out / COMPARISON).unlink(missing_ok=True)  # models that it compared are gone
    elif TREE_EDIT in chosen:
        yield Progress(" and ".join(compared), "tree edit distance", 0, 1)
        origins = [{name: each[name] for name in _ORIGIN} for each in compared.values()]
        write_json(out / COMPARISON, {"models": origins, **_comparison(compared).to_json()})


def _subjects(
    models: Sequence[str], out: Path, material: Material, device: str | None
) -> Iterator[Subject]:
    for model in models:
        encoder = load_encoder(model, device=device, precision=material.config.precision)
        yield Subject(model, encoder, material, out / _folder_name(encoder.name), device)


def read_results(out: Path) -> dict[str, dict[str, Any]]:
    """What the folder of an evaluation holds: for each model, the results by evaluation."""
    results: dict[str, dict[str, Any]] = {}
    for settings in sorted(out.glob(f"*/{SETTINGS}")):
        files = {name: _result_file(settings.parent, name) for name in EVALUATIONS}
        model = _read_settings(settings)["model"]
        results[model] = {name: _read_made(path) for name, path in files.items() if path.exists()}
    return results


def read_comparison(out: Path) -> dict[str, Any]:
    """What trees say of every two models, if it is there."""
    return _read_made(out / COMPARISON) if (out / COMPARISON).exists() else {}


def read_statistics(out: Path) -> dict[str, Any]:
    """What the corpus looks like, if it is there."""
    path, _ = _statistics_files(out)
    return _read_made(path) if path.exists() else {}


def _read_made(path: Path) -> dict[str, Any]:
    """A result that can be made again."""
    with made_again_if_damaged(path):
        return read_result(path)


def _statistics_files(out: Path) -> tuple[Path, Path]:
    return out / f"{STATISTICS}.json", out / f"{STATISTICS}.png"


def _result_file(folder: Path, name: str) -> Path:
    """Where a model's folder has a result; of trees it has the neighbours to be compared."""
    return folder / (_NEIGHBOURS if name == TREE_EDIT else f"{name}.json")


def _write_statistics(out: Path, material: Material, command: str) -> None:
    found, (path, chart) = describe(material.corpus), _statistics_files(out)
    write_operator_chart(chart, found.statistics)
    write_json(path, {**provenance(command, material.config.seed), **found.to_json()})


def _evaluate(subject: Subject, chosen: Sequence[str], command: str) -> Iterator[Progress]:
    """What is missing of a model; the vectors of the pool are made when they are first needed."""
    model, seed = subject.encoder.name, subject.material.config.seed
    has_vectors = False
    for name in chosen:
        if name == STATISTICS or not subject.can_be(EVALUATIONS[name]):
            continue
        path = _result_file(subject.folder, name)
        shown = (subject.folder / each for each in EVALUATIONS[name].shown)
        if all(file.exists() for file in (path, *shown)):
            continue
        if EVALUATIONS[name].needs is Needs.VECTORS and not has_vectors:
            yield from _told(subject.make_vectors(), model, "vectors")
            has_vectors = True
        started = time.monotonic()
        result = yield from _told(EVALUATIONS[name].run(subject), model, name)
        seconds = round(time.monotonic() - started, 1)
        made = {**provenance(command, seed), "device": subject.device, "seconds": seconds}
        write_json(path, {**made, **result})


def _told(steps: Steps[T], model: str, step: str) -> Generator[Progress, None, T]:
    """Steps as progress; what they return comes back."""
    while True:
        try:
            done, wanted = next(steps)
        except StopIteration as end:
            result: T = end.value
            return result
        yield Progress(model, step, done, wanted)


def _neighbours(out: Path) -> dict[str, dict[str, Any]]:
    """The neighbours that every model of the folder found."""
    found = read_results(out)
    return {model: each[TREE_EDIT] for model, each in found.items() if TREE_EDIT in each}


def _comparison(found: Mapping[str, Mapping[str, Any]]) -> TreeEditComparison:
    """Every two models, whose neighbours must be of the same queries."""
    queries = next(iter(found.values()))["queries"]
    for model, each in found.items():
        if each["queries"] != queries:
            raise FileFormatError(f"{model} was evaluated with other queries than the others")
    return compare_neighbours(queries, {model: each["neighbours"] for model, each in found.items()})


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
        name: f"a corpus with a set {' or '.join(each.sets)}, which {config.corpus} has not"
        for name, each in EVALUATIONS.items()
        if each.sets and not any(map(sets.get, each.sets))
    }


def _check_writing(subjects: Sequence[Subject], chosen: Sequence[str], only: Sequence[str]) -> None:
    """Raise where a model is asked by name to write that cannot; else such a one is let off."""
    writing = [name for name in chosen if name in EVALUATIONS and EVALUATIONS[name].is_of_writing]
    for subject, name in product(subjects, writing):
        if name in only and not subject.can_be(EVALUATIONS[name]):
            raise ConfigError(f"{name} needs a decoder, which {subject.encoder.name} has not")


def _check_packages(subjects: Sequence[Subject], chosen: Sequence[str]) -> None:
    """Raise at once, not after hours, where an evaluation lacks what an extra brings."""
    try:
        for name in chosen:
            if name == STATISTICS:
                require_packages(name, "plots", "matplotlib")
            elif any(subject.can_be(EVALUATIONS[name]) for subject in subjects):
                require_packages(name, EVALUATIONS[name].extra, *EVALUATIONS[name].packages)
    except ConfigError as error:
        raise ConfigError(f"{error}; or choose the other evaluations with --only") from None


def _check_folders(subjects: Sequence[Subject]) -> None:
    """Raise unless every model has a folder of its own."""
    owners: dict[Path, str] = {}
    for subject in subjects:
        if not _folder_name(subject.encoder.name):
            raise ConfigError(f"{subject.model} has no letter or digit in its name; rename it")
        if other := owners.get(subject.folder):
            raise ConfigError(
                f"{other} and {subject.model} would share {subject.folder}; rename one of them"
            )
        owners[subject.folder] = subject.model


def _prepare(out: Path, subjects: Sequence[Subject]) -> None:
    """Make the models' folders, once what is there is seen to belong to the same settings."""
    settings = [_settings(subject) for subject in subjects]
    for subject, own in zip(subjects, settings, strict=True):
        _check_settings(subject, own)
    for subject, own in zip(subjects, settings, strict=True):
        _sweep(subject, own)
        subject.folder.mkdir(parents=True, exist_ok=True)
        write_json(subject.folder / SETTINGS, own)
    if settings:
        write_json(out / SETTINGS, {name: settings[0][name] for name in _SHARED})


def _check_settings(subject: Subject, settings: Mapping[str, Any]) -> None:
    """Raise unless what is there belongs to the same model and settings."""
    own, common = subject.folder / SETTINGS, subject.folder.with_name(SETTINGS)
    if not own.exists() and _holds_results(subject.folder):
        raise FileFormatError(
            f"{own} is missing, so that nothing tells of which model the results beside it are; "
            f"remove {subject.folder}, or choose another folder for these"
        )
    for path in sorted(subject.folder.parent.glob(f"*/{SETTINGS}")):
        _check_same(path, settings, "model", names=settings if path == own else _SHARED)
    if common.exists():
        _check_same(common, settings, "corpus", names=_SHARED)


def _sweep(subject: Subject, settings: Mapping[str, Any]) -> None:
    """Let go of vectors that a start that failed left: they may be another model's."""
    own = subject.folder / SETTINGS
    is_same = own.exists() and _read_settings(own) == settings
    if not is_same and not _holds_results(subject.folder):
        shutil.rmtree(subject.work, ignore_errors=True)


def _check_same(path: Path, settings: Mapping[str, Any], what: str, names: Iterable[str]) -> None:
    """Raise where there are results that were made with other settings."""
    found = _read_settings(path, what)
    different = sorted(name for name in names if settings[name] != found.get(name))
    if different and _holds_results(path.parent):
        others = (_other(name, found.get(name), settings[name]) for name in different)
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
    return ", ".join(map(str, setting)) if isinstance(setting, list) else str(setting)


def _read_settings(path: Path, what: str = "model") -> dict[str, Any]:
    found = read_json(path)
    if not isinstance(found, dict) or what not in found:
        raise FileFormatError(f"{path} does not say of which {what} the results beside it are")
    return {"beams": list(BEAMS), **found}  # which earlier settings do not name


def _settings(subject: Subject) -> dict[str, Any]:
    """The model, the settings and the checksums that tell a corpus or a file from any other."""
    config = asdict(subject.material.config)
    has_corpus = config.pop("corpus") is not None
    if config["plot_file"] is not None:
        config["plot_file"] = checksum(Path(config["plot_file"]))
    encoder = subject.encoder
    config["precision"] = precision_of(encoder)
    if config["precision"] is None:
        del config["precision"]  # of models alone
    return {
        "model": encoder.name,
        "weights": None if subject.model in BASELINES else encoder.checksum,
        "has_small_weights": getattr(encoder, "has_small_weights", False),
        **config,
        "beams": list(subject.material.config.beams),
        "corpus": dict(subject.material.corpus.manifest["files"]) if has_corpus else {},
    }


def _folder_name(model: str) -> str:
    return re.sub(r"\W+", "-", model.lower()).strip("-")
