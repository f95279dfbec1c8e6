import { afterEach, expect, test, vi } from "vitest";
import { VersionError } from "../src/errors.js";
import { checkVersions, fetchJoinInfo, parseJoinInfo } from "../src/join.js";
import { fromHex } from "../src/transports.js";

const BASE = new URL("http://127.0.0.1:8080/?match=arena");
const ANSWER = {
  match: "arena",
  webtransport: "https://127.0.0.1:4433/play",
  cert_hashes: ["00ff"],
  websocket: "/ws",
  level: "abc123",
  model: "/levels/abc123.glb",
  version: "0.1",
};

test("addresses become absolute, http becomes ws", () => {
  const got = parseJoinInfo(ANSWER, BASE);
  expect(got.websocket).toBe("ws://127.0.0.1:8080/ws");
  expect(got.model).toBe("http://127.0.0.1:8080/levels/abc123.glb");
  expect(parseJoinInfo(ANSWER, new URL("https://play.example/")).websocket).toBe("wss://play.example/ws");
});

test("missing fields are empty", () => {
  const got = parseJoinInfo({ level: "abc" }, BASE);
  expect(got.world).toBe("http://127.0.0.1:8080/levels/abc");
  expect([got.webtransport, got.websocket, got.model, got.certHashes]).toEqual(["", "", "", []]);
});

test.each([
  ["null", null, /not an object/],
  ["a number for a name", { ...ANSWER, match: 7 }, /match is not a string/],
  ["hashes that are not a list", { ...ANSWER, cert_hashes: "00" }, /cert_hashes/],
  ["a match without a level", { ...ANSWER, level: "" }, /no level: give the server one/],
  ["a level with a path", { ...ANSWER, level: "../secret" }, /level/],
])("%s is an error that names the field", (_, answer, why) => {
  expect(() => parseJoinInfo(answer, BASE)).toThrow(why);
});

test("hex is decoded strictly", () => {
  expect([...fromHex("00fF7a")]).toEqual([0, 255, 122]);
  expect(() => fromHex("0")).toThrow(/not hex/);
  expect(() => fromHex("0g")).toThrow(/not hex/);
});

test("a server of another protocol or format says to reload, with both versions", () => {
  const core = { protocol: 6, format: 0xab };
  const newer = parseJoinInfo({ ...ANSWER, protocol: 7 }, BASE);
  expect(() => checkVersions(newer, core)).toThrow(VersionError);
  expect(() => checkVersions(newer, core)).toThrow("this page has protocol 6 and the server has protocol 7: reload the page");
  const other = parseJoinInfo({ ...ANSWER, protocol: 6, format: 0xfe12cd34 }, BASE);
  expect(() => checkVersions(other, core)).toThrow("this page has game format 000000ab and the server has game format fe12cd34: reload the page");
  checkVersions(newer, { protocol: 7, format: 0xab });
  checkVersions(parseJoinInfo(ANSWER, BASE), core); // a server that does not tell refuses the hello itself
});

afterEach(() => vi.unstubAllGlobals());

// THR-75: at a front door a player waits by its ticket, learns its place when it changes, and is sent to a server
// with a token.
test("a front door lets the player wait, then names server, token and ticket", async () => {
  const answers = [
    { place: 2, ticket: "t1" },
    { place: 2, ticket: "t1" },
    { place: 1, ticket: "t1" },
    { ...ANSWER, address: "https://games.example:8443", ticket: "t2", token: "v4.local.abc", tokens: true },
  ];
  const asked: string[] = [];
  vi.stubGlobal("fetch", (url: URL) => {
    asked.push(url.search);
    return Promise.resolve(Response.json(answers[asked.length - 1]));
  });
  const places: number[] = [];
  const got = await fetchJoinInfo(new URL("https://front.example/lobby"), "", { onPlace: (place) => places.push(place) });
  expect(asked).toEqual(["", "?ticket=t1", "?ticket=t1", "?ticket=t1"]);
  expect(places).toEqual([2, 1]);
  expect([got.token, got.ticket, got.websocket]).toEqual(["v4.local.abc", "t2", "wss://games.example:8443/ws"]);
  expect(got.world).toBe("https://games.example:8443/levels/abc123");
});

test("a page that shows the level beforehand takes no seat", async () => {
  const asked: string[] = [];
  vi.stubGlobal("fetch", (url: URL) => {
    asked.push(url.search);
    return Promise.resolve(Response.json(ANSWER));
  });
  await fetchJoinInfo(BASE, "field", { preview: true });
  expect(asked).toEqual(["?match=field&preview=1"]);
});

// THR-75
test("a player in the queue keeps its place where one request is lost; one that begins learns it at once", async () => {
  vi.useFakeTimers();
  const answers = [{ place: 1, ticket: "t1" }, undefined, { ...ANSWER, ticket: "t1" }];
  const asked: string[] = [];
  vi.stubGlobal("fetch", (url: URL) => {
    asked.push(url.search);
    const answer = answers[asked.length - 1];
    return answer === undefined ? Promise.reject(new TypeError("Failed to fetch")) : Promise.resolve(Response.json(answer));
  });
  const got = fetchJoinInfo(BASE);
  got.catch(() => undefined);
  await vi.advanceTimersByTimeAsync(5000);
  await expect(got).resolves.toMatchObject({ ticket: "t1" });
  expect(asked).toEqual(["", "?ticket=t1", "?ticket=t1"]);

  let down = 0;
  vi.stubGlobal("fetch", () => (down++ === 0 ? Promise.resolve(Response.json({ place: 1, ticket: "t2" })) : Promise.reject(new TypeError("Failed to fetch"))));
  const never = expect(fetchJoinInfo(BASE)).rejects.toThrow("join: no answer");
  await vi.advanceTimersByTimeAsync(20_000);
  await never;
  vi.useRealTimers();
});

test("a server that does not answer is named, and to a page of another host the flag that allows it", async () => {
  vi.stubGlobal("fetch", () => Promise.reject(new TypeError("Failed to fetch")));
  await expect(fetchJoinInfo(BASE)).rejects.toThrow("join: no answer from http://127.0.0.1:8080: Failed to fetch");
  vi.stubGlobal("location", { hostname: "cdn.example" });
  await expect(fetchJoinInfo(BASE)).rejects.toThrow("does not allow pages of cdn.example (its flag --origin)");
  vi.stubGlobal("location", { hostname: "127.0.0.1" });
  await expect(fetchJoinInfo(BASE)).rejects.toThrow("join: no answer from http://127.0.0.1:8080: Failed to fetch");
});

test("a player that gives up leaves the line", async () => {
  let asked = 0;
  vi.stubGlobal("fetch", () => Promise.resolve(Response.json({ place: 2, ticket: `t${++asked}` })));
  const leaving = new AbortController();
  const joining = fetchJoinInfo(BASE, "", { signal: leaving.signal, onPlace: () => leaving.abort() });
  await expect(joining).rejects.toMatchObject({ name: "AbortError" });
  expect(asked).toBe(1);
});
