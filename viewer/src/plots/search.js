// Finding channels: every word typed must be in the name, in any order; own outputs come first.

export function findChannels(channels, typed, most = 40) {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const found = [];
  for (const c of channels) {
    const name = c.name.toLowerCase();
    const about = (c.about ?? "").toLowerCase();
    if (!words.every((w) => name.includes(w) || about.includes(w))) continue;
    const inName = words.every((w) => name.includes(w));
    const starts = words.length && name.startsWith(words[0]);
    found.push({ c, rank: (inName ? 0 : 4) + (starts ? 0 : 2) + (c.own ? 0 : 1) });
  }
  found.sort((a, b) => a.rank - b.rank);
  return { list: found.slice(0, most).map((f) => f.c), more: Math.max(0, found.length - most) };
}

/** What to plot before anybody asked: the model's own outputs, those of its templates (with a point in their name) only if there are no
 * others, else energies; at most three units.
 * `railway`: over the distance along the track, with curvature and cant below, so these are left out. */
export function firstChannels(channels, railway = false) {
  const all = channels.filter((c) => c.own), named = all.filter((c) => !c.name.includes(".")), own = named.length ? named : all;
  const pool = own.length ? own : channels.filter((c) => /^energy\.(kinetic|potential|total)$/.test(c.name));
  const shownBelow = (c) => railway && /\.(distance|curvature|cant)$/.test(c.about ?? "");
  const moving = pool.filter((c) => c.low !== null && c.high > c.low && !shownBelow(c));
  const units = new Map();
  for (const c of moving.length ? moving : pool) {
    if (!units.has(c.unit) && units.size >= 3) continue;
    const list = units.get(c.unit) ?? [];
    if (list.length < 4) list.push(c.name);
    units.set(c.unit, list);
  }
  return [...units.values()].flat();
}
