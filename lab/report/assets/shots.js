// Every shot with its receipt: what was drawn on the shooter's screen and what the
// server rebuilt, over each other, along the shot's line.

const PAGE = 24; // shots put on the page at a time
let listed = [], placed = 0;

const form = (id) => document.getElementById(id).elements;

/** Axes along a shot: ahead, to its right, and up. */
function frameOf(dir) {
  let right = [-dir[2], 0, dir[0]];
  const n = Math.hypot(...right);
  right = n > 1e-6 ? right.map((v) => v / n) : [1, 0, 0];
  const up = [right[1] * dir[2] - right[2] * dir[1], right[2] * dir[0] - right[0] * dir[2], right[0] * dir[1] - right[1] * dir[0]];
  return { ahead: dir, right, up };
}
const dotted = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const less = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];

/** A point in the shot's own frame: metres ahead, right and above the line. */
function local(shot, f, p) {
  const d = less(p, shot.eye);
  return [dotted(d, f.ahead), dotted(d, f.right), dotted(d, f.up)];
}

/** The outline of a volume (a capsule, or a ball where its ends are one) in two of
 * the frame's axes, as an SVG path. */
function outline(a, b, r) {
  const dx = b[0] - a[0], dy = b[1] - a[1], n = Math.hypot(dx, dy);
  const f = (v) => v.toFixed(3);
  if (n < 1e-4) return `M${f(a[0] - r)} ${f(a[1])}a${f(r)} ${f(r)} 0 1 0 ${f(2 * r)} 0a${f(r)} ${f(r)} 0 1 0 ${f(-2 * r)} 0Z`;
  const sx = -dy / n * r, sy = dx / n * r;
  return `M${f(a[0] + sx)} ${f(a[1] + sy)}A${f(r)} ${f(r)} 0 0 1 ${f(a[0] - sx)} ${f(a[1] - sy)}L${f(b[0] - sx)} ${f(b[1] - sy)}A${f(r)} ${f(r)} 0 0 1 ${f(b[0] + sx)} ${f(b[1] + sy)}Z`;
}

/** Where the picture's middle is along the line: the body nearest to where the
 * shot ended, else its end. */
function middleOf(shot, f) {
  const mids = shot.bodies.flatMap((b) => [...b.saw, ...b.server]).map((v) => local(shot, f, v[1])[0]);
  if (!mids.length) return Math.min(shot.distance, 100);
  return mids.reduce((best, m) => Math.abs(m - shot.distance) < Math.abs(best - shot.distance) ? m : best);
}

const PANES = [
  { name: "through the sight", ax: (p) => [p[1], -p[2]] },
  { name: "from above", ax: (p, mid) => [p[1], -(p[0] - mid)], along: "up" },
  { name: "from the side", ax: (p, mid) => [p[0] - mid, -p[2]], along: "right" },
];

function pane(shot, f, mid, half, spec) {
  const at = (p) => spec.ax(local(shot, f, p), mid);
  const svg = make("svg:svg", { viewBox: `${-half} ${-half} ${2 * half} ${2 * half}`, "aria-hidden": "true" });
  for (const b of shot.bodies) {
    for (const kind of ["saw", "server"]) {
      for (const [, p, q, r] of b[kind]) svg.append(make("svg:path", { class: kind, d: outline(at(p), at(q), r) }));
    }
  }
  const ends = [spec.ax([0, 0, 0], mid), spec.ax([shot.distance, 0, 0], mid)];
  if (spec.along) {
    if (shot.serverEye) {
      const from = at(shot.serverEye), to = at(shot.serverEye.map((v, i) => v + shot.dir[i] * shot.distance));
      svg.append(make("svg:line", { class: "server", x1: from[0], y1: from[1], x2: to[0], y2: to[1] }));
    }
    svg.append(make("svg:line", { class: "ray", x1: ends[0][0], y1: ends[0][1], x2: ends[1][0], y2: ends[1][1] }));
    svg.append(make("svg:circle", { class: "eye", cx: ends[0][0], cy: ends[0][1], r: half / 28 }));
  } else {
    const k = half / 9;
    svg.append(make("svg:path", { class: "ray", d: `M${-k} 0H${-k / 3}M${k / 3} 0H${k}M0 ${-k}V${-k / 3}M0 ${k / 3}V${k}` }));
  }
  if (shot.target) svg.append(make("svg:circle", { class: "met", cx: ends[1][0], cy: ends[1][1], r: half / 14 }));
  return make("figure", {}, svg, make("figcaption", {}, spec.name));
}

function picture(shot) {
  if (!shot.eye) return make("p", { class: "receipt" }, "No picture: the result holds the receipt only.");
  const f = frameOf(shot.dir), mid = middleOf(shot, f);
  let half = 0.9;
  for (const b of shot.bodies) {
    for (const v of [...b.saw, ...b.server]) {
      for (const p of [local(shot, f, v[1]), local(shot, f, v[2])]) half = Math.max(half, Math.hypot(p[1], p[2]) + v[3] + 0.1);
    }
  }
  half = Math.min(half, 2.6);
  const panes = make("div", { class: "panes", role: "img", "aria-label": `The shot's line, ${number(2 * half)} m of it, with what was drawn and what was rebuilt` });
  for (const spec of PANES) panes.append(pane(shot, f, mid, half, spec));
  return panes;
}

/** How far apart what was drawn and what was rebuilt are, of the worst body. */
function apart(shot) {
  let worst = 0;
  for (const b of shot.bodies) {
    b.saw.forEach((v, i) => {
      const w = b.server[i];
      if (w) worst = Math.max(worst, Math.hypot(...less(v[1].map((x, k) => (x + v[2][k]) / 2), w[1].map((x, k) => (x + w[2][k]) / 2))));
    });
  }
  return worst;
}

const named = (target, part) => target ? `${target}${part ? `’s ${part}` : ""}` : "";

function card(shot) {
  const verdict = make("span", { class: `verdict ${shot.verdict}` }, shot.verdict || "no verdict");
  const title = make("h3", {},
    make("button", { type: "button", title: "mark this instant", on: { click: () => point(shot.t) } }, seconds(shot.t)),
    make("span", {}, shot.weapon ? `${shot.by} · ${shot.weapon}` : shot.by), verdict);
  const facts = make("p", { class: "receipt" });
  if (shot.target) facts.append("server: ", make("b", {}, named(shot.target, shot.part)), ` at ${number(shot.distance)} m`);
  else if (shot.verdict) facts.append("server: ", make("b", {}, shot.verdict === "refused" ? "not cast" : "nobody"), shot.verdict === "refused" ? "" : `, in ${number(shot.distance)} m`);
  else facts.append("server: fired no such shot, or the run ended first");
  if (shot.reason) facts.append(", ", make("b", {}, shot.reason));
  if (shot.saw) facts.append(" · screen: ", make("b", { class: shot.odd ? "odd" : null }, shot.saw));
  if (shot.view !== null) facts.append(` · view ${shot.view.toFixed(3)} s, ${Math.round((shot.t - shot.view) * 1000)} ms back`);
  if (shot.bodies.length) facts.append(` · ${number(apart(shot) * 100)} cm apart`);
  return make("article", { class: shot.odd ? "shot odd" : "shot" }, title, facts, picture(shot));
}

function moreShots() {
  const until = Math.min(listed.length, placed + PAGE), box = document.getElementById("shots");
  for (; placed < until; placed++) box.append(card(listed[placed]));
  const button = document.getElementById("more-shots");
  button.hidden = placed >= listed.length;
  button.textContent = `Show ${Math.min(PAGE, listed.length - placed)} more of ${listed.length - placed}`;
}

function listShots() {
  const f = form("shots-filter");
  listed = data.shots.filter((s) => (!f.by.value || s.by === f.by.value) &&
    (!f.verdict.value || s.verdict === f.verdict.value) && (!f.odd.checked || s.odd));
  placed = 0;
  document.getElementById("shots").replaceChildren();
  f.count.value = `${listed.length} of ${data.shots.length}`;
  moreShots();
}

function startShots() {
  const section = document.getElementById("shots-section");
  section.hidden = !data.shots.length;
  const note = document.getElementById("shots-note");
  note.append(make("span", { class: "key saw" }), " as drawn on the shooter's screen ", make("span", { class: "key server" }),
    " as the server rebuilt it. The pictures are in the shot's own frame, around the body nearest to where it ended; a red ring is what it met. ", data.shotsNote);
  names_(form("shots-filter").by, data.shots.map((s) => s.by));
  document.getElementById("shots-filter").addEventListener("input", listShots);
  document.getElementById("more-shots").addEventListener("click", moreShots);
  listShots();
}

/** Adds what occurs to a select, in order of the alphabet. */
function names_(select, words) {
  for (const w of [...new Set(words)].sort()) select.append(make("option", { value: w }, w));
}
