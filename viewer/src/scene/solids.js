// Primitives of plan.js as meshes.
import * as THREE from "three";
import { ConvexGeometry } from "three/examples/jsm/geometries/ConvexGeometry.js";
import { RoundedBoxGeometry } from "three/examples/jsm/geometries/RoundedBoxGeometry.js";

const Y = new THREE.Vector3(0, 1, 0);
const EDGE = 0.02; // radius of the edges of a box over its least side: light catches them, and a car body is no pillow
const vec = (a) => new THREE.Vector3(a[0], a[1], a[2]);

/** Turns y of a geometry into `axis`. */
export function alongAxis(object, axis) {
  object.quaternion.setFromUnitVectors(Y, vec(axis).normalize());
  return object;
}

function box(p, plain) {
  const [a, b, c] = p.size;
  const geometry = plain ? new THREE.BoxGeometry(a, b, c) : new RoundedBoxGeometry(a, b, c, 2, EDGE * Math.min(a, b, c));
  const mesh = new THREE.Mesh(geometry);
  if (p.axes) mesh.quaternion.setFromRotationMatrix(new THREE.Matrix4().makeBasis(...p.axes.map(vec)));
  return mesh;
}

// a lathe with rounded edges
function cylinder(p) {
  const h = p.length / 2, r = p.radius, c = 0.12 * Math.min(r, p.length);
  const outline = [[0, -h], [r - c, -h], [r, -h + c], [r, h - c], [r - c, h], [0, h]].map(([x, y]) => new THREE.Vector2(x, y));
  const geometry = new THREE.LatheGeometry(outline, 48).toNonIndexed();
  geometry.computeVertexNormals();
  const mesh = new THREE.Mesh(smooth(geometry, p));
  if (p.axis) return alongAxis(mesh, p.axis);
  mesh.geometry.rotateX(Math.PI / 2); // of a model's own shape: along z of its axes
  return mesh;
}

// the mantle of a cylinder is round, its edges are not: normals by hand
function smooth(geometry, p) {
  const at = geometry.attributes.position, n = geometry.attributes.normal, v = new THREE.Vector3();
  for (let i = 0; i < at.count; i++) {
    v.fromBufferAttribute(n, i);
    if (Math.abs(v.y) > 0.3) continue;
    v.set(at.getX(i), 0, at.getZ(i)).normalize();
    n.setXYZ(i, v.x, v.y, v.z);
  }
  return geometry;
}

function sphere(p) {
  return new THREE.Mesh(new THREE.SphereGeometry(p.radius, 32, 20));
}

// a bar with round ends from a to b
function bar(p) {
  const a = vec(p.a), b = vec(p.b), d = b.clone().sub(a), length = d.length();
  const mesh = new THREE.Mesh(new THREE.CapsuleGeometry(p.radius, length, 6, 20));
  mesh.position.copy(a).addScaledVector(d, 0.5);
  return length > 0 ? alongAxis(mesh, d.toArray()) : mesh;
}

// the convex hull of small balls at all points: a plate where they lie in a plane
function hull(p) {
  const ball = new THREE.IcosahedronGeometry(p.radius, 1).attributes.position;
  const cloud = p.points.flatMap((r) =>
    Array.from({ length: ball.count }, (_, i) => new THREE.Vector3().fromBufferAttribute(ball, i).add(vec(r))));
  return new THREE.Mesh(new ConvexGeometry(cloud));
}

function mesh(p) {
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.Float32BufferAttribute(p.vertices, 3));
  geometry.setIndex(p.triangles);
  const flat = geometry.toNonIndexed(); // parts from CAD have sharp edges
  flat.computeVertexNormals();
  geometry.dispose();
  return new THREE.Mesh(flat);
}

const makers = { box, cylinder, sphere, bar, hull, mesh };

/** A mesh without material, or null for a kind this viewer does not know. `plain`: sharp edges. */
export function solid(primitive, plain = false) {
  const make = makers[primitive.kind];
  if (!make) return null;
  const object = make(primitive, plain);
  const turn = primitive.orientation;
  if (turn) object.quaternion.set(turn[1], turn[2], turn[3], turn[0]);
  if (primitive.at) object.position.add(vec(primitive.at));
  return object;
}
