// Camera modes: free, following a body, riding on it.
import * as THREE from "three";

export class CameraMode {
  constructor(stage, actors) {
    Object.assign(this, { stage, actors, mode: "free", body: null });
  }

  set(mode, body = this.body) {
    const { stage } = this;
    if (mode !== "free" && (!body || !this.actors.bodies.has(body))) mode = "free";
    if (this.mode === "ride" && mode !== "ride") stage.camera.up.copy(stage.up);
    this.mode = mode;
    this.body = body;
    this.last = null;
    stage.controls.enabled = mode !== "ride";
    if (mode === "free" && stage.home) stage.moveTo(stage.home.middle);
    if (mode === "free" && this.ridden) stage.view("iso");
    this.ridden = mode === "ride";
    this.update();
  }

  update() {
    const { stage } = this;
    if (this.mode === "free") return;
    const group = this.actors.bodies.get(this.body);
    const at = group.localToWorld(new THREE.Vector3(...this.#center()));
    stage.moveTo(at);
    if (this.mode === "follow") {
      const move = this.last ? at.clone().sub(this.last) : at.clone().sub(stage.controls.target);
      stage.camera.position.add(move);
      stage.controls.target.copy(at);
      stage.controls.update();
      this.last = at;
    } else this.#ride(group, at);
    stage.invalidate();
  }

  #center() {
    return this.actors.scene.bodies.find((b) => b.name === this.body)?.center ?? [0, 0, 0];
  }

  // from a little above and behind, looking along the body's x axis
  #ride(group, at) {
    const { stage } = this, size = 0.25 * stage.size;
    const x = new THREE.Vector3(1, 0, 0).applyQuaternion(group.quaternion);
    const localUp = stage.up.clone().applyQuaternion(group.quaternion);
    stage.camera.position.copy(at).addScaledVector(x, -0.8 * size).addScaledVector(localUp, 0.5 * size);
    stage.camera.up.copy(localUp);
    stage.camera.lookAt(at.clone().addScaledVector(x, 3 * size));
  }
}
