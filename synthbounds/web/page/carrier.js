// The two ways to reach the engine, with one interface: the local server that opened this page, or Python in a worker of the page.
// Both take the same questions and give the same messages. A cancelled question answers null and is forgotten.

import { questionKey } from "./questions.js";

const TOKEN = "synthbounds-token";
const SLICE = 10; // values of a curve in one message to the worker: a newer question waits for no more
const PATIENCE_MS = 400; // an answer that takes longer is given up for a newer question; stopping it sooner costs more

/** `tell` hears what the engine is doing while it starts. */
export function makeCarrier(tell) {
  // Elsewhere a token in an address would send what is typed to whoever keeps the page.
  if (document.documentElement.dataset.engine !== "server") return workerCarrier(tell);
  const token = takenToken();
  return token ? serverCarrier(token) : closedCarrier();
}

/** The page of a local server in a tab that was not given the token: it has no Python of its own either. */
function closedCarrier() {
  return { kind: "closed", why: "This tab has no key: open the full link that synthbounds serve printed, ending in #token=... (or ask the colleague who started it)." };
}

/** The token leaves the address at once: it must not be in what people copy or send. */
function takenToken() {
  const given = new URLSearchParams(location.hash.slice(1));
  const token = given.get("token");
  try {
    if (!token) return sessionStorage.getItem(TOKEN);
    sessionStorage.setItem(TOKEN, token);
  } catch {
    if (!token) return null; // storage is forbidden: a reload then needs the printed address again
  }
  given.delete("token");
  history.replaceState(null, "", location.pathname + (String(given) ? "#" + given : ""));
  return token;
}

function failure(error) {
  return { last: true, exit_code: 6, body: null, error, warnings: [], sentence: "", line: "", python: "", meaning: null };
}

function serverCarrier(token) {
  const running = new Set();
  let line = Promise.resolve();
  /** One question after the other, so that a slider in motion never fills the queue of the server. */
  const inLine = async (question, use) => {
    const job = { stop: new AbortController(), began: null, isCurve: question.ask === "curve" };
    running.add(job);
    let leave;
    const before = line;
    line = new Promise((resolve) => (leave = resolve));
    await before;
    const found = job.isDropped ? null : await post(question, use, job);
    running.delete(job);
    leave();
    return found;
  };
  const post = async (question, use, job) => {
    job.began = performance.now();
    try {
      const response = await fetch("api/v1/ask", {
        method: "POST",
        headers: { "Content-Type": "application/json", Authorization: "Bearer " + token },
        body: JSON.stringify(question),
        signal: job.stop.signal,
      });
      if (response.status === 401) return failure("this page no longer belongs to a running server: open the address that synthbounds serve prints");
      const found = await use(response);
      return job.isDropped ? null : found;
    } catch {
      if (job.isDropped) return null;
      return failure("the local engine does not answer: is synthbounds serve still running?");
    }
  };
  return {
    kind: "server",
    token,
    isUp: () => true,
    stored: Promise.resolve({}),
    ready: Promise.resolve("answered by synthbounds on this machine"),
    ask: (question) => inLine(question, readAnswer),
    curve: (question, onPoints, isCurrent) => inLine(question, (response) => readEvents(response, onPoints, isCurrent)),
    papers: () => post({ ask: "papers" }, readAnswer, { stop: new AbortController() }),
    cancel() {
      for (const job of running) {
        if (job.isDropped) continue;
        job.isDropped = true;
        if (job.began === null) continue;
        const left = job.isCurve ? 0 : PATIENCE_MS - (performance.now() - job.began);
        setTimeout(() => job.stop.abort(), Math.max(0, left));
      }
    },
  };
}

async function readAnswer(response) {
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch {
    return failure(text.trim().split("\n")[0] || "the local engine gave no answer");
  }
}

async function readEvents(response, onPoints, isCurrent) {
  if (!(response.headers.get("content-type") ?? "").startsWith("text/event-stream")) return readAnswer(response);
  return readMessages(response, (messages) => {
    const points = messages.filter(({ point }) => point).map(({ point }) => point);
    if (points.length) onPoints(points);
    return messages.find(({ last }) => last);
  }, isCurrent);
}

/** Hands messages on as they come, until `take` gives something or `isCurrent` is over; null if none did. */
export async function readMessages(response, take, isCurrent = () => true) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (!isCurrent()) {
      await reader.cancel();
      return null;
    }
    if (done) return null;
    const events = (rest + value).split("\n\n");
    rest = events.pop();
    const messages = events.filter((text) => text.startsWith("data: ")).map((text) => JSON.parse(text.slice(6)));
    const found = messages.length ? take(messages) : null;
    if (found) return found;
  }
}

function workerCarrier(tell) {
  let worker = null;
  let up = false;
  let count = 0;
  let current = null;
  const waiting = [];
  const ready = new Promise((resolve, reject) => {
    const failed = (text) => {
      reject(new Error(text));
      for (const job of [current, ...waiting.splice(0)]) job?.done(failure("the engine of this page failed: " + text));
      current = null;
    };
    try {
      worker = window.makeWorker ? window.makeWorker() : new Worker("worker.js", { type: "module" });
    } catch (error) {
      failed(error.message);
      return;
    }
    worker.onerror = (event) => failed(event.message || "the worker did not start");
    worker.onmessage = ({ data }) => {
      if (data.failed) failed(data.failed);
      else if (data.stage) tell(data.stage);
      else if (data.ready) {
        up = true;
        resolve("answered by Python inside this page; nothing leaves it");
        next();
      } else if (current && data.id === current.id) take(JSON.parse(data.text));
    };
  });
  ready.catch(() => {});
  function take(message) {
    current.messages.push(message);
    if (!message.last) return;
    const { done, dropped, messages } = current;
    current = null;
    done(dropped ? null : messages);
    next();
  }
  function next() {
    if (!up || current || !waiting.length) return;
    current = waiting.shift();
    worker.postMessage({ id: current.id, text: JSON.stringify(current.question) });
  }
  function send(question) {
    return new Promise((done) => {
      waiting.push({ id: (count += 1), question, messages: [], done: (found) => done(found) });
      next();
    });
  }
  const last = (found) => (Array.isArray(found) ? found.at(-1) : found);
  const stored = window.STORED ? Promise.resolve(window.STORED) : fetchedJson("stored.json").catch(() => ({}));
  return {
    kind: "worker",
    isUp: () => up,
    stored,
    ready,
    ask: async (question) => last(await send(question)),
    async curve(question, onPoints, isCurrent) {
      for (let i = 0; i < question.values.length; i += SLICE) {
        const found = await send({ ...question, values: question.values.slice(i, i + SLICE) });
        if (!found || !isCurrent()) return null;
        if (!Array.isArray(found)) return found;
        onPoints(found.filter(({ point }) => point).map(({ point }) => point));
        if (last(found).error) return last(found);
      }
      return { last: true, points: question.values.length };
    },
    papers: async () => ({ papers: await (window.PAPERS ?? fetchedJson("papers.json")) }),
    cancel() {
      for (const job of waiting.splice(0)) job.done(null);
      if (current) current.dropped = true;
    },
  };
}

async function fetchedJson(name) {
  const response = await fetch(name);
  if (!response.ok) throw new Error(name + " was not found next to this page");
  return response.json();
}

/** The stored messages of a question, if it is one of the first. */
export function storedAnswer(stored, question) {
  return question === null ? undefined : stored[questionKey(question)];
}
