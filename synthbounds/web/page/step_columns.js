// The second step: what the columns may hold, as a table to correct. A column stays data-dependent until somebody says where
// its values are publicly known.

import { fill, make, one, say } from "./elements.js";
import { columnFields } from "./column_fields.js";
import { isAsDrafted, keptRows, openRows, rowNamed, rowsOfSchema, saidOf, schemaOf, sharedOf } from "./schema_rows.js";
import { makeWorkBox } from "./work_box.js";

const KINDS = { levels: "a list of values", unknown: "nothing readable" }; // other kinds say what they are
const SOURCES = ["the code book", "the questionnaire", "the law", "customary groups", "by definition", "round limits, to which values beyond are moved"];

export function columnsStep(way) {
  const { courier, facts } = way;
  const box = makeWorkBox(courier, way);
  const body = make("tbody", {});
  const table = make("table", { class: "columns-table" },
    make("caption", { class: "unseen" }, "Columns of the table"),
    make("thead", {}, make("tr", {}, ...["Keep", "Column", "Values it may have", "Publicly known from"].map((name) => make("th", { scope: "col" }, name)))),
    body);
  const named = make("input", { type: "checkbox", name: "names-are-names" });
  const doubt = make("div", { class: "doubt", hidden: true });
  const doubtAbove = make("div", { class: "again row", hidden: true },
    make("p", {}, make("strong", {}, "The first row may not be a header. "), "Column names are published as they are."),
    make("button", { type: "button", class: "quiet", onclick: () => named.focus() }, "Answer this below"));
  const tally = make("p", { class: "tally", role: "status" });
  const known = make("datalist", { id: "known-sources" });
  const missing = make("input", { type: "text", id: "missing-values", autocomplete: "off", spellcheck: "false", "aria-describedby": "missing-values-hint" });
  const spaces = make("input", { type: "checkbox", id: "strip-spaces" });
  const file = make("input", { type: "file", id: "schema-file", accept: ".json", class: "unseen", tabindex: "-1", "aria-label": "A schema file" });
  const leave = make("button", { type: "button", class: "quiet" }, "Leave out columns not yet public");
  const root = make("div", { class: "step" },
    doubtAbove,
    make("div", { class: "reading-text" },
      make("p", {}, "Every column is published with the values it may have. A draft made from your table gives some of your data away: the age of the oldest patient, or that nobody comes from a certain country. So enter what someone who has never seen the table would enter."),
      make("p", {}, "Column names are published as they are."),
      make("p", {}, "Then say where these values are publicly known from: a code book, a form, a law. Until you do, a column counts as ", make("em", {}, "data-dependent"), ". That is fine for a trial, but not for a release."),
    ),
    make("div", { class: "row" }, make("button", { type: "button", class: "quiet", onclick: () => file.click() }, "Use a schema file"), leave, file),
    table, known,
    make("details", { class: "advanced" }, make("summary", {}, "How missing cells and spaces are read"),
      make("div", { class: "field text" }, make("label", { for: "missing-values" }, "How is a missing value written?"), missing,
        make("p", { class: "hint", id: "missing-values-hint" }, "separated by commas; “empty” stands for an empty cell")),
      make("div", { class: "field flag" }, make("label", { for: "strip-spaces" }, "Spaces around cells do not count"), spaces)),
    doubt, tally, box.root,
    make("div", { class: "row go-on" }, make("button", { type: "button", class: "next", onclick: check }, "Check and go on")));
  let lines = new Map();

  leave.addEventListener("click", () => {
    for (const row of openRows(facts.rows)) row.kept = false;
    edited();
    show();
  });
  file.addEventListener("change", async () => {
    const [given] = file.files;
    file.value = "";
    try {
      const schema = JSON.parse(await given.text());
      if (schema.synthbounds_schema !== 1 || !Array.isArray(schema.columns)) throw new Error();
      Object.assign(facts, { rows: rowsOfSchema(schema), shared: sharedOf(schema) });
    } catch {
      box.refuse(`${given.name} is not a synthbounds schema file`);
      return;
    }
    box.clear();
    edited();
    show();
  });
  missing.addEventListener("change", () => {
    const listed = missing.value.split(",").map((text) => text.trim()).filter(Boolean).map((text) => (text === "empty" ? "" : text));
    facts.shared = { ...facts.shared, missing_values: listed.length ? listed : undefined };
    edited();
  });
  spaces.addEventListener("change", () => {
    facts.shared = { ...facts.shared, spaces: spaces.checked ? "strip" : "count" };
    edited();
  });

  named.addEventListener("change", () => {
    facts.choices.areNames = named.checked;
    doubtAbove.hidden = named.checked;
    way.changed();
  });

  /** What was confirmed, planned or tried no longer applies to these columns. */
  function edited() {
    facts.schema = null;
    facts.jobs = {};
    recount();
    way.changed();
  }

  function recount() {
    const [kept, open] = [keptRows(facts.rows).length, openRows(facts.rows).length];
    leave.hidden = open === 0 || open === kept;
    say(tally, kept === 0 ? "No column is kept." : open === 0 ? `All ${kept === facts.rows.length ? kept : `${kept} kept`} columns are public: a release is possible.` : `${kept - open} of ${kept} kept columns are public. A release needs all of them; a trial needs none.`);
    fill(known, ...[...new Set([...facts.rows.map(({ source }) => source.trim()).filter(Boolean), ...SOURCES])].map((value) => make("option", { value })));
    for (const [row, line] of lines) line.mark(row);
  }

  async function check() {
    for (const line of lines.values()) line.complain("");
    if (!doubt.hidden && !named.checked) {
      box.refuse("First say whether the first row is a header; if it is not, add one to the file and choose it again");
      return named.focus();
    }
    const schema = schemaOf(facts.rows, facts.shared);
    const end = await box.work("Checking every row against these columns …", { do: "check-schema", table: facts.table.id, schema });
    if (!end) return;
    if (end.isRefused) {
      const row = rowNamed(facts.rows, end.error) ?? facts.rows.find(({ kept, name }) => kept && end.error?.includes(`column '${name}'`));
      lines.get(row)?.complain(end.error);
      return;
    }
    facts.schema = schema;
    facts.count = end.body.records;
    way.changed();
    way.go("plan");
  }

  function show() {
    if (!facts.rows) return;
    lines = new Map(facts.rows.map((row, i) => [row, columnLine(row, i, edited)]));
    fill(body, ...[...lines.values()].map(({ element }) => element));
    missing.value = (facts.shared.missing_values ?? [""]).map((text) => text || "empty").join(", ");
    spaces.checked = facts.shared.spaces === "strip";
    showDoubt();
    recount();
  }

  function showDoubt() {
    const names = facts.rows.filter(({ seen }) => seen?.isDoubtful).map(({ name }) => (name ? `“${name}”` : "(no name)"));
    doubt.hidden = names.length === 0;
    named.checked = facts.choices.areNames;
    doubtAbove.hidden = doubt.hidden || named.checked;
    const shown = names.slice(0, 5).join(", ") + (names.length > 5 ? ", ..." : "");
    fill(doubt,
      make("p", {}, make("strong", {}, "The first row may not be a header. "), `Column names are published as they are, and ${shown} could come from somebody's record.`),
      make("label", { class: "option" }, named, make("span", {}, "These are column names, not somebody's record")));
  }

  return { root, show };
}

/** One column: kept or not, its values in a line with the fields behind it, and its source. */
function columnLine(row, i, edited) {
  const id = `column-${i}`;
  const keep = make("input", { type: "checkbox", "aria-label": `Keep ${row.name}` });
  keep.checked = row.kept;
  const values = make("span", { class: "said" });
  const wrong = make("p", { class: "wrong", id: id + "-wrong", role: "alert" });
  const change = make("details", {}, make("summary", { "aria-label": `Change ${row.name}` }, "Change"));
  change.addEventListener("toggle", () => {
    if (change.open && change.childElementCount === 1) change.append(columnFields(row, id, heard));
  });
  const source = make("input", { type: "text", name: `source-${i}`, list: "known-sources", autocomplete: "off", maxlength: 500, placeholder: "for example: admission form, page 2", "aria-label": `Where the values of ${row.name} are publicly known` });
  source.value = row.source;
  const state = make("small", { class: "state" });
  const drafted = make("small", { class: "as-drafted" });
  const element = make("tr", { "data-column": row.name },
    make("td", { class: "keep" }, keep),
    make("th", { scope: "row" }, row.name || "(no name)", make("small", {}, seenWords(row.seen))),
    make("td", { class: "values" }, values, wrong, change),
    make("td", { class: "source" }, source, state, drafted));
  function heard() {
    mark(row);
    edited();
  }
  keep.addEventListener("change", () => {
    row.kept = keep.checked;
    if (row.kept && !row.given.levels && !row.given.date && !row.given.range && !row.given.edges) change.open = true;
    heard();
  });
  source.addEventListener("input", () => {
    row.source = source.value;
    heard();
  });
  function mark() {
    element.classList.toggle("left-out", !row.kept);
    say(values, row.kept ? saidOf(row) : `left out${row.seen ? `: ${row.seen.why}` : ""}`);
    for (const part of [change, source]) part.hidden = !row.kept;
    const isPublic = row.source.trim() !== "";
    element.classList.toggle("public", row.kept && isPublic);
    say(state, !row.kept ? "" : isPublic ? "public" : "data-dependent");
    say(drafted, isPublic && isAsDrafted(row) ? "as drafted from your records: are these really the published limits?" : "");
  }
  mark();
  return {
    element,
    mark,
    complain(error) {
      say(wrong, error);
      if (error) {
        change.open = true;
        one("summary", change).focus();
      }
    },
  };
}

function seenWords(seen) {
  if (!seen) return "";
  const tenths = Math.round((1000 * seen.missing) / seen.rows);
  const missing = seen.missing === 0 ? "" : `, ${tenths === 0 ? "below 0.1" : tenths / 10} % missing`;
  return (KINDS[seen.kind] ?? seen.kind) + missing;
}
