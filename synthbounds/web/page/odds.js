// What epsilon means for one person: the engine's words and numbers, and a picture of a hundred guesses.

import { drawn, fill, make } from "./elements.js";
import { atMost, hundredths, percentAtMost, readable } from "./texts.js";

const DOT = 20;

export function showMeaning(box, meaning) {
  box.hidden = !meaning;
  if (!meaning) return;
  const right = Math.min(100, hundredths(meaning.best_guess.hi));
  const first = meaning.suspicion?.[0];
  const unless = meaning.exception === "0" ? "" : `, except with probability ${atMost(meaning.exception)}`;
  fill(
    box,
    make("h3", {}, `What ε = ${readable(meaning.epsilon)} means for one person`),
    make("div", { class: "pair" }, guesses(right), make("div", {},
      make("p", {}, meaning.words),
      make("dl", { class: "facts" },
        ...fact("odds grow by a factor of at most", `${atMost(meaning.odds_factor.hi)}${unless}`),
        ...fact("an attacker's best guess is right with probability at most", percentAtMost(meaning.best_guess.hi)),
        ...(first ? fact(`a suspicion of ${percentAtMost(first.before)} grows to at most`, `${percentAtMost(first.after_at_most.hi)}${unless}`) : []),
      ),
    )),
  );
}

function fact(name, value) {
  return [make("dt", {}, name), make("dd", {}, value)];
}

/** A hundred guesses between two possibilities: right by luck, right because of the release, still wrong. */
function guesses(right) {
  const text = `Of 100 guesses between two possibilities, 50 are right by luck, at most ${right - 50} more because of what is released, and at least ${100 - right} are wrong.`;
  const dots = Array.from({ length: 100 }, (_, i) => {
    const [left, top] = [(i % 10) * DOT + DOT / 2, Math.floor(i / 10) * DOT + DOT / 2];
    if (i < 50) return drawn("circle", { class: "luck", cx: left, cy: top, r: 6.5 });
    if (i < right) return drawn("path", { class: "gained", d: `M${left} ${top - 7.5}L${left + 7.5} ${top}L${left} ${top + 7.5}L${left - 7.5} ${top}Z` });
    return drawn("circle", { class: "missed", cx: left, cy: top, r: 5.5 });
  });
  const sign = (kind, words) => make("li", {}, drawn("svg", { class: "guesses sign", viewBox: `0 0 ${DOT} ${DOT}`, "aria-hidden": "true" }, sample(kind)), words);
  return make("figure", { class: "hundred" },
    drawn("svg", { class: "guesses", role: "img", viewBox: `0 0 ${10 * DOT} ${10 * DOT}`, "aria-label": text }, ...dots),
    make("figcaption", {}, make("ul", { class: "signs" }, sign("luck", "50 right by luck"), sign("gained", `at most ${right - 50} more because of the release`), sign("missed", `at least ${100 - right} wrong`))),
  );
}

function sample(kind) {
  if (kind === "gained") return drawn("path", { class: kind, d: "M10 2.5L17.5 10L10 17.5L2.5 10Z" });
  return drawn("circle", { class: kind, cx: 10, cy: 10, r: kind === "luck" ? 6.5 : 5.5 });
}
