// How far flexible bodies and modes are drawn out, and what their colour means.
import { number, unit } from "../format.js";
import { largest, worstDamage } from "../read/skin.js";
import { LIFE_RANGE, TONE_STOPS } from "../scene/skin.js";
import { text } from "../texts.js";
import { element } from "./dom.js";

const SAMPLES = 40; // moments at which the largest value is looked for

export class Deform {
  /** Drawn into the scene; `modes`: amplitudes are relative, colours too. */
  constructor(host, world, { modes = false, changed }) {
    Object.assign(this, { world, modes, changed });
    this.skins = [...world.first.skins.values()];
    this.factor = 1;
    this.life = worstDamage(this.skins.map((s) => s.skin));
    this.colouring = this.life.most > 0 ? "life" : modes && this.skins.length && !world.first.motion.bodies.length ? "displacement" : "plain";
    const [low, high] = modes ? [-1, 1] : [-1, 4];
    this.value = element("output", {});
    this.range = element("input", { type: "range", id: "deform", min: low, max: high, step: 0.05, value: 0, "aria-label": text(modes ? "amplitude" : "deform"),
      oninput: () => this.setFactor(10 ** Number(this.range.value)) });
    const box = element("div", { class: "deform" }, element("label", {}, text(modes ? "amplitude" : "deform"), " ", this.range, this.value));
    if (this.skins.length) box.append(this.#colours());
    host.append(box);
    this.setFactor(1);
  }

  #colours() {
    const kinds = ["plain", "displacement", ...(this.skins.every((s) => s.skin.components) ? ["stress"] : []), ...(this.life.most > 0 ? ["life"] : [])];
    this.select = element("select", { id: "colouring", "aria-label": text("colouring"), onchange: () => this.setColouring(this.select.value) }, ...kinds.map((k) => element("option", { value: k }, text(`colour_${k}`))));
    this.select.value = this.colouring;
    this.legend = element("span", { class: "tones" }, (this.low = element("b", {})), " ", element("i", { style: { background: `linear-gradient(90deg, ${TONE_STOPS.join(", ")})` } }), (this.top = element("b", {})));
    return element("div", { class: "colouring" }, this.select, this.legend);
  }

  setFactor(factor) {
    this.factor = factor;
    this.value.textContent = ` ${number(factor, 3)} ×`;
    if (this.modes) this.world.setAmplitude(factor);
    else for (const a of this.world.actors) {
      for (const s of a.skins.values()) s.setDeformation(factor);
      a.follow();
    }
    this.setColouring(this.colouring);
  }

  setColouring(name) {
    this.colouring = name;
    if (this.select) this.select.value = name;
    const top = name === "plain" || !this.skins.length ? 0 : this.#top(name);
    for (const a of this.world.actors) for (const s of a.skins.values()) s.setColouring(name, top);
    if (this.legend) {
      this.legend.hidden = name === "plain";
      this.low.textContent = name === "life" ? text("life_hours", number(LIFE_RANGE * this.life.hours, 3)) : "0";
      this.top.textContent = name === "life" ? text("life_hours", number(this.life.hours, 3)) : this.modes ? text("relative") : name === "stress" ? `${number(top / 1e6, 3)} MPa` : `${number(top * 1000, 3)} ${unit("mm")}`;
    }
    this.changed();
  }

  // the largest value over the whole motion, so that colours stay comparable in time
  #top(name) {
    if (name === "life") return this.life.most;
    let most = 0;
    for (const [body, skin] of this.world.first.skins) {
      const motion = this.world.first.motion, n = motion.time.length;
      const times = Array.from({ length: Math.min(n, SAMPLES) }, (_, i) => motion.time[Math.round((i * (n - 1)) / Math.max(1, Math.min(n, SAMPLES) - 1))]);
      most = Math.max(most, largest(skin.skin, name, times.map((t) => motion.coordinates(body, t, skin.skin.modes))));
    }
    return most;
  }
}
