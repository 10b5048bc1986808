// One result of the page: what there is at once, columns when they are asked for.
import { readSkin } from "./skin.js";
import { fromPlanes, toDoubles, unpack } from "./unpack.js";

export const VERSION = 1;

/** An error whose message is a key of the texts, with its values. */
export class ResultsError extends Error {
  constructor(key, ...values) {
    super(`${key} ${values.join(" ")}`);
    this.key = key;
    this.values = values;
  }
}

const isScene = (s) => Boolean(s) && Array.isArray(s.bodies) && Array.isArray(s.elements) && s.bodies.every((b) => b?.name !== undefined) && s.elements.every((e) => Array.isArray(e?.markers));

function parsed(text) {
  try {
    return text ? JSON.parse(text) : null;
  } catch {
    return null;
  }
}

/** Numbers of the rows whose time is a number and does not go back; null when that are all. */
export function forward(time) {
  const kept = [];
  for (let i = 0; i < time.length; i++) if (Number.isFinite(time[i]) && !(time[i] < time[kept.at(-1)])) kept.push(i);
  return kept.length < time.length ? kept : null;
}

export class Results {
  /** `source(id)` gives the text of a block of the page, or null. Resolves to null when number
   * `index` is not there. */
  static async open(index, source) {
    const text = source(`k${index}-head`);
    if (text === null) return null;
    if (typeof DecompressionStream === "undefined") throw new ResultsError("error_browser");
    let head, time;
    try {
      head = JSON.parse(new TextDecoder().decode(await unpack(text)));
      if (head.version > VERSION) throw new ResultsError("error_version", head.version, VERSION);
      time = toDoubles(await unpack(source(`k${index}-time`)));
    } catch (e) {
      throw e instanceof ResultsError ? e : new ResultsError("error_data", e.message);
    }
    return new Results(index, source, head, time);
  }

  constructor(index, source, head, time) {
    Object.assign(this, { index, source, head, time });
    this.label = head.label;
    this.title = head.title || head.label;
    this.scene = parsed(head.scene);
    this.badScene = Boolean(head.scene) && !isScene(this.scene);
    if (this.badScene) this.scene = null;
    if (this.scene && head.tracks?.length) this.scene.tracks = head.tracks;
    this.statistics = parsed(head.statistics);
    this.channels = new Map(head.channels.map((c) => [c.name, c]));
    this.blocks = new Map();
    this.columns = new Map();
    const step = head.bases[1].every / head.bases[0].every;
    const all = [time, step === 1 ? time : time.filter((_, i) => i % step === 0)];
    this.kept = [forward(all[0]), step === 1 ? forward(all[0]) : forward(all[1])];
    this.backward = this.kept[0] ? time.length - this.kept[0].length : 0; // rows left out
    this.times = all.map((t, k) => (this.kept[k] ? Float64Array.from(this.kept[k], (i) => t[i]) : t));
    if (step === 1) this.times[1] = this.times[0]; // curves of one time need no joining
    this.time = this.times[0];
  }

  /** What the page shows: "run", "modes" or "live". */
  get kind() {
    return this.head.kind ?? "run";
  }

  /** Surfaces of flexible bodies. */
  async skins() {
    const heads = this.head.skins ?? [];
    try {
      return await Promise.all(heads.map(async (h, i) => readSkin(h, await unpack(this.source(`k${this.index}-skin${i}`)))));
    } catch (e) {
      throw new ResultsError("error_data", e.message);
    }
  }

  /** Fields, such as the wires of a catenary: [{name, point, line, link, triangle, value, time, values}]; a row
   * of values holds the rise or displacement of each point, each further value of each point, then the pull of each link. */
  async fields() {
    const heads = this.head.fields ?? [];
    const read = async (h, i) => {
      const time = this.source(`k${this.index}-fieldtime${i}`), block = this.source(`k${this.index}-field${i}`);
      if (time === null || block === null) return null;
      const n = h.rows * (((h.width ?? 1) + (h.value?.length ?? 0)) * h.point.length + h.link.length / 2);
      return { ...h, time: toDoubles(await unpack(time)), values: fromPlanes(await unpack(block), 0, n) };
    };
    try {
      return (await Promise.all(heads.map(read))).filter((f) => f && f.time.length);
    } catch (e) {
      throw new ResultsError("error_data", e.message);
    }
  }

  /** Of a page of modes: where bodies stand and how modes move them; null where there is none. */
  async shapes() {
    const text = this.source(`k${this.index}-shapes`);
    return text === null ? null : toDoubles(await unpack(text));
  }

  get start() {
    return this.time.length ? this.time[0] : 0;
  }
  get end() {
    return this.time.length ? this.time[this.time.length - 1] : 0;
  }

  /** The column of a channel: {channel, time, values, offset}; a value is values[i] + offset.
   * Resolves to null when there is no such channel. */
  column(name) {
    const channel = this.channels.get(name);
    if (!channel) return Promise.resolve(null);
    if (!this.columns.has(name)) this.columns.set(name, this.#read(channel));
    return this.columns.get(name);
  }

  async #read(channel) {
    const n = this.head.bases[channel.base].n;
    let bytes;
    try {
      bytes = await this.#block(channel.block);
    } catch (e) {
      throw new ResultsError("error_data", e.message);
    }
    if (bytes.length < 4 * n * (channel.place + 1)) throw new ResultsError("error_data", channel.name);
    const all = fromPlanes(bytes, 4 * n * channel.place, n), kept = this.kept[channel.base];
    const values = kept ? Float32Array.from(kept, (i) => all[i]) : all;
    return { channel, time: this.times[channel.base], values, offset: channel.offset ?? 0 };
  }

  #block(number) {
    if (!this.blocks.has(number)) {
      const text = this.source(`k${this.index}-${number}`);
      if (text === null) return Promise.reject(new Error(`block ${number}`));
      this.blocks.set(number, unpack(text));
    }
    return this.blocks.get(number);
  }
}
