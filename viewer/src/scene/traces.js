// Paths of points: the whole path faintly, the past of it strongly.
import * as THREE from "three";
import { Line2 } from "three/examples/jsm/lines/Line2.js";
import { LineGeometry } from "three/examples/jsm/lines/LineGeometry.js";
import { LineMaterial } from "three/examples/jsm/lines/LineMaterial.js";
import { frameAt } from "../play/clock.js";
import { place } from "../play/motion.js";

const MOST_POINTS = 20000;

export class Traces {
  constructor(actors, look) {
    this.actors = actors;
    this.root = new THREE.Group();
    this.lines = new Map();
    this.look = look;
    this.bodyIndex = new Map(actors.scene.bodies.map((b) => [b.name, b.number]));
  }

  has(key) {
    return this.lines.has(key);
  }

  /** Draws the path of a body's point. */
  add(key, body, r) {
    if (this.lines.has(key) || !this.actors.motion.moves(body)) return;
    const motion = this.actors.motion, n = motion.time.length;
    const step = Math.max(1, Math.ceil(n / MOST_POINTS));
    const points = [];
    for (let i = 0; i < n; i += step) points.push(...place(motion.at(body, i), r));
    if (points.length < 6) return;
    const geometry = new LineGeometry().setPositions(points);
    const past = new Line2(geometry, new LineMaterial({ linewidth: 2.2 }));
    const whole = new Line2(new LineGeometry().setPositions(points), new LineMaterial({ linewidth: 1, transparent: true, opacity: 0.4 }));
    const line = { past, whole, step, body, segments: points.length / 3 - 1 };
    this.lines.set(key, line);
    this.root.add(whole, past);
    this.#colour(line);
    this.update(this.actors.time);
  }

  #colour(line) {
    const colour = this.look.body(this.bodyIndex.get(line.body) ?? 0);
    line.past.material.color.set(colour);
    line.whole.material.color.set(colour);
  }

  remove(key) {
    const line = this.lines.get(key);
    if (!line) return;
    for (const l of [line.past, line.whole]) {
      l.removeFromParent();
      l.geometry.dispose();
      l.material.dispose();
    }
    this.lines.delete(key);
  }

  setLook(look) {
    this.look = look;
    for (const line of this.lines.values()) this.#colour(line);
  }

  resize(width, height) {
    for (const { past, whole } of this.lines.values())
      for (const l of [past, whole]) l.material.resolution.set(width, height);
  }

  update(t) {
    const frame = frameAt(this.actors.motion.time, t);
    for (const { past, step, segments } of this.lines.values()) {
      past.geometry.instanceCount = Math.min(segments, Math.floor(frame / step));
      past.visible = past.geometry.instanceCount > 0;
    }
  }
}
