// The scene of all results: actors, arrows, traces, camera. No panels.
import { Motion, place } from "./play/motion.js";
import { Actors } from "./scene/actors.js";
import { Arrows } from "./scene/arrows.js";
import { CameraMode } from "./scene/camera.js";
import { look } from "./scene/look.js";
import { Stage } from "./scene/stage.js";
import { Traces } from "./scene/traces.js";

const MOST_FIRST_TRACES = 6;
const RUNS_AWAY = 6; // what moves further than this many times its own size is followed

export class World {
  /** Reads the motion of all results and builds the scene; throws when there is no WebGL. */
  static async create(host, results, theme) {
    const shown = results.filter((r) => r.scene);
    const motions = await Promise.all(shown.map((r) => Motion.read(r, r.scene.bodies.map((b) => b.name))));
    return new World(host, shown, motions, theme);
  }

  constructor(host, results, motions, theme) {
    this.look = look(theme);
    const colours = this.look;
    this.actors = results.map((r, i) => new Actors(r, motions[i], colours, { ghost: i > 0 }));
    this.first = this.actors[0];
    this.stage = new Stage(host, { up: this.first.up, size: this.first.extent.size });
    for (const a of this.actors) this.stage.scene.add(a.root);
    this.arrows = new Arrows(this.first, colours);
    this.traces = new Traces(this.first, colours);
    this.stage.scene.add(this.arrows.root, this.traces.root);
    this.camera = new CameraMode(this.stage, this.first);
    this.stage.onResize = (w, h) => this.traces.resize(w, h);
    this.#frame();
    this.stage.setLook(colours);
    this.#firstTraces();
    this.stage.resize();
    this.stage.view("iso");
  }

  // all of the motion in view; a vehicle that runs away is followed instead
  #frame() {
    const { stage, first } = this;
    const { box, cloud } = first.sweep();
    const away = box.getSize(box.min.clone()).length() > RUNS_AWAY * first.extent.size;
    if (away) {
      box.min.set(...first.extent.low);
      box.max.set(...first.extent.high);
    }
    stage.setBounds(box, away ? [] : cloud);
    stage.setGravity(first.scene.gravity);
    if (!away) return;
    const heaviest = first.scene.bodies.reduce((a, b) => (b.mass > a.mass ? b : a));
    this.camera.set("follow", heaviest.name);
  }

  // points that the model's outputs watch leave traces, the last ones first: ends of chains
  #firstTraces() {
    const watched = (this.first.scene.watched ?? []).filter((w) => this.first.motion.moves(w.body));
    const ends = watched.filter((w) => Math.hypot(...w.r) > 0);
    for (const w of (ends.length ? ends : watched.slice(-1)).slice(-MOST_FIRST_TRACES)) this.traces.add(`${w.body} ${w.r}`, w.body, w.r);
  }

  setTheme(theme) {
    this.look = look(theme);
    for (const part of [...this.actors, this.arrows, this.traces, this.stage]) part.setLook(this.look);
  }

  setTime(t) {
    for (const a of this.actors) a.update(t);
    this.arrows.update(t);
    this.traces.update(t);
    this.camera.update();
    this.stage.invalidate();
  }

  select(name) {
    this.first.highlight(name);
    this.stage.invalidate();
  }

  /** Where a part is now: a body's centre of mass, an element's first marker. */
  whereIs(name) {
    const body = this.first.scene.bodies.find((b) => b.name === name);
    if (body) return place(this.first.pose(name), body.center);
    const m = this.first.scene.elements.find((e) => e.name === name)?.markers[0];
    return m ? place(this.first.pose(m.body), m.r) : [0, 0, 0];
  }
}
