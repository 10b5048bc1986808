// Where bodies are at any time: positions between two frames in a straight line, orientations along
// the shortest turn (on the rotation group).
import { frameAt } from "./clock.js";

/** Shortest turn from a to b (Euler parameters, scalar first), a part s of the way. */
export function slerp(a, b, s) {
  let dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
  const sign = dot < 0 ? -1 : 1; // p and -p are the same rotation
  dot *= sign;
  let u = 1 - s, v = s;
  if (dot < 0.9995) {
    const angle = Math.acos(dot), sin = Math.sin(angle);
    u = Math.sin((1 - s) * angle) / sin;
    v = Math.sin(s * angle) / sin;
  }
  const p = a.map((x, i) => u * x + sign * v * b[i]);
  const n = Math.hypot(...p) || 1;
  return p.map((x) => x / n);
}

/** Rotates r by Euler parameters p. */
export function rotate(p, r) {
  const [w, x, y, z] = p;
  const t = [2 * (y * r[2] - z * r[1]), 2 * (z * r[0] - x * r[2]), 2 * (x * r[1] - y * r[0])];
  return [
    r[0] + w * t[0] + y * t[2] - z * t[1],
    r[1] + w * t[1] + z * t[0] - x * t[2],
    r[2] + w * t[2] + x * t[1] - y * t[0],
  ];
}

/** The place of a body's point. */
export function place(pose, r) {
  const a = rotate(pose.orientation, r);
  return [a[0] + pose.position[0], a[1] + pose.position[1], a[2] + pose.position[2]];
}

/** For n frames of a body's columns: which frame to show instead of each, the last one before it whose numbers are all finite (the
 * first such at the start), and the gaps [[first frame, last frame]]. Null where there are no gaps; `frames` null where all is gap. */
export function holdFinite(columns, n) {
  const frames = new Int32Array(n), gaps = [], used = columns.filter(Boolean);
  let last = -1;
  for (let i = 0; i < n; i++) {
    if (used.every((c) => Number.isFinite(c.values[i] + c.offset))) last = i;
    else if (gaps.at(-1)?.[1] === i - 1) gaps.at(-1)[1] = i;
    else gaps.push([i, i]);
    frames[i] = last;
  }
  if (!gaps.length) return null;
  const first = frames.find((i) => i >= 0);
  return { frames: first === undefined ? null : frames.map((i) => (i < 0 ? first : i)), gaps };
}

const STILL = { position: [0, 0, 0], orientation: [1, 0, 0, 0] };
const PARTS = ["position.x", "position.y", "position.z", "orientation.0", "orientation.1", "orientation.2", "orientation.3"];

export class Motion {
  /** Reads the coordinates of all bodies of a result. Ground and bodies without channels stand
   * still. */
  static async read(results, names) {
    const tracks = new Map();
    for (const name of names) {
      const columns = await Promise.all(PARTS.map((part) => results.column(`${name}.${part}`)));
      if (columns.slice(0, 3).every(Boolean)) tracks.set(name, columns);
    }
    return new Motion(results.time, tracks);
  }

  constructor(time, tracks) {
    this.time = time;
    this.tracks = tracks;
    this.modal = new Map();
    this.held = new Map();
    for (const name of tracks.keys()) this.#hold(name);
  }

  #hold(name) {
    const held = holdFinite([...this.tracks.get(name), ...(this.modal.get(name) ?? [])], this.time.length);
    if (held) this.held.set(name, held);
    if (held && !held.frames) this.tracks.delete(name);
  }

  /** Bodies that have no numbers for a while: [{body, from, to, all}], times in s. */
  get gaps() {
    return [...this.held].flatMap(([body, { gaps }]) => gaps.map(([a, b]) => ({ body, from: this.time[a], to: this.time[b], all: !this.tracks.has(body) })));
  }

  /** Reads the modal coordinates of flexible bodies: [{body, modes}]. */
  async readModal(results, skins) {
    for (const { body, modes } of skins) {
      const columns = await Promise.all(Array.from({ length: modes }, (_, j) => results.column(`${body}.w.${j + 1}`)));
      this.modal.set(body, columns);
      if (this.tracks.has(body)) this.#hold(body);
    }
  }

  /** Modal coordinates of a body at time t, by straight lines between frames. */
  coordinates(name, t, count) {
    const columns = this.modal.get(name), w = new Float32Array(count);
    if (!columns || !this.time.length) return w;
    const i = frameAt(this.time, t), k = Math.min(i + 1, this.time.length - 1);
    const s = k > i && t > this.time[i] ? (t - this.time[i]) / (this.time[k] - this.time[i]) : 0;
    const [from, to] = [i, k].map((f) => this.held.get(name)?.frames?.[f] ?? f);
    columns.forEach((c, j) => {
      const value = c && j < count ? c.values[from] + s * (c.values[to] - c.values[from]) + c.offset : 0;
      if (Number.isFinite(value)) w[j] = value;
    });
    return w;
  }

  moves(name) {
    return this.tracks.has(name);
  }

  /** Whether it is known where a body is; without channels of its position it is not. */
  knows(name) {
    return this.tracks.has(name) || this.held.has(name);
  }

  /** Coordinate k of a body at frame i. */
  #value(columns, k, i) {
    return columns[k].values[i] + columns[k].offset;
  }

  at(name, frame) {
    const c = this.tracks.get(name);
    if (!c || !this.time.length) return STILL;
    const i = this.held.get(name)?.frames[frame] ?? frame;
    const position = [0, 1, 2].map((k) => this.#value(c, k, i));
    const orientation = c[3] ? [3, 4, 5, 6].map((k) => this.#value(c, k, i)) : [1, 0, 0, 0];
    return { position, orientation };
  }

  /** Position and orientation of a body at time t. */
  pose(name, t) {
    if (!this.tracks.has(name) || !this.time.length) return STILL;
    const i = frameAt(this.time, t);
    const a = this.at(name, i);
    if (i + 1 >= this.time.length || t <= this.time[i]) return a;
    const b = this.at(name, i + 1);
    const s = (t - this.time[i]) / (this.time[i + 1] - this.time[i]);
    return {
      position: a.position.map((x, k) => x + s * (b.position[k] - x)),
      orientation: slerp(a.orientation, b.orientation, s),
    };
  }
}
