// Every theorem and edition on the same question, side by side: as the paper prints it, with its errors repaired, and
// the best that is proved. A refusal is shown with its reason, a promise that falls short with what it promises instead.

import { fill, make } from "./elements.js";
import { atMost, readable } from "./texts.js";

const KINDS = { printed: "as the paper prints it", corrected: "its errors repaired", sharp: "the best proved here" };

export function showEditions(box, answer, theorem) {
  const rows = answer?.body?.rows ?? [];
  box.hidden = rows.length === 0;
  if (!rows.length) return;
  const ours = rows.filter((row) => row.theorem === theorem);
  const others = rows.filter((row) => row.theorem !== theorem);
  const applied = others.filter((row) => row.applies);
  fill(
    box,
    make("h3", {}, "Three editions, side by side"),
    make("p", { class: "caption" }, ours.length ? make("a", { href: `#view=papers&id=${encodeURIComponent(theorem)}` }, theorem) : theorem, ": as the paper prints it, with its errors repaired, and the best that is proved."),
    editionTable(ours.length ? ours : rows, false, "editions of the theorem"),
    others.length && ours.length
      ? make("details", {}, make("summary", {}, `${new Set(others.map((row) => row.theorem)).size} other theorems (${applied.length} of ${others.length} editions apply)`), editionTable(others, true, "other theorems"))
      : null,
  );
}

function editionTable(rows, withNames, label) {
  const sizes = rows.some((row) => row.m !== undefined || row.guarantee);
  const columns = sizes ? ["records", "points", "rows", "promise"] : ["records", "excess at most", ""];
  const head = [...(withNames ? ["theorem"] : []), "edition", ...columns];
  const least = leastOf(rows);
  return make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": label },
    make("table", {},
      make("thead", {}, make("tr", {}, ...head.map((text) => (text ? make("th", { scope: "col" }, text) : make("td"))))),
      make("tbody", {}, ...rows.map((row) => editionRow(row, { withNames, sizes, columns, least: row === least.row ? least.word : "" })))));
}

function recordsOf(row) {
  return row.n === null || row.n === undefined ? null : BigInt(row.n);
}

/** The row with the fewest records or, if all have equally many, the least bound; rows that fall short do not count. */
function leastOf(rows) {
  const found = rows.filter((row) => row.applies && !row.misses?.length && recordsOf(row) !== null);
  const isLess = (a, b) => recordsOf(a) < recordsOf(b) || (recordsOf(a) === recordsOf(b) && a.bound && Number(a.bound.hi) < Number(b.bound.hi));
  const best = found.length > 1 ? found.reduce((least, row) => (isLess(row, least) ? row : least)) : null;
  return { row: best, word: best && found.some((row) => recordsOf(row) !== recordsOf(best)) ? "fewest" : "least" };
}

function editionRow(row, { withNames, sizes, columns, least }) {
  const name = [make("th", { scope: "row" }, row.edition, make("small", {}, KINDS[row.edition] ?? ""))];
  if (withNames) name.unshift(make("td", {}, row.theorem));
  if (!row.applies) return make("tr", { class: "refused" }, ...name, make("td", { colspan: columns.length }, `does not apply: ${row.reason}`));
  const figure = (value) => make("td", { class: "figure" }, value === null || value === undefined ? "–" : readable(value));
  const records = make("td", { class: "figure" }, make("b", {}, row.n === null || row.n === undefined ? "–" : readable(row.n)), least === "fewest" ? make("small", {}, least) : null);
  const cells = sizes
    ? [records, figure(row.m), figure(row.k), make("td", {}, ...promise(row))]
    : [records, make("td", { class: "figure" }, atMost(row.bound.hi), least === "least" ? make("small", {}, least) : null), make("td", {}, ...remarks(row))];
  return make("tr", { class: least ? "decides" : null }, ...name, ...cells);
}

function promise(row) {
  const { guarantee } = row;
  const kept = { epsilon: guarantee.epsilon, accuracy: guarantee.accuracy, failure: guarantee.failure_probability };
  const short = (row.misses ?? []).map((missed) => make("small", { class: "short" }, `falls short: ${missed} ${kept[missed] ? atMost(kept[missed].hi) : "not as asked"}`));
  const empty = guarantee.vacuous ? [make("small", { class: "short" }, "says nothing")] : [];
  return [guarantee.any_data ? "for any data" : "for independent records", ...empty, ...short, row.route ? make("small", {}, row.route) : null].filter(Boolean);
}

function remarks(row) {
  const empty = row.vacuous ? [make("small", { class: "short" }, "says nothing")] : [];
  const violated = (row.violated ?? []).map((text) => make("small", { class: "short" }, `violated: ${text}`));
  return [row.route, ...empty, ...violated];
}
