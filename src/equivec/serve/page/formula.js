// Formulas on the page: MathML that the browser draws, and ways to copy them.

import { el } from "./dom.js";

/** The MathML of a formula as an element; read as XML, so that nothing in it can run. */
export function drawn(formula) {
  const parsed = new DOMParser().parseFromString(formula.mathml, "application/xml");
  const math = document.importNode(parsed.documentElement, true);
  math.setAttribute("alttext", formula.infix);
  return math;
}

const FORMATS = [["LaTeX", "latex"], ["SymPy", "infix"], ["prefix", "prefix"]];

/** Buttons that copy a formula. */
export function copyButtons(formula) {
  const buttons = FORMATS.map(([label, format]) => {
    const button = el("button", { type: "button", className: "quiet", textContent: label });
    button.setAttribute("aria-label", `Copy ${formula.infix} as ${label}`);
    button.addEventListener("click", () => copy(formula[format], button, label));
    return button;
  });
  return el("span", { className: "copy" }, el("span", { "aria-hidden": "true" }, "copy"), ...buttons);
}

async function copy(text, button, label) {
  if (navigator.clipboard) await navigator.clipboard.writeText(text);
  else copyTheOldWay(text);
  button.textContent = "copied";
  setTimeout(() => { button.textContent = label; }, 1200);
}

/** Browsers keep the clipboard from pages that came over plain HTTP from another machine. */
function copyTheOldWay(text) {
  const area = el("textarea", { value: text });
  document.body.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
}
