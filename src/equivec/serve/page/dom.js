// Small helpers for making elements.

/** The element with an id. */
export const byId = (id) => document.getElementById(id);

/** Leave nothing in the elements with these ids. */
export const empty = (...ids) => ids.forEach((id) => byId(id).replaceChildren());

/** A new element with properties (or attributes, where the name has a dash) and children. */
export function el(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.includes("-") || name === "role") element.setAttribute(name, value);
    else element[name] = value;
  }
  element.append(...children);
  return element;
}

/** A function that runs only when it has not been called again for a while. */
export function debounce(milliseconds, run) {
  let timer;
  return (...args) => {
    clearTimeout(timer);
    timer = setTimeout(() => run(...args), milliseconds);
  };
}
