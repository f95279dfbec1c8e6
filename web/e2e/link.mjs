// What the page tells of the line: corrections with their causes, the warning of a
// high ping, and the moves that are held back.

const HALF_TURN = Math.PI;
const LINE = { latency: 40, jitter: 0, loss: 0 };

/** Has the player put somewhere, overtaken and held back, reads of it in the panel,
 * and waits for the warning over a line of 300 ms. */
export async function readLine(checks, server, ann) {
  await ann.page.goto(`${server.url}/?quality=low`, { timeout: 30_000 });
  await ann.page.fill("#name", "Ann", { timeout: 15_000 });
  await ann.page.click("#play", { timeout: 15_000 });
  await checks.until("Ann plays", 30_000, async () => (await ann.self()).playing);
  const joined = Date.now();
  await checks.until("bars show the line", 10_000, () => ann.page.isVisible("#bars"));
  await ann.page.keyboard.press("F3");
  await placed(checks, ann);
  await overtaken(checks, ann);
  await figures(checks, ann);
  await heldBack(checks, server, ann);
  await warned(checks, ann, joined);
}

async function corrections(ann, cause) {
  return (await ann.events("correction")).map((e) => e.correction).filter((c) => c.cause === cause);
}

/** A spectator's take-off is a placement. */
async function placed(checks, ann) {
  const before = (await corrections(ann, "placed")).length;
  await ann.call("watch");
  const [newest] = (await checks.until("to be put somewhere is a correction", 5_000, async () => {
    const now = await corrections(ann, "placed");
    return now.length > before && now.reverse();
  })) || [];
  checks.ok(newest?.differences.some((d) => d.field === "watching") === true, "which names what changed", JSON.stringify(newest?.differences));
  await checks.until("F3 lists it", 5_000, async () => /placed\s.*watching/s.test(await ann.text("#net-corrections")));
  await ann.call("watch");
  await checks.until("and Ann plays again", 15_000, async () => !(await ann.self()).watching && (await ann.self()).mode === 1);
}

/** The server goes on with the last it heard, while the player has turned back. */
async function overtaken(checks, ann) {
  await ann.call("setLag", LINE);
  await ann.call("lookAlong", 0, 0);
  await ann.call("setInput", { forward: 1 });
  await ann.page.waitForTimeout(500);
  await ann.call("setLag", { ...LINE, loss: 1 });
  await ann.call("lookAlong", HALF_TURN, 0);
  await ann.page.waitForTimeout(900);
  await ann.call("setLag", LINE);
  const [found] = (await checks.until("who was silent is overtaken", 5_000, async () => {
    const all = await corrections(ann, "overtaken");
    return all.length > 0 && all;
  })) || [];
  await ann.call("setInput", {});
  const position = found?.differences.find((d) => d.field === "position");
  checks.ok(position?.by > 0.1 && found.distance > 0.1 && found.replayed > 0, "and told by how much", JSON.stringify(found));
  await checks.until("F3 lists the cause and the fields", 5_000, async () => /overtaken\s.*position.* m/s.test(await ann.text("#net-corrections")));
  checks.ok((await ann.text("#net-causes")).includes("1 overtaken"), "and counts by cause", await ann.text("#net-causes"));
}

/** Says in words what is shown, at two sizes. */
async function figures(checks, ann) {
  const { page } = ann;
  const small = page.viewportSize();
  const text = await ann.text("#net");
  for (const name of ["round trip", "one way", "loss", "clock drift", "each rides in", "combined"]) {
    checks.ok(text.includes(name), `F3 tells: ${name}`);
  }
  await ann.picture("line-640.png");
  await page.setViewportSize({ width: 1280, height: 720 });
  await page.waitForTimeout(700);
  await ann.picture("line-1280.png");
  await page.setViewportSize(small);
}

/** The slider asks, the server grants. */
async function heldBack(checks, server, ann) {
  const { page } = ann;
  await page.keyboard.press("KeyL");
  const delay = page.locator("#lag .lil-number input").last();
  await delay.fill("120", { timeout: 5_000 });
  await delay.press("Enter");
  await delay.blur();
  await checks.until("the server holds moves back as asked", 5_000, async () => (await server.players())[0]?.input_delay_ms === 120);
  await checks.until("F3 says so", 5_000, async () => (await ann.text("#net")).includes("120 ms by the server"));
  await ann.picture("line-delay-640.png");
  await page.setViewportSize({ width: 1280, height: 720 });
  await page.waitForTimeout(700);
  await ann.picture("line-delay-1280.png");
  await delay.fill("0");
  await delay.press("Enter");
  await checks.until("and no longer", 5_000, async () => (await server.players())[0]?.input_delay_ms === 0);
  await page.keyboard.press("KeyL");
}

/** LAG-02: sampled every 20 s since joining, shown for 5 s. */
async function warned(checks, ann, joined) {
  await ann.call("setLag", { latency: 150, jitter: 0, loss: 0 });
  checks.ok(!(await ann.page.isVisible("#ping")), "no warning while the line is short");
  await checks.until("a line of 300 ms is warned of", 45_000, () => ann.page.isVisible("#ping"));
  const after = (Date.now() - joined) / 1000;
  const text = await ann.text("#ping");
  checks.ok(/High ping: (29|3\d)\d ms/.test(text), "with the ping", `${text}, ${after.toFixed(1)} s after joining`);
  await ann.picture("line-ping-1280.png");
  await ann.page.setViewportSize({ width: 640, height: 480 });
  await ann.picture("line-ping-640.png");
  const begun = Date.now();
  await checks.until("for five seconds", 8_000, async () => !(await ann.page.isVisible("#ping")));
  checks.ok(Date.now() - begun > 2_000, "and not less", `gone ${((Date.now() - begun) / 1000).toFixed(1)} s after the pictures`);
  await ann.call("setLag", { latency: 0, jitter: 0, loss: 0 });
}
