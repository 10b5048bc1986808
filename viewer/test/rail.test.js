import assert from "node:assert/strict";
import { test } from "node:test";
import { YQ_LIMIT, ascendingWay, hasForces, interpolate, leader, outlineAt, simplified, straightTracks, wayOf, wheelOverRail, yqColour } from "../src/play/rail.js";

test("the way along the track is ascending, whatever the vehicle does", () => {
  const stops = ascendingWay([0, 1, 2, 3, 4], [5, 6, 6, 5.5, 7]);
  assert.deepEqual(stops, { rows: [0, 1, 4], time: [0, 1, 4], way: [5, 6, 7] });
  const back = ascendingWay([0, 1, 2], [9, 8, 7]);
  assert.deepEqual(back.way, [7, 8, 9]);
  assert.deepEqual(back.time, [2, 1, 0]);
  assert.deepEqual(ascendingWay([], []).rows, []);
});

test("time of a place on the track lies between its rows", () => {
  assert.equal(interpolate([0, 10, 30], [0, 1, 2], 20), 1.5);
  assert.equal(interpolate([0, 10, 30], [0, 1, 2], -4), 0);
  assert.equal(interpolate([0, 10, 30], [0, 1, 2], 99), 2);
});

test("the leading wheelset is the first that moves along a track", () => {
  const scene = { elements: [{ name: "a", type: "spring-damper" }, { name: "b", type: "wheel-rail" }, { name: "c", type: "wheel-rail" }] };
  const channels = new Map([["b.distance", { low: 0, high: 0 }], ["c.distance", { low: 3, high: 80 }]]);
  assert.equal(leader({ scene, channels }).name, "c");
  assert.equal(leader({ scene, channels: new Map() }), null);
  assert.equal(leader({ scene: null, channels }), null);
});

test("colours of Y/Q end at the limit and have no sign", () => {
  assert.deepEqual(yqColour(YQ_LIMIT), yqColour(5));
  assert.deepEqual(yqColour(-0.3), yqColour(0.3));
  assert.notDeepEqual(yqColour(0), yqColour(YQ_LIMIT));
  assert.deepEqual(yqColour(NaN), yqColour(0));
});

test("a conical wheel stands on the highest point that it meets", () => {
  // cone z = 0.1 y on a flat rail from 0.70 to 0.80 m: a cone touches the edge on the track side
  const w = { side: 1, half: 0.75, wheel: [[-0.1, -0.01], [0.1, 0.01]], rail: [[0.7, 0], [0.75, 0], [0.8, 0]] };
  assert.ok(Math.abs(wheelOverRail(w, 0, 0).z - 0.005) < 1e-12);
  // 10 mm to the left: the left wheel goes outward, the right one inward
  assert.ok(Math.abs(wheelOverRail(w, 0.01, 0).z - 0.006) < 1e-12);
  assert.ok(Math.abs(wheelOverRail({ ...w, side: -1 }, 0.01, 0).z - 0.004) < 1e-12);
  assert.ok(Math.abs(wheelOverRail(w, 0, 0.002).z - 0.007) < 1e-12);
  assert.ok(Math.abs(outlineAt(w.wheel, 0.05) - 0.005) < 1e-12);
  assert.equal(outlineAt(w.wheel, 1), null);
});

test("straight rails reach beyond the wheelsets on them, one pair for all", () => {
  const straight = { from: [1, 2, 3], along: [0, 1, 0], up: [0, 0, 1], gauge: 1.435 };
  const elements = ["a", "b", "c"].map((name) => ({ name, type: "wheel-rail", markers: [{ body: "ground" }, { body: name }], straight: name === "c" ? undefined : straight }));
  const ways = { a: [[1, -7, 3], [1, 2, 3]], b: [[1, 7, 3.5], [1, 87, 3.5]], c: [[0, 900, 0]] };
  const lines = straightTracks({ elements }, (name) => ways[name]);
  assert.deepEqual(lines.map((l) => l.position), [[[1, -22, 3], [1, 102, 3]]]);
  assert.equal(lines[0].gauge, 1.435);
  assert.deepEqual(straightTracks({ elements }, () => []), []);
});

test("on straight rails the position of an axle stands for a way that was not recorded", async () => {
  const straight = { from: [10, 0, 0], along: [1, 0, 0], up: [0, 0, 1], gauge: 1 };
  const scene = { elements: [{ name: "rails", type: "wheel-rail", markers: [{ body: "ground" }, { body: "axle" }], straight }] };
  const columns = { x: [12, 15, 30], y: [5, 6, 7], z: [0, 0, 0] };
  const results = {
    scene, channels: new Map(Object.entries(columns).map(([k, v]) => [`axle.position.${k}`, { low: Math.min(...v), high: Math.max(...v) }])),
    column: async (name) => (name.startsWith("axle") ? { time: [0, 1, 2], values: columns[name.at(-1)].map((v) => v - 1), offset: 1 } : null),
  };
  assert.equal(leader(results).name, "rails");
  assert.deepEqual([...(await wayOf(results, scene.elements[0])).values], [2, 5, 20]);
  assert.equal(hasForces(results), false);
  results.channels.set("rails.YQ_right", {});
  assert.equal(hasForces(results), true);
  assert.equal(leader({ ...results, scene: { elements: [{ ...scene.elements[0], straight: undefined }] } }), null);
});

test("a profile with fewer points stays within the slack, with both ends", () => {
  const outline = Array.from({ length: 101 }, (_, i) => [i / 100, 0.1 * Math.sin(i / 10)]), fewer = simplified(outline, 1e-3);
  assert.ok(fewer.length > 10 && fewer.length < 60, `${fewer.length} points`);
  assert.deepEqual([fewer[0], fewer.at(-1)], [outline[0], outline.at(-1)]);
  for (const [y, z] of outline) assert.ok(Math.abs(outlineAt(fewer, y) - z) < 1.5e-3);
  assert.deepEqual(simplified([[0, 0], [1, 0], [2, 0]], 1e-6), [[0, 0], [2, 0]]);
});
