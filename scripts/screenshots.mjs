#!/usr/bin/env node
// Makes the pictures of the manual: runs each example, opens its page in headless Chromium, and saves
// docs/pictures/NAME.png. Usage: scripts/screenshots.mjs [NAME...]
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openBrowser } from "../tests/browser/browser.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const klingel = process.env.KLINGEL ?? join(root, "build/klingel");

// example, time to show [s], keys pressed before (a: force arrows), theme; `make`: what else writes
// the file that is shown, `choose`: options of selects
const pictures = [
  { name: "double-pendulum", time: 1.2 },
  { name: "flyball-governor", time: 2.5, keys: ["a"], theme: "dark" },
  { name: "andrews-squeezer", time: 0.02 },
  { name: "spatial-slider-crank", time: 1, select: "rod" },
  { name: "bricard", time: 1 },
  { name: "flexible-slider-crank", time: 0.012 },
  { name: "roller-coaster", time: 12 },
  { name: "sar-antenna", time: 14, theme: "dark" },
  { name: "coach-in-curve", time: 5, keys: ["a", "c"] },
  { name: "wheelset-modes", time: 0.25, make: (file) => call("modes", example("carter-wheelset/model.yaml"), "-o", file), ending: "h5" },
  { name: "wheelset-locus", make: (file) => call("locus", example("carter-wheelset/model.yaml"), "--over", "speed=20:100:33", "-o", file), ending: "csv" },
  { name: "frame-modes", time: 0.25, make: frameModes, ending: "kbody", choose: { "#colouring": "stress" } },
];

const example = (path) => join(root, "examples", path);
const call = (...args) => execFileSync(klingel, args, { stdio: ["ignore", "ignore", "inherit"] });

/** The welded frame of examples/fe-frame: its mesh is made first, its modes take a minute. */
function frameModes(file) {
  const mesh = join(folder, "frame.msh"), body = join(folder, "frame.yaml");
  execFileSync("gmsh", ["-3", "-format", "msh22", "-o", mesh, example("fe-frame/frame.geo")], { stdio: "ignore" });
  writeFileSync(body, readFileSync(example("fe-frame/frame.yaml"), "utf8").replace(/^modes:.*$/m, "modes: 8\nstress: {nodes: surface}"));
  call("fe", body, "-q", "-o", file);
}

const wanted = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "klingel-pictures-"));
const out = join(root, "docs/pictures");
mkdirSync(out, { recursive: true });
const browser = await openBrowser({ width: 1280, height: 720 });
for (const { name, time, keys = [], theme = "light", select, make, ending = "h5", choose = {} } of pictures) {
  if (wanted.length && !wanted.includes(name)) continue;
  const [file, html] = [join(folder, `${name}.${ending}`), join(folder, `${name}.html`)];
  if (!make && !existsSync(example(`${name}/model.yaml`))) continue;
  if (make) make(file);
  else call("run", example(`${name}/model.yaml`), "-q", "-o", file);
  call("view", file, "-q", "--no-open", "-o", html);
  const page = await browser.open(html, { colorScheme: theme });
  if (time !== undefined) await page.evaluate(([t, part]) => (window.klingel.pause(), window.klingel.setTime(t), part && window.klingel.select(part)), [time, select]);
  for (const [what, value] of Object.entries(choose)) await page.locator(what).selectOption(value);
  for (const key of keys) await page.keyboard.press(key);
  await page.waitForTimeout(600);
  await page.screenshot({ path: join(out, `${name}.png`) });
  console.log(`docs/pictures/${name}.png`);
  await page.close();
}
await browser.close();
rmSync(folder, { recursive: true, force: true });
