// A box for a formula that is read while it is typed: its picture, or what is wrong and where.

import { isGivenUp, latest } from "./api.js";
import { byId, debounce, el } from "./dom.js";
import { drawn } from "./formula.js";

const PAUSE = 60; // milliseconds without a key before the text is read

export class Field {
  /** `onFormula` is called whenever a text could be read, or there is none any more. */
  constructor(id, onFormula = () => {}) {
    this.input = byId(`${id}-text`);
    this.preview = el("output", { className: "preview", htmlFor: this.input.id });
    this.error = el("pre", { className: "caret", role: "status", id: `${id}-error` });
    this.onFormula = onFormula;
    this.read = latest();
    Object.assign(this.input, { autocomplete: "off", spellcheck: false });
    this.input.setAttribute("autocapitalize", "off");
    this.input.setAttribute("aria-describedby", this.error.id);
    byId(id).append(this.preview, this.error);
    const later = debounce(PAUSE, () => this.update());
    this.input.addEventListener("input", later);
  }

  get text() {
    return this.input.value.trim();
  }

  /** Put a text into the box; resolves when it was read. */
  async set(text) {
    this.input.value = text;
    await this.update();
  }

  async update() {
    const { text } = this;
    if (!text) {
      this.preview.replaceChildren();
      this.complain(null);
      this.onFormula();
      return;
    }
    try {
      const { formula } = await this.read("parse", { expression: text });
      if (text !== this.text) return; // What was typed since is about to be read.
      this.preview.replaceChildren(drawn(formula));
      this.complain(null);
      this.onFormula();
    } catch (error) {
      if (!isGivenUp(error)) this.complain(error);
    }
  }

  complain(problem) {
    this.error.textContent = problem ? problem.caret ?? problem.message : "";
    this.preview.classList.toggle("stale", Boolean(problem));
    this.input.setAttribute("aria-invalid", String(Boolean(problem)));
  }
}
