// Blocks of a page: base64 of zlib data, floats as byte planes. See src/post/view.h.

/** Base64 to bytes. */
export function fromBase64(text) {
  if (typeof Uint8Array.fromBase64 === "function") return Uint8Array.fromBase64(text);
  const raw = atob(text);
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  return bytes;
}

/** Zlib data to bytes. */
export async function inflate(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

export async function unpack(text) {
  return inflate(fromBase64(text.trim()));
}

/** One column of n floats whose bytes stand in four planes from `start` on. */
export function fromPlanes(bytes, start, n) {
  const words = new Uint32Array(n);
  const [a, b, c, d] = [start, start + n, start + 2 * n, start + 3 * n];
  for (let i = 0; i < n; i++)
    words[i] = bytes[a + i] | (bytes[b + i] << 8) | (bytes[c + i] << 16) | (bytes[d + i] << 24);
  return new Float32Array(words.buffer);
}

/** Float64, little endian, on any machine. */
export function toDoubles(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Float64Array.from({ length: bytes.byteLength >> 3 }, (_, i) => view.getFloat64(8 * i, true));
}
