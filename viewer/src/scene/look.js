// Colours: Okabe and Ito's set, which colour-blind people can tell apart, toned for large areas.

const bodies = {
  light: ["#2f7fb8", "#e0a033", "#2d9d7c", "#c9642b", "#7cb8dd", "#b9769b", "#8a8f45", "#6f7b8a"],
  dark: ["#4a9fd8", "#e8b04a", "#3fb893", "#e07b40", "#8ec8ea", "#d18fb3", "#aab058", "#8f9bab"],
};

export const curves = {
  light: ["#0072b2", "#d55e00", "#009e73", "#b0568a", "#b07a00", "#3a9bdc", "#555555", "#7a4fbf"],
  dark: ["#56b4e9", "#ff8c42", "#2fcf9f", "#e596c0", "#f0c24b", "#9ad1f5", "#c0c6cf", "#b79bf0"],
};

const palettes = {
  light: { back: "#eef1f4", floor: "#dfe4e9", line: "#c3cbd3", line2: "#d5dbe1", joint: "#3c4652", ground: "#77828e", spring: "#5d6874",
    rail: "#7d8894", sleeper: "#a39582", select: "#ff9d00", arrow: "#b3261e", arrow2: "#0f6ab4", trace: "#d55e00", sky: "#ffffff", earth: "#b9bfc6" },
  dark: { back: "#14181d", floor: "#1d2329", line: "#39434d", line2: "#283038", joint: "#aeb9c4", ground: "#687683", spring: "#a3afbb",
    rail: "#8a96a3", sleeper: "#6a5f52", select: "#ffb640", arrow: "#ff7a6b", arrow2: "#63b8ff", trace: "#ff9d5c", sky: "#dfe9f5", earth: "#39414a" },
};

/** How the curves of result k are drawn: whole, then dashes that can be told apart. */
export const DASHES = [null, [6, 4], [1.5, 3], [10, 3, 1.5, 3], [14, 4], [3, 2], [10, 3, 1.5, 3, 1.5, 3], [14, 3, 4, 3]];

const ghosts = {
  light: ["#66707b", "#b0568a", "#009e73", "#b07a00", "#7a4fbf", "#3a9bdc", "#d55e00"],
  dark: ["#9aa5b0", "#e596c0", "#2fcf9f", "#f0c24b", "#b79bf0", "#9ad1f5", "#ff8c42"],
};
/** The colour of result k, k > 0, where it lies over the first one. */
export const ghostColour = (theme, k) => (ghosts[theme] ?? ghosts.light)[(k - 1) % ghosts.light.length];

/** Colours of a theme ("light", "dark"); body(i) goes round its set. */
export function look(theme) {
  const set = bodies[theme] ?? bodies.light;
  return { ...(palettes[theme] ?? palettes.light), ghost: (k) => ghostColour(theme, k), body: (i) => set[i % set.length] };
}
