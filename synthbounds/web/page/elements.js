// Elements by name, attributes and children. Text becomes text nodes, never markup, so nothing that was typed can act.

const SVG = "http://www.w3.org/2000/svg";

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export function make(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

export function drawn(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

export function one(selector, root = document) {
  return root.querySelector(selector);
}

export function every(selector, root = document) {
  return [...root.querySelectorAll(selector)];
}

/** A text is set only if it differs: a live region speaks at every change. */
export function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** One line above every view, which speaks; an empty text takes it away. */
export function notice(text) {
  say(one("#notice"), text);
}

export function fill(element, ...children) {
  element.replaceChildren(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
}
