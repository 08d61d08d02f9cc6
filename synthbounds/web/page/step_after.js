// The last step: what was released, its files, how good a model is by it, how close a table is to a public one, the account.

import { fill, make } from "./elements.js";
import { commandBlock, filesOf, showMade, showReportOf } from "./made.js";
import { labelsOf } from "./schema_rows.js";
import { accountWords, askToSpend } from "./spending.js";
import { field } from "./step_plan.js";
import { atMost } from "./texts.js";
import { makeWorkBox } from "./work_box.js";

const FROM_SKLEARN = `from pathlib import Path
from synthbounds import models

numbers = models.read_cross_moments("release-1-synthetic.release.json")
features = models.LabelledMoments.of(numbers).feature_map
model = models.model_from_sklearn(fitted, features)
Path("model.json").write_text(models.model_text(model))`;
const LOSSES = { log: "log loss", "zero-one": "share of errors", brier: "mean square (Brier)" };
const ORIGINS = { public: "other people's data, or public knowledge", release: "what was released from this table", table: "this very table: then the model is not private" };
const STATES = { done: "made", interrupted: "interrupted after its noise was drawn", running: "being made" };

export function afterStep(way) {
  const { courier, facts } = way;
  const list = make("div", { class: "releases" });
  const accounts = make("div", { class: "accounts" });
  const root = make("div", { class: "step" },
    make("div", { class: "reading-text" }, make("p", { class: "where" })),
    list, checks(way), accounts);

  function show() {
    const { releases, folder } = facts;
    fill(root.querySelector(".where"), releases.length ? ["What you released is in ", make("code", {}, folder), " and stays there. Anything made from a release is as private as the release and costs nothing. Only a question about predictions spends something: the part of the budget that was kept for it."] : "Nothing has been released yet.");
    fill(list, ...releases.map((release) => releaseCard(way, release)));
    fill(accounts, facts.accounts.length ? make("h3", {}, "Accounts") : null, ...facts.accounts.map((name) => accountCard(way, name)));
  }

  return { root, show };
}

/** What tells one release from another. */
function releaseWords({ name, table, method, epsilon, dp_delta: delta, account, begun }) {
  const when = begun && new Date(begun).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });
  const budget = epsilon && `ε = ${epsilon}` + (delta ? `, δ = ${atMost(delta)}` : "");
  return [name, table, method, budget, account && `account ${account}`, when].filter(Boolean).join(", ");
}

function releaseCard(way, release) {
  const { courier } = way;
  const box = makeWorkBox(courier, way);
  const made = make("div", { class: "came" });
  const home = { release: release.name };
  const look = make("button", { type: "button", class: "quiet", onclick: () => showMade(way, box, made, release, home) }, "Look at it");
  const finish = make("button", { type: "button", onclick: recover }, "Finish it");
  async function recover() {
    const end = await box.work("Finishing what was paid for …", { do: "recover", release: release.name });
    if (!end || end.isRefused) return;
    await way.refresh();
    way.go("after");
  }
  return make("article", { class: "card release" },
    make("h3", {}, release.name, make("small", { class: "state" }, STATES[release.state] ?? release.state)),
    make("p", { class: "what" }, releaseWords({ ...release, name: "" })),
    release.told && make("p", {}, release.told),
    release.state === "interrupted" && make("p", { class: "spent" }, release.recovery ? "The budget is spent. What it paid for is kept, and the release can be finished without spending again." : "The budget is spent, and nothing was kept from which the release could be finished."),
    make("div", { class: "row" }, release.state === "interrupted" ? release.recovery && finish : look),
    filesOf(way, box, release, home),
    box.root, made);
}

/** What can be asked of a release or of public tables; only one of it spends. */
function checks(way) {
  return make("div", { class: "checks" }, certifying(way), asking(way), evaluating(way));
}

function certifying(way) {
  const { courier, facts } = way;
  const box = makeWorkBox(courier, way);
  const host = make("div", { class: "report", hidden: true });
  const file = fileInput("certify-file", ".json");
  const release = make("select", { id: "certify-release", name: "certify-release" });
  const label = make("select", { id: "certify-label", name: "certify-label" });
  const tau = make("input", { type: "text", id: "certify-tau", name: "certify-tau", inputmode: "decimal", autocomplete: "off", placeholder: "as in the file" });
  const form = make("form", { class: "inputs", novalidate: true, autocomplete: "off", "aria-label": "How good is a model?" },
    field("Using the numbers from", release),
    field("A model file", file, "JSON, as written by the command train"),
    make("details", { class: "advanced" }, make("summary", {}, "More choices"),
      field("The column it predicts", label),
      field("Norm of the models it is compared with", tau)),
    make("details", { class: "advanced" }, make("summary", {}, "A model file from scikit-learn"),
      make("p", { class: "hint" }, "for a classifier or pipeline fitted on the rows of the synthetic table:"),
      make("pre", { tabindex: "0" }, FROM_SKLEARN)),
    make("button", { type: "submit" }, "Certify it"));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    host.hidden = true;
    if (!file.files.length) return box.refuse("Choose a model file first");
    const model = await taken(courier, box, file.files[0]);
    if (!model) return;
    if (model.kind !== "json") return box.refuse(`${model.name} is not a model file; ask about predictions below, which spends budget`);
    const options = { ...(tau.value.trim() ? { tau: tau.value.trim() } : {}), ...(label.value ? { label: label.value } : {}) };
    const request = { do: "certify", release: release.value, model: model.id, options };
    await showReportOf(way, box, host, await box.work("Comparing with every other model …", request));
  });
  return section("How good is a model?", "For a model trained anywhere, for example with scikit-learn on the synthetic table. The answer is about the real table and costs nothing.", form, box, host, () => {
    const trial = facts.jobs.trial ? [make("option", { value: facts.jobs.trial }, "the last trial (no release)")] : [];
    fill(release, ...facts.releases.filter(({ state }) => state === "done").map((one) => make("option", { value: one.name }, releaseWords(one))), ...trial);
    fill(label, make("option", { value: "" }, "as the release says"), ...(facts.rows ? labelsOf(facts.rows) : []).map((name) => make("option", { value: name }, name)));
    return release.childElementCount > 0;
  });
}

function asking(way) {
  const { courier, facts } = way;
  const box = makeWorkBox(courier, way);
  const second = make("div", { class: "second" });
  const file = fileInput("ask-file", ".csv");
  const select = (name, choices) => make("select", { id: "ask-" + name, name: "ask-" + name }, ...Object.entries(choices).map(([value, words]) => make("option", { value }, words)));
  const [release, loss, from] = [select("release", {}), select("loss", LOSSES), select("from", ORIGINS)];
  const form = make("form", { class: "inputs", novalidate: true, autocomplete: "off", "aria-label": "How good are predictions?" },
    field("Paid by", release),
    field("Predictions", file, "CSV with a header: one probability for each row of the table, in the same order"),
    field("Measured by", loss),
    field("The model was made from", from),
    make("button", { type: "submit" }, "Show what will be spent"));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (!file.files.length) return box.refuse("Choose a file of predictions first");
    const predictions = await taken(courier, box, file.files[0]);
    if (predictions) await prepare(predictions.id, false);
  });
  async function prepare(predictions, again) {
    fill(second);
    const options = { loss: loss.value, "model-from": from.value };
    const request = { do: "prepare", kind: "query", table: facts.table.id, release: release.value, predictions: [predictions], options };
    if (facts.choices.account) request.account = facts.choices.account;
    if (again) request.again = true;
    const end = await box.work("Working out what would be spent …", request);
    if (!end || end.isRefused) return;
    const published = "how good the predictions are, as a certified interval";
    askToSpend(way, box, second, end, { published, again: () => prepare(predictions, true), made: () => way.go("after") });
  }
  const ready = () => {
    const paying = facts.table === null ? [] : facts.releases.filter(({ files, state }) => state === "done" && files.some(({ name }) => name === "release.json"));
    fill(release, ...paying.map((one) => make("option", { value: one.name }, releaseWords(one))));
    return paying.length > 0;
  };
  const words = "For any model: a forest, a network, a person. One question is paid for by what a release of “how well any model could predict” has kept for it.";
  return section("How good are the predictions of any model?", words, form, box, second, ready, "Make a release of “how well any model could predict” first, and choose the same table.");
}

function evaluating(way) {
  const { courier, facts } = way;
  const box = makeWorkBox(courier, way);
  const host = make("div", { class: "report", hidden: true });
  const real = fileInput("evaluate-real", ".csv,.parquet");
  const synthetic = fileInput("evaluate-synthetic", ".csv,.parquet");
  const form = make("form", { class: "inputs", novalidate: true, autocomplete: "off", "aria-label": "How close are two public tables?" },
    field("The public table", real), field("The synthetic table", synthetic, "if none, the one from the last trial"),
    make("button", { type: "submit" }, "Compare them"));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    host.hidden = true;
    if (!real.files.length) return box.refuse("Choose a public table first");
    if (!synthetic.files.length && !facts.jobs.trial) return box.refuse("Choose a synthetic table, or simulate one first");
    const one = await taken(courier, box, real.files[0]);
    const other = one && (synthetic.files.length ? await taken(courier, box, synthetic.files[0]) : { id: { job: facts.jobs.trial, name: "synthetic.csv" } });
    if (!other) return;
    const options = facts.choices.label ? { label: facts.choices.label, "held-out": "1/5" } : {};
    await showReportOf(way, box, host, await box.work("Comparing the tables …", { do: "evaluate", real: one.id, synthetic: other.id, schema: facts.schema, options }));
  });
  return section("How close are two public tables?", "Errors of a synthetic table compared with a real one. The answer is not private, so give a real table that everybody may see.", form, box, host, () => facts.schema !== null);
}

function section(title, words, form, box, host, isReady, before = "Make a trial or a release first.") {
  const details = make("details", { class: "check" }, make("summary", {}, title), make("p", {}, words), form, box.root, host);
  const not = make("p", { class: "hint" }, before);
  details.append(not);
  details.addEventListener("toggle", () => {
    const isFine = isReady();
    form.hidden = !isFine;
    not.hidden = isFine;
  });
  return details;
}

async function taken(courier, box, file) {
  return box.run(`Reading ${file.name} …`, async (stoppable) => {
    const upload = courier.upload(file, () => {});
    stoppable(upload.stop);
    return upload.done;
  });
}

function fileInput(id, accept) {
  return make("input", { type: "file", id, name: id, accept });
}

function accountCard(way, name) {
  const box = makeWorkBox(way.courier, way);
  const said = make("div", {});
  const look = make("button", { type: "button", class: "quiet" }, "Show what was spent");
  look.addEventListener("click", async () => {
    const end = await box.work("Reading the account …", { do: "account", action: "show", name, options: {} });
    if (!end || end.isRefused) return;
    const { body } = end;
    fill(said,
      make("p", { class: "spent-so-far" }, accountWords(body)),
      body.entries.length
        ? make("details", {}, make("summary", {}, "What it was spent on"), make("ul", { class: "notes" }, ...body.entries.map((entry) => make("li", {}, `${entry.what}: ${entry.state}`))))
        : make("p", {}, "Nothing has been recorded yet."),
      end.command && commandBlock(end.command));
  });
  if (way.facts.lately === name) {
    way.facts.lately = "";
    look.click(); // what a release has left is seen at once
  }
  return make("article", { class: "card" }, make("h4", {}, name), make("div", { class: "row" }, look), box.root, said);
}
