// The line of a result in a legend: whole, or dashed as its curves are.
import { DASHES } from "../scene/look.js";

const NS = "http://www.w3.org/2000/svg";

export function dashLine(result, colour) {
  const svg = document.createElementNS(NS, "svg"), line = document.createElementNS(NS, "line");
  svg.setAttribute("class", result ? "swatch dashed" : "swatch");
  svg.setAttribute("viewBox", "0 0 26 4");
  svg.setAttribute("aria-hidden", "true");
  for (const [k, v] of Object.entries({ x1: 0, x2: 26, y1: 2, y2: 2, "stroke-width": 2.5 })) line.setAttribute(k, v);
  line.style.stroke = colour;
  if (DASHES[result]) line.setAttribute("stroke-dasharray", DASHES[result].join(" "));
  svg.append(line);
  return svg;
}
