// Reports and shapes of a model's own, in a real browser.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { openBrowser } from "./browser.mjs";

const klingel = process.env.KLINGEL ?? "build/klingel";
const folder = mkdtempSync(join(tmpdir(), "klingel-report-"));
const at = (name) => join(folder, name);
const call = (...args) => execFileSync(klingel, args, { stdio: ["ignore", "pipe", "pipe"], encoding: "utf8" });
const model = `klingel: 1
title: Swinging <wheel>
parameters: {m: 2}
bodies:
  wheel: {mass: m, inertia: [0.02, 0.04, 0.02], position: [0.5, 0, 0],
          shape: [{cylinder: {radius: 0.2, length: 50 mm, axis: y}, color: "#00ff00"}, {file: fin.stl, at: [0, 0, 0.2]}]}
joints:
  pin: {type: revolute, between: [ground, wheel], at: [0, 0, 0], axis: y}
outputs:
  height: {of: wheel, quantity: position.z}
run: {end: 1, every: 0.02}
`;
const fin = "solid f\nfacet normal 0 1 0\nouter loop\nvertex 0 0 0\nvertex 0.1 0 0\nvertex 0 0 0.1\nendloop\nendfacet\nendsolid f\n";
let browser;

before(async () => {
  writeFileSync(at("m.yaml"), model);
  writeFileSync(at("fin.stl"), fin);
  call("run", at("m.yaml"), "-q", "--set", "m=3", "-o", at("m.h5"));
  call("report", at("m.h5"), "--author", "A & B", "-o", at("r.html"));
  call("view", at("m.h5"), "-o", at("v.html"));
  browser = await openBrowser({ width: 900, height: 700 });
});
after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

test("long names break instead of widening a report", async () => {
  const name = "x".repeat(200);
  writeFileSync(at("long.yaml"), model.replace("height:", `${name}:`).replace(/, \{file: fin.stl.*\}\]/, "]").replace("Swinging", name));
  call("run", at("long.yaml"), "-q", "-o", at("long.h5"));
  call("report", at("long.h5"), "-o", at("long.html"));
  const page = await browser.open(at("long.html"));
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
  await page.close();
  call("view", at("long.h5"), "-o", at("longv.html"));
  const view = await browser.open(at("longv.html"));
  const boxes = await view.evaluate(() => [...document.querySelectorAll(".legend .entry, .legend button")].map((e) => e.getBoundingClientRect().right - innerWidth));
  assert.ok(boxes.length >= 2 && boxes.every((x) => x <= 0), `${boxes}`);
  await view.close();
});

/** How many pixels of an image or canvas are clearly green. */
const green = (page, selector) => page.evaluate(async (what) => {
  const source = document.querySelector(what), small = document.createElement("canvas");
  if (source.decode) await source.decode();
  small.width = small.height = 100;
  const pen = small.getContext("2d");
  pen.drawImage(source, 0, 0, 100, 100);
  const d = pen.getImageData(0, 0, 100, 100).data;
  let n = 0;
  for (let i = 0; i < d.length; i += 4) if (d[i + 1] > 1.5 * d[i] && d[i + 1] > 1.5 * d[i + 2] && d[i + 1] > 60) n++;
  return n;
}, selector);

test("a report has its picture, figures, tables and the way to reproduce it", async () => {
  const page = await browser.open(at("r.html"));
  assert.deepEqual(page.errors, []);
  assert.deepEqual(page.requests.filter((u) => !/^(data|blob):/.test(u)), [page.url()]);
  assert.equal(await page.locator("h1").textContent(), "Swinging <wheel>");
  assert.match(await page.locator(".sub").textContent(), /A & B/);
  assert.ok((await green(page, ".picture img")) > 50, "the wheel is not in the picture");
  assert.ok((await page.locator("svg.chart path").count()) >= 4);
  const said = await page.locator("main").textContent();
  for (const word of ["wheel", "revolute", "largest force", "Newton iterations", "energy balance", "klingel run", "shape: [", "Settings", "tolerance", "Warnings",
    "load on the ground", "Largest position error of a joint", "--set m=3", "Energy balance: change of total"]) assert.ok(said.includes(word), word);
  // the weight hangs on the hinge at the start, less what falls: r g r / (r r + J/m) of it
  const start = await page.locator("tr", { hasText: "pin" }).first().locator(".n").first().textContent();
  assert.ok(Math.abs(Number(start) - 3 * 9.80665 * (1 - 0.25 / (0.25 + 0.04 / 3))) < 0.05, start);
  const pdf = await page.pdf({ format: "A4", preferCSSPageSize: true });
  assert.ok(pdf.length > 20000 && pdf.subarray(0, 5).toString() === "%PDF-");
  assert.ok((pdf.toString("latin1").match(/\/Type\s*\/Page\b/g) ?? []).length >= 2);
  await page.close();
});

test("a body is drawn with the shapes that its model gives it", async () => {
  const page = await browser.open(at("v.html"));
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  assert.deepEqual(page.errors, []);
  assert.ok((await green(page, ".scene canvas")) > 50);
  await page.close();
});
