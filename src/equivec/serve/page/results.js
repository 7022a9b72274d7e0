// Lists of formulas, each with a badge that says how it stands to the one asked about.

import { isGivenUp } from "./api.js";
import { el } from "./dom.js";
import { copyButtons, drawn } from "./formula.js";

const BADGES = {
  EQUAL: ["equal", "equal (proved)"],
  EQUAL_ON_COMMON_DOMAIN: ["partly", "equal where both are defined"],
};
const OTHER_VERDICTS = {
  DIFFERENT: ["different", "different (proved)"],
  UNKNOWN: ["unknown", "not decided"],
  NOT_SHOWN: ["unknown", "not shown"],
  TIME_LIMIT: ["unknown", "out of time"],
  FAILED: ["unknown", "failed"],
};

const badge = ([kind, text]) => el("span", { className: `badge ${kind}` }, text);

/** What a verdict says. */
export const verdictBadge = (verdict) =>
  badge(BADGES[verdict.relation] ?? OTHER_VERDICTS[verdict.relation]);

/** What is known of a hit: that it is equal, or else how near it is. */
export function hitBadge(hit) {
  const known = hit.verdict && BADGES[hit.verdict.relation];
  return badge(known ?? ["similar", `cosine ${hit.cosine.toFixed(3)}`]);
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
  const isEqual = hit.verdict && BADGES[hit.verdict.relation];
  const parts = [isEqual ? hit.verdict.reason : "", names && `with ${names}`];
  if (hit.verdict?.relation === "DIFFERENT") parts.unshift(difference(hit.verdict.witness));
  return parts.filter(Boolean).join(" · ");
}

const instead = (asked, found) => `${found} instead of ${asked}`;

/** A witness in words: where two formulas differ, and how. */
export function difference(witness, words = instead) {
  if (!witness) return "";
  const point = Object.entries(witness.point).map(([name, value]) => `${name} = ${value}`);
  const [left, right] = [witness.left, witness.right].map((value) => short(value));
  return `${point.length ? `at ${point.join(", ")}: ` : ""}${words(left, right)}`;
}

function short(value) {
  if (value === null) return "undefined";
  return value.length > 14 ? `${value.slice(0, 13)}…` : value;
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
