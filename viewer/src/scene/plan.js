// What a body looks like when nobody said: from its mass, inertia and the points attached to it.
//
// The equivalent uniform solid (a box, or a cylinder where two principal moments are equal) has the
// body's own inertia: a bar given by its moments appears as that bar. Where it does not reach the
// attached points, bars or a hull through the points take over. Lengths in m, body axes.

import { onRails } from "../play/rail.js";

const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const norm = (a) => Math.hypot(a[0], a[1], a[2]);
const clamp = (x, low, high) => Math.min(high, Math.max(low, x));

/** Eigenvalues and unit eigenvectors of [xx, yy, zz, xy, xz, yz], by Jacobi rotations. */
export function principal(inertia) {
  const [xx, yy, zz, xy, xz, yz] = inertia;
  const a = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]];
  const v = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
  for (let sweep = 0; sweep < 30; sweep++) {
    let off = 0;
    for (const [p, q] of [[0, 1], [0, 2], [1, 2]]) {
      off += Math.abs(a[p][q]);
      if (Math.abs(a[p][q]) < 1e-14 * (Math.abs(a[p][p]) + Math.abs(a[q][q]))) continue;
      const theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
      const t = (theta < 0 ? -1 : 1) / (Math.abs(theta) + Math.hypot(theta, 1));
      const c = 1 / Math.hypot(t, 1), s = t * c;
      for (let k = 0; k < 3; k++) {
        const kp = a[k][p], kq = a[k][q];
        a[k][p] = c * kp - s * kq;
        a[k][q] = s * kp + c * kq;
      }
      for (let k = 0; k < 3; k++) {
        const pk = a[p][k], qk = a[q][k];
        a[p][k] = c * pk - s * qk;
        a[q][k] = s * pk + c * qk;
        const vp = v[k][p], vq = v[k][q];
        v[k][p] = c * vp - s * vq;
        v[k][q] = s * vp + c * vq;
      }
    }
    if (off < 1e-300) break;
  }
  const axis = (k) => [v[0][k], v[1][k], v[2][k]];
  return { moments: [a[0][0], a[1][1], a[2][2]], axes: [axis(0), axis(1), axis(2)] };
}

/** The uniform solid of that mass and inertia, or null where there is none. */
export function equivalentSolid(mass, inertia) {
  if (!(mass > 0) || !inertia) return null;
  const { moments, axes } = principal(inertia);
  if (moments.some((m) => !(m >= 0)) || Math.max(...moments) <= 0) return null;
  if (dot(cross(axes[0], axes[1]), axes[2]) < 0) axes[2] = axes[2].map((x) => -x);
  const sum = moments[0] + moments[1] + moments[2];
  // uniform box: m a^2 / 12 = (J2 + J3 - J1) / 2
  const size = moments.map((m) => Math.sqrt(Math.max(0, (6 * (sum - 2 * m)) / mass)));
  for (let k = 0; k < 3; k++) {
    const [i, j] = [(k + 1) % 3, (k + 2) % 3];
    const equal = Math.abs(moments[i] - moments[j]) < 1e-6 * sum;
    const cube = Math.abs(moments[i] - moments[k]) < 1e-6 * sum;
    if (!equal || cube) continue;
    // uniform cylinder: m r^2 / 2 = Ja, m (3 r^2 + h^2) / 12 = Jt
    const radius = Math.sqrt((2 * moments[k]) / mass);
    const length = Math.sqrt(Math.max(0, (12 * moments[i]) / mass - 3 * radius * radius));
    const slender = size[k] > 3 * size[i];
    if (!slender) return { kind: "cylinder", radius, length, axis: axes[k], axes, size };
  }
  return { kind: "box", size, axes };
}

/** Points that are not the same, within `slack`. */
export function distinct(points, slack) {
  const out = [];
  for (const p of points) if (out.every((o) => norm(sub(o, p)) > slack)) out.push(p);
  return out;
}

/** The two ends of points that lie on a line within `slack`, else null. */
export function lineEnds(points, slack) {
  let ends = [points[0], points[0]], far = 0;
  for (const a of points)
    for (const b of points) if (norm(sub(a, b)) > far) (far = norm(sub(a, b))), (ends = [a, b]);
  if (far === 0) return null;
  const along = sub(ends[1], ends[0]).map((x) => x / far);
  const straight = points.every((p) => norm(cross(sub(p, ends[0]), along)) <= slack);
  return straight ? ends : null;
}

function holds(solid, center, point, grow, slack) {
  const d = sub(point, center);
  return solid.axes.every((axis, k) => Math.abs(dot(d, axis)) <= 0.5 * grow * solid.size[k] + slack);
}

function solidParts(solid, center, least, most) {
  const fit = (x) => clamp(x, least, most);
  if (solid.kind === "cylinder")
    return [{ kind: "cylinder", at: center, axis: solid.axis, radius: clamp(solid.radius, least / 2, most / 2), length: fit(solid.length) }];
  return [{ kind: "box", at: center, axes: solid.axes, size: solid.size.map(fit) }];
}

/** Primitives of a body, for a mechanism of size `length` [m]. */
export function planBody(body, length) {
  if (body.hidden) return [];
  if (body.shapes?.length) return body.shapes;
  const slack = 1e-3 * length, least = 0.014 * length;
  const center = body.center ?? [0, 0, 0];
  const points = distinct(body.points ?? [], slack);
  if (body.type === "point") return [{ kind: "sphere", at: center, radius: 0.035 * length }];
  const solid = equivalentSolid(body.mass, body.inertia);
  const reach = Math.max(0.06 * length, ...points.map((p) => norm(sub(p, center))));
  const near = Math.max(2 * slack, Math.min(0.06 * length, 0.15 * reach));
  if (solid && believable(solid, points, length) && points.every((p) => holds(solid, center, p, 1.15, near)))
    return solidParts(solid, center, least, 2.3 * reach);
  // what is held in one place, or in places side by side, is no link
  const span = Math.max(0, ...points.map((p) => norm(sub(p, points[0]))));
  return points.length >= 2 && span > 0.03 * length ? linkParts(points, center, solid, length) : loneParts(points.slice(0, 1), center, solid, length);
}

// Inertia that was only made up for the plane of motion gives bulky solids: a link is slender, and
// what has its points close together is about as large as they are apart.
function believable(solid, points, length) {
  const span = Math.max(0, ...points.flatMap((a) => points.map((b) => norm(sub(a, b)))));
  const [, mid, long] = [...solid.size].sort((a, b) => a - b);
  if (points.length < 2) return points.length === 1 && mid < 0.3 * long;
  return span > 0.12 * length ? mid <= 0.2 * span : long <= 1.6 * span;
}

// two points or more: a bar or a hull through them; a ball where the mass is far from it
function linkParts(points, center, solid, length) {
  const slack = 1e-3 * length;
  const thin = solid ? 0.5 * Math.min(...solid.size) : 0;
  const radius = clamp(thin, 0.011 * length, 0.02 * length);
  const ends = lineEnds(points, 4 * slack);
  const parts = ends ? [{ kind: "bar", a: ends[0], b: ends[1], radius }] : [{ kind: "hull", points, radius }];
  const far = ends ? distanceToLine(center, ends) : Math.min(...points.map((p) => norm(sub(p, center))));
  if (ends && far > 2.5 * radius) {
    const middle = ends[0].map((x, i) => 0.5 * (x + ends[1][i]));
    parts.push({ kind: "bar", a: middle, b: center, radius: 0.6 * radius });
    parts.push({ kind: "sphere", at: center, radius: 1.8 * radius });
  }
  return parts;
}

function distanceToLine(p, [a, b]) {
  const d = sub(b, a), s = clamp(dot(sub(p, a), d) / dot(d, d), 0, 1);
  return norm(sub(p, a.map((x, i) => x + s * d[i])));
}

// one point or none: the equivalent solid at the centre of mass, with a bar to the point
function loneParts(points, center, solid, length) {
  const least = 0.014 * length, most = 0.45 * length;
  const shrunk = solid && shrink(solid, Math.max(0, ...points.map((p) => norm(sub(p, center)))), length);
  const parts = solid ? solidParts(shrunk, center, least, most) : [{ kind: "sphere", at: center, radius: 0.03 * length }];
  const apart = points.filter((p) => norm(sub(p, center)) > 0.02 * length && !(solid && holds(shrunk, center, p, 1.02, 0)));
  for (const p of apart) parts.push({ kind: "bar", a: p, b: center, radius: 0.011 * length });
  return parts;
}

// a solid at the end of a bar leaves the bar visible
function shrink(solid, distance, length) {
  const most = Math.max(...solid.size, 2 * (solid.radius ?? 0));
  if (distance < 0.25 * length || most < 0.6 * distance) return solid;
  const f = (0.6 * distance) / most;
  return { ...solid, size: solid.size.map((x) => f * x), radius: f * (solid.radius ?? 0), length: f * (solid.length ?? 0) };
}

/** How thick a body is where a joint sits on it: least of all its primitives. */
export function thickness(parts) {
  const of = {
    box: (p) => [...p.size].sort((a, b) => a - b)[1],
    cylinder: (p) => Math.min(2 * p.radius, p.length),
    sphere: (p) => 0.5 * p.radius,
    bar: (p) => 2 * p.radius,
    hull: (p) => 2 * p.radius,
  };
  return Math.min(...parts.map((p) => of[p.kind]?.(p) ?? Infinity));
}

/** The unit of a symbol between bodies of these thicknesses and sizes, `s` being that of the whole mechanism: it stands out of the
 * thicker one, but never hides the smaller one, and is at most `most`. A ring lies around the thinner one. */
export function symbolScale(s, thick, sizes, ring = false, most = 3 * s) {
  const finite = thick.filter(Number.isFinite), least = Math.min(...sizes.filter((x) => x > 0));
  if (ring && finite.length) return Math.min(most, 0.42 * Math.min(...finite), 0.15 * least);
  return Math.max(Math.min(s, 0.28 * least), Math.min(0.42 * Math.max(0, ...finite), most, 0.2 * least));
}

/** The largest radius of gyration; 0 where there is no inertia. */
const gyrationOf = (b) => (b.mass > 0 && b.inertia ? Math.sqrt(Math.max(0, ...b.inertia.slice(0, 3)) / b.mass) : 0);

/** How far the middle one of all bodies reaches: a train of 400 m is made of bogies of 2 m, and its
 * joints are drawn as small as those. */
function typical(scene, otherwise) {
  const reach = scene.bodies.filter((b) => b.type !== "ground").map((b) => Math.max(gyrationOf(b), ...(b.points ?? []).map((p) => norm(sub(p, b.center ?? [0, 0, 0])))))
    .filter((r) => r > 0).sort((a, b) => a - b);
  return reach.length ? reach[Math.floor(reach.length / 2)] : otherwise;
}

/** Middle and size of a mechanism at its start: all attached points and centres. `place(name, r)`
 * gives a body's point in space. */
export function extent(scene, place) {
  const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
  for (const body of scene.bodies) {
    if (body.type === "ground" && onRails(scene)) continue;
    const own = body.type === "ground" ? body.points : [...body.points, body.center];
    for (const r of own) {
      const p = place(body.name, r);
      for (let k = 0; k < 3; k++) {
        low[k] = Math.min(low[k], p[k]);
        high[k] = Math.max(high[k], p[k]);
      }
    }
  }
  const any = low.every(Number.isFinite);
  // points that all lie in one place tell nothing: then the bodies' own inertia does
  const gyration = Math.max(0, ...scene.bodies.map(gyrationOf));
  const apart = any ? norm(sub(high, low)) : 0, size = apart < 0.5 * gyration ? 2 * gyration : apart;
  const whole = size > 0 ? size : scene.length || 1;
  return { low: any ? low : [0, 0, 0], high: any ? high : [0, 0, 0], size: whole, unit: Math.min(whole, 12 * typical(scene, whole)) };
}

/** The axis that points up: against gravity, snapped to a coordinate axis where it is near one. */
export function upward(gravity) {
  const g = gravity ?? [0, 0, 0], size = norm(g);
  if (!(size > 0)) return [0, 0, 1];
  const up = g.map((x) => -x / size);
  const main = up.findIndex((x) => Math.abs(x) > 0.999);
  return main < 0 ? up : [0, 1, 2].map((k) => (k === main ? Math.sign(up[k]) : 0));
}
