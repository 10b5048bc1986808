// The page of `klingel view`: scene, plots, panels and the doors between them.
import { button, element, icon } from "./panel/dom.js";
import { CloseUp } from "./panel/closeup.js";
import { Values } from "./panel/values.js";
import { Deform } from "./panel/deform.js";
import { Details } from "./panel/details.js";
import { listenToKeys } from "./panel/keys.js";
import { Labels } from "./panel/labels.js";
import { ModeList } from "./panel/modes.js";
import { SearchBox } from "./panel/searchbox.js";
import { TimeBar } from "./panel/timebar.js";
import { Tree } from "./panel/tree.js";
import { Clock } from "./play/clock.js";
import { number } from "./format.js";
import { Plots } from "./plots/plots.js";
import { firstChannels } from "./plots/search.js";
import { dashLine } from "./plots/dash.js";
import { ghostColour } from "./scene/look.js";
import { text } from "./texts.js";
import { YQ_COLOURS, YQ_LIMIT, hasForces, leader } from "./play/rail.js";
import { World, sharesBodies } from "./world.js";

const remembered = () => {
  try {
    return localStorage.getItem("klingel-theme");
  } catch {
    return null; // pages from disk may have no storage
  }
};
const remember = (theme) => {
  try {
    localStorage.setItem("klingel-theme", theme);
  } catch { /* see above */ }
};

function startTheme() {
  return remembered() ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
}

/** Times of all results together: the first one's frames, extended by longer ones. */
function frames(results) {
  const all = [...results[0].time];
  for (const r of results.slice(1)) for (const t of r.time) if (t > all[all.length - 1]) all.push(t);
  return Float64Array.from(all);
}

export class App {
  static async create(results) {
    const app = new App(results);
    await app.#build();
    return app;
  }

  constructor(results) {
    this.results = results;
    this.clock = new Clock(frames(results));
    this.theme = startTheme();
    this.shown = { grid: true, joints: true, arrows: false, traces: true, labels: false, ghost: true, yq: true, closeup: false };
    this.railway = Boolean(results[0].scene && results[0].kind === "run" && leader(results[0]));
    this.wheelForces = this.results[0].kind !== "modes" && hasForces(results[0]);
    this.selected = null;
    this.#setTheme();
  }

  async #build() {
    this.modal = this.results[0].kind === "modes";
    this.#layout();
    this.plots = new Plots(this.plotHost, this.modal ? [] : this.results, this.clock);
    this.plots.theme = this.theme;
    if (this.railway) this.plots.mode = "distance";
    if (!this.modal) new SearchBox(this.searchHost, this.results[0].head.channels, (name) => this.plots.add(name));
    new TimeBar(this.timeHost, this.clock, { phase: this.modal });
    this.details = new Details(this.detailsHost, this.results[0], {
      plot: (n) => this.plots.add(n), close: () => this.select(null), traced: (n) => this.#traced(n), trace: (n) => this.#trace(n),
      follow: (n) => this.setCamera("follow", n), ride: (n) => this.setCamera("ride", n),
    });
    await this.#buildWorld();
    if (this.modal) this.#buildModes();
    else await this.plots.add(...firstChannels(this.results[0].head.channels, this.railway));
    this.clock.onChange(() => this.#timeChanged());
    this.#keys();
    this.#timeChanged();
    requestAnimationFrame((now) => this.#tick(now));
  }

  // ---- modes ----

  #buildModes() {
    const { modes } = this.results[0].head;
    this.plotHost.replaceChildren();
    this.plotHost.parentElement.classList.add("eigen");
    this.modeList = new ModeList(this.modeHost, this.plotHost, modes, (i) => this.setMode(i));
    this.setMode(this.modeList.shown.find((i) => modes[i].frequency > 0) ?? this.modeList.shown[0]);
    this.clock.setSpeed(0.5);
    this.clock.play();
  }

  /** Shows the mode of that index. */
  setMode(i) {
    this.mode = i;
    this.modeList.select(i);
    this.world?.setMode(i, this.deform?.factor ?? 1);
    this.deform?.setColouring(this.deform.colouring);
  }

  // ---- frame of the page ----

  #setTheme() {
    const { style, dataset } = document.documentElement;
    dataset.theme = this.theme;
    this.results.forEach((_, k) => k && style.setProperty(`--ghost-${k}`, ghostColour(this.theme, k)));
  }

  #layout() {
    const r = this.results[0];
    this.partsButton = button("☰", text("parts"), () => this.#showParts(), { id: "parts", "aria-pressed": false }); // on narrow screens
    this.titleHost = element("header", { class: "bar" }, this.partsButton, element("span", { class: "brand" }, "klingel"), element("h1", {}, r.title), this.#notes(), element("span", { class: "grow" }));
    this.sceneHost = element("div", { class: "scene" });
    this.treeHost = element("nav", { class: "tree" });
    this.detailsHost = element("section", { class: "details" });
    this.searchHost = element("div", { class: "search" });
    this.plotHost = element("div", { class: "plots" });
    this.timeHost = element("footer", { class: "timebar" });
    this.titleHost.append(this.#switches(), button(icon("dark"), text("dark"), () => this.toggleTheme(), { id: "theme" }),
      button("?", text("help"), () => this.#help(), { id: "help" }));
    this.modeHost = element("section", { class: "mode-list" });
    const right = element("aside", { class: "right" }, this.modal ? this.modeHost : element("div", { class: "plothead" }, this.searchHost, this.#plotModes()), this.plotHost);
    this.app = element("div", { id: "app" }, this.titleHost, element("aside", { class: "left" }, this.treeHost, this.detailsHost), this.sceneHost,
      this.#splitter(right), right, this.timeHost);
    document.body.append(this.app);
  }

  #notes() {
    const notes = element("span", { class: "notes" });
    this.results.forEach((r, i) => {
      const said = [r.label];
      const [motion, rest] = r.head.bases;
      if (r.head.unfinished) said.push(text("unfinished"));
      else if (r.head.status && r.head.status !== "complete" && r.kind !== "live") said.push(text(`status_${r.head.status}`));
      if (motion.every > 1) said.push(text("decimated", motion.every, r.head.rows));
      else if (rest.every > 1) said.push(text("decimated_rest", rest.every, r.head.rows));
      for (const s of r.head.skins ?? []) if (s.modes < s.of) said.push(text("skin_modes", s.modes, s.of));
      if (r.backward) said.push(text("backward", r.backward, r.backward + r.time.length));
      const strange = i > 0 && this.results[0].scene && !sharesBodies(this.results[0], r);
      if (strange) said.push(text([...r.channels.keys()].some((n) => this.results[0].channels.has(n)) ? "strange" : "strange_all"));
      const calm = !r.backward && !strange && (r.head.status === "complete" || r.kind === "live");
      notes.append(element("span", { class: calm ? "note" : "note warn", title: said.join(" · ") }, i ? dashLine(i, `var(--ghost-${i})`) : "", said.join(" · ")));
    });
    return notes;
  }

  // bodies that stand still in the picture, or are not in it, because their numbers are missing
  #noteGaps() {
    const { motion, missing } = this.world.first;
    const said = (motion.gaps ?? []).map((g) => text(g.all ? "gap_all" : "gap", g.body, number(g.from), number(g.to)));
    if (missing) said.unshift(text(missing > 1 ? "missing_bodies" : "missing_body", missing));
    if (!said.length) return;
    const shown = [...said.slice(0, 3), ...(said.length > 3 ? [text("gap_more", said.length - 3)] : [])];
    this.sceneHost.append(element("div", { class: "scene-note", role: "status", title: said.join("\n") }, ...shown.map((s) => element("div", {}, s))));
  }

  #switches() {
    const menu = element("div", { class: "menu" });
    const item = (key, label) => {
      const box = element("input", { type: "checkbox", id: `show-${key}`, onchange: () => this.show(key, box.checked) });
      box.checked = this.shown[key];
      menu.append(element("label", {}, box, " ", label));
    };
    item("grid", text("show_grid"));
    item("joints", text("show_joints"));
    item("arrows", text("show_arrows"));
    item("traces", text("show_traces"));
    item("labels", text("show_labels"));
    if (this.wheelForces) item("yq", text("show_yq"));
    if (this.wheelForces) item("closeup", text("show_closeup"));
    if (this.results.length > 1) item("ghost", text("show_ghost"));
    const drop = (this.drop = element("details", { class: "drop" }, element("summary", {}, text("show")), menu));
    document.addEventListener("pointerdown", (e) => { if (!drop.contains(e.target)) drop.open = false; });
    return drop;
  }

  #plotModes() {
    const modes = ["time", ...(this.railway ? ["distance"] : []), "psd"].map((mode) => button(text(`plot_${mode}`), text(`plot_${mode}`), () => {
      this.plots.setMode(mode);
      modes.forEach((b) => b.setAttribute("aria-pressed", b.dataset.mode === mode));
    }, { "data-mode": mode, "aria-pressed": mode === (this.railway ? "distance" : "time") }));
    return element("div", { class: "modes" }, ...modes, button(icon("close"), text("plot_clear"), () => this.plots.clear()));
  }

  #splitter(right) {
    const bar = element("div", { class: "splitter", title: text("resize"), role: "separator", tabindex: 0, "aria-orientation": "vertical", "aria-label": text("resize") });
    const widen = (width) => this.app.style.setProperty("--right", `${Math.min(innerWidth - 480, Math.max(240, width))}px`);
    bar.addEventListener("keydown", (e) => {
      const step = { ArrowLeft: 24, ArrowRight: -24 }[e.key];
      if (!step) return;
      widen(right.clientWidth + step);
      e.preventDefault();
    });
    bar.addEventListener("pointerdown", (e) => {
      bar.setPointerCapture(e.pointerId);
      bar.onpointermove = (m) => widen(innerWidth - m.clientX);
    });
    bar.addEventListener("pointerup", () => (bar.onpointermove = null));
    return bar;
  }

  #showParts(shown = !this.app.classList.contains("parts")) {
    this.app.classList.toggle("parts", shown);
    this.partsButton.setAttribute("aria-pressed", shown);
  }

  #help() {
    this.helpBox?.remove();
    if (this.helpBox) return (this.helpBox = null);
    const topics = ["keys", ...(this.modal ? ["keys_modes"] : []), ...(this.wheelForces ? ["keys_wheels"] : []), ...(this.results.length > 1 ? ["keys_results"] : [])];
    const rows = topics.flatMap((t) => text(t).split("\n")).map((line) => line.split(": "));
    this.helpBox = element("div", { class: "help", role: "dialog", "aria-label": text("help_title") },
      element("header", {}, element("h2", {}, text("help_title")), button(icon("close"), text("close"), () => this.#help(), { class: "tiny" })),
      element("dl", {}, ...rows.map(([keys, what]) => element("div", {}, element("dt", {}, ...keys.split(" ").map((k) => element("kbd", {}, k))), element("dd", {}, what)))));
    this.app.append(this.helpBox);
  }

  // ---- scene ----

  async #buildWorld() {
    const message = (key) => this.sceneHost.append(element("p", { class: "message" }, text(key)));
    const { scene, time, badScene } = this.results[0];
    if (!scene) return message(badScene ? "error_bad_scene" : "error_scene");
    this.tree = new Tree(this.treeHost, scene, (name) => this.select(name === this.selected ? null : name));
    if (!time.length && this.results[0].kind === "run") return message("error_empty");
    try {
      this.world = await World.create(this.sceneHost, this.results, this.theme);
    } catch (e) {
      if (!/WebGL/i.test(e.message)) throw e;
      return message("error_webgl");
    }
    const { stage } = this.world;
    this.labels = new Labels(this.sceneHost, stage);
    for (const b of scene.bodies) if (b.type !== "ground") this.labels.add(b.name, b.name, () => this.world.whereIs(b.name));
    this.#cameraBar();
    this.#noteGaps();
    if (this.modal || this.world.first.skins.size) this.deform = new Deform(this.sceneHost, this.world, { modes: this.modal, changed: () => stage.invalidate() });
    if (this.world.surfaces.names.length) new Values(this.sceneHost, this.world.surfaces, { changed: () => stage.invalidate() });
    if (this.world.wheels.any) this.#addWheels();
    this.#colourTree();
    this.#clicks();
    new ResizeObserver(() => stage.resize()).observe(this.sceneHost);
  }

  // what wheels on rails have beside the rest: colours by Y/Q with their scale, a close-up
  #addWheels() {
    const { wheels, stage } = this.world;
    if (this.wheelForces) this.yqScale = element("div", { class: "deform yq" }, element("span", { class: "tones" }, "Y/Q 0 ",
      element("i", { style: { background: `linear-gradient(90deg, ${YQ_COLOURS.join(", ")})` } }), element("b", {}, String(YQ_LIMIT))));
    if (this.yqScale) this.sceneHost.append(this.yqScale);
    if (this.wheelForces) this.closeUp = new CloseUp(this.sceneHost, this.results[0], { close: () => this.show("closeup", false), now: () => this.clock.time });
    wheels.read().then(() => {
      wheels.update(this.clock.time);
      stage.invalidate();
    });
  }

  #cameraBar() {
    const { stage } = this.world;
    const views = [["iso", "⬔"], ["front", "F"], ["side", "S"], ["top", "T"]];
    this.cameraNote = element("span", { class: "camera-note", hidden: true });
    this.sceneHost.append(element("div", { class: "views", role: "toolbar", "aria-label": text("camera") },
      ...views.map(([name, sign]) => button(sign, text(`view_${name}`), () => this.view(name))),
      button("⤢", text("view_fit"), () => this.view("iso")), this.cameraNote));
    this.sceneHost.append(element("span", { class: "scale" }, `▦ ${number(stage.gridStep)} m   g ${number(Math.hypot(...(this.results[0].scene.gravity ?? [0])))} m/s²`));
    this.#noteCamera();
  }

  #colourTree() {
    let i = 0;
    for (const b of this.results[0].scene.bodies) if (b.type !== "ground") this.tree.setColour(b.name, this.world.look.body(i++));
  }

  // a click, not the end of a turn of the camera
  #clicks() {
    const { stage } = this.world;
    let down = null;
    stage.canvas.addEventListener("pointerdown", (e) => {
      down = [e.clientX, e.clientY];
      this.#showParts(false);
    });
    stage.canvas.addEventListener("pointerup", (e) => {
      if (!down || Math.hypot(e.clientX - down[0], e.clientY - down[1]) > 4) return;
      const hit = stage.pick(e.clientX, e.clientY, stage.scene);
      this.select(hit?.name ?? null);
    });
  }

  view(name) {
    if (!this.world) return;
    if (this.world.camera.mode === "ride") this.setCamera("free");
    const follow = this.world.camera.mode === "follow";
    const { stage } = this.world;
    stage.view(name, follow ? stage.controls.target.clone() : undefined);
    this.world.camera.last = null;
    this.world.camera.update();
  }

  setCamera(mode, body) {
    if (!this.world) return;
    const { camera } = this.world;
    if (camera.mode === mode && camera.body === body) mode = "free"; // the same button again lets go
    camera.set(mode, body);
    this.#noteCamera();
    this.world.stage.invalidate();
  }

  #noteCamera() {
    const { camera } = this.world;
    this.cameraNote.hidden = camera.mode === "free";
    this.cameraNote.replaceChildren(
      camera.mode === "free" ? "" : text(`camera_${camera.mode}_what`, camera.body),
      button(icon("close"), text("camera_free"), () => this.setCamera("free"), { class: "tiny" }));
  }

  #traced(name) {
    return Boolean(this.world?.traces.has(`body ${name}`));
  }
  #trace(name) {
    if (!this.world) return;
    const { traces } = this.world, key = `body ${name}`;
    if (traces.has(key)) traces.remove(key);
    else traces.add(key, name, this.results[0].scene.bodies.find((b) => b.name === name).center);
    const { clientWidth, clientHeight } = this.sceneHost;
    traces.resize(clientWidth, clientHeight);
    this.show("traces", true);
    this.details.show(name);
  }

  /** Shows or hides a layer of the scene. */
  show(key, visible = !this.shown[key]) {
    if (!this.world || this.shown[key] === undefined) return;
    this.shown[key] = visible;
    const box = document.getElementById(`show-${key}`);
    if (box) box.checked = visible;
    const { stage, actors, arrows, traces, first } = this.world;
    if (key === "grid") stage.showGrid(visible);
    if (key === "joints") first.showSymbols(visible);
    if (key === "arrows") arrows.show(visible).then(() => stage.invalidate());
    if (key === "arrows") this.world.wheels.showArrows(visible);
    if (key === "yq") this.world.wheels.setColoured(visible);
    if (key === "yq" && this.yqScale) this.yqScale.hidden = !visible;
    if (key === "closeup" && visible) this.closeUp?.show(this.selected);
    if (key === "closeup" && !visible) this.closeUp?.hide();
    if (key === "traces") traces.root.visible = visible;
    if (key === "ghost") for (const a of actors.slice(1)) a.root.visible = visible;
    stage.invalidate();
  }

  select(name) {
    const scene = this.results[0].scene;
    const known = scene && (scene.bodies.some((b) => b.name === name) || scene.elements.some((e) => e.name === name));
    this.selected = known ? name : null;
    this.world?.select(this.selected);
    this.tree?.select(this.selected);
    this.details.show(this.selected);
    if (this.shown.closeup) this.closeUp?.show(this.selected);
    this.labels?.remove("selected");
    if (this.selected && this.labels) this.labels.add("selected", this.selected, () => this.world.whereIs(name), true);
  }

  toggleTheme() {
    this.theme = this.theme === "dark" ? "light" : "dark";
    this.#setTheme();
    remember(this.theme);
    this.world?.setTheme(this.theme);
    if (this.world) this.#colourTree();
    this.plots.setTheme(this.theme);
  }

  // ---- time ----

  #timeChanged() {
    this.changed = true;
  }

  #tick(now) {
    const passed = this.last === undefined ? 0 : Math.min(0.25, (now - this.last) / 1000);
    this.last = now;
    this.clock.advance(passed);
    if (this.changed) this.#showTime(now);
    if (this.world?.stage.draw()) this.labels.update(this.shown.labels);
    if (this.clock.playing) this.#watchSpeed(passed);
    requestAnimationFrame((t) => this.#tick(t));
  }

  #showTime() {
    this.changed = false;
    const t = this.clock.time;
    this.world?.setTime(t);
    this.plots.setTime(t);
    this.details.setTime(t);
    this.closeUp?.setTime(t);
  }

  // below 20 frames a second for a while, sooner when far below: draw cheaper
  #watchSpeed(passed) {
    const stage = this.world?.stage;
    if (!stage || stage.economic || passed <= 0) return;
    this.slow = (this.slow ?? 0) * 0.97 + (passed > 0.1 ? 0.15 : passed > 0.05 ? 0.03 : 0);
    if (this.slow > 0.5) stage.economise();
  }

  #stepMode(count) {
    if (this.modeList) this.setMode(this.modeList.step(this.mode, count));
  }

  // what lies on top goes first
  #escape() {
    if (this.helpBox) this.#help();
    else if (this.drop.open) this.drop.open = false;
    else if (this.app.classList.contains("parts")) this.#showParts(false);
    else this.select(null);
  }

  #keys() {
    const c = this.clock;
    listenToKeys({
      " ": () => c.toggle(), ArrowLeft: () => c.step(-1), ArrowRight: () => c.step(1), "Shift ArrowLeft": () => c.step(-10), "Shift ArrowRight": () => c.step(10),
      Home: () => c.set(c.start), End: () => c.set(c.end), "+": () => c.changeSpeed(1), "=": () => c.changeSpeed(1), "-": () => c.changeSpeed(-1),
      l: () => c.setLoop(!c.loop), 1: () => this.view("iso"), 2: () => this.view("front"), 3: () => this.view("side"), 4: () => this.view("top"), f: () => this.view("iso"),
      g: () => this.show("grid"), j: () => this.show("joints"), a: () => this.show("arrows"), t: () => this.show("traces"), n: () => this.show("labels"), o: () => this.show("ghost"), y: () => this.show("yq"), c: () => this.show("closeup"),
      ArrowUp: () => this.#stepMode(-1), ArrowDown: () => this.#stepMode(1),
      d: () => this.toggleTheme(), "?": () => this.#help(), "/": () => document.getElementById("search").focus(), Escape: () => this.#escape(),
      q: () => this.world?.turn(-0.1, 0), e: () => this.world?.turn(0.1, 0), w: () => this.world?.turn(0, 0.1), s: () => this.world?.turn(0, -0.1),
      PageUp: () => this.world?.zoom(1 / 1.15), PageDown: () => this.world?.zoom(1.15),
    });
  }
}
