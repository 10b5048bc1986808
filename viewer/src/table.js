// The page of any table in CSV: columns over one of them, one panel a unit. Contact geometry, studies, histories.
import uPlot from "uplot";
import { number, tickTexts, unit as unitText } from "./format.js";
import { button, element, icon } from "./panel/dom.js";
import { ResultsError } from "./read/results.js";
import { curves as curveColours } from "./scene/look.js";
import { text } from "./texts.js";

const FIRST_CURVES = 6;

/** Cells of a line; quotes keep commas, two of them are one. */
function cells(line) {
  const out = [];
  for (const m of line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)) out.push((m[1]?.replaceAll('""', '"') ?? m[2]).trim());
  return out;
}

/** {columns: [{name, unit, values}], words}: columns that hold numbers, and how many do not. Lines with # are remarks. */
export function parseTable(csv) {
  const [head, ...lines] = csv.split(/\r?\n/).filter((l) => l.trim() && !l.startsWith("#")).map(cells);
  const rows = lines.filter((l) => l.length === head.length);
  const value = (t) => (t === "" ? NaN : Number(t));
  const all = head.map((title, k) => {
    const [, name, unit] = title.match(/^(.*?)\s*(?:\[([^\]]*)\])?$/);
    return { name: name || `${k + 1}`, unit: unit ?? "", values: rows.map((r) => value(r[k])) };
  });
  const columns = all.filter((c) => c.values.some(Number.isFinite));
  return { columns, words: all.length - columns.length, rows: rows.length };
}

/** Rows in the order of x, without those that have none. `sorted`: they were in order, a line may join them. */
export function over(x, ys) {
  const order = x.values.map((_, i) => i).filter((i) => Number.isFinite(x.values[i]));
  const sorted = order.every((i, k) => k === 0 || x.values[i] >= x.values[order[k - 1]]);
  if (!sorted) order.sort((a, b) => x.values[a] - x.values[b]);
  const pick = (values) => order.map((i) => (Number.isFinite(values[i]) ? values[i] : null));
  return { data: [pick(x.values), ...ys.map((y) => pick(y.values))], sorted };
}

const titleOf = (c) => (c.unit ? `${c.name} [${unitText(c.unit) || "1"}]` : c.name);

export class TablePage {
  constructor(head) {
    this.table = parseTable(head.table);
    if (this.table.columns.length < 2) throw new ResultsError("error_table");
    this.x = this.table.columns[0];
    this.shown = new Set(this.table.columns.slice(1).filter((c) => new Set(c.values).size > 1).slice(0, FIRST_CURVES));
    if (!this.shown.size) this.shown.add(this.table.columns[1]);
    this.theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
    this.panels = [];
    this.#layout(head.label);
    this.draw();
    new ResizeObserver(() => this.#fit()).observe(this.host);
  }

  #layout(label) {
    const { columns, rows } = this.table;
    document.documentElement.dataset.theme = this.theme;
    this.host = element("section", { class: "table-plots" });
    this.reading = element("span", { class: "note", id: "reading" });
    const choice = element("select", { id: "table-x", onchange: (e) => this.setX(e.target.selectedIndex) }, ...columns.map((c) => element("option", {}, titleOf(c))));
    this.list = element("nav", { class: "table-list", "aria-label": text("table_columns") });
    document.body.append(element("div", { id: "app", class: "table" },
      element("header", { class: "bar" }, element("span", { class: "brand" }, "klingel"), element("h1", {}, label), element("span", { class: "notes" }, text("table_size", rows, columns.length), " ", this.reading),
        element("span", { class: "grow" }), button(icon("dark"), text("dark"), () => this.toggleTheme(), { id: "theme" })),
      element("aside", { class: "left" }, element("label", { class: "table-over" }, text("table_over"), " ", choice), this.list), this.host));
    this.#fillList();
  }

  #fillList() {
    this.list.replaceChildren(...this.table.columns.filter((c) => c !== this.x).map((c) => {
      const box = element("input", { type: "checkbox", onchange: () => (box.checked ? this.shown.add(c) : this.shown.delete(c), this.draw()) });
      box.checked = this.shown.has(c);
      return element("label", {}, box, " ", titleOf(c));
    }));
  }

  setX(index) {
    const before = this.x;
    this.x = this.table.columns[index];
    if (this.shown.delete(this.x)) this.shown.add(before);
    this.#fillList();
    this.draw();
  }

  toggleTheme() {
    this.theme = document.documentElement.dataset.theme = this.theme === "dark" ? "light" : "dark";
    this.draw();
  }

  /** One panel a unit; columns without a unit have one each. */
  draw() {
    for (const p of this.panels) p.plot.destroy();
    this.panels = [];
    this.host.replaceChildren();
    const groups = new Map();
    for (const c of this.table.columns) if (this.shown.has(c)) groups.set(c.unit || ` ${c.name}`, [...(groups.get(c.unit || ` ${c.name}`) ?? []), c]);
    let colour = 0;
    const inks = curveColours[this.theme];
    for (const [key, columns] of groups) this.#panel(key.startsWith(" ") ? columns[0].name : unitText(key) || "1", columns.map((column) => ({ column, ink: inks[colour++ % inks.length] })));
    if (!groups.size) this.host.append(element("p", { class: "hint" }, text("table_empty")));
    this.#fit();
  }

  #panel(label, curves) {
    const legend = element("div", { class: "legend" }, ...curves.map((c) => element("span", { class: "entry" }, element("i", { class: "swatch", style: { borderColor: c.ink } }), c.column.name)));
    const body = element("div", { class: "plot" });
    this.host.append(element("section", { class: "panel" }, legend, body));
    const { data, sorted } = over(this.x, curves.map((c) => c.column));
    const style = getComputedStyle(this.host), ink = style.getPropertyValue("--ink-2").trim(), grid = style.getPropertyValue("--line").trim();
    const axis = { stroke: ink, grid: { stroke: grid, width: 1 }, ticks: { stroke: grid, width: 1, size: 4 }, font: "11px system-ui, sans-serif", labelFont: "11px system-ui, sans-serif", labelGap: 0 };
    const few = data[0].length <= 60;
    const plot = new uPlot({
      width: 300, height: 150, legend: { show: false }, padding: [6, 16, 0, 0], pxAlign: 0,
      cursor: { drag: { x: true, y: true }, points: { size: 6 }, sync: { key: "table" } },
      scales: { x: { time: false } },
      axes: [{ ...axis, size: 24, label: titleOf(this.x), labelSize: 16, values: (_, v) => tickTexts(v) },
        { ...axis, size: 54, space: 26, label, labelSize: 14, values: (_, v) => tickTexts(v) }],
      series: [{}, ...curves.map((c) => ({ stroke: c.ink, width: sorted ? 1.6 : 0, points: { show: few || !sorted, size: 5, fill: c.ink } }))],
      hooks: { setCursor: [(u) => this.#read(u, curves)] },
    }, data, body);
    this.panels.push({ plot, body });
  }

  #read(plot, curves) {
    const i = plot.cursor.idx;
    if (i === null || i === undefined || !plot.cursor.event) return;
    const said = curves.map((c, k) => `${c.column.name} = ${number(plot.data[k + 1][i])}`);
    this.reading.textContent = `${this.x.name} = ${number(plot.data[0][i])}: ${said.join(", ")}`;
  }

  #fit() {
    const width = this.host.clientWidth - 16, count = this.panels.length;
    if (!(width > 0) || !count) return;
    const height = Math.max(140, Math.floor(this.host.clientHeight / count) - 40);
    for (const p of this.panels) p.plot.setSize({ width, height });
  }
}
