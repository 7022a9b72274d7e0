// The tab Check: are two formulas equal, and if not, where do they differ?

import { latest } from "./api.js";
import { byId, el, empty } from "./dom.js";
import { Field } from "./field.js";
import { plot } from "./plot.js";
import { report, verdictBadge } from "./results.js";

const request = latest();
const left = new Field("left");
const right = new Field("right");

let asked = ""; // the formula of the other tabs when this one was last opened

/** Take over a formula that is new, and fill the boxes that are empty. */
export async function prepareCheck(text) {
  const isNew = text && text !== asked;
  asked = text;
  if (isNew) forget();
  await Promise.all([
    (!isNew && left.text) || left.set(text || "sqrt(x)^2"),
    right.text || right.set("x"),
  ]);
}

/** What was found is not about what is in the boxes now. */
const forget = () => empty("check-status", "check-result");

function check() {
  const { domain, judge } = Object.fromEntries(new FormData(byId("check-form")));
  const body = { left: left.text, right: right.text, domain: domain || null, judge };
  forget();
  byId("check-status").textContent = "Comparing …";
  report(byId("check-status"), byId("check-result"), request("check", body), show);
}

function show(answer) {
  const { verdict } = answer;
  const shown = [el("p", { className: "verdict" }, verdictBadge(verdict), ` ${verdict.evidence}`)];
  if (answer.plot) shown.push(plot(answer));
  byId("check-result").replaceChildren(el("div", { className: "card" }, ...shown));
}

byId("check-form").addEventListener("submit", (event) => {
  event.preventDefault();
  check();
});
for (const field of [left, right]) field.input.addEventListener("input", forget);
for (const select of byId("check-form").querySelectorAll("select")) {
  select.addEventListener("change", check);
}
