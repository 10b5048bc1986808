// The page of `klingel view --live`: rows arrive while the model runs, and a button stops it.
import { button, element } from "./panel/dom.js";
import { number } from "./format.js";
import { text } from "./texts.js";

const PLOT_EVERY = 300; // ms

export class Live {
  /** Waits for the first row; rejects when the server cannot be reached. */
  static connect(results) {
    const token = new URLSearchParams(location.search).get("token") ?? "";
    return new Promise((done, failed) => {
      const live = new Live(results, token, done);
      live.source.onerror = () => {
        if (!results.count) failed(new Error(text("live_lost")));
        else live.lost();
      };
    });
  }

  constructor(results, token, ready) {
    Object.assign(this, { results, token, ready });
    this.source = new EventSource(`/events?token=${token}`);
    this.source.onmessage = (m) => this.#take(JSON.parse(m.data));
    this.state = { time: results.head.begin, wall: 0, every: 1, status: null };
  }

  #take(event) {
    Object.assign(this.state, event);
    if (event.rows.length) this.results.append(event.rows);
    if (this.results.count && this.ready) {
      this.ready(this);
      this.ready = null;
    }
    if (event.status) this.source.close();
    this.#show();
  }

  lost() {
    this.source.close();
    if (!this.state.status) this.state.status = "lost";
    this.#show();
  }

  /** Puts progress and the button into the page and keeps it up to date. */
  attach(app) {
    this.app = app;
    this.bar = element("progress", { max: 1, value: 0, "aria-label": text("live_progress") });
    this.words = element("span", { class: "live-words", id: "live" });
    this.stop = button(text("live_stop"), text("live_stop_what"), () => this.#stop(), { class: "stop", id: "stop" });
    app.titleHost.insertBefore(element("span", { class: "live-bar" }, this.bar, this.words, this.stop), app.titleHost.querySelector(".grow"));
    app.clock.onChange((c) => { if (c.playing || c.time < c.end) this.following = false; });
    app.clock.setSpeed(1);
    this.following = true; // until somebody plays or goes back
    this.#show();
  }

  async #stop() {
    this.stop.disabled = true;
    await fetch(`/stop?token=${this.token}`, { method: "POST" }).catch(() => this.lost());
  }

  #show() {
    if (!this.app) return;
    const { time, wall, status, every } = this.state, { begin, end } = this.results.head;
    const part = end > begin ? Math.min(1, (time - begin) / (end - begin)) : 1;
    this.bar.value = status === "complete" ? 1 : part;
    const speed = wall > 0 ? `${number((time - begin) / wall, 2)} ×` : "";
    this.words.textContent = status ? text(`live_${status}`) : text("live_running", number(time, 4), number(end, 4), speed);
    if (every > 1) this.words.textContent += ` · ${text("decimated_live", every)}`;
    this.bar.hidden = this.stop.hidden = Boolean(status);
    document.body.dataset.live = status ?? "running";
    this.#follow();
  }

  #follow() {
    const { app, results } = this, { clock } = app;
    const atEnd = this.following || clock.time >= clock.end;
    clock.times = results.time;
    clock.start = results.start;
    clock.end = results.end;
    app.world?.grow(results.time);
    if (atEnd && !clock.playing) clock.set(results.end);
    this.following = atEnd && !clock.playing;
    const now = performance.now();
    if (now - (this.plotted ?? 0) < PLOT_EVERY && !this.state.status) return;
    this.plotted = now;
    app.plots.refresh();
    if (!this.following) clock.set(clock.time); // the scale under the handle has changed
  }
}
