// Forces of joints and force elements as arrows at their markers, of contacts at the contact point with a ball there; one scale for all.
import * as THREE from "three";
import { frameAt } from "../play/clock.js";
import { place } from "../play/motion.js";
import { alongAxis } from "./solids.js";

export class Arrows {
  constructor(actors, look) {
    this.actors = actors;
    this.root = new THREE.Group();
    this.root.visible = false;
    this.entries = null; // read when first shown
    this.setLook(look);
  }

  setLook(look) {
    // "transparent": drawn after the floor, which would cover what points below it
    this.joint = this.joint ?? new THREE.MeshStandardMaterial({ roughness: 0.5, transparent: true });
    this.force = this.force ?? new THREE.MeshStandardMaterial({ roughness: 0.5, transparent: true });
    // a contact lies between two bodies: its point and arrow are drawn over them
    this.contact = this.contact ?? new THREE.MeshStandardMaterial({ roughness: 0.5, depthTest: false, transparent: true });
    this.contact.color.set(look.arrow);
    this.joint.color.set(look.arrow2);
    this.force.color.set(look.arrow);
  }

  async #read() {
    const { results, scene } = this.actors;
    const found = [];
    for (const e of scene.elements) {
      if (e.wheels?.length) continue; // Y and Q at each wheel, see wheels.js
      const marker = e.markers[Math.min(1, e.markers.length - 1)];
      const columns = await Promise.all(["x", "y", "z"].map((k) => results.column(`${e.name}.force.${k}`)));
      if (!marker || !columns.every(Boolean)) continue;
      const peak = Math.hypot(...columns.map((c) => Math.max(Math.abs(c.channel.low ?? 0), Math.abs(c.channel.high ?? 0))));
      const point = await Promise.all(["x", "y", "z"].map((k) => results.column(`${e.name}.point.${k}`)));
      if (peak > 0) found.push({ element: e, marker, columns, peak, point: point.every(Boolean) ? point : null });
    }
    // a single huge reaction must not hide the others: the scale follows the upper quarter
    const peaks = found.map((f) => f.peak).sort((a, b) => a - b);
    this.full = peaks.length ? peaks[Math.floor(0.75 * (peaks.length - 1))] : 1;
    return found.map((f) => ({ ...f, object: this.#arrow(f.element, f.point), ball: f.point ? this.#ball(f.element) : null }));
  }

  // the contact point, shown while the contact is closed
  #ball(e) {
    const ball = new THREE.Mesh(new THREE.SphereGeometry(0.6 * this.actors.s, 20, 14), this.contact);
    ball.renderOrder = 10;
    ball.userData = { name: e.name, kind: "force" };
    this.root.add(ball);
    return ball;
  }

  #arrow(e, point) {
    const s = this.actors.s, group = new THREE.Group();
    const material = e.joint ? this.joint : point ? this.contact : this.force;
    group.shaft = new THREE.Mesh(new THREE.CylinderGeometry(0.28 * s, 0.28 * s, 1, 14).translate(0, 0.5, 0), material);
    group.tip = new THREE.Mesh(new THREE.ConeGeometry(0.75 * s, 2 * s, 20).translate(0, s, 0), material);
    group.add(group.shaft, group.tip);
    for (const m of group.children) {
      m.userData = { name: e.name, kind: e.joint ? "joint" : "force" };
      m.renderOrder = point ? 10 : 1;
    }
    this.root.add(group);
    return group;
  }

  async show(visible) {
    this.root.visible = visible;
    if (visible && !this.entries) this.entries = await this.#read();
    if (visible) this.update(this.actors.time);
  }

  update(t) {
    if (!this.root.visible || !this.entries) return;
    const now = (c) => c.values[frameAt(c.time, t)] + c.offset;
    for (const { marker, columns, object, point, ball } of this.entries) {
      const f = columns.map(now);
      const size = Math.hypot(...f);
      const at = point ? point.map(now) : null;
      if (ball) ball.visible = size > 0;
      if (ball) ball.position.set(...at);
      const length = Math.min(1.6, size / this.full) * 0.3 * this.actors.extent.unit;
      object.visible = Number.isFinite(length) && length > 0.2 * this.actors.s;
      if (!object.visible) continue;
      object.position.set(...(at ?? place(this.actors.pose(marker.body, t), marker.r)));
      alongAxis(object, f);
      const tip = 2 * this.actors.s;
      const fit = Math.min(1, length / (1.5 * tip));
      object.tip.scale.setScalar(fit);
      object.shaft.scale.set(fit, Math.max(1e-3 * tip, length - fit * tip), fit);
      object.tip.position.y = length - fit * tip;
    }
  }
}
