import assert from "node:assert/strict";
import { test } from "node:test";
import { outline, readPantographs, valueAt } from "../src/scene/pantographs.js";

const column = (values) => ({ time: [0, 1], values, offset: 0.5 });

test("the strip is at the head, the base frame below it", () => {
  const points = outline(100, 5.3, 3.7);
  assert.equal(points.length % 2, 0);
  assert.equal(Math.max(...points.map((p) => p[2])), 5.3);
  assert.equal(Math.min(...points.map((p) => p[2])), 3.7);
  assert.deepEqual(points[0], [100, -0.8, 5.3]);
});

test("each pantograph of an element has its own columns", async () => {
  const known = { "c.position": 1, "c.head_height": 1, "c.position_2": 1, "c.head_height_2": 1 };
  const results = { scene: { elements: [{ name: "c", type: "pantograph" }, { name: "d", type: "spring" }] },
                    column: async (name) => (known[name] ? column([1, 3]) : null) };
  const list = await readPantographs(results);
  assert.equal(list.length, 2);
  assert.equal(valueAt(list[0].x, 0.5), 2.5);
});
