// The scene of all results: actors, arrows, traces, camera. No panels.
import { largest } from "./read/skin.js";
import { ModeMotion } from "./play/modes.js";
import { Motion, place } from "./play/motion.js";
import { Actors } from "./scene/actors.js";
import { Arrows } from "./scene/arrows.js";
import { CameraMode } from "./scene/camera.js";
import { look } from "./scene/look.js";
import { Rails } from "./scene/rails.js";
import { straightTracks, wheelsets } from "./play/rail.js";
import { Stage } from "./scene/stage.js";
import { Traces } from "./scene/traces.js";
import { Surfaces } from "./scene/surfaces.js";
import { Wheels } from "./scene/wheels.js";
import { Pantographs, readPantographs } from "./scene/pantographs.js";
import { Wires } from "./scene/wires.js";

const MOST_FIRST_TRACES = 6;
const RUNS_AWAY = 6; // what moves further than this many times its own size is followed,
const LEAVES = 1.5; // and a vehicle on rails when it and its way are this many times as long as it is
const LIVE_RAILS = 1000; // straight rails of a run whose end is not known reach so far [m]

/** Motion of a run, or of modes. */
async function motionOf(results, skins) {
  const { head, scene } = results;
  if (results.kind === "modes") {
    const modes = new ModeMotion(head.modes, head.mode_bodies ?? [], await results.shapes(), results.time, skins);
    modes.amplitude = modes.fitting(scene.length || 1);
    return modes;
  }
  const motion = await Motion.read(results, scene.bodies.map((b) => b.name));
  await motion.readModal(results, skins);
  return motion;
}

/** Whether two results have a body in common: ghosts of another model only hide this one. */
export function sharesBodies(a, b) {
  const names = new Set((a.scene?.bodies ?? []).filter((x) => x.type !== "ground").map((x) => x.name));
  return a === b || (b.scene?.bodies ?? []).some((x) => names.has(x.name));
}

export class World {
  /** Reads the motion of all results and builds the scene; throws when there is no WebGL. */
  static async create(host, results, theme) {
    const shown = results.filter((r) => r.scene && sharesBodies(results[0], r));
    const skins = await Promise.all(shown.map((r) => r.skins()));
    const motions = await Promise.all(shown.map((r, i) => motionOf(r, skins[i])));
    const fields = (await shown[0]?.fields?.()) ?? [];
    const pantographs = await readPantographs(shown[0]);
    return new World(host, shown, motions, skins, fields, pantographs, theme);
  }

  constructor(host, results, motions, skins, fields, pantographs, theme) {
    this.look = look(theme);
    const colours = this.look;
    this.actors = results.map((r, i) => new Actors(r, motions[i], colours, { ghost: r.index, skins: skins[i] }));
    this.first = this.actors[0];
    this.stage = new Stage(host, { up: this.first.up, size: this.first.extent.size });
    for (const a of this.actors) this.stage.scene.add(a.root);
    this.arrows = new Arrows(this.first, colours);
    this.traces = new Traces(this.first, colours);
    this.rails = new Rails([...(this.first.scene.tracks ?? []), ...straightTracks(this.first.scene, (name) => this.first.places(name), results[0].kind === "live" ? LIVE_RAILS : undefined)], this.first.extent.size, this.first.up);
    this.wheels = new Wheels(this.first, colours);
    this.wires = new Wires(fields);
    this.pantographs = new Pantographs(pantographs);
    this.surfaces = new Surfaces(fields);
    this.stage.scene.add(this.arrows.root, this.traces.root, this.rails.root, this.wheels.root, this.wires.root, this.pantographs.root, this.surfaces.root);
    this.camera = new CameraMode(this.stage, this.first);
    this.stage.onResize = (w, h) => this.traces.resize(w, h);
    this.rails.setLook(colours);
    this.wires.setLook(colours);
    this.pantographs.setLook(colours);
    this.#frame();
    this.stage.setLook(colours);
    this.#firstTraces();
    this.stage.resize();
    this.stage.view("iso");
  }

  // all of the motion in view; a vehicle that runs away is followed instead
  #frame() {
    const { stage, first } = this;
    if (this.wires.box && !first.scene.bodies.some((b) => b.type !== "ground")) { // a line alone
      const box = this.pantographs.box ?? this.wires.box;
      stage.setBounds(box);
      this.alongLine = 0.5 * (box.min.x + box.max.x); // the middle of the picture
      stage.setGravity(first.scene.gravity);
      return;
    }
    const whole = first.sweep();
    const still = first.sweep(true), length = ({ box }) => box.getSize(box.min.clone()).length();
    const away = wheelsets(first.scene).length ? length(whole) > LEAVES * length(still) : length(whole) > RUNS_AWAY * first.extent.size;
    const { box, cloud } = away ? still : whole;
    if (!away && this.surfaces.box) box.union(this.surfaces.box);
    stage.ground = this.rails.lowest(first.up);
    stage.setBounds(box, this.surfaces.fields.length ? undefined : cloud);
    stage.setGravity(first.scene.gravity);
    if (!away) return;
    this.camera.set("follow", this.#leader(stage.home.middle));
  }

  // without bodies to follow, the picture runs along the line with the first pantograph
  #runAlong(t) {
    const x = this.alongLine === undefined ? null : this.pantographs.placeAt(t);
    if (x === null || this.camera.mode !== "free") return;
    const { camera, controls } = this.stage, move = x - this.alongLine;
    camera.position.x += move;
    controls.target.x += move;
    this.alongLine = x;
    controls.update();
    this.stage.moveTo(controls.target.clone());
  }

  // of the heavy bodies the one in the middle: a train stays in the picture
  #leader(middle) {
    const { bodies } = this.first.scene, most = bodies.reduce((m, b) => Math.max(m, b.mass), 0);
    const far = (b) => middle.distanceTo(middle.clone().set(...place(this.first.pose(b.name), b.center)));
    return bodies.filter((b) => b.mass >= 0.5 * most).reduce((a, b) => (far(b) < far(a) ? b : a)).name;
  }

  // points that the model's outputs watch leave traces, the last ones first: ends of chains
  #firstTraces() {
    if (this.first.results.kind === "live") return; // they would end where it began
    const watched = (this.first.scene.watched ?? []).filter((w) => this.first.motion.moves(w.body));
    const ends = watched.filter((w) => Math.hypot(...w.r) > 0);
    for (const w of (ends.length ? ends : watched.slice(-1)).slice(-MOST_FIRST_TRACES)) this.traces.add(`${w.body} ${w.r}`, w.body, w.r);
  }

  /** Of modes: chooses one, drawn out so that it is seen well, times `factor`. */
  setMode(index, factor = 1) {
    this.first.motion.mode = index;
    this.setAmplitude(factor);
  }
  setAmplitude(factor) {
    const { motion, skins, extent } = this.first;
    if (!motion.modes) return;
    motion.amplitude = factor * (skins.size && !motion.bodies.length ? this.#skinAmplitude([...skins.values()][0].skin, motion.mode) : motion.fitting(extent.size));
    this.setTime(this.first.time);
  }

  #skinAmplitude(skin, mode) {
    const unit = new Float32Array(skin.modes);
    unit[mode] = 1;
    const most = largest(skin, "displacement", [unit]);
    return most > 0 ? (0.08 * this.first.extent.size) / most : 1;
  }

  /** Of a run that goes on: more rows. The picture grows with the motion until somebody turns it. */
  grow(time) {
    this.first.motion.time = time;
    const now = performance.now();
    if (now - (this.framed ?? 0) < 1000) return;
    this.framed = now;
    if (!this.stage.touched && this.camera.mode === "free") this.#frame();
  }

  setTheme(theme) {
    this.look = look(theme);
    for (const part of [...this.actors, this.arrows, this.traces, this.rails, this.wheels, this.wires, this.pantographs, this.stage]) part.setLook(this.look);
  }

  setTime(t) {
    for (const a of this.actors) a.update(t);
    this.arrows.update(t);
    this.traces.update(t);
    this.wheels.update(t);
    this.wires.update(t);
    this.pantographs.update(t);
    this.#runAlong(t);
    this.surfaces.update(t);
    this.camera.update();
    this.stage.invalidate();
  }

  /** The camera goes round by these angles [rad], or nearer and farther; not while it rides. */
  turn(round, over) {
    if (this.camera.mode !== "ride") this.stage.turn(round, over);
  }
  zoom(factor) {
    if (this.camera.mode !== "ride") this.stage.zoom(factor);
  }

  select(name) {
    this.first.highlight(name);
    this.stage.invalidate();
  }

  /** Where a part is now: a body's centre of mass, an element's first marker; null for what is not drawn. */
  whereIs(name) {
    const body = this.first.scene.bodies.find((b) => b.name === name);
    if (body) return place(this.first.pose(name), body.center);
    const m = this.first.scene.elements.find((e) => e.name === name)?.markers[0];
    return m ? place(this.first.pose(m.body), m.r) : null;
  }
}
