"""The benchmark as a table and as a figure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from equivec.errors import require_packages
from equivec.storage.files import renamed_when_complete

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from equivec.evaluate.benchmark import BenchmarkResult

_BARS = ("retrieval, recall@1", "detection, AUC", "clustering, ARI", "analogies, recall@1")


def benchmark_table(results: Sequence[BenchmarkResult]) -> str:
    """The figures of every task, one column a model."""
    rows = [result.row for result in results]
    names = list(rows[0])
    first = max(map(len, names))
    widths = [max(len(result.model), 6) for result in results]
    lines = [
        " " * first + "".join(f"  {r.model:>{w}}" for r, w in zip(results, widths, strict=True))
    ]
    for name in names:
        cells = (f"  {row[name]:>{width}.3f}" for row, width in zip(rows, widths, strict=True))
        lines.append(f"{name:<{first}}{''.join(cells)}")
    return "\n".join(lines)


def write_benchmark_figure(path: Path, results: Sequence[BenchmarkResult]) -> None:
    """Write bars of the tasks and cosines by number of rewrites, as PNG or SVG by the ending."""
    require_packages("a figure", "plots", "matplotlib")
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 4), layout="constrained")
    bars, curves = figure.subplots(1, 2)
    width = 0.8 / len(results)
    for number, result in enumerate(results):
        places = [place + (number - (len(results) - 1) / 2) * width for place in range(len(_BARS))]
        bars.bar(places, [result.row[name] for name in _BARS], width, label=result.model)
        cosines = result.robustness.mean_cosines
        (line,) = curves.plot(range(1, len(cosines) + 1), cosines, marker="o", label=result.model)
        curves.axhline(result.robustness.others, color=line.get_color(), linestyle=":")
    bars.set_xticks(range(len(_BARS)), [name.replace(", ", "\n") for name in _BARS])
    bars.set_ylim(0, 1)
    handles, names = bars.get_legend_handles_labels()
    figure.legend(handles, names, loc="outside upper center", ncols=len(names), frameon=False)
    curves.set_xlabel("rewrites")
    curves.set_ylabel("mean cosine (dotted: with another expression)")
    with renamed_when_complete(path) as temporary:
        figure.savefig(temporary, dpi=150)
