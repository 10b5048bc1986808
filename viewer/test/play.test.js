import assert from "node:assert/strict";
import { test } from "node:test";
import { Clock, fittingSpeed, frameAt } from "../src/play/clock.js";
import { Motion, holdFinite, place, rotate, slerp } from "../src/play/motion.js";
import { fft, noSpectrum, psd } from "../src/play/signal.js";

const close = (a, b, tolerance) => assert.ok(Math.abs(a - b) <= tolerance, `${a} is not ${b} within ${tolerance}`);
const about = (axis, angle) => [Math.cos(angle / 2), ...axis.map((x) => x * Math.sin(angle / 2))];

test("half of a turn of 2 rad is a turn of 1 rad", () => {
  const p = slerp([1, 0, 0, 0], about([0, 0, 1], 2), 0.5);
  about([0, 0, 1], 1).forEach((x, i) => close(p[i], x, 1e-12));
});
test("opposite signs of Euler parameters do not turn the long way round", () => {
  const b = about([0, 1, 0], 0.4).map((x) => -x), p = slerp(about([0, 1, 0], 0.2), b, 0.5);
  const r = rotate(p, [1, 0, 0]), want = rotate(about([0, 1, 0], 0.3), [1, 0, 0]);
  want.forEach((x, i) => close(r[i], x, 1e-9));
});
test("rotation keeps lengths and composes", () => {
  const p = about([0.6, 0, 0.8], 1.1), r = rotate(p, [1, 2, 3]);
  close(Math.hypot(...r), Math.hypot(1, 2, 3), 1e-12);
  const back = rotate([p[0], -p[1], -p[2], -p[3]], r);
  [1, 2, 3].forEach((x, i) => close(back[i], x, 1e-12));
});
test("between two frames a body is between two places", () => {
  const column = (values) => ({ values, offset: 0 });
  const motion = new Motion([0, 2], new Map([["b", [[0, 4], [1, 1], [0, 0], [1, Math.cos(0.5)], [0, 0], [0, 0], [0, Math.sin(0.5)]].map(column)]]));
  const pose = motion.pose("b", 1);
  assert.deepEqual(pose.position, [2, 1, 0]);
  close(2 * Math.atan2(pose.orientation[3], pose.orientation[0]), 0.5, 1e-12);
  close(place(pose, [1, 0, 0])[0], 2 + Math.cos(0.5), 1e-12);
  assert.deepEqual(motion.pose("b", 99).position, [4, 1, 0]);
  assert.deepEqual(motion.pose("ground", 1).position, [0, 0, 0]);
});
test("a body without numbers stands where it was last, and the gap is told", () => {
  const column = (values) => ({ values, offset: 0 }), still = [0, 0, 0, 0, 0];
  const motion = new Motion([0, 1, 2, 3, 4], new Map([["b", [column([0, 1, NaN, Infinity, 4]), column(still), column(still), null, null, null, null]],
    ["lost", [column([NaN, NaN, NaN, NaN, NaN]), column(still), column(still), null, null, null, null]]]));
  assert.deepEqual([0, 1.5, 2, 2.5, 3.5, 4].map((t) => motion.pose("b", t).position[0]), [0, 1, 1, 1, 2.5, 4]);
  assert.deepEqual(motion.gaps, [{ body: "b", from: 2, to: 3, all: false }, { body: "lost", from: 0, to: 4, all: true }]);
  assert.deepEqual(motion.pose("lost", 2).position, [0, 0, 0]);
  assert.deepEqual([...holdFinite([column([NaN, 5, NaN])], 3).frames], [1, 1, 1]);
});
test("the frame is the last that is not after the time", () => {
  const t = [0, 1, 2, 5];
  assert.deepEqual([-1, 0, 0.9, 1, 4.9, 5, 9].map((x) => frameAt(t, x)), [0, 0, 0, 1, 2, 3, 3]);
});
test("time repeats or stops at the end, and steps go from frame to frame", () => {
  const c = new Clock([0, 1, 2, 3]);
  c.play();
  c.advance(3.5);
  close(c.time, 0.5, 1e-12);
  c.setLoop(false);
  c.advance(99);
  assert.deepEqual([c.time, c.playing], [3, false]);
  c.set(1.5);
  c.step(1);
  assert.equal(c.time, 2);
  c.set(1.5);
  c.step(-1);
  assert.equal(c.time, 1);
  c.set(-7);
  assert.equal(c.time, 0);
});
test("a short motion is slowed down, a long one sped up", () => {
  assert.equal(fittingSpeed(5), 1);
  assert.ok(fittingSpeed(0.05) <= 0.02 && fittingSpeed(600) >= 5);
});
test("a transform of one cosine has one line", () => {
  const n = 64, re = Float64Array.from({ length: n }, (_, i) => Math.cos((2 * Math.PI * 5 * i) / n)), im = new Float64Array(n);
  fft(re, im);
  re.forEach((x, k) => close(Math.hypot(x, im[k]), k === 5 || k === n - 5 ? n / 2 : 0, 1e-10));
});
test("the integral of the density is the variance, and its peak stands at the frequency", () => {
  const n = 8192, rate = 200;
  const t = Float64Array.from({ length: n }, (_, i) => i / rate);
  const x = t.map((s) => 3 + 2 * Math.sin(2 * Math.PI * 12.5 * s));
  const { frequency, density } = psd(t, x);
  const df = frequency[1] - frequency[0];
  close(density.reduce((a, b) => a + b, 0) * df, 2, 0.02);
  close(frequency[density.indexOf(Math.max(...density))], 12.5, df);
});
test("what has no spectrum has a reason", () => {
  const t = Array.from({ length: 40 }, (_, i) => i), wave = t.map(Math.sin);
  assert.equal(noSpectrum(t, wave), null);
  assert.equal(noSpectrum(t.slice(0, 15), wave.slice(0, 15)), "psd_few");
  assert.equal(noSpectrum(t, wave.map((v, i) => (i === 3 ? NaN : v))), "psd_nan");
  assert.equal(noSpectrum(t, t.map(() => 2)), "psd_constant");
  assert.equal(psd(t, t.map(() => 2)), null);
});
