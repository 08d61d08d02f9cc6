// One view at work: controls, question, answer, curve, editions. A newer question overtakes an older one; the answer comes
// first, the rest when the hand rests.

import { answerParts, mainNumber, showAnswer, showWaiting } from "./answer.js";
import { storedAnswer } from "./carrier.js";
import { makeCurve } from "./chart.js";
import { makeControls } from "./controls.js";
import { showEditions } from "./editions.js";
import { make, one } from "./elements.js";
import { showMeaning } from "./odds.js";
import { axesOf, compareOf, curveOf, doubtOf, questionKey, questionOf } from "./questions.js";
import { placeOf } from "./texts.js";

const REST_MS = 160;
const HEIGHTS = { n: "Records", excess: "Excess risk", accuracy: "Largest error", epsilon: "ε", failure: "Chance of being wrong" };

/** `moved(state, control)` hears of every change, `status(word)` of the current state, `spoken(text)` of finished answers. */
export function makeView(section, { name, view, carrier, forms, stored, moved, status, spoken }) {
  const form = make("form", { class: "inputs", autocomplete: "off", novalidate: true, "aria-label": "the question" });
  const side = make("div", { class: "found-side" }, ...answerParts(name));
  const peek = make("p", { class: "peek", "aria-hidden": "true" });
  section.append(make("h2", {}, view.title), make("div", { class: "columns" }, form, peek, side));
  new IntersectionObserver(([seen]) => peek.classList.toggle("unneeded", seen.isIntersecting)).observe(one(".huge", side));
  let state = null;
  let turn = 0;
  let resting = 0;
  const curve = makeCurve(one(".curve", section), {
    name,
    chosen(over) {
      state = { ...state, over };
      moved(state);
      ask();
    },
  });
  const controls = makeControls(form, {
    name,
    view,
    forms,
    changed(now, control) {
      const isSame = questionKey(questionOf(view, now)) === questionKey(questionOf(view, state)) && now.solve === state.solve;
      state = withAxis({ ...now, over: state.over });
      moved(state, control);
      if (!isSame) ask();
    },
  });

  function withAxis(now) {
    const axes = axesOf(view, now);
    curve.axes(axes, axes.some((field) => field.name === now.over) ? now.over : axes[0].name);
    return axes.some((field) => field.name === now.over) ? now : { ...now, over: axes[0].name };
  }

  /** All of one question. Before the engine is up, what was stored; afterwards the same again from the engine. */
  async function ask() {
    const mine = (turn += 1);
    const isCurrent = () => mine === turn && !section.hidden;
    carrier.cancel();
    clearTimeout(resting);
    const asked = { state, question: questionOf(view, state) };
    if (!carrier.isUp()) {
      showStored(asked);
      const failed = await carrier.ready.then(() => null, (error) => error.message);
      if (!isCurrent()) return;
      if (failed !== null) return void (hasStored(asked) || showOne(asked, { error: "the engine did not start: " + failed }, false));
    }
    const doubt = doubtOf(view, state);
    if (doubt) {
      showOne(asked, { error: doubt }, false);
      curve.hide();
      side.classList.remove("asking");
      side.removeAttribute("aria-busy");
      status("idle");
      return void spoken(controls.labelled(doubt));
    }
    status("computing");
    side.setAttribute("aria-busy", "true");
    side.classList.add("asking");
    const answer = await carrier.ask(asked.question);
    if (!answer || !isCurrent()) return;
    side.classList.remove("asking");
    showOne(asked, answer, false);
    await new Promise((resolve) => (resting = setTimeout(resolve, REST_MS)));
    if (!isCurrent()) return;
    if (answer.error) curve.hide();
    else await rest(asked, answer, isCurrent);
    if (!isCurrent()) return;
    side.removeAttribute("aria-busy");
    status("idle");
    spoken(controls.labelled(answer.error) ?? answer.sentence);
  }

  function hasStored(asked) {
    return storedAnswer(stored, asked.question) !== undefined;
  }

  function showStored(asked) {
    const answer = storedAnswer(stored, asked.question);
    if (!answer) {
      showWaiting(section); // an answer to another question must not stand there
      curve.hide();
      status("starting");
      return;
    }
    showOne(asked, answer, true);
    const question = curveOf(view, asked.state);
    const points = storedAnswer(stored, question)?.filter(({ point }) => point).map(({ point }) => point);
    if (points) drawCurve(asked, answer, question, points);
    showEditions(one(".editions", section), storedAnswer(stored, compareOf(view, asked.state, answer.body)), answer.body?.theorem);
    status("stored");
  }

  function showOne(asked, answer, isStored) {
    showAnswer(section, { view, state: asked.state, answer: { ...answer, error: controls.labelled(answer.error), said: answer.error }, isStored });
    showMeaning(one(".meaning", section), answer.error ? null : answer.meaning);
    controls.mark(answer.error);
    if (answer.error) one(".editions", section).hidden = true;
  }

  async function rest(asked, answer, isCurrent) {
    const comparison = compareOf(view, asked.state, answer.body);
    const compared = comparison && (await carrier.ask(comparison));
    if (!isCurrent()) return;
    showEditions(one(".editions", section), compared, answer.body?.theorem);
    const question = curveOf(view, asked.state);
    const points = [];
    if (question) {
      const end = await carrier.curve(question, (part) => {
        if (!isCurrent()) return;
        points.push(...part);
        drawCurve(asked, answer, question, points);
      }, isCurrent);
      if (isCurrent() && (end?.error || !points.length)) curve.hide();
    } else curve.hide();
  }

  function drawCurve(asked, answer, question, points) {
    const { solve } = asked.state;
    const wantsRecords = solve === "n";
    const field = axesOf(view, asked.state).find((axis) => axis.name === question.over);
    const exact = answer.body ? mainNumber(view, asked.state, answer.body).exact : null;
    const here = { x: placeOf(asked.question.options[question.over]), y: placeOf(exact) };
    const sorted = [...points].sort((a, b) => placeOf(a.x) - placeOf(b.x));
    curve.draw({ question, points: sorted, field, words: HEIGHTS[solve], wantsRecords, isEstimate: view.command === "certify", here });
  }

  return {
    show(wanted) {
      state = withAxis(wanted);
      controls.show(state);
      ask();
    },
    leave() {
      turn += 1;
      carrier.cancel();
    },
    state: () => state,
  };
}
