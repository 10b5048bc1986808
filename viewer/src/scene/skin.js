// A flexible body's surface, deformed by the graphics card: the modes stand in a texture of 16 bit
// numbers, and each vertex adds them up, so that a frame costs the processor nothing but a handful
// of modal coordinates.
import * as THREE from "three";
import { displacement, tubes } from "../read/skin.js";

const WIDTH = 2048; // texels a row
const MOST_SHADED = 1e6; // nodes times modes; a larger skin casts no shadow, which would deform it once more for each frame

/** Life of the first colour over that of the last one. */
export const LIFE_RANGE = 1e4;
export const COLOURINGS = ["plain", "displacement", "stress", "life"];

/** Numbers of all modes, node after node: texel (node * modes + mode). */
function modeTexture(nodes, modes, values, from, count) {
  const texels = nodes * modes, height = Math.max(1, Math.ceil(texels / WIDTH));
  const data = new Int16Array(4 * WIDTH * height);
  for (let j = 0; j < modes; j++)
    for (let c = 0; c < count; c++) {
      const column = (values.length / (nodes * modes)) * j + from + c;
      for (let i = 0, p = column * nodes; i < nodes; i++, p++) data[4 * (i * modes + j) + c] = values[p];
    }
  const texture = new THREE.DataTexture(data, WIDTH, height, THREE.RGBAIntegerFormat, THREE.ShortType);
  texture.internalFormat = "RGBA16I";
  texture.needsUpdate = true;
  return texture;
}

const HEAD = /* glsl */ `
uniform highp isampler2D modeMotion;
uniform highp isampler2D stressA;
uniform highp isampler2D stressB;
uniform highp sampler2D modal;      // a texel a mode: coordinate * scale, coordinate * stress scale
uniform int modeCount, colouring;
uniform float deformScale, colourTop;
attribute float node;               // whose motion the vertex takes
attribute float damage;
varying float tone;
vec3 modeSum(highp isampler2D from, int part) {
  vec3 sum = vec3(0.0);
  int base = int(node + 0.5) * modeCount;
  for (int j = 0; j < modeCount; j++) {
    int at = base + j;
    vec4 q = texelFetch(modal, ivec2(j, 0), 0);
    sum += (part == 0 ? q.x : q.y) * vec3(texelFetch(from, ivec2(at % ${WIDTH}, at / ${WIDTH}), 0).xyz);
  }
  return sum;
}
`;
const BODY = /* glsl */ `
vec3 shift = modeSum(modeMotion, 0);
vec3 transformed = position + deformScale * shift;
tone = 0.0;
if (colouring == 1) tone = length(shift) / colourTop;
if (colouring == 2) {
  vec3 n = modeSum(stressA, 1), s = modeSum(stressB, 1);
  vec3 d = n - n.yzx;
  tone = sqrt(0.5 * dot(d, d) + 3.0 * dot(s, s)) / colourTop;
}
if (colouring == 3) tone = damage > 0.0 ? 1.0 + log(damage / colourTop) / log(${LIFE_RANGE.toFixed(1)}) : 0.0;
`;
// cividis, by its corners: told apart by colour-blind people, and brighter is more
const TONES = /* glsl */ `
varying float tone;
uniform int colouring;
vec3 toneColour(float x) {
  x = clamp(x, 0.0, 1.0) * 4.0;
  vec3 c[5] = vec3[5](vec3(0.0, 0.016, 0.075), vec3(0.041, 0.065, 0.147), vec3(0.198, 0.198, 0.188), vec3(0.479, 0.397, 0.130), vec3(1.0, 0.823, 0.061));
  int i = min(3, int(floor(x)));
  return mix(c[i], c[i + 1], x - float(i));
}
`;
/** The same colours for a legend. */
export const TONE_STOPS = ["#00204c", "#39486b", "#7b7b78", "#b8a965", "#ffea46"];

export class Skin {
  /** `material`: what the body is drawn with; it is copied. */
  constructor(skin, material) {
    this.skin = skin;
    this.deformation = 1;
    this.coordinates = new Array(skin.modes).fill(0);
    const { nodes, modes } = skin;
    this.modal = new Float32Array(4 * Math.max(1, modes));
    this.modalTexture = new THREE.DataTexture(this.modal, Math.max(1, modes), 1, THREE.RGBAFormat, THREE.FloatType);
    const motion = modeTexture(nodes, modes, skin.motion, 0, 3);
    const stressA = skin.components ? modeTexture(nodes, modes, skin.components, 0, 3) : motion;
    const stressB = skin.components ? modeTexture(nodes, modes, skin.components, 3, 3) : motion;
    this.uniforms = {
      modeMotion: { value: motion }, stressA: { value: stressA }, stressB: { value: stressB }, modal: { value: this.modalTexture },
      modeCount: { value: modes }, colouring: { value: 0 }, deformScale: { value: 1 }, colourTop: { value: 1 },
    };
    this.mesh = this.#mesh(material);
    this.lines = skin.lines ? this.#lines() : null;
  }

  #geometry(position, node, index) {
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(position, 3));
    geometry.setAttribute("node", new THREE.BufferAttribute(node, 1));
    geometry.setAttribute("damage", new THREE.BufferAttribute(Float32Array.from(node, (i) => this.skin.damage?.[i] ?? 0), 1));
    geometry.setIndex(new THREE.BufferAttribute(index, 1));
    return geometry;
  }

  // normals come from the deformed surface itself (flat shading)
  #mesh(material) {
    const geometry = this.#geometry(this.skin.position, Float32Array.from({ length: this.skin.nodes }, (_, i) => i), this.skin.triangle);
    geometry.computeBoundingSphere();
    geometry.boundingSphere.radius *= 2; // modes reach out of it
    this.material = material.clone();
    this.material.flatShading = true;
    this.material.side = THREE.DoubleSide;
    this.#inject(this.material);
    return this.#shaded(new THREE.Mesh(geometry, this.material));
  }

  // its shadow is that of the deformed surface
  #shaded(mesh) {
    mesh.castShadow = this.skin.nodes * this.skin.modes <= MOST_SHADED;
    mesh.customDepthMaterial = this.depth ??= new THREE.MeshDepthMaterial({ depthPacking: THREE.RGBADepthPacking, side: THREE.DoubleSide });
    this.depth.onBeforeCompile = (shader) => {
      Object.assign(shader.uniforms, this.uniforms);
      shader.vertexShader = HEAD + shader.vertexShader.replace("#include <begin_vertex>", BODY);
    };
    this.depth.customProgramCacheKey = () => "klingel-skin-depth";
    return mesh;
  }

  // beams have no surface of their own: tubes about their lines
  #lines() {
    const { position, node, index } = tubes(this.skin);
    const lines = new THREE.Mesh(this.#geometry(position, node, index), this.material);
    lines.frustumCulled = false;
    return this.#shaded(lines);
  }

  #inject(material) {
    material.onBeforeCompile = (shader) => {
      Object.assign(shader.uniforms, this.uniforms);
      shader.vertexShader = HEAD + shader.vertexShader.replace("#include <begin_vertex>", BODY);
      shader.fragmentShader = TONES + shader.fragmentShader.replace("#include <color_fragment>", "#include <color_fragment>\nif (colouring > 0) diffuseColor.rgb = toneColour(tone);");
    };
    material.customProgramCacheKey = () => "klingel-skin";
  }

  /** Modal coordinates now. */
  setCoordinates(w) {
    this.coordinates = w;
    const { scale, stress, modes } = this.skin;
    for (let j = 0; j < modes; j++) {
      this.modal[4 * j] = w[j] * scale[j];
      this.modal[4 * j + 1] = stress ? w[j] * stress[j] : 0;
    }
    this.modalTexture.needsUpdate = true;
  }

  setDeformation(scale) {
    this.deformation = scale;
    this.uniforms.deformScale.value = scale;
  }

  /** Displacement of a node as it is drawn now, in body axes [m]. */
  shift(node) {
    return displacement(this.skin, node, this.coordinates).map((x) => this.deformation * x);
  }

  /** `top`: the value of the last colour. */
  setColouring(name, top) {
    this.uniforms.colouring.value = Math.max(0, COLOURINGS.indexOf(name));
    this.uniforms.colourTop.value = top > 0 ? top : 1;
  }

  dispose() {
    for (const u of Object.values(this.uniforms)) u.value?.dispose?.();
    this.mesh.geometry.dispose();
    this.material.dispose();
    this.depth.dispose();
    this.lines?.geometry.dispose();
  }
}
