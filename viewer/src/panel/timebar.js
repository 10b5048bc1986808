// Play, pause, step, speed, repeat, scrub.
import { number, timeDecimals } from "../format.js";
import { SPEEDS } from "../play/clock.js";
import { text } from "../texts.js";
import { button, element, icon } from "./dom.js";

export class TimeBar {
  /** `phase`: the time is the phase of a mode. */
  constructor(host, clock, { phase = false } = {}) {
    Object.assign(this, { clock, phase });
    this.decimals = timeDecimals(clock.times);
    this.play = button(icon("play"), text("play"), () => clock.toggle(), { class: "main", id: "play" });
    this.range = element("input", { type: "range", id: "scrub", min: 0, max: 10000, step: 1, value: 0, "aria-label": text("scrub"),
      oninput: () => clock.set(clock.start + (this.range.value / 10000) * (clock.end - clock.start)) });
    this.speed = element("select", { id: "speed", title: text("speed"), "aria-label": text("speed"), onchange: () => clock.setSpeed(Number(this.speed.value)) });
    this.loop = button(icon("loop"), text("loop"), () => clock.setLoop(!clock.loop), { "aria-pressed": clock.loop });
    this.time = element("output", { id: "time", class: "time" });
    this.frame = element("span", { class: "frame" });
    host.append(
      button(icon("first"), text("first"), () => clock.set(clock.start)),
      button(icon("back"), text("back"), () => clock.step(-1)),
      this.play,
      button(icon("forward"), text("forward"), () => clock.step(1)),
      button(icon("last"), text("last"), () => clock.set(clock.end)),
      this.range, element("div", { class: "clock" }, this.time, this.frame), this.speed, this.loop);
    clock.onChange(() => this.update());
    this.update();
  }

  #speeds() {
    const known = SPEEDS.includes(this.clock.speed) ? SPEEDS : [...SPEEDS, this.clock.speed].sort((a, b) => a - b);
    if (this.speed.options.length === known.length) return;
    this.speed.replaceChildren(...known.map((s) => element("option", { value: s }, `${number(s)} ×`)));
  }

  update() {
    const c = this.clock, span = c.end - c.start;
    if (this.playing !== c.playing) {
      this.playing = c.playing;
      this.play.replaceChildren(icon(c.playing ? "pause" : "play"));
      this.play.title = text(c.playing ? "pause" : "play");
      this.play.setAttribute("aria-label", this.play.title);
    }
    this.range.value = span > 0 ? Math.round(((c.time - c.start) / span) * 10000) : 0;
    const time = c.time.toFixed(this.decimals).replace("-", "−");
    this.time.textContent = this.phase ? `${Math.round(360 * c.time)}°` : `${time} s`;
    this.frame.textContent = this.phase ? text("phase") : c.times.length ? text("frame_of", c.frame + 1, c.times.length) : text("frame_none");
    this.#speeds();
    if (document.activeElement !== this.speed) this.speed.value = String(c.speed);
    this.loop.setAttribute("aria-pressed", c.loop);
  }
}
