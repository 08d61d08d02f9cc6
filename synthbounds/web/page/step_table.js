// The first step: a table that is chosen or dropped, or one of ours, and its draft.

import { fill, make } from "./elements.js";
import { rowsOfDraft, rowsOfSchema, sharedOf } from "./schema_rows.js";
import { makeWorkBox, sizeWords } from "./work_box.js";

const DEMOS = {
  survey: "Survey: 4,000 people, 8 questions",
  clinic: "Clinic: 300 stays, with dates and gaps",
};

export function tableStep(way) {
  const { courier, facts } = way;
  const box = makeWorkBox(courier, way);
  const input = make("input", { type: "file", id: "guided-file", accept: ".csv,.parquet,.pq,.txt,text/csv", "aria-describedby": "guided-file-hint" });
  const drop = make("div", { class: "drop" },
    make("label", { for: "guided-file" }, "Choose a table, or drop it here"),
    make("p", { class: "hint", id: "guided-file-hint" }, "CSV with a header, or Parquet"),
    input);
  const demos = make("div", { class: "demos" });
  const unfinished = make("div", { class: "again", hidden: true });
  const chosen = make("div", { class: "chosen" });
  const root = make("div", { class: "step" },
    make("p", {}, "It stays on this machine, in a private folder that is removed when ", make("code", {}, "synthbounds serve"), " ends. Nothing is released until you have said so twice."),
    unfinished, drop, box.root, chosen, demos);

  for (const [kind, isOver] of [["dragover", true], ["dragleave", false], ["drop", false]]) {
    drop.addEventListener(kind, (event) => {
      event.preventDefault();
      drop.classList.toggle("over", isOver);
      if (kind === "drop" && event.dataTransfer.files.length) take(event.dataTransfer.files[0]);
    });
  }
  input.addEventListener("change", () => {
    if (input.files.length) take(input.files[0]);
    input.value = ""; // so that the same file can be chosen again
  });

  async function take(file) {
    if (facts.mostUpload && file.size > facts.mostUpload) {
      box.refuse(`${file.name} is ${sizeWords(file.size)}; at most ${sizeWords(facts.mostUpload)} can be uploaded here (serve --most-upload). The commands take tables of any size`);
      return;
    }
    const table = await box.run(`Reading ${file.name} …`, async (stoppable, tell) => {
      const upload = courier.upload(file, (share) => tell(`Reading ${file.name}: ${Math.floor(100 * share)} % …`));
      stoppable(upload.stop);
      return upload.done;
    });
    if (!table) return;
    if (table.kind === "json") {
      box.refuse(`${file.name} is JSON, not a table. A schema file belongs in the next step, after the table`);
      return;
    }
    begin(table);
    await box.work("Looking at every cell …", { do: "draft", table: table.id, options: {} }, (job) => way.started("draft", job)).then(drafted);
  }

  async function takeDemo(name) {
    const table = await box.run("Fetching the example …", () => courier.demo(name));
    if (!table) return;
    begin(table);
    Object.assign(facts, { rows: rowsOfSchema(table.schema), shared: sharedOf(table.schema) });
    await box.work("Looking at every cell …", { do: "draft", table: table.id, options: {} }, (job) => way.started("draft", job)).then((end) => {
      if (!end || end.isRefused) return;
      facts.count = end.body.rows;
      finished();
    });
  }

  function begin(table) {
    way.forget();
    facts.table = table;
    show();
  }

  function drafted(end) {
    if (!end || end.isRefused) {
      facts.table = null;
      show();
      way.changed();
      return;
    }
    Object.assign(facts, { rows: rowsOfDraft(end.body), shared: sharedOf(end.body), count: end.body.rows });
    finished();
  }

  function finished() {
    way.changed();
    show();
    way.go("columns");
  }

  function showUnfinished() {
    const [first] = facts.releases.filter(({ state, recovery }) => state === "interrupted" && recovery);
    unfinished.hidden = !first;
    if (first) fill(unfinished, make("p", {}, `${first.name} was paid for and interrupted; it can be finished without spending again.`), make("button", { type: "button", onclick: () => way.go("after") }, "Go and finish it"));
  }

  function show() {
    showUnfinished();
    fill(demos, make("p", {}, "Or try it with a made-up example:"),
      make("div", { class: "row" }, ...facts.demos.map((name) => make("button", { type: "button", class: "quiet", onclick: () => takeDemo(name) }, DEMOS[name] ?? name))));
    demos.hidden = !facts.demos.length;
    const table = facts.table;
    const count = facts.count ? `, ${facts.count.toLocaleString("en")} rows` : "";
    fill(chosen, table && make("p", {}, make("strong", {}, table.name), ` (${sizeWords(table.bytes)}${count})`),
      table && facts.rows && make("button", { type: "button", onclick: () => way.go("columns") }, "Go on to its columns"));
  }

  return { root, show };
}
