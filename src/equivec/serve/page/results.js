// Lists of formulas, each with a badge that says how it stands to the one asked about.

import { isGivenUp } from "./api.js";
import { el } from "./dom.js";
import { copyButtons, drawn } from "./formula.js";

const KINDS = ["equal", "partly", "partly"]; // by the rank of a verdict
const UNLIKE = KINDS.length; // the rank of all other verdicts

const badge = (kind, text) => el("span", { className: `badge ${kind}` }, text);

/** What a verdict says, and of which numbers. */
export function verdictBadge({ rank, relation, words }) {
  return badge(KINDS[rank] ?? (relation === "DIFFERENT" ? "different" : "unknown"), words);
}

const isLike = ({ verdict }) => verdict && verdict.rank < UNLIKE;

/** What is known of a hit: in which sense it is equal, or else how near it is. */
export function hitBadge(hit) {
  return isLike(hit) ? verdictBadge(hit.verdict) : badge("similar", `cosine ${hit.cosine.toFixed(3)}`);
}

/** A line of a list; clicking the formula calls `onPick` with it. */
export function resultLine(formula, mark, why, onPick) {
  const pick = el("button", { type: "button", className: "formula" }, drawn(formula));
  pick.setAttribute("aria-label", `Search from ${formula.infix}`);
  pick.addEventListener("click", () => onPick(formula));
  const foot = el("div", { className: "foot" }, mark, el("span", { className: "why" }, why));
  return el("li", {}, pick, foot, copyButtons(formula));
}

/** Why a hit is what it is, in words. */
export function whyOf(hit) {
  const renamed = Object.entries(hit.renaming).filter(([from, to]) => from !== to);
  const names = renamed.map(([from, to]) => `${from} as ${to}`).join(", ");
  const told = isLike(hit) ? hit.verdict.evidence : hit.verdict?.sentence;
  return [told, names && `with ${names}`].filter(Boolean).join(" · ");
}

/** Run a request and show its outcome: `show` fills a list and returns what a status line says. */
export async function report(status, list, request, show) {
  status.classList.remove("bad");
  try {
    status.textContent = show(await request) ?? "";
  } catch (error) {
    if (isGivenUp(error)) return;
    list.replaceChildren();
    status.textContent = error.message;
    status.classList.add("bad");
  }
}
