// Axes and gravity in the corner of the picture: which way is what, however the camera turned.
import * as THREE from "three";
import { alongAxis } from "./solids.js";

const SIZE = 104; // [px]
const MARGIN = [6, 26]; // from the left, from the bottom [px]
const COLOURS = ["#d04437", "#2f9e5b", "#3b7ddd"];

function arrow(direction, length, radius, colour) {
  const material = new THREE.MeshBasicMaterial({ color: colour });
  const group = new THREE.Group();
  group.add(new THREE.Mesh(new THREE.CylinderGeometry(radius, radius, length - 0.25, 12).translate(0, (length - 0.25) / 2, 0), material));
  group.add(new THREE.Mesh(new THREE.ConeGeometry(3.2 * radius, 0.28, 18).translate(0, length - 0.14, 0), material));
  group.colour = material.color;
  return alongAxis(group, direction);
}

export class Gizmo {
  constructor(gravity) {
    this.visible = true;
    this.scene = new THREE.Scene();
    this.camera = new THREE.OrthographicCamera(-1.35, 1.35, 1.35, -1.35, 0, 10);
    this.ends = [];
    [[1, 0, 0], [0, 1, 0], [0, 0, 1]].forEach((d, i) => this.#add(d, 1, 0.035, COLOURS[i], "xyz"[i]));
    const g = Math.hypot(...(gravity ?? [0, 0, 0]));
    if (g > 0) this.gravity = this.#add(gravity.map((x) => x / g), 0.85, 0.05, "#888888", "g");
  }

  #add(direction, length, radius, colour, name) {
    const object = arrow(direction, length, radius, colour);
    this.scene.add(object);
    this.ends.push({ name, at: new THREE.Vector3(...direction).multiplyScalar(length + 0.16) });
    return object;
  }

  setLook(look) {
    this.gravity?.colour.set(look.ground);
  }

  draw(renderer, camera) {
    if (!this.visible) return;
    this.camera.quaternion.copy(camera.quaternion);
    this.camera.position.set(0, 0, 5).applyQuaternion(camera.quaternion);
    const whole = renderer.getViewport(new THREE.Vector4());
    renderer.autoClear = false;
    renderer.clearDepth();
    renderer.setViewport(MARGIN[0], MARGIN[1], SIZE, SIZE);
    renderer.render(this.scene, this.camera);
    renderer.setViewport(whole);
    renderer.autoClear = true;
  }

  /** Names of the arrows and where they end, in pixels from the left and the top. */
  labels(height) {
    if (!this.visible) return [];
    this.camera.updateMatrixWorld();
    return this.ends.map(({ name, at }) => {
      const p = at.clone().project(this.camera);
      return { name, x: MARGIN[0] + (p.x * 0.5 + 0.5) * SIZE, y: height - MARGIN[1] - (p.y * 0.5 + 0.5) * SIZE };
    });
  }
}
