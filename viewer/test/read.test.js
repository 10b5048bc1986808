import assert from "node:assert/strict";
import { test } from "node:test";
import { deflateSync } from "node:zlib";
import { Results, forward } from "../src/read/results.js";
import { fromPlanes } from "../src/read/unpack.js";

const pack = (bytes) => deflateSync(bytes).toString("base64");
function planes(columns) {
  const n = columns[0].length, out = Buffer.alloc(4 * n * columns.length);
  columns.forEach((c, k) => {
    const words = new Uint32Array(Float32Array.from(c).buffer);
    words.forEach((w, i) => { for (let b = 0; b < 4; b++) out[4 * n * k + b * n + i] = (w >>> (8 * b)) & 255; });
  });
  return out;
}

function page({ version = 1, scene = "{\"bodies\": [], \"elements\": []}", time = [0, 1, 2, 3, 4, 5] } = {}) {
  const head = { version, label: "a.h5", title: "", rows: 6, scene,
    bases: [{ every: 1, n: 6 }, { every: 2, n: 3 }], channels: [
      { name: "a.position.x", base: 0, block: 0, place: 1, offset: 0 }, { name: "e", base: 1, block: 1, place: 0, offset: 1000 }] };
  const blocks = { "k0-head": pack(JSON.stringify(head)), "k0-time": pack(Buffer.from(Float64Array.from(time).buffer)),
    "k0-0": pack(planes([[0, 0, 0, 0, 0, 0], [1, 2, 3, 4, 5, -6.5]])), "k0-1": pack(planes([[0.25, 0.5, 0.75]])) };
  return (id) => blocks[id] ?? null;
}

test("planes of bytes become the floats they were", () => {
  const values = [0, -0, 1.5, -2.25e-30, 3e38, NaN];
  assert.deepEqual([...fromPlanes(planes([values]), 0, 6)], [...Float32Array.from(values)]);
});
test("a column has its own time base, place and offset", async () => {
  const r = await Results.open(0, page());
  const x = await r.column("a.position.x"), e = await r.column("e");
  assert.deepEqual([...x.values], [1, 2, 3, 4, 5, -6.5]);
  assert.deepEqual([...e.time], [0, 2, 4]);
  assert.deepEqual([...e.values].map((v) => v + e.offset), [1000.25, 1000.5, 1000.75]);
});
test("an unknown channel is null, a missing result is null", async () => {
  const r = await Results.open(0, page());
  assert.equal(await r.column("no.such"), null);
  assert.equal(await Results.open(1, page()), null);
});
test("a newer format is refused with both versions", async () => {
  await assert.rejects(Results.open(0, page({ version: 9 })), (e) => e.key === "error_version" && e.values.join() === "9,1");
});
test("a page that was cut off says so", async () => {
  const source = page(), cut = (id) => (id === "k0-head" ? source(id).slice(0, 60) : source(id));
  await assert.rejects(Results.open(0, cut), (e) => e.key === "error_data");
  const noBlock = await Results.open(0, (id) => (id === "k0-1" ? null : source(id)));
  await assert.rejects(noBlock.column("e"), (e) => e.key === "error_data");
});
test("rows whose time goes back or is no number are left out and counted", async () => {
  assert.equal(forward([0, 1, 1, 2]), null);
  const r = await Results.open(0, page({ time: [0, 1, NaN, 0.5, 4, 5] }));
  assert.deepEqual([[...r.time], r.backward], [[0, 1, 4, 5], 2]);
  assert.deepEqual([...(await r.column("a.position.x")).values], [1, 2, 5, -6.5]);
  assert.deepEqual([...(await r.column("e")).time], [0, 4]); // of 0, NaN and 4
});
test("a damaged scene is told from none", async () => {
  for (const scene of ["{\"bodies\":[", "[]", "{\"bodies\": [], \"elements\": [1]}", "7"]) {
    const r = await Results.open(0, page({ scene }));
    assert.deepEqual([r.scene, r.badScene], [null, true], scene);
  }
  assert.equal((await Results.open(0, page({ scene: null }))).badScene, false);
});
