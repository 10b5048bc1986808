// The surface of a flexible body: nodes, triangles, and how its modes move and stress the nodes.
// The other side of src/post/skin.h.

/** Splits the bytes of a block; `head` is its entry in the page's head. */
export function readSkin(head, bytes) {
  const { nodes, triangles, lines, modes } = head;
  const own = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice();
  let at = own.byteOffset;
  const take = (Kind, n) => {
    const part = new Kind(own.buffer, at, n);
    at += part.byteLength;
    return part;
  };
  const skin = {
    ...head,
    position: take(Float32Array, 3 * nodes),
    triangle: take(Uint32Array, 3 * triangles),
    line: take(Uint32Array, 2 * lines),
    damage: head.damaged ? take(Float32Array, nodes) : null, // of the run, by fatigue
    motion: take(Int16Array, 3 * nodes * modes), // mode after mode: x, y, z of all nodes
    components: head.stress ? take(Int16Array, 6 * nodes * modes) : null,
  };
  return skin;
}

/** The node next to a point of the body. */
export function nearestNode({ nodes, position: x }, r) {
  let nearest = 0, least = Infinity;
  for (let i = 0; i < nodes; i++) {
    const d = (x[3 * i] - r[0]) ** 2 + (x[3 * i + 1] - r[1]) ** 2 + (x[3 * i + 2] - r[2]) ** 2;
    if (d < least) (least = d), (nearest = i);
  }
  return nearest;
}

/** Displacement of a node for modal coordinates w. */
export function displacement(skin, node, w) {
  const u = [0, 0, 0], n = skin.nodes;
  for (let j = 0; j < skin.modes; j++)
    for (let c = 0; c < 3; c++) u[c] += w[j] * skin.scale[j] * skin.motion[(3 * j + c) * n + node];
  return u;
}

/** Von Mises' stress at a node; 0 where there is none. */
export function vonMises(skin, node, w) {
  if (!skin.components) return 0;
  const s = [0, 0, 0, 0, 0, 0], n = skin.nodes;
  for (let j = 0; j < skin.modes; j++)
    for (let c = 0; c < 6; c++) s[c] += w[j] * skin.stress[j] * skin.components[(6 * j + c) * n + node];
  return misesOf(s);
}

export function misesOf([xx, yy, zz, xy, yz, zx]) {
  return Math.sqrt(0.5 * ((xx - yy) ** 2 + (yy - zz) ** 2 + (zz - xx) ** 2) + 3 * (xy * xy + yz * yz + zx * zx));
}

/** The largest value of `what` ("displacement" or "stress") over chosen nodes and given coordinates. */
export function largest(skin, what, coordinates) {
  const step = Math.max(1, Math.floor(skin.nodes / 800));
  let most = 0;
  for (const w of coordinates)
    for (let i = 0; i < skin.nodes; i += step)
      most = Math.max(most, what === "stress" ? vonMises(skin, i, w) : Math.hypot(...displacement(skin, i, w)));
  return most;
}

/** The largest damage, and how long the worst node lasts [h]; 0 and Infinity without damage. */
export function worstDamage(skins) {
  const most = skins.reduce((m, s) => (s.damage ?? []).reduce((a, d) => Math.max(a, d), m), 0);
  const span = Math.max(0, ...skins.map((s) => s.span ?? 0));
  return { most, hours: most > 0 ? span / most / 3600 : Infinity };
}

const SIDES = 8;
const SLENDER = 0.008; // radius of a tube over the size of the body

/** Tubes about the lines of a skin: {position, node, index}; a vertex moves with `node`. */
export function tubes({ nodes, position: x, line }) {
  const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
  for (let i = 0; i < 3 * nodes; i++) {
    low[i % 3] = Math.min(low[i % 3], x[i]);
    high[i % 3] = Math.max(high[i % 3], x[i]);
  }
  const radius = SLENDER * Math.hypot(...high.map((h, k) => h - low[k])), count = line.length / 2;
  const position = new Float32Array(6 * SIDES * count), node = new Float32Array(2 * SIDES * count), index = new Uint32Array(6 * SIDES * count);
  for (let l = 0; l < count; l++) {
    const ends = [line[2 * l], line[2 * l + 1]], [a, b] = ends.map((i) => x.subarray(3 * i, 3 * i + 3));
    const along = unit([b[0] - a[0], b[1] - a[1], b[2] - a[2]]);
    const side = unit(cross(along, Math.abs(along[2]) < 0.8 ? [0, 0, 1] : [1, 0, 0])), up = cross(side, along);
    for (let e = 0; e < 2; e++)
      for (let k = 0; k < SIDES; k++) {
        const v = 2 * SIDES * l + SIDES * e + k, angle = (2 * Math.PI * k) / SIDES, at = e ? b : a;
        for (let c = 0; c < 3; c++) position[3 * v + c] = at[c] + radius * (Math.cos(angle) * side[c] + Math.sin(angle) * up[c]);
        node[v] = ends[e];
      }
    for (let k = 0; k < SIDES; k++) {
      const p = 2 * SIDES * l + k, q = 2 * SIDES * l + ((k + 1) % SIDES);
      index.set([p, q, p + SIDES, q, q + SIDES, p + SIDES], 6 * (SIDES * l + k));
    }
  }
  return { position, node, index };
}

function cross(a, b) {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

function unit(a) {
  const n = Math.hypot(...a) || 1;
  return a.map((v) => v / n);
}
