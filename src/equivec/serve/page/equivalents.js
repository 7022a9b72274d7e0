// The tab Equivalents: what the model writes in place of a formula, judged.

import { latest } from "./api.js";
import { byId } from "./dom.js";
import { report, resultLine, verdictBadge } from "./results.js";

const request = latest();

/** Show the model's proposals for a formula. */
export function equivalents(text, onPick) {
  const [status, list] = [byId("equivalents-status"), byId("equivalents-results")];
  status.textContent = "The model is writing …";
  list.replaceChildren();
  return report(status, list, request("equivalents", { expression: text }),
    ({ proposals }) => {
      list.replaceChildren(...proposals.map((each) =>
        resultLine(each.formula, verdictBadge(each.verdict), why(each), onPick)));
      const good = proposals.filter((each) => each.verdict.relation === "EQUAL").length;
      return `${good} of ${proposals.length} proposals are equal over the reals`;
    });
}

function why({ log_probability: logProbability, verdict }) {
  const share = Math.exp(logProbability);
  const percent = share >= 0.001 ? `${(100 * share).toFixed(1)}%` : share.toExponential(1);
  return `the model’s probability ${percent} · ${verdict.evidence}`;
}
