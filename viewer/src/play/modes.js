// Motion of modes: bodies swing about where they stand, a period from phase 0 to 1.
import { largest } from "../read/skin.js";

/** Euler parameters of the rotation vector phi. */
export function turn(phi) {
  const angle = Math.hypot(...phi);
  const s = angle > 1e-12 ? Math.sin(angle / 2) / angle : 0.5;
  return [Math.cos(angle / 2), s * phi[0], s * phi[1], s * phi[2]];
}

/** p q, the rotation q followed by p. */
export function product(p, q) {
  return [
    p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
    p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
    p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1],
    p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0],
  ];
}

const STILL = { position: [0, 0, 0], orientation: [1, 0, 0, 0] };

export class ModeMotion {
  /** `modes`: of the head; `bodies`: names; `shapes`: 7 numbers a body, then 12 a mode and body, then for each of `skins` its modal
   * coordinates at rest and their real and imaginary parts for each mode. */
  constructor(modes, bodies, shapes, time, skins = []) {
    Object.assign(this, { modes, bodies, shapes, time });
    this.mode = 0;
    this.amplitude = 1;
    this.index = new Map(bodies.map((name, i) => [name, i]));
    this.modal = new Map();
    let from = 7 * bodies.length + 12 * bodies.length * modes.length;
    for (const skin of bodies.length ? skins : []) {
      this.modal.set(skin.body, { from, n: skin.modes, skin });
      from += (1 + 2 * modes.length) * skin.modes;
    }
  }

  // row 0: at rest; 1 + 2 mode: real part, 2 + 2 mode: imaginary part
  #row({ from, n }, row) {
    return this.shapes.subarray(from + row * n, from + (row + 1) * n);
  }

  moves(name) {
    return this.index.has(name);
  }

  at(name, frame) {
    return this.pose(name, this.time[frame]);
  }

  /** Re cos - Im sin of a motion's parts, times the amplitude. */
  pose(name, phase) {
    const i = this.index.get(name);
    if (i === undefined || !this.shapes) return STILL;
    const n = this.bodies.length, base = this.shapes.subarray(7 * i, 7 * i + 7);
    const from = 7 * n + 12 * (this.mode * n + i), m = this.shapes.subarray(from, from + 12);
    const c = this.amplitude * Math.cos(2 * Math.PI * phase), s = -this.amplitude * Math.sin(2 * Math.PI * phase);
    const part = (k) => c * m[k] + s * m[k + 6];
    return {
      position: [0, 1, 2].map((k) => base[k] + part(k)),
      orientation: product(turn([part(3), part(4), part(5)]), [base[3], base[4], base[5], base[6]]),
    };
  }

  /** Modal coordinates of a flexible body's skin: what the mode does to it; of a reduced body the chosen mode alone. */
  coordinates(name, phase, count) {
    const w = new Float32Array(count), own = this.modal.get(name);
    if (own) {
      const c = this.amplitude * Math.cos(2 * Math.PI * phase), s = -this.amplitude * Math.sin(2 * Math.PI * phase);
      const [rest, re, im] = [0, 1 + 2 * this.mode, 2 + 2 * this.mode].map((r) => this.#row(own, r));
      for (let j = 0; j < Math.min(count, own.n); j++) w[j] = rest[j] + c * re[j] + s * im[j];
    }
    if (!this.bodies.length && this.mode < count) w[this.mode] = this.amplitude * Math.sin(2 * Math.PI * phase);
    return w;
  }

  /** The size at which the chosen mode moves bodies by or deforms them by a tenth of `length`, or turns them by 0.35. */
  fitting(length) {
    if (!this.shapes) return 1;
    const n = this.bodies.length;
    let most = 0;
    for (let i = 0; i < n; i++) {
      const m = this.shapes.subarray(7 * n + 12 * (this.mode * n + i), 7 * n + 12 * (this.mode * n + i) + 12);
      for (const k of [0, 6]) {
        most = Math.max(most, Math.hypot(m[k], m[k + 1], m[k + 2]) / (0.1 * length), Math.hypot(m[k + 3], m[k + 4], m[k + 5]) / 0.35);
      }
    }
    for (const own of this.modal.values()) {
      const parts = [1 + 2 * this.mode, 2 + 2 * this.mode].map((r) => this.#row(own, r));
      most = Math.max(most, largest(own.skin, "displacement", parts) / (0.1 * length));
    }
    return most > 0 ? 1 / most : 1;
  }
}

