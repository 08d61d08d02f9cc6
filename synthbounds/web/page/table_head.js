// The first rows of a table of ours, as a table. What is read is CSV as the commands write it.

import { make } from "./elements.js";

const ROWS = 8;
export const MOST_HEAD = 20_000; // bytes, enough for some rows

/** Cells by row; the last row may be cut off, and is left out if the text is. */
function readRows(text, isWhole) {
  const rows = [[]];
  let cell = "";
  let quoted = false;
  for (let i = 0; i < text.length; i += 1) {
    const sign = text[i];
    if (quoted && sign === '"' && text[i + 1] === '"') {
      cell += sign;
      i += 1;
    } else if (sign === '"') quoted = !quoted;
    else if (!quoted && (sign === "," || sign === "\n")) {
      rows.at(-1).push(cell.replace(/\r$/, ""));
      cell = "";
      if (sign === "\n") rows.push([]);
    } else cell += sign;
  }
  const left = rows.pop();
  if (isWhole && (left.length || cell)) rows.push([...left, cell]);
  return rows;
}

export function headOf(text, isWhole, caption) {
  const [names, ...rows] = readRows(text, isWhole).slice(0, ROWS + 1);
  return make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    make("table", { class: "head-rows" },
      make("caption", {}, caption),
      make("thead", {}, make("tr", {}, ...names.map((name) => make("th", { scope: "col" }, name)))),
      make("tbody", {}, ...rows.map((row) => make("tr", {}, ...row.map((cell) => make("td", {}, cell)))))));
}
