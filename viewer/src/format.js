// Numbers and units for people.

/** About five digits, no needless zeros, powers of ten as 1.2e-7. */
export function number(x, digits = 5) {
  if (x === null || x === undefined || Number.isNaN(x)) return "–";
  if (!Number.isFinite(x)) return x > 0 ? "∞" : "−∞";
  if (x === 0) return "0";
  const size = Math.abs(x);
  const plain = size >= 1e-3 && size < 1e6 ? String(Number(x.toPrecision(digits))) : x.toExponential(digits - 2).replace(/\.?0+e/, "e");
  return signs(plain);
}

// a true minus, in exponents too
const signs = (t) => t.replaceAll("-", "−").replace("e+", "e");

/** Labels of an axis: as many digits as tell its ticks apart. */
export function tickTexts(values) {
  const ticks = values.filter((v) => v !== null);
  const step = Math.min(...ticks.slice(1).map((v, i) => Math.abs(v - ticks[i])).filter((d) => d > 0));
  const most = Math.max(...ticks.map(Math.abs));
  const digits = Number.isFinite(step) && most > 0 ? Math.min(16, Math.max(4, Math.ceil(Math.log10(most / step) + 1.3))) : 4;
  return values.map((v) => (v === null ? "" : number(Number.isFinite(step) && Math.abs(v) < 1e-9 * step ? 0 : v, digits)));
}

/** Fixed width while a value moves, so that columns do not jump. */
export function steady(x) {
  if (x === null || x === undefined || !Number.isFinite(x)) return number(x);
  const size = Math.abs(x) < 1e-15 ? 0 : Math.abs(x); // noise of zeros
  if (size === 0) return "0.00000";
  if (size < 1e-2 || size >= 1e6) return signs(x.toExponential(3));
  return signs(x.toFixed(size >= 1000 ? 1 : size >= 10 ? 3 : 5));
}

const exponents = { 2: "²", 3: "³", 4: "⁴" };
/** m/s2 as m/s², N m as N·m, and nothing for 1. */
export function unit(u) {
  if (!u || u === "1") return "";
  return u.replace(/([a-zA-Z])([234])\b/g, (_, a, n) => a + exponents[n]).replaceAll(" ", "·");
}

/** How many decimals tell neighbouring frames apart. */
export function timeDecimals(times) {
  if (times.length < 2) return 3;
  const step = (times[times.length - 1] - times[0]) / (times.length - 1);
  return Math.min(9, Math.max(2, Math.ceil(-Math.log10(step)) + 1));
}
