// Vehicles on rails: which wheelsets there are, their way along the track, wheel against rail. Draws nothing.

/** Elements of wheels on rails. */
export const wheelsets = (scene) => (scene?.elements ?? []).filter((e) => e.type === "wheel-rail");

/** Whether the vehicle runs on rails: where a track is measured from is then no place of the vehicle. */
export const onRails = (scene) => Boolean(scene?.tracks?.length) || wheelsets(scene).length > 0;

/** Whether Y/Q of a wheel is recorded. */
export const hasForces = (results) => wheelsets(results.scene).some((e) => ["left", "right"].some((end) => results.channels.has(`${e.name}.YQ_${end}`)));

const AXES = ["x", "y", "z"];

/** How far a wheelset gets along its track [m]: by its channel; on straight rails also by the position of its axle. */
function reach(results, e) {
  const span = (name) => {
    const c = results.channels.get(name);
    return c && c.low !== null && c.low !== undefined ? c.high - c.low : NaN;
  };
  const own = span(`${e.name}.distance`);
  if (!Number.isNaN(own) || !e.straight) return own;
  return AXES.reduce((sum, k, i) => sum + Math.abs(e.straight.along[i]) * span(`${e.markers[1].body}.position.${k}`), 0);
}

/** The wheelset whose way along the track is the axis of plots: the first that has one and gets anywhere; null: none. */
export function leader(results) {
  return wheelsets(results.scene).find((e) => reach(results, e) > 1) ?? null;
}

/** The way of a wheelset along its track as a column {time, values, offset}; null: not recorded. */
export async function wayOf(results, e) {
  const own = await results.column(`${e.name}.distance`);
  if (own || !e.straight) return own;
  const { from, along } = e.straight, parts = await Promise.all(AXES.map((k) => results.column(`${e.markers[1].body}.position.${k}`)));
  if (!parts.every(Boolean)) return null;
  const at = (i) => parts.reduce((sum, c, k) => sum + along[k] * (c.values[i] + c.offset - from[k]), 0);
  return { time: parts[0].time, values: Float64Array.from(parts[0].values, (_, i) => at(i)), offset: 0 };
}

const BEYOND = 15; // straight rails are drawn this far beyond the wheelsets [m]

/** The straight rails under wheelsets that follow no track, as long as the vehicle needs them: tracks as those of a scene.
 * `places(body)`: where that body is in the course of the motion. */
export function straightTracks(scene, places, beyond = BEYOND) {
  const lines = new Map();
  for (const { straight, markers } of wheelsets(scene)) {
    if (!straight) continue;
    const key = JSON.stringify(straight), line = lines.get(key) ?? { ...straight, low: Infinity, high: -Infinity };
    for (const r of places(markers[1].body)) {
      const s = r.reduce((sum, x, i) => sum + straight.along[i] * (x - straight.from[i]), 0);
      line.low = Math.min(line.low, s);
      line.high = Math.max(line.high, s);
    }
    if (Number.isFinite(line.low)) lines.set(key, line);
  }
  return [...lines.values()].map(({ from, along, up, gauge, low, high }) => {
    const at = (s) => from.map((x, i) => x + s * along[i]);
    return { name: "straight", gauge, position: [at(low - beyond), at(high + beyond)], normal: [up, up] };
  });
}

/** The way as a function of time, made ascending: rows where the vehicle stands or goes back are left out.
 * Returns {time, way, rows}, rows the numbers of those that are kept. */
export function ascendingWay(time, distance) {
  const rows = [], sign = distance.length && distance.at(-1) < distance[0] ? -1 : 1;
  let last = -Infinity;
  for (let i = 0; i < distance.length; i++) {
    if (!(sign * distance[i] > last)) continue;
    last = sign * distance[i];
    rows.push(i);
  }
  if (sign < 0) rows.reverse(); // a vehicle that runs against the track: the axis is still that of the track
  return { rows, time: rows.map((i) => time[i]), way: rows.map((i) => distance[i]) };
}

/** y at x by a straight line between points of ascending xs; held at the ends. */
export function interpolate(xs, ys, x) {
  const n = xs.length;
  if (n === 0) return NaN;
  if (!(x > xs[0])) return ys[0];
  if (x >= xs[n - 1]) return ys[n - 1];
  let low = 0, high = n - 1;
  while (high - low > 1) {
    const mid = (low + high) >> 1;
    if (xs[mid] <= x) low = mid;
    else high = mid;
  }
  return ys[low] + ((x - xs[low]) / (xs[high] - xs[low])) * (ys[high] - ys[low]);
}

export const YQ_LIMIT = 0.8; // limit of running safety, EN 14363
const YQ_STOPS = [[0x9a, 0xa5, 0xb0], [0xf0, 0xc2, 0x4b], [0xe0, 0x7b, 0x20], [0x9e, 0x1b, 0x12]]; // steel, then ever darker: told apart by colour-blind people
export const YQ_COLOURS = YQ_STOPS.map((c) => `rgb(${c.join(", ")})`);

/** Colour [r, g, b] of 0 to 255 for a ratio Y/Q, by its size; grey without a number. */
export function yqColour(yq) {
  const x = Math.min(1, Math.abs(yq) / YQ_LIMIT) * (YQ_STOPS.length - 1);
  if (!Number.isFinite(x)) return YQ_STOPS[0];
  const i = Math.min(YQ_STOPS.length - 2, Math.floor(x)), s = x - i;
  return YQ_STOPS[i].map((a, k) => Math.round(a + s * (YQ_STOPS[i + 1][k] - a)));
}

/** The wheel over its rail, axes of the side (y outward, z up): how far the outline of the wheel is moved so that it touches the
 * rail. `shift`: lateral position of the wheelset to the left [m]; `lift`: distance of the wheel from its rail [m]. The
 * small rotations of the axle (roll, yaw) are left out. */
export function wheelOverRail({ side, half, wheel, rail }, shift, lift) {
  const y = half + side * shift;
  let z = -Infinity;
  const ys = wheel.map((p) => p[0] + y);
  // highest place where the wheel would stand on the rail: max of rail z - wheel z where both are
  for (const [yr, zr] of rail)
    for (let i = 1; i < ys.length; i++) {
      const [a, b] = [ys[i - 1], ys[i]];
      if (!(Math.min(a, b) <= yr && yr <= Math.max(a, b)) || a === b) continue;
      const zw = wheel[i - 1][1] + ((yr - a) / (b - a)) * (wheel[i][1] - wheel[i - 1][1]);
      z = Math.max(z, zr - zw);
    }
  return { y, z: (Number.isFinite(z) ? z : 0) + (lift || 0) };
}

/** The lowest point of an outline at y: of the wheel the one that can touch. */
export function outlineAt(outline, y) {
  let best = null;
  for (let i = 1; i < outline.length; i++) {
    const [a, b] = [outline[i - 1], outline[i]];
    if (a[0] === b[0] || !(Math.min(a[0], b[0]) <= y && y <= Math.max(a[0], b[0]))) continue;
    const z = a[1] + ((y - a[0]) / (b[0] - a[0])) * (b[1] - a[1]);
    if (best === null || z < best) best = z;
  }
  return best;
}

/** Slope dz/dy of the outline at y, by a difference over a millimetre; 0 where it ends. */
export function slopeAt(outline, y) {
  const h = 5e-4, [a, b] = [outlineAt(outline, y - h), outlineAt(outline, y + h)];
  return a === null || b === null ? 0 : (b - a) / (2 * h);
}

/** The outline with fewer points, none of it further than `slack` [m] from the line through those that are kept. */
export function simplified(outline, slack) {
  if (outline.length < 3) return outline;
  const [a, b] = [outline[0], outline.at(-1)], dy = b[0] - a[0], dz = b[1] - a[1], length = Math.hypot(dy, dz);
  let far = 0, most = slack;
  for (let i = 1; i < outline.length - 1; i++) {
    const y = outline[i][0] - a[0], z = outline[i][1] - a[1], off = length > 0 ? Math.abs(y * dz - z * dy) / length : Math.hypot(y, z);
    if (off > most) [most, far] = [off, i];
  }
  return far ? [...simplified(outline.slice(0, far + 1), slack).slice(0, -1), ...simplified(outline.slice(far), slack)] : [a, b];
}
