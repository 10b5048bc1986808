// The parts of one result in the scene: bodies, joints, springs. Moves them; knows no camera.
import * as THREE from "three";
import { place } from "../play/motion.js";
import { onRails, wheelsets } from "../play/rail.js";
import { extent, planBody, symbolScale, thickness, upward } from "./plan.js";
import { nearestNode } from "../read/skin.js";
import { Skin } from "./skin.js";
import { alongAxis, solid } from "./solids.js";
import { replaced } from "./wheels.js";
import { groundSymbol, jointSymbol, ringSymbol, springDamper } from "./symbols.js";

const PICKED = 0.45; // opacity of a picked body
const MANY = 40; // bodies from which on details cost more than they show
const vec = (a) => new THREE.Vector3(a[0], a[1], a[2]);
const COIL = new Set(["spring-damper", "series-spring-damper", "friction-spring", "air-spring"]);
const ROD = new Set(["distance", "bump-stop", "slide-spring-damper", "crush"]);
const SLIDES = new Set(["translational", "cylindrical", "screw"]); // drawn on what slides
const ALONG = new Set(["path", "speed-control", "wheel-rail-coulomb"]); // their place on the ground is where a track begins
const RING = new Set(["bushing", "rotational-spring-damper", "plastic-hinge"]);

/** What of a scene can be drawn: bodies whose motion is known, numbered as in the whole scene, and elements between such bodies. */
function drawable(scene, motion) {
  let count = 0;
  const bodies = scene.bodies.map((b) => (b.type === "ground" ? b : { ...b, number: count++ })).filter((b) => b.type === "ground" || (motion.knows?.(b.name) ?? true));
  const names = new Set(bodies.map((b) => b.name));
  return { ...scene, bodies, elements: scene.elements.filter((e) => e.markers.every((m) => names.has(m.body))) };
}

export class Actors {
  /** `ghost`: number of a result over the first; drawn pale and not to be clicked. */
  constructor(results, motion, look, { ghost = 0, skins = [] } = {}) {
    Object.assign(this, { results, motion, ghost });
    this.skinData = new Map(skins.map((s) => [s.body, s]));
    this.skins = new Map(); // name -> Skin
    this.scene = drawable(results.scene, motion);
    this.root = new THREE.Group();
    this.bodies = new Map(); // name -> group
    this.thick = new Map(); // name -> thickness [m]
    this.sizes = new Map(); // name -> diagonal [m]
    this.stretched = []; // what spans two markers
    this.riders = []; // symbols on flexible bodies
    this.nodes = new Map(); // marker on a flexible body -> node of its surface
    this.materials = new Map();
    this.geometries = new Map(); // of springs
    this.symbols = new THREE.Group();
    this.up = upward(this.scene.gravity);
    this.start = motion.time.length ? motion.time[0] : 0;
    this.extent = extent(this.scene, (name, r) => place(motion.pose(name, this.start), r));
    this.s = 0.014 * this.extent.unit; // unit of symbols
    this.many = this.scene.bodies.length > MANY;
    this.rails = wheelsets(this.scene).length > 0;
    this.#addBodies();
    this.#addElements();
    this.setLook(look);
    this.update(this.start);
  }

  /** A material by its role; its colour comes with the look. */
  #material(role) {
    if (!this.materials.has(role)) {
      const m = new THREE.MeshStandardMaterial({ roughness: 0.58, metalness: 0.08 });
      if (this.ghost) Object.assign(m, { transparent: true, opacity: 0.28, depthWrite: false });
      this.materials.set(role, m);
    }
    return this.materials.get(role);
  }

  #addBodies() {
    for (const body of this.scene.bodies) {
      const group = new THREE.Group();
      group.name = body.name;
      this.bodies.set(body.name, group);
      this.root.add(group);
      if (body.type === "ground" && !body.shapes?.length) continue;
      const role = body.type === "ground" ? "ground" : `body ${body.number} ${body.name}`;
      if (this.skinData.has(body.name)) {
        this.#addSkin(body, group, role);
        continue;
      }
      const wheels = this.ghost ? [] : this.#wheelsOf(body.name);
      const parts = planBody(body, this.extent.unit).filter((p) => !replaced(p, wheels));
      this.thick.set(body.name, thickness(parts));
      for (const part of parts) {
        const mesh = solid(part, this.many);
        if (!mesh) continue;
        mesh.material = part.color ? this.#coloured(role, part.color) : this.#material(role);
        mesh.castShadow = mesh.receiveShadow = !this.ghost;
        mesh.userData = { name: body.name, kind: "body" };
        group.add(mesh);
      }
      this.sizes.set(body.name, this.#box(body).getSize(new THREE.Vector3()).length());
    }
  }

  // wheels that scene/wheels.js draws with their profile
  #wheelsOf(name) {
    return this.scene.elements.filter((e) => e.type === "wheel-rail" && e.markers[1]?.body === name).flatMap((e) => e.wheels ?? []);
  }

  #addSkin(body, group, role) {
    const skin = new Skin(this.skinData.get(body.name), this.#material(role));
    this.materials.set(role, skin.material);
    skin.mesh.userData = { name: body.name, kind: "body", skin: true };
    group.add(skin.mesh);
    if (skin.lines) {
      skin.lines.userData = skin.mesh.userData;
      group.add(skin.lines);
    }
    this.skins.set(body.name, skin);
  }

  #coloured(role, color) {
    const material = this.#material(`${role} ${color}`);
    material.userData.color = color;
    return material;
  }

  #addElements() {
    if (this.ghost) return;
    for (const e of this.scene.elements) {
      const [a, b] = e.markers;
      if (COIL.has(e.type) && b && this.#isLong(e)) this.#span(e, this.#spring(e));
      else if (ROD.has(e.type) && b) this.#span(e, this.#rod());
      else if ((RING.has(e.type) || COIL.has(e.type)) && a) this.#symbol(e, a, ringSymbol(), "spring");
      else if (e.joint && a) this.#symbol(e, SLIDES.has(e.type) && b ? b : a, jointSymbol(e.type), "joint");
      for (const m of e.markers) if (this.#isGround(m.body)) this.#base(e, m);
    }
  }

  /** A spring between two points at the same place is drawn as a ring. */
  #isLong(e) {
    const [a, b] = this.#ends(e);
    return a.distanceTo(b) > 1e-3 * this.s;
  }

  #isGround(name) {
    return this.scene.bodies.find((b) => b.name === name)?.type === "ground";
  }

  #scaleOf(e) {
    const of = (map) => e.markers.map((m) => map.get(m.body));
    return symbolScale(this.s, of(this.thick), of(this.sizes), RING.has(e.type), this.rails ? this.s : undefined);
  }

  #named(mesh, e, role) {
    mesh.material = this.#material(role);
    mesh.castShadow = !this.many;
    mesh.userData = { name: e.name, kind: e.joint ? "joint" : "force" };
    return mesh;
  }

  // a symbol rides on the body of its marker
  #symbol(e, marker, geometry, role, axis = marker.axis ?? [0, 0, 1]) {
    if (!geometry) return;
    const mesh = this.#named(new THREE.Mesh(geometry), e, role);
    mesh.scale.setScalar(this.#scaleOf(e));
    mesh.position.copy(vec(marker.r));
    alongAxis(mesh, axis);
    mesh.userData.symbol = true;
    this.bodies.get(marker.body)?.add(mesh);
    if (this.skins.has(marker.body)) this.riders.push({ mesh, marker });
  }

  #base(e, marker) {
    if (this.rails || ALONG.has(e.type)) return; // below a vehicle there is its track
    if (e.type === "translational" || e.type === "cylindrical") return this.#rail(e, marker);
    this.#symbol(e, marker, groundSymbol(), "ground", this.up);
  }

  // a guide on ground is as long as the way of what it guides
  #rail(e, marker) {
    const other = e.markers.find((m) => m !== marker);
    const axis = vec(marker.axis).normalize(), origin = vec(marker.r);
    let low = 0, high = 0;
    const n = this.motion.time.length, step = Math.max(1, Math.floor(n / 200));
    for (let i = 0; other && i < n; i += step) {
      const s = vec(place(this.motion.at(other.body, i), other.r)).sub(origin).dot(axis);
      low = Math.min(low, s);
      high = Math.max(high, s);
    }
    const length = Math.min(high - low, 3 * this.extent.size) + 8 * this.s;
    const mesh = this.#named(new THREE.Mesh(new THREE.CylinderGeometry(0.3 * this.s, 0.3 * this.s, length, 16)), e, "ground");
    alongAxis(mesh, axis.toArray()).position.copy(origin).addScaledVector(axis, 0.5 * (low + high));
    mesh.userData.symbol = true;
    this.bodies.get(marker.body).add(mesh);
  }

  #ends(e) {
    return e.markers.slice(0, 2).map((m) => this.#point(m, this.time ?? this.start));
  }

  /** A marker in the axes of its body: on a flexible one it moves with the nearest node of the surface that is drawn. */
  #local(marker) {
    const skin = this.skins.get(marker.body);
    if (!skin) return marker.r;
    if (!this.nodes.has(marker)) this.nodes.set(marker, nearestNode(skin.skin, marker.r));
    const shift = skin.shift(this.nodes.get(marker));
    return marker.r.map((x, k) => x + shift[k]);
  }

  #point(marker, t) {
    return vec(place(this.motion.pose(marker.body, t), this.#local(marker)));
  }

  // the same where the body stands in the picture now: no second interpolation for each of many springs
  #pointNow(marker) {
    const group = this.bodies.get(marker.body);
    return vec(this.#local(marker)).applyQuaternion(group.quaternion).add(group.position);
  }

  // built at its start length, so that stretching distorts the wire little; springs of about one size share it
  #spring(e) {
    const [a, b] = this.#ends(e), coarse = (x) => Number(x.toPrecision(2));
    const length = coarse(Math.max(a.distanceTo(b), 2 * this.s)), radius = coarse(Math.min(1.35 * this.s, 0.22 * length));
    return this.#shared(`spring ${length} ${radius}`, () => springDamper(length, radius, this.many));
  }

  #rod() {
    return this.#shared("rod", () => new THREE.CylinderGeometry(0.3 * this.s, 0.3 * this.s, 1, 16).translate(0, 0.5, 0));
  }

  #shared(key, make) {
    if (!this.geometries.has(key)) this.geometries.set(key, make());
    return this.geometries.get(key);
  }

  // of unit length along y
  #span(e, geometry) {
    const mesh = this.#named(new THREE.Mesh(geometry), e, "spring");
    mesh.userData.symbol = e.joint;
    this.stretched.push({ mesh, markers: e.markers.slice(0, 2) });
    this.root.add(mesh);
  }

  setLook(look) {
    for (const [role, m] of this.materials) {
      const number = /^body (\d+)/.exec(role);
      const own = number ? look.body(Number(number[1])) : look[role];
      m.color.set(m.userData.color ?? (this.ghost ? look.ghost(this.ghost) : own));
    }
    this.look = look;
    this.highlight(this.selected ?? null);
  }

  /** Shows or hides joint symbols. */
  showSymbols(visible) {
    this.root.traverse((o) => {
      if (o.userData.symbol) o.visible = visible;
    });
  }

  /** The part of that name glows. */
  highlight(name) {
    this.selected = name;
    this.glow?.dispose();
    this.glow = null;
    this.root.traverse((o) => {
      if (!o.isMesh || this.ghost) return;
      if (o.userData.plain) {
        o.material = o.userData.plain;
        delete o.userData.plain;
      }
      if (name === null || o.userData.name !== name) return;
      if (o.userData.skin) return; // its outline in the list is enough
      o.userData.plain = o.material;
      o.material = o.material.clone();
      o.material.emissive.set(this.look.select);
      // a picked body lets see what is inside and behind it, and keeps its colour
      const body = o.userData.kind === "body";
      o.material.emissiveIntensity = body ? 0.1 : 0.32;
      if (body) Object.assign(o.material, { transparent: true, opacity: PICKED, depthWrite: false });
    });
  }

  pose(name, t = this.time) {
    return this.motion.pose(name, t);
  }

  update(t) {
    this.time = t;
    for (const [name, group] of this.bodies) {
      const { position: r, orientation: p } = this.motion.pose(name, t);
      group.position.set(r[0], r[1], r[2]);
      group.quaternion.set(p[1], p[2], p[3], p[0]).normalize();
    }
    for (const [name, skin] of this.skins) skin.setCoordinates(this.motion.coordinates(name, t, skin.skin.modes));
    this.follow();
  }

  /** Symbols and springs go where the bodies now are, and where those are bent to. */
  follow() {
    for (const { mesh, marker } of this.riders) mesh.position.copy(vec(this.#local(marker)));
    for (const s of this.stretched) {
      const [a, b] = s.markers.map((m) => this.#pointNow(m));
      const d = b.sub(a), length = d.length() || 1e-9;
      s.mesh.position.copy(a);
      alongAxis(s.mesh, d.toArray());
      s.mesh.scale.set(1, length, 1);
    }
  }

  /** Where a body is at some 240 moments of the motion. */
  places(name) {
    const n = this.motion.time.length, step = Math.max(1, Math.floor(n / 240)), out = [];
    for (let i = 0; i < Math.max(1, n); i += step) out.push(this.motion.at(name, i).position);
    if (n > 1) out.push(this.motion.at(name, n - 1).position);
    return out;
  }

  // around what is drawn of a body, in body axes
  #box(body) {
    const box = new THREE.Box3(), group = this.bodies.get(body.name);
    for (const mesh of group.children) {
      if (mesh.userData.kind !== "body") continue;
      mesh.updateMatrix();
      mesh.geometry.computeBoundingBox();
      box.union(mesh.geometry.boundingBox.clone().applyMatrix4(mesh.matrix));
    }
    return box;
  }

  /** How many bodies are missing because their motion was not recorded. */
  get missing() {
    return this.results.scene.bodies.length - this.scene.bodies.length;
  }

  #corners(body) {
    if (body.type === "ground") return body.points;
    const box = this.#box(body);
    if (box.isEmpty()) return [...body.points, body.center];
    return [0, 1, 2, 3, 4, 5, 6, 7].map((i) => [i & 1 ? box.max.x : box.min.x, i & 2 ? box.max.y : box.min.y, i & 4 ? box.max.z : box.min.z]);
  }

  /** Points that the motion passes, and the box around them; `still`: where the bodies start, without ground. */
  sweep(still = false) {
    const box = new THREE.Box3(), cloud = [];
    const n = still ? 1 : this.motion.time.length, step = Math.max(1, Math.floor(n / 240));
    for (const body of this.scene.bodies) {
      if (body.type === "ground" && (still || onRails(this.scene))) continue;
      const own = this.#corners(body);
      for (let i = 0; i < Math.max(1, n); i += step) {
        const pose = this.motion.at(body.name, i);
        for (const r of own) {
          cloud.push(vec(place(pose, r)));
          box.expandByPoint(cloud.at(-1));
        }
        if (!this.motion.moves(body.name)) break;
      }
    }
    if (box.isEmpty()) box.set(vec([-1, -1, -1]), vec([1, 1, 1]));
    return { box, cloud };
  }

  dispose() {
    this.root.traverse((o) => o.geometry?.dispose());
    for (const m of this.materials.values()) m.dispose();
    for (const s of this.skins.values()) s.dispose();
    this.root.removeFromParent();
  }
}
