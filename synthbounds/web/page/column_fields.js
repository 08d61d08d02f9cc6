// The fields of one column, folded away under its line: its kind, the values it may have, whether cells may be missing.

import { fill, make } from "./elements.js";
import { BY, MADE_OF, isInOrder } from "./schema_rows.js";

/** `heard` is called after every change of the row. */
export function columnFields(row, id, heard) {
  const parts = make("div", { class: "column-parts" });
  const set = (name, value) => {
    row[name] = value;
    heard();
  };
  const box = (name, label, control, note) => {
    control.id = `${id}-${name}`;
    control.name = `${id}-${name}`;
    return make("div", { class: "field" }, make("label", { for: control.id }, label), control, note && make("p", { class: "hint" }, note));
  };
  const text = (name, label, note) => {
    const control = make("input", { type: "text", autocomplete: "off", spellcheck: "false", oninput: () => set(name, control.value) });
    control.value = row[name];
    return box(name, label, control, note);
  };
  const choice = (name, label, choices, after = () => {}) => {
    const control = make("select", { onchange: () => { set(name, control.value); after(); } }, ...Object.entries(choices).map(([value, words]) => make("option", { value }, words)));
    control.value = row[name];
    return box(name, label, control);
  };
  const tick = (name, label, isOn, changed) => {
    const control = make("input", { type: "checkbox", onchange: () => changed(control.checked) });
    control.checked = isOn;
    const made = box(name, label, control);
    made.classList.add("flag");
    return made;
  };
  const levels = () => {
    const control = make("textarea", { rows: 6, spellcheck: "false", oninput: () => set("levels", control.value) });
    control.value = row.levels;
    return box("levels", "Values, one per line", control, "including those that nobody in the table has");
  };
  const outside = (what) => choice("outside", `${what} outside these limits`, { refuse: "do not occur: stop if one does", clip: "are moved to the nearest end" });
  const declaredMissing = row.missing === false ? true : row.missing;

  const parting = {
    levels: () => [levels(), tick("ordered", "They are in order, from first to last", isInOrder(row), (isOn) => set("ordered", isOn))],
    numbers: () => [
      choice("cut", "Groups", { bins: "equally wide", edges: "between edges I give" }, arrange),
      ...(row.cut === "edges"
        ? [text("edges", "Edges, in increasing order", "such as 0 18 30 50 120")]
        : [text("from", "Smallest"), text("to", "Largest"), text("bins", "Number of groups")]),
      tick("whole", "Whole numbers only", row.whole, (isOn) => set("whole", isOn)),
      outside("Numbers"),
    ],
    dates: () => [
      text("first", "First day", "such as 2024-01-01"),
      text("last", "Last day"),
      choice("by", "Grouped by", Object.fromEntries(BY.map((name) => [name, name]))),
      text("date", "How dates are written", "%d.%m.%Y for 31.12.2024"),
      outside("Days"),
    ],
    other: () => [make("p", { class: "hint" }, "This column stays as the schema file defines it.")],
  };
  function arrange() {
    fill(parts, ...parting[row.kind](), row.kind === "other" ? null : tick("missing", "Cells may be missing", row.missing !== false, (isOn) => set("missing", isOn ? declaredMissing : false)));
  }
  const kinds = Object.fromEntries(Object.entries(MADE_OF).filter(([kind]) => kind !== "other" || row.kind === "other"));
  arrange();
  return make("div", { class: "column-fields" }, choice("kind", "What the column contains", kinds, arrange), parts);
}
