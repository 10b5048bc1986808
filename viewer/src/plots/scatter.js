// Points in a plane as SVG: hover tells, click picks. For eigenvalues.
import { number } from "../format.js";
import { element } from "../panel/dom.js";
import { roundStep } from "../scene/steps.js";

const NS = "http://www.w3.org/2000/svg";

function svg(tag, attributes = {}, content) {
  const e = document.createElementNS(NS, tag);
  for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
  if (content !== undefined) e.textContent = content;
  return e;
}

function range(values, zero) {
  let low = Math.min(...values, ...(zero ? [0] : [])), high = Math.max(...values, ...(zero ? [0] : []));
  if (!(high > low)) [low, high] = [low - 1, high + 1];
  const pad = 0.07 * (high - low);
  return [low - pad, high + pad];
}

/** Round numbers within a range. */
export function ticks([low, high], most = 6) {
  const step = roundStep((high - low) / most), out = [];
  for (let v = Math.ceil(low / step) * step; v <= high + 1e-9 * step; v += step) out.push(Math.abs(v) < 1e-9 * step ? 0 : v);
  return out;
}

/** Blue (first) over grey to orange (last): told apart by colour-blind people. */
export function ramp(s) {
  const stops = [[0, 114, 178], [136, 136, 136], [213, 94, 0]], x = Math.min(1, Math.max(0, s)) * 2, i = Math.min(1, Math.floor(x));
  return `rgb(${stops[i].map((v, k) => Math.round(v + (x - i) * (stops[i + 1][k] - v))).join(",")})`;
}

/** `points`: [{x, y, key, title, tone}]; tone from 0 to 1 colours. Returns {select(key)}. */
export function scatter(host, { points, x, y, zero = false, pick = null, title = "", tall = 420 }) {
  const finite = points.filter((p) => Number.isFinite(p.x) && Number.isFinite(p.y));
  const box = element("figure", { class: "scatter" });
  const tip = element("figcaption", {}, title);
  host.append(box);
  let chosen = null;
  const draw = () => {
    const width = Math.max(240, box.clientWidth), height = Math.max(180, Math.min(tall, box.clientHeight - 26));
    const [left, right, top, bottom] = [62, 12, 12, 40];
    const xr = range(finite.map((p) => p.x), zero), yr = range(finite.map((p) => p.y), false);
    const px = (v) => left + ((v - xr[0]) / (xr[1] - xr[0])) * (width - left - right);
    const py = (v) => height - bottom - ((v - yr[0]) / (yr[1] - yr[0])) * (height - top - bottom);
    const root = svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": `${y}, ${x}` });
    for (const v of ticks(xr)) root.append(svg("line", { class: v === 0 ? "axis0" : "grid", x1: px(v), x2: px(v), y1: top, y2: height - bottom }), svg("text", { x: px(v), y: height - bottom + 15, "text-anchor": "middle" }, number(v, 4)));
    for (const v of ticks(yr)) root.append(svg("line", { class: "grid", y1: py(v), y2: py(v), x1: left, x2: width - right }), svg("text", { x: left - 6, y: py(v) + 4, "text-anchor": "end" }, number(v, 4)));
    root.append(svg("text", { class: "name", x: 0.5 * (left + width - right), y: height - 6, "text-anchor": "middle" }, x));
    root.append(svg("text", { class: "name", transform: `translate(13 ${0.5 * (top + height - bottom)}) rotate(-90)`, "text-anchor": "middle" }, y));
    for (const p of finite) {
      const dot = svg("circle", { cx: px(p.x), cy: py(p.y), r: p.key === chosen && chosen !== null ? 7 : pick ? 5 : 3, class: p.key === chosen && chosen !== null ? "dot chosen" : "dot", tabindex: pick ? 0 : -1, "data-key": p.key });
      if (p.tone !== undefined) dot.style.fill = ramp(p.tone);
      dot.append(svg("title", {}, p.title));
      dot.addEventListener("pointerenter", () => (tip.textContent = p.title));
      if (pick) {
        dot.addEventListener("click", () => pick(p.key));
        dot.addEventListener("keydown", (e) => { if (e.key === "Enter") pick(p.key); });
      }
      root.append(dot);
    }
    box.replaceChildren(root, tip);
  };
  new ResizeObserver(draw).observe(host);
  draw();
  return { select: (key) => { chosen = key; draw(); } };
}
