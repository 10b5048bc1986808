// Lumped pantographs under a catenary, drawn as a single arm with its strip. Their masses have no shape: only the height of the head
// and the place along the line are results.
import * as THREE from "three";
import { between } from "./wires.js";

const RISE = 1.6; // from the base to the head at the start [m]
const STRIP = 0.8, HORN = 0.2; // half the strip, and its horns [m]
const NEAR = 12; // metres of the line on each side that are shown at first
const BASE = [0.6, 0.5]; // half the base frame along and across the track [m]

/** Ends of the lines of a pantograph whose head is at x, z, on a base at height `base`: [x, y, z] in pairs. */
export function outline(x, z, base) {
  const head = [x, 0, z - 0.1], knee = [x - 1.1, 0, base + 0.45 * (z - base)], foot = [x + 0.4, 0, base];
  const [a, b] = BASE, corner = [[a, b], [a, -b], [-a, -b], [-a, b]].map(([u, v]) => [x + u, v, base]);
  const pairs = [
    [[x, -STRIP, z], [x, STRIP, z]], [[x, -0.3, z], head], [head, [x, 0.3, z]],
    [[x, STRIP, z], [x, STRIP + HORN, z - HORN]], [[x, -STRIP, z], [x, -STRIP - HORN, z - HORN]],
    [foot, knee], [knee, head], ...corner.map((c, i) => [c, corner[(i + 1) % 4]]),
  ];
  return pairs.flat();
}

/** Columns of all pantographs of a run: place, height of the head, contact force. */
export async function readPantographs(results) {
  const found = [];
  for (const e of results?.scene?.elements ?? []) {
    if (e.type !== "pantograph") continue;
    for (let i = 1; i <= 4; i++) {
      const end = i > 1 ? `_${i}` : "";
      const [x, z, force] = await Promise.all(["position", "head_height", "contact_force"].map((k) => results.column(`${e.name}.${k}${end}`)));
      if (x && z) found.push({ name: e.name, x, z, force });
    }
  }
  return found;
}

/** Value of a column at time t, by a straight line between rows. */
export function valueAt(column, t) {
  const { a, b, part } = between(column.time, t);
  return (1 - part) * column.values[a] + part * column.values[b] + column.offset;
}

export class Pantographs {
  constructor(list) {
    this.root = new THREE.Group();
    this.touching = new THREE.LineBasicMaterial();
    this.lost = new THREE.LineBasicMaterial();
    this.list = list.map((p) => {
      const base = valueAt(p.z, p.z.time[0]) - RISE;
      const position = new Float32Array(outline(0, 0, 0).flat().length);
      const geometry = new THREE.BufferGeometry();
      geometry.setAttribute("position", new THREE.BufferAttribute(position, 3));
      const lines = new THREE.LineSegments(geometry, this.touching);
      lines.frustumCulled = false;
      lines.userData = { name: p.name, kind: "force" };
      this.root.add(lines);
      return { ...p, base, position, geometry, lines };
    });
  }

  /** The first one and the line near it; null: there is none. */
  get box() {
    if (!this.list.length) return null;
    const { x, z, base } = this.list[0], at = valueAt(x, x.time[0]);
    return new THREE.Box3(new THREE.Vector3(at - NEAR, -2, base), new THREE.Vector3(at + NEAR, 2, valueAt(z, z.time[0]) + 1.5));
  }

  /** Where the first pantograph is along the line; null: there is none. */
  placeAt(t) {
    return this.list.length ? valueAt(this.list[0].x, t) : null;
  }

  update(t) {
    for (const p of this.list) {
      p.position.set(outline(valueAt(p.x, t), valueAt(p.z, t), p.base).flat());
      p.geometry.attributes.position.needsUpdate = true;
      p.lines.material = !p.force || valueAt(p.force, t) > 0 ? this.touching : this.lost;
    }
  }

  setLook(look) {
    this.touching.color.set(look.joint);
    this.lost.color.set(look.arrow);
  }
}
