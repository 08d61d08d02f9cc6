// The answer of one question: the number, what it means in the engine's words, what it is made of, and how to ask the
// same elsewhere. Nothing is computed here; an upper bound is shortened upwards.

import { canBeSent } from "./address.js";
import { fill, make, one, say } from "./elements.js";
import { atLeast, atMost, between, readable } from "./texts.js";

const REASONS = { n: "records", m: "reference points", k: "synthetic records" };

/** The places that a view fills, in reading order. */
export function answerParts(name) {
  const copied = (kind, title) =>
    make("div", { class: "copied" },
      make("h4", {}, title),
      make("div", { class: "copy-row" }, make("pre", { class: kind, tabindex: 0, "aria-label": title }), make("button", { type: "button", class: `quiet copy-${kind}` }, "Copy")));
  return [
    make("div", { class: "answer" },
      make("p", { class: "huge" }),
      make("p", { class: "gives" }),
      make("p", { class: "sentence" }),
      make("p", { class: "error", role: "alert", hidden: true }),
      make("dl", { class: "facts beside" }),
      make("p", { class: "limit", hidden: true }),
      make("ul", { class: "warnings", hidden: true }),
      make("div", { class: "row" }, make("button", { type: "button", class: "share" }, canBeSent() ? "Copy a link to this question" : "Copy the command"), make("p", { class: "stored-note", hidden: true }, "A stored answer, until this page's engine has started"))),
    make("section", { class: "curve", hidden: true }),
    make("section", { class: "meaning", hidden: true }),
    make("section", { class: "editions", hidden: true }),
    make("section", { class: "terms", hidden: true }),
    make("section", { class: "same", hidden: true, "aria-labelledby": name + "-same" },
      make("h3", { id: name + "-same" }, "The same question elsewhere"), copied("line", "On the command line"), copied("python", "In Python")),
  ];
}

/** The number that is asked for, as text: exact in `exact`, short in `shown`. */
export function mainNumber(view, state, body) {
  if (view.command === "certify") {
    const value = state.solve === "excess" ? body.excess_est : body[state.solve];
    return { exact: String(value), shown: state.solve === "n" ? readable(value) : readable(String(Number(Number(value).toPrecision(3)))) };
  }
  if (state.solve === "n") return { exact: String(body.n), shown: readable(body.n) };
  if (state.solve === "excess") return { exact: body.bound.hi, shown: atMost(body.bound.hi) };
  return { exact: String(body.solved.value), shown: atMost(String(body.solved.value), 12) };
}

export function showAnswer(section, { view, state, answer, isStored }) {
  const { body, error } = answer;
  const found = body && !error ? mainNumber(view, state, body) : null;
  const huge = one(".huge", section);
  huge.classList.toggle("long", (found?.shown.length ?? 0) > 9);
  huge.classList.toggle("longer", (found?.shown.length ?? 0) > 15);
  say(huge, found ? found.shown : "–");
  huge.classList.toggle("none", !found);
  one(".stored-note", section).hidden = !isStored;
  const isEmpty = found !== null && (body.guarantee ?? body).vacuous === true;
  const gives = isEmpty ? "for a promise that says nothing" : view.solve.find(({ value }) => value === state.solve)?.gives;
  const isEnd = found !== null && body.solved?.neighbour === null; // nothing smaller is looked at
  say(one(".gives", section), found ? (isEnd ? "or less: " : "") + gives : "no answer to this question");
  one(".sentence", section).classList.toggle("vacuous", isEmpty);
  fill(one(".peek", section), make("b", {}, huge.textContent), one(".gives", section).textContent);
  say(one(".sentence", section), found ? answer.sentence : "");
  visible(one(".error", section), error ?? "");
  one(".error", section).dataset.said = answer.said ?? error ?? "";
  visible(one(".limit", section), found ? limitOf(body) : "");
  fill(one(".facts", section), ...(found ? facts(view, state, body) : []));
  const warnings = one(".warnings", section);
  const said = (answer.warnings ?? []).filter((text) => !(isEmpty && text.startsWith("vacuous")));
  warnings.hidden = said.length === 0;
  fill(warnings, ...said.map((text) => make("li", {}, text)));
  showTerms(one(".terms", section), found ? body : null);
  one(".same", section).hidden = !answer.line;
  one(".share", section).hidden = !answer.line && !canBeSent();
  say(one(".line", section), answer.line ?? "");
  say(one(".python", section), answer.python ? "import synthbounds as sb\n" + answer.python : "");
}

/** Before the engine is up, for a question whose answer is not stored. */
export function showWaiting(section) {
  showAnswer(section, { view: { solve: [] }, state: {}, answer: { error: "" }, isStored: false });
  for (const kind of ["meaning", "editions"]) one("." + kind, section).hidden = true;
  say(one(".gives", section), "waiting for the engine");
}

function visible(element, text) {
  element.hidden = text === "";
  say(element, text);
}

function limitOf(body) {
  const limit = body.lower_bound;
  if (!limit) return "";
  if (limit.value) return `For some tables, training on synthetic data this inexact does cost at least ${atLeast(limit.value.lo)}.`;
  const ratio = limit.ratio ? ` ${readable(body.n)} is at most ${atMost(limit.ratio.hi, 3)} times that.` : "";
  return `No mechanism with this privacy, known or unknown, can promise as much for every table with fewer than ${readable(limit.n)} records.${ratio}`;
}

function facts(view, state, body) {
  const found = [];
  const add = (name, value) => value !== null && value !== undefined && found.push(make("div", {}, make("dt", {}, name), make("dd", {}, value)));
  if (view.command === "require") {
    if (state.solve !== "n") add("records", readable(body.n));
    if (body.m !== null) add("reference points", readable(body.m));
    if (body.k !== null) add("synthetic records", readable(body.k));
    add("queries answered", readable(body.queries));
  } else if (view.command === "risk") {
    if (state.solve !== "excess") add("excess risk at most", atMost(body.bound.hi));
    if (state.solve !== "n") add("records", readable(body.n));
    add("attributes in one table", readable(body.order));
    add("any two models differ by at most", atMost(body.trivial_bound.hi));
  } else {
    if (state.solve !== "excess") add("certificate, predicted", readable(String(Number(body.excess_est.toPrecision(3)))));
    add("verdict, predicted", body.verdict_est);
    if (body.query?.pays) add(`with one ${body.query.ask} query (reserve ${body.query.reserve})`, readable(String(Number(body.query.excess_est.toPrecision(3)))));
    add("privacy δ", atMost(body.dp_delta, 3));
  }
  if (body.theorem) add("theorem", `${body.theorem}, ${body.edition} edition`);
  return found;
}

function showTerms(box, body) {
  const terms = body?.terms;
  box.hidden = !terms?.length;
  if (!terms?.length) return;
  const ofSizes = terms.some(({ quantity }) => quantity);
  const largest = ofSizes ? null : terms.reduce((best, term) => (Number(term.enclosure.hi) > Number(best.enclosure.hi) ? term : best));
  const decides = (term) => (ofSizes ? term.binding : term === largest);
  const head = ["", "term", "value", ...(ofSizes ? ["requires"] : [])];
  fill(
    box,
    make("h3", {}, "What decides"),
    make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "terms of the answer" },
      make("table", {},
        make("thead", {}, make("tr", {}, ...head.map((text) => (text ? make("th", { scope: "col" }, text) : make("td"))))),
        make("tbody", {}, ...terms.map((term) =>
          make("tr", { class: decides(term) ? "decides" : null },
            make("td", {}, decides(term) ? (ofSizes ? "binds" : "largest") : ""),
            make("th", { scope: "row" }, ofSizes && REASONS[term.quantity] !== term.name ? `${REASONS[term.quantity]}: ${term.name}` : term.name),
            make("td", { class: "figure", title: `${term.enclosure.lo} to ${term.enclosure.hi}` }, between(term.enclosure)),
            ofSizes ? make("td", { class: "figure" }, readable(term.required ?? "")) : null))))),
    ...(body.certificate || ofSizes ? [make("p", { class: "caption" }, proofText(body, terms))] : []),
    ...(body.notes?.length ? [make("ul", { class: "notes" }, ...body.notes.map((text) => make("li", {}, text)))] : []),
  );
}

function proofText(body, terms) {
  const certificate = body.certificate ?? terms.find(({ quantity, binding }) => quantity === "n" && binding)?.certificate;
  if (!certificate?.margin_below) return "Every value is an enclosure: the true value lies between its ends.";
  const value = readable(certificate.value);
  return `Proved at ${value} (margin at least ${atLeast(certificate.margin_at_value.lo, 3)}) and refuted one below (margin at most ${atMost(certificate.margin_below.hi, 3)}).`;
}
