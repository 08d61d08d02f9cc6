// What a trial or a release has made: the first rows, the report, the exact command, and the files to save.

import { fill, make } from "./elements.js";
import { showReport } from "./report_view.js";
import { MOST_HEAD, headOf } from "./table_head.js";
import { saveButton } from "./work_box.js";

const FIRST = ["repeat.ipynb", "repeat.sh", "report.html", "synthetic.csv"]; // the last of them comes first
const REVEALING = "This page may reveal what the table contains: treat it like the table itself."; // untrue of made-up rows
const OTHERS = ["answer.json", "said.txt", "order.json", "outcome.json", "generated.csv"];

/** All of it; `home` is the job, `{ job }`, or the release, `{ release }`, whose files its card shows already. */
export async function showMade(way, box, place, end, home) {
  const { courier } = way;
  const table = end.files.find(({ name }) => name === "synthetic.csv");
  const report = end.files.find(({ name }) => name === "report.html");
  const host = make("div", { class: "report" });
  fill(place);
  const found = await box.run("Fetching the results …", () => Promise.all([
    table && courier.file({ ...home, name: table.name, most: MOST_HEAD }).then((blob) => blob.text()),
    report && courier.file({ ...home, name: report.name }).then((blob) => blob.text()),
  ]));
  if (!found) return;
  const [head, text] = found;
  const isMadeUp = end.files.some(({ name }) => name === "generated.csv");
  fill(place,
    isMadeUp && make("p", { class: "again", role: "note" }, make("strong", {}, "These rows were made up to fit your columns. "), "Wherever the report mentions the real table, it means the made-up one, in which every value is equally likely: nothing here is about the people in your table."),
    head && headOf(head, table.bytes <= MOST_HEAD, "The first rows of the synthetic table"),
    home.job && filesOf(way, box, end, home),
    text && host,
    end.command && commandBlock(end.command));
  if (text) showReport(host, text, { unsaid: isMadeUp ? [REVEALING] : [] });
}

/** Whether a file of a release is for everybody or for its holder. */
function forWhom(name) {
  return /^(synthetic\.csv|report\.html|schema\.json|(.+\.)?(release|log|distance)\.json|query\.json)$/.test(name) ? "for publishing" : "for you only";
}

export function filesOf({ courier }, box, { files }, home) {
  const save = (file) => saveButton(courier, { ...home, name: file.name }, { ...file, as: `${home.release ?? "trial"}-${file.name}`, word: home.release ? forWhom(file.name) : "" }, box.refuse);
  const [first, others] = [files.filter(({ name }) => !OTHERS.includes(name)), files.filter(({ name }) => OTHERS.includes(name))];
  first.sort((a, b) => FIRST.indexOf(b.name) - FIRST.indexOf(a.name));
  return make("div", { class: "files", role: "group", "aria-label": "Files" },
    make("div", { class: "row" }, ...first.map(save)),
    others.length ? make("details", {}, make("summary", {}, "Other files"), make("div", { class: "row" }, ...others.map(save))) : null);
}

export function commandBlock(command) {
  return make("div", { class: "copied" }, make("h4", {}, "The exact command"), make("div", { class: "copy-row" }, make("pre", { class: "line", tabindex: "0" }, command), make("button", { type: "button", class: "quiet copy-near" }, "Copy")));
}

/** The report of a job that ended well, in its place. */
export async function showReportOf({ courier }, box, host, end, less = {}) {
  host.hidden = true;
  if (!end || end.isRefused) return;
  const text = await box.run("Fetching the report …", () => courier.file({ job: end.job, name: "report.html" }).then((blob) => blob.text()));
  if (text === null) return;
  host.hidden = false;
  showReport(host, text, less);
}
