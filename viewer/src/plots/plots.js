// Curves beside the scene: one panel a unit, all over the same time, tied to the clock.
import uPlot from "uplot";
import { number, steady, unit as unitText } from "../format.js";
import { button, element, icon } from "../panel/dom.js";
import { frameAt } from "../play/clock.js";
import { psd } from "../play/signal.js";
import { curves as curveColours } from "../scene/look.js";
import { text } from "../texts.js";

const MOST_CURVES = 24;

export class Plots {
  constructor(host, results, clock) {
    Object.assign(this, { host, results, clock });
    this.names = [];
    this.panels = [];
    this.mode = "time";
    this.theme = "light";
    this.list = element("div", { class: "plot-list" });
    host.append(this.list);
    this.building = Promise.resolve();
    new ResizeObserver(() => this.#fit()).observe(this.list);
  }

  channel(name) {
    for (const r of this.results) if (r.channels.has(name)) return r.channels.get(name);
    return null;
  }

  add(...names) {
    for (const n of names) if (this.channel(n) && !this.names.includes(n) && this.names.length < MOST_CURVES) this.names.push(n);
    return this.rebuild();
  }
  remove(name) {
    this.names = this.names.filter((n) => n !== name);
    return this.rebuild();
  }
  clear() {
    this.names = [];
    return this.rebuild();
  }
  setMode(mode) {
    this.mode = mode;
    this.range = null;
    return this.rebuild();
  }
  setTheme(theme) {
    this.theme = theme;
    return this.rebuild();
  }

  /** The same curves with the rows that have come since. */
  refresh() {
    for (const { plot, plan } of this.panels) plot.setData(this.mode === "psd" ? spectra(plan.curves) : series(plan.curves));
    this.setTime(this.clock.time);
  }

  // one after the other, so that two quick clicks cannot interleave
  rebuild() {
    this.building = this.building.then(() => this.#build());
    return this.building;
  }

  async #build() {
    const units = new Map();
    for (const name of this.names) {
      const u = this.channel(name).unit || "1";
      units.set(u, [...(units.get(u) ?? []), name]);
    }
    const plans = [];
    let colour = 0;
    for (const [u, names] of units) {
      const curves = [];
      for (const name of names) {
        const ink = curveColours[this.theme][colour++ % curveColours[this.theme].length];
        for (const [k, r] of this.results.entries()) {
          const column = await r.column(name);
          if (column) curves.push({ name, ink, column, result: k, label: r.label });
        }
      }
      plans.push({ unit: u, curves });
    }
    for (const p of this.panels) p.plot.destroy();
    this.panels = [];
    this.list.replaceChildren();
    if (!plans.length) this.list.append(element("p", { class: "hint" }, text("plot_empty")));
    plans.forEach((plan, i) => this.#panel(plan, i === plans.length - 1));
    this.#fit();
    this.setTime(this.clock.time);
  }

  #panel(plan, last) {
    const legend = element("div", { class: "legend" });
    const body = element("div", { class: "plot" });
    this.list.append(element("section", { class: "panel" }, legend, body));
    const readings = plan.curves.map((c) => this.#legendEntry(legend, c, plan.unit));
    const data = this.mode === "psd" ? spectra(plan.curves) : series(plan.curves);
    const plot = new uPlot(this.#options(plan, last), data, body);
    const now = element("div", { class: "now" });
    plot.over.append(now);
    this.#clicks(plot);
    this.panels.push({ plot, now, plan, readings, body });
  }

  #legendEntry(legend, curve, u) {
    const value = element("b", {});
    const mark = element("i", { class: curve.result ? "swatch dashed" : "swatch", style: { borderColor: curve.ink } });
    const entry = element("span", { class: "entry", title: this.channel(curve.name).about ?? "" }, mark, curve.name, " ", value, " " + unitText(u));
    if (curve.result === 0)
      entry.append(button(icon("close"), text("plot_remove", curve.name), () => this.remove(curve.name), { class: "tiny" }));
    legend.append(entry);
    return value;
  }

  #options(plan, last) {
    const spectrum = this.mode === "psd";
    const style = getComputedStyle(this.host);
    const ink = style.getPropertyValue("--ink-2").trim(), grid = style.getPropertyValue("--line").trim();
    const axis = { stroke: ink, grid: { stroke: grid, width: 1 }, ticks: { stroke: grid, width: 1, size: 4 }, font: "11px system-ui, sans-serif", labelFont: "11px system-ui, sans-serif" };
    const label = spectrum ? text("plot_psd_unit", unitText(plan.unit) || "1") : unitText(plan.unit) || "1";
    return {
      width: 300, height: 150, legend: { show: false },
      padding: [6, 16, 0, 0], pxAlign: 0,
      cursor: { drag: { x: true, y: false }, points: { size: 6 }, dataIdx: null, y: false },
      scales: {
        x: { time: false },
        y: spectrum ? { distr: 3, range: spectrumRange } : {},
      },
      axes: [
        { ...axis, size: 24, ...(last ? { label: spectrum ? text("plot_frequency") : text("plot_x"), labelSize: 16, labelGap: 0 } : {}), values: (_, v) => v.map((x) => number(x)) },
        { ...axis, size: 54, space: 26, label, labelSize: 14, labelGap: 0, values: (_, v) => v.map((x) => (x === null ? "" : number(x, 4))) },
      ],
      series: [{}, ...plan.curves.map((c) => ({
        stroke: c.ink, width: c.result ? 1.3 : 1.6, dash: c.result ? [6, 4] : undefined, points: { show: false }, spanGaps: true,
      }))],
      hooks: { setScale: [(u, key) => key === "x" && this.#zoomed(u)], ready: [] },
    };
  }

  // zoom of one panel is zoom of all
  #zoomed(plot) {
    if (this.zooming) return;
    this.zooming = true;
    const { min, max } = plot.scales.x;
    for (const p of this.panels) if (p.plot !== plot) p.plot.setScale("x", { min, max });
    this.zooming = false;
    this.setTime(this.clock.time);
  }

  #clicks(plot) {
    let down = null;
    plot.over.addEventListener("mousedown", (e) => (down = e.clientX));
    plot.over.addEventListener("click", (e) => {
      if (this.mode !== "time" || down === null || Math.abs(e.clientX - down) > 3) return;
      const left = e.clientX - plot.over.getBoundingClientRect().left;
      this.clock.set(plot.posToVal(left, "x"));
    });
  }

  #fit() {
    const width = this.list.clientWidth, count = this.panels.length;
    if (!width || !count) return;
    const legends = this.panels.reduce((sum, p) => sum + p.body.previousSibling.offsetHeight + 16, 0);
    const height = Math.max(110, Math.min(340, Math.floor((this.list.clientHeight - legends) / count)));
    for (const p of this.panels) p.plot.setSize({ width, height });
    this.setTime(this.clock.time);
  }

  /** Moves the cursor of all panels and shows the values there. */
  setTime(t) {
    for (const { plot, now, plan, readings } of this.panels) {
      if (this.mode === "time") {
        const x = plot.valToPos(t, "x"), inside = x >= 0 && x <= plot.over.clientWidth;
        now.style.display = inside ? "block" : "none";
        now.style.transform = `translateX(${x}px)`;
      } else now.style.display = "none";
      plan.curves.forEach((c, i) => (readings[i].textContent = steady(valueAt(c.column, t))));
    }
  }
}

/** A channel's value at time t, by a straight line between rows. */
export function valueAt({ time, values, offset }, t) {
  if (!time.length) return null;
  const i = frameAt(time, t);
  if (i + 1 >= time.length || t <= time[i]) return values[i] + offset;
  const s = (t - time[i]) / (time[i + 1] - time[i]);
  return values[i] + s * (values[i + 1] - values[i]) + offset;
}

function full(column) {
  return column.offset === 0 ? column.values : Float64Array.from(column.values, (v) => v + column.offset);
}

function joined(tables) {
  const same = tables.every((t) => t[0] === tables[0][0]);
  return same ? [tables[0][0], ...tables.map((t) => t[1])] : uPlot.join(tables);
}

function series(curves) {
  return joined(curves.map((c) => [c.column.time, full(c.column)]));
}

// eight decades below the highest peak are enough to see
function spectrumRange(_, low, high) {
  if (!(high > 0)) return [1e-12, 1];
  return [10 ** Math.floor(Math.log10(Math.max(low || 0, high * 1e-8))), 10 ** Math.ceil(Math.log10(high * 1.0001))];
}

function spectra(curves) {
  return joined(curves.map((c) => {
    const s = psd(c.column.time, full(c.column));
    if (!s) return [[0, 1], [null, null]];
    // frequency zero is the mean that was taken off
    return [s.frequency.slice(1), Array.from(s.density.slice(1), (d) => (d > 0 ? d : null))];
  }));
}
