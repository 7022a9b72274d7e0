// Talks to the service.

import { byId } from "./dom.js";

/** What the service says is wrong: `detail`, and for a formula `field` and `caret`. */
export class Problem extends Error {
  constructor(problem) {
    super(problem.detail);
    Object.assign(this, problem);
  }
}

/** The answer to a request; with a body it is a POST. */
export async function ask(path, body, signal) {
  const headers = { "Content-Type": "application/json" };
  const key = sessionStorage.getItem("key");
  if (key) headers["X-API-Key"] = key;
  const options = body ? { method: "POST", body: JSON.stringify(body) } : {};
  const answer = await reach(`v1/${path}`, { ...options, headers, signal });
  if (answer.status === 401) {
    await askForKey();
    return ask(path, body, signal);
  }
  const content = await answer.json();
  if (!answer.ok) throw new Problem(content);
  return content;
}

/** Requests of which only the last one counts: those before it are given up, or all of them. */
export function latest() {
  let current = new AbortController();
  const request = (path, body) => {
    current.abort();
    current = new AbortController();
    return ask(path, body, current.signal);
  };
  request.giveUp = () => current.abort();
  return request;
}

export const isGivenUp = (error) => error.name === "AbortError";

async function reach(url, options) {
  try {
    return await fetch(url, options);
  } catch (error) {
    if (isGivenUp(error)) throw error;
    throw new Problem({ detail: "The service does not answer. Is it still running?" });
  }
}

let asking = null;

/** Asks for the key once, however many requests need it. */
function askForKey() {
  asking ??= new Promise((resolve, reject) => {
    const dialog = byId("key-dialog");
    byId("key").value = dialog.returnValue = "";
    byId("key-refused").hidden = !sessionStorage.getItem("key");
    dialog.addEventListener("close", () => {
      asking = null;
      sessionStorage.setItem("key", byId("key").value);
      if (dialog.returnValue) resolve();
      else reject(new Problem({ detail: "This service needs a key." }));
    }, { once: true });
    dialog.showModal();
  });
  return asking;
}
