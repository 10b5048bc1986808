// Bundles the viewer into one script and one style sheet, and writes both as a C file.
//
//   node build.mjs OUTPUT_FOLDER
import { build } from "esbuild";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2] ?? join(here, "dist");

// The script stands inside a page, so it must not hold the end of a script element.
const closeSafely = (text) => text.replaceAll("</script", "<\\/script");

function cArray(name, bytes) {
  const rows = [];
  for (let i = 0; i < bytes.length; i += 24) rows.push("    " + bytes.subarray(i, i + 24).join(","));
  return `const unsigned char ${name}[] = {\n${rows.join(",\n")}};\nconst size_t ${name}_size = sizeof ${name};\n`;
}

await mkdir(out, { recursive: true });
await build({
  entryPoints: [join(here, "src/main.js")],
  outfile: join(out, "viewer.js"),
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  charset: "utf8",
  legalComments: "eof",
  logLevel: "warning",
});
const script = Buffer.from(closeSafely(await readFile(join(out, "viewer.js"), "utf8")));
const style = await readFile(join(out, "viewer.css"));
await writeFile(
  join(out, "viewer_assets.c"),
  `/* Made by viewer/build.mjs; do not edit. */\n#include "post/viewer_assets.h"\n\n` +
    cArray("kl_viewer_script", script) +
    cArray("kl_viewer_style", style),
);
