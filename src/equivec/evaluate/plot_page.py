"""Embedding plots to look at: a page that works offline, and a picture.

On the page an expression is shown as mathematics under the pointer and copied by a click; the
legend shows and hides classes. plotly draws, the browser itself sets the MathML.
"""

from __future__ import annotations

import json
import warnings
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from equivec.errors import require_packages
from equivec.expression.mathml import write_mathml
from equivec.expression.text import parse
from equivec.storage.files import renamed_when_complete, write_text

if TYPE_CHECKING:
    from pathlib import Path

    from equivec.evaluate.embedding_plots import ClassMeasures, EmbeddingPlot, PlotMeasures

# Okabe and Ito's colours, which colour-blind readers can tell apart.
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#f0e442", "#000000")
# A shape as plotly and as matplotlib call it; classes that share a colour differ in theirs.
_SHAPES = (("circle", "o"), ("square", "s"), ("triangle-up", "^"), ("diamond", "D"), ("cross", "P"))
_MANY = 1_000  # expressions, whose dots are small
_SIZE_IN_LEGEND, _ROWS_OF_LEGEND, _LONGEST_LABEL = 8, 25, 30
_TITLES = {"pca": "the first two principal components", "tsne": "a map by t-SNE"}

_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; margin: 1.5rem auto; max-width: 70rem;
  padding: 0 1rem; }
#map { height: 70vh; min-height: 24rem; }
#tip { position: fixed; pointer-events: none; padding: .4rem .7rem; background: #fff; color: #111;
  border: 1px solid #888; border-radius: .3rem; box-shadow: 0 1px 4px #0004; font-size: 1.25rem;
  max-width: calc(100vw - 16px); box-sizing: border-box; overflow: hidden; }
#tip small { display: block; color: #555; font-size: .8rem; overflow-wrap: anywhere; }
table { border-collapse: collapse; } th, td { padding: .2rem .8rem; text-align: right; }
th:first-child, td:first-child { text-align: left; } th { border-bottom: 1px solid #888; }
"""

_SCRIPT = """
const data = JSON.parse(document.getElementById("data").textContent);
const map = document.getElementById("map"), tip = document.getElementById("tip");
const axis = {zeroline: false, showgrid: false, showticklabels: false};
const layout = {margin: {l: 10, r: 10, t: 40, b: 10}, hovermode: "closest",
  xaxis: axis, yaxis: axis,
  legend: {itemsizing: "constant"}};
const traces = data.map(row => ({x: row.x, y: row.y, name: row.name, customdata: row.texts,
  type: "scatter", mode: "markers", hoverinfo: "none", marker: {size: row.size, color: row.colour,
  symbol: row.shape, opacity: 0.7}}));
// The clipboard as pages in files have it everywhere; the newer way where that is refused.
const copy = async text => {
  const area = document.body.appendChild(document.createElement("textarea"));
  area.value = text;
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  if (!done) await navigator.clipboard.writeText(text);
};
const show = (point, event, note) => {
  const row = data[point.curveNumber];
  tip.innerHTML = row.math[point.pointNumber];
  for (const text of [note, row.label]) {
    tip.appendChild(document.createElement("small")).textContent = text;
  }
  tip.hidden = false;
  const place = (wanted, most) => Math.max(8, Math.min(wanted + 14, most - 8)) + "px";
  tip.style.left = place(event.clientX, innerWidth - tip.offsetWidth);
  tip.style.top = place(event.clientY, innerHeight - tip.offsetHeight);
};
const settings = {responsive: true, displaylogo: false, showSendToCloud: false};
Plotly.newPlot(map, traces, layout, settings).then(() => {
  map.on("plotly_hover", found =>
    show(found.points[0], found.event, found.points[0].customdata));
  map.on("plotly_unhover", () => { tip.hidden = true; });
  map.on("plotly_click", async found => {
    await copy(found.points[0].customdata);
    show(found.points[0], found.event, "copied: " + found.points[0].customdata);
  });
});
"""


def write_plot_page(path: Path, plot: EmbeddingPlot) -> None:
    """Write a self-contained page with the plot and its measures."""
    require_packages("a page", "plots", "plotly")
    from plotly.offline import get_plotlyjs

    measures = plot.measures
    # In a script, "</" could end the element.
    data = json.dumps(_traces(plot), ensure_ascii=False).replace("</", "<\\/")
    title = f"{measures.model}: {len(plot.expressions):,} expressions on {_map_title(measures)}"
    parts = [
        "<!doctype html><html lang='en'><meta charset='utf-8'>",
        "<meta name='viewport' content='width=device-width'>",
        f"<title>{escape(title)}</title><style>{_STYLE}</style><h1>{escape(title)}</h1>",
        "<p>Point at an expression to see it, click to copy it; the legend hides classes.</p>",
        "<div id='map'></div><div id='tip' hidden></div>",
        _measures_table(plot),
        f"<script type='application/json' id='data'>{data}</script>",
        f"<script>{get_plotlyjs()}</script><script>{_SCRIPT}</script></html>",
    ]
    write_text(path, "\n".join(parts))


def write_plot_picture(path: Path, plot: EmbeddingPlot) -> None:
    """Write the plot as PNG or SVG, by the ending of the name."""
    require_packages("a picture", "plots", "matplotlib")
    from matplotlib.figure import Figure

    traces = _places(plot)
    # Many classes stand beside the dots, not over them.
    columns = -(-len(traces) // _ROWS_OF_LEGEND) if len(traces) > len(_COLOURS) else 0
    figure = Figure(figsize=(7 + 3 * columns, 6), layout="constrained")
    axes = figure.subplots()
    dots = [
        axes.scatter(
            trace["x"],
            trace["y"],
            s=trace["size"] ** 2,
            linewidths=0,
            alpha=0.6,
            c=trace["colour"],
            marker=trace["marker"],
        )
        for trace in traces
    ]
    axes.set_axis_off()
    axes.set_title(f"{plot.measures.model}, {_map_title(plot.measures)}", parse_math=False)
    legend = (figure if columns else axes).legend(
        handles=dots,
        labels=[_shortened(trace["label"]) for trace in traces],
        loc="outside right center" if columns else "best",
        ncols=max(1, columns),
        markerscale=_SIZE_IN_LEGEND / traces[0]["size"],
        frameon=False,
    )
    for text in legend.get_texts():
        text.set_parse_math(False)  # "$" is a letter of a label
    with renamed_when_complete(path) as temporary, warnings.catch_warnings():
        # Where a font lacks a letter, a box stands for it.
        warnings.filterwarnings("ignore", "Glyph .* missing from", UserWarning)
        figure.savefig(temporary, dpi=150)


def _map_title(measures: PlotMeasures) -> str:
    title = _TITLES[measures.map]
    if measures.map != "pca":
        return title
    return f"{title} ({sum(measures.variance[:2]):.0%} of the variance)"


def _shortened(label: str) -> str:
    is_long = len(label) > _LONGEST_LABEL
    return f"{label[: _LONGEST_LABEL - 1]}…" if is_long else label


def _places(plot: EmbeddingPlot) -> list[dict[str, Any]]:
    """Where the expressions of each class lie."""
    rows: dict[str, list[int]] = {name: [] for name in plot.measures.classes}
    for row, expression in enumerate(plot.expressions):
        rows[expression.label].append(row)
    size = 2 if len(plot.expressions) > _MANY else 6
    traces: list[dict[str, Any]] = []
    digits = 4 - int(np.floor(np.log10(np.abs(plot.points).max())))
    for number, (label, places) in enumerate(rows.items()):
        x, y = plot.points[places].T.round(digits).tolist()
        colour = _COLOURS[number % len(_COLOURS)]
        shape, marker = _SHAPES[number // len(_COLOURS) % len(_SHAPES)]
        look = {"colour": colour, "shape": shape, "marker": marker, "size": size}
        traces.append({"label": label, **look, "x": x, "y": y, "rows": places})
    return traces


def _traces(plot: EmbeddingPlot) -> list[dict[str, Any]]:
    """The same with each expression as text and as mathematics."""
    traces = _places(plot)
    for trace in traces:
        texts = [plot.expressions[row].expression for row in trace.pop("rows")]
        trace["texts"] = texts
        trace["math"] = [write_mathml(parse(text)) for text in texts]
        trace["name"] = escape(_shortened(trace["label"]), quote=False)  # plotly reads some HTML
        trace["size"] += 3  # in a window, not on a page
    return traces


def _measures_table(plot: EmbeddingPlot) -> str:
    found = plot.measures
    rows = {
        "on the plane": found.plane,
        "in the full space": found.full,
        "on the plane, labels shuffled": found.plane_shuffled,
        "in the full space, labels shuffled": found.full_shuffled,
    }
    body = "".join(f"<tr><td>{name}</td>{_cells(row)}</tr>" for name, row in rows.items())
    headings = ("", "1-NN purity", "5-NN purity", "silhouette", "nearest centroid")
    head = "".join(f"<th>{heading}</th>" for heading in headings)
    return f"<table><tr>{head}</tr>{body}</table>"


def _cells(row: ClassMeasures) -> str:
    return "".join(f"<td>{value:.3f}</td>" for value in row.to_json().values())
