import assert from "node:assert/strict";
import { test } from "node:test";
import { Surfaces, largestValue, putTone } from "../src/scene/surfaces.js";

const field = () => ({
  name: "plate", width: 3, rows: 2, point: [[0, 0, 0], [1, 0, 0], [0, 1, 0]], line: [], link: [], triangle: [0, 1, 2],
  value: [{ name: "mises", unit: "Pa" }, { name: "plastic_strain", unit: "1" }], time: [0, 1],
  values: new Float32Array([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, /* t = 1 */ 0, 0, 1, 0, 0, 2, 0, 0, 3, 10, 20, 30, 0.1, 0.2, 0.3]),
});

test("the largest value is that of the value asked for", () => {
  assert.equal(largestValue([field()], "mises"), 30);
  assert.ok(Math.abs(largestValue([field()], "plastic_strain") - 0.3) < 1e-6);
  assert.equal(largestValue([field()], "none"), 0);
});

test("points move with their displacement and take the colour of their value", () => {
  const s = new Surfaces([field()]), low = [], high = [];
  assert.equal(s.value, "mises");
  assert.deepEqual(s.names, ["mises", "plastic_strain"]);
  s.update(0.5);
  const { position, colour } = s.surfaces[0];
  assert.deepEqual([...position], [0, 0, 0.5, 1, 0, 1, 0, 1, 1.5]);
  s.update(1);
  putTone(10 / 30, low, 0);
  putTone(1, high, 0);
  for (let d = 0; d < 3; d++) {
    assert.ok(Math.abs(colour[d] - low[d]) < 1e-6);
    assert.ok(Math.abs(colour[6 + d] - high[d]) < 1e-6);
  }
  assert.equal(s.box.max.z, 3);
});

test("fields without a surface are left to the wires", () => {
  assert.deepEqual(new Surfaces([{ ...field(), triangle: [] }]).fields, []);
});
