// Scales and ticks of a picture: from numbers to places on a screen. Nothing here is shown as an answer.

/** `place(x)` maps [first, last] of the values to [start, end] of the screen. */
export function makeScale({ values, start, end, isLog }) {
  let [low, high] = [Math.min(...values), Math.max(...values)];
  if (low === high) [low, high] = isLog ? [low / 2, high * 2] : [low - 1, high + 1];
  const bent = isLog ? Math.log10 : (x) => x;
  const [from, to] = [bent(low), bent(high)];
  return { low, high, isLog, place: (x) => start + ((bent(x) - from) / (to - from)) * (end - start) };
}

/** At most about `most` round numbers between the ends. */
export function ticksOf({ low, high, isLog }, most) {
  return isLog ? logTicks(low, high, most) : evenTicks(low, high, most);
}

function evenTicks(low, high, most) {
  const rough = (high - low) / most;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((times) => times * power).find((size) => size >= rough);
  const found = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; i += 1) found.push(i * step);
  return found;
}

function logTicks(low, high, most) {
  const [from, to] = [Math.floor(Math.log10(low)), Math.ceil(Math.log10(high))];
  const fits = (x) => x >= low * (1 - 1e-9) && x <= high * (1 + 1e-9);
  const powers = Array.from({ length: to - from + 1 }, (_, i) => from + i);
  for (const digits of [[1, 2, 5], [1, 3], [1]]) {
    const found = powers.flatMap((power) => digits.map((digit) => Number(digit + "e" + power))).filter(fits);
    if (found.length <= most) return found.length > 1 ? found : evenTicks(low, high, Math.min(most, 4));
  }
  const every = [1, 2, 5, 10, 20, 50, 100].find((step) => powers.length <= step * most) ?? Math.ceil(powers.length / most);
  return powers.filter((power) => power % every === 0).map((power) => Number("1e" + power)).filter(fits);
}

/** The scale for what is found: with some room, and logarithmic if the values span much. */
export function heightScale({ values, start, end }) {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const isLog = low > 0 && high / low > 4;
  const room = isLog ? (high / low) ** 0.06 : (high - low) * 0.08 || Math.abs(high) * 0.1 || 1;
  const ends = isLog ? [low / room, high * room] : [Math.max(low - room, low > 0 ? 0 : low - room), high + room];
  return makeScale({ values: ends, start, end, isLog });
}
