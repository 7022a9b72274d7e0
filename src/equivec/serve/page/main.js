// The page: which tab is open, what is asked, and the address that says both.

import { prepareAnalogy } from "./analogy.js";
import { prepareCheck } from "./check.js";
import { byId, debounce, el, empty } from "./dom.js";
import { equivalents } from "./equivalents.js";
import { Field } from "./field.js";
import { showMap } from "./map.js";
import { search } from "./search.js";

const EXAMPLES = [
  "sin(x)/cos(x)", "a^2 + 2ab + b^2", String.raw`\frac{e^x - e^{-x}}{2}`, "1 - 2sin(x)^2",
];
const PAUSE = 150;

// What a tab does with the formula in the box when it is opened or the formula changes.
const TABS = {
  search: (text) => text && search(text, searchFrom),
  equivalents: (text) => text && equivalents(text, searchFrom),
  check: (text) => prepareCheck(text),
  analogy: () => prepareAnalogy(searchFrom),
  map: (text) => showMap(text, searchFrom),
};
// The first box of the tabs that have their own.
const OWN_BOXES = { check: "left-text", analogy: "x1-text" };
const LISTS = ["search", "equivalents"];

const query = new Field("query", () => remember(true));
const tabs = Object.keys(TABS).map((name) => byId(`tab-${name}`));

/** The open tab and the formula, as the address has them: #search/sin(x). */
function address() {
  const [tab, ...rest] = location.hash.slice(1).split("/");
  return { tab: tab in TABS ? tab : "search", text: decoded(rest.join("/")) };
}

/** What an address encodes; one that somebody typed may encode nothing. */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function go(tab, text, isReplaced = false) {
  const hash = `#${tab}/${encodeURIComponent(text)}`;
  if (hash === location.hash) return;
  history[isReplaced ? "replaceState" : "pushState"](null, "", hash);
  open();
}

/** Keep the address in step with what is typed. */
const remember = (isReplaced) => go(address().tab, query.text, isReplaced);

function searchFrom(formula) {
  go("search", formula.infix);
  query.input.focus();
  scrollTo({ top: 0, behavior: "smooth" });
}

/** Show what the address says. */
async function open() {
  const { tab, text } = address();
  for (const each of tabs) {
    const isOpen = each.id === `tab-${tab}`;
    each.setAttribute("aria-selected", String(isOpen));
    each.tabIndex = isOpen ? 0 : -1;
    byId(each.getAttribute("aria-controls")).hidden = !isOpen;
  }
  byId("query-form").hidden = tab in OWN_BOXES;
  byId("examples").hidden = byId("intro").hidden = Boolean(text);
  if (!text) LISTS.forEach((name) => empty(`${name}-status`, `${name}-results`));
  const asked = ask();
  if (query.text !== text) query.set(text);
  await asked;
}

/** Let the open tab ask about the formula of the address; what is in the box may be unfinished. */
function ask() {
  const { tab, text } = address();
  return TABS[tab](text);
}

/** Arrow keys move between tabs. */
function moveTab(event) {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!step) return;
  const next = tabs[(tabs.indexOf(event.target) + step + tabs.length) % tabs.length];
  next.focus();
  next.click();
}

function switchTheme() {
  const isDark = getComputedStyle(document.documentElement).colorScheme.startsWith("dark") ||
    (!document.documentElement.dataset.theme && matchMedia("(prefers-color-scheme: dark)").matches);
  localStorage.setItem("theme", isDark ? "light" : "dark");
  document.documentElement.dataset.theme = localStorage.getItem("theme");
  document.dispatchEvent(new Event("themechange"));
}

async function about() {
  const answer = await fetch("readyz");
  if (!answer.ok) return; // whatever is asked for will say why
  const ready = await answer.json();
  byId("judge").hidden = !ready.judges.includes("sympy");
  byId("about").textContent = `${ready.expressions.toLocaleString("en")} formulas · ` +
    `model ${ready.model} · equivec ${ready.version}`;
}

const theme = localStorage.getItem("theme");
if (theme) document.documentElement.dataset.theme = theme;
byId("theme").addEventListener("click", switchTheme);
byId("examples").append(...EXAMPLES.map((text) => {
  const button = el("button", { type: "button", className: "chip" }, text);
  button.addEventListener("click", () => go(address().tab, text));
  return button;
}));
byId("query-form").addEventListener("submit", (event) => {
  event.preventDefault();
  if (query.text === address().text) open();
  else remember(false);
});
byId("filters").addEventListener("input", debounce(PAUSE, ask));
for (const tab of tabs) {
  tab.addEventListener("click", () => go(tab.id.slice("tab-".length), query.text));
  tab.addEventListener("keydown", moveTab);
}
document.addEventListener("keydown", (event) => {
  const isTyping = ["INPUT", "SELECT", "TEXTAREA"].includes(document.activeElement.tagName);
  if (event.key === "/" && !isTyping) {
    event.preventDefault();
    byId(OWN_BOXES[address().tab] ?? "query-text").focus();
  }
});
addEventListener("popstate", open);
about();
open();
