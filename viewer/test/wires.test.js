import assert from "node:assert/strict";
import { test } from "node:test";
import { between, firstPart, joined, valuesAt } from "../src/scene/wires.js";

test("a time lies between two rows, or at an end", () => {
  assert.deepEqual(between([0, 1, 3], 2), { a: 1, b: 2, part: 0.5 });
  assert.deepEqual(between([0, 1, 3], -1), { a: 0, b: 0, part: 0 });
  assert.deepEqual(between([0, 1, 3], 9), { a: 2, b: 2, part: 0 });
});

test("lines join their own points only", () => {
  assert.deepEqual(joined([3, 2]), [0, 1, 1, 2, 3, 4]);
});

test("rise and pull are interpolated", () => {
  const field = { point: [[0, 0, 5], [1, 0, 5]], link: [0, 1], time: [0, 2], values: new Float32Array([0, 0.2, 80, 0.1, 0.4, 0]) };
  assert.deepEqual([...valuesAt(field, 1)].map((v) => Math.round(1000 * v)), [50, 300, 40000]);
  assert.equal(firstPart([]), null);
  assert.equal(firstPart([field]).max.x, 1);
});
