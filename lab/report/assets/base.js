// What every part of the page shares: the data, which players and which stretch
// of time are shown, the marked instant, colours and small tools.
const data = JSON.parse(document.getElementById("data").textContent);
const players = data.players;

/** What the page shows. Change it through change(), so that all parts follow. */
const shown = {
  players: new Set(players.map((_, i) => i).filter((i) => i < data.firstShown)),
  from: 0,
  to: data.duration,
  now: 0,
};
const watchers = [];
let pending = new Set();

/** Sets fields of shown; the watchers of any of them run at the next frame. */
function change(fields) {
  if (!pending.size) requestAnimationFrame(announce);
  for (const [key, value] of Object.entries(fields)) {
    shown[key] = value;
    pending.add(key);
  }
}

function announce() {
  const changed = pending;
  pending = new Set();
  for (const w of watchers) if (w.keys.some((k) => changed.has(k))) w.run();
}

/** Runs a function whenever one of the fields of shown changes. */
function watch(keys, run) { watchers.push({ keys, run }); }

/** Zooms every plot to a stretch of time, at least 20 ms and within the run. */
function zoom(from, to) {
  const least = Math.min(0.02, data.duration);
  from = Math.max(0, Math.min(from, data.duration - least));
  to = Math.min(data.duration, Math.max(to, from + least));
  if (from !== shown.from || to !== shown.to) change({ from, to });
}
function whole() { zoom(0, data.duration); }
function isWhole() { return shown.from <= 0 && shown.to >= data.duration; }
function point(t) { change({ now: Math.max(0, Math.min(t, data.duration)) }); }

const LIGHT = ["#1f66d6", "#c2560a", "#1b7f4b", "#8a3fc4", "#c62b3f", "#0a7c8c", "#8a5a2b", "#b8328f"];
const DARK = ["#6ea8ff", "#ff9d52", "#5fd197", "#c792ff", "#ff7a86", "#4fd0e0", "#d9a877", "#ff85d0"];
const systemDark = matchMedia("(prefers-color-scheme: dark)");

function dark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : systemDark.matches;
}

/** The colour of player i: eight told apart at a glance, then hues all round. */
function colour(i) {
  const list = dark() ? DARK : LIGHT;
  if (i < list.length) return list[i];
  return `hsl(${Math.round(i * 137.508) % 360} 60% ${dark() ? 68 : 38}%)`;
}

/** A custom property of the style sheet. */
function tone(name) { return getComputedStyle(document.documentElement).getPropertyValue(name).trim(); }

/** Makes an element: attributes, then children; text is never markup. */
function make(tag, attributes = {}, ...children) {
  const svg = tag.startsWith("svg:");
  const e = svg ? document.createElementNS("http://www.w3.org/2000/svg", tag.slice(4)) : document.createElement(tag);
  for (const [k, v] of Object.entries(attributes)) {
    if (k === "on") for (const [type, f] of Object.entries(v)) e.addEventListener(type, f);
    else if (v !== undefined && v !== null && v !== false) e.setAttribute(k, v === true ? "" : v);
  }
  e.append(...children.filter((c) => c !== undefined && c !== null));
  return e;
}

/** A number for people: about four significant digits. */
function number(v) {
  const a = Math.abs(v);
  if (a === 0) return "0";
  if (a >= 1000) return Math.round(v).toLocaleString("en");
  if (a < 0.0005) return v.toExponential(1);
  return String(+v.toFixed(a >= 100 ? 1 : a >= 1 ? 2 : 4));
}
function seconds(t) { return `${t.toFixed(2)} s`; }

/** The last index whose time is not after t, −1 before the first. */
function before(times, t) {
  let low = 0, high = times.length;
  while (low < high) {
    const mid = (low + high) >> 1;
    if (times[mid] <= t) low = mid + 1;
    else high = mid;
  }
  return low - 1;
}

/** Runs a function at most once a frame. */
function soon(run) {
  let waiting = false;
  return () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; run(); });
  };
}
