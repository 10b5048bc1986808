// Fields with a surface: bodies of finite elements with large deformations, coloured by a value.
import * as THREE from "three";
import { TONE_STOPS } from "./skin.js";
import { rowWidth, valuesAt } from "./wires.js";

const STOPS = TONE_STOPS.map((c) => new THREE.Color(c));

/** Writes the colour of x (0..1) to `out` at `index`. */
export function putTone(x, out, index) {
  const place = Math.min(1, Math.max(0, x)) * (STOPS.length - 1), i = Math.min(STOPS.length - 2, Math.floor(place));
  const part = place - i, a = STOPS[i], b = STOPS[i + 1];
  out[index] = a.r + part * (b.r - a.r);
  out[index + 1] = a.g + part * (b.g - a.g);
  out[index + 2] = a.b + part * (b.b - a.b);
}

/** Where value k of a field begins in a row. */
export function valueStart(field, k) {
  return ((field.width ?? 1) + k) * field.point.length;
}

/** The largest value `name` over all rows of all fields. */
export function largestValue(fields, name) {
  let most = 0;
  for (const f of fields) {
    const k = (f.value ?? []).findIndex((v) => v.name === name), width = rowWidth(f);
    if (k < 0) continue;
    for (let row = 0; row < f.rows; row++)
      for (let i = 0, at = row * width + valueStart(f, k); i < f.point.length; i++) most = Math.max(most, f.values[at + i]);
  }
  return most;
}

class Surface {
  constructor(field) {
    this.field = field;
    this.position = new Float32Array(field.point.flat());
    this.colour = new Float32Array(this.position.length).fill(1);
    this.geometry = new THREE.BufferGeometry();
    this.geometry.setAttribute("position", new THREE.BufferAttribute(this.position, 3));
    this.geometry.setAttribute("color", new THREE.BufferAttribute(this.colour, 3));
    this.geometry.setIndex(field.triangle);
  }

  update(t, name, top, plain) {
    const { field } = this, values = valuesAt(field, t), n = field.point.length;
    const k = (field.value ?? []).findIndex((v) => v.name === name), first = valueStart(field, k);
    for (let i = 0; i < n; i++) {
      for (let d = 0; d < 3; d++) this.position[3 * i + d] = field.point[i][d] + values[3 * i + d];
      if (k >= 0 && top > 0) putTone(values[first + i] / top, this.colour, 3 * i);
      else plain.toArray(this.colour, 3 * i);
    }
    this.geometry.attributes.position.needsUpdate = true;
    this.geometry.attributes.color.needsUpdate = true;
    this.geometry.computeVertexNormals();
  }
}

export class Surfaces {
  constructor(fields) {
    this.fields = fields.filter((f) => f.triangle?.length && f.width === 3);
    this.root = new THREE.Group();
    this.plain = new THREE.Color("#9aa4ad");
    this.material = new THREE.MeshStandardMaterial({ vertexColors: true, side: THREE.DoubleSide, roughness: 0.7 });
    this.surfaces = this.fields.map((f) => new Surface(f));
    for (const s of this.surfaces) {
      const mesh = new THREE.Mesh(s.geometry, this.material);
      mesh.frustumCulled = false;
      this.root.add(mesh);
    }
    this.setValue(this.names.includes("mises") ? "mises" : "");
  }

  /** Names of the values that the fields have. */
  get names() {
    return [...new Set(this.fields.flatMap((f) => (f.value ?? []).map((v) => v.name)))];
  }

  unit(name) {
    return this.fields.flatMap((f) => f.value ?? []).find((v) => v.name === name)?.unit ?? "1";
  }

  /** Colours by the value `name`; "" for one colour. */
  setValue(name) {
    this.value = name;
    this.top = name ? largestValue(this.fields, name) : 0;
  }

  update(t) {
    this.time = t;
    for (const s of this.surfaces) s.update(t, this.value, this.top, this.plain);
  }

  /** The box of all points over all rows. */
  get box() {
    const box = new THREE.Box3();
    for (const f of this.fields) {
      const width = rowWidth(f);
      for (let row = 0; row < f.rows; row++)
        for (let i = 0; i < f.point.length; i++)
          box.expandByPoint(new THREE.Vector3(...f.point[i].map((x, d) => x + f.values[row * width + 3 * i + d])));
    }
    return box.isEmpty() ? null : box;
  }
}
