// The fifth step: the release, in two deliberate moves. First what it will spend is shown; then it is confirmed.

import { fill, make } from "./elements.js";
import { isAsDrafted, openRows } from "./schema_rows.js";
import { askToSpend } from "./spending.js";
import { field, privacyOptions, tableOptions } from "./step_plan.js";
import { makeWorkBox } from "./work_box.js";

const NONE = "";
const NEW = "new account"; // no account is called so: names have no blanks

const RESERVE = "1/4"; // of the budget, for one question about any model
const KINDS = {
  table: { words: "a synthetic table", published: "a synthetic table, the noisy numbers that it was made from, and a report", options: tableOptions },
  floors: {
    words: "how well any model could predict",
    published: "how small the loss of linear models can be, and a report; a quarter of the budget is kept for one question about the predictions of any model",
    options: (choices) => ({ ...privacyOptions(choices), reserve: RESERVE }),
  },
};

export function releaseStep(way) {
  const { courier, facts } = way;
  const box = makeWorkBox(courier, way);
  const account = make("select", { id: "release-account", name: "release-account" });
  const text = (name, attributes = {}) => make("input", { type: "text", id: "release-" + name, name: "release-" + name, autocomplete: "off", spellcheck: "false", maxlength: 80, ...attributes });
  const [people, total, totalDelta] = [text("people"), text("total", { inputmode: "decimal" }), text("total-delta", { inputmode: "decimal", placeholder: "none" })];
  const opening = make("div", { class: "opening" },
    field("Name of this group of people", people, "a short name, such as patients-2024"),
    field("Epsilon for all releases together", total),
    field("Delta for all releases together", totalDelta),
    make("button", { type: "button", class: "quiet", onclick: open }, "Open the account"));
  const accountField = field("Account", account, "keeps the total of everything ever spent on the same people, and refuses a release that would exceed its limit");
  const kind = make("select", { id: "release-kind", name: "release-kind" }, ...Object.entries(KINDS).map(([value, { words }]) => make("option", { value }, words)));
  kind.addEventListener("change", () => fill(second));
  const first = make("form", { class: "inputs", novalidate: true, autocomplete: "off", "aria-label": "First: what will be spent" },
    field("What to release", kind), accountField, opening, make("button", { type: "submit" }, "Show what will be spent"));
  const second = make("div", { class: "second" });
  const locked = make("div", { class: "locked" });
  const columns = make("div", { class: "columns" }, first, make("div", { class: "found-side" }, box.root, second));
  const root = make("div", { class: "step" },
    make("div", { class: "reading-text" }, make("p", {}, "A release cannot be taken back: whoever has it may keep it, and the privacy it cost is gone. So you are asked twice, and the first time spends nothing.")),
    locked, columns);

  first.addEventListener("submit", (event) => {
    event.preventDefault();
    prepare(false);
  });
  account.addEventListener("change", () => {
    facts.choices.account = account.value === NEW ? NONE : account.value;
    opening.hidden = account.value !== NEW;
    fill(second);
    way.keep();
  });

  async function open() {
    const options = { name: people.value.trim(), adjacency: facts.choices.adjacency, epsilon: total.value.trim() };
    if (totalDelta.value.trim()) options["dp-delta"] = totalDelta.value.trim();
    const name = options.name.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "");
    if (!name) return box.refuse("Give this group of people a name");
    const end = await box.work("Opening the account …", { do: "account", action: "open", name, options });
    if (!end || end.isRefused) return;
    facts.choices.account = name;
    way.keep(); // a reload must not forget who pays
    await way.refresh();
    show();
  }

  async function prepare(again) {
    fill(second);
    if (account.value === NEW) return box.refuse("Open the account first, or choose another");
    if (kind.value === "floors" && !facts.choices.label) return box.refuse("Say under Privacy which column is the outcome");
    const request = { do: "prepare", kind: kind.value, table: facts.table.id, schema: facts.schema, options: KINDS[kind.value].options(facts.choices) };
    if (facts.choices.account) request.account = facts.choices.account;
    if (again) request.again = true;
    const end = await box.work("Working out what would be spent …", request);
    if (!end || end.isRefused) return;
    askToSpend(way, box, second, end, { published: KINDS[kind.value].published, drafted: facts.rows.filter(isAsDrafted), again: () => prepare(true), made });
  }

  function made() {
    facts.lately = facts.choices.account;
    way.go("after");
  }

  function show() {
    const open = facts.rows ? openRows(facts.rows) : [];
    locked.hidden = open.length === 0 && facts.schema !== null;
    columns.hidden = !locked.hidden;
    const words = open.length
      ? `${open.length === 1 ? "One column is" : `${open.length} columns are`} still data-dependent. Say where ${open.length === 1 ? "its values" : "their values"} are publicly known, or leave ${open.length === 1 ? "it" : "them"} out: anything taken from the table would be published without any protection.`
      : "The columns have changed since they were checked.";
    fill(locked, make("p", {}, words), make("button", { type: "button", onclick: () => way.go("columns") }, "Back to the columns"));
    if (!locked.hidden) return;
    fill(account, make("option", { value: NONE }, "none: I keep track of the total myself"), ...facts.accounts.map((name) => make("option", { value: name }, name)), make("option", { value: NEW }, "open a new one …"));
    account.value = facts.accounts.includes(facts.choices.account) ? facts.choices.account : NONE;
    opening.hidden = account.value !== NEW;
    total.value ||= "4";
    totalDelta.value ||= facts.choices.delta ?? "";
    fill(second);
    if (facts.running("release")) {
      box.follow(facts.jobs.release, "Making the release …").then(async (end) => {
        await way.refresh();
        if (end && !end.isRefused) made();
      });
    }
  }

  return { root, show };
}
