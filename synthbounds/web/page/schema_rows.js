// The columns of a table as they are corrected: from a draft or a schema file to rows that can be edited, and back. No
// screen in here. A row is public when somebody has said where its values are publicly known.

export const MADE_OF = { levels: "values from a list", numbers: "numbers", dates: "dates", other: "as in the schema file" };
export const BY = ["year", "quarter", "month", "week", "day", "hour", "weekday"];
const DRAFTED = "Draft made from the values of a table"; // as in release/data/schema.py

/** Rows of a draft; `found` is its body. Columns that were left out are included, too, and can be kept after all. */
export function rowsOfDraft(found) {
  return found.columns.map(({ name, kind, missing, proposed, why }) => ({
    ...rowOf(proposed ?? { name }),
    kept: proposed !== null,
    seen: { kind, missing, why, rows: found.rows, isDoubtful: found.doubtful_names.includes(name) },
  }));
}

/** Rows of a schema: public ones, unless their note is still a draft's, come with their source. */
export function rowsOfSchema(schema) {
  const isPublic = schema.source === "public" && !String(schema.note ?? "").trimStart().startsWith(DRAFTED);
  const kept = schema.columns.map((column) => ({ ...rowOf(column), kept: true, source: isPublic ? schema.note || "the schema file" : "" }));
  return [...kept, ...(schema.ignored ?? []).map((name) => ({ ...rowOf({ name }), kept: false }))];
}

/** What a schema says about all columns. */
export function sharedOf(schema) {
  const isUsual = schema.missing_values?.length === 1 && schema.missing_values[0] === ""; // as if nothing were said
  return { missing_values: isUsual ? undefined : schema.missing_values, spaces: schema.spaces };
}

function rowOf(column) {
  const isHeld = column.grid || column.levels?.some((level) => level.includes("\n")); // not to be edited line by line
  const kind = isHeld ? "other" : column.levels ? "levels" : column.date ? "dates" : column.range || column.edges ? "numbers" : "levels";
  const [from, to] = (column.range ?? ["", ""]).map(String);
  return {
    name: column.name,
    kept: true,
    source: "",
    seen: null,
    kind,
    given: column,
    levels: (column.levels ?? []).join("\n"),
    ordered: column.ordered ?? null,
    cut: column.edges ? "edges" : "bins",
    from,
    to,
    bins: String(column.bins ?? 10),
    edges: (column.edges ?? []).join(" "),
    whole: column.whole ?? false,
    outside: column.outside ?? "refuse",
    date: column.date ?? "%Y-%m-%d",
    first: column.first ?? "",
    last: column.last ?? "",
    by: column.by ?? "month",
    missing: column.missing ?? false,
  };
}

/** The lines of a list of values. */
function linesOf(text) {
  return text.split("\n").map((line) => line.replace(/\r$/, "")).filter((line) => line !== "");
}

/** Whether values are in order if nothing is said: labels that are all numbers and rise, as for every schema. */
export function isInOrder(row) {
  if (row.ordered !== null) return row.ordered;
  const places = linesOf(row.levels).map(Number);
  return places.length > 0 && places.every((place, i) => Number.isFinite(place) && (i === 0 || places[i - 1] < place));
}

function columnOf(row) {
  if (row.kind === "other") return row.given;
  const beside = row.missing === false ? {} : { missing: row.missing };
  if (row.kind === "levels") {
    return { name: row.name, levels: linesOf(row.levels), ...(row.ordered === null ? {} : { ordered: row.ordered }), ...beside };
  }
  const outside = row.outside === "clip" ? { outside: "clip" } : {};
  if (row.kind === "dates") return { name: row.name, date: row.date, first: row.first.trim(), last: row.last.trim(), by: row.by, ...outside, ...beside };
  const bins = /^\d+$/.test(row.bins.trim()) ? Number(row.bins) : row.bins; // a text is refused, with its place
  const cut = row.cut === "edges" ? { edges: row.edges.split(/[\s;,]+/).filter(Boolean) } : { range: [row.from.trim(), row.to.trim()], bins };
  return { name: row.name, ...cut, ...(row.whole ? { whole: true } : {}), ...outside, ...beside };
}

export function keptRows(rows) {
  return rows.filter(({ kept }) => kept);
}

/** Whether a column is still what was drafted from the table. */
export function isAsDrafted(row) {
  return row.kept && row.seen !== null && JSON.stringify(columnOf(row)) === JSON.stringify(columnOf(rowOf(row.given)));
}

/** Kept columns for which nobody has said yet where their values are publicly known. */
export function openRows(rows) {
  return keptRows(rows).filter(({ source }) => source.trim() === "");
}

/** The schema that the rows are; it is public when every kept column is. */
export function schemaOf(rows, shared) {
  const ignored = rows.filter(({ kept }) => !kept).map(({ name }) => name);
  const isPublic = openRows(rows).length === 0;
  return {
    synthbounds_schema: 1,
    source: isPublic ? "public" : "data-dependent",
    ...(isPublic ? { note: noteOf(keptRows(rows)) } : {}),
    ...(shared.missing_values ? { missing_values: shared.missing_values } : {}),
    ...(shared.spaces && shared.spaces !== "count" ? { spaces: shared.spaces } : {}),
    ...(ignored.length ? { ignored } : {}),
    columns: keptRows(rows).map(columnOf),
  };
}

/** Every source once, with the columns that it is for, unless it is for all. */
function noteOf(rows) {
  const bySource = new Map();
  for (const { name, source } of rows) bySource.set(source.trim(), [...(bySource.get(source.trim()) ?? []), name]);
  if (bySource.size === 1) return rows[0].source.trim();
  return [...bySource].map(([source, names]) => `${names.join(", ")}: ${source}`).join("; ");
}

/** What a row says, in a line. */
export function saidOf(row) {
  const missing = row.missing === false ? "" : "; cells may be missing";
  if (row.kind === "other") return `${row.given.grid ? `numbers on a grid of ${row.given.grid} points` : `${row.given.levels.length} values`}${missing}`;
  if (row.kind === "dates") return `${row.first || "?"} to ${row.last || "?"} by ${row.by}${missing}`;
  if (row.kind === "levels") {
    const lines = linesOf(row.levels);
    const shown = lines.slice(0, 6).join(", ") + (lines.length > 6 ? ", ..." : "");
    return `${lines.length} ${lines.length === 1 ? "value" : "values"}${lines.length ? ": " + shown : ""}${missing}`;
  }
  const whole = row.whole ? ", whole numbers" : "";
  if (row.cut === "edges") {
    const edges = row.edges.split(/[\s;,]+/).filter(Boolean);
    return `${edges[0] ?? "?"} to ${edges.at(-1) ?? "?"}, ${Math.max(0, edges.length - 1)} groups${whole}${missing}`;
  }
  return `${row.from || "?"} to ${row.to || "?"}, ${row.bins} groups${whole}${missing}`;
}

/** Which row a complaint about the schema is about: the kept columns are numbered there. */
export function rowNamed(rows, complaint) {
  const number = /columns\[(\d+)\]/.exec(complaint ?? "")?.[1];
  return number === undefined ? null : (keptRows(rows)[Number(number)] ?? null);
}

/** Columns with two values, which a model can predict. */
export function labelsOf(rows) {
  return keptRows(rows).filter((row) => row.kind === "levels" && row.missing === false && linesOf(row.levels).length === 2).map(({ name }) => name);
}
