// The tab Check: are two formulas equal, and if not, where do they differ?

import { latest } from "./api.js";
import { byId, el } from "./dom.js";
import { Field } from "./field.js";
import { plot } from "./plot.js";
import { difference, report, verdictBadge } from "./results.js";

const request = latest();
const left = new Field("left");
const right = new Field("right");

/** Fill the boxes that are empty. */
export async function prepareCheck(text) {
  await Promise.all([left.text || left.set(text || "sqrt(x)^2"), right.text || right.set("x")]);
}

function check() {
  const { domain, judge } = Object.fromEntries(new FormData(byId("check-form")));
  const body = { left: left.text, right: right.text, domain, judge };
  byId("check-status").textContent = "Comparing …";
  byId("check-result").replaceChildren();
  report(byId("check-status"), request("check", body), show);
}

function show(answer) {
  const { verdict } = answer;
  const shown = [el("p", { className: "verdict" }, verdictBadge(verdict), ` ${verdict.reason}`)];
  if (verdict.witness) shown.push(el("p", { className: "witness" }, difference(verdict.witness)));
  if (answer.plot) shown.push(plot(answer));
  byId("check-result").replaceChildren(el("div", { className: "card" }, ...shown));
}

byId("check-form").addEventListener("submit", (event) => {
  event.preventDefault();
  check();
});
for (const select of byId("check-form").querySelectorAll("select")) {
  select.addEventListener("change", check);
}
