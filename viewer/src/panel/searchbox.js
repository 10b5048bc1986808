// The box that finds channels and adds them to the plots.
import { unit } from "../format.js";
import { findChannels } from "../plots/search.js";
import { text } from "../texts.js";
import { element } from "./dom.js";

export class SearchBox {
  constructor(host, channels, onChoose) {
    Object.assign(this, { channels, onChoose });
    this.input = element("input", { type: "search", id: "search", placeholder: text("search"), "aria-label": text("search"), autocomplete: "off", spellcheck: "false",
      oninput: () => this.#update(), onfocus: () => this.#update(), onkeydown: (e) => this.#key(e) });
    this.list = element("div", { class: "found", role: "listbox", hidden: true });
    host.append(this.input, this.list);
    host.addEventListener("focusout", (e) => { if (!host.contains(e.relatedTarget)) this.list.hidden = true; });
    document.addEventListener("pointerdown", (e) => { if (!host.contains(e.target)) this.list.hidden = true; });
  }

  #update() {
    const { list, more } = findChannels(this.channels, this.input.value);
    this.at = 0;
    this.list.replaceChildren(...list.map((c, i) =>
      element("button", { type: "button", role: "option", tabindex: -1, "aria-selected": i === 0, title: c.about ?? "", onclick: () => this.#choose(c) },
        element("span", { class: c.own ? "name own" : "name" }, c.name), element("span", { class: "type" }, unit(c.unit)))));
    if (!list.length) this.list.append(element("p", { class: "hint" }, text("search_none", this.input.value)));
    if (more) this.list.append(element("p", { class: "hint" }, text("search_more", more)));
    this.items = list;
    this.list.hidden = false;
  }

  #key(e) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[e.key];
    if (step && this.items?.length) {
      this.at = (this.at + step + this.items.length) % this.items.length;
      [...this.list.querySelectorAll("button")].forEach((b, i) => {
        b.setAttribute("aria-selected", i === this.at);
        if (i === this.at) b.scrollIntoView({ block: "nearest" });
      });
      e.preventDefault();
    } else if (e.key === "Enter" && this.items?.[this.at]) this.#choose(this.items[this.at]);
    else if (e.key === "Tab") this.list.hidden = true; // on to what follows, not into the list
    else if (e.key === "Escape") {
      this.list.hidden = true;
      this.input.blur();
      e.preventDefault(); // it selects nothing else
    }
  }

  #choose(channel) {
    this.onChoose(channel.name);
    this.input.select();
  }
}
