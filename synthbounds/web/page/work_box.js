// Work under way: its progress, a button that stops it, and finally its result or why there is none.

import { fill, make, say } from "./elements.js";

/** One place of a page where one piece of work at a time is shown. `job` is running if it is not null. */
export function makeWorkBox(courier, { busy }) {
  const words = make("p", { class: "doing", role: "status" });
  const stop = make("button", { type: "button", class: "quiet", hidden: true }, "Stop");
  const said = make("div", { class: "came-of-it" });
  const root = make("div", { class: "work" }, make("div", { class: "row under-way" }, words, stop), said);
  let stopping = null;
  let before = Promise.resolve();
  stop.addEventListener("click", () => {
    stop.disabled = true;
    say(words, "Stopping …");
    stopping?.();
  });

  /** Runs what `begin` starts, after what was begun before; null if it failed, which is then said. */
  function run(doing, begin) {
    before = before.then(() => runNow(doing, begin));
    return before;
  }

  async function runNow(doing, begin) {
    fill(said);
    say(words, doing);
    busy(true);
    root.setAttribute("aria-busy", "true");
    try {
      return await begin((stopper) => {
        stopping = stopper;
        stop.hidden = !stopper;
        stop.disabled = false;
      }, (text) => stop.disabled || say(words, text));
    } catch (error) {
      refuse(error.message);
      return null;
    } finally {
      stop.hidden = true;
      stopping = null;
      say(words, "");
      busy(false);
      root.removeAttribute("aria-busy");
    }
  }

  function refuse(error, ...more) {
    fill(said, make("div", { class: "refused-box", role: "alert" }, make("p", {}, sentence(error)), ...more));
  }

  /** Follows a job to its end; what went wrong is said, and that the budget is spent if it is. */
  const follow = (job, doing) =>
    run(doing, async (stoppable, tell) => {
      stoppable(() => courier.stop(job).catch((error) => refuse(error.message)));
      const end = await courier.follow(job, ({ state, progress }) => tell(state === "waiting" ? "Waiting for other work to finish …" : progress?.text ? `${doing} ${progress.text}` : doing));
      if (end.exit_code === 0 && end.state !== "stopped") return end;
      const why = end.state === "stopped" ? "Stopped." : (end.error ?? "it ended without an explanation");
      refuse(why, ...(end.spent ? [make("p", { class: "spent" }, make("strong", {}, "The budget is spent all the same. "), recoveryWords(end))] : []));
      return { ...end, isRefused: true };
    });

  return {
    root,
    run,
    follow,
    refuse,
    clear: () => fill(said),
    /** Starts work and follows it; `started` hears its name at once. */
    async work(doing, request, started = () => {}) {
      const job = await run(doing, () => courier.work(request));
      if (job === null) return null;
      started(job);
      return follow(job, doing);
    },
  };
}

function recoveryWords({ files }) {
  const kept = files?.find(({ name }) => name.endsWith(".recovery.json"));
  return kept ? `What it paid for is kept in ${kept.name}: “Finish it” under Afterwards completes the release without spending again.` : "See Afterwards for what was kept.";
}

function sentence(text) {
  const words = text.trim();
  const begins = /^[^:]*\.\w{1,8}(: | is )/.test(words) ? words.charAt(0) : words.charAt(0).toUpperCase(); // a file keeps its name
  return begins + words.slice(1) + (/[.!?]$/.test(words) ? "" : ".");
}

/** A button that saves a file, under the name `as`; `which` is as the courier takes it. */
export function saveButton(courier, which, { name, as, bytes, word }, complain) {
  const button = make("button", { type: "button", class: "quiet save" }, `Save ${name}`, make("small", {}, [sizeWords(bytes), word].filter(Boolean).join(", ")));
  button.addEventListener("click", async () => {
    button.disabled = true;
    try {
      const address = URL.createObjectURL(await courier.file(which));
      make("a", { href: address, download: as }).click();
      setTimeout(() => URL.revokeObjectURL(address), 60_000);
    } catch (error) {
      complain(error.message);
    } finally {
      button.disabled = false;
    }
  });
  return button;
}

export function sizeWords(bytes) {
  if (!Number.isFinite(bytes)) return "";
  const [unit, size] = bytes >= 1e9 ? ["GB", bytes / 1e9] : bytes >= 1e6 ? ["MB", bytes / 1e6] : ["kB", bytes / 1e3];
  return `${size >= 10 ? Math.round(size) : Math.max(0.1, Math.round(size * 10) / 10)} ${unit}`;
}
