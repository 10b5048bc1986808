// Keyboard: one table.

/** `actions` by key; keys typed into a field are left alone, except Escape. */
export function listenToKeys(actions) {
  document.addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const field = e.target.closest?.("input:not([type=range]), select, textarea");
    if (field) return;
    const name = (e.shiftKey && e.key.startsWith("Arrow") ? "Shift " : "") + (e.key.length === 1 ? e.key.toLowerCase() : e.key);
    const action = actions[name];
    if (!action) return;
    if (e.key === " " && e.target.closest?.("button") && e.target.id !== "play") e.target.blur();
    action();
    e.preventDefault();
  });
}
