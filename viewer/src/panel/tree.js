// The list of parts: bodies, joints, forces; click selects.
import { element } from "./dom.js";
import { text } from "../texts.js";

export class Tree {
  constructor(host, scene, onSelect) {
    this.rows = new Map();
    const groups = [
      ["bodies", scene.bodies.filter((b) => b.type !== "ground")],
      ["joints", scene.elements.filter((e) => e.joint)],
      ["forces", scene.elements.filter((e) => !e.joint)],
    ];
    for (const [key, parts] of groups) {
      if (!parts.length) continue;
      const list = element("div", { role: "listbox", "aria-label": text(key) });
      for (const part of parts) {
        const dot = element("i", { class: "dot" });
        const row = element("button", { type: "button", class: "row", role: "option", title: `${part.name} (${part.type})`, onclick: () => onSelect(part.name) },
          dot, element("span", { class: "name" }, part.name), element("span", { class: "type" }, part.type));
        this.rows.set(part.name, { row, dot });
        list.append(row);
      }
      host.append(element("details", { open: true }, element("summary", {}, `${text(key)} (${parts.length})`), list));
    }
  }

  /** The colour of a body beside its name. */
  setColour(name, colour) {
    const r = this.rows.get(name);
    if (r) r.dot.style.background = colour;
  }

  select(name) {
    for (const [key, { row }] of this.rows) row.setAttribute("aria-selected", key === name);
    this.rows.get(name)?.row.scrollIntoView({ block: "nearest" });
  }
}
