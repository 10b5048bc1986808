// The list of modes and the plane of their eigenvalues; both choose the mode that moves.
import { number } from "../format.js";
import { text } from "../texts.js";
import { element } from "./dom.js";
import { scatter } from "../plots/scatter.js";

const percent = (x) => (x === null ? "" : `${number(100 * x, 3)} %`);

/** Modes whose real parts and damping are zero where they are only noise of the computation. */
export function withoutNoise(modes) {
  const most = modes.reduce((m, { re, im }) => Math.max(m, Math.hypot(re ?? 0, im ?? 0)), 0);
  return modes.map((m) => {
    const noise = Math.abs(m.re) < 1e-9 * most;
    return { ...m, re: noise ? 0 : m.re, damping: m.damping !== null && (noise || Math.abs(m.damping) < 1e-9) ? 0 : m.damping };
  });
}

export class ModeList {
  /** `choose(i)` is called with the index of a mode. */
  constructor(listHost, plotHost, modes, choose) {
    this.modes = modes = withoutNoise(modes);
    // of a conjugate pair one is enough
    this.shown = modes.map((m, i) => i).filter((i) => !(modes[i].im < 0));
    this.rows = new Map(this.shown.map((i) => {
      const m = modes[i];
      const row = element("button", { type: "button", class: "row mode", role: "option", title: m.text || text("mode_number", m.number), onclick: () => choose(i) },
        element("span", { class: "number" }, String(m.number)), element("span", { class: "name" }, `${number(m.frequency, 4)} Hz`),
        element("span", { class: "type" }, m.re > 0 ? text("mode_grows") : percent(m.damping)));
      return [i, row];
    }));
    listHost.append(element("div", { class: "modes-head" }, text("modes", this.shown.length)), element("div", { role: "listbox", "aria-label": text("modes", ""), id: "modes" }, ...this.rows.values()));
    this.note = element("p", { class: "mode-text" });
    listHost.append(this.note);
    if (plotHost) this.#plane(plotHost, choose);
  }

  #plane(host, choose) {
    const modes = this.shown.map((i) => this.modes[i]);
    const damped = modes.some((m) => m.damping !== null);
    this.plane = damped
      ? scatter(host, { points: this.shown.map((i) => ({ x: this.modes[i].re, y: this.modes[i].im, key: i, title: this.#words(i) })), x: text("axis_real"), y: text("axis_imag"), zero: true, pick: choose })
      : scatter(host, { points: this.shown.map((i) => ({ x: this.modes[i].number, y: this.modes[i].frequency, key: i, title: this.#words(i) })), x: text("axis_mode"), y: text("axis_frequency"), pick: choose });
  }

  #words(i) {
    const m = this.modes[i];
    return [text("mode_number", m.number), `${number(m.frequency, 5)} Hz`, m.damping === null ? "" : text("mode_damping", percent(m.damping)), m.text].filter(Boolean).join(" · ");
  }

  select(i) {
    for (const [k, row] of this.rows) row.setAttribute("aria-selected", k === i);
    this.rows.get(i)?.scrollIntoView({ block: "nearest" });
    this.note.textContent = this.#words(i);
    this.plane?.select(i);
  }

  /** The next (+1) or the one before (-1), round the list. */
  step(from, count) {
    const k = this.shown.indexOf(from);
    return this.shown[(k + count + this.shown.length) % this.shown.length];
  }
}
