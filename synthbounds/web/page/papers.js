// The browser of errata and theorems: search as you type, four filters, and an address for every claim and theorem.

import { unreadWords, writeAddress } from "./address.js";
import { fill, make, notice, one, say } from "./elements.js";
import { findable, foundFor } from "./finding.js";
import { addressOfStatement, claimCard, claimInFull, theoremCard, theoremInFull, verdictWords } from "./statements.js";

const AT_ONCE = 50;
const FILTERS = ["q", "paper", "kind", "verdict", "severity"];

/** Gives what is to be called whenever the view is shown; its promise ends when there is something to read. */
export function startPapers(section, carrier) {
  const title = make("h2", {}, "What the papers say, and what holds");
  let follow = null;
  let gathering = null;
  const gather = async () => {
    section.dataset.state = "starting";
    fill(section, title, make("p", { role: "status" }, "Gathering claims and formulas: this can take a few seconds."));
    try {
      const found = await carrier.papers();
      if (!found.papers) throw new Error(found.error);
      follow = browse(section, title, found.papers);
      section.dataset.state = "idle";
    } catch (error) {
      section.dataset.state = "failed";
      fill(section, title, make("p", { role: "alert" }, "The claims cannot be shown: " + error.message), make("button", { type: "button", onclick: again }, "Try again"));
    } finally {
      gathering = null;
    }
  };
  const again = async () => {
    await (gathering ??= gather());
    follow?.();
  };
  return async () => (follow ? follow() : again());
}

/** Fills the section; gives what makes it follow the address. */
function browse(section, title, data) {
  const records = findable(data);
  const byId = new Map(records.map((record) => [record.id, record]));
  const form = searchForm(data);
  const count = make("p", { class: "count", role: "status" });
  const results = make("div", { class: "results" });
  const more = make("button", { type: "button", class: "more" }, "Show more");
  const list = make("div", { class: "list" }, ...introduction(data), form, count, results, more);
  const full = make("div", { class: "full", hidden: true });
  let followed = null;
  let found = [];
  let shown = 0;
  let searched = null;
  let opened = null;

  const query = () => Object.fromEntries(FILTERS.map((name) => [name, form.elements[name].value.trim()]));
  const extend = () => {
    const card = ({ kind, said }) => (kind === "claim" ? claimCard : theoremCard)(said, query());
    results.append(...found.slice(shown, shown + AT_ONCE).map(card));
    shown = Math.min(found.length, shown + AT_ONCE);
    more.hidden = shown === found.length;
    say(count, countWords(found) + (more.hidden ? "" : "; the first " + shown + " are shown"));
  };
  const search = () => {
    const wanted = JSON.stringify(query());
    if (wanted === searched) return;
    searched = wanted;
    found = foundFor(records, query());
    shown = 0;
    results.replaceChildren();
    extend();
  };
  const typed = (isOver) => {
    notice("");
    search();
    writeAddress(addressOfStatement(null, query()), isOver);
    followed = location.hash;
  };
  const isUnderstood = (name, value) => {
    const control = FILTERS.includes(name) ? form.elements[name] : null;
    if (control?.tagName === "SELECT") return [...control.options].some((option) => option.value === value);
    return control !== null || name === "view" || (name === "id" && byId.has(value));
  };
  const follow = () => {
    const given = new URLSearchParams(location.hash.slice(1));
    if (given.get("view") !== "papers") return;
    notice(unreadWords([...given].filter(([name, value]) => !isUnderstood(name, value))));
    if (location.hash === followed) return;
    followed = location.hash;
    for (const name of FILTERS) setValue(form.elements[name], given.get(name) ?? "");
    const record = byId.get(given.get("id"));
    list.hidden = record !== undefined;
    full.hidden = record === undefined;
    search();
    if (record) showInFull(full, record, data, query());
    else if (opened) one('[data-id="' + CSS.escape(opened.id) + '"] a', results)?.focus(); // where the reader was
    opened = record;
  };

  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", () => typed(false));
  form.addEventListener("change", () => typed(true));
  more.addEventListener("click", () => {
    const next = shown;
    extend();
    one("a", results.children[next]).focus();
  });
  fill(section, title, list, full);
  return follow;
}

function introduction(data) {
  return [
    make("p", {}, "Checkable sentences of the papers and of our own pages, each with a verdict, and the theorems in their printed, corrected and sharp editions. To reach every verdict again, run ", make("code", {}, "synthbounds verify"), "."),
    make("details", { class: "reading" }, make("summary", {}, "What is counted"), make("p", {}, data.note)),
  ];
}

function searchForm(data) {
  const papers = [...new Set([...data.claims.map(({ paper }) => paper), ...data.theorems.map(({ citation }) => citation.paper)])].sort();
  const choice = (name, words, all, options) =>
    make("label", {}, words, make("select", { name }, make("option", { value: "" }, all), ...options.map(([value, text]) => make("option", { value }, text))));
  return make(
    "form",
    { class: "search", role: "search" },
    make("label", { class: "words" }, "Search", make("input", { type: "search", name: "q", placeholder: "Corollary 3.6", autocomplete: "off", spellcheck: "false", maxlength: "200" })),
    choice("paper", "Paper", "all papers", papers.map((paper) => [paper, paper])),
    choice("kind", "Kind", "all kinds", [["claim", "claims"], ["theorem", "theorems"]]),
    choice("verdict", "Verdict", "any verdict", data.verdicts.map((verdict) => [verdict, verdictWords(verdict)])),
    choice("severity", "Severity", "any severity", data.severities.map((severity) => [severity, severity])),
  );
}

/** A value that no option has would leave a list empty: then nothing is filtered. */
function setValue(control, value) {
  control.value = value.slice(0, 200);
  if (control.value !== value && control.tagName === "SELECT") control.value = "";
}

function countWords(found) {
  const theorems = found.filter(({ kind }) => kind === "theorem").length;
  const words = (number, noun) => number.toLocaleString("en") + " " + noun + (number === 1 ? "" : "s");
  if (!found.length) return "Nothing found: try fewer words or another filter.";
  const counted = [[found.length - theorems, "claim"], [theorems, "theorem"]].filter(([number]) => number);
  return counted.map(([number, noun]) => words(number, noun)).join(" and ");
}

function showInFull(place, { kind, said }, data, query) {
  const back = make("p", {}, make("a", { href: addressOfStatement(null, query) }, "← all results"));
  const parts = (kind === "claim" ? claimInFull : theoremInFull)(said, data, query);
  fill(place, back, make("article", { class: kind }, ...parts));
  one("h3", place).focus({ preventScroll: true });
  place.closest("section").scrollIntoView();
}
