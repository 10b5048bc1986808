// Names over the scene, as text beside their points.
import { element } from "./dom.js";

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
    for (const { node, where, always } of this.entries.values()) {
      if (!where) continue;
      const at = names || always ? this.stage.project(where()) : null;
      node.style.display = at ? "block" : "none";
      if (at) node.style.transform = `translate(${at[0].toFixed(1)}px, ${at[1].toFixed(1)}px)`;
    }
  }
}
