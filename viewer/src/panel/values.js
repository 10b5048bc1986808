// Which value colours the surfaces of finite elements, and what the last colour means.
import { TONE_STOPS } from "../scene/skin.js";
import { number, unit } from "../format.js";
import { element } from "./dom.js";
import { text } from "../texts.js";

export class Values {
  constructor(host, surfaces, { changed }) {
    Object.assign(this, { surfaces, changed });
    const names = ["", ...surfaces.names];
    this.select = element("select", { id: "values", "aria-label": text("colouring"), onchange: () => this.setValue(this.select.value) },
      ...names.map((n) => element("option", { value: n }, n ? text(`value_${n}`) : text("colour_plain"))));
    this.legend = element("span", { class: "tones" }, "0 ", element("i", { style: { background: `linear-gradient(90deg, ${TONE_STOPS.join(", ")})` } }), (this.top = element("b", {})));
    host.append(element("div", { class: "deform" }, element("div", { class: "colouring" }, this.select, this.legend)));
    this.setValue(surfaces.value);
  }

  setValue(name) {
    const { surfaces } = this;
    surfaces.setValue(name);
    surfaces.update(surfaces.time ?? 0);
    this.select.value = name;
    this.legend.hidden = !name;
    const stress = surfaces.unit(name) === "Pa";
    this.top.textContent = stress ? `${number(surfaces.top / 1e6, 3)} MPa` : `${number(surfaces.top, 3)} ${name && surfaces.unit(name) !== "1" ? unit(surfaces.unit(name)) : ""}`;
    this.changed();
  }
}
