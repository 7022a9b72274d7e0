"""The statistics of a corpus as a page and a chart."""

from __future__ import annotations

from html import escape
from random import Random
from typing import TYPE_CHECKING

from equivec.corpus.export import clusters_of
from equivec.errors import require_packages
from equivec.expression.mathml import write_mathml
from equivec.expression.prefix import parse_prefix
from equivec.storage.files import renamed_when_complete, write_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from equivec.corpus.store import Corpus
    from equivec.evaluate.corpus_statistics import CorpusDescription

_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; margin: 1rem 0; } th, td { padding: .25rem .75rem; }
th { text-align: left; border-bottom: 1px solid #888; } td.number { text-align: right; }
svg text { font: 12px system-ui, sans-serif; fill: currentColor; } svg rect { fill: #4878a8; }
@media (prefers-color-scheme: dark) { body { background: #181818; color: #ddd; } }
"""
_SAMPLE = 12


def write_page(path: Path, corpus: Corpus, found: CorpusDescription) -> None:
    """Write a self-contained page: counts, the paper's table, charts, and a sample of clusters."""
    counts = found.counts
    rows = [
        (split, f"{counts.splits[split]:,}", found.operators[split], found.lengths[split])
        for split in found.operators
    ]
    parts = [
        "<!doctype html><html lang='en'><meta charset='utf-8'>",
        "<meta name='viewport' content='width=device-width'>",
        f"<title>Corpus</title><style>{_STYLE}</style>",
        f"<h1>{counts.expressions:,} expressions in {counts.clusters:,} clusters</h1>",
        f"<p>{counts.pairs:,} ordered pairs as the paper counts them, "
        f"{counts.pairs_in_clusters:,} within clusters.</p>",
        _table(("set", "expressions", "operators", "length"), rows),
        _table(
            ("engine", "edits between members, of their length", "differ only in argument order"),
            [
                (engine, f"{each.edit_distance:.3f}", f"{100 * each.only_reordered:.1f}%")
                for engine, each in found.diversity.items()
            ],
        ),
        "<h2>Expressions that contain an operator</h2>",
        _bars(found.with_operator),
        "<h2>Expressions by number of operator types</h2>",
        _bars({str(types): count for types, count in found.by_types.items()}),
        "<h2>Sizes of clusters</h2>",
        _bars({str(size): count for size, count in list(found.cluster_sizes.items())[:40]}),
        "<h2>Dropped proposals</h2>",
        _bars(corpus.manifest.get("proposals", {})),
        "<h2>Some clusters</h2>",
        _table(("an expression", "and some equivalents"), _sample(corpus)),
        "</html>",
    ]
    write_text(path, "\n".join(parts))


def write_operator_chart(path: Path, found: CorpusDescription) -> None:
    """Write the chart of operators as PNG or SVG, by the ending of the name."""
    require_packages("a chart", "plots", "matplotlib")
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 4), layout="constrained")
    axes = figure.subplots()
    axes.bar(list(found.with_operator), list(found.with_operator.values()), color="#4878a8")
    axes.set_yscale("log")
    axes.set_ylabel("expressions")
    axes.tick_params(axis="x", rotation=60)
    with renamed_when_complete(path) as temporary:
        figure.savefig(temporary, dpi=150)


def _table(headings: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    head = "".join(f"<th>{heading}</th>" for heading in headings)
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><tr>{head}</tr>{body}</table>"


def _bars(values: Mapping[str, int]) -> str:
    """A horizontal bar chart as SVG."""
    largest = max((1, *values.values()))
    lines = []
    for place, (name, count) in enumerate(values.items()):
        y, width = 22 * place, 480 * count / largest
        lines.append(
            f"<text x='150' y='{y + 14}' text-anchor='end'>{escape(name)}</text>"
            f"<rect x='160' y='{y + 3}' width='{max(width, 1):.1f}' height='15'/>"
            f"<text x='{168 + width:.1f}' y='{y + 14}'>{count:,}</text>"
        )
    return f"<svg width='760' height='{22 * len(values) + 4}' role='img'>{''.join(lines)}</svg>"


def _sample(corpus: Corpus) -> Iterable[tuple[str, str]]:
    clusters = list(clusters_of(corpus.table()))
    generator = Random(0)  # noqa: S311
    for members in generator.sample(clusters, min(_SAMPLE, len(clusters))):
        first, *others = (write_mathml(parse_prefix(text)) for text in members[:5])
        yield first, " &ensp; ".join(others)
