// Numbers as texts. What is asked travels as exact decimal text; floats are used to place points on a screen, and for
// nothing else. A bound that is shortened is rounded to the side on which it stays true.

const STEPS = [
  10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 22, 24, 25, 26, 28, 30, 32, 34, 35, 36, 38, 40, 42, 44, 45, 46, 48, 50, 55,
  60, 65, 70, 75, 80, 85, 90, 95,
];
const RAISED = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };

/** Where a text lies on a screen: 0.2, 1e-6 or 1/3; NaN if it is no number. */
export function placeOf(text) {
  const parts = String(text ?? "").trim().split("/");
  if (parts.length > 2 || parts.some((part) => part.trim() === "")) return NaN;
  return parts.length === 2 ? Number(parts[0]) / Number(parts[1]) : Number(parts[0]);
}

/** 2 % as 0.02, exactly; anything else stays as it is. */
export function shareText(text) {
  const parsed = parsedDecimal(/^(.*?)\s*%$/.exec(text.trim())?.[1] ?? "");
  return parsed && !parsed.negative ? exactText(BigInt(parsed.figures), parsed.exponent - 2) : text;
}

/** digits * 10^exponent as the shortest exact text. */
function exactText(digits, exponent) {
  let figures = String(digits);
  while (figures.length > 1 && figures.endsWith("0")) {
    figures = figures.slice(0, -1);
    exponent += 1;
  }
  const point = figures.length + exponent;
  if (figures === "0") return "0";
  if (point < -2) return figures[0] + (figures.length > 1 ? "." + figures.slice(1) : "") + "e" + (point - 1);
  if (point <= 0) return "0." + "0".repeat(-point) + figures;
  if (exponent >= 0) return figures + "0".repeat(exponent);
  return figures.slice(0, point) + "." + figures.slice(point);
}

/** A float of ours (a place on an axis) as a text of this many digits, which is the exact value from then on. */
export function textNear(place, digits) {
  const [figures, exponent] = place.toExponential(digits - 1).split("e");
  return exactText(BigInt(figures.replace(".", "")), Number(exponent) - digits + 1);
}

/** The values that a slider walks through: whole numbers, or two digits on a logarithmic scale. */
export function ladder({ scale, from, to }) {
  if (scale === "whole") return Array.from({ length: to - from + 1 }, (_, i) => String(from + i));
  const found = [];
  for (let exponent = Math.floor(Math.log10(from)) - 1; 10 ** (exponent + 1) <= to; exponent += 1)
    for (const digits of STEPS) {
      const text = exactText(digits, exponent);
      const place = Number(text);
      const fits = place >= from * (1 - 1e-9) && place <= to * (1 + 1e-9);
      if (fits && !(scale === "whole-log" && text.includes("."))) found.push(text);
    }
  return found;
}

function parsedDecimal(text) {
  const found = /^(-?)(\d*)\.?(\d*)(?:e([+-]?\d+))?$/i.exec(String(text).trim());
  if (!found || !(found[2] || found[3])) return null;
  const [, sign, whole, after, power] = found;
  const figures = (whole + after).replace(/^0+/, "") || "0";
  return { negative: sign === "-", figures, exponent: Number(power ?? 0) - after.length };
}

/** Shortened to this many digits, away from zero if `away`, else towards it; other texts stay as they are. */
function cut(text, digits, away) {
  const parsed = parsedDecimal(text);
  if (!parsed) return String(text);
  let { figures, exponent } = parsed;
  if (figures.length > digits) {
    const lost = figures.slice(digits);
    exponent += lost.length;
    const kept = BigInt(figures.slice(0, digits)) + (away && /[1-9]/.test(lost) ? 1n : 0n);
    figures = String(kept);
  }
  return (parsed.negative && figures !== "0" ? "-" : "") + exactText(BigInt(figures), exponent);
}

export function atMost(text, digits = 4) {
  return readable(cut(text, digits, !String(text).trim().startsWith("-")));
}

export function atLeast(text, digits = 4) {
  return readable(cut(text, digits, String(text).trim().startsWith("-")));
}

/** A share as a percentage, rounded upwards, exactly. */
export function percentAtMost(text, digits = 4) {
  const { figures, exponent } = parsedDecimal(text);
  return readable(cut(exactText(BigInt(figures), exponent + 2), digits, true)) + " %";
}

/** The least whole number of hundredths that is not below a share. */
export function hundredths(text) {
  const { figures, exponent } = parsedDecimal(text);
  const power = exponent + 2;
  if (power >= 0) return Number(BigInt(figures) * 10n ** BigInt(power));
  const unit = 10n ** BigInt(-power);
  return Number((BigInt(figures) + unit - 1n) / unit);
}

/** An enclosure as people read it: one number if its ends agree to the digits shown, else both ends. */
export function between(enclosure, digits = 6) {
  const lo = cut(enclosure.lo, digits, enclosure.lo.startsWith("-"));
  const hi = cut(enclosure.hi, digits, !enclosure.hi.startsWith("-"));
  if (lo === hi) return readable(lo);
  const near = parsedDecimal(lo);
  const ends = [lo, hi].map(Number);
  if (near && Math.abs(ends[1] - ends[0]) <= Math.abs(ends[0]) * 10 ** (2 - digits)) return readable(lo) + "…";
  return readable(lo) + " to " + readable(hi);
}

/** 9033 as 9,033 and 1e-6 as 10⁻⁶; anything that is no number stays as it is. */
export function readable(value) {
  const text = String(value);
  const power = /^(-?[\d.]+)e([+-]?\d+)$/i.exec(text);
  if (power) return (power[1] === "1" ? "" : power[1] + " × ") + "10" + raised(Number(power[2]));
  const [whole, after] = text.split(".");
  if (!/^-?\d+$/.test(whole)) return text;
  if (whole.length > 16 && after === undefined) return atLength(whole);
  return whole.replace(/\B(?=(\d{3})+$)/g, ",") + (after === undefined ? "" : "." + after);
}

function atLength(whole) {
  const figures = BigInt(whole.slice(0, 4)) + (/[1-9]/.test(whole.slice(4)) ? 1n : 0n);
  const rounded = exactText(figures, -3);
  return "about " + rounded + " × 10" + raised(whole.length - 1);
}

function raised(power) {
  return [...String(power)].map((sign) => RAISED[sign]).join("");
}

/** A tick of an axis: short, because it is ours. */
export function tickText(place) {
  if (place === 0) return "0";
  const size = Math.abs(place);
  if (size >= 1e5 || size < 1e-3) return readable(place.toExponential().replace("e+", "e"));
  return readable(textNear(place, 3));
}
