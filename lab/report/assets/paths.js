// The paths from above and from the side, on canvases of equal scale both ways.

/** What a canvas shows: which coordinate runs across and which up. */
const views = [];

/** Returns a path's coordinate by name, −z for up in the view from above. */
function coordinate(path, name) { return name === "-z" ? path.nz : path[name]; }

function bounds(v) {
  let left = Infinity, right = -Infinity, low = Infinity, high = -Infinity;
  const count = (xs, ys) => {
    for (let i = 0; i < xs.length; i++) {
      if (xs[i] < left) left = xs[i];
      if (xs[i] > right) right = xs[i];
      if (ys[i] < low) low = ys[i];
      if (ys[i] > high) high = ys[i];
    }
  };
  for (const i of shown.players) {
    for (const path of [players[i].path, players[i].drawn]) count(coordinate(path, v.across), coordinate(path, v.up));
  }
  if (left > right) return { left: -1, right: 1, low: -1, high: 1 };
  return { left, right, low, high };
}

/** Fits what is shown into the canvas, at least 2 m of it. */
function fit(v) {
  const b = bounds(v), w = v.canvas.clientWidth, h = v.canvas.clientHeight;
  const wide = (w - 70) / Math.max(b.right - b.left, 2), tall = (h - 56) / Math.max(b.high - b.low, 2);
  v.scale = Math.min(wide, tall);
  v.stretch = v.up === "y" ? stretchOf(tall / v.scale) : 1;
  v.x = (b.left + b.right) / 2;
  v.y = (b.low + b.high) / 2;
  v.fitted = true;
}

/** How much taller than wide heights are drawn: a round number, at most 20. */
function stretchOf(room) { return [20, 10, 5, 2, 1].find((k) => k <= room) ?? 1; }

function screenX(v, x) { return v.canvas.clientWidth / 2 + 12 + (x - v.x) * v.scale; }
function screenY(v, y) { return v.canvas.clientHeight / 2 - 8 - (y - v.y) * v.scale * v.stretch; }

/** A round step of the grid, in metres, at least 60 pixels wide. */
function gridStep(scale) {
  const least = 60 / scale, ten = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map((k) => k * ten).find((s) => s >= least);
}

function grid(v, ctx, w, h) {
  const step = gridStep(v.scale), sign = v.up === "-z" ? -1 : 1;
  const label = (m) => String(+(m + 0).toFixed(4)).replace("-", "−");
  ctx.strokeStyle = tone("--grid");
  ctx.fillStyle = tone("--soft");
  ctx.font = "11px system-ui, sans-serif";
  ctx.lineWidth = 1;
  ctx.textAlign = "center";
  for (let k = Math.ceil((v.x - (w / 2 + 12) / v.scale) / step); screenX(v, k * step) < w; k++) {
    const x = Math.round(screenX(v, k * step)) + 0.5;
    line(ctx, x, 0, x, h);
    if (x > 30) ctx.fillText(label(k * step), x, h - 5);
  }
  ctx.textAlign = "left";
  const rise = gridStep(v.scale * v.stretch);
  for (let k = Math.ceil((v.y - (h / 2 + 8) / v.scale / v.stretch) / rise); screenY(v, k * rise) > 0; k++) {
    const y = Math.round(screenY(v, k * rise)) + 0.5;
    line(ctx, 0, y, w, y);
    if (y < h - 20) ctx.fillText(label(sign * k * rise || 0), 4, y - 3);
  }
  if (v.stretch > 1) {
    ctx.textAlign = "right";
    ctx.fillText(`heights × ${v.stretch}`, w - 6, 14);
  }
}

function line(ctx, x1, y1, x2, y2) {
  ctx.beginPath();
  ctx.moveTo(x1, y1);
  ctx.lineTo(x2, y2);
  ctx.stroke();
}

/** Strokes the part of a path that lies in the time shown; a break in it, marked
 * by a jump in path.cut, is not joined. */
function trace(v, ctx, path) {
  const xs = coordinate(path, v.across), ys = coordinate(path, v.up);
  const first = Math.max(0, before(path.t, shown.from)), last = before(path.t, shown.to);
  ctx.beginPath();
  for (let i = first; i <= last; i++) {
    const x = screenX(v, xs[i]), y = screenY(v, ys[i]);
    if (i === first || path.cut.has(i)) ctx.moveTo(x, y);
    else ctx.lineTo(x, y);
  }
  ctx.stroke();
}

/** Where a path is at a time, in pixels. */
function spot(v, path, t) {
  const i = before(path.t, t), xs = coordinate(path, v.across), ys = coordinate(path, v.up);
  if (i < 0) return xs.length ? [screenX(v, xs[0]), screenY(v, ys[0])] : null;
  if (i + 1 >= xs.length || path.cut.has(i + 1)) return [screenX(v, xs[i]), screenY(v, ys[i])];
  const f = (t - path.t[i]) / Math.max(path.t[i + 1] - path.t[i], 1e-9);
  return [screenX(v, xs[i] + f * (xs[i + 1] - xs[i])), screenY(v, ys[i] + f * (ys[i + 1] - ys[i]))];
}

function dot(ctx, at, r, fill, stroke) {
  if (!at) return;
  ctx.beginPath();
  ctx.arc(at[0], at[1], r, 0, 7);
  ctx.fillStyle = fill;
  ctx.fill();
  ctx.strokeStyle = stroke;
  ctx.lineWidth = 2;
  ctx.stroke();
}

function cross(ctx, at) {
  if (!at) return;
  line(ctx, at[0] - 4, at[1] - 4, at[0] + 4, at[1] + 4);
  line(ctx, at[0] - 4, at[1] + 4, at[0] + 4, at[1] - 4);
}

function drawPlayer(v, ctx, i) {
  const p = players[i];
  ctx.strokeStyle = colour(i);
  ctx.lineJoin = ctx.lineCap = "round";
  ctx.lineWidth = 7;
  ctx.globalAlpha = 0.28;
  trace(v, ctx, p.path);
  ctx.globalAlpha = 1;
  ctx.lineWidth = 1.6;
  trace(v, ctx, p.drawn);
  ctx.lineWidth = 2;
  ctx.strokeStyle = tone("--bad");
  for (const [t] of p.corrections) {
    if (t >= shown.from && t <= shown.to) cross(ctx, spot(v, p.drawn.t.length ? p.drawn : p.path, t));
  }
}

/** Draws the grid and the paths into the view's own picture, which stays as it is
 * while only the marked instant moves. */
function paint(v) {
  const { canvas, under } = v, dpr = devicePixelRatio || 1;
  const w = canvas.clientWidth, h = canvas.clientHeight;
  under.width = Math.round(w * dpr);
  under.height = Math.round(h * dpr);
  if (!v.fitted) fit(v);
  const ctx = under.getContext("2d");
  ctx.scale(dpr, dpr);
  ctx.fillStyle = tone("--card");
  ctx.fillRect(0, 0, w, h);
  grid(v, ctx, w, h);
  for (const i of shown.players) drawPlayer(v, ctx, i);
  v.painted = true;
}

function draw(v) {
  const { canvas, under } = v, dpr = devicePixelRatio || 1;
  if (!canvas.clientWidth) return;
  if (!v.painted) paint(v);
  canvas.width = under.width;
  canvas.height = under.height;
  const ctx = canvas.getContext("2d");
  ctx.drawImage(under, 0, 0);
  ctx.scale(dpr, dpr);
  for (const i of shown.players) {
    dot(ctx, spot(v, players[i].path, shown.now), 6, tone("--card"), colour(i));
    if (players[i].drawn.t.length) dot(ctx, spot(v, players[i].drawn, shown.now), 3, colour(i), colour(i));
    names(v, ctx, i);
  }
}

function names(v, ctx, i) {
  const at = spot(v, players[i].path, shown.now);
  if (!at) return;
  ctx.font = "600 12px system-ui, sans-serif";
  ctx.textAlign = "left";
  ctx.lineWidth = 3;
  ctx.strokeStyle = tone("--card");
  ctx.strokeText(players[i].name, at[0] + 9, at[1] - 7);
  ctx.fillStyle = colour(i);
  ctx.fillText(players[i].name, at[0] + 9, at[1] - 7);
}

function addView(id, across, up) {
  const canvas = document.getElementById(id);
  const v = { canvas, across, up, x: 0, y: 0, scale: 1, stretch: 1, fitted: false, painted: false, under: document.createElement("canvas") };
  v.mark = soon(() => draw(v));
  v.redraw = () => { v.painted = false; v.mark(); };
  views.push(v);
  let grip = null;
  canvas.addEventListener("pointerdown", (e) => { grip = [e.clientX, e.clientY]; canvas.setPointerCapture(e.pointerId); });
  canvas.addEventListener("pointermove", (e) => {
    if (!grip) return;
    v.x -= (e.clientX - grip[0]) / v.scale;
    v.y += (e.clientY - grip[1]) / v.scale / v.stretch;
    grip = [e.clientX, e.clientY];
    v.redraw();
  });
  for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, () => { grip = null; });
  canvas.addEventListener("wheel", (e) => { e.preventDefault(); magnify(v, 1.0015 ** -e.deltaY); }, { passive: false });
  canvas.addEventListener("dblclick", () => { v.fitted = false; v.redraw(); });
  canvas.addEventListener("keydown", (e) => viewKeys(v, e));
  new ResizeObserver(() => { v.fitted = false; v.redraw(); }).observe(canvas);
  return v;
}

function magnify(v, by) {
  v.scale = Math.min(5000, Math.max(0.05, v.scale * by));
  v.redraw();
}

function viewKeys(v, e) {
  const step = 40 / v.scale;
  const act = {
    ArrowLeft: () => { v.x -= step; }, ArrowRight: () => { v.x += step; },
    ArrowUp: () => { v.y += step / v.stretch; }, ArrowDown: () => { v.y -= step / v.stretch; },
    "+": () => magnify(v, 1.25), "=": () => magnify(v, 1.25), "-": () => magnify(v, 0.8),
    0: () => { v.fitted = false; },
  }[e.key];
  if (!act || e.ctrlKey || e.metaKey || e.altKey) return;
  e.preventDefault();
  act();
  v.redraw();
}

function startPaths() {
  for (const p of players) {
    for (const path of [p.path, p.drawn]) {
      path.nz = path.z.map((z) => -z);
      path.cut = new Set(path.cut);
    }
  }
  addView("above", "x", "-z");
  const side = addView("side", "s", "y");
  document.getElementById("across").addEventListener("change", (e) => {
    side.across = e.target.value;
    side.fitted = false;
    side.redraw();
  });
  watch(["players"], () => views.forEach((v) => { v.fitted = false; v.redraw(); }));
  watch(["from", "to", "theme"], () => views.forEach((v) => v.redraw()));
  watch(["now"], () => views.forEach((v) => v.mark()));
}
