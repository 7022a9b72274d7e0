"""The committed evaluation sets, made anew."""

from __future__ import annotations

from dataclasses import astuple, fields
from random import Random
from typing import TYPE_CHECKING

from equivec.corpus.analogies import Analogy
from equivec.errors import ConfigError
from equivec.evaluate.benchmark_sets import SEPARATOR
from equivec.evaluate.plot_set import HEADINGS, make_plot_set
from equivec.storage.files import write_table
from equivec_reproduction.folder import RESULTS, ROOT
from equivec_reproduction.make_analogies import make_analogies
from equivec_reproduction.make_benchmark import (
    make_clusters_of,
    make_detection_pairs,
    make_retrieval_cases,
    make_walks,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from equivec.evaluate.plot_set import Labelled

DATA = ROOT / "src" / "equivec" / "evaluate" / "data"
FRESH_PLOTS = RESULTS / "plots" / "fresh" / "plot_set.tsv"
COMMAND = "equivec-reproduction make-evaluation-sets"
SEED = 42
ANALOGIES_OF_EACH_KIND = 600


def write_analogies() -> None:
    """Analogies by identities and by substitution."""
    analogies = make_analogies(Random(SEED), ANALOGIES_OF_EACH_KIND)  # noqa: S311
    about = f"x1 is to y1 as x2 is to y2; {COMMAND} analogies, seed {SEED}"
    headings = [field.name for field in fields(Analogy)]
    write_table(DATA / "analogies.tsv", about, headings, map(astuple, analogies))


def write_retrieval() -> None:
    """Queries with equivalents and mutants."""
    cases = make_retrieval_cases(_random("retrieval"), 400)
    rows = [
        (case.query, SEPARATOR.join(case.equivalents), SEPARATOR.join(case.mutants))
        for case in cases
    ]
    _write("retrieval", "a query, what equals it, and mutants that do not", RETRIEVAL, rows)


def write_detection() -> None:
    """Pairs that are equal and pairs that are not."""
    pairs = make_detection_pairs(_random("detection"), 2_000)
    rows = [(pair.left, pair.right, "equal" if pair.is_equal else "different") for pair in pairs]
    _write("detection", "pairs, every second one a near miss", DETECTION, rows)


def write_clusters() -> None:
    """Clusters of equal expressions."""
    clusters = make_clusters_of(_random("clusters"), 100, 8)
    rows = [(str(number), text) for number, texts in enumerate(clusters) for text in texts]
    _write("clusters", "expressions of a cluster are equal", CLUSTERS, rows)


def write_walks() -> None:
    """Expressions after more and more rewrites."""
    rows = [(walk.source, *walk.rewrites) for walk in make_walks(_random("walks"), 200)]
    _write("walks", "an expression after 1, 2, ... rewrites", WALKS, rows)


def write_plot_expressions() -> None:
    """Simple expressions of four classes."""
    chosen = make_plot_set(_random("plot_expressions"), 1_760)
    _write_plots("plots", DATA / "plot_expressions.tsv", chosen, SEED)


def write_fresh_plot_expressions() -> None:
    """Another draw of the same kind: trials were compared by the committed one."""
    chosen = make_plot_set(_random("plot_expressions", SEED + 1), 1_760)
    _write_plots("fresh_plots", FRESH_PLOTS, chosen, SEED + 1)


def _write_plots(name: str, path: Path, chosen: Sequence[Labelled], seed: int) -> None:
    made = f"{COMMAND} {name}, seed {seed}"
    about = f"simple expressions of four classes; {made}"
    write_table(path, about, HEADINGS[:2], [(row.expression, row.label) for row in chosen])


def _random(name: str, seed: int = SEED) -> Random:
    return Random(f"{seed} {name}")  # noqa: S311


def _write(name: str, what: str, headings: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    about = f"{what}; {COMMAND} {name}, seed {SEED}"
    write_table(DATA / f"benchmark_{name}.tsv", about, headings, rows)


RETRIEVAL = ("query", "equivalents", "mutants")
DETECTION = ("left", "right", "verdict")
CLUSTERS = ("cluster", "expression")
WALKS = ("source", *(str(step) for step in range(1, 9)))
SETS: dict[str, Callable[[], None]] = {
    "analogies": write_analogies,
    "retrieval": write_retrieval,
    "detection": write_detection,
    "clusters": write_clusters,
    "walks": write_walks,
    "plots": write_plot_expressions,
    "fresh_plots": write_fresh_plot_expressions,
}


def make_sets(names: Sequence[str]) -> None:
    """Write the named sets, or all."""
    for name in names:
        if name not in SETS:
            raise ConfigError(f"{name!r} is not an evaluation set; use {', '.join(SETS)}")
    for name in names or SETS:
        SETS[name]()
