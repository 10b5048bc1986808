// window.klingel: the door for tests and users' scripts.

export function offerApi(app) {
  const { clock, results } = app;
  window.klingel = {
    get time() {
      return clock.time;
    },
    setTime: (t) => clock.set(t),
    play: () => clock.play(),
    pause: () => clock.pause(),
    /** Names of the bodies, in the order of the model. */
    bodies: () => (results[0].scene?.bodies ?? []).filter((b) => b.type !== "ground").map((b) => b.name),
    /** {position: [x, y, z], orientation: [p0, p1, p2, p3]} now; null for an unknown name. */
    pose: (name) => {
      const actors = app.world?.first;
      if (!actors?.bodies.has(name)) return null;
      const { position, orientation } = actors.pose(name, clock.time);
      return { position: [...position], orientation: [...orientation] };
    },
    /** Selects a body, joint or force by name; null selects nothing. Returns what is selected. */
    select: (name) => {
      app.select(name);
      return app.selected;
    },
    /** [{name, unit, about, own}] of the first result. */
    channels: () => results[0].head.channels.map(({ name, unit, about, own }) => ({ name, unit, about, own })),
  };
}
