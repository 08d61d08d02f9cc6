// The guided way's requests to the local server: a table to keep for a while, work to be done, its result and its files.

import { readMessages } from "./carrier.js";

const SILENT = "the local server does not answer: is synthbounds serve still running?";
const FOREIGN = "this page no longer belongs to a running server: open the address that synthbounds serve prints";
const MOST_ALIVE = 30_000; // characters that a browser sends while a page is left
const ATTEMPTS = 5; // to listen again after a lost connection; the work goes on meanwhile

export function makeCourier(token) {
  const key = { Authorization: "Bearer " + token };

  async function asked(route, body, more = {}) {
    const response = await fetch("api/v1/" + route, {
      method: "POST",
      headers: { ...key, "Content-Type": "application/json" },
      body: JSON.stringify(body),
      ...more,
    }).catch(() => null);
    if (!response) throw new Error(SILENT);
    if (!response.ok) throw new Error(complaint(await response.text(), response.status));
    return response;
  }
  const answered = async (route, body) => {
    const found = await (await asked(route, body)).json();
    if (found.error) throw new Error(found.error);
    return found;
  };

  return {
    /** Sends a file as it is; `told` hears which share of it has gone. Stopped, it gives null. */
    upload(file, told) {
      const request = new XMLHttpRequest(); // fetch says nothing while it sends
      const done = new Promise((resolve, reject) => {
        request.open("POST", "api/v1/upload");
        const headers = { ...key, "Content-Type": "application/octet-stream", "X-Name": encodeURIComponent(file.name) };
        for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
        request.upload.addEventListener("progress", ({ loaded, total }) => told(loaded / total));
        request.addEventListener("load", () => {
          if (request.status === 200) resolve(JSON.parse(request.responseText));
          else reject(new Error(complaint(request.responseText, request.status)));
        });
        request.addEventListener("error", () => reject(new Error(`${file.name}: the server did not receive all of it; ${SILENT}`)));
        request.addEventListener("abort", () => resolve(null));
        request.send(file);
      });
      return { done, stop: () => request.abort() };
    },
    demo: (name) => answered("demo", { name }),
    state: () => answered("state", {}),
    keep: (kept) => asked("state", { keep: kept }, { keepalive: JSON.stringify(kept).length < MOST_ALIVE }),
    /** Starts work; gives the name of the job. */
    work: async (request) => (await answered("work", request)).job,
    stop: (job) => answered("stop", { job }),
    /** The last message of a job; `told` hears the ones before. Listening starts again after a lost connection. */
    async follow(job, told) {
      const take = (messages) => {
        const before = messages.findLast(({ last }) => !last);
        if (before) told(before);
        return messages.find(({ last }) => last);
      };
      for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
        const response = await asked("job", { job });
        const end = await readMessages(response, take).catch(() => null); // the connection was lost
        if (end) return end;
        await new Promise((resolve) => setTimeout(resolve, 300 * attempt));
      }
      throw new Error(SILENT);
    },
    /** A file of a job, `{ job, name }`, or of a release, `{ release, name }`; with `most`, its first bytes. */
    file: async (which) => (await asked("file", which)).blob(),
  };
}

function complaint(text, status) {
  if (status === 401) return FOREIGN;
  try {
    return JSON.parse(text).error;
  } catch {
    return text.trim().split("\n")[0] || `the local server refused (${status})`;
  }
}
