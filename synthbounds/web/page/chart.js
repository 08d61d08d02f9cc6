// The certified curve as a picture (hand-made SVG, so that it prints, zooms and is described), read off by mouse, finger
// or keyboard, with all its numbers next to it as a table and as a file.

import { heightScale, makeScale, ticksOf } from "./axes.js";
import { drawn, fill, make, say } from "./elements.js";
import { atMost, placeOf, readable, tickText } from "./texts.js";

const MARGIN = { left: 62, right: 18, top: 16, bottom: 44 };
const TEXT_WIDTH = 170;

/** The value at a point of the quantity asked for, as text; null if there is no answer. */
function heightText(point, wantsRecords) {
  if (point.error) return null;
  if (wantsRecords) return point.n === null ? null : String(point.n);
  return point.value === null ? null : String(point.value.hi ?? point.value);
}

/** `chosen(name)` hears which number the curve is to go over. */
export function makeCurve(box, { name, chosen }) {
  const over = make("select", { name: "over", id: name + "-over", onchange: () => chosen(over.value) });
  const title = make("span", {}, "Answer over");
  const axis = make("span", { class: "unseen" }); // the list next to the heading shows it to those who see
  const picture = drawn("svg", { role: "img", "aria-labelledby": `${name}-curve-title ${name}-curve-text` });
  const reader = make("input", { type: "range", class: "reader", "aria-label": "Read the curve", min: 0, max: 0, value: 0 });
  const readout = make("p", { class: "readout" });
  const caption = make("p", { class: "caption", id: name + "-curve-text" });
  const table = make("table");
  const csv = make("button", { type: "button", class: "quiet csv" }, "Download CSV");
  const details = make("details", { class: "numbers" }, make("summary", {}, "All points of the curve"), make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "points of the curve" }, table));
  box.append(
    make("div", { class: "over" }, make("h3", { id: name + "-curve-title" }, title, axis), make("label", { class: "unseen", for: over.id }, "curve over"), over),
    picture,
    reader,
    readout,
    caption,
    make("div", { class: "row" }, csv),
    details,
  );
  let shown = null;
  const redraw = () => {
    if (shown && box.clientWidth) paint({ picture, reader, readout, caption, table, width: box.clientWidth }, shown);
  };
  const read = () => readAt(shown, Number(reader.value), { picture, readout, reader });
  reader.addEventListener("input", read);
  picture.addEventListener("pointermove", (event) => {
    const nearest = shown?.nearest?.(event.clientX - picture.getBoundingClientRect().left);
    if (nearest === undefined) return;
    reader.value = nearest;
    read();
  });
  csv.addEventListener("click", () => shown && download(csvText(shown), `synthbounds-${shown.question.command}-over-${shown.question.over}.csv`));
  new ResizeObserver(redraw).observe(box);
  return {
    axes(fields, now) {
      fill(over, ...fields.map((field) => make("option", { value: field.name }, field.label)));
      over.value = now;
    },
    /** `shown`: question, points, field, words (what the height is), wantsRecords, here (the text of the marked answer). */
    draw(now) {
      shown = now;
      say(title, now.wantsRecords ? "Records needed, by" : `${now.words} over`);
      say(axis, ` ${now.field.label[0].toLowerCase()}${now.field.label.slice(1)}:`);
      box.hidden = false;
      redraw();
    },
    hide() {
      shown = null;
      box.hidden = true;
    },
  };
}

function paint(parts, shown) {
  const { picture, reader, readout, caption, table, width } = parts;
  const height = Math.round(Math.max(250, Math.min(360, width * 0.5)));
  const good = shown.points.filter((point) => heightText(point, shown.wantsRecords) !== null);
  const heightOf = (point) => placeOf(heightText(point, shown.wantsRecords));
  const limitOf = (point) => (shown.wantsRecords && point.limit !== null ? placeOf(point.limit) : null);
  picture.setAttribute("viewBox", `0 0 ${width} ${height}`);
  picture.setAttribute("height", height);
  shown.good = good;
  shown.nearest = undefined;
  reader.hidden = good.length < 2;
  fillTable(table, shown);
  say(caption, description(shown, good));
  if (good.length < 2) {
    fill(picture);
    say(readout, "");
    return;
  }
  const isLog = shown.field.slider.scale !== "whole";
  const right = width - MARGIN.right;
  const bottom = height - MARGIN.bottom;
  const x = makeScale({ values: shown.question.values.map(placeOf), start: MARGIN.left, end: right, isLog });
  const heights = good.flatMap((point) => [heightOf(point), limitOf(point)]).filter((value) => value !== null && value > 0);
  const y = heightScale({ values: heights, start: bottom, end: MARGIN.top });
  const at = (point, value) => `${x.place(placeOf(point.x)).toFixed(1)} ${y.place(value).toFixed(1)}`;
  const line = (points, value) => points.map((point, i) => (i ? "L" : "M") + at(point, value(point))).join("");
  const limited = good.filter((point) => limitOf(point) > 0);
  const back = [...limited].reverse().map((point) => "L" + at(point, limitOf(point))).join("");
  fill(
    picture,
    grid({ x, y, bottom, right, width, height, label: shown.field.label }),
    limited.length > 1 ? drawn("path", { class: "between", d: line(limited, heightOf) + back + "Z" }) : null,
    limited.length > 1 ? drawn("path", { class: "least", d: line(limited, limitOf) }) : null,
    runs(good).map(({ points, vacuous }) => drawn("path", { class: vacuous ? "found vacuous" : "found", d: line(points, heightOf) })),
    mark({ x, y, bottom, shown }),
    named({ x, y, limited, limitOf, bottom }, "impossible with fewer"),
    drawn("g", { class: "cursor" }),
  );
  reader.max = good.length - 1;
  const places = good.map((point) => x.place(placeOf(point.x)));
  shown.nearest = (left) => places.reduce((best, place, i) => (Math.abs(place - left) < Math.abs(places[best] - left) ? i : best), 0);
  shown.cursor = (i) => ({ left: places[i], top: y.place(heightOf(good[i])), bottom });
  reader.value = shown.nearest(x.place(Number.isFinite(shown.here.x) ? shown.here.x : placeOf(good[0].x)));
  readAt(shown, Number(reader.value), parts, true);
}

function grid({ x, y, bottom, right, width, height, label }) {
  const across = ticksOf(x, Math.max(4, Math.floor(width / 80)));
  const up = ticksOf(y, 6);
  return [
    ...up.map((tick) => drawn("line", { class: "grid", x1: MARGIN.left, x2: right, y1: y.place(tick), y2: y.place(tick) })),
    ...up.map((tick) => drawn("text", { class: "tick", x: MARGIN.left - 8, y: y.place(tick) + 4, "text-anchor": "end" }, tickText(tick))),
    drawn("line", { class: "axis", x1: MARGIN.left, x2: right, y1: bottom, y2: bottom }),
    ...across.map((tick) => drawn("line", { class: "axis", x1: x.place(tick), x2: x.place(tick), y1: bottom, y2: bottom + 5 })),
    ...across.map((tick) => drawn("text", { class: "tick", x: x.place(tick), y: bottom + 19, "text-anchor": "middle" }, tickText(tick))),
    drawn("text", { class: "name", x: (MARGIN.left + right) / 2, y: height - 6, "text-anchor": "middle" }, label),
  ];
}

/** Neighbouring points of one kind, so that a promise that says nothing is drawn in another way. */
function runs(good) {
  const found = [];
  for (const point of good) {
    const last = found.at(-1);
    if (last && last.vacuous === point.vacuous) last.points.push(point);
    else found.push({ vacuous: point.vacuous, points: last ? [last.points.at(-1), point] : [point] });
  }
  return found;
}

/** The line that no mechanism goes below, named under it, on the side where it is higher. */
function named({ x, y, limited, limitOf, bottom }, text) {
  if (limited.length < 2) return null;
  const falls = limitOf(limited[0]) > limitOf(limited.at(-1));
  const isRoomy = (point) => x.place(placeOf(point.x)) > MARGIN.left + TEXT_WIDTH;
  const middle = limited[Math.floor((limited.length - 1) * (falls ? 0.5 : 0.4))];
  const point = falls && !isRoomy(middle) ? (limited.find(isRoomy) ?? limited.at(-1)) : middle;
  const [left, top] = [x.place(placeOf(point.x)), y.place(limitOf(point))];
  return drawn("text", { class: "said", x: left, y: Math.min(top + 20, bottom - 6), "text-anchor": falls ? "end" : "start" }, text);
}

function mark({ x, y, bottom, shown }) {
  const { here } = shown;
  if (!Number.isFinite(here.x) || !(here.y > 0)) return null;
  const [left, top] = [x.place(here.x), y.place(here.y)];
  return [
    drawn("line", { class: "here", x1: left, x2: left, y1: top, y2: bottom }),
    drawn("circle", { class: "here", cx: left, cy: top, r: 6 }),
  ];
}

/** What the curve says at one of its points; `quietly` moves no cursor, for nobody asked yet. */
function readAt(shown, i, { picture, readout, reader }, quietly = false) {
  const point = shown?.good?.[i];
  if (!point) return;
  const limit = shown.wantsRecords && point.limit !== null ? `; impossible with fewer than ${readable(point.limit)}` : "";
  const vacuous = point.vacuous ? "; this promise says nothing" : "";
  const text = `${shown.field.label} ${readable(point.x)}: ${shown.words.toLowerCase()} ${shortHeight(point, shown)}${limit}${vacuous}`;
  reader.setAttribute("aria-valuetext", text);
  say(readout, text);
  if (quietly) return;
  const { left, top, bottom } = shown.cursor(i);
  const cursor = picture.querySelector(".cursor");
  fill(cursor, drawn("line", { x1: left, x2: left, y1: MARGIN.top, y2: bottom }), drawn("circle", { cx: left, cy: top, r: 5 }));
}

function shortHeight(point, shown) {
  const text = heightText(point, shown.wantsRecords);
  if (text === null) return "–";
  return shown.wantsRecords ? readable(text) : atMost(text) + (point.ends ? " or less" : "");
}

function description(shown, good) {
  const refused = shown.points.filter((point) => point.error);
  if (!shown.points.length) return "";
  if (!good.length) return `No value of ${shown.field.label} has an answer: ${refused[0]?.error ?? ""}`;
  const [first, last] = [good[0], good.at(-1)];
  const ends = [first, last].map((point) => `${shortHeight(point, shown)} at ${readable(point.x)}`);
  const empty = good.filter((point) => point.vacuous).length;
  const certified = shown.isEstimate ? "predicted, not certified" : "each one certified";
  return [
    `${good.length} points, ${certified}: from ${ends[0]} to ${ends[1]}.`,
    empty ? `${empty} of them promise nothing (dotted).` : "",
    refused.length === 1 ? `1 value has no answer: ${refused[0].error}.` : "",
    refused.length > 1 ? `${refused.length} values have no answer, the first because of this: ${refused[0].error}.` : "",
  ].filter(Boolean).join(" ");
}

function columnsOf(shown) {
  const height = (part) => (point) => (point.value && typeof point.value === "object" ? point.value[part] : part === "hi" ? point.value : null);
  const all = [
    [shown.question.over, (point) => point.x],
    ["n", (point) => point.n],
    ["m", (point) => point.m],
    ["k", (point) => point.k],
    ["value_lo", height("lo")],
    ["value_hi", height("hi")],
    ["limit", (point) => point.limit],
    ["vacuous", (point) => (point.vacuous ? "yes" : "")],
    ["error", (point) => point.error],
  ];
  const isThere = (value) => value !== null && value !== undefined && value !== "";
  return all.filter(([, value]) => shown.points.some((point) => isThere(value(point))));
}

function fillTable(table, shown) {
  const columns = columnsOf(shown);
  fill(
    table,
    make("thead", {}, make("tr", {}, ...columns.map(([name]) => make("th", { scope: "col" }, name)))),
    make("tbody", {}, ...shown.points.map((point) => make("tr", {}, ...columns.map(([, value]) => make("td", {}, String(value(point) ?? "")))))),
  );
}

/** The very texts of the engine, a line for each point. */
function csvText(shown) {
  const columns = columnsOf(shown);
  const quoted = (value) => (/[",\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value);
  const rows = [columns.map(([name]) => name), ...shown.points.map((point) => columns.map(([, value]) => String(value(point) ?? "")))];
  return rows.map((row) => row.map(quoted).join(",") + "\n").join("");
}

function download(text, file) {
  const place = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  const link = make("a", { href: place, download: file });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(place), 10_000);
}
