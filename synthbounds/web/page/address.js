// The question is in the address, so that it can be sent: the view, and what differs from what a first visitor sees.

import { VIEWS, VIEW_NAMES } from "./views.js";
import { fieldsOf, startState } from "./questions.js";

/** Whether the address of this page leads anywhere on another machine. */
export function canBeSent() {
  return location.protocol.startsWith("http") && !["127.0.0.1", "localhost", "[::1]"].includes(location.hostname);
}

/** What an address asks for. Values of fields stay text and are judged by the engine; `unread` is what nothing here understands. */
export function readAddress(hash) {
  const given = new URLSearchParams(hash.replace(/^#/, ""));
  const name = VIEW_NAMES.includes(given.get("view")) ? given.get("view") : VIEW_NAMES[0];
  const view = VIEWS[name];
  const isUnknownView = given.has("view") && given.get("view") !== name;
  if (!view) return { name, state: null, unread: [] }; // the papers know what they understand
  const state = startState(view);
  if (view.solve.some(({ value }) => value === given.get("solve"))) state.solve = given.get("solve");
  for (const field of fieldsOf(view)) if (given.has(field.name)) state.values[field.name] = given.get(field.name).slice(0, 200);
  if (fieldsOf(view).some(({ name: axis, slider }) => slider && axis === given.get("over"))) state.over = given.get("over");
  const fields = new Set(fieldsOf(view).map((field) => field.name));
  const isRead = { view: !isUnknownView, solve: state.solve === given.get("solve"), over: state.over === given.get("over") };
  return { name, state, unread: [...given].filter(([part]) => !(isRead[part] ?? fields.has(part))) };
}

export function addressOf(name, state) {
  const parts = new URLSearchParams({ view: name });
  if (state) {
    const start = startState(VIEWS[name]);
    for (const field of fieldsOf(VIEWS[name]))
      if (state.values[field.name] !== start.values[field.name]) parts.set(field.name, state.values[field.name]);
    if (state.solve !== start.solve) parts.set("solve", state.solve);
    if (state.over !== start.over) parts.set("over", state.over);
  }
  return "#" + parts;
}

/** The parts of an address that were not understood, in words; an empty text if there are none. */
export function unreadWords(parts) {
  const shown = parts.slice(0, 5).map(([name, value]) => (value ? `${name}=${value}` : name).slice(0, 60));
  return shown.length ? "Not understood in this address: " + shown.join(", ") + (parts.length > 5 ? ", and more" : "") : "";
}

const SAME_MOVE_MS = 1000;
let move = { isOver: true, control: "", at: -Infinity };

/** One move is one step of the history: until it is over, and while the same control keeps moving, the step is replaced. */
export function writeAddress(hash, isOver, control = "") {
  const goesOn = control !== "" && control === move.control && performance.now() - move.at < SAME_MOVE_MS;
  const isSameMove = goesOn || !move.isOver;
  move = { isOver, control, at: performance.now() };
  if (hash === location.hash) return;
  if (isSameMove) history.replaceState(null, "", hash);
  else history.pushState(null, "", hash);
}
