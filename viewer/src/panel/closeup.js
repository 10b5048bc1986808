// Close-up of one wheelset: both wheels over their rails as sections, contact patches, Y and Q as arrows with numbers.
// The patch is a line of its width in the section; below it is drawn as an ellipse, MAGNIFIED and seen from above.
import { valueAt } from "../plots/plots.js";
import { outlineAt, slopeAt, wheelOverRail, wheelsets } from "../play/rail.js";
import { number } from "../format.js";
import { text } from "../texts.js";
import { button, element, icon } from "./dom.js";

const WIDTH = 200, HEIGHT = 170, SPAN = 0.2; // pixels of one wheel; metres that they show
const MAGNIFIED = 3; // the ellipse over the section
const CHANNELS = ["Y", "Q", "YQ", "lift", "wheel_u", "patches", "a", "b"];

function draw(tag, attributes) {
  const e = document.createElementNS("http://www.w3.org/2000/svg", tag);
  place(e, attributes);
  return e;
}

export class CloseUp {
  constructor(host, results, { close, now }) {
    Object.assign(this, { results, now });
    this.sets = wheelsets(results.scene).filter((e) => e.wheels?.length);
    this.select = element("select", { id: "closeup", "aria-label": text("closeup"), onchange: () => this.show(this.select.value) },
      ...this.sets.map((e) => element("option", { value: e.name }, e.name)));
    this.pictures = element("div", { class: "closeup-wheels" });
    this.root = element("div", { class: "closeup", hidden: true }, element("div", { class: "closeup-head" }, this.select, button(icon("close"), text("close"), close, { class: "tiny" })), this.pictures);
    host.append(this.root);
  }

  /** Shows the wheelset of that name, or of that body; the first one otherwise. */
  async show(name) {
    const set = this.sets.find((e) => e.name === name || e.markers[1]?.body === name) ?? this.set ?? this.sets[0];
    if (!set) return;
    this.set = set;
    this.select.value = set.name;
    this.root.hidden = false;
    const wheels = [];
    for (const w of set.wheels) {
      const end = w.side > 0 ? "left" : "right", columns = { shift: await this.results.column(`${set.name}.shift`) };
      for (const k of CHANNELS) columns[k] = await this.results.column(`${set.name}.${k}_${end}`);
      wheels.push({ w, columns, end, ...this.#picture(w) });
    }
    if (this.set !== set) return;
    this.wheels = wheels;
    this.pictures.replaceChildren(...wheels.map((p) => p.figure)); // left wheel on the left: seen from behind
    this.setTime(this.now());
  }

  hide() {
    this.root.hidden = true;
  }

  // y of the picture grows downward; the left wheel has its field side on the left
  #map(w, middle) {
    const scale = WIDTH / SPAN;
    return ([y, z]) => [WIDTH / 2 - w.side * (y - middle) * scale, 0.42 * HEIGHT - z * scale];
  }

  #picture(w) {
    const svg = draw("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, width: WIDTH, height: HEIGHT });
    const rail = draw("path", { class: "rail" }), wheel = draw("path", { class: "wheel" }), dot = draw("ellipse", { class: "dot" });
    const ellipse = draw("ellipse", { cx: 30, cy: HEIGHT - 44, class: "patch" }), size = draw("text", { x: 30, y: HEIGHT - 6, class: "magnified" });
    size.textContent = text("closeup_patch", MAGNIFIED);
    const Q = draw("path", { class: "Q" }), Y = draw("path", { class: "Y" });
    const names = { Y: draw("text", { class: "Y name" }), Q: draw("text", { class: "Q name" }) };
    for (const k in names) names[k].textContent = k;
    svg.append(rail, wheel, Q, Y, dot, ellipse, size, names.Y, names.Q);
    const caption = element("figcaption", {});
    const map = this.#map(w, w.half);
    const top = w.rail.map(map), low = map([0, -0.062])[1];
    rail.setAttribute("d", `M${top.map((p) => p.join(" ")).join("L")}L${top.at(-1)[0]} ${low}L${top[0][0]} ${low}Z`);
    return { figure: element("figure", {}, svg, caption), wheel, dot, ellipse, size, Q, Y, names, caption, map };
  }

  setTime(t) {
    if (this.root.hidden || !this.wheels) return;
    for (const p of this.wheels) this.#place(p, t);
  }

  #place({ w, columns, end, wheel, dot, ellipse, size, Q, Y, names, caption, map }, t) {
    const now = (k) => (columns[k] ? valueAt(columns[k], t) : NaN);
    const pose = wheelOverRail(w, now("shift") || 0, now("lift"));
    const outline = w.wheel.map(([y, z]) => map([y + pose.y, z + pose.z])), high = map([0, 0.07])[1];
    wheel.setAttribute("d", `M${outline.map((p) => p.join(" ")).join("L")}L${outline.at(-1)[0]} ${high}L${outline[0][0]} ${high}Z`);
    const u = now("wheel_u"), touching = now("Q") !== 0 && Number.isFinite(u);
    const at = map([(touching ? u : 0) + pose.y, (outlineAt(w.wheel, touching ? u : 0) ?? 0) + pose.z]);
    const [a, b] = [now("a") || 0, now("b") || 0].map((x) => (x * WIDTH) / SPAN);
    for (const e of [dot, Q, Y, ellipse, size, names.Y, names.Q]) e.style.display = touching ? "" : "none";
    const turn = (w.side * Math.atan(slopeAt(w.wheel, u || 0)) * 180) / Math.PI; // y of the picture grows downward
    place(dot, { cx: at[0], cy: at[1], rx: Math.max(3, b), ry: 2, transform: `rotate(${turn} ${at[0]} ${at[1]})` });
    place(ellipse, { rx: MAGNIFIED * b, ry: MAGNIFIED * a });
    const full = Math.max(...this.wheels.map((p) => p.columns.Q?.channel.high ?? 1)), pixels = 75 / full;
    const [down, out] = [now("Q") * pixels, -w.side * now("Y") * pixels];
    arrow(Q, at, [0, down]);
    arrow(Y, at, [out, 0]);
    place(names.Q, { x: at[0] + 11, y: at[1] + down });
    place(names.Y, { x: Math.min(WIDTH - 6, Math.max(6, at[0] + out + 8 * Math.sign(out))), y: at[1] - 6 });
    if (Math.abs(out) <= 2) names.Y.style.display = "none"; // as its arrow
    const kN = (f) => number(f / 1e3, 3), mm = (x) => number(2e3 * x, 3);
    caption.textContent = touching ? text("closeup_forces", text(`closeup_${end}`), kN(now("Y")), kN(now("Q")), number(now("YQ"), 3), mm(now("a")), mm(now("b")), Math.round(now("patches")))
      : text("closeup_lift", text(`closeup_${end}`), number(1e3 * (now("lift") || 0), 3));
  }
}

function place(e, attributes) {
  for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
}

function arrow(path, [x, y], [dx, dy]) {
  const length = Math.hypot(dx, dy), [ex, ey] = [x + dx, y + dy];
  if (!(length > 2)) return path.setAttribute("d", "");
  const [ux, uy] = [dx / length, dy / length], h = Math.min(8, 0.6 * length);
  path.setAttribute("d", `M${x} ${y}L${ex - ux * h} ${ey - uy * h}M${ex} ${ey}L${ex - ux * h - uy * h * 0.45} ${ey - uy * h + ux * h * 0.45}L${ex - ux * h + uy * h * 0.45} ${ey - uy * h - ux * h * 0.45}Z`);
}
