// The third step: how private it is to be, and how precise it can then be, before anything is spent.

import { fill, make, say } from "./elements.js";
import { showReportOf } from "./made.js";
import { labelsOf } from "./schema_rows.js";
import { promiseHeadline, promisedWords } from "./spending.js";
import { ladder, placeOf, readable } from "./texts.js";
import { makeWorkBox } from "./work_box.js";

const EPSILONS = ladder({ scale: "log", from: 0.05, to: 10 });
const ADJACENCIES = {
  "replace-one": "is public",
  "add-remove": "is private too",
};

/** A power of ten that is at most 1/n² for n people; none if n is not known to everybody. */
function usualDelta({ count, choices }) {
  const people = choices.adjacency === "add-remove" ? choices.leastSize : String(count);
  return /^[1-9]\d*$/.test(people) ? `1e-${2 * people.length}` : "";
}

/** Why no step can go on with this epsilon; empty if one can. The engine judges everything else. */
export function epsilonDoubt(text) {
  if (text.trim() === "") return "Enter epsilon, such as 1.";
  if (Number.isNaN(placeOf(text))) return "Write epsilon as a number, such as 0.5 or 1.";
  return placeOf(text) > 0 ? "" : "Epsilon must be above 0; try 1.";
}

/** What a command is told about privacy: the choices of this step. */
export function privacyOptions(choices) {
  const options = { epsilon: choices.epsilon };
  if (choices.delta) options["dp-delta"] = choices.delta;
  if (choices.label) options.label = choices.label;
  options.adjacency = choices.adjacency;
  if (choices.adjacency === "add-remove" && choices.leastSize) options["least-size"] = choices.leastSize;
  return options;
}

/** What the commands are told: the choices of this step and of the trial. */
export function tableOptions(choices) {
  const options = { ...privacyOptions(choices), method: choices.method, values: choices.values };
  if (choices.rows) options.k = choices.rows;
  if (options.label && !["auto", "moments", "tree", "rap", "rap++", "merf"].includes(options.method)) delete options.label;
  return options;
}

export function planStep(way) {
  const { courier, facts } = way;
  const box = makeWorkBox(courier, way);
  const control = (tag, name, attributes, ...children) => make(tag, { id: "privacy-" + name, name: "privacy-" + name, ...attributes }, ...children);
  const typed = { type: "text", inputmode: "decimal", autocomplete: "off", spellcheck: "false", maxlength: 40 };
  const epsilon = control("input", "epsilon", { ...typed, "aria-describedby": "privacy-epsilon-hint" });
  const wrong = make("p", { class: "wrong", id: "privacy-epsilon-wrong", role: "alert" });
  const slider = make("input", { type: "range", min: 0, max: EPSILONS.length - 1, "aria-label": "Epsilon, slider" });
  const delta = control("input", "delta", { ...typed, placeholder: "none", "aria-describedby": "privacy-delta-hint" });
  const label = control("select", "label", { "aria-describedby": "privacy-label-hint" });
  const adjacency = control("select", "adjacency", {}, ...Object.entries(ADJACENCIES).map(([value, words]) => make("option", { value }, words)));
  const least = control("input", "least", { ...typed, inputmode: "numeric", "aria-describedby": "privacy-least-hint" });
  const leastField = field("At least this many rows", least, "a public number, such as the size of the ward");
  const promised = make("div", { class: "promised", hidden: true });
  const host = make("div", { class: "report", hidden: true });
  const form = make("form", { class: "inputs", novalidate: true, autocomplete: "off", "aria-label": "How private" },
    make("div", { class: "field number" }, make("label", { for: "privacy-epsilon" }, "Epsilon (ε)"), epsilon, slider, make("p", { class: "hint", id: "privacy-epsilon-hint" }, "a smaller value protects each person more and makes every number less precise; 1 is a common choice"), wrong),
    field("Delta (δ)", delta, "a tiny chance that the limit is exceeded; allowing it makes every number much more precise; leave it empty for none"),
    field("Is one column the outcome?", label, "a column with two values that a model will predict, if there is one"),
    field("The number of rows", adjacency),
    leastField,
    make("div", { class: "row" },
      make("button", { type: "submit" }, "Show what to expect"),
      make("button", { type: "button", class: "quiet", onclick: () => complain() || way.go("trial") }, "Go on to a trial")));
  const root = make("div", { class: "step" },
    make("div", { class: "reading-text" }, make("p", {}, "Privacy is paid for with precision. Epsilon (ε) sets the price: it limits how much anybody can learn about one person from what you publish, whatever else they know. This step reads nothing from the table and spends nothing.")),
    make("div", { class: "columns" }, form, make("div", { class: "found-side" }, box.root, promised, host)));

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (!complain()) plan();
  });
  form.addEventListener("input", (event) => {
    if (event.target === slider) epsilon.value = EPSILONS[Number(slider.value)];
    const isUsual = delta.value.trim() === usualDelta(facts);
    follow();
    Object.assign(facts.choices, {
      epsilon: epsilon.value.trim(),
      delta: delta.value.trim(),
      label: label.value,
      adjacency: adjacency.value,
      leastSize: least.value.trim(),
    });
    if (isUsual) facts.choices.delta = delta.value = usualDelta(facts);
    leastField.hidden = adjacency.value !== "add-remove";
    promised.hidden = true; // it was for other choices
    if (event.target === epsilon || event.target === slider) mark("");
    way.changed();
  });

  function mark(doubt) {
    say(wrong, doubt);
    epsilon.setAttribute("aria-describedby", doubt ? `${wrong.id} privacy-epsilon-hint` : "privacy-epsilon-hint");
    if (doubt) epsilon.setAttribute("aria-invalid", "true");
    else epsilon.removeAttribute("aria-invalid");
  }

  /** Says at the field what is wrong with epsilon, and whether anything is. */
  function complain() {
    const doubt = epsilonDoubt(epsilon.value);
    mark(doubt);
    if (doubt) epsilon.focus();
    return doubt !== "";
  }

  function follow() {
    const place = placeOf(epsilon.value);
    if (Number.isFinite(place)) slider.value = EPSILONS.findLastIndex((text) => Number(text) <= place * 1.000001);
    slider.setAttribute("aria-valuetext", readable(epsilon.value.trim()));
  }

  async function plan() {
    const { "least-size": leastSize, ...options } = privacyOptions(facts.choices);
    const size = facts.choices.adjacency === "add-remove" ? { "least-size": leastSize ?? "" } : { n: String(facts.count) };
    if (size["least-size"] === "") return box.refuse("Say at least how many rows the table has");
    const end = await box.work("Working out what a release would promise …", { do: "plan", schema: facts.schema, options: { ...options, ...size }, synth: tableOptions(facts.choices) }, (job) => way.started("plan", job));
    return came(end);
  }

  function came(end) {
    const found = end && !end.isRefused ? end.body?.promised : null;
    promised.hidden = !found;
    if (found) {
      const { line, isPromise } = promiseHeadline(found);
      promised.classList.toggle("nothing", !isPromise);
      fill(promised, make("p", { class: "headline" }, line),
        isPromise && make("p", {}, `This is about the released numbers: true of all of them at once, with ${found.surely}, for every table that fits the columns. One point is one record in a hundred.`),
        make("p", {}, make("strong", {}, "A release with these choices: "), promisedWords(found)));
    }
    return showReportOf(way, box, host, end, { without: found ? [".certified"] : [] }); // which is about the best of all methods
  }

  return {
    root,
    show() {
      const { choices } = facts;
      choices.delta ??= usualDelta(facts);
      const labels = labelsOf(facts.rows);
      if (!labels.includes(choices.label)) choices.label = "";
      fill(label, make("option", { value: "" }, "no column in particular"), ...labels.map((name) => make("option", { value: name }, name)));
      Object.assign(epsilon, { value: choices.epsilon });
      Object.assign(delta, { value: choices.delta });
      Object.assign(label, { value: choices.label });
      Object.assign(adjacency, { value: choices.adjacency });
      Object.assign(least, { value: choices.leastSize });
      leastField.hidden = choices.adjacency !== "add-remove";
      follow();
      mark(epsilonDoubt(choices.epsilon));
      host.hidden = promised.hidden = true;
      if (facts.jobs.plan) box.follow(facts.jobs.plan, "Working out what a release would promise …").then(came);
      else if (!epsilonDoubt(choices.epsilon)) plan();
    },
  };
}

/** A label, its control, and a word on it. */
export function field(label, control, note = "") {
  if (note) control.setAttribute("aria-describedby", control.id + "-hint");
  const wide = control.type === "text" ? "text" : "choice";
  return make("div", { class: "field " + wide }, make("label", { for: control.id }, label), control, note && make("p", { class: "hint", id: control.id + "-hint" }, note));
}
