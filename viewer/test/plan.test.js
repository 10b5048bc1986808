import assert from "node:assert/strict";
import { test } from "node:test";
import { equivalentSolid, extent, lineEnds, planBody, principal, symbolScale, upward } from "../src/scene/plan.js";
import { findChannels, firstChannels } from "../src/plots/search.js";
import { number, steady, tickTexts, unit } from "../src/format.js";

const close = (a, b, tolerance) => assert.ok(Math.abs(a - b) <= tolerance, `${a} is not ${b} within ${tolerance}`);

test("the equivalent solid of a box is that box", () => {
  const [m, a, b, c] = [7, 0.4, 0.1, 1.2];
  const J = [(m * (b * b + c * c)) / 12, (m * (a * a + c * c)) / 12, (m * (a * a + b * b)) / 12, 0, 0, 0];
  equivalentSolid(m, J).size.forEach((x, i) => close(x, [a, b, c][i], 1e-12));
});
test("a thick cylinder comes back as a cylinder", () => {
  const [m, r, h] = [2, 0.3, 0.2], Jt = (m * (3 * r * r + h * h)) / 12;
  const s = equivalentSolid(m, [Jt, (m * r * r) / 2, Jt, 0, 0, 0]);
  assert.equal(s.kind, "cylinder");
  close(s.radius, r, 1e-12);
  close(s.length, h, 1e-12);
  close(Math.abs(s.axis[1]), 1, 1e-12);
});
test("principal axes diagonalise a full tensor", () => {
  const J = [3, 4, 5, 0.3, -0.2, 0.4], { moments, axes } = principal(J);
  const times = ([x, y, z]) => [J[0] * x + J[3] * y + J[4] * z, J[3] * x + J[1] * y + J[5] * z, J[4] * x + J[5] * y + J[2] * z];
  axes.forEach((v, k) => times(v).forEach((y, i) => close(y, moments[k] * v[i], 1e-12)));
});
test("a body without mass or points still has a shape", () => {
  assert.equal(planBody({ type: "rigid", mass: 0, center: [0, 0, 0], points: [] }, 1).length, 1);
});
test("two points make a bar, three off a line a hull", () => {
  const bulky = [1, 1, 1, 0, 0, 0];
  assert.equal(planBody({ mass: 1, inertia: bulky, center: [0.5, 0, 0], points: [[0, 0, 0], [1, 0, 0]] }, 1)[0].kind, "bar");
  assert.equal(planBody({ mass: 1, inertia: bulky, center: [0.5, 0, 0], points: [[0, 0, 0], [1, 0, 0], [0, 1, 0]] }, 1)[0].kind, "hull");
  assert.equal(lineEnds([[0, 0, 0], [1, 0, 0], [0, 1, 0]], 1e-6), null);
});
test("up is against gravity, and z where there is none", () => {
  assert.deepEqual(upward([0, -9.81, 0]), [0, 1, 0]);
  assert.deepEqual(upward([0, 0, 0]), [0, 0, 1]);
  assert.deepEqual(upward(undefined), [0, 0, 1]);
});
test("every typed word must be found, own outputs first", () => {
  const channels = ["crank.force.x", "crank.position.x", "fold"].map((name) => ({ name, about: "", own: name === "fold", unit: "m", low: 0, high: 1 }));
  assert.deepEqual(findChannels(channels, "x crank").list.map((c) => c.name), ["crank.force.x", "crank.position.x"]);
  assert.equal(findChannels(channels, "wing").list.length, 0);
  assert.deepEqual(firstChannels(channels), ["fold"]);
});
test("numbers and units read as people write them", () => {
  assert.equal(number(0.0002), "2e−4");
  assert.equal(number(-1.25), "−1.25");
  assert.equal(unit("kg m2/s2"), "kg·m²/s²");
  assert.equal(unit("1"), "");
});
test("minus signs are of one kind, and small values keep their digits", () => {
  for (const t of [steady(1.16e-7), steady(-9.933e-7), number(-9.933e-7), number(1e-7)]) assert.ok(!t.includes("-"), t);
  assert.equal(steady(-9.933e-7), "−9.933e−7");
  assert.equal(steady(-0.00036), "−3.600e−4");
});
test("neighbouring ticks of an axis never have one label", () => {
  for (const [from, step] of [[25, 1e-6], [0, 0.2], [-3, 1], [1e7, 1], [25, 1e-11], [1e-9, 1e-10]]) {
    const labels = tickTexts([0, 1, 2, 3, 4].map((k) => from + k * step));
    assert.equal(new Set(labels).size, 5, `${labels}`);
  }
  assert.deepEqual(tickTexts([0.2 - 0.2, 0.30000000000000004, null]), ["0", "0.3", ""]);
});
test("a symbol never hides the smaller of the bodies that it joins", () => {
  // a neck of 0.1 x 0.12 m on a torso, in a train of 10 m: the ring of a bushing has the radius 1.85
  const ring = symbolScale(0.14, [0.34, 0.1], [0.58, 0.19], true);
  assert.ok(1.85 * ring < 0.08 && 1.85 * ring > 0.04, `${ring}`);
  assert.ok(symbolScale(0.14, [0.34, 0.1], [0.58, 0.19]) < 0.055);
  assert.equal(symbolScale(0.014, [0.022], [0.4]), 0.014); // on a slender bar as ever
  assert.equal(symbolScale(0.014, [0.03], [0.05]), 0.014); // and on a block
  assert.equal(symbolScale(0.014, [undefined], [undefined]), 0.014); // on ground alone
});
test("a track's origin is no place of the vehicle on it", () => {
  const scene = { bodies: [{ name: "ground", type: "ground", points: [[0, 0, 0]] }, { name: "car", mass: 1, center: [0, 0, 0], points: [[-1, 0, 0], [1, 0, 0]] }] };
  const at = (name, r) => (name === "car" ? [r[0], r[1], 40] : r);
  assert.ok(extent(scene, at).size > 40);
  assert.equal(extent({ ...scene, tracks: [{}] }, at).size, 2);
});

test("a ring lies around a thick bar; beside a vehicle on rails symbols stay small", () => {
  const s = 0.01, thick = 0.06, ring = symbolScale(s, [thick, Infinity], [1, 1], true);
  assert.ok(1.3 * ring > 0.5 * thick, "the ring would be inside the bar");
  assert.equal(symbolScale(s, [2.4], [14], true, s), s);
  assert.equal(symbolScale(s, [2.4], [14], false, s), s);
});
