// What is selected: its data, and its values at the current time.
import { number, steady, unit } from "../format.js";
import { valueAt } from "../plots/plots.js";
import { text } from "../texts.js";
import { button, element, icon } from "./dom.js";

const MOST_LIVE = 40;
const vector = (a) => a.map((x) => number(x, 4)).join(", ");

function facts(part, isBody) {
  const rows = [[text("field_type"), part.type]];
  if (isBody) {
    if (part.mass > 0) rows.push([text("field_mass"), `${number(part.mass)} kg`]);
    if (part.mass > 0) rows.push([text("field_center"), `${vector(part.center)} m`]);
    if (part.inertia) rows.push([text("field_inertia"), `${vector(part.inertia.slice(0, 3))} kg·m²`]);
  } else {
    const names = part.markers.map((m) => m.body);
    rows.push([text(names.length > 1 ? "field_between" : "field_on"), [...new Set(names)].join(", ")]);
  }
  return rows;
}

export class Details {
  /** `actions`: {plot(name), trace(name), traced(name), follow(name), ride(name), close()} */
  constructor(host, results, actions) {
    Object.assign(this, { host, results, actions, live: [] });
    this.show(null);
  }

  show(name) {
    this.name = name;
    this.live = [];
    const { scene } = this.results;
    const body = scene?.bodies.find((b) => b.name === name);
    const part = body ?? scene?.elements.find((e) => e.name === name);
    if (!part) {
      this.host.replaceChildren(element("p", { class: "hint" }, text("select_hint")));
      return;
    }
    const head = element("header", {}, element("h2", {}, name), ...(body ? this.#bodyButtons(name) : []),
      button(icon("close"), text("close"), () => this.actions.close(), { class: "tiny" }));
    const table = element("dl", {}, ...facts(part, Boolean(body)).flatMap(([k, v]) => [element("dt", {}, k), element("dd", {}, v)]));
    const values = element("table", { class: "live" });
    this.host.replaceChildren(head, table, values);
    this.#fill(values, name);
  }

  #bodyButtons(name) {
    const traced = this.actions.traced(name);
    return [
      button(icon("path"), text(traced ? "trace_off" : "trace_on"), () => this.actions.trace(name), { "aria-pressed": traced }),
      button(icon("follow"), text("camera_follow_what", name), () => this.actions.follow(name)),
      button(icon("ride"), text("camera_ride_what", name), () => this.actions.ride(name)),
    ];
  }

  async #fill(table, name) {
    const channels = [...this.results.channels.values()].filter((c) => c.name.startsWith(`${name}.`)).slice(0, MOST_LIVE);
    for (const c of channels) {
      const column = await this.results.column(c.name);
      if (this.name !== name) return; // another part was selected meanwhile
      const value = element("td", { class: "value" });
      table.append(element("tr", { title: c.about ?? "" },
        element("td", {}, c.name.slice(name.length + 1)), value, element("td", { class: "unit" }, unit(c.unit)),
        element("td", {}, button(icon("plus"), text("plot_add", c.name), () => this.actions.plot(c.name), { class: "tiny" }))));
      this.live.push({ value, column });
    }
    this.setTime(this.time ?? 0);
  }

  setTime(t) {
    this.time = t;
    for (const { value, column } of this.live) value.textContent = steady(valueAt(column, t));
  }
}
