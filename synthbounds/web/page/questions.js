// From the state of a view to the questions that the engine is asked. There is no page here: the build of the static
// page runs this file to learn which first answers it stores.

import { VIEWS } from "./views.js";
import { placeOf, shareText, textNear } from "./texts.js";

export function fieldsOf(view) {
  return [...view.fields, ...view.advanced];
}

export function startState(view) {
  const values = Object.fromEntries(fieldsOf(view).map((field) => [field.name, field.start ?? ""]));
  return { solve: view.solve[0].value, over: view.over, values };
}

/** Whether a field belongs to the question: what is solved for is not given, and every measure has its own. */
export function isAsked(field, state) {
  if (field.for && !field.for.includes(state.solve)) return false;
  return !field.measure || field.measure === state.values.measure;
}

/** The numbers that a curve can be drawn over. */
export function axesOf(view, state) {
  return fieldsOf(view).filter((field) => field.slider && isAsked(field, state));
}

function valueOf(field, state) {
  return field.isShare ? shareText(state.values[field.name]) : state.values[field.name];
}

const SHARES = ["", "monomials", "cells", "thresholds"]; // families whose answers are shares

/** Why the question would only get an empty promise, in the form of the engine's errors; empty if it would not. */
export function doubtOf(view, state) {
  const field = fieldsOf(view).find(({ name }) => name === "accuracy");
  if (!field || !isAsked(field, state) || !SHARES.includes(state.values.family)) return "";
  const [typed, text] = [state.values.accuracy, valueOf(field, state)];
  const place = placeOf(text);
  if (!(place >= 1)) return "";
  const meant = text === typed && place < 100 ? shareText(`${typed}%`) : typed;
  return `accuracy = ${typed}: must be below 1, since no share can be further off.${meant === typed || meant.endsWith("%") ? "" : ` Did you mean ${typed} % (${meant})?`}`;
}

export function questionOf(view, state) {
  const options = { ...view.fixed };
  for (const field of fieldsOf(view))
    if (isAsked(field, state) && state.values[field.name] !== "") options[field.name] = field.isFlag ? true : valueOf(field, state);
  if (isSearch(view, state) && view.command !== "certify") options["solve-for"] = state.solve;
  return { ask: "answer", command: view.command, options };
}

/** Whether the engine searches for the answer by asking itself, which takes longer. */
function isSearch(view, state) {
  return view.command === "certify" ? state.solve !== "excess" : !["n", "excess"].includes(state.solve);
}

/** The same question for many values of one number; null if that number is not part of it. */
export function curveOf(view, state) {
  const field = axesOf(view, state).find(({ name }) => name === state.over);
  const count = isSearch(view, state) ? view.solvedPoints : view.points;
  if (!field || !count) return null;
  const { options } = questionOf(view, state);
  return { ask: "curve", command: view.command, options, over: field.name, values: gridOf(field, options, count) };
}

function gridOf(field, options, count) {
  const { scale } = field.slider;
  let { from, to } = field.slider;
  const here = placeOf(options[field.name]);
  const isOnIt = here > 0 && Number.isFinite(here);
  if (isOnIt) [from, to] = [Math.min(from, here), Math.max(to, here)];
  if (field.name === "p") from = Math.max(from, placeOf(options.degree) || from);
  if (field.name === "degree") to = Math.min(to, Math.max(placeOf(options.p) || to, 2));
  const found = new Set(isOnIt ? [options[field.name]] : []);
  for (let i = 0; i < count; i += 1) {
    const share = i / (count - 1);
    if (scale === "whole") found.add(String(Math.round(from + share * (to - from))));
    else {
      const place = from * (to / from) ** share;
      found.add(scale === "whole-log" ? String(Math.round(Number(textNear(place, 3)))) : textNear(place, 3));
    }
  }
  return coarseFirst([...found].sort((a, b) => placeOf(a) - placeOf(b)));
}

/** Both ends and every eighth value before those between: a curve is there at once, and grows finer. */
function coarseFirst(values) {
  const found = new Set([values[0], values.at(-1)]);
  for (const step of [8, 4, 2, 1]) for (let i = 0; i < values.length; i += step) found.add(values[i]);
  return [...found];
}

/** All theorems and editions on the same question; at the value that was found, if something was solved for. */
export function compareOf(view, state, body) {
  if (!view.compares) return null;
  const { edition, theorem, "solve-for": solved, n, ...options } = questionOf(view, state).options;
  if (solved !== undefined) options[solved] = String(body?.solved?.value ?? "");
  if (view.command === "risk" && (n !== undefined)) options.n = n;
  if (view.command === "risk" && solved !== undefined) delete options.n;
  return { ask: "answer", command: "compare", options };
}

/** What a question is stored under: its JSON, names in order. */
export function questionKey(question) {
  const ordered = (value) => {
    if (Array.isArray(value)) return value.map(ordered);
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(Object.keys(value).sort().map((name) => [name, ordered(value[name])]));
  };
  return JSON.stringify(ordered(question));
}

/** What a first visitor sees, and what is therefore stored with the static page. */
export function firstQuestions() {
  const found = [{ ask: "forms" }];
  for (const view of Object.values(VIEWS).filter(({ serverOnly }) => !serverOnly)) {
    const state = startState(view);
    found.push(questionOf(view, state), curveOf(view, state), compareOf(view, state, null));
  }
  return found;
}
