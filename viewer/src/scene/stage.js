// Canvas, light, floor, camera. Draws only when something changed.
import * as THREE from "three";
import { Gizmo } from "./gizmo.js";
import { roundStep } from "./steps.js";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";

/** Directions from the target towards the camera, for z up; turned with the real "up". */
const VIEWS = { iso: [0.9, -1.5, 0.75], front: [0, -1, 0], side: [1, 0, 0], top: [0, -1e-4, 1] };

export class Stage {
  /** Throws when there is no WebGL. */
  constructor(host, { up = [0, 0, 1], size = 1 } = {}) {
    this.host = host;
    this.up = new THREE.Vector3(...up);
    this.size = size;
    this.renderer = new THREE.WebGLRenderer({ antialias: true, preserveDrawingBuffer: true });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    this.canvas = this.renderer.domElement;
    host.append(this.canvas);
    this.scene = new THREE.Scene();
    this.camera = new THREE.PerspectiveCamera(32, 1, 0.01 * size, 400 * size);
    this.camera.up.copy(this.up);
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.addEventListener("change", () => this.invalidate());
    this.controls.addEventListener("start", () => (this.touched = true));
    this.fromZ = new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 0, 1), this.up);
    // keep x to the right where gravity is along -y: a drawing plane stays a drawing plane
    if (Math.abs(this.up.y) > 0.99) this.fromZ.setFromRotationMatrix(new THREE.Matrix4().makeBasis(
      new THREE.Vector3(1, 0, 0), new THREE.Vector3(0, 0, -this.up.y), this.up));
    this.#light();
    this.frameTimes = [];
    this.dirty = true;
    this.drawn = 0;
  }

  #light() {
    this.sky = new THREE.HemisphereLight(0xffffff, 0xb0b8c0, 1.7);
    this.sky.position.copy(this.up);
    this.sun = new THREE.DirectionalLight(0xffffff, 2.1);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(2048, 2048);
    this.sun.shadow.bias = -0.0004;
    this.sun.shadow.intensity = 0.55;
    this.fill = new THREE.DirectionalLight(0xffffff, 0.5);
    this.scene.add(this.sky, this.sun, this.sun.target, this.fill);
  }

  /** Light, floor, axes and camera for what moves inside `box`. */
  setBounds(box, cloud = []) {
    this.box = box;
    this.cloud = cloud.length ? cloud : corners(box);
    const middle = box.getCenter(new THREE.Vector3());
    const reach = Math.max(0.5 * box.getSize(new THREE.Vector3()).length(), 0.3 * this.size);
    this.reach = reach;
    const sun = new THREE.Vector3(0.45, -0.5, 1.1).applyQuaternion(this.fromZ).normalize();
    this.sun.position.copy(middle).addScaledVector(sun, 4 * reach);
    this.sun.target.position.copy(middle);
    this.home = { middle, sun: this.sun.position.clone() };
    const c = this.sun.shadow.camera, w = 1.5 * reach;
    Object.assign(c, { left: -w, right: w, top: w, bottom: -w, near: reach, far: 8 * reach });
    c.updateProjectionMatrix();
    this.sun.shadow.normalBias = 0.006 * reach; // four of its pixels
    this.fill.position.copy(middle).add(new THREE.Vector3(-1, 0.8, 0.3).applyQuaternion(this.fromZ).multiplyScalar(4 * reach));
    this.#floor(middle, reach);
    this.view("iso");
  }

  // grid with round steps below everything, with the axes in its corner
  #floor(middle, reach) {
    this.floor?.removeFromParent();
    this.floor = new THREE.Group();
    const step = roundStep((2 * reach) / 8), half = Math.ceil((1.5 * reach) / step) * step;
    const flat = new THREE.Mesh(new THREE.CircleGeometry(2 * half, 72), new THREE.MeshStandardMaterial({ roughness: 1, transparent: true, depthWrite: false, alphaMap: fading() }));
    flat.receiveShadow = true;
    const grid = gridLines(step, 2 * half);
    grid.position.z = 0.002 * reach;
    this.floor.add(flat, grid);
    this.floor.quaternion.copy(this.fromZ);
    const along = middle.clone().addScaledVector(this.up, -middle.dot(this.up));
    this.floor.position.copy(along).addScaledVector(this.up, this.#lowest(reach));
    Object.assign(this.floor.userData, { flat, grid, step, home: this.floor.position.clone() });
    this.gridStep = step;
    this.scene.add(this.floor);
    this.#axes(reach);
    if (this.look) this.setLook(this.look);
  }

  /** Light and floor go along with what is followed; the grid stays where it is in space. */
  moveTo(at) {
    const way = at.clone().sub(this.home.middle), { home, step } = this.floor.userData;
    this.sun.position.copy(this.home.sun).add(way);
    this.sun.target.position.copy(at);
    this.sun.target.updateMatrixWorld();
    way.addScaledVector(this.up, -way.dot(this.up));
    const flat = way.applyQuaternion(this.fromZ.clone().invert());
    flat.set(step * Math.round(flat.x / step), step * Math.round(flat.y / step), 0).applyQuaternion(this.fromZ);
    this.floor.position.copy(home).add(flat);
  }

  // sleepers lie on the floor, all else hovers a little over it
  #lowest(reach) {
    const low = Math.min(...corners(this.box).map((p) => p.dot(this.up)));
    return this.ground <= low ? this.ground : low - 0.03 * this.size - 0.06 * reach;
  }

  // axes of the global frame at the origin, and gravity beside them
  #axes(reach) {
    this.axes?.removeFromParent();
    this.axes = new THREE.Group();
    const length = 0.16 * this.size;
    const colours = [0xd04437, 0x2f9e5b, 0x3274d0];
    [[1, 0, 0], [0, 1, 0], [0, 0, 1]].forEach((d, i) => {
      const arrow = new THREE.ArrowHelper(new THREE.Vector3(...d), new THREE.Vector3(), 1, colours[i], 0.25, 0.1);
      arrow.traverse((o) => {
        if (!o.material) return;
        Object.assign(o.material, { depthTest: false, transparent: true }); // drawn last, over all
        o.renderOrder = 5;
      });
      this.axes.add(arrow);
    });
    this.axes.scale.setScalar(length); // an arrow of its own does not get shorter than 0.1 mm
    this.scene.add(this.axes);
  }

  setGravity(gravity) {
    this.gizmo = new Gizmo(gravity);
    if (this.look) this.setLook(this.look);
  }

  setLook(look) {
    this.look = look;
    this.scene.background = new THREE.Color(look.back);
    this.scene.fog = new THREE.Fog(look.back, 10 * this.reach, 26 * this.reach);
    this.sky.color.set(look.sky);
    this.sky.groundColor.set(look.earth);
    const { flat, grid } = this.floor?.userData ?? {};
    flat?.material.color.set(look.floor);
    if (grid) {
      const n = grid.geometry.attributes.color, c = new THREE.Color(look.line);
      for (let i = 0; i < n.count; i++) n.setXYZ(i, c.r, c.g, c.b); // the fourth is how much is left of it
      n.needsUpdate = true;
    }
    this.gizmo?.setLook(look);
    this.invalidate();
  }

  showGrid(visible) {
    for (const o of [this.floor, this.axes, this.gizmo]) if (o) o.visible = visible;
    this.invalidate();
  }

  /** A standard view on all, or on what was looked at. */
  view(name, target = null) {
    const d = new THREE.Vector3(...VIEWS[name]).applyQuaternion(this.fromZ).normalize();
    const { middle, distance } = this.#frame(d);
    this.controls.target.copy(target ?? middle);
    this.camera.position.copy(this.controls.target).addScaledVector(d, distance);
    this.viewName = name;
    this.untouched = true;
    this.controls.update();
    this.untouched = true;
    this.invalidate();
  }

  /** The camera round its target by these angles [rad]: about the vertical, and towards it. */
  turn(round, over) {
    const way = this.camera.position.clone().sub(this.controls.target), polar = way.angleTo(this.up);
    const side = new THREE.Vector3().crossVectors(this.up, way).normalize();
    const tilt = Math.min(Math.PI - 0.01, Math.max(0.01, polar - over)) - polar;
    if (side.lengthSq() > 0) way.applyAxisAngle(side, tilt);
    this.#look(way.applyAxisAngle(this.up, round));
  }

  /** Farther by a factor, nearer below 1. */
  zoom(factor) {
    this.#look(this.camera.position.clone().sub(this.controls.target).multiplyScalar(factor));
  }

  #look(way) {
    this.camera.position.copy(this.controls.target).add(way);
    this.touched = true;
    this.controls.update();
    this.invalidate();
  }

  // where to look, and the nearest from which all of the motion is seen, looking against d
  #frame(d) {
    const tall = Math.tan((this.camera.fov * Math.PI) / 360), wide = tall * (this.camera.aspect || 1);
    const right = new THREE.Vector3().crossVectors(this.up, d).normalize();
    const over = new THREE.Vector3().crossVectors(d, right);
    const middle = new THREE.Vector3();
    for (const axis of [right, over, d]) {
      const along = this.cloud.map((p) => p.dot(axis));
      middle.addScaledVector(axis, 0.5 * (along.reduce((a, b) => Math.min(a, b)) + along.reduce((a, b) => Math.max(a, b))));
    }
    let far = 0.5 * this.size;
    for (const q of this.cloud) {
      const p = q.clone().sub(middle), depth = p.dot(d);
      far = Math.max(far, depth + Math.abs(p.dot(right)) / wide, depth + Math.abs(p.dot(over)) / tall);
    }
    return { middle, distance: 1.14 * far };
  }

  invalidate() {
    this.dirty = true;
    this.onInvalid?.();
  }

  resize() {
    const { clientWidth: w, clientHeight: h } = this.host;
    if (!w || !h) return;
    this.renderer.setPixelRatio(this.ratio ?? Math.min(2, globalThis.devicePixelRatio || 1));
    this.renderer.setSize(w, h, false);
    this.camera.aspect = w / h;
    this.camera.updateProjectionMatrix();
    this.onResize?.(w, h);
    this.invalidate();
  }

  /** Draws if needed; tells whether it did. */
  draw() {
    if (!this.dirty) return false;
    this.dirty = false;
    this.renderer.render(this.scene, this.camera);
    this.gizmo?.draw(this.renderer, this.camera);
    this.drawn++;
    return true;
  }

  /** Slow machines get no shadows and fewer pixels rather than fewer frames. */
  economise() {
    if (this.economic) return;
    this.economic = true;
    this.renderer.shadowMap.enabled = false;
    this.sun.castShadow = false;
    this.ratio = 1;
    this.scene.traverse((o) => { if (o.material) o.material.needsUpdate = true; });
    this.resize();
  }

  /** Name and kind of what is under a point of the canvas, or null. */
  pick(x, y, root) {
    const rect = this.canvas.getBoundingClientRect();
    const ray = new THREE.Raycaster();
    ray.setFromCamera(new THREE.Vector2(((x - rect.left) / rect.width) * 2 - 1, 1 - ((y - rect.top) / rect.height) * 2), this.camera);
    const hit = ray.intersectObject(root, true).find((h) => h.object.userData.name && shown(h.object));
    return hit ? { name: hit.object.userData.name, kind: hit.object.userData.kind } : null;
  }

  /** Where a point in space stands on the canvas [px]; null behind the camera. */
  project(p) {
    const v = new THREE.Vector3(...p).project(this.camera);
    if (v.z > 1) return null;
    return [(v.x * 0.5 + 0.5) * this.host.clientWidth, (0.5 - v.y * 0.5) * this.host.clientHeight];
  }
}

function shown(object) {
  for (let o = object; o; o = o.parent) if (!o.visible) return false;
  return true;
}

function corners({ min, max }) {
  return [0, 1, 2, 3, 4, 5, 6, 7].map((i) => new THREE.Vector3(i & 1 ? max.x : min.x, i & 2 ? max.y : min.y, i & 4 ? max.z : min.z));
}

// a picture that is white in the middle and black at the rim
function fading() {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 256;
  const pen = canvas.getContext("2d"), ramp = pen.createRadialGradient(128, 128, 20, 128, 128, 128);
  ramp.addColorStop(0, "#fff");
  ramp.addColorStop(0.45, "#ccc");
  ramp.addColorStop(1, "#000");
  pen.fillStyle = ramp;
  pen.fillRect(0, 0, 256, 256);
  return new THREE.CanvasTexture(canvas);
}

// lines at every `step` within a circle, each in pieces that fade towards the rim
function gridLines(step, radius) {
  const points = [], colours = [], n = Math.floor(radius / step);
  const strength = (x, y) => Math.max(0, 1 - Math.hypot(x, y) / radius);
  const piece = (x1, y1, x2, y2) => {
    points.push(x1, y1, 0, x2, y2, 0);
    colours.push(1, 1, 1, strength(x1, y1), 1, 1, 1, strength(x2, y2));
  };
  for (let i = -n; i <= n; i++)
    for (let k = -n; k < n; k++) {
      piece(i * step, k * step, i * step, (k + 1) * step);
      piece(k * step, i * step, (k + 1) * step, i * step);
    }
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.Float32BufferAttribute(points, 3));
  geometry.setAttribute("color", new THREE.Float32BufferAttribute(colours, 4));
  return new THREE.LineSegments(geometry, new THREE.LineBasicMaterial({ vertexColors: true, transparent: true, depthWrite: false }));
}
