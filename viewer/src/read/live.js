// Results that still grow: rows come from the server that runs the model.
import { Results } from "./results.js";

export class LiveResults extends Results {
  static async open(index, source) {
    const r = await Results.open(index, source);
    return r ? new LiveResults(index, source, r.head, new Float64Array(0)) : null;
  }

  constructor(...of) {
    super(...of);
    this.count = 0;
    this.times64 = new Float64Array(1024);
    this.live = this.head.channels.map((channel) => ({ channel, room: new Float32Array(1024), time: this.time, values: new Float32Array(0), offset: 0 }));
  }

  column(name) {
    const channel = this.channels.get(name);
    return Promise.resolve(channel ? this.live[channel.place] : null);
  }

  /** Rows [[t, value, ...], ...] at the end. */
  append(rows) {
    const n = this.count + rows.length;
    if (n > this.times64.length) this.#grow(2 * n);
    rows.forEach((row, i) => {
      this.times64[this.count + i] = row[0];
      for (let k = 1; k < row.length; k++) this.live[k - 1].room[this.count + i] = row[k] ?? NaN;
    });
    this.count = n;
    this.time = this.times64.subarray(0, n);
    this.times = [this.time, this.time];
    for (const c of this.live) {
      c.time = this.time;
      c.values = c.room.subarray(0, n);
    }
  }

  #grow(size) {
    const wider = (old, Kind) => {
      const room = new Kind(size);
      room.set(old);
      return room;
    };
    this.times64 = wider(this.times64, Float64Array);
    for (const c of this.live) c.room = wider(c.room, Float32Array);
  }
}
