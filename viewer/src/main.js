// Finds the results in the page and shows them.
import "uplot/dist/uPlot.min.css";
import "./style.css";
import { offerApi } from "./api.js";
import { App } from "./app.js";
import { Live } from "./live.js";
import { showLocus } from "./locus.js";
import { TablePage } from "./table.js";
import { element } from "./panel/dom.js";
import { drawPictures } from "./picture.js";
import { LiveResults } from "./read/live.js";
import { Results, ResultsError } from "./read/results.js";
import { unpack } from "./read/unpack.js";
import { text } from "./texts.js";

const MOST_RESULTS = 8;
const TABLES = { locus: showLocus, table: (head) => new TablePage(head) };
const block = (id) => document.getElementById(id)?.textContent ?? null;

function fail(error) {
  const said = error instanceof ResultsError ? text(error.key, ...error.values) : String(error?.message ?? error);
  if (!(error instanceof ResultsError)) console.error(error);
  document.getElementById("app")?.remove();
  document.body.append(element("main", { class: "failure", role: "alert" }, element("h1", {}, text("error_title")), element("p", {}, said)));
}

async function readAll() {
  const results = [];
  for (let i = 0; i < MOST_RESULTS; i++) {
    const r = await Results.open(i, block);
    if (!r) break;
    results.push(r);
  }
  if (!results.length) throw new ResultsError("error_none");
  for (const [i, r] of results.entries()) // runs of two folders may have one name
    if (results.some((o) => o !== r && o.head.label === r.head.label)) r.label = `${r.head.label} (${i + 1})`;
  return results;
}

async function main() {
  if (document.body.dataset.page === "report") return report();
  const wait = element("p", { class: "message" }, text("loading"));
  document.body.append(wait);
  try {
    if (TABLES[document.body.dataset.page]) await table(TABLES[document.body.dataset.page]);
    else if (document.body.dataset.page === "live") await live();
    else offerApi(await App.create(await readAll()));
    document.body.dataset.ready = Math.round(performance.now());
  } catch (error) {
    fail(error);
  }
  wait.remove();
}

async function table(show) {
  let head;
  try {
    head = JSON.parse(new TextDecoder().decode(await unpack(block("k0-head"))));
  } catch (e) {
    throw new ResultsError("error_data", e.message);
  }
  show(head);
}

async function live() {
  const results = await LiveResults.open(0, block);
  if (!results) throw new ResultsError("error_none");
  const stream = await Live.connect(results);
  const app = await App.create([results]);
  offerApi(app);
  stream.attach(app);
}

// a report is readable without its pictures
async function report() {
  try {
    await drawPictures(await readAll());
  } catch (error) {
    console.error(error);
  }
  document.body.dataset.ready = Math.round(performance.now());
}

main();
