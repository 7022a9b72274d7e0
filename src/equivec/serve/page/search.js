// The tab Search: equal formulas first, then similar ones.

import { latest } from "./api.js";
import { byId } from "./dom.js";
import { hitBadge, report, resultLine, whyOf } from "./results.js";

const request = latest();

const symbols = (text) => text.split(/[\s,]+/).filter(Boolean);

function filters() {
  const form = new FormData(byId("filters"));
  const most = form.get("max_operators");
  return {
    k: Number(form.get("k")) || 10,
    same_names: form.has("same_names"),
    filter: {
      contains: symbols(form.get("contains")),
      excludes: symbols(form.get("excludes")),
      max_operators: most === "" ? null : Number(most),
    },
  };
}

/** Search for a formula and show what was found. */
export function search(text, onPick) {
  const started = performance.now();
  const list = byId("search-results");
  const body = { expression: text, ...filters() };
  return report(byId("search-status"), list, request("search", body),
    ({ hits, expressions }) => {
      list.replaceChildren(
        ...hits.map((hit) => resultLine(hit.formula, hitBadge(hit), whyOf(hit), onPick)));
      const milliseconds = Math.round(performance.now() - started);
      const equal = hits.filter((hit) => hit.verdict?.relation === "EQUAL").length;
      return `${equal} equal over the reals, ${hits.length - equal} more of ` +
        `${expressions.toLocaleString("en")} formulas in ${milliseconds} ms`;
    });
}
