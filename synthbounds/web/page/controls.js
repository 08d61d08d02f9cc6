// The form of a view: a typed value and a slider for every number, a list for every choice, all from the engine's
// declarations. Typed texts go to the engine as they are; it alone judges them.

import { fieldsOf, isAsked, startState } from "./questions.js";
import { every, make, say } from "./elements.js";
import { ladder, placeOf, readable, shareText } from "./texts.js";

/** `changed(state, control)` hears every change, and which slider or typed value is moving. */
export function makeControls(form, { name, view, forms, changed }) {
  const declared = Object.fromEntries(forms.map((entry) => [entry.option.replace(/^--/, ""), entry]));
  const fields = fieldsOf(view).filter((field) => declared[field.name]);
  const solve = make("select", { name: "solve", id: name + "-solve" }, ...view.solve.map(({ value, words }) => make("option", { value }, words)));
  const parts = new Map(fields.map((field) => [field.name, makeField(name, field, declared[field.name])]));
  const advanced = make("details", { class: "advanced" }, make("summary", {}, "More choices"));
  form.append(make("div", { class: "field ask" }, make("label", { for: solve.id }, "What do you want to know?"), solve));
  for (const field of fields) (view.fields.includes(field) ? form : advanced).append(parts.get(field.name).box);
  form.append(advanced, make("button", { type: "reset", class: "quiet reset" }, "Start again"));

  let state = null;
  const read = () => {
    const values = { ...state.values };
    for (const [field, part] of parts) values[field] = part.read();
    return { ...state, solve: solve.value, values };
  };
  const arrange = () => {
    for (const field of fields) parts.get(field.name).box.hidden = !isAsked(field, state);
  };
  const heard = (event) => {
    const control = event.target.dataset.for ?? event.target.name;
    if (event.target.dataset.for) parts.get(control).slid();
    else parts.get(control)?.typed();
    state = read();
    arrange();
    changed(state, event.target.matches("input:not([type=checkbox])") ? control : "");
  };
  form.addEventListener("input", heard);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", (event) => {
    event.preventDefault();
    show(startState(view));
    changed(state, "");
  });

  const show = (wanted) => {
    state = wanted;
    solve.value = state.solve;
    for (const field of fields) parts.get(field.name).write(state.values[field.name]);
    if (view.advanced.some((field) => state.values[field.name] !== (field.start ?? ""))) advanced.open = true;
    arrange();
  };
  return {
    show,
    /** The engine's words with the labels of this form for the options that it has. */
    labelled(error) {
      const labels = new Map(fields.map((field) => [field.name, field.label]));
      const label = (option) => labels.get(option.replaceAll("_", "-"));
      const words = error?.replace(/^([a-z][\w-]*)(?= = | is missing)/, (option) => label(option) ?? option);
      return words?.replace(/--([a-z][a-z-]*[a-z]|[a-z]\b)/g, (text, option) => (label(option) ? `“${label(option)}”` : text)) ?? error;
    },
    /** The engine's words at the field that they name, if they name one. */
    mark(error) {
      const named = /^(?:--)?([a-z][\w-]*)(?: = | is missing)/.exec(error ?? "")?.[1].replaceAll("_", "-");
      for (const [field, part] of parts) part.mark(field === named ? this.labelled(error) : "");
      if (view.advanced.some((field) => field.name === named)) advanced.open = true;
    },
  };
}

function makeField(view, field, entry) {
  const id = `${view}-${field.name}`;
  const hint = make("p", { class: "hint", id: id + "-hint" }, field.note ?? spared(entry));
  const wrong = make("p", { class: "wrong", id: id + "-wrong" });
  const label = make("label", { for: id }, field.label);
  const described = (error) => (error ? `${wrong.id} ${hint.id}` : hint.id);
  const kind = entry.kind === "flag" ? flagPart : entry.choices?.length ? choicePart : field.slider ? numberPart : textPart;
  const part = kind({ id, field, entry });
  const box = make("div", { class: `field ${part.kind}`, "data-field": field.name }, label, ...part.controls, hint, wrong);
  part.main.setAttribute("aria-describedby", described(""));
  return {
    box,
    read: part.read,
    write: part.write,
    slid: part.slid ?? (() => {}),
    typed: part.typed ?? (() => {}),
    mark(error) {
      say(wrong, error);
      part.main.setAttribute("aria-describedby", described(error));
      if (error) part.main.setAttribute("aria-invalid", "true");
      else part.main.removeAttribute("aria-invalid");
    },
  };
}

/** The declared help, unless it only lists the choices, which are there to be seen. */
function spared({ help, choices }) {
  const words = help.replace(/\(default[^)]*\)/g, "").split(/[\s,]+|\bor\b/).filter(Boolean);
  return choices?.length && words.every((word) => choices.includes(word)) ? "" : help;
}

function standard(entry) {
  return entry.default === null || entry.default === undefined ? "" : String(entry.default);
}

function numberPart({ id, field, entry }) {
  const steps = ladder(field.slider);
  const usual = standard(entry);
  const main = make("input", { id, name: field.name, type: "text", inputmode: entry.kind === "integer" ? "numeric" : "decimal", autocomplete: "off", spellcheck: "false", maxlength: 200, placeholder: field.blank ?? usual });
  const slider = make("input", { type: "range", "data-for": field.name, "aria-label": field.label + ", slider", min: 0, max: steps.length - 1, step: 1 });
  const told = () => slider.setAttribute("aria-valuetext", main.value.trim() === "" ? (field.blank ?? "not given") : readable(main.value.trim()));
  const follow = () => {
    const place = placeOf(field.isShare ? shareText(main.value) : main.value);
    if (Number.isFinite(place)) slider.value = nearest(steps, place);
    told();
  };
  return {
    kind: "number",
    main,
    controls: [main, slider],
    read: () => (main.value.trim() === usual && (field.start ?? "") === "" ? "" : main.value.trim()),
    write(value) {
      main.value = value === "" && (field.start ?? "") === "" ? usual : value;
      if (main.value === "") slider.value = Math.round(steps.length / 2);
      follow();
    },
    slid() {
      main.value = steps[Number(slider.value)];
      told();
    },
    typed: follow,
  };
}

function nearest(steps, place) {
  let best = 0;
  for (let i = 1; i < steps.length; i += 1)
    if (Math.abs(Number(steps[i]) - place) < Math.abs(Number(steps[best]) - place)) best = i;
  return best;
}

function choicePart({ id, field, entry }) {
  const usual = standard(entry);
  const options = entry.choices.map((choice) => make("option", { value: choice }, field.choices?.[choice] ? `${choice}: ${field.choices[choice]}` : choice === usual ? `${choice} (default)` : choice));
  if (!usual) options.unshift(make("option", { value: "" }, field.blank ?? "default"));
  const main = make("select", { id, name: field.name }, ...options);
  return {
    kind: "choice",
    main,
    controls: [main],
    read: () => (main.value === usual ? "" : main.value),
    write(value) {
      every("option.foreign", main).forEach((option) => option.remove());
      if (value !== "" && !entry.choices.includes(value)) main.append(make("option", { value, class: "foreign" }, value));
      main.value = value === "" ? usual : value;
    },
  };
}

function textPart({ id, field }) {
  const list = field.suggestions && make("datalist", { id: id + "-list" }, ...field.suggestions.map((value) => make("option", { value })));
  const main = make("input", { id, name: field.name, type: "text", autocomplete: "off", spellcheck: "false", maxlength: 200, placeholder: field.blank ?? "", list: list?.id });
  return {
    kind: "text",
    main,
    controls: [main, list],
    read: () => main.value.trim(),
    write(value) {
      main.value = value;
    },
  };
}

function flagPart({ id, field }) {
  const main = make("input", { id, name: field.name, type: "checkbox" });
  return {
    kind: "flag",
    main,
    controls: [main],
    read: () => (main.checked ? "true" : ""),
    write(value) {
      main.checked = value === "true";
    },
  };
}
