// Small pictures of what travels when: two lines of time, the player's above and the server's below. Start
// at tourPicture.

/** What a picture shows. */
export type PictureName = "delay" | "waits" | "predicts" | "newest" | "between" | "present" | "rewound";

const WIDTH = 240;
const HEIGHT = 104;
const YOU = 34;
const SERVER = 78;

/** Returns a picture as SVG. Its description is the sentence beside it. */
export function tourPicture(name: PictureName): SVGSVGElement {
  const svg = shape("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, "aria-hidden": "true" }) as SVGSVGElement;
  svg.append(
    shape("path", { class: "time", d: `M8 ${YOU}H232M8 ${SERVER}H232` }),
    words(8, 13, "your screen"), words(8, 99, "server"),
    ...DRAWN[name](),
  );
  return svg;
}

const DRAWN: Readonly<Record<PictureName, () => SVGElement[]>> = {
  delay: () => [flight(60, 120, true), flight(120, 180, false), key(60, YOU), note(180, YOU, "150 ms later")],
  waits: () => [flight(60, 120, true), flight(120, 180, false), key(60, YOU), note(180, YOU, "you move", "bad")],
  predicts: () => [flight(60, 120, true), flight(120, 180, false), key(60, YOU), note(66, YOU, "you move", "good"), note(180, YOU, "agreed")],
  newest: () => [...snapshots(), ...ARRIVALS.map((x) => dot(x, YOU, "bad")), words(232, 13, "as they come", "bad end")],
  between: () => [...snapshots(), shape("path", { class: "glide", d: `M118 ${YOU}H226` }), ...[118, 145, 172, 199, 226].map((x) => dot(x, YOU, "good")), words(232, 13, "evenly, a bit later", "good end")],
  present: () => [dot(60, SERVER, ""), flight(60, 112, false), flight(112, 172, true), key(112, YOU), words(120, 13, "you fire at this"), cross(172, SERVER), words(232, 99, "long gone: a miss", "bad end")],
  rewound: () => [
    dot(60, SERVER, "good"), flight(60, 112, false), flight(112, 172, true), key(112, YOU), words(120, 13, "you fire at this"),
    shape("path", { class: "back", d: `M170 ${SERVER + 4}Q116 ${SERVER + 13} 66 ${SERVER + 6}` }),
    shape("path", { class: "back head", d: `M74 ${SERVER + 4}L65 ${SERVER + 5}L70 ${SERVER + 13}` }),
    words(232, 99, "goes back: a hit", "good end"),
  ],
};

/** When snapshots arrive that left evenly. */
const ARRIVALS = [78, 84, 126, 159, 166];

function snapshots(): SVGElement[] {
  return ARRIVALS.flatMap((x, i) => [dot(28 + 27 * i, SERVER, ""), flight(28 + 27 * i, x, false)]);
}

function flight(from: number, to: number, up: boolean): SVGElement {
  const [a, b] = up ? [YOU, SERVER] : [SERVER, YOU];
  return shape("path", { class: "packet", d: `M${from} ${a}L${to} ${b}` });
}

function key(x: number, y: number): SVGElement {
  return shape("rect", { class: "key", x: x - 6, y: y - 6, width: 12, height: 12, rx: 3 });
}

function dot(x: number, y: number, kind: string): SVGElement {
  return shape("circle", { class: kind, cx: x, cy: y, r: 4 });
}

function cross(x: number, y: number): SVGElement {
  return shape("path", { class: "cross", d: `M${x - 5} ${y - 5}l10 10m0 -10l-10 10` });
}

/** A mark on a line of time with words over it. */
function note(x: number, y: number, text: string, kind = ""): SVGElement {
  const group = shape("g", {});
  group.append(dot(x, y, kind), words(x, y - 10, text, `${kind} middle`));
  return group;
}

function words(x: number, y: number, text: string, kind = ""): SVGElement {
  const made = shape("text", { x, y, class: kind });
  made.textContent = text;
  return made;
}

function shape(name: string, attributes: Readonly<Record<string, string | number>>): SVGElement {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  return made;
}
