// Names over the scene, as text beside their points.
import { element } from "./dom.js";

const BESIDE = 7, RISE = 8; // from the point to the corner of its name [px]

/** Places of names on a page of that size: each stays inside the page, and one that would cover an earlier one is left out (null).
 * `names`: {x, y, width, height}, x and y of the upper left corner, null for one that is not shown. */
export function arrange(names, width, height) {
  const placed = [];
  return names.map((n) => {
    if (!n) return null;
    const x = Math.max(0, Math.min(n.x, width - n.width)), y = Math.max(0, Math.min(n.y, height - n.height));
    const covers = (o) => x < o.x + o.width && o.x < x + n.width && y < o.y + o.height && o.y < y + n.height;
    if (placed.some(covers)) return null;
    placed.push({ ...n, x, y });
    return { x, y };
  });
}

export class Labels {
  constructor(host, stage) {
    this.stage = stage;
    this.layer = element("div", { class: "labels", "aria-hidden": "true" });
    host.append(this.layer);
    this.entries = new Map();
  }

  /** `where()` gives the point in space; `always`: shown even when names are off. */
  add(key, content, where, always = false) {
    const node = element("span", {}, content);
    this.layer.append(node);
    this.entries.get(key)?.node.remove();
    this.entries.set(key, { node, where, always });
  }
  remove(key) {
    this.entries.get(key)?.node.remove();
    this.entries.delete(key);
  }

  // names of the axes stand on their ends
  #axes(gizmo) {
    for (const { name, x, y } of gizmo?.labels(this.stage.host.clientHeight) ?? []) {
      const key = `axis ${name}`;
      if (!this.entries.has(key)) this.add(key, name, null);
      const { node } = this.entries.get(key);
      node.className = "axis";
      node.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px)`;
    }
    for (const [key, { node, where }] of this.entries) if (!where) node.style.display = gizmo?.visible && key ? "block" : "none";
  }

  update(names) {
    this.#axes(this.stage.gizmo);
    const shown = [...this.entries.values()].filter((e) => e.where);
    shown.sort((a, b) => b.always - a.always); // those that are always shown come first
    const boxes = shown.map(({ node, where, always }) => {
      const place = names || always ? where() : null, at = place && this.stage.project(place);
      node.style.display = at ? "block" : "none";
      return at && { x: at[0] + BESIDE, y: at[1] - RISE, width: node.offsetWidth, height: node.offsetHeight };
    });
    arrange(boxes, this.stage.host.clientWidth, this.stage.host.clientHeight).forEach((at, k) => {
      const { node } = shown[k];
      node.style.visibility = at ? "visible" : "hidden";
      if (at) node.style.transform = `translate(${at.x.toFixed(1)}px, ${at.y.toFixed(1)}px)`;
    });
  }
}
