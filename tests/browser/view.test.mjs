// The pages of `klingel view` in a real browser. KLINGEL and STRESS name the two programs.
import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync, copyFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { deflateSync, inflateSync } from "node:zlib";
import { openBrowser } from "./browser.mjs";

const klingel = process.env.KLINGEL ?? "build/klingel", stress = process.env.STRESS ?? "build/stress-results";
const examples = fileURLToPath(new URL("../../examples/", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "klingel-view-"));
const at = (name) => join(folder, name);
const call = (...args) => execFileSync(klingel, args, { stdio: ["ignore", "pipe", "pipe"], encoding: "utf8", maxBuffer: 1 << 28 });
let browser, main; // main: the page of the first result, shared by the tests that leave it as it was

before(async () => {
  const model = join(examples, "double-pendulum/model.yaml");
  call("run", model, "-q", "-o", at("a.h5"));
  call("run", model, "-q", "--set", "L=250mm", "-o", at("b.h5"));
  call("view", at("a.h5"), "-o", at("a.html"));
  call("view", at("a.h5"), at("b.h5"), "-o", at("two.html"));
  browser = await openBrowser();
});
after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A copy of a page with changed data: `change(head, set)`, set(channel, row, value) of the first result. */
function edited(name, to, change) {
  let page = readFileSync(at(name), "utf8");
  const find = (id) => {
    const start = page.indexOf(`id="${id}">`) + id.length + 6;
    return [start, page.indexOf("</script>", start)];
  };
  const read = (id) => inflateSync(Buffer.from(page.slice(...find(id)), "base64"));
  const write = (id, bytes) => {
    const [start, end] = find(id);
    page = page.slice(0, start) + deflateSync(bytes).toString("base64") + page.slice(end);
  };
  const head = JSON.parse(read("k0-head"));
  change(head, (channel, row, value) => {
    const c = head.channels.find((x) => x.name === channel), n = head.bases[c.base].n, bytes = read(`k0-${c.block}`);
    const word = Buffer.from(Float32Array.of(value - c.offset).buffer);
    for (let b = 0; b < 4; b++) bytes[4 * n * c.place + b * n + row] = word[b];
    write(`k0-${c.block}`, bytes);
  });
  write("k0-head", JSON.stringify(head));
  writeFileSync(at(to), page);
  return at(to);
}

/** Whether that element is what is seen in its middle. */
const seen = (page, selector) => page.locator(selector).first().evaluate((e) => {
  const r = e.getBoundingClientRect();
  return e.contains(document.elementFromPoint(r.left + r.width / 2, r.top + r.height / 2));
});

/** How many different colours a coarse copy of the 3D picture has. */
const colours = (page) => page.evaluate(() => {
  const small = document.createElement("canvas");
  small.width = small.height = 96;
  const pen = small.getContext("2d");
  pen.drawImage(document.querySelector(".scene canvas"), 0, 0, 96, 96);
  const seen = new Set(), d = pen.getImageData(0, 0, 96, 96).data;
  for (let i = 0; i < d.length; i += 4) seen.add((d[i] >> 3) * 1024 + (d[i + 1] >> 3) * 32 + (d[i + 2] >> 3));
  return seen.size;
});
const drawn = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

/** The shared page, as it was when it was opened. */
async function fresh() {
  await main.evaluate(() => (klingel.pause(), klingel.setTime(0), klingel.select(null), document.activeElement?.blur()));
  return main;
}

test("a page opens from disk without an error, a request or a blank picture", async () => {
  const page = (main = await browser.open(at("a.html")));
  await drawn(page);
  assert.deepEqual(page.errors, []);
  assert.deepEqual(page.requests.filter((u) => !/^(data|blob):/.test(u)), [page.url()]);
  assert.ok((await colours(page)) > 30, "the canvas is blank");
  assert.equal(await page.title(), "Double pendulum of two bars");
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth && document.documentElement.scrollHeight <= innerHeight), true);
});

/** Parts of the page that cover each other or stick out of it. */
const clashes = (page) => page.evaluate(() => {
  const boxes = [".bar > *:not(.grow)", ".scene > .views", ".scene > .scale", ".scene > .deform", ".timebar > *", ".plothead > *", ".details header > *"]
    .flatMap((s) => [...document.querySelectorAll(s)]).filter((e) => e.offsetWidth && !e.hidden).map((e) => [e.className || e.tagName, e.getBoundingClientRect()]);
  const found = [];
  boxes.forEach(([a, p], i) => boxes.slice(i + 1).forEach(([b, q]) => {
    if (Math.min(p.right, q.right) - Math.max(p.left, q.left) > 1 && Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top) > 1) found.push(`${a} over ${b}`);
  }));
  for (const [name, r] of boxes) if (r.right > innerWidth + 1 || r.bottom > innerHeight + 1 || r.left < -1) found.push(`${name} outside`);
  return found;
});

test("nothing overlaps at any usual size, with all that can stand in the scene", async () => {
  for (const file of ["a.html", "two.html"]) {
    const page = await browser.open(at(file));
    await page.evaluate(() => klingel.select(klingel.bodies()[0]));
    for (const [width, height] of [[1280, 720], [800, 600], [390, 844]]) {
      await page.setViewportSize({ width, height });
      await drawn(page);
      assert.deepEqual(await clashes(page), [], `${file} at ${width} x ${height}`);
    }
    await page.close();
  }
});

test("on a phone the list of parts lies over the scene and leaves it again", async () => {
  const page = await browser.open(at("a.html"));
  await page.setViewportSize({ width: 390, height: 844 });
  const list = page.locator(".tree");
  assert.equal(await list.isVisible(), false);
  await page.locator("#parts").click();
  await page.locator('.tree .row[title^="lower"]').click();
  assert.equal(await page.evaluate(() => document.querySelector(".details h2").textContent), "lower");
  await page.mouse.click(360, 300); // the scene
  assert.equal(await list.isVisible(), false);
  await page.close();
});

test("the keys are listed, those of the page only", async () => {
  for (const [file, wanted, unwanted] of [["a.html", "play or pause", "other results"], ["two.html", "other results", "mode"]]) {
    const page = await browser.open(at(file));
    await page.keyboard.press("?");
    const said = await page.locator(".help dd").allTextContents();
    assert.ok(said.includes(wanted) && !said.some((s) => s.includes(unwanted)), said.join());
    assert.ok(await seen(page, ".help h2"));
    const box = await page.locator(".help").boundingBox();
    assert.ok(box.x >= 0 && box.y >= 0 && box.x + box.width <= 1280 && box.y + box.height <= 720);
    await page.keyboard.press("Escape");
    assert.equal(await page.locator(".help").count(), 0);
    await page.close();
  }
});

test("a body whose motion was not recorded is not drawn at the origin", async () => {
  const model = readFileSync(join(examples, "double-pendulum/model.yaml"), "utf8").replace(/^run: \{(.*)\}/m, 'run: {$1, record: ["upper.position.*", "upper.orientation.*"]}');
  assert.match(model, /record/);
  writeFileSync(at("part.yaml"), model);
  call("run", at("part.yaml"), "-q", "-o", at("part.h5"));
  call("view", at("part.h5"), "-o", at("part.html"));
  const page = await browser.open(at("part.html"));
  assert.match(await page.locator(".scene-note").textContent(), /One body is not drawn.*record/);
  assert.deepEqual(await page.evaluate(() => [klingel.pose("lower"), klingel.pose("upper") !== null, klingel.select("lower")]), [null, true, "lower"]);
  await page.keyboard.press("n");
  await page.keyboard.press("a");
  await drawn(page);
  assert.deepEqual(page.errors, []);
  await page.close();
});

test("window.klingel offers what scripts rely on", async () => {
  const page = await fresh();
  const seen = await page.evaluate(() => ({ keys: Object.keys(klingel), bodies: klingel.bodies(), n: klingel.channels().length, first: klingel.channels()[0].name,
    unknown: klingel.pose("nobody"), selected: klingel.select("hinge"), none: klingel.select("nobody") }));
  for (const key of ["time", "setTime", "play", "pause", "bodies", "pose", "select", "channels"]) assert.ok(seen.keys.includes(key), key);
  assert.deepEqual(seen.bodies, ["upper", "lower"]);
  assert.equal(seen.first, "upper.position.x");
  assert.deepEqual([seen.unknown, seen.selected, seen.none], [null, "hinge", null]);
});

test("play moves the right body the right distance", async () => {
  const csv = call("export", at("a.h5"), "lower.position.x", "lower.position.y", "lower.orientation.0").trim().split("\n").slice(1).map((l) => l.split(",").map(Number));
  const page = await fresh();
  for (const row of [0, 77, 250, csv.length - 1]) {
    const [t, x, y, p0] = csv[row];
    const pose = await page.evaluate((time) => (klingel.setTime(time), klingel.pose("lower")), t);
    assert.ok(Math.abs(pose.position[0] - x) < 1e-6 && Math.abs(pose.position[1] - y) < 1e-6, `row ${row}: ${pose.position}`);
    assert.ok(Math.abs(Math.abs(pose.orientation[0]) - Math.abs(p0)) < 1e-6);
  }
  await page.evaluate(() => (klingel.setTime(0), klingel.play()));
  await page.waitForFunction(() => klingel.time > 0.3);
  const { t, pose } = await page.evaluate(() => (klingel.pause(), { t: klingel.time, pose: klingel.pose("lower") }));
  const i = csv.findLastIndex((r) => r[0] <= t), s = (t - csv[i][0]) / (csv[i + 1][0] - csv[i][0]);
  assert.ok(Math.abs(pose.position[0] - (csv[i][1] + s * (csv[i + 1][1] - csv[i][1]))) < 1e-6);
});

test("a click on a body selects it and shows its values", async () => {
  const page = await fresh();
  await page.evaluate(() => (klingel.setTime(1), klingel.select("lower")));
  await drawn(page);
  // its name stands at its centre of mass
  const spot = await page.evaluate(() => {
    const label = [...document.querySelectorAll(".labels span")].findLast((s) => s.textContent === "lower" && s.style.display !== "none");
    const [, x, y] = /translate\(([-\d.]+)px, ([-\d.]+)px\)/.exec(label.style.transform).map(Number);
    const box = document.querySelector(".scene").getBoundingClientRect();
    return [box.left + x, box.top + y];
  });
  await page.keyboard.press("Escape");
  assert.equal(await page.locator(".details h2").count(), 0);
  await page.mouse.click(...spot);
  assert.equal(await page.locator(".details h2").textContent(), "lower");
  await page.waitForSelector(".live tr");
  assert.match(await page.locator(".live tr").first().textContent(), /position\.x.*\d/);
});

test("the cursor of the plots follows the time, and a click in a plot sets it", async () => {
  const page = await fresh();
  const cursor = async (t) => {
    await page.evaluate((time) => klingel.setTime(time), t);
    await drawn(page);
    return page.evaluate(() => {
      const now = document.querySelector(".now");
      return Number(/translateX\(([-\d.]+)px\)/.exec(now.style.transform)[1]) / now.parentElement.clientWidth;
    });
  };
  const [a, b] = [await cursor(1), await cursor(3)];
  assert.ok(Math.abs(b - a - 0.4) < 0.02, `moved by ${b - a} of the width`);
  const box = await page.locator(".u-over").first().boundingBox();
  await page.mouse.click(box.x + 0.5 * box.width, box.y + 0.5 * box.height);
  assert.ok(Math.abs((await page.evaluate(() => klingel.time)) - 2.5) < 0.05);
});

test("a channel is found by part of its name and plotted with its unit", async () => {
  const page = await fresh();
  await page.keyboard.press("/");
  await page.keyboard.type("force hinge y");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => [...document.querySelectorAll(".entry")].some((e) => e.textContent.includes("hinge.force.y") && e.textContent.includes("N")));
  await page.getByRole("button", { name: "Spectrum" }).click();
  await page.waitForFunction(() => [...document.querySelectorAll(".panel")].length >= 3);
  assert.deepEqual(page.errors, []);
});

test("keys step, repeat and jump", async () => {
  const page = await fresh();
  const time = () => page.evaluate(() => klingel.time);
  await page.keyboard.press("ArrowRight");
  assert.ok(Math.abs((await time()) - 0.01) < 1e-9);
  await page.keyboard.press("End");
  assert.equal(await time(), 5);
  await page.keyboard.press("Home");
  await page.keyboard.press(" ");
  await page.waitForFunction(() => klingel.time > 0.1);
  await page.keyboard.press(" ");
  const stopped = await time();
  await drawn(page);
  assert.equal(await time(), stopped);
});

test("two results lie over each other in plots and scene", async () => {
  const page = await browser.open(at("two.html"));
  await page.evaluate(() => klingel.setTime(2));
  await drawn(page);
  assert.ok((await page.locator(".swatch.dashed").count()) >= 3);
  assert.match(await page.locator(".notes").textContent(), /b\.h5/);
  const picture = () => page.locator(".scene canvas").evaluate((c) => c.toDataURL());
  const withGhost = await picture();
  await page.keyboard.press("o");
  await drawn(page);
  assert.notEqual(await picture(), withGhost);
  assert.deepEqual(page.errors, []);
  await page.close();
});

test("dark mode follows the desktop and the switch", async () => {
  const page = await browser.open(at("a.html"), { colorScheme: "dark" });
  const lightness = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number).reduce((a, b) => a + b) / 765);
  assert.ok((await lightness()) < 0.3);
  await page.locator("#theme").click();
  assert.ok((await lightness()) > 0.7);
  await page.close();
});

test("a page that was cut off says so instead of staying blank", async () => {
  const whole = readFileSync(at("a.html"), "utf8");
  const start = whole.indexOf('id="k0-head">') + 13, end = whole.indexOf("</script>", start);
  writeFileSync(at("cut.html"), whole.slice(0, start + 200) + whole.slice(end));
  const page = await browser.open(at("cut.html"));
  assert.match(await page.locator(".failure").textContent(), /damaged.*klingel view/);
  await page.close();
  writeFileSync(at("none.html"), whole.replace(/<script type="text\/plain"[^]*?<\/script>\n/g, ""));
  const bare = await browser.open(at("none.html"));
  assert.match(await bare.locator(".failure").textContent(), /no results/);
  await bare.close();
});

test("results that are damaged, missing or empty are refused with a reason", async () => {
  copyFileSync(at("a.h5"), at("short.h5"));
  truncateSync(at("short.h5"), Math.floor(statSync(at("a.h5")).size / 3));
  writeFileSync(at("nothing.h5"), "");
  writeFileSync(at("text.h5"), "this is no results file\n");
  for (const name of ["short.h5", "nothing.h5", "text.h5", "absent.h5"]) {
    const run = spawnSync(klingel, ["view", at(name), "-o", at("never.html")], { encoding: "utf8" });
    assert.equal(run.status, 1, name);
    assert.ok(run.stderr.includes(name) && run.stderr.length > 40, run.stderr);
    assert.throws(() => statSync(at("never.html")));
  }
  execFileSync(stress, [at("empty.h5"), "2", "0"]);
  assert.match(spawnSync(klingel, ["view", at("empty.h5"), "-o", at("empty.html")], { encoding: "utf8" }).stderr, /note: the results contain no rows/);
  const page = await browser.open(at("empty.html"));
  assert.match(await page.locator(".scene").textContent(), /no rows/);
  assert.ok(await seen(page, ".scene .message"), "the message is covered");
  assert.equal(await page.locator(".frame").textContent(), "no frames");
  assert.deepEqual(page.errors, []);
  await page.close();
});

test("more than two results are told apart, and another model is named as such", async () => {
  call("run", join(examples, "double-pendulum/model.yaml"), "-q", "--set", "L=200mm", "-o", at("c.h5"));
  execFileSync(stress, [at("other.h5"), "2", "5"]);
  call("view", at("a.h5"), at("b.h5"), at("c.h5"), at("other.h5"), "-o", at("four.html"));
  const page = await browser.open(at("four.html"));
  await drawn(page);
  assert.deepEqual(page.errors, []);
  const entries = await page.locator(".panel").first().locator(".entry").evaluateAll((list) => list.slice(0, 3).map((e) => [e.querySelector(".name").textContent, e.querySelector("line").getAttribute("stroke-dasharray")]));
  assert.deepEqual(entries.map((e) => e[0]), ["N2x", "N2x · b.h5", "N2x · c.h5"]);
  assert.equal(new Set(entries.map((e) => e[1])).size, 3);
  const inks = await page.locator(".notes line").evaluateAll((list) => list.map((l) => getComputedStyle(l).stroke));
  assert.equal(new Set(inks).size, 3);
  assert.match(await page.locator(".notes").textContent(), /other\.h5 · another model/);
  await page.close();
});

test("a spectrum reads under the cursor, and says why there is none", async () => {
  const page = await browser.open(edited("a.html", "spectrum.html", (head, set) => set("N2x", 7, NaN)));
  const readings = () => page.locator(".reading").allTextContents();
  await page.getByRole("button", { name: "Spectrum" }).click();
  await page.waitForFunction(() => /Hz/.test(document.querySelector(".legend").textContent));
  const [broken, peak] = await readings();
  assert.match(broken, /some values are not numbers/);
  assert.match(peak, /^peak at [\d.]+ Hz$/);
  const box = await page.locator(".u-over").first().boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + 20);
  assert.match((await readings())[1], /^[\d.]+e−\d+ at 2[45][\d.]* Hz$/);
  assert.deepEqual(page.errors, []);
  await page.close();
});

test("lists, menus and the camera obey the keyboard", async () => {
  const page = await fresh(), picture = () => page.locator(".scene canvas").evaluate((c) => c.toDataURL());
  await page.keyboard.press("/");
  await page.keyboard.press("Tab");
  assert.equal(await page.locator(".found").isVisible(), false);
  await page.evaluate(() => (document.activeElement.blur(), klingel.select("lower"), (document.querySelector(".drop").open = true)));
  await page.keyboard.press("?");
  const open = () => page.evaluate(() => [Boolean(document.querySelector(".help")), document.querySelector(".drop").open, document.querySelectorAll(".details h2").length]);
  for (const left of [[false, true, 1], [false, false, 1], [false, false, 0]]) {
    await page.keyboard.press("Escape");
    assert.deepEqual(await open(), left);
  }
  for (const key of ["q", "w", "PageUp"]) {
    await drawn(page);
    const before = await picture();
    await page.keyboard.press(key);
    await drawn(page);
    assert.notEqual(await picture(), before, key);
  }
  await page.keyboard.press("1");
  await page.locator(".splitter").focus();
  const width = () => page.locator(".right").evaluate((e) => e.clientWidth), wide = await width();
  await page.keyboard.press("ArrowLeft");
  assert.ok((await width()) > wide);
  await page.keyboard.press("ArrowRight");
});

test("a body whose numbers are missing leaves the picture whole, and a note tells when", async () => {
  const page = await browser.open(edited("a.html", "nan.html", (head, set) => {
    for (let row = 100; row < 110; row++) set("upper.position.x", row, NaN);
    set("upper.position.y", 200, Infinity);
  }));
  await drawn(page);
  assert.deepEqual(page.errors, []);
  assert.ok((await colours(page)) > 30, "the canvas is blank");
  assert.match(await page.locator(".scene-note").textContent(), /upper has no valid position from 1 to 1\.09 s.*from 2 to 2 s/);
  assert.ok(await seen(page, ".scene-note"));
  const x = await page.evaluate(() => [0.99, 1.05].map((t) => (klingel.setTime(t), klingel.pose("upper").position[0])));
  assert.equal(x[0], x[1]);
  await page.close();
});

test("a damaged scene leaves the plots", async () => {
  for (const scene of ['{"bodies":[', "[]"]) {
    const page = await browser.open(edited("a.html", "scene.html", (head) => (head.scene = scene)));
    assert.deepEqual(page.errors, []);
    assert.match(await page.locator(".scene .message").textContent(), /damaged.*only plots/);
    assert.ok((await page.locator(".panel").count()) >= 3);
    await page.close();
  }
});

test("rails and sleepers lie along a track", async () => {
  execFileSync(stress, [at("track.h5"), "3", "5", "track"]);
  call("view", at("track.h5"), "-o", at("track.html"));
  const page = await browser.open(at("track.html"));
  await drawn(page);
  assert.deepEqual(page.errors, []);
  // brown sleepers are in the picture
  const brown = await page.evaluate(() => {
    const small = document.createElement("canvas");
    small.width = small.height = 200;
    const pen = small.getContext("2d");
    pen.drawImage(document.querySelector(".scene canvas"), 0, 0, 200, 200);
    const d = pen.getImageData(0, 0, 200, 200).data;
    let n = 0;
    for (let i = 0; i < d.length; i += 4) if (d[i] > d[i + 2] + 15 && d[i + 1] > d[i + 2] + 5 && d[i] < 200) n++;
    return n;
  });
  assert.ok(brown > 50, `${brown} pixels of sleepers`);
  await page.close();
});

test("modes of a linear model move the right body, and a click on an eigenvalue chooses", async () => {
  const model = join(examples, "carter-wheelset/model.yaml");
  call("modes", model, "-o", at("modes.h5"));
  call("view", at("modes.h5"), "-o", at("modes.html"));
  const page = await browser.open(at("modes.html"));
  assert.deepEqual(page.errors, []);
  const pose = (t) => page.evaluate((time) => (klingel.pause(), klingel.setTime(time), klingel.pose("wheelset")), t);
  const [a, b] = [await pose(0), await pose(0.5)];
  assert.ok(Math.abs(a.orientation[3] - b.orientation[3]) > 1e-3, "a wheelset that hunts turns about z");
  // half a period later it is on the other side of where it stands, and after a whole one back
  const back = await pose(1);
  a.position.forEach((x, k) => assert.ok(Math.abs(x - back.position[k]) < 1e-9));
  assert.equal(await page.locator("#modes .row").count(), 2);
  await page.locator(".scatter circle").nth(1).click({ force: true });
  assert.match(await page.locator(".mode-text").textContent(), /mode 3.*26\.46/);
  await page.keyboard.press("ArrowDown");
  assert.match(await page.locator(".mode-text").textContent(), /mode 1/);
  await page.close();
});

test("modes of a reduced body deform its skin; colours and amplitude can be chosen", async () => {
  call("fe", join(examples, "fe-rod/rod.yaml"), "-q", "-o", at("rod.kbody"));
  call("view", at("rod.kbody"), "-o", at("rod.html"));
  const page = await browser.open(at("rod.html"));
  const picture = async (t) => {
    await page.evaluate((time) => (klingel.pause(), klingel.setTime(time)), t);
    await drawn(page);
    return page.locator(".scene canvas").evaluate((c) => c.toDataURL());
  };
  const [rest, bent] = [await picture(0), await picture(0.25)];
  assert.notEqual(rest, bent);
  assert.equal(await page.locator("#modes .row").count(), 20);
  await page.locator("#deform").focus(); // its keys are its own, not those of the time
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("End");
  assert.deepEqual(await page.evaluate(() => [document.getElementById("deform").value, klingel.time]), ["1", 0.25]);
  await page.locator("#colouring").selectOption("stress");
  await drawn(page);
  assert.notEqual(await picture(0.25), bent);
  assert.ok((await colours(page)) > 30);
  assert.deepEqual(page.errors, []);
  await page.close();
});

test("fatigue life colours a body, and its scale begins with what `klingel stress` says", async () => {
  call("run", join(examples, "fatigue-beam/model.yaml"), "-q", "-o", at("fatigue.h5"));
  const life = Number(call("stress", at("fatigue.h5"), "--sn", "FAT90").match(/run, ([\d.e+]+) h/)[1]);
  call("view", at("fatigue.h5"), "--sn", "FAT90", "-o", at("fatigue.html"));
  const page = await browser.open(at("fatigue.html"));
  assert.equal(await page.locator("#colouring").inputValue(), "life");
  const [longest, shortest] = (await page.locator(".deform .tones b").allTextContents()).map((t) => Number.parseFloat(t.replace(/[\s\u202f]/g, "")));
  assert.ok(Math.abs(shortest / life - 1) < 0.01, `${shortest} h instead of ${life} h`);
  assert.ok(Math.abs(longest / life / 1e4 - 1) < 0.05, `${longest} h instead of ${life * 1e4} h`); // shown with two digits
  assert.ok((await colours(page)) > 30);
  await page.locator("#colouring").selectOption("plain");
  await drawn(page);
  assert.deepEqual(page.errors, []);
  await page.close();
});

test("eigenvalues over a parameter stand in a plane", async () => {
  const table = call("locus", join(examples, "carter-wheelset/model.yaml"), "--over", "speed=60:90:4", "--csv");
  writeFileSync(at("locus.csv"), table);
  call("view", at("locus.csv"), "-o", at("locus.html"));
  const page = await browser.open(at("locus.html"));
  assert.deepEqual(page.errors, []);
  assert.equal(await page.locator(".locus-plane circle").count(), table.trim().split("\n").slice(1).filter((l) => Number(l.split(",")[2]) >= 0).length);
  await page.locator(".locus-plane circle").first().hover({ force: true });
  assert.match(await page.locator(".locus-plane figcaption").textContent(), /speed = 60.*Hz/);
  await page.close();
});

test("columns of a table are drawn over one of them, and what is no table is refused", async () => {
  const rows = Array.from({ length: 41 }, (_, i) => [i / 10, 0.05 * i, 40 - i, "word"].join(","));
  writeFileSync(at("geometry.csv"), `y [mm],radius difference [mm],angle [deg],kind\n${rows.join("\n")}\n`);
  call("view", at("geometry.csv"), "-o", at("geometry.html"));
  const page = await browser.open(at("geometry.html"));
  assert.deepEqual(page.errors, []);
  assert.equal(await page.locator(".panel").count(), 2);
  assert.match(await page.locator(".notes").textContent(), /41 rows, 3 columns/);
  const place = await page.locator(".u-over").first().boundingBox();
  await page.mouse.move(place.x + place.width / 2, place.y + place.height / 2);
  assert.match(await page.locator("#reading").textContent(), /^y = (2|1\.9|2\.1): radius difference = (1|0\.95|1\.05)$/);
  await page.locator("#table-x").selectOption({ index: 2 });
  assert.deepEqual(await page.locator(".table-list label").allTextContents(), [" y [mm]", " radius difference [mm]"]);
  assert.equal(await page.locator(".panel").count(), 1);
  await page.locator(".table-list input").first().uncheck();
  await page.locator(".table-list input").last().uncheck();
  assert.equal(await page.locator(".panel").count(), 0);
  assert.deepEqual(page.errors, []);
  await page.close();
  writeFileSync(at("words.csv"), "a,b\nx,y\n");
  const run = spawnSync(klingel, ["view", at("words.csv"), "-o", at("never.html")], { encoding: "utf8" });
  assert.equal(run.status, 1);
  assert.match(run.stderr, /not a table/);
});

test("a live run shows its motion, and the button stops it; strangers are refused", async () => {
  writeFileSync(at("live.yaml"), `klingel: 1
title: Live pendulum
bodies: {bob: {mass: 2, inertia: [0.02, 0.04, 0.02], position: [0.5, 0, 0]}}
tracks: {line: {layout: [straight 20 m]}}
joints: {pin: {type: revolute, between: [ground, bob], at: [0, 0, 0], axis: y}}
outputs: {height: {of: bob, quantity: position.z}}
run: {end: 100000, every: 0.02}
`);
  const run = spawn(klingel, ["view", "--live", at("live.yaml"), "-o", at("live.h5")]);
  const ended = new Promise((done) => run.on("exit", done));
  try {
    let said = "";
    const address = await new Promise((done) => run.stderr.on("data", (d) => {
      said += d;
      const found = /http:\/\/127\.0\.0\.1:\S+/.exec(said);
      if (found) done(found[0]);
    }));
    for (const stranger of [address.replace(/token=.*/, "token=0"), address.replace(/\?.*/, ""), address.replace(/token=.*/, `token=${"0".repeat(32)}`)])
      assert.equal((await fetch(stranger)).status, 403);
    assert.equal((await fetch(address.replace("/?", "/elsewhere?"))).status, 404);
    const html = await (await fetch(address)).text(), head = JSON.parse(inflateSync(Buffer.from(/id="k0-head">([^<]*)</.exec(html)[1], "base64")));
    assert.deepEqual(head.tracks.map((t) => [t.name, t.gauge > 1]), [["line", true]]);
    const page = await browser.context.newPage(), errors = [];
    page.on("console", (m) => { if (m.type() === "error") errors.push(m.text()); });
    page.on("pageerror", (e) => errors.push(String(e)));
    await page.goto(address);
    await page.waitForFunction(() => document.body.dataset.ready, null, { timeout: 20000 });
    const first = await page.evaluate(() => klingel.time);
    await page.waitForFunction((t) => klingel.time > t + 0.5, first, { timeout: 10000 });
    const { position } = await page.evaluate(() => klingel.pose("bob"));
    assert.ok(Math.abs(Math.hypot(...position) - 0.5) < 1e-4, `${position}`);
    await page.locator("#stop").click();
    await page.waitForFunction(() => document.body.dataset.live === "interrupted", null, { timeout: 10000 });
    assert.deepEqual(errors, []);
    await page.close();
    assert.equal(await ended, 0);
    assert.match(call("export", at("live.h5"), "height").slice(0, 40), /time/);
  } finally {
    run.kill("SIGKILL");
  }
});

test("a live run ends at once on Ctrl-C", async () => {
  const run = spawn(klingel, ["view", "--live", at("live.yaml"), "-o", at("live.h5")]);
  const ended = new Promise((done) => run.on("exit", done));
  await new Promise((done) => run.stderr.on("data", done));
  run.kill("SIGINT");
  assert.equal(await ended, 130);
});

test("100 bodies over 10 000 frames and a skin of 100 000 triangles with 30 modes play", async () => {
  execFileSync(stress, [at("big.h5"), "100", "10000", "225", "30"]);
  const said = spawnSync(klingel, ["view", at("big.h5"), "-o", at("big.html")], { encoding: "utf8" }).stderr;
  const page = await browser.open(at("big.html"));
  const ready = Number(await page.evaluate(() => document.body.dataset.ready));
  // processor time of the page's own thread, so that a busy machine does not count
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("Performance.enable", { timeDomain: "threadTicks" });
  const used = async () => (await cdp.send("Performance.getMetrics")).metrics.find((m) => m.name === "ScriptDuration").value;
  const before = await used();
  const { frames, seconds } = await page.evaluate(async () => {
    klingel.select("p42");
    klingel.play();
    const start = performance.now();
    let n = 0;
    for (; n < 40 && performance.now() - start < 5000; n++) await new Promise(requestAnimationFrame);
    klingel.pause();
    return { frames: n, seconds: (performance.now() - start) / 1000 };
  });
  const cost = ((await used()) - before) * 1000 / frames, frame = (seconds * 1000) / frames;
  const megabytes = statSync(at("big.html")).size / 1e6;
  console.log(`benchmark: 100 bodies, 10000 frames, 100352 triangles, 30 modes: ${megabytes.toFixed(1)} MB, ready after ${ready} ms, ${cost.toFixed(1)} ms of script a frame, a frame every ${frame.toFixed(0)} ms in software GL`);
  console.log(said.trim());
  assert.deepEqual(page.errors, []);
  // times are printed, not judged: they depend on the machine; what is drawn and its size do not
  assert.ok(frames > 0 && megabytes < 25, `${frames} frames, ${megabytes} MB`);
  assert.ok((await page.evaluate(() => klingel.time)) > 0);
  await page.close();
});

test("a vehicle in a curve: plots over distance, wheels by Y/Q, close-up with forces", async () => {
  call("run", join(examples, "coach-in-curve/model.yaml"), "-q", "--set", "transition=30", "-o", at("curve.h5"));
  call("view", at("curve.h5"), "-o", at("curve.html"));
  const page = await browser.open(at("curve.html"));
  assert.deepEqual(page.errors, []);
  assert.equal(await page.locator('[data-mode="distance"]').getAttribute("aria-pressed"), "true");
  const names = await page.locator(".panel .entry .name").allTextContents();
  assert.deepEqual(names.slice(-2), ["coach.front.lead.rails.curvature", "coach.front.lead.rails.cant"]);
  await page.evaluate(() => window.klingel.setTime(8));
  await page.keyboard.press("a");
  await page.keyboard.press("c");
  await page.waitForFunction(() => document.querySelectorAll(".closeup figcaption").length === 2);
  await page.waitForTimeout(300);
  const [left, right] = await page.locator(".closeup figcaption").allTextContents();
  const Q = (s) => Number(/Q ([\d.]+) kN/.exec(s)[1]);
  assert.ok(Q(left) > 28 && Q(left) < 36 && Q(right) > 73 && Q(right) < 79, `${left} / ${right}`); // inner and outer wheel in a left-hand curve
  // the patch is an ellipse with the semi-axes of the channels, three times as large as the section: 3000 pixels a metre
  const axes = (s) => /patch ([\d.]+) × ([\d.]+) mm/.exec(s).slice(1).map(Number);
  const drawn = await page.locator(".closeup .patch").evaluateAll((list) => list.map((e) => [e.getAttribute("ry") / 1.5, e.getAttribute("rx") / 1.5]));
  [left, right].forEach((s, k) => axes(s).forEach((size, i) => assert.ok(Math.abs(drawn[k][i] - size) < 0.01 * size && size > 1, `${drawn[k]} for ${s}`)));
  assert.equal(await page.locator(".yq").isVisible(), true);
  // curvature and cant: their least and greatest value; all panels begin and end at the same place
  const frames = await page.locator(".panel .u-over").evaluateAll((list) => list.map((e) => [e.getBoundingClientRect().left, e.getBoundingClientRect().right].map(Math.round)));
  assert.ok(frames.every((f) => f[0] === frames[0][0] && f[1] === frames[0][1]), JSON.stringify(frames));
  assert.deepEqual(await page.locator(".closeup svg .name").evaluateAll((l) => l.filter((e) => e.style.display !== "none").map((e) => e.textContent)), ["Y", "Q", "Y", "Q"]);
  await page.keyboard.press("c");
  assert.equal(await page.locator(".closeup").isVisible(), false);
  assert.deepEqual(page.errors, []);
  await page.close();
});
