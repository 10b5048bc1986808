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
    motion: take(Int16Array, 3 * nodes * modes), // mode after mode: x, y, z of all nodes
    components: head.stress ? take(Int16Array, 6 * nodes * modes) : null,
  };
  return skin;
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
