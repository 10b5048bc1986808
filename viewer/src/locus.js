// The page of eigenvalues over a parameter: root locus, frequency and damping.
import { button, element, icon } from "./panel/dom.js";
import { number } from "./format.js";
import { scatter } from "./plots/scatter.js";
import { ResultsError } from "./read/results.js";
import { text } from "./texts.js";

/** {name, rows: [[value, re, im, frequency, damping]]} of a table in CSV. */
export function parseLocus(table) {
  const [head, ...lines] = table.trim().split(/\r?\n/);
  const rows = lines.map((l) => l.split(",").map(Number)).filter((r) => r.length === 5 && r.every(Number.isFinite));
  return { name: head.split(",")[0], rows };
}

export function showLocus(head) {
  const { name, rows } = parseLocus(head.table);
  if (!rows.length) throw new ResultsError("error_locus");
  const values = rows.map((r) => r[0]), low = Math.min(...values), span = Math.max(...values) - low || 1;
  const upper = rows.filter((r) => r[2] >= 0);
  const point = (r, x, y) => ({ x, y, tone: (r[0] - low) / span, key: null,
    title: `${name} = ${number(r[0])} · ${number(r[1], 4)} ${r[2] ? `± ${number(r[2], 4)} i` : ""} · ${number(r[3], 4)} Hz · ${text("mode_damping", `${number(100 * r[4], 3)} %`)}` });
  const theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  document.documentElement.dataset.theme = theme;
  const toggle = () => (document.documentElement.dataset.theme = document.documentElement.dataset.theme === "dark" ? "light" : "dark");
  const plane = element("section", { class: "locus-plane" }), side = element("section", { class: "locus-side" });
  document.body.append(element("div", { id: "app", class: "locus" },
    element("header", { class: "bar" }, element("span", { class: "brand" }, "klingel"), element("h1", {}, text("locus_title", name)), element("span", { class: "notes" }, head.label), element("span", { class: "grow" }),
      element("span", { class: "tones" }, `${name} ${number(low)} `, element("i", { style: { background: "linear-gradient(90deg, rgb(0,114,178), rgb(136,136,136), rgb(213,94,0))" } }), ` ${number(low + span)}`),
      button(icon("dark"), text("dark"), toggle, { id: "theme" })),
    plane, side));
  scatter(plane, { points: upper.map((r) => point(r, r[1], r[2])), x: text("axis_real"), y: text("axis_imag"), zero: true, tall: 2000, title: text("locus_hint") });
  scatter(side, { points: upper.filter((r) => r[2] > 0).map((r) => point(r, r[0], r[3])), x: name, y: text("axis_frequency") });
  scatter(side, { points: upper.map((r) => point(r, r[0], 100 * r[4])), x: name, y: text("axis_damping") });
}
