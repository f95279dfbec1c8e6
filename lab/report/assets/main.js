// The bar, the event list, explanations under the pointer, the colours; and the
// start of everything.

function startBar() {
  const box = document.getElementById("who");
  const buttons = players.map((p, i) => make("button", { type: "button", on: { click: () => toggle(i), dblclick: () => change({ players: new Set([i]) }) },
    title: "click: show or hide; double-click: only this one" }, make("i"), p.name));
  const all = make("button", { type: "button", on: { click: () => change({ players: new Set(shown.players.size === players.length ? [] : players.map((_, i) => i)) }) } });
  if (players.length > 2) box.append(all);
  box.append(...buttons);
  const paint = () => {
    buttons.forEach((b, i) => {
      b.setAttribute("aria-pressed", shown.players.has(i));
      b.style.setProperty("--c", colour(i));
    });
    all.textContent = shown.players.size === players.length ? "none" : "all";
  };
  watch(["players", "theme"], paint);
  paint();
  const time = document.getElementById("time"), now = document.getElementById("now"), wide = document.getElementById("whole");
  time.max = data.duration;
  time.addEventListener("input", () => point(+time.value));
  wide.addEventListener("click", whole);
  watch(["now"], () => { time.value = shown.now; now.value = seconds(shown.now); });
  watch(["from", "to"], () => {
    wide.disabled = isWhole();
    time.min = shown.from;
    time.max = shown.to;
  });
  document.addEventListener("keydown", (e) => { if (e.key === "Escape") whole(); });
  document.getElementById("bar").hidden = false;
}

function toggle(i) {
  const next = new Set(shown.players);
  if (!next.delete(i)) next.add(i);
  change({ players: next });
}

// Events.

const ROWS = 200; // events put on the page at a time
let rows = [], rowsPlaced = 0;

function moreEvents() {
  const until = Math.min(rows.length, rowsPlaced + ROWS), body = document.getElementById("events");
  for (; rowsPlaced < until; rowsPlaced++) {
    const [t, p, kind, more] = rows[rowsPlaced];
    body.append(make("tr", {}, make("td", {}, make("button", { type: "button", title: "mark this instant", on: { click: () => point(t) } }, seconds(t))),
      make("td", {}, make("i", { "data-p": p, style: `background:${p < 0 ? "transparent" : colour(p)}` }), p < 0 ? "server" : players[p].name), make("td", {}, kind), make("td", { class: "dim" }, more)));
  }
  const button = document.getElementById("more-events");
  button.hidden = rowsPlaced >= rows.length;
  button.textContent = `Show ${Math.min(ROWS, rows.length - rowsPlaced)} more of ${rows.length - rowsPlaced}`;
}

function listEvents() {
  const f = form("events-filter");
  rows = data.events.filter(([t, p, kind]) => (f.by.value === "" || p === +f.by.value) && (!f.kind.value || kind === f.kind.value) &&
    (!f.zoomed.checked || (t >= shown.from && t <= shown.to)));
  rowsPlaced = 0;
  document.getElementById("events").replaceChildren();
  f.count.value = `${rows.length} of ${data.events.length}`;
  moreEvents();
}

function startEvents() {
  const f = form("events-filter");
  players.forEach((p, i) => f.by.append(make("option", { value: i }, p.name)));
  names_(f.kind, data.events.map((e) => e[2]));
  document.getElementById("events-filter").addEventListener("input", listEvents);
  document.getElementById("more-events").addEventListener("click", moreEvents);
  watch(["from", "to"], () => { if (f.zoomed.checked) listEvents(); });
  watch(["theme"], () => document.querySelectorAll("#events i").forEach((i) => { if (+i.dataset.p >= 0) i.style.background = colour(+i.dataset.p); }));
  listEvents();
}

// Explanations.

function explain(from) {
  const tip = document.getElementById("tip");
  tip.hidden = !from;
  if (!from) return;
  tip.textContent = from.dataset.tip;
  const r = from.getBoundingClientRect(), own = tip.getBoundingClientRect();
  tip.style.left = `${Math.max(8, Math.min(r.left, innerWidth - own.width - 8))}px`;
  tip.style.top = `${r.bottom + own.height + 12 < innerHeight ? r.bottom + 6 : r.top - own.height - 6}px`;
}

function startTips() {
  const focused = () => document.activeElement?.closest(".tip");
  document.addEventListener("pointerover", (e) => explain(e.target.closest?.(".tip") ?? focused()));
  document.addEventListener("focusin", () => explain(focused()));
  document.addEventListener("focusout", () => explain(null));
  document.addEventListener("scroll", () => explain(focused()), { capture: true, passive: true });
}

// Colours: as the system, light, dark. What was chosen is remembered where the
// browser lets a file remember.

function startTheme() {
  const button = document.getElementById("theme"), root = document.documentElement;
  const order = ["", "light", "dark"], icon = { "": "◐", light: "☀", dark: "☾" };
  const set = (name) => {
    if (name) root.dataset.theme = name;
    else delete root.dataset.theme;
    button.textContent = icon[name];
    button.setAttribute("aria-label", `Colours: ${name || "as the system"}`);
    button.title = `Colours: ${name || "as the system"}`;
    try { localStorage.setItem("backstep-theme", name); } catch { /* not for files here */ }
    change({ theme: name });
  };
  let saved = "";
  try { saved = localStorage.getItem("backstep-theme") ?? ""; } catch { /* as above */ }
  const asked = new URLSearchParams(location.hash.slice(1)).get("theme");
  set([asked, saved].find((n) => order.includes(n) && n) ?? "");
  button.addEventListener("click", () => set(order[(order.indexOf(root.dataset.theme ?? "") + 1) % 3]));
  systemDark.addEventListener("change", () => change({ theme: root.dataset.theme ?? "" }));
}

startTheme();
startBar();
startPaths();
startCharts();
startShots();
startEvents();
startTips();
document.documentElement.dataset.ready = "yes";
