// Claims and theorems as elements: short as results of a search, in full at an address of their own.
// Formulas are MathML that was made when the data was; everything else becomes text.

import { make } from "./elements.js";

const VERDICT_WORDS = {
  confirmed: "holds",
  "confirmed-with-conditions": "holds with conditions",
  refuted: "does not hold as printed",
  inconsistent: "contradicts itself",
  open: "open",
  undecidable: "open: undecided",
  reproduced: "measured again: agrees",
  "not-reproduced": "measured again: differs",
  mixed: "measured again: agrees in part",
  "not-checkable": "not checkable from the text",
};

export function verdictWords(verdict) {
  return VERDICT_WORDS[verdict] ?? verdict;
}

/** The address of a statement within this page; what was searched for stays in it, so that one can go back. */
export function addressOfStatement(id, query = {}) {
  const kept = Object.entries(query).filter(([, value]) => value);
  return "#" + new URLSearchParams({ view: "papers", ...Object.fromEntries(kept), ...(id ? { id } : {}) });
}

/** Pairs of backticks are code; a single one stays as it is. */
function prose(text) {
  const parts = text.split("`");
  if (parts.length % 2 === 0) return [text];
  return parts.map((part, i) => (i % 2 ? make("code", {}, part) : part));
}

/** The paper's words as extracted; what stands between dollar signs is a formula, which may be torn. */
function words(quote) {
  const parts = quote.split(/\$+/);
  if (parts.length % 2 === 0) return [quote];
  return parts.map((part, i) => (i % 2 ? make("code", {}, part) : part));
}

function paperFact(name, ...content) {
  return [make("dt", {}, name), make("dd", {}, ...content)];
}

function statementLink(id, query) {
  return make("a", { href: addressOfStatement(id, query) }, make("code", {}, id));
}

function linked(ids, query) {
  return ids.flatMap((id, i) => [i ? ", " : "", statementLink(id, query)]);
}

/** A page of the documentation, if it lies next to this page; else its name. */
function documentation(path, words) {
  const root = document.documentElement.dataset.docs;
  return root === undefined ? words : make("a", { href: root + path }, words);
}

function badge(claim) {
  const side = claim.against ? "against" : claim.expected === "confirmed" ? "for" : "between";
  return make("span", { class: "verdict " + side }, verdictWords(claim.expected));
}

/** How serious it is; a repetition is counted elsewhere. */
function grade(claim) {
  if (!claim.severity) return [];
  return [" ", make("span", { class: "severity" }, claim.severity + (claim.root ? ", repeated" : ""))];
}

function claimParts(claim, query) {
  const instead = claim.against ? "Instead" : "Note";
  return [
    ...(claim.quote ? [make("blockquote", { class: "quoted" }, ...words(claim.quote))] : []),
    make("p", {}, ...prose(claim.statement)),
    make(
      "dl",
      { class: "told" },
      ...(claim.formula ? paperFact("In symbols", claim.formula) : []),
      ...(claim.hypotheses ? paperFact("Under", ...prose(claim.hypotheses.join("; "))) : []),
      ...(claim.corrected ? paperFact(instead, ...prose(claim.corrected)) : []),
      ...(claim.theorems ? paperFact("Theorems", ...linked(claim.theorems, query)) : []),
    ),
  ];
}

export function claimCard(claim, query) {
  return make(
    "article",
    { class: "card claim", "data-id": claim.id },
    make("h3", {}, make("a", { href: addressOfStatement(claim.id, query) }, claim.locator), " ", make("small", {}, claim.paper)),
    make("p", { class: "tags" }, badge(claim), ...grade(claim), " ", make("code", {}, claim.id)),
    ...claimParts(claim, query),
  );
}

export function theoremCard(theorem, query) {
  const { citation, editions } = theorem;
  return make(
    "article",
    { class: "card theorem", "data-id": theorem.theorem },
    make("h3", {}, make("a", { href: addressOfStatement(theorem.theorem, query) }, theorem.title), " ", make("small", {}, citation.locator + ", " + citation.paper)),
    make("p", { class: "tags" }, make("span", { class: "verdict stated" }, "theorem"), " ", make("code", {}, theorem.theorem)),
    make("p", {}, ...prose(theorem.guarantee)),
    make("p", { class: "quiet" }, editions.map(({ edition }) => edition).join(", ")),
  );
}

export function claimInFull(claim, data, query) {
  const how = claim.method + (claim.twice ? ", by two independent routes" : "");
  return [
    make("h3", { tabindex: "-1" }, claim.locator),
    make("p", { class: "quiet" }, sourceOf(claim.paper, data).reference),
    make("p", { class: "tags" }, badge(claim), ...grade(claim), " ", make("code", {}, claim.id)),
    ...claimParts(claim, query),
    make(
      "dl",
      { class: "told" },
      ...paperFact("Version", data.versions[claim.paper]),
      ...(claim.quote_lost ? paperFact("Quotation", "none: " + claim.quote_lost) : []),
      ...(claim.depends_on ? paperFact("Uses", ...linked(claim.depends_on, query)) : []),
      ...(claim.root ? paperFact("Repeats", ...linked([claim.root], query)) : []),
      ...(claim.lemma ? paperFact("Formally", "lemma ", make("code", {}, claim.lemma), ", checked by Coq") : []),
      ...paperFact("How checked", how),
      ...paperFact("Check again", make("code", {}, "synthbounds verify --id " + claim.id)),
      ...paperFact("More", make("a", { href: addressOfStatement(null, { paper: claim.paper }) }, "all of " + claim.paper)),
    ),
    citation(claim.paper, data),
  ];
}

function sourceOf(key, data) {
  return data.sources.find((source) => source.key === key);
}

function citation(key, data) {
  return make("details", {}, make("summary", {}, "Cite " + key), make("pre", {}, sourceOf(key, data).bibtex));
}

export function theoremInFull(theorem, data, query) {
  const { paper, locator } = theorem.citation;
  const needs = Object.entries(theorem.needs ?? {}).map(([name, meaning]) => make("li", {}, make("code", {}, name), " " + meaning));
  const claims = data.claims.filter((claim) => claim.theorems?.includes(theorem.theorem));
  return [
    make("h3", { tabindex: "-1" }, theorem.title),
    make("p", { class: "quiet" }, locator + " of " + sourceOf(paper, data).reference),
    make("p", { class: "tags" }, make("span", { class: "verdict stated" }, "theorem"), " ", make("code", {}, theorem.theorem)),
    make("p", { class: "promise" }, ...prose(theorem.guarantee)),
    make("div", { class: "three" }, ...theorem.editions.map((edition) => editionColumn(edition, theorem, data))),
    ...(theorem.symbols.length ? [make("h4", {}, "Symbols"), glossary(theorem.symbols, data)] : []),
    ...(needs.length ? [make("h4", {}, "What it needs"), make("ul", {}, ...needs)] : []),
    ...(claims.length ? [make("h4", {}, "What the ledger says about it"), findings(claims, data, query)] : []),
    ...(theorem.see_also ? [make("p", {}, "See also ", ...linked(theorem.see_also, query))] : []),
    make("p", { class: "quiet" }, "The same on the command line: ", make("code", {}, "synthbounds explain " + theorem.theorem)),
    citation(paper, data),
  ];
}

function editionColumn(edition, theorem, data) {
  const name = edition.edition;
  const proof = edition.proof ? documentation("theorems/" + edition.proof + ".html", "docs/proofs/" + edition.proof + ".md") : "the paper's own";
  return make(
    "section",
    { class: "edition", "aria-label": name + " edition" },
    make("h4", {}, name[0].toUpperCase() + name.slice(1)),
    make("p", { class: "quiet" }, data.editions[name]),
    ...(theorem.ask ? [make("p", {}, make("a", { class: "ask", href: "#" + new URLSearchParams({ ...theorem.ask, edition: name }) }, "Ask with the " + name + " edition"))] : []),
    ...(edition.changes ? [make("h5", {}, name === "printed" ? "Choices and notes" : "What changed, and why"), make("ul", {}, ...edition.changes.map((change) => make("li", {}, ...prose(change))))] : []),
    ...edition.routes.map((route, i) => routeDetails(route, i === 0, data)),
    make("p", { class: "quiet" }, "Proof: ", proof),
  );
}

function routeDetails(route, isOpen, data) {
  const rows = (list) => list.map(({ name, formula }) => make("div", { class: "line-of-maths" }, make("p", {}, ...prose(name)), formulaBox(formula, data)));
  return make(
    "details",
    { class: "route", open: isOpen },
    make("summary", {}, ...prose(route.route)),
    make("p", { class: "quiet" }, ...prose(route.summary)),
    ...rows(route.terms),
    ...(route.where ? [make("p", { class: "quiet" }, "where"), ...rows(route.where)] : []),
    ...(route.hypotheses ? [make("p", { class: "quiet" }, "provided that"), make("ul", {}, ...route.hypotheses.map((text) => make("li", {}, ...prose(text))))] : []),
  );
}

/** Long formulas scroll in a box of their own, which the keyboard reaches if there is something to scroll. */
function formulaBox(number, data) {
  const box = make("div", { class: "formula" }, mathsElement(number, data));
  SCROLLED.observe(box);
  return box;
}

const SCROLLED = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    const isLong = target.scrollWidth > target.clientWidth;
    if (isLong) target.setAttribute("tabindex", "0");
    else target.removeAttribute("tabindex");
  }
});

/** MathML of our own data, read as XML: what is not well formed is an error, not markup. */
function mathsElement(number, data) {
  const read = new DOMParser().parseFromString(data.formulas[number], "application/xml").documentElement;
  if (read.localName !== "math") throw new Error("formula " + number + " is not MathML");
  return document.importNode(read, true);
}

function glossary(symbols, data) {
  const rows = symbols.map(({ name, formula, meaning }) => make("tr", {}, make("td", {}, mathsElement(formula, data)), make("td", {}, make("code", {}, name)), make("td", {}, ...prose(meaning))));
  const head = make("tr", {}, ...["symbol", "name", "meaning"].map((text) => make("th", { scope: "col" }, text)));
  return make("table", { class: "symbols" }, make("thead", {}, head), make("tbody", {}, ...rows));
}

function findings(claims, data, query) {
  const order = data.verdicts;
  const sorted = [...claims].sort((a, b) => order.indexOf(a.expected) - order.indexOf(b.expected));
  return make(
    "ul",
    { class: "findings" },
    ...sorted.map((claim) => make("li", {}, badge(claim), " ", make("a", { href: addressOfStatement(claim.id, query) }, claim.locator), ": ", ...prose(claim.statement))),
  );
}
