// The guided way from a table to a release: six steps, in the address; what was done is kept by the server, so that a
// reload, another tab and the browser's way back change nothing.

import { makeCourier } from "./courier.js";
import { every, fill, make, notice, one, say } from "./elements.js";
import { keptRows, schemaOf } from "./schema_rows.js";
import { afterStep } from "./step_after.js";
import { columnsStep } from "./step_columns.js";
import { epsilonDoubt, planStep } from "./step_plan.js";
import { releaseStep } from "./step_release.js";
import { tableStep } from "./step_table.js";
import { trialStep } from "./step_trial.js";

const isPlanned = ({ schema, choices }) => schema !== null && !epsilonDoubt(choices.epsilon);
const STEPS = [
  { name: "table", words: "Table", title: "Choose a table", begin: tableStep, isOpen: () => true },
  { name: "columns", words: "Columns", title: "What may its columns contain?", begin: columnsStep, isOpen: ({ rows }) => rows !== null },
  { name: "plan", words: "Privacy", title: "How private, and how precise?", begin: planStep, isOpen: ({ schema }) => schema !== null },
  { name: "trial", words: "Trial", title: "Try it out", begin: trialStep, isOpen: isPlanned },
  { name: "release", words: "Release", title: "Make the release", begin: releaseStep, isOpen: isPlanned },
  { name: "after", words: "Afterwards", title: "After the release", begin: afterStep, isOpen: ({ releases, jobs }) => releases.length > 0 || Boolean(jobs.trial) },
];
const KEEP_MS = 300;
const MOST_KEPT = 900_000; // characters; the server takes a little more

const START = { epsilon: "1", delta: null, label: "", adjacency: "replace-one", leastSize: "", method: "auto", values: "inside", rows: "", data: null, account: "", areNames: false };

/** Fills the section; gives what is to be called whenever the view is shown. */
export function startGuided(section, token, status) {
  const courier = makeCourier(token);
  const facts = {
    ...{ table: null, rows: null, shared: {}, count: null, schema: null, choices: { ...START }, jobs: {} },
    ...{ demos: [], releases: [], accounts: [], folder: "", mostUpload: null, states: {}, lately: "" },
    running: (kind) => ["waiting", "running"].includes(facts.states[facts.jobs[kind]]),
  };
  let shown = null;
  let keeping = 0;
  let atWork = 0;
  const way = {
    courier,
    facts,
    busy(isBusy) {
      atWork += isBusy ? 1 : -1;
      status(atWork ? "computing" : "idle");
    },
    /** Another table: nothing that was said about the one before applies. */
    forget() {
      Object.assign(facts, { table: null, rows: null, shared: {}, count: null, schema: null, choices: { ...START, account: facts.choices.account }, jobs: {} });
      way.changed();
    },
    changed() {
      arrange();
      clearTimeout(keeping);
      keeping = setTimeout(keep, KEEP_MS);
    },
    keep,
    started(kind, job) {
      facts.jobs[kind] = job;
      arrange();
      keep();
    },
    go(name) {
      const address = `#view=guided&step=${name}`;
      if (location.hash === address) show(name);
      else location.hash = address; // the page follows it
    },
    refresh() {
      way.busy(true);
      return courier.state().then(read, (error) => notice(error.message)).finally(() => way.busy(false));
    },
  };

  const steps = new Map(STEPS.map((step) => [step.name, { ...step, ...step.begin(way) }]));
  const nav = make("ol", { class: "steps" }, ...STEPS.map(({ name, words }, i) =>
    make("li", {}, make("button", { type: "button", "data-step": name, onclick: () => way.go(name) }, make("span", { class: "number", "aria-hidden": "true" }, String(i + 1)), words))));
  const title = make("h2", { tabindex: "-1" });
  const about = make("small", {});
  const stage = make("div", { class: "stage" });
  fill(section, make("nav", { "aria-label": "steps to a release" }, nav), title, stage);

  function keep() {
    clearTimeout(keeping);
    keeping = 0;
    const { table, rows, shared, count, schema, choices, jobs } = facts;
    const whole = { table: table?.id ?? null, rows, shared, count, isConfirmed: schema !== null, choices, jobs };
    courier.keep(JSON.stringify(whole).length > MOST_KEPT ? {} : whole).catch(() => {}); // anything lost this way is asked for again
  }

  /** What the server knows, if it is newer than what is here. */
  function read(state) {
    Object.assign(facts, {
      demos: state.demos ?? [],
      releases: state.releases ?? [],
      accounts: state.accounts ?? [],
      folder: state.folder ?? "",
      mostUpload: state.most_upload ?? null,
      states: Object.fromEntries((state.jobs ?? []).map(({ job, state: word }) => [job, word])),
    });
    arrange();
    return state;
  }

  function restore(state) {
    const { page: kept, uploads } = read(state);
    const table = uploads?.find(({ id }) => id === kept?.table);
    if (!table || !kept.rows) return;
    const jobs = Object.fromEntries(Object.entries(kept.jobs ?? {}).filter(([, job]) => job in facts.states));
    Object.assign(facts, { table, rows: kept.rows, shared: kept.shared, count: kept.count, schema: kept.isConfirmed ? schemaOf(kept.rows, kept.shared) : null, choices: { ...START, ...kept.choices }, jobs });
    arrange();
  }

  function arrange() {
    if (facts.table) say(about, `${facts.table.name}${facts.rows ? `, ${keptRows(facts.rows).length} of ${facts.rows.length} columns kept` : ""}`);
    for (const button of every("button[data-step]", nav)) {
      const step = steps.get(button.dataset.step);
      button.disabled = !step.isOpen(facts);
      if (button.dataset.step === shown) button.setAttribute("aria-current", "step");
      else button.removeAttribute("aria-current");
    }
  }

  function show(name) {
    const step = steps.get(name);
    const isMoved = shown !== null && shown !== name;
    shown = name;
    fill(title, step.title, facts.table && name !== "table" ? about : null);
    fill(stage, step.root);
    arrange();
    step.show();
    if (isMoved) title.focus();
  }

  /** The step of the address, or the last one before it that can be taken. */
  function follow() {
    const wanted = new URLSearchParams(location.hash.slice(1)).get("step") ?? shown ?? "table";
    const at = Math.max(0, STEPS.findIndex(({ name }) => name === wanted));
    show(STEPS.slice(0, at + 1).findLast((step) => step.isOpen(facts)).name);
  }

  addEventListener("pagehide", () => keeping && keep());
  status("computing");
  const restored = courier.state().then(restore, (error) => notice(error.message)).finally(() => status("idle"));
  section.addEventListener("click", (event) => {
    const button = event.target.closest?.("button.copy-near");
    if (button) navigator.clipboard.writeText(one("pre", button.parentElement).textContent).then(() => (button.textContent = "Copied"), () => (button.textContent = "Copying is not allowed here"));
  });
  return () => restored.then(follow);
}
