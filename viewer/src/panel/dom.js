// Small helpers to make elements.

/** element("button", {class: "x", title: "..", onclick: f}, child, "text", ...) */
export function element(tag, attributes = {}, ...children) {
  const e = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) e.addEventListener(key.slice(2), value);
    else if (key === "style") Object.assign(e.style, value);
    else if (key.startsWith("aria-")) e.setAttribute(key, String(value));
    else if (value === true) e.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) e.setAttribute(key, value);
  }
  e.append(...children.filter((c) => c !== null && c !== undefined));
  return e;
}

const SHAPES = {
  play: "M5 3l9 6-9 6z",
  pause: "M5 3h3v12H5zM10 3h3v12h-3z",
  first: "M4 3h2v12H4zM15 3v12L7 9z",
  last: "M12 3h2v12h-2zM3 3v12l8-6z",
  back: "M10 3v12L4 9zM12 3h2v12h-2z",
  forward: "M8 3v12l6-6zM4 3h2v12H4z",
  loop: "M4 8a5 5 0 0 1 8.7-3.2L11 6.5h5v-5l-1.9 1.9A7 7 0 0 0 2 8zM14 10a5 5 0 0 1-8.7 3.2L7 11.5H2v5l1.9-1.9A7 7 0 0 0 16 10z",
  dark: "M9 2a7 7 0 1 0 0 14V2z",
  plus: "M8 3h2v5h5v2h-5v5H8v-5H3V8h5z",
  close: "M4.2 3L9 7.8 13.8 3 15 4.2 10.2 9l4.8 4.8-1.2 1.2L9 10.2 4.2 15 3 13.8 7.8 9 3 4.2z",
  path: "M2 14c3 0 3-9 6.500-9S11 13 16 13v-2c-3.500 0-3.500-8-7.500-8S5 12 2 12z",
  follow: "M9 2l2 3h-1.200v3.200H13V7l3 2-3 2V9.800H9.800V13H11l-2 3-2-3h1.200V9.800H5V11L2 9l3-2v1.200h3.200V5H7z",
  ride: "M2 9c2-4 5-5 7-5s5 1 7 5c-2 4-5 5-7 5s-5-1-7-5zm7 3a3 3 0 1 0 0-6 3 3 0 0 0 0 6z",
};

export function icon(name) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 18 18");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", SHAPES[name]);
  path.setAttribute("fill-rule", "evenodd");
  svg.append(path);
  return svg;
}

export function button(content, title, onclick, extra = {}) {
  return element("button", { type: "button", title, "aria-label": title, onclick, ...extra }, content);
}
