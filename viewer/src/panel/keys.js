// Keyboard: one table.

const MOVES = /^(Arrow|Home|End|Page)/;

/** Whether a field keeps this key to itself: a slider those that move it, except that of the time; others all but Escape. */
export function keeps(field, key) {
  if (!field || key === "Escape") return false;
  return field.type === "range" ? field.id !== "scrub" && MOVES.test(key) : true;
}

/** `actions` by key; what a field keeps is left alone. */
export function listenToKeys(actions) {
  document.addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    if (e.defaultPrevented || keeps(e.target.closest?.("input, select, textarea"), e.key)) return;
    const name = (e.shiftKey && e.key.startsWith("Arrow") ? "Shift " : "") + (e.key.length === 1 ? e.key.toLowerCase() : e.key);
    const action = actions[name];
    if (!action) return;
    if (e.key === " " && e.target.closest?.("button") && e.target.id !== "play") e.target.blur();
    action();
    e.preventDefault();
  });
}
