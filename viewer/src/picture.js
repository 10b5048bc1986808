// Pictures in a report: the scene at a time, drawn once and kept as an image, so that it prints.
import { text } from "./texts.js";
import { World } from "./world.js";

export async function drawPictures(results) {
  for (const host of document.querySelectorAll(".picture")) {
    try {
      const world = await World.create(host, results, "light");
      world.stage.ratio = 2;
      world.stage.resize();
      world.stage.view("iso");
      world.setTime(Number(host.dataset.time));
      world.stage.draw();
      const image = new Image();
      image.alt = results[0].title;
      image.src = world.stage.canvas.toDataURL("image/png");
      world.stage.renderer.dispose();
      host.replaceChildren(image);
    } catch (e) {
      host.replaceChildren(text(/WebGL/i.test(e.message) ? "error_webgl" : "error_data", e.message));
    }
  }
}
