#!/usr/bin/env node
// Pictures of the examples for documents: runs each, opens its page in headless Chromium, and saves
// docs/pictures/NAME.png. Usage: scripts/screenshots.mjs [NAME...]
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openBrowser } from "../tests/browser/browser.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const klingel = process.env.KLINGEL ?? join(root, "build/klingel");

// example, time to show [s], keys pressed before (a: force arrows), theme
const pictures = [
  { name: "double-pendulum", time: 1.2 },
  { name: "flyball-governor", time: 2.5, keys: ["a"], theme: "dark" },
  { name: "andrews-squeezer", time: 0.02 },
  { name: "spatial-slider-crank", time: 1, select: "rod" },
  { name: "bricard", time: 1 },
];

const wanted = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "klingel-pictures-"));
const out = join(root, "docs/pictures");
mkdirSync(out, { recursive: true });
const browser = await openBrowser({ width: 1280, height: 720 });
for (const { name, time, keys = [], theme = "light", select } of pictures) {
  if (wanted.length && !wanted.includes(name)) continue;
  const [h5, html] = [join(folder, `${name}.h5`), join(folder, `${name}.html`)];
  execFileSync(klingel, ["run", join(root, "examples", name, "model.yaml"), "-q", "-o", h5]);
  execFileSync(klingel, ["view", h5, "-q", "-o", html]);
  const page = await browser.open(html, { colorScheme: theme });
  await page.evaluate(([t, part]) => (window.klingel.setTime(t), part && window.klingel.select(part)), [time, select]);
  for (const key of keys) await page.keyboard.press(key);
  await page.waitForTimeout(600);
  await page.screenshot({ path: join(out, `${name}.png`) });
  console.log(`docs/pictures/${name}.png`);
  await page.close();
}
await browser.close();
rmSync(folder, { recursive: true, force: true });
