// The tab Map: the index in two dimensions, the formula asked about and its neighbours marked.

import { ask, latest } from "./api.js";
import { byId, debounce, el } from "./dom.js";
import { drawn } from "./formula.js";
import { hitBadge, report, resultLine } from "./results.js";

// A point has the colour of the first row that its formula matches.
const FAMILIES = [
  ["hyperbolic", /\ba?(sinh|cosh|tanh|coth|sech|csch)\b/],
  ["trigonometric", /\ba?(sin|cos|tan|cot|sec|csc)\b/],
  ["exponential, logarithmic", /\b(exp|log)\b/],
  ["roots", /\bsqrt\b|\*\*\(\d+\/\d+\)/],
  ["other", /(?:)/],
];
const NEAR = 12; // pixels within which a point is meant
const RADIUS = 2.4;

const canvas = byId("map");
const tip = byId("tip");
const status = byId("map-status");
const list = byId("map-results");
const NOTHING = { query: null, neighbours: [] };
const request = latest();
const read = latest();
const pictures = new Map();
let points = null;
let summary = ""; // what there is to say of the map alone
let marked = NOTHING;
let view = { scale: 1, x: 0, y: 0 };
let pick = () => {};

/** Show the map, with a formula on it if there is one. */
export async function showMap(text, onPick) {
  pick = onPick;
  if (!points) {
    status.textContent = "Loading the map …";
    await report(status, list, ask("map"), load);
  }
  if (text) await locate(text);
  else if (points) forget();
  draw();
}

function load(answer) {
  points = answer.expressions.map((expression, index) => ({
    expression,
    x: answer.x[index],
    y: answer.y[index],
    family: FAMILIES.findIndex(([, pattern]) => pattern.test(expression)),
  }));
  const share = Math.round(100 * (answer.explained[0] + answer.explained[1]));
  summary =
    `${points.length.toLocaleString("en")} formulas; two axes show ${share}% of the variance`;
  return summary;
}

/** Show the map alone. */
function forget() {
  request.giveUp();
  marked = NOTHING;
  list.replaceChildren();
  status.classList.remove("bad");
  status.textContent = summary;
}

function locate(text) {
  marked = NOTHING;
  return report(status, list, request("map", { expression: text }), (answer) => {
    marked = answer;
    list.replaceChildren(...answer.neighbours.map((each) =>
      resultLine(each.formula, hitBadge(each), "", pick)));
    return `${answer.query.formula.infix} and its ${answer.neighbours.length} nearest formulas`;
  });
}

/** From the map's coordinates to pixels of the canvas. */
function projection() {
  const { clientWidth: width, clientHeight: height } = canvas;
  const all = points.length ? points : [{ x: 0, y: 0 }];
  const size = Math.max(...all.map(({ x, y }) => Math.max(Math.abs(x), Math.abs(y)))) || 1;
  const unit = view.scale * 0.47 * Math.min(width, height) / size;
  const stretch = Math.min(1.6, Math.max(1, width / height));
  return ({ x, y }) => [
    width / 2 + unit * stretch * (x - view.x),
    height / 2 - unit * (y - view.y),
  ];
}

function draw() {
  if (!points || !canvas.clientWidth) return;
  const ratio = window.devicePixelRatio || 1;
  canvas.width = canvas.clientWidth * ratio;
  canvas.height = canvas.clientHeight * ratio;
  const pen = canvas.getContext("2d");
  pen.scale(ratio, ratio);
  const place = projection();
  const colours = [...byId("legend").children].map((row) => getComputedStyle(row, "::before").color);
  pen.globalAlpha = 0.55;
  for (const point of points) dot(pen, place(point), RADIUS, colours[point.family]);
  pen.globalAlpha = 1;
  drawMarked(pen, place);
}

function drawMarked(pen, place) {
  if (!marked.query) return;
  const { color: accent, backgroundColor: surface } = getComputedStyle(canvas);
  const centre = place(marked.query);
  pen.strokeStyle = accent;
  pen.lineWidth = 1;
  for (const each of marked.neighbours) {
    pen.beginPath();
    pen.moveTo(...centre);
    pen.lineTo(...place(each));
    pen.stroke();
  }
  for (const each of marked.neighbours) {
    dot(pen, place(each), 5.5, surface);
    dot(pen, place(each), 4, accent);
  }
  dot(pen, centre, 9, accent);
  dot(pen, centre, 6, surface);
  dot(pen, centre, 3.5, accent);
}

function dot(pen, [x, y], radius, colour) {
  pen.fillStyle = colour;
  pen.beginPath();
  pen.arc(x, y, radius, 0, 2 * Math.PI);
  pen.fill();
}

/** The point that the mouse means, if any. */
function pointAt(event) {
  if (!points) return null;
  const place = projection();
  const box = canvas.getBoundingClientRect();
  const [mouseX, mouseY] = [event.clientX - box.left, event.clientY - box.top];
  let best = null;
  let nearest = NEAR;
  const neighbours = marked.neighbours.map(({ formula, x, y }) => ({ expression: formula.infix, x, y }));
  for (const point of [...neighbours, ...points]) {
    const [x, y] = place(point);
    const distance = Math.hypot(x - mouseX, y - mouseY);
    if (distance < nearest) [best, nearest] = [point, distance];
  }
  return best;
}

const explain = debounce(30, async (point, event) => {
  try {
    if (!pictures.has(point.expression)) {
      const { formula } = await read("parse", { expression: point.expression });
      pictures.set(point.expression, formula);
    }
    const box = canvas.getBoundingClientRect();
    tip.replaceChildren(drawn(pictures.get(point.expression)));
    tip.hidden = false;
    const x = Math.min(event.clientX - box.left + 14, box.width - tip.offsetWidth - 8);
    const y = Math.min(event.clientY - box.top + 14, box.height - tip.offsetHeight - 8);
    Object.assign(tip.style, { left: `${Math.max(x, 4)}px`, top: `${Math.max(y, 4)}px` });
  } catch {
    tip.hidden = true;
  }
});

function zoom(factor) {
  view.scale = Math.min(64, Math.max(1, view.scale * factor));
  if (view.scale === 1) [view.x, view.y] = [0, 0];
  draw();
}

/** Move the view by pixels. */
function pan(dx, dy) {
  const place = projection();
  const [[x0, y0], [x1, y1]] = [place({ x: 0, y: 0 }), place({ x: 1, y: 1 })];
  view.x -= dx / (x1 - x0);
  view.y -= dy / (y1 - y0);
  draw();
}

let held = null;
canvas.addEventListener("pointerdown", (event) => {
  held = { moved: 0 };
  canvas.setPointerCapture(event.pointerId);
});
canvas.addEventListener("pointermove", (event) => {
  if (held) {
    held.moved += Math.abs(event.movementX) + Math.abs(event.movementY);
    pan(event.movementX, event.movementY);
    return;
  }
  const point = pointAt(event);
  canvas.classList.toggle("pointing", Boolean(point));
  if (point) explain(point, event);
  else tip.hidden = true;
});
canvas.addEventListener("pointerup", (event) => {
  const point = held && held.moved < 4 ? pointAt(event) : null;
  held = null;
  if (point) pick({ infix: point.expression });
});
canvas.addEventListener("pointercancel", () => { held = null; });
canvas.addEventListener("pointerleave", () => { tip.hidden = true; });
canvas.addEventListener("wheel", (event) => {
  event.preventDefault();
  zoom(Math.exp(-event.deltaY / 400));
}, { passive: false });
byId("zoom-in").addEventListener("click", () => zoom(1.5));
byId("zoom-out").addEventListener("click", () => zoom(1 / 1.5));
byId("zoom-reset").addEventListener("click", () => zoom(0));
new ResizeObserver(draw).observe(canvas);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
document.addEventListener("themechange", draw);

byId("legend").replaceChildren(...FAMILIES.map(([name], index) =>
  el("li", { className: `family-${index}` }, name)));
