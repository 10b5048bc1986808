// Time that runs, stops, jumps and repeats. Knows nothing of what is shown.

export const SPEEDS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100];

/** The speed at which `duration` seconds last between about three seconds and a minute; real time
 * if that fits. */
export function fittingSpeed(duration) {
  if (!(duration > 0)) return 1;
  if (duration >= 2 && duration <= 90) return 1;
  const wanted = duration < 2 ? duration / 6 : duration / 60;
  return SPEEDS.reduce((best, s) => (Math.abs(Math.log(s / wanted)) < Math.abs(Math.log(best / wanted)) ? s : best));
}

export class Clock {
  /** `times`: the frames, ascending. */
  constructor(times) {
    this.times = times;
    this.start = times.length ? times[0] : 0;
    this.end = times.length ? times[times.length - 1] : 0;
    this.time = this.start;
    this.playing = false;
    this.loop = true;
    this.speed = fittingSpeed(this.end - this.start);
    this.listeners = new Set();
  }

  onChange(listener) {
    this.listeners.add(listener);
  }
  #tell() {
    for (const l of this.listeners) l(this);
  }

  set(t) {
    this.time = Math.min(this.end, Math.max(this.start, Number(t)));
    if (Number.isNaN(this.time)) this.time = this.start;
    this.#tell();
  }
  play() {
    if (!this.loop && this.time >= this.end) this.time = this.start;
    this.playing = this.end > this.start;
    this.#tell();
  }
  pause() {
    this.playing = false;
    this.#tell();
  }
  toggle() {
    if (this.playing) this.pause();
    else this.play();
  }
  setSpeed(speed) {
    this.speed = speed;
    this.#tell();
  }
  /** One notch faster (+1) or slower (-1). */
  changeSpeed(notches) {
    const near = SPEEDS.reduce((a, b) => (Math.abs(b - this.speed) < Math.abs(a - this.speed) ? b : a));
    const i = Math.min(SPEEDS.length - 1, Math.max(0, SPEEDS.indexOf(near) + notches));
    this.setSpeed(SPEEDS[i]);
  }
  setLoop(loop) {
    this.loop = loop;
    this.#tell();
  }

  /** `seconds` of the wall clock have passed. */
  advance(seconds) {
    if (!this.playing) return;
    let t = this.time + seconds * this.speed;
    const span = this.end - this.start;
    if (t > this.end && this.loop) t = this.start + ((t - this.start) % span);
    else if (t >= this.end) {
      t = this.end;
      this.playing = false;
    }
    this.time = t;
    this.#tell();
  }

  /** The last frame that is not after the current time. */
  get frame() {
    return frameAt(this.times, this.time);
  }
  /** To a frame `count` away, pausing; from between two frames first to the next one. */
  step(count) {
    this.playing = false;
    const i = this.frame;
    const between = this.time > this.times[i] && count < 0 ? 1 : 0;
    const to = Math.min(this.times.length - 1, Math.max(0, i + count + between));
    this.set(this.times[to]);
  }
}

/** Index of the last of ascending `times` that is not after t; 0 when all are. */
export function frameAt(times, t) {
  let low = 0, high = times.length - 1;
  while (low < high) {
    const mid = (low + high + 1) >> 1;
    if (times[mid] <= t) low = mid;
    else high = mid - 1;
  }
  return Math.max(0, low);
}
