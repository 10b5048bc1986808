/** 1, 2 or 5 times a power of ten, near x. */
export function roundStep(x) {
  const power = 10 ** Math.floor(Math.log10(x)), m = x / power;
  return power * (m < 1.5 ? 1 : m < 3.5 ? 2 : m < 7.5 ? 5 : 10);
}
