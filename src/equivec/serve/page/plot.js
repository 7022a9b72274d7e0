// Two functions in one picture, drawn as SVG from the values that the service computed.

import { el } from "./dom.js";

const SIZE = { width: 640, height: 320, left: 56, right: 16, top: 16, bottom: 36 };
const TICKS = 5;

const svg = (tag, attributes, ...children) => {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
};

/** The picture of a check: both sides, and the witness if there is one. */
export function plot({ left, right, plot: values, verdict }) {
  const scale = scales(values);
  const picture = svg("svg", {
    viewBox: `0 0 ${SIZE.width} ${SIZE.height}`,
    class: "plot",
    role: "img",
    "aria-label": `${left.infix} and ${right.infix} for ${values.variable} from ` +
      `${number(values.points[0])} to ${number(values.points.at(-1))}`,
  });
  picture.append(...axes(scale, values.variable));
  picture.append(frame(scale), ...["left", "right"].map((side) => svg("path", {
    class: `curve ${side}`, d: path(values.points, values[side], scale), "clip-path": "url(#frame)",
  })));
  picture.append(...witness(verdict.witness, values.variable, scale));
  const held = Object.entries(values.held).map(([name, value]) => `${name} = ${number(value)}`);
  return el("figure", {}, picture, el("figcaption", {},
    el("span", { className: "key left" }, left.infix),
    el("span", { className: "key right" }, right.infix),
    el("span", {}, held.length ? `with ${held.join(", ")}` : "")));
}

/** From values to places; steep ends are cut off so that the rest can be seen. */
function scales({ points, left, right }) {
  const seen = [...left, ...right].filter((value) => value !== null).sort((a, b) => a - b);
  let low = seen[Math.floor(0.03 * seen.length)] ?? -1;
  let high = seen[Math.ceil(0.97 * seen.length) - 1] ?? 1;
  const room = 0.12 * (high - low) || Math.abs(high) || 1;
  [low, high] = [low - room, high + room];
  const [first, last] = [points[0], points.at(-1)];
  const inner = {
    width: SIZE.width - SIZE.left - SIZE.right,
    height: SIZE.height - SIZE.top - SIZE.bottom,
  };
  return {
    low, high, first, last,
    x: (value) => SIZE.left + inner.width * (value - first) / (last - first),
    y: (value) => SIZE.top + inner.height * (high - value) / (high - low),
  };
}

/** A path with gaps where there is no value, or where it leaves the picture. */
function path(points, values, scale) {
  const span = scale.high - scale.low;
  let isDrawing = false;
  return values.map((value, index) => {
    const isOut = value === null || value > scale.high + span || value < scale.low - span;
    // From one end of the picture to the other in a step: a pole, not a slope.
    const isJump = isDrawing && Math.abs(value - values[index - 1]) > 1.2 * span;
    if (isOut) {
      isDrawing = false;
      return "";
    }
    const command = isDrawing && !isJump ? "L" : "M";
    isDrawing = true;
    return `${command}${scale.x(points[index]).toFixed(1)} ${scale.y(value).toFixed(1)}`;
  }).join("");
}

/** What curves may not leave. */
function frame({ x, y, first, last, low, high }) {
  const box = { x: x(first), y: y(high), width: x(last) - x(first), height: y(low) - y(high) };
  return svg("clipPath", { id: "frame" }, svg("rect", box));
}

function axes({ x, y, first, last, low, high }, variable) {
  const [left, right, top, bottom] = [x(first), x(last), y(high), y(low)];
  const columns = ticks(first, last).map((value) => [value, x(value)]).flatMap(([value, place]) => [
    svg("line", { class: value === 0 ? "zero" : "grid", x1: place, x2: place, y1: top, y2: bottom }),
    svg("text", { x: place, y: bottom + 18, "text-anchor": "middle" }, number(value)),
  ]);
  const rows = ticks(low, high).map((value) => [value, y(value)]).flatMap(([value, place]) => [
    svg("line", { class: value === 0 ? "zero" : "grid", x1: left, x2: right, y1: place, y2: place }),
    svg("text", { x: left - 8, y: place + 4, "text-anchor": "end" }, number(value)),
  ]);
  const name = { x: right, y: SIZE.height - 2, "text-anchor": "end", class: "name" };
  return [...columns, ...rows, svg("text", name, variable)];
}

/** Round numbers in an interval: steps of 1, 2 or 5 times a power of ten. */
function ticks(low, high) {
  const rough = (high - low) / TICKS;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 5, 10].find((factor) => factor * power >= rough);
  const count = Math.floor(high / step) - Math.ceil(low / step) + 1;
  return Array.from({ length: count }, (_, index) => (Math.ceil(low / step) + index) * step);
}

/** A line at the point where the sides differ, and a dot on each. */
function witness(found, variable, scale) {
  const at = found?.point[variable];
  if (at === undefined) return [];
  const x = scale.x(at);
  const line = svg("line", {
    class: "witness", x1: x, x2: x, y1: SIZE.top, y2: scale.y(scale.low),
  });
  const dots = ["left", "right"]
    .filter((side) => found[side] !== null)
    .map((side) => [side, scale.y(Number(found[side]))])
    .filter(([, y]) => y >= 0 && y <= SIZE.height)
    .map(([side, y]) => svg("circle", { class: `dot ${side}`, cx: x, cy: y, r: 5 }));
  return [line, ...dots];
}

function number(value) {
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e5 || size < 1e-3)) return value.toExponential(1);
  return String(Number(value.toPrecision(3)));
}
