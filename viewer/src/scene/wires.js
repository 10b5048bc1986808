// Fields: lines of many points that rise and fall, links between them that are taut or slack.
import * as THREE from "three";

/** Rows of `time` around t and the share between them: {a, b, part}. */
export function between(time, t) {
  let low = 0, high = time.length - 1;
  if (!(t > time[0])) return { a: 0, b: 0, part: 0 };
  if (t >= time[high]) return { a: high, b: high, part: 0 };
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (time[middle] <= t) low = middle;
    else high = middle;
  }
  return { a: low, b: high, part: (t - time[low]) / (time[high] - time[low]) };
}

/** Index pairs that join the points of each line. */
export function joined(line) {
  const pairs = [];
  let first = 0;
  for (const n of line) {
    for (let i = 1; i < n; i++) pairs.push(first + i - 1, first + i);
    first += n;
  }
  return pairs;
}

/** Numbers a row of a field: rise or displacement of the points, further values of the points, pull of the links. */
export function rowWidth(field) {
  return ((field.width ?? 1) + (field.value?.length ?? 0)) * field.point.length + field.link.length / 2;
}

/** Values of a field at time t: rise (or displacement x, y, z) of the points, pull of the links. */
export function valuesAt(field, t) {
  const width = rowWidth(field), { a, b, part } = between(field.time, t);
  const out = new Float32Array(width);
  for (let k = 0; k < width; k++)
    out[k] = (1 - part) * field.values[a * width + k] + part * field.values[b * width + k];
  return out;
}

const SEEN = 130; // metres of a line that are shown at first

/** The box of the first metres of all fields, or null where there are none. */
export function firstPart(fields) {
  const box = new THREE.Box3();
  for (const f of fields) {
    const start = Math.min(...f.point.map((p) => p[0]));
    for (const p of f.point) if (p[0] <= start + SEEN) box.expandByPoint(new THREE.Vector3(...p));
  }
  return box.isEmpty() ? null : box;
}

class Wire {
  constructor(field) {
    this.field = field;
    this.position = new Float32Array(field.point.flat());
    const buffer = new THREE.BufferAttribute(this.position, 3);
    this.lines = new THREE.BufferGeometry();
    this.lines.setAttribute("position", buffer);
    this.lines.setIndex(joined(field.line));
    this.links = new THREE.BufferGeometry();
    this.ends = new Float32Array(3 * field.link.length);
    this.colours = new Float32Array(3 * field.link.length);
    this.links.setAttribute("position", new THREE.BufferAttribute(this.ends, 3));
    this.links.setAttribute("color", new THREE.BufferAttribute(this.colours, 3));
  }

  update(t, taut, slack) {
    const { field } = this, values = valuesAt(field, t), points = field.point.length, wide = field.width === 3;
    const n = rowWidth(field) - field.link.length / 2;
    for (let i = 0; i < points; i++) {
      if (wide) for (let d = 0; d < 3; d++) this.position[3 * i + d] = field.point[i][d] + values[3 * i + d];
      else this.position[3 * i + 2] = field.point[i][2] + values[i];
    }
    field.link.forEach((point, k) => {
      for (let d = 0; d < 3; d++) this.ends[3 * k + d] = this.position[3 * point + d];
      const colour = values[n + (k >> 1)] > 0 ? taut : slack;
      colour.toArray(this.colours, 3 * k);
    });
    this.lines.attributes.position.needsUpdate = true;
    this.links.attributes.position.needsUpdate = true;
    this.links.attributes.color.needsUpdate = true;
  }
}

export class Wires {
  constructor(fields) {
    this.root = new THREE.Group();
    this.taut = new THREE.Color();
    this.slack = new THREE.Color();
    this.steel = new THREE.LineBasicMaterial();
    this.rope = new THREE.LineBasicMaterial({ vertexColors: true });
    this.box = firstPart(fields);
    this.wires = fields.map((f) => new Wire(f));
    for (const w of this.wires) {
      for (const line of [new THREE.LineSegments(w.lines, this.steel), new THREE.LineSegments(w.links, this.rope)]) {
        line.frustumCulled = false;
        this.root.add(line);
      }
    }
  }

  update(t) {
    for (const w of this.wires) w.update(t, this.taut, this.slack);
  }

  setLook(look) {
    this.steel.color.set(look.joint);
    this.taut.set(look.spring);
    this.slack.set(look.arrow);
  }
}
