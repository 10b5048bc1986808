// Curves beside the scene: one panel a unit, all over the same time, tied to the clock.
import uPlot from "uplot";
import { number, steady, tickTexts, unit as unitText } from "../format.js";
import { button, element, icon } from "../panel/dom.js";
import { frameAt } from "../play/clock.js";
import { ascendingWay, interpolate, leader, wayOf } from "../play/rail.js";
import { noSpectrum, psd } from "../play/signal.js";
import { dashLine } from "./dash.js";
import { DASHES, curves as curveColours } from "../scene/look.js";
import { text } from "../texts.js";

const MOST_CURVES = 24;
const NAME = 16; // height of the name of an axis [px]

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
    for (const { plot, plan } of this.panels) plot?.setData(this.#data(plan));
    this.setTime(this.clock.time);
  }

  // one after the other, so that two quick clicks cannot interleave
  rebuild() {
    this.building = this.building.then(() => this.#build());
    return this.building;
  }

  #data(plan) {
    return this.mode === "psd" ? spectra(plan.curves) : this.mode === "distance" ? overWay(plan.curves, this.ways) : series(plan.curves);
  }

  // the way of each result along its track, and below all curves what the track is like there
  async #readWays() {
    this.ways = [];
    const plans = [];
    for (const [k, r] of this.results.entries()) {
      const lead = leader(r), column = lead ? await wayOf(r, lead) : null;
      this.ways.push(column ? { column, ...ascendingWay(column.time, full(column)) } : null);
      for (const [i, what] of ["curvature", "cant"].entries()) {
        const name = `${lead?.name}.${what}`, own = k === 0 && lead ? await r.column(name) : null;
        if (own) plans.push({ unit: this.channel(name).unit || "1", low: true, curves: [{ name, ink: curveColours[this.theme][(6 + i) % 8], column: own, result: k, label: r.label, fixed: true }] });
      }
    }
    return plans;
  }

  /** Where time t is on the axis of the plots. */
  #x(t) {
    const way = this.mode === "distance" ? this.ways?.[0] : null;
    return way ? valueAt(way.column, t) : t;
  }
  #timeAt(x) {
    const way = this.mode === "distance" ? this.ways?.[0] : null;
    return way ? interpolate(way.way, way.time, x) : x;
  }

  async #build() {
    const track = this.mode === "distance" ? await this.#readWays() : [];
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
    plans.push(...track);
    for (const p of this.panels) p.plot?.destroy();
    this.panels = [];
    this.list.replaceChildren();
    if (!plans.length) this.list.append(element("p", { class: "hint" }, text("plot_empty")));
    plans.forEach((plan, i) => this.#panel(plan, i === plans.length - 1));
    this.setTime(this.clock.time); // readings have a width
    this.#fit();
  }

  #panel(plan, last) {
    const legend = element("div", { class: "legend" });
    const body = element("div", { class: "plot" });
    this.list.append(element("section", { class: "panel" }, legend, body));
    const readings = plan.curves.map((c) => this.#legendEntry(legend, c, plan.unit));
    if (this.mode === "psd") for (const c of plan.curves) c.why = noSpectrum(c.column.time, full(c.column));
    if (this.mode === "psd" && plan.curves.every((c) => c.why)) {
      body.append(...[...new Set(plan.curves.map((c) => c.why))].map((why) => element("p", { class: "hint" }, text(why))));
      return;
    }
    const data = this.#data(plan);
    const plot = new uPlot(this.#options(plan, last), data, body);
    const now = element("div", { class: "now", hidden: this.mode === "psd" });
    plot.over.append(now);
    this.#clicks(plot);
    this.panels.push({ plot, now, plan, readings, body });
  }

  #legendEntry(legend, curve, u) {
    const value = element("b", { class: "reading" });
    const name = curve.result ? `${curve.name} · ${curve.label}` : curve.name;
    const entry = element("span", { class: "entry", title: [name, this.channel(curve.name).about].filter(Boolean).join(": ") },
      dashLine(curve.result, curve.ink), element("span", { class: "name" }, name), " ", value, this.mode === "psd" ? "" : " " + unitText(u));
    if (curve.result === 0 && !curve.fixed)
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
        y: spectrum ? { distr: 3, range: spectrumRange } : { range: yRange },
      },
      axes: [
        { ...axis, size: 24, ...(last ? { label: spectrum ? text("plot_frequency") : text(this.mode === "distance" ? "plot_way" : "plot_x"), labelSize: NAME, labelGap: 0 } : {}), values: (_, v) => tickTexts(v) },
        { ...axis, size: axisWidth, space: 26, label, labelSize: 14, labelGap: 0, ...(plan.low ? { splits: extremes, values: (_, v) => v.map((x) => number(x, 3)) } : spectrum ? { splits: decades, filter: (_, v) => v, values: (_, v) => v.map((x) => number(x, 3)) } : { values: (_, v) => tickTexts(v) }) },
      ],
      series: [{}, ...plan.curves.map((c) => ({
        stroke: c.ink, width: c.result ? 1.3 : 1.6, dash: DASHES[c.result] ?? undefined, points: { show: false }, spanGaps: true,
      }))],
      hooks: { setScale: [(u, key) => key === "x" && this.#zoomed(u)], setCursor: spectrum ? [() => this.#readSpectra()] : [] },
    };
  }

  // densities under the cursor; without it, where the highest peaks are
  #readSpectra() {
    for (const { plot, plan, readings } of this.panels) {
      const at = plot.cursor.left >= 0 ? plot.posToIdx(plot.cursor.left) : null;
      plan.curves.forEach((c, i) => {
        const [f, d] = [plot.data[0], plot.data[i + 1]];
        let top = 0;
        for (let k = 1; k < d.length; k++) if ((d[k] ?? 0) > (d[top] ?? 0)) top = k;
        readings[i].textContent = c.why ? text(c.why) : at === null ? text("psd_peak", number(f[top], 4)) : text("psd_at", number(d[at], 4), number(f[at], 4));
      });
    }
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
      if (this.mode === "psd" || down === null || Math.abs(e.clientX - down) > 3) return;
      const left = e.clientX - plot.over.getBoundingClientRect().left;
      this.clock.set(this.#timeAt(plot.posToVal(left, "x")));
    });
  }

  #fit() {
    const width = this.list.clientWidth, count = this.panels.length;
    if (!width || !count) return;
    const legends = this.panels.reduce((sum, p) => sum + p.body.previousSibling.offsetHeight + 16, 0);
    // curvature and cant are lower than the curves above them
    const shares = this.panels.reduce((sum, p) => sum + (p.plan.low ? 0.6 : 1), 0);
    const height = Math.max(110, Math.min(340, Math.floor((this.list.clientHeight - legends) / shares)));
    const lowest = this.panels.at(-1); // has the name of the axis below it
    for (const p of this.panels) p.plot.setSize({ width, height: (p.plan.low ? Math.max(80, Math.floor(0.6 * height)) : height) + (p === lowest ? NAME : 0) });
    this.setTime(this.clock.time);
  }

  /** Moves the cursor of all panels and shows the values there. */
  setTime(t) {
    if (this.mode === "psd") return this.#readSpectra();
    for (const { plot, now, plan, readings } of this.panels) {
      const x = plot.valToPos(this.#x(t), "x"), inside = x >= 0 && x <= plot.over.clientWidth;
      now.style.display = inside ? "block" : "none";
      now.style.transform = `translateX(${x}px)`;
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

// over the way along the track: rows in which the vehicle moves on
function overWay(curves, ways) {
  return joined(curves.map((c) => {
    const way = ways[c.result], values = full(c.column);
    if (!way) return [[0, 1], [null, null]];
    const same = c.column.time.length === way.column.time.length;
    return [way.way, same ? way.rows.map((i) => values[i]) : way.time.map((t) => valueAt(c.column, t))];
  }));
}

function series(curves) {
  return joined(curves.map((c) => [c.column.time, full(c.column)]));
}

// eight decades below the highest peak are enough to see
function spectrumRange(_, low, high) {
  if (!(high > 0)) return [1e-12, 1];
  return [10 ** Math.floor(Math.log10(Math.max(low || 0, high * 1e-8))), 10 ** Math.ceil(Math.log10(high * 1.0001))];
}

// as wide as its longest label; usual ones are equal, so that curves lie above each other
const axisWidth = (_, values) => Math.max(64, 14 + 6.4 * Math.max(0, ...(values ?? []).map((v) => String(v).length)));

// what differs in the last digits of a double only is level
function yRange(_, low, high) {
  if (!Number.isFinite(low) || !Number.isFinite(high)) return [0, 1];
  const least = 1e-12 * Math.max(Math.abs(low), Math.abs(high)), gap = high - low > least ? 0.08 * (high - low) : Math.max(least, Math.abs(low) / 2) || 1;
  return [low - gap, high + gap];
}

// curvature and cant: their least and greatest value, and zero between them if there is room
function extremes(plot) {
  const values = plot.data.slice(1).flatMap((d) => Array.from(d)).filter(Number.isFinite);
  if (!values.length) return [0];
  const ends = values.reduce(([a, b], v) => [Math.min(a, v), Math.max(b, v)], [Infinity, -Infinity]), most = Math.max(...ends.map(Math.abs));
  const [low, high] = ends.map((v) => (Math.abs(v) < 1e-3 * most ? 0 : v)), room = 0.3 * (high - low); // noise is zero
  return [low, ...(low < -room && high > room ? [0] : []), ...(high - low > 1e-12 * Math.abs(high) ? [high] : [])];
}

// powers of ten, not more than fit
function decades(plot, _, low, high) {
  const [a, b] = [Math.ceil(Math.log10(low) - 1e-9), Math.floor(Math.log10(high) + 1e-9)];
  const step = Math.max(1, Math.ceil(((b - a + 1) * 18) / Math.max(60, plot.over?.clientHeight ?? 100)));
  return Array.from({ length: Math.floor((b - a) / step) + 1 }, (_, k) => 10 ** (a + k * step));
}

function spectra(curves) {
  return joined(curves.map((c) => {
    const s = psd(c.column.time, full(c.column));
    if (!s) return [[0, 1], [null, null]];
    // frequency zero is the mean that was taken off
    return [s.frequency.slice(1), Array.from(s.density.slice(1), (d) => (d > 0 ? d : null))];
  }));
}
