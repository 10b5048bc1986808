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

function parsed(text) {
  try {
    return text ? JSON.parse(text) : null;
  } catch {
    return null;
  }
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
    if (this.scene && head.tracks?.length) this.scene.tracks = head.tracks;
    this.statistics = parsed(head.statistics);
    this.channels = new Map(head.channels.map((c) => [c.name, c]));
    this.blocks = new Map();
    this.columns = new Map();
    const step = head.bases[1].every / head.bases[0].every;
    this.times = [time, step === 1 ? time : time.filter((_, i) => i % step === 0)];
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
    const values = fromPlanes(bytes, 4 * n * channel.place, n);
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
