// Copies the pictures of examples that the browser test has taken to examples/NAME/picture.png, at most
// 900 px wide and 200 kB: run it with `make pictures`.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findBrowser, openPlayer } from "./browser.mjs";
import { exampleNames } from "./examples.mjs";
import { ARTEFACTS, ROOT } from "./server.mjs";

const MAX_WIDTH = 900;
const MAX_BYTES = 200_000;

/** Runs in the page. Returns the picture at a width, or at its own if that is smaller, as a data URL. */
async function scale([url, width]) {
  const image = new Image();
  image.src = url;
  await image.decode();
  const factor = Math.min(1, width / image.width);
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(factor * image.width);
  canvas.height = Math.round(factor * image.height);
  const draw = canvas.getContext("2d");
  draw.imageSmoothingQuality = "high";
  draw.drawImage(image, 0, 0, canvas.width, canvas.height);
  return canvas.toDataURL("image/png");
}

const { browser, page } = await openPlayer(findBrowser(), "pictures");
for (const name of exampleNames()) {
  const from = join(ARTEFACTS, `${name}.png`);
  if (!existsSync(from)) throw new Error(`pictures: no ${from}: run npm run e2e -- examples first`);
  const url = `data:image/png;base64,${readFileSync(from).toString("base64")}`;
  let png;
  let width = MAX_WIDTH;
  do {
    png = Buffer.from((await page.evaluate(scale, [url, width])).split(",")[1], "base64");
    width = Math.round(0.9 * width);
  } while (png.length > MAX_BYTES);
  writeFileSync(join(ROOT, "examples", name, "picture.png"), png);
  console.log(`examples/${name}/picture.png: ${(png.length / 1000).toFixed(0)} kB`);
}
await browser.close();
