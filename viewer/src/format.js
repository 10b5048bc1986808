// Numbers and units for people.

/** About five digits, no needless zeros, powers of ten as 1.2e-7. */
export function number(x, digits = 5) {
  if (x === null || x === undefined || Number.isNaN(x)) return "–";
  if (!Number.isFinite(x)) return x > 0 ? "∞" : "−∞";
  if (x === 0) return "0";
  const size = Math.abs(x);
  const plain = size >= 1e-3 && size < 1e6 ? String(Number(x.toPrecision(digits))) : x.toExponential(digits - 2).replace(/\.?0+e/, "e");
  return plain.replace("-", "−").replace("e+", "e");
}

/** Fixed width while a value moves, so that columns do not jump. */
export function steady(x) {
  if (x === null || x === undefined || !Number.isFinite(x)) return number(x);
  const size = Math.abs(x) < 1e-15 ? 0 : Math.abs(x); // noise of zeros
  if (size === 0) return "0.00000";
  if ((size < 1e-4 || size >= 1e6)) return x.toExponential(3).replace("-", "−").replace("e+", "e");
  return x.toFixed(size >= 1000 ? 1 : size >= 10 ? 3 : 5).replace("-", "−");
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
