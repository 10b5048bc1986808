// Joints as symbols, one line a type: what a drawing of the mechanism would show. y is the joint's
// axis, sizes in units of s; the caller turns and places. Each symbol is one geometry, shared by all
// joints of its type.
import * as THREE from "three";
import { mergeGeometries } from "three/examples/jsm/utils/BufferGeometryUtils.js";

const cylinder = (r, h) => new THREE.CylinderGeometry(r, r, h, 18);
const turned = (geometry, x, y, z) => geometry.rotateX(x).rotateY(y).rotateZ(z);
const moved = (geometry, x, y, z) => geometry.translate(x, y, z);
const HALF = Math.PI / 2;

const collar = (y) => moved(turned(new THREE.TorusGeometry(0.72, 0.2, 6, 20), HALF, 0, 0), 0, y, 0);
const ball = () => new THREE.SphereGeometry(0.95, 22, 14);
const frame = () => [-1, 1].flatMap((x) => [-1, 1].map((z) => moved(new THREE.BoxGeometry(0.3, 3.4, 0.3), 0.95 * x, 0, 0.95 * z)));

const symbols = {
  revolute: () => [cylinder(0.55, 3.2), collar(-1.3), collar(1.3)],
  cylindrical: () => [cylinder(0.42, 6), collar(-1.2), collar(0), collar(1.2)],
  translational: frame,
  spherical: () => [ball()],
  universal: () => [cylinder(0.42, 3), turned(cylinder(0.42, 3), HALF, 0, 0), new THREE.SphereGeometry(0.7, 20, 14)],
  screw: () => [cylinder(0.42, 6), ...[-1.5, -0.75, 0, 0.75, 1.5].map((y) => turned(collar(0), 0.25, 0, 0).translate(0, y, 0))],
  planar: () => [new THREE.BoxGeometry(5, 0.12, 5)],
  fixed: () => [new THREE.OctahedronGeometry(1)],
  "point-on-line": () => [new THREE.SphereGeometry(0.8, 24, 16), cylinder(0.12, 8)],
  "point-on-plane": () => [new THREE.SphereGeometry(0.8, 24, 16), new THREE.BoxGeometry(5, 0.1, 5)],
  parallel: () => [moved(cylinder(0.16, 3.4), 0.35, 0, 0), moved(cylinder(0.16, 3.4), -0.35, 0, 0)],
  perpendicular: () => [cylinder(0.16, 3), turned(cylinder(0.16, 3), HALF, 0, 0)],
  "rigid-set": () => [new THREE.OctahedronGeometry(0.8)],
  driver: () => [turned(new THREE.TorusGeometry(1.9, 0.16, 10, 40, 4.6), HALF, 0, 0),
    moved(turned(new THREE.ConeGeometry(0.5, 1.2, 18), 0, 0, -HALF), 0, 0, -1.9)],
};

const made = new Map();
function once(key, make) {
  if (!made.has(key)) {
    const parts = make().map((g) => (g.index ? g.toNonIndexed() : g));
    made.set(key, parts.length ? mergeGeometries(parts) : null);
  }
  return made.get(key);
}

/** Geometry of a joint's symbol; null for types that are drawn otherwise or not at all. */
export function jointSymbol(type) {
  return once(type, symbols[type] ?? (() => []));
}

export function ringSymbol() {
  return once(" ring", () => [new THREE.TorusGeometry(1.3, 0.55, 12, 28).rotateX(HALF)]);
}

/** What stands on ground: a small base below the point; y is up. */
export function groundSymbol() {
  return once(" ground", () => [moved(new THREE.CylinderGeometry(0.7, 1.9, 2, 4, 1).rotateY(Math.PI / 4), 0, -1.35, 0),
    moved(new THREE.BoxGeometry(3.6, 0.35, 3.6), 0, -2.5, 0)]);
}

// coils of unit radius along y from 0 to 1 between two straight ends
class Coil extends THREE.Curve {
  constructor(turns) {
    super();
    this.turns = turns;
  }
  getPoint(u, target = new THREE.Vector3()) {
    const inner = Math.min(1, Math.max(0, (u - 0.12) / 0.76));
    const swell = Math.min(1, inner * 6, (1 - inner) * 6);
    const a = 2 * Math.PI * this.turns * inner;
    return target.set(swell * Math.cos(a), u, swell * Math.sin(a));
  }
}

/** A spring round a damper, of unit length along y, for that length and radius of the coils [m]; `coarse`: one of many. */
export function springDamper(length, radius, coarse = false) {
  const turns = Math.min(14, Math.max(5, Math.round(length / (2.2 * radius)))), [along, round] = coarse ? [10, 4] : [16, 7];
  const helix = new Coil(turns), points = [];
  for (let i = 0; i <= 24 * turns; i++) {
    const p = helix.getPoint(i / (24 * turns));
    points.push(new THREE.Vector3(radius * p.x, length * p.y, radius * p.z));
  }
  const wire = new THREE.TubeGeometry(new THREE.CatmullRomCurve3(points), along * turns, 0.17 * radius, round).scale(1, 1 / length, 1);
  const rod = new THREE.CylinderGeometry(0.12 * radius, 0.12 * radius, 0.6, 12).translate(0, 0.3, 0);
  const body = new THREE.CylinderGeometry(0.34 * radius, 0.34 * radius, 0.5, 16).translate(0, 0.7, 0);
  return mergeGeometries([wire, rod, body]);
}
