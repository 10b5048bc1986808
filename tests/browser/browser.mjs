// Opens pages in headless Chromium with software GL, and watches them.
import { mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

// playwright-core is installed with the viewer
const require = createRequire(new URL("../../viewer/package.json", import.meta.url));
const { chromium } = require("playwright-core");

const FLAGS = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-quic", "--no-first-run",
  "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions", "--disable-default-apps"];

/** A browser with a folder of its own; `close()` ends both. */
export async function openBrowser({ width = 1280, height = 720 } = {}) {
  const folder = await mkdtemp(join(tmpdir(), "klingel-browser-"));
  const context = await chromium.launchPersistentContext(folder, {
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", headless: true, args: FLAGS, viewport: { width, height },
  });
  return {
    context,
    /** Opens a file from disk. The page notes console errors, exceptions and requests. */
    async open(file, { colorScheme = "light", wait = true } = {}) {
      const page = await context.newPage();
      page.errors = [];
      page.requests = [];
      page.on("console", (m) => { if (m.type() === "error") page.errors.push(m.text()); });
      page.on("pageerror", (e) => page.errors.push(String(e)));
      page.on("request", (r) => page.requests.push(r.url()));
      await page.emulateMedia({ colorScheme });
      await page.goto(pathToFileURL(resolve(file)).href);
      if (wait) await page.waitForFunction(() => document.body.dataset.ready || document.querySelector(".failure"), null, { timeout: 30000 });
      return page;
    },
    async close() {
      await context.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
