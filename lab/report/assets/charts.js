// The charts over time: uPlot, all on one grid of instants, zoomed and pointed at
// together.
const charts = [];

/** Whether a series is of players that are shown. */
function isShown(s) { return shown.players.has(s.p) && (s.q === undefined || shown.players.has(s.q)); }

function axes() {
  const ink = tone("--soft"), grid = { stroke: tone("--grid"), width: 1 };
  const font = "12px system-ui, sans-serif";
  return [
    { stroke: ink, grid, ticks: { show: false }, font, size: 26, values: (_, at) => at.map((t) => `${+t.toFixed(3)} s`) },
    { stroke: ink, grid, ticks: { show: false }, font, size: 58, values: (_, at) => at.map((v) => number(v)) },
  ];
}

/** Lines, or dots where each value stands for itself. */
function look(c) {
  return c.spec.dots ? { paths: () => null, points: { show: true, size: 3, width: 0, fill: (u, k) => colour(c.spec.series[k - 1].p) } } : { points: { show: false } };
}

function options(c, width) {
  const series = [{}];
  for (const s of c.spec.series) {
    series.push({
      label: s.label, stroke: () => colour(s.p), width: 1.5, show: isShown(s), ...look(c),
    });
  }
  return {
    width, height: 190, series, axes: axes(), legend: { show: false }, padding: [8, 18, 0, 0],
    scales: { x: { time: false, range: () => [shown.from, shown.to] }, y: { range: (_, low, high) => span(low, high) } },
    cursor: { y: false, points: { size: 6 }, drag: { x: true, y: false, setScale: false }, focus: { prox: -1 } },
    hooks: { setSelect: [(u) => select(u)], setCursor: [(u) => pointed(c, u)], draw: [(u) => marks(c, u)] },
  };
}

/** The range of the y axis: from 0 unless values are negative, with headroom for
 * the marks. */
function span(low, high) {
  if (low === null || high === null || !isFinite(low) || !isFinite(high)) return [0, 1];
  const bottom = Math.min(0, low);
  if (high <= bottom) return [bottom, bottom + 1];
  return [bottom, high + (high - bottom) * 0.12];
}

function select(u) {
  if (u.select.width < 4) return;
  const a = u.posToVal(u.select.left, "x"), b = u.posToVal(u.select.left + u.select.width, "x");
  u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
  zoom(a, b);
}

let leading = null; // the chart under the pointer
function pointed(c, u) {
  if (leading !== c || u.cursor.left === undefined || u.cursor.left < 0) return;
  const t = u.posToVal(u.cursor.left, "x");
  if (Math.abs(t - shown.now) > 1e-6) point(t);
}

/** Draws the corrections of the players shown, and the marked instant. */
function marks(c, u) {
  const { ctx, bbox } = u, dpr = devicePixelRatio || 1;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left - 6 * dpr, bbox.top, bbox.width + 12 * dpr, bbox.height);
  ctx.clip();
  if (c.spec.corrections) {
    for (const i of shown.players) {
      ctx.fillStyle = colour(i);
      for (const [t] of players[i].corrections) {
        if (t < shown.from || t > shown.to) continue;
        const x = u.valToPos(t, "x", true), y = bbox.top, r = 4 * dpr;
        ctx.beginPath();
        ctx.moveTo(x - r, y);
        ctx.lineTo(x + r, y);
        ctx.lineTo(x, y + 1.7 * r);
        ctx.fill();
      }
    }
  }
  ctx.restore();
}

/** Writes the values at the marked instant beside a chart. */
function read(c) {
  const u = c.plot, i = Math.max(0, before(data.times, shown.now));
  const rows = [];
  c.spec.series.forEach((s, k) => {
    let at = i;
    while (at > 0 && u.data[k + 1][at] === undefined) at--;
    const v = u.data[k + 1][at];
    if (isShown(s) && v !== null && v !== undefined) rows.push([v, s]);
  });
  c.out.hidden = !c.root.matches(":hover, :focus-within") || !rows.length;
  if (c.out.hidden) return;
  rows.sort((a, b) => b[0] - a[0]);
  const lines = rows.slice(0, 8).map(([v, s]) => make("div", {},
    make("span", {}, make("i", { style: `background:${colour(s.p)}` }), s.label), make("b", {}, number(v))));
  lines.unshift(make("div", {}, make("span", {}, seconds(data.times[i]))));
  if (rows.length > 8) lines.push(make("div", {}, `and ${rows.length - 8} lower`));
  c.out.replaceChildren(...lines);
  c.out.classList.toggle("left", shown.now > (shown.from + shown.to) / 2);
}

/** Moves every chart's cursor to the marked instant. */
function follow() {
  for (const c of charts) {
    if (!c.plot) continue;
    const inside = shown.now >= shown.from && shown.now <= shown.to;
    if (c !== leading) c.plot.setCursor({ left: inside ? c.plot.valToPos(shown.now, "x") : -10, top: 0 }, false);
    read(c);
  }
}

function keys(e) {
  const step = (shown.to - shown.from) / 100, width = shown.to - shown.from;
  const act = {
    ArrowLeft: () => point(shown.now - step), ArrowRight: () => point(shown.now + step),
    Home: () => point(shown.from), End: () => point(shown.to),
    "+": () => zoom(shown.now - width / 4, shown.now + width / 4),
    "=": () => zoom(shown.now - width / 4, shown.now + width / 4),
    "-": () => zoom(shown.from - width / 2, shown.to + width / 2),
  }[e.key];
  if (!act || e.ctrlKey || e.metaKey || e.altKey) return;
  e.preventDefault();
  act();
}

/** Joins a curve over holes that are shorter than a quarter of a second: those come
 * from the frame rate. uPlot breaks a line at null, and ignores undefined. */
function joined(values) {
  const short = 0.25 / (data.duration / values.length), out = values.slice();
  for (let i = 0; i < out.length; i++) {
    if (out[i] !== null) continue;
    let end = i;
    while (end < out.length && out[end] === null) end++;
    if (end - i < short) out.fill(undefined, i, end);
    i = end;
  }
  return out;
}

/** Builds a chart's plot anew: at first, and when the colours change. */
function plot(c) {
  c.plot?.destroy();
  const width = Math.max(240, c.box.clientWidth);
  c.plot = new uPlot(options(c, width), [data.times, ...c.spec.series.map((s) => s.joined)], c.box);
}

function addChart(spec) {
  for (const s of spec.series) s.joined = joined(s.v);
  const box = make("div", { "aria-hidden": "true" }), out = make("div", { class: "read", hidden: true });
  const low = spec.series.length ? "" : " (nothing to show)";
  const root = make("figure", { class: "chart", tabindex: "0", role: "group", on: { keydown: keys },
    "aria-label": `${spec.title} over time, ${spec.unit}. Left and right move the instant, plus and minus zoom.` },
  make("figcaption", {}, make("span", { class: "tip", "data-tip": spec.means }, spec.title), make("small", {}, ` ${spec.unit}${low}`)), box, out);
  const c = { spec, box, out, root, plot: null };
  root.addEventListener("pointerenter", () => { leading = c; follow(); });
  root.addEventListener("pointerleave", () => { leading = null; out.hidden = true; });
  root.addEventListener("focus", () => read(c));
  root.addEventListener("blur", () => { out.hidden = true; });
  root.addEventListener("dblclick", whole);
  document.getElementById("charts").append(root);
  charts.push(c);
  new ResizeObserver(soon(() => c.plot?.setSize({ width: Math.max(240, box.clientWidth), height: 190 }))).observe(box);
  new IntersectionObserver((seen, self) => {
    if (!seen.some((s) => s.isIntersecting)) return;
    self.disconnect();
    plot(c);
  }, { rootMargin: "400px" }).observe(root);
}

function startCharts() {
  data.charts.forEach(addChart);
  watch(["from", "to"], () => {
    for (const c of charts) c.plot?.setScale("x", { min: shown.from, max: shown.to });
    follow();
  });
  watch(["players"], () => {
    for (const c of charts) {
      c.plot?.batch(() => c.spec.series.forEach((s, k) => c.plot.setSeries(k + 1, { show: isShown(s) }, false)));
    }
  });
  watch(["now"], follow);
  watch(["theme"], () => charts.forEach((c) => c.plot && plot(c)));
}
