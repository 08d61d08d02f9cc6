// Finding claims and theorems by what people type: words, the beginning of one, an id, "Corollary 3.6", an author.

const GREEK = { α: "alpha", β: "beta", γ: "gamma", δ: "delta", ε: "epsilon", ϵ: "epsilon", κ: "kappa", λ: "lambda", μ: "mu", ν: "nu", ρ: "rho", σ: "sigma", τ: "tau", φ: "phi" };
const MARKS = /[\u0300-\u036f]/g;

/** Words with a space around each. Dots, dashes and strokes inside a word stay: 3.6, zhou2024.lower, III.1.1. */
function wordsIn(...texts) {
  const plain = texts.flat().join(" ").replace(/\p{Script=Greek}/gu, (letter) => GREEK[letter] ?? letter).normalize("NFKD").replace(MARKS, "").toLowerCase();
  const words = plain.split(/[^\p{L}\p{N}.'-]+/u).map((word) => word.replace(/^[.'-]+|[.'-]+$/g, ""));
  return " " + words.filter(Boolean).join(" ") + " ";
}

/** What can be found: `head` names a statement, `body` is the rest of what it says. */
export function findable(data) {
  const authors = Object.fromEntries(data.sources.map(({ key, reference }) => [key, reference]));
  const parts = (id) => [id, id.split(/[.-]/)];
  const claims = data.claims.map((claim) => ({
    kind: "claim",
    id: claim.id,
    paper: claim.paper,
    verdict: claim.expected,
    severity: claim.severity ?? null,
    said: claim,
    named: wordsIn(claim.locator, claim.paper, claim.id),
    head: wordsIn(claim.locator, claim.paper, parts(claim.id).flat()),
    body: wordsIn(claim.statement, claim.quote ?? "", claim.severity ?? "", claim.formula ?? "", claim.corrected ?? "", claim.hypotheses ?? [], claim.expected, claim.method, claim.theorems ?? [], authors[claim.paper]),
  }));
  const theorems = data.theorems.map((theorem) => ({
    kind: "theorem",
    id: theorem.theorem,
    paper: theorem.citation.paper,
    verdict: null,
    severity: null,
    said: theorem,
    named: wordsIn(theorem.citation.locator, theorem.citation.paper, theorem.theorem),
    head: wordsIn(theorem.citation.locator, theorem.citation.paper, parts(theorem.theorem).flat(), theorem.title),
    body: wordsIn(theorem.guarantee, theorem.kind, theorem.symbols.map(({ name, meaning }) => [name, meaning]).flat(), theorem.editions.map(wordsOfEdition).flat(), authors[theorem.citation.paper]),
  }));
  const order = data.verdicts;
  const gravest = ({ severity }) => (severity === null ? data.severities.length : data.severities.indexOf(severity));
  claims.sort((a, b) => a.said.against && b.said.against ? gravest(a) - gravest(b) : order.indexOf(a.verdict) - order.indexOf(b.verdict));
  const isAgainst = ({ said }) => said.against === true;
  return [...claims.filter(isAgainst), ...theorems, ...claims.filter((claim) => !isAgainst(claim))];
}

function wordsOfEdition(edition) {
  const routes = edition.routes.map(({ route, summary, hypotheses }) => [route, summary, ...(hypotheses ?? [])]);
  return [edition.edition, ...(edition.changes ?? []), ...routes.flat()];
}

/** Records that contain every word, the best match first; without words all of them, first those that do not hold as printed. */
export function foundFor(records, { q, paper, verdict, kind, severity }) {
  const phrase = wordsIn(q);
  const words = phrase.trim().split(" ").filter(Boolean);
  const scored = [];
  for (const record of records) {
    const isWanted = (!paper || record.paper === paper) && (!verdict || record.verdict === verdict) && (!severity || record.severity === severity) && (!kind || record.kind === kind);
    const score = isWanted ? scoreOf(record, words, phrase) : 0;
    if (score > 0) scored.push({ record, score });
  }
  return scored.sort((a, b) => b.score - a.score).map(({ record }) => record);
}

function scoreOf({ id, named, head, body }, words, phrase) {
  if (id.toLowerCase() === phrase.trim()) return 1000;
  let score = head.includes(phrase) && words.length > 1 ? 100 : 1;
  if (words.length && words.every((word) => named.includes(` ${word} `))) score += 50 - named.indexOf(` ${words.at(-1)} `) / 100; // number, paper or id, the sooner the better
  for (const word of words) {
    const worth = [[head, word + " ", 8], [head, word, 4], [body, word + " ", 2], [body, word, 1]].find(([where, text]) => where.includes(" " + text));
    if (!worth) return 0;
    score += worth[2];
  }
  return score;
}
