// The tab Analogy: vectors added and subtracted.

import { latest } from "./api.js";
import { byId, empty } from "./dom.js";
import { Field } from "./field.js";
import { hitBadge, report, resultLine } from "./results.js";

const request = latest();
const fields = { x1: new Field("x1"), y1: new Field("y1"), y2: new Field("y2") };
const EXAMPLE = { x1: "cos(x)", y1: "sin(x)", y2: "csc(x)" };

/** Fill the boxes that are empty, and say what a click on an answer does. */
export async function prepareAnalogy(onPick) {
  byId("analogy-form").onsubmit = (event) => {
    event.preventDefault();
    find(onPick);
  };
  await Promise.all(
    Object.entries(fields).map(([name, field]) => field.text || field.set(EXAMPLE[name])));
}

/** What was found is not about what is in the boxes now. */
const forget = () => empty("analogy-status", "analogy-results");

for (const field of Object.values(fields)) field.input.addEventListener("input", forget);

function find(onPick) {
  const body = Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.text]));
  const list = byId("analogy-results");
  return report(byId("analogy-status"), list, request("analogy", body), ({ given, hits }) => {
    list.replaceChildren(
      ...hits.map((hit) => resultLine(hit.formula, hitBadge(hit), "", onPick)));
    const [x1, y1, y2] = given.map((formula) => formula.infix);
    return `${x1} is to ${y1} as the first of these is to ${y2}`;
  });
}
