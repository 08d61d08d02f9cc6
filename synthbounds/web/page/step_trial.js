// The fourth step: a method, and a simulation that protects nobody, to look at: the table, its errors, what is certified.

import { fill, make } from "./elements.js";
import { showMade } from "./made.js";
import { field, tableOptions } from "./step_plan.js";
import { makeWorkBox } from "./work_box.js";

const METHODS = {
  auto: "choose for me, by what is public",
  moments: "columns and how they go together; good for linear models",
  tree: "pairs of columns on a tree, and pairs with the label",
  aim: "tables of columns, chosen round by round; slow, often the best",
  mst: "a tree of pairs of columns",
  gen: "all pairs of columns",
  lp: "promises a bound on its error in advance; for few columns",
  independent: "each column on its own; needs no delta",
  rap: "tables of columns, by relaxed rows",
  "rap++": "also numbers without groups",
  gem: "a small network",
  merf: "a small network, by random features",
};
const VALUES = { middle: "the middle of its group", inside: "some number in its group" };

export function trialStep(way) {
  const { courier, facts } = way;
  const box = makeWorkBox(courier, way);
  const method = make("select", { id: "trial-method", name: "trial-method" }, ...Object.entries(METHODS).map(([value, words]) => make("option", { value }, `${value}: ${words}`)));
  const values = make("select", { id: "trial-values", name: "trial-values" }, ...Object.entries(VALUES).map(([value, words]) => make("option", { value }, words)));
  const rows = make("input", { type: "text", id: "trial-rows", name: "trial-rows", inputmode: "numeric", autocomplete: "off", maxlength: 12, placeholder: "as many as the table has" });
  const radio = (value, words, note) => make("label", { class: "option" }, make("input", { type: "radio", name: "trial-data", value }), make("span", {}, words, make("small", {}, note)));
  const generated = radio("generated", "On made-up rows", "they fit your columns; your table is not read");
  const open = radio("table-is-public", "On the table itself, which is public", "only if everybody may see it: a simulation protects nobody");
  const next = make("button", { type: "button", class: "quiet", onclick: () => way.go("release") }, "Go on to the release");
  const form = make("form", { class: "inputs", novalidate: true, autocomplete: "off", "aria-label": "A trial" },
    make("fieldset", {}, make("legend", {}, "Try it"), generated, open),
    field("Method", method),
    make("details", { class: "advanced" }, make("summary", {}, "More choices"),
      field("Rows to make", rows), field("A group of numbers is written as", values)),
    make("div", { class: "row" }, make("button", { type: "submit" }, "Simulate"), next));
  const came = make("div", { class: "came" });
  const root = make("div", { class: "step" },
    make("div", { class: "reading-text" }, make("p", {}, "A simulation does what the release would do, with noise that protects nobody. It spends nothing. Look at the table and at its report: is it good enough for what you want to publish?")),
    make("div", { class: "columns" }, form, make("div", { class: "found-side" }, box.root, came)));

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    fill(came);
    const data = form.elements["trial-data"].value;
    const request = { do: "simulate", schema: facts.schema, data, options: tableOptions(facts.choices) };
    if (data === "generated") request.records = String(facts.choices.adjacency === "add-remove" ? facts.choices.leastSize : facts.count);
    else request.table = facts.table.id;
    show(await box.work("Simulating …", request, (job) => way.started("trial", job)));
  });
  form.addEventListener("input", () => {
    if (method.value !== facts.choices.method || rows.value.trim() !== facts.choices.rows) delete facts.jobs.plan; // it was for another method
    Object.assign(facts.choices, { method: method.value, values: values.value, rows: rows.value.trim(), data: form.elements["trial-data"].value });
    way.changed();
  });

  async function show(end) {
    if (!end || end.isRefused) return;
    await showMade(way, box, came, end, { job: end.job });
  }

  return {
    root,
    show() {
      const { choices } = facts;
      choices.data ??= facts.table?.public ? "table-is-public" : "generated";
      form.elements["trial-data"].value = choices.data;
      Object.assign(method, { value: choices.method });
      Object.assign(values, { value: choices.values });
      Object.assign(rows, { value: choices.rows });
      fill(came);
      if (facts.jobs.trial) box.follow(facts.jobs.trial, "Simulating …").then(show);
    },
  };
}
