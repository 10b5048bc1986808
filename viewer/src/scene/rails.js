// Tracks: two rails and sleepers along a line; a line without a gauge is one tube (a guide, a
// coaster's spine).
import * as THREE from "three";

const MOST_SLEEPERS = 4000;
const SLEEPER_BOTTOM = 0.2; // below the top of the rails, by the gauge

const vec = (a) => new THREE.Vector3(a[0], a[1], a[2]);

/** Middle line with directions: [{at, along, side, up, s}], s the way from the start. */
export function frames(position, normal, up = [0, 0, 1]) {
  const out = [];
  let s = 0;
  for (let i = 0; i < position.length; i++) {
    const before = position[Math.max(0, i - 1)], after = position[Math.min(position.length - 1, i + 1)];
    const along = vec(after).sub(vec(before));
    if (along.lengthSq() === 0) continue;
    along.normalize();
    const n = vec(normal?.[i] ?? up);
    n.addScaledVector(along, -n.dot(along));
    if (n.lengthSq() < 1e-12) n.set(0, 0, 1);
    n.normalize();
    if (i > 0) s += vec(position[i]).distanceTo(vec(position[i - 1]));
    out.push({ at: vec(position[i]), along, up: n, side: n.clone().cross(along), s });
  }
  return out;
}

/** A bar of rectangular section along the line, `off` to the side. */
function bar(line, off, width, height) {
  const points = [], index = [];
  line.forEach(({ at, side, up }, i) => {
    const middle = at.clone().addScaledVector(side, off);
    for (const [x, z] of [[-1, 0], [1, 0], [1, -1], [-1, -1]])
      points.push(...middle.clone().addScaledVector(side, 0.5 * x * width).addScaledVector(up, z * height).toArray());
    if (i === 0) return;
    for (let k = 0; k < 4; k++) {
      const a = 4 * (i - 1) + k, b = 4 * (i - 1) + ((k + 1) % 4);
      index.push(a, b, a + 4, b, b + 4, a + 4);
    }
  });
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.Float32BufferAttribute(points, 3));
  geometry.setIndex(index);
  const flat = geometry.toNonIndexed();
  flat.computeVertexNormals();
  return flat;
}

/** Sleepers at equal distances. */
function sleepers(line, gauge) {
  const total = line.at(-1).s, step = Math.max(0.6, total / MOST_SLEEPERS), n = Math.floor(total / step);
  const [length, width, height] = [1.7 * gauge, 0.17 * gauge, 0.1 * gauge];
  const mesh = new THREE.InstancedMesh(new THREE.BoxGeometry(width, length, height), null, Math.max(1, n));
  const place = new THREE.Matrix4();
  for (let i = 0, k = 0; i < n; i++) {
    const s = (i + 0.5) * step;
    while (k < line.length - 2 && line[k + 1].s < s) k++;
    const a = line[k], b = line[k + 1], part = (s - a.s) / (b.s - a.s || 1);
    const at = a.at.clone().lerp(b.at, part).addScaledVector(a.up, -0.15 * gauge);
    place.makeBasis(a.along, a.side, a.up).setPosition(at);
    mesh.setMatrixAt(i, place);
  }
  return mesh;
}

export class Rails {
  /** `tracks`: [{name, position: [[x, y, z]], normal, gauge}] */
  constructor(tracks, size, up) {
    this.root = new THREE.Group();
    this.low = tracks.flatMap((t) => (t.position ?? []).map((at) => ({ at, gauge: t.gauge ?? 0 })));
    this.steel = new THREE.MeshStandardMaterial({ roughness: 0.4, metalness: 0.5, side: THREE.DoubleSide });
    this.wood = new THREE.MeshStandardMaterial({ roughness: 0.9 });
    for (const t of tracks) {
      const line = frames(t.position ?? [], t.normal, up);
      if (line.length < 2) continue;
      for (const mesh of t.gauge > 0 ? this.#track(line, t.gauge) : [this.#guide(line, size)]) {
        mesh.receiveShadow = true;
        this.root.add(mesh);
      }
    }
  }

  #track(line, gauge) {
    const half = 0.5 * gauge + 0.024 * gauge, [width, height] = [0.047 * gauge, 0.1 * gauge];
    const rails = [-half, half].map((off) => new THREE.Mesh(bar(line, off, width, height), this.steel));
    const ties = sleepers(line, gauge);
    ties.material = this.wood;
    return [...rails, ties];
  }

  #guide(line, size) {
    const r = 0.006 * size;
    return new THREE.Mesh(bar(line, 0, 2 * r, 2 * r), this.steel);
  }

  /** The lowest place of all tracks along `up`, sleepers and all; infinite without tracks. */
  lowest(up) {
    return this.low.reduce((least, { at, gauge }) => Math.min(least, at[0] * up[0] + at[1] * up[1] + at[2] * up[2] - SLEEPER_BOTTOM * gauge), Infinity);
  }

  setLook(look) {
    this.steel.color.set(look.rail);
    this.wood.color.set(look.sleeper);
  }
}
