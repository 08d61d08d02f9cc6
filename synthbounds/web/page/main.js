// The page: its tabs, the address, the engine's state, and what is copied or spoken.

import { addressOf, canBeSent, readAddress, unreadWords, writeAddress } from "./address.js";
import { makeCarrier } from "./carrier.js";
import { every, make, notice, one, say } from "./elements.js";
import { startPapers } from "./papers.js";
import { makeView } from "./view.js";
import { VIEWS, VIEW_NAMES } from "./views.js";

one("#cold")?.remove();
const views = new Map();
let forms = null;
let shownName = null;
let gatherPapers = null;
let guide = null;

const carrier = makeCarrier((stage) => say(one("#engine"), stage));

function status(word) {
  document.documentElement.dataset.state = word;
}

let speaking = 0;
/** Speaks a finished answer once, after the hand has come to rest. */
function spoken(text) {
  clearTimeout(speaking);
  speaking = setTimeout(() => say(one("#spoken"), text), 700);
}

function showView({ name, state, unread }) {
  notice(unreadWords(unread));
  if (shownName && shownName !== name) views.get(shownName)?.leave();
  shownName = name;
  for (const tab of every("[role=tab]")) {
    const isChosen = tab.dataset.view === name;
    tab.setAttribute("aria-selected", String(isChosen));
    tab.tabIndex = isChosen ? 0 : -1;
  }
  for (const other of VIEW_NAMES) one("#" + other).hidden = other !== name;
  if (name === "papers") showPapers();
  else if (name === "guided") showGuided();
  else if (VIEWS[name].serverOnly && carrier.kind === "worker") {
    showElsewhere(one("#" + name), VIEWS[name]);
    status(carrier.isUp() ? "idle" : document.documentElement.dataset.state);
  } else if (forms) viewOf(name).show(state);
}

async function showPapers() {
  gatherPapers ??= startPapers(one("#papers"), carrier);
  if (carrier.isUp()) status("computing");
  await Promise.all([gatherPapers(), carrier.ready.catch(() => null)]);
  if (shownName === "papers" && carrier.isUp()) status("idle");
}

const RELEASING = {
  needs: "web,data,release",
  title: "From a table to a release",
  why: "Not on this page: a release reads your table and draws exact noise, which this page cannot do. Run the same page on your own machine, where the table stays:",
};

async function showGuided() {
  const section = one("#guided");
  if (carrier.kind === "worker") return showElsewhere(section, RELEASING);
  guide ??= import("./guided.js").then(({ startGuided }) => startGuided(section, carrier.token, status));
  (await guide)();
}

function viewOf(name) {
  if (!views.has(name)) {
    const view = VIEWS[name];
    const moved = (state, control) => {
      notice(""); // the address is now all ours
      writeAddress(addressOf(name, state), true, control);
    };
    const declared = forms.forms[view.command];
    views.set(name, makeView(one("#" + name), { name, view, carrier, forms: declared, stored: forms.stored, moved, status, spoken }));
  }
  return views.get(name);
}

function showElsewhere(section, view) {
  if (section.childElementCount) return;
  section.append(
    make("h2", {}, view.title),
    make("div", { class: "elsewhere" },
      make("p", {}, view.why),
      make("pre", {}, `pip install '.[${view.needs}]'       # in a checkout of synthbounds\nsynthbounds serve`)),
  );
}

function chooseTab(tab) {
  const name = tab.dataset.view;
  if (name === shownName) return;
  const kept = views.get(name)?.state();
  writeAddress(addressOf(name, kept ?? readAddress("#view=" + name).state), true);
  showView(readAddress(location.hash));
}

function startTabs() {
  const tabs = every("[role=tab]");
  for (const tab of tabs) {
    tab.addEventListener("click", () => chooseTab(tab));
    tab.addEventListener("keydown", (event) => {
      const steps = { ArrowRight: 1, ArrowLeft: -1, Home: -tabs.length, End: tabs.length };
      if (!(event.key in steps)) return;
      event.preventDefault();
      const at = tabs.indexOf(tab) + steps[event.key];
      const next = Math.abs(steps[event.key]) === 1 ? tabs.at(at % tabs.length) : tabs[at < 0 ? 0 : tabs.length - 1];
      next.focus();
      chooseTab(next);
    });
  }
}

async function copied(button, text) {
  const before = button.dataset.words ?? button.textContent;
  button.dataset.words = before;
  try {
    await navigator.clipboard.writeText(text);
    say(button, "Copied");
  } catch {
    say(button, copiedByHand(text) ? "Copied" : "Copying is not allowed here");
  }
  setTimeout(() => say(button, before), 1500);
}

/** For pages opened from a disk, where the clipboard is closed to scripts that do not select. */
function copiedByHand(text) {
  const field = make("textarea", { class: "unseen", "aria-hidden": "true" });
  field.value = text;
  document.body.append(field);
  field.select();
  const done = document.execCommand("copy");
  field.remove();
  return done;
}

document.addEventListener("click", (event) => {
  const button = event.target.closest?.("button");
  const section = button?.closest("section[role=tabpanel]");
  if (!section) return;
  if (button.matches(".share")) copied(button, canBeSent() ? location.href : one(".line", section).textContent);
  if (button.matches(".copy-line")) copied(button, one(".line", section).textContent);
  if (button.matches(".copy-python")) copied(button, one(".python", section).textContent);
});

async function start() {
  if (carrier.kind === "closed") {
    one("nav").hidden = true;
    say(one("#engine"), "not connected");
    notice(carrier.why);
    status("failed");
    return;
  }
  startTabs();
  one(".skip").addEventListener("click", (event) => {
    event.preventDefault(); // the address holds the question
    one("#main").focus();
  });
  const follow = () => showView(readAddress(location.hash));
  addEventListener("popstate", follow); // fires when a fragment changes, too
  carrier.ready.then(
    (text) => say(one("#engine"), text),
    (error) => {
      say(one("#engine"), "the engine did not start: " + error.message);
      status("failed");
    },
  );
  const stored = await carrier.stored;
  const found = stored['{"ask":"forms"}'] ?? (showView(readAddress(location.hash)), await carrier.ask({ ask: "forms" }));
  if (!found?.forms) {
    say(one("#engine"), found?.error ?? "the engine returned no forms");
    status("failed");
    return;
  }
  forms = { ...found, stored };
  if (found.version) say(one("#version"), "synthbounds " + found.version);
  follow();
}

start();
