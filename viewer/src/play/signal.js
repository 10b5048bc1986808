// Spectra: power spectral density by Welch's method (1967): Hann windows of half overlap, mean
// removed, one-sided, so that its integral over frequency is the variance.

/** In-place FFT of a power of two many complex numbers. */
export function fft(re, im) {
  const n = re.length;
  for (let i = 1, j = 0; i < n; i++) {
    let bit = n >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) {
      [re[i], re[j]] = [re[j], re[i]];
      [im[i], im[j]] = [im[j], im[i]];
    }
  }
  for (let size = 2; size <= n; size <<= 1) {
    const half = size >> 1, turn = (-2 * Math.PI) / size;
    for (let k = 0; k < half; k++) {
      const c = Math.cos(turn * k), s = Math.sin(turn * k);
      for (let i = k; i < n; i += size) {
        const j = i + half;
        const x = re[j] * c - im[j] * s, y = re[j] * s + im[j] * c;
        re[j] = re[i] - x;
        im[j] = im[i] - y;
        re[i] += x;
        im[i] += y;
      }
    }
  }
}

/** Values at n equal steps over the whole time, by straight lines. */
export function evenly(time, values, n) {
  const out = new Float64Array(n), last = time.length - 1;
  const t0 = time[0], dt = (time[last] - t0) / (n - 1);
  for (let i = 0, k = 0; i < n; i++) {
    const t = t0 + i * dt;
    while (k < last - 1 && time[k + 1] < t) k++;
    const s = (t - time[k]) / (time[k + 1] - time[k] || 1);
    out[i] = values[k] + s * (values[k + 1] - values[k]);
  }
  return out;
}

const LEAST = 16; // samples

/** Why these values have no spectrum, as a key of the texts; null when they have one. */
export function noSpectrum(time, values) {
  if (time.length < LEAST) return "psd_few";
  if (!values.every(Number.isFinite)) return "psd_nan";
  if (!(time[time.length - 1] > time[0]) || values.every((v) => v === values[0])) return "psd_constant";
  return null;
}

/** {frequency [Hz], density [unit^2/Hz]}; null when there is none. */
export function psd(time, values) {
  const total = time.length;
  if (noSpectrum(time, values)) return null;
  const even = evenly(time, values, total);
  const rate = (total - 1) / (time[total - 1] - time[0]);
  // four windows or more where there are enough samples, so that noise averages out
  let size = LEAST;
  while (size * 2 <= Math.max(LEAST, (total * 2) / 5) && size < 8192) size *= 2;
  const window = Float64Array.from({ length: size }, (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * i) / size));
  const power = window.reduce((sum, w) => sum + w * w, 0);
  const density = new Float64Array(size / 2 + 1);
  const mean = even.reduce((sum, v) => sum + v, 0) / total;
  let count = 0;
  for (let start = 0; start + size <= total; start += size / 2, count++) {
    const re = window.map((w, i) => w * (even[start + i] - mean));
    const im = new Float64Array(size);
    fft(re, im);
    for (let k = 0; k <= size / 2; k++) density[k] += re[k] * re[k] + im[k] * im[k];
  }
  const scale = 1 / (rate * power * count);
  for (let k = 0; k <= size / 2; k++) density[k] *= scale * (k === 0 || k === size / 2 ? 1 : 2);
  return { frequency: Float64Array.from(density, (_, k) => (k * rate) / size), density };
}
