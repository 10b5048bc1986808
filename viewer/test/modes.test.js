import assert from "node:assert/strict";
import { test } from "node:test";
import { withoutNoise } from "../src/panel/modes.js";
import { ModeMotion, product, turn } from "../src/play/modes.js";
import { rotate } from "../src/play/motion.js";
import { displacement, largest, misesOf, readSkin, tubes, vonMises } from "../src/read/skin.js";
import { parseLocus } from "../src/locus.js";
import { frames } from "../src/scene/rails.js";

const close = (a, b, tolerance) => assert.ok(Math.abs(a - b) <= tolerance, `${a} is not ${b} within ${tolerance}`);

test("turns follow each other as their product says", () => {
  const p = turn([0, 0, 0.3]), q = turn([0.5, 0, 0]), r = [1, 2, 3];
  rotate(product(p, q), r).forEach((x, i) => close(x, rotate(p, rotate(q, r))[i], 1e-12));
});

test("a mode with a phase runs in a circle", () => {
  const shapes = Float64Array.from([1, 2, 3, 1, 0, 0, 0, /* x real, y imaginary */ 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0]);
  const motion = new ModeMotion([{}], ["a"], shapes, [0, 1]);
  motion.amplitude = 0.5;
  for (const phase of [0, 0.1, 0.4, 0.77]) {
    const { position: [x, y, z] } = motion.pose("a", phase);
    close(Math.hypot(x - 1, y - 2), 0.5, 1e-12);
    close(z, 3, 1e-12);
  }
  close(motion.fitting(1) * 1, 0.1, 1e-12);
  assert.deepEqual(motion.pose("nobody", 0.3).position, [0, 0, 0]);
});

/** One triangle with two modes and stress, as src/post/skin.c writes it. */
function small() {
  const head = { nodes: 3, triangles: 1, lines: 0, modes: 2, scale: [0.5, 2], stress: [10, 1] };
  const bytes = new Uint8Array(36 + 12 + 36 + 72), view = new DataView(bytes.buffer);
  [0, 0, 0, 1, 0, 0, 0, 1, 0].forEach((x, i) => view.setFloat32(4 * i, x, true));
  [0, 1, 2].forEach((x, i) => view.setUint32(36 + 4 * i, x, true));
  view.setInt16(48 + 2 * (0 * 3 + 1), 4, true); // mode 1, x, node 1
  view.setInt16(48 + 2 * (3 * 3 + 2 * 3 + 2), -3, true); // mode 2, z, node 2
  view.setInt16(84 + 2 * (0 * 3 + 1), 7, true); // stress of mode 1, xx, node 1
  return readSkin(head, bytes);
}

test("a skin adds up its modes", () => {
  const skin = small();
  assert.deepEqual(displacement(skin, 1, [1, 1]), [2, 0, 0]);
  assert.deepEqual(displacement(skin, 2, [1, 0.5]), [0, 0, -3]);
  close(vonMises(skin, 1, [2, 5]), 140, 1e-12);
  close(largest(skin, "displacement", [[1, 1]]), 6, 1e-12);
});

test("a mode deforms a flexible body about its rest", () => {
  const skin = { ...small(), body: "a" };
  const body = [0, 0, 0, 1, 0, 0, 0], still = Array(12).fill(0);
  // at rest (1, 0); mode: real part (0, 2), imaginary part (0.5, 0)
  const shapes = Float64Array.from([...body, ...still, 1, 0, 0, 2, 0.5, 0]);
  const motion = new ModeMotion([{}], ["a"], shapes, [0, 1], [skin]);
  assert.deepEqual([...motion.coordinates("a", 0, 2)], [1, 2]);
  close(motion.coordinates("a", 0.75, 2)[0], 1.5, 1e-6);
  close(motion.fitting(10), 1 / largest(skin, "displacement", [[0, 2]]), 1e-12);
  assert.deepEqual([...motion.coordinates("b", 0.2, 2)], [0, 0]);
});

test("beams get tubes whose ends move with their nodes", () => {
  const { position, node, index } = tubes({ nodes: 2, position: Float32Array.of(0, 0, 0, 2, 0, 0), line: Uint32Array.of(0, 1) });
  assert.equal(position.length, 3 * node.length);
  assert.ok(index.every((v) => v < node.length));
  for (let v = 0; v < node.length; v++) {
    close(position[3 * v], 2 * node[v], 1e-6);
    close(Math.hypot(position[3 * v + 1], position[3 * v + 2]), 0.016, 1e-6);
  }
});

test("von Mises of pure shear is the root of three times it, of pressure nothing", () => {
  close(misesOf([0, 0, 0, 2, 0, 0]), 2 * Math.sqrt(3), 1e-12);
  close(misesOf([5, 5, 5, 0, 0, 0]), 0, 1e-12);
});

test("a table of eigenvalues is read, and broken lines are passed over", () => {
  const { name, rows } = parseLocus("speed,real,imag,frequency_hz,damping_ratio\n10,-1,2,0.3,0.4\nnonsense\n20,0,1,0.2,0\n");
  assert.equal(name, "speed");
  assert.deepEqual(rows.map((r) => r[0]), [10, 20]);
});

test("a track's frame stands upright on its line, also where it is banked", () => {
  const position = Array.from({ length: 20 }, (_, i) => [10 * Math.cos(0.1 * i), 10 * Math.sin(0.1 * i), 0.2 * i]);
  const normal = position.map(([x, y]) => [-0.02 * x, -0.02 * y, 1]);
  const line = frames(position, normal);
  assert.equal(line.length, 20);
  for (const { along, side, up } of line) {
    close(along.dot(up), 0, 1e-12);
    close(side.clone().cross(up).dot(along), 1, 1e-9);
  }
  close(line.at(-1).s, 19 * Math.hypot(2 * 10 * Math.sin(0.05), 0.2), 1e-9);
});
test("undamped modes stand on the axis, slightly damped ones beside it", () => {
  const [a, b, c] = withoutNoise([{ re: 4.5e-16, im: 5, damping: -8.9e-17 }, { re: -5e-6, im: 5, damping: 1e-6 }, { re: 0, im: 9, damping: null }]);
  assert.deepEqual([a.re, a.damping, b.re, b.damping, c.damping], [0, 0, -5e-6, 1e-6, null]);
});
