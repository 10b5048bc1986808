// Wheels with their profiles, coloured by Y/Q; their contact patches with Y and Q as arrows.
import * as THREE from "three";
import { frameAt } from "../play/clock.js";
import { outlineAt, simplified, slopeAt, wheelsets, yqColour } from "../play/rail.js";
import { alongAxis } from "./solids.js";

const RIM = 0.065; // from the running circle to the inside of the rim [m]

const SLACK = 2e-4; // of the drawn profile from its true one [m]
const ROUND = 48; // corners of a circle

/** A body of revolution about y through points [radius, y]: round about its axis, with edges at the points. */
function turned(points) {
  const at = [], normals = [], index = [];
  for (let k = 1; k < points.length; k++) {
    const [[r0, y0], [r1, y1]] = [points[k - 1], points[k]], length = Math.hypot(r1 - r0, y1 - y0);
    if (!(length > 0)) continue;
    for (let i = 0; i <= ROUND; i++) {
      const [s, c] = [Math.sin((2 * Math.PI * i) / ROUND), Math.cos((2 * Math.PI * i) / ROUND)], a = at.length / 3;
      at.push(r0 * s, y0, r0 * c, r1 * s, y1, r1 * c);
      for (let end = 0; end < 2; end++) normals.push(((y1 - y0) * s) / length, (r0 - r1) / length, ((y1 - y0) * c) / length);
      if (i < ROUND) index.push(a, a + 2, a + 1, a + 2, a + 3, a + 1);
    }
  }
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.Float32BufferAttribute(at, 3));
  geometry.setAttribute("normal", new THREE.Float32BufferAttribute(normals, 3));
  geometry.setIndex(index);
  return geometry;
}

/** A wheel as a body of revolution about y, y outward. */
export function wheelGeometry({ radius, wheel }) {
  const rim = Math.max(0.3 * radius, radius - RIM), first = wheel[0], last = wheel.at(-1);
  const web = [Math.max(first[0], -0.03), Math.min(last[0], 0.02)];
  return turned([[0, web[0]], [rim, web[0]], [rim, first[0]], ...simplified(wheel, SLACK).map(([y, z]) => [radius - z, y]), [rim, last[0]], [rim, web[1]], [0, web[1]]]);
}

/** Whether a shape of a body stands for one of these wheels, which are drawn with their profile instead. */
export function replaced(shape, wheels) {
  return shape.kind === "cylinder" && wheels.some((w) => shape.radius > 0.85 * w.radius && Math.abs(shape.at[1] - w.side * w.half) < 0.15);
}

export class Wheels {
  constructor(actors, look) {
    this.actors = actors;
    this.root = new THREE.Group(); // arrows
    this.root.visible = false;
    this.coloured = true;
    this.list = [];
    this.shapes = new Map(); // a train has hundreds of wheels with one profile
    this.ink = ["arrow", "arrow2"].map((role) => ({ role, material: new THREE.MeshBasicMaterial({ depthTest: false, transparent: true, opacity: 0.9 }) }));
    for (const e of wheelsets(actors.scene)) {
      const body = actors.bodies.get(e.markers[1]?.body);
      for (const w of body ? e.wheels ?? [] : []) this.#add(e, w, body);
    }
    this.setLook(look);
  }

  get any() {
    return this.list.length > 0;
  }

  #add(e, wheel, body) {
    const material = new THREE.MeshStandardMaterial({ roughness: 0.5, metalness: 0.3, side: THREE.DoubleSide });
    const mesh = new THREE.Mesh(this.#shape(wheel), material), [x, y, z] = e.markers[1].r;
    mesh.position.set(x, y + wheel.side * wheel.half, z);
    alongAxis(mesh, [0, wheel.side, 0]);
    mesh.castShadow = mesh.receiveShadow = true;
    mesh.userData = { name: e.markers[1].body, kind: "body" };
    body.add(mesh);
    this.list.push({ e, wheel, mesh, material, arrows: this.ink.map(({ material: m }) => this.#arrow(m, e.name)), patch: this.#patch(e.name) });
  }

  #shape(wheel) {
    const key = JSON.stringify([wheel.radius, wheel.wheel]);
    if (!this.shapes.has(key)) this.shapes.set(key, wheelGeometry(wheel));
    return this.shapes.get(key);
  }

  #arrow(material, name) {
    const s = this.actors.s, group = new THREE.Group();
    group.shaft = new THREE.Mesh(new THREE.CylinderGeometry(0.22 * s, 0.22 * s, 1, 12).translate(0, 0.5, 0), material);
    group.tip = new THREE.Mesh(new THREE.ConeGeometry(0.6 * s, 1.6 * s, 16).translate(0, 0.8 * s, 0), material);
    group.add(group.shaft, group.tip);
    for (const m of group.children) Object.assign(m, { renderOrder: 5 }).userData = { name, kind: "force" };
    this.root.add(group);
    return group;
  }

  // The contact ellipse in its true size: x along the rail, y across it
  #patch(name) {
    const mesh = new THREE.Mesh(new THREE.CircleGeometry(1, 48), this.ink[1].material);
    Object.assign(mesh, { renderOrder: 4, matrixAutoUpdate: false }).userData = { name, kind: "force" };
    this.root.add(mesh);
    return mesh;
  }

  /** Reads the channels of all wheels. */
  async read() {
    const { results } = this.actors;
    for (const p of this.list) {
      const end = p.wheel.side > 0 ? "left" : "right";
      p.columns = {};
      for (const k of ["Y", "Q", "YQ", "wheel_u", "a", "b"]) p.columns[k] = await results.column(`${p.e.name}.${k}_${end}`);
    }
    const peaks = this.list.map((p) => p.columns.Q?.channel.high ?? 0).filter((q) => q > 0).sort((a, b) => a - b);
    this.full = peaks.length ? peaks[peaks.length >> 1] : 1;
    this.ready = true;
  }

  setLook(look) {
    this.look = look;
    for (const { role, material } of this.ink) material.color.set(look[role]);
    this.update(this.actors.time);
  }

  setColoured(on) {
    this.coloured = on;
    this.update(this.actors.time);
  }

  showArrows(on) {
    this.root.visible = on;
    this.update(this.actors.time);
  }

  update(t) {
    for (const p of this.list) {
      const value = (k) => (p.columns?.[k] ? p.columns[k].values[frameAt(p.columns[k].time, t)] + p.columns[k].offset : NaN);
      const yq = this.ready && this.coloured ? value("YQ") : NaN;
      if (Number.isFinite(yq)) p.material.color.setRGB(...yqColour(yq).map((c) => c / 255), THREE.SRGBColorSpace);
      else p.material.color.set(this.look.rail);
      if (this.ready && this.root.visible) this.#place(p, value);
    }
  }

  // Forces of the wheel on the rail: Q down, Y outward, in the axes of the axle without its spin
  #place({ e, wheel, arrows, mesh, patch }, value) {
    const axle = new THREE.Vector3(0, 1, 0).applyQuaternion(mesh.parent.quaternion), up = new THREE.Vector3(...this.actors.up);
    up.addScaledVector(axle, -up.dot(axle)).normalize();
    const u = Number.isFinite(value("wheel_u")) ? value("wheel_u") : 0, z = outlineAt(wheel.wheel, u) ?? 0;
    const centre = new THREE.Vector3(...e.markers[1].r).applyQuaternion(mesh.parent.quaternion).add(mesh.parent.position);
    const at = centre.addScaledVector(axle, wheel.side * (wheel.half + u)).addScaledVector(up, z - wheel.radius);
    const [a, b] = [value("a"), value("b")], along = new THREE.Vector3().crossVectors(axle, up);
    patch.visible = a > 0 && b > 0;
    const across = axle.clone().addScaledVector(up, wheel.side * slopeAt(wheel.wheel, u)).normalize();
    patch.matrix.makeBasis(along.multiplyScalar(a), across.clone().multiplyScalar(b), new THREE.Vector3().crossVectors(along, across).normalize()).setPosition(at);
    const forces = [[value("Q"), up.clone().negate()], [value("Y"), axle.clone().multiplyScalar(wheel.side)]];
    forces.forEach(([f, direction], k) => {
      const length = Math.min(2, Math.abs(f) / this.full) * 0.9, arrow = arrows[k], tip = 1.6 * this.actors.s;
      arrow.visible = Number.isFinite(length) && length > 0.01;
      if (!arrow.visible) return;
      const fit = Math.min(1, length / (1.5 * tip));
      arrow.position.copy(at);
      alongAxis(arrow, direction.multiplyScalar(Math.sign(f)).toArray());
      arrow.tip.scale.setScalar(fit);
      arrow.shaft.scale.set(fit, Math.max(1e-3 * tip, length - fit * tip), fit);
      arrow.tip.position.y = length - fit * tip;
    });
  }
}
