// Spending takes two deliberate moves: what `prepare` found out is shown, then it is confirmed.

import { fill, make } from "./elements.js";
import { commandBlock } from "./made.js";
import { atMost, percentAtMost } from "./texts.js";

/** `published` says what there will be, `drafted` which columns are as drafted from the table; `again` prepares the same once more; `made` hears how it ended. */
export function askToSpend(way, box, place, { body, warnings }, { published, drafted = [], again, made }) {
  const { spends, same, ticket } = body;
  const isRepeated = same.length > 0;
  const sure = make("input", { type: "checkbox", name: "sure" });
  const go = make("button", { type: "button", class: "danger", disabled: true }, isRepeated ? "Make it again" : "Make the release");
  sure.addEventListener("change", () => (go.disabled = !sure.checked));
  go.addEventListener("click", async () => {
    go.disabled = sure.disabled = true; // one click is one release; the server enforces that, too
    const end = await box.work("Making the release …", { do: "release", ticket }, (job) => way.started("release", job));
    await way.refresh();
    fill(place);
    if (end && !end.isRefused) made(end);
  });
  const words = budgetWords(spends);
  const columns = drafted.length === 1 ? "1 column" : `${drafted.length} columns`;
  const vouched = drafted.length ? ` The limits of ${columns}, as drafted from my records, are public knowledge.` : "";
  fill(place,
    make("h3", { tabindex: "-1" }, "What this will spend"),
    make("dl", { class: "spends" },
      ...said("Privacy", words),
      ...said("Account", body.account ? accountWords(body.account) : "none: nobody keeps track of the total spent on these people"),
      ...said("Protected", spends.n_is_public ? "each row of the table; the number of rows is public" : "each row of the table, and whether it is there at all: the number of rows is private"),
      ...said("Published", published),
      ...(body.promised ? said("Expected error", promisedWords(body.promised)) : []),
      ...(drafted.length ? said("As drafted", `the limits of ${columns} were drafted from your records (${namesOf(drafted)}); they are published without any protection: are they really public knowledge?`) : [])),
    warnings.length ? make("ul", { class: "warnings" }, ...warnings.map((warning) => make("li", {}, warning))) : null,
    commandBlock(body.command),
    isRepeated ? make("p", { class: "again" }, `Exactly this release was made before: ${same.join(", ")}. Making it again spends the same budget once more: new noise on the same table reveals more about each person.`) : null,
    isRepeated && !body.again
      ? make("button", { type: "button", class: "quiet", onclick: again }, "Spend it once more anyway")
      : make("div", { class: "sure" }, make("label", { class: "option" }, sure, make("span", {}, `I want to spend ${words}. This cannot be undone.${vouched}`)), go));
  place.firstElementChild.focus();
}

function namesOf(rows) {
  return rows.slice(0, 8).map(({ name }) => name).join(", ") + (rows.length > 8 ? ", ..." : "");
}

function said(name, words) {
  return [make("dt", {}, name), make("dd", {}, words)];
}

function budgetWords({ epsilon, dp_delta: delta, part_of_reserve: part }) {
  if (part) return part === "1" ? "everything the release has kept for a question" : `${part} of what the release has kept for questions`;
  return `ε = ${epsilon}` + (delta && delta !== "0" ? `, δ = ${atMost(delta)}` : "");
}

const ERRORS = { one_way: "every share of a column", two_way: "every share of two columns", asked: "every share it is asked for", moments: "every mean of a product of two columns" };

const KINDS = { one_way: "single columns", two_way: "pairs of columns", asked: "the tables of columns it is asked for" };

/** The same in one line, only of what the one method promises; `isPromise` if that is anything. */
export function promiseHeadline({ errors, refused }) {
  if (refused) return { line: "A release with these choices would be refused.", isPromise: false };
  const within = Object.entries(errors).filter(([kind, { vacuous }]) => kind in KINDS && !vacuous);
  const told = within.map(([kind, { error }]) => `${KINDS[kind]} within ${percentAtMost(error).replace(" %", " points")}`);
  const without = errors.asked ? [] : ["one_way", "two_way"].filter((kind) => !within.some(([one]) => one === kind)).map((kind) => KINDS[kind]);
  const nothing = without.length || !told.length ? [`nothing is promised in advance for ${without.join(" or ") || KINDS.asked}`] : [];
  const line = [...told, ...nothing].join("; ");
  return { line: line.charAt(0).toUpperCase() + line.slice(1) + ".", isPromise: told.length > 0 };
}

/** What a table promises in advance, by the method that will be used. */
export function promisedWords({ method, reason, advice, errors, why, refused }) {
  if (refused) return `it would be refused: ${refused}`;
  const found = Object.entries(errors).map(([kind, { error, vacuous }]) => `${ERRORS[kind]} within ${error}${vacuous ? " (which says nothing)" : ""}`);
  const promise = found.length ? `measures ${found.join(", ")}; how close the finished table comes is certified once it is made` : `gives no bound on its error in advance (${why})`;
  return `by ${method} (${reason}): it ${promise}.${advice ? ` ${advice}.` : ""}`;
}

/** What was spent of an account, in epsilon. */
export function accountWords(account) {
  const delta = account.dp_delta ? ` at δ = ${atMost(account.dp_delta)}` : "";
  return `${account.name}: ε = ${atMost(account.epsilon_spent)} of ${atMost(account.epsilon_total)}${delta} spent so far`;
}
