import assert from "node:assert/strict";
import { test } from "node:test";
import { arrange } from "../src/panel/labels.js";
import { displacement, nearestNode } from "../src/read/skin.js";

test("names stay inside the page and do not cover each other", () => {
  const name = (x, y) => ({ x, y, width: 100, height: 16 });
  const places = arrange([name(10, 10), name(60, 20), name(60, 40), null, name(950, 300), name(-30, -5)], 1000, 310);
  assert.deepEqual(places, [{ x: 10, y: 10 }, null, { x: 60, y: 40 }, null, { x: 900, y: 294 }, null]);
});

test("a symbol on a flexible body moves with the nearest node", () => {
  const skin = { nodes: 2, modes: 1, position: [0, 0, 0, 1, 0, 0], scale: [0.001], motion: [0, 0, 0, 0, 3, 1000] };
  assert.equal(nearestNode(skin, [0.9, 0.1, 0]), 1);
  assert.equal(nearestNode(skin, [0.2, 0, 0]), 0);
  assert.deepEqual(displacement(skin, nearestNode(skin, [1, 0, 0]), [2]), [0, 0, 2]);
});
