/** The messages of testdata/conformance/messages.jsonl: picked among the recorded, and made. */
import { Bits, hex, lean, type Fields } from "./bits";
import { pack, packets, type Vector } from "./recording";
import { kinds } from "./stream";

/** What a packet shows, by which it is picked: the first of each. */
function features(v: Vector): string[] {
  const f = v.fields;
  if (v.channel === 1) return [`${kinds[f["kind"]]} from ${v.from}`];
  const game = v.context!["game"];
  return (v.from === "client" ? clientFeatures(f) : serverFeatures(f)).map((name) => (game === "arena" ? `arena: ${name}` : name));
}

function clientFeatures(f: Fields): string[] {
  const { received, moves } = f;
  const names: string[] = [];
  const add = (is: boolean, name: string): unknown => is && names.push(`client: ${name}`);
  add(received === undefined, "nothing received");
  add(received !== undefined && moves === undefined, "no moves yet");
  add(received?.missing.length === 1, "a snapshot missing");
  add(received?.missing.length > 3, "snapshots missing");
  add(received !== undefined && received.ackDelay >= 0, "an acknowledgement delay");
  if (moves === undefined) return names;
  const { list, baseline } = moves;
  add(list.length === 0, "an empty section");
  add(list.length === 1 && baseline === undefined, "the first move");
  add(list.length > 3 && baseline === undefined, "moves without a baseline");
  add(list.length === 3 && baseline !== undefined, "moves against a baseline");
  add(list.length > 15, "many moves");
  add(list.length > 3 && list[0].number > baseline + 2, "a baseline further back");
  add(list.length < 10 && list.some((m: Fields) => m["input"].shot !== undefined), "a shot");
  add(moves.epoch > 1, "a later epoch");
  if (list.length > 4) return names;
  for (const { input } of list) {
    add(input.dash, "a dash");
    add(input.shot?.seenHit.kind === 2, "a shot at a player");
    add(input.jump && input.forward > 0, "a jump");
    add(input.crouch, "an analog stick");
    add(input.yaw !== undefined && input.yaw !== 0, "a turn");
  }
  return names;
}

function serverFeatures(f: Fields): string[] {
  const names: string[] = [];
  const add = (is: boolean, name: string): unknown => is && names.push(`server: ${name}`);
  const { received, verdict, notices, part } = f;
  add(received === undefined, "nothing received");
  add(received?.missing.length > 2, "datagrams missing");
  add(received?.missing.length > 10, "a mask");
  add(verdict !== undefined && verdict.correction === undefined, "an acknowledgement");
  const causes = ["a misprediction", "a server force", "a teleport", "a timeout", "a throttle"];
  if (verdict?.correction !== undefined) {
    add(true, `a correction, ${causes[verdict.correction.cause]}`);
    add(verdict.correction.state.motion !== undefined, "a state with root motion");
  }
  add(notices?.fields !== undefined, "fields");
  add(notices?.triggers !== undefined, "triggers");
  add(notices?.receipts.length > 0, "a receipt");
  add(notices?.receipts.some((r: Fields) => r["verdict"] === 2), "a hit");
  add(notices?.shotsSeen.length > 0, "a shot of another player");
  add(notices?.damage.length > 0, "damage");
  add(part.entities.length === 0, "no entities");
  add(part.removed.length > 0, "an entity removed");
  for (const e of part.entities) {
    add(e.reference === -1, "an entity without a reference");
    add(e.reference === 0, "an entity that moves on");
    add(e.reference > 0, "a reference to an older snapshot");
    add(e.keyframes?.length === 1, "a keyframe");
    add(e.keyframes?.length === 2, "two keyframes");
  }
  return names;
}

/** All messages: of each file the first packet with each feature, then those that are made. */
export function messages(logs: Fields[][]): Vector[] {
  const picked = new Map<string, Vector>();
  for (const log of logs) {
    for (const p of packets(log)) {
      for (const name of features(p)) if (!picked.has(name)) picked.set(name, { ...p, name });
    }
  }
  const list = [...picked.values(), ...made().filter((v) => !picked.has(v.name))];
  return list.map(({ name, from, channel, context, fields, bytes }) => ({ name, from, channel, ...(context && { context: lean(context) }), fields: lean(fields), bytes }));
}

/** What no recorded packet shows. */
function made(): Vector[] {
  const list: Vector[] = [];
  const add = (v: Omit<Vector, "bytes">): void => {
    const b = new Bits();
    pack(b, v);
    list.push({ ...v, bytes: hex(b.written) });
  };
  const stream = (name: string, from: Vector["from"], fields: Fields): void => add({ name, from, channel: 1, fields });
  const client = (name: string, fields: Fields): void =>
    add({ name: `client: ${name}`, from: "client", channel: 0, context: { game: "sled", tickRate: 60, snapshotRate: 60, newestTick: 4105, lastMove: 65530, now: 600_500 }, fields });
  const server = (name: string, fields: Fields, snapshots: Fields[] = []): void =>
    add({ name: `server: ${name}`, from: "server", channel: 0, context: { game: "sled", tickRate: 60, sequence: 1040, snapshots }, fields });

  stream("refused", "server", { kind: 3, reason: "session: the match is full" });
  stream("welcome to a match of more than 128 seats", "server", {
    kind: 2, seats: 1000, player: 1000, key: "000102030405060708090a0b0c0d0e0f", tickRate: 30, snapshotRate: 10, level: "9f86d081", seed: "1", matchInfo: "", weapons: "",
  });
  stream("leave", "client", { kind: 5 });
  stream("queued", "server", { kind: 9, place: 1024 });
  stream("hello with a token", "client", { kind: 1, magic: 0x42535445, version: 13, format: 0x46A2B8C5, match: "red", name: "Ann", key: "000102030405060708090a0b0c0d0e0f", token: "v4.local.AAAA", options: "team=red" });
  client("the longest acknowledgement delay", { sequence: 1023, received: { newest: 4100, missing: [4096], ackDelay: 2047 } });
  client("a longer pause, durations of all forms", {
    moves: {
      epoch: 63,
      list: [
        { number: 65536, stamp: 600_000, duration: 416, input: {} }, { number: 65537, stamp: 600_416, duration: 416, input: {} },
        { number: 65538, stamp: 600_833, duration: 417, input: {} }, { number: 65539, stamp: 601_200, duration: 384, input: { push: -1 } },
        { number: 65540, stamp: 604_400, duration: 3125, input: { push: 1 } },
      ],
      claim: { x: 1023, z: 512, check: 255 },
    },
  });
  const shot = { yaw: 100, pitch: -7, view: 14_900_000, newest: 900, mask: "18446744073709551614", seenHit: { kind: 1 }, sceneSum: 40000 };
  const shooting = (name: string, of: Fields): void =>
    client(name, { sequence: 7, moves: { list: [{ number: 65540, stamp: 604_400, duration: 416, input: { shot: { ...shot, ...of } } }], claim: { x: 1, y: 2, z: 3, check: 4 } } });
  shooting("a shot into a view that blends", { blend: { age: 149_999, back: 4, mask: "3" } });
  shooting("a shot into an extrapolated view", { drawMode: 2, arrivals: { ticks: String((1n << 2n) | (1n << 5n) | (1n << 63n)), times: String(1n | (1n << 6n) | (1n << 55n)) } });

  const [tick, now] = [4_000_000, 1_333_333_333]; // now in 50 µs
  const pose = {
    at: now + 16, position: [1024, -512, 3], velocity: [64, 0, -320], yaw: -2048, pitch: 100, mode: 2,
    crouched: true, dead: true, strideDistance: 16383, stance: [15, 0, 7], clip: 4, userData: 65535, clipAt: now - 90,
  };
  const rider = {
    at: now - 400, position: [1030, -512, 3], yaw: 4095, mode: 1, life: 1, teleport: 2,
    base: 7, baseChangedAt: now - 1634, lag: 2047, up: [0, -1024, 0], strideDistance: 12, stance: [9, 0, 0],
  };
  const rode = { at: now - 3700, position: [1024, -512, 3], yaw: -4096, mode: 1, life: 1, teleport: 2, strideDistance: 16380, stance: [4, 0, 0] };
  const ball = { at: now, position: [-5000, 300, 77], velocity: [128, -60, 0], kind: 2, angularVelocity: [0, 64, -200], rotation: [0, 2896, 0, 2897] };
  const rolled = { ...ball, at: now - 4000, position: [-5400, 500, 77], rotation: [500, 2896, 300, 2800] };
  const asleep = { at: now, position: [9, 9, 9], kind: 2, rotation: [0, 0, 0, 4096], asleep: true };
  const later = { ...pose, at: now - 284, position: [1000, -512, 4] };
  const earlier = { ...pose, at: now - 20284, clip: 0, clipAt: 0, userData: 0 };
  const hit = {
    number: 900, shot: 77, shooter: 1, viewRequested: 66_000_000, viewGranted: 66_000_001, verdict: 2, hit: { kind: 2, target: 3, hitbox: 2, hitGroup: 2 }, life: 9,
    distance: 640, point: [128, 256, -1280], agrees: true, tested: 1, sceneSum: 500, victims: [{ target: 3, life: 9, hitGroup: 2, count: 1, heads: 1, damage: 60 }],
  };
  const received = { newest: 1030, missing: [1029, 1020], ackDelay: -1 };
  server("a hit, and entities of all kinds", {
    tick, skipped: 3, received, notices: { receipts: [hit], fields: [{ owner: 2047, number: 0, age: 70, value: 9 }, { number: 1, value: -65536 }, { owner: 1, number: 2, age: 0, text: "Ωmega" }] },
    part: {
      number: 1, baseline: 10, removed: [1, 900], last: true,
      entities: [{ id: 2, ...rider }, { id: 129, reference: 12, ...ball }, { id: 130, reference: 3, ...asleep }, { id: 1023, reference: -1, ...pose, keyframes: [later, earlier] }],
    },
  }, [
    { tick: tick - 12, entities: [{ id: 129, ...rolled }] }, { tick: tick - 11, entities: [{ id: 2, ...rode }] },
    { tick: tick - 10, entities: [] }, { tick: tick - 3, entities: [{ id: 130, ...asleep, at: now - 1000, asleep: false }] },
  ]);
  server("a later part without keyframes, its baseline 52 ticks ago", {
    tick, part: { number: 1, baseline: 52, last: true, entities: [{ id: 2, ...rider }, { id: 129, reference: -1, ...ball }] },
  }, [{ tick: tick - 52, entities: [{ id: 2, ...rode }] }]);

  const launch = { at: now - 1000, position: [0, 900, 0], velocity: [640, 0, -640], yaw: -1024, kind: 3 };
  const turning = { at: now, position: [510, 940, -470], velocity: [700, 100, -500], yaw: -1240, pitch: 150, kind: 3 };
  server("a missile that looks along its velocity, and one that looks aside", {
    tick, part: { baseline: 3, last: true, entities: [{ id: 129, ...turning }, { id: 130, ...turning, yaw: -1100, pitch: 40 }] },
  }, [{ tick: tick - 3, entities: [{ id: 129, ...launch }, { id: 130, ...launch, yaw: -1060, pitch: -33 }] }]);

  const pellets = {
    ...hit, number: 65534, shot: 78, weapon: 1, agrees: false, tested: 2, sceneSum: 0xfeed,
    victims: [{ target: 3, life: 9, hitGroup: 2, count: 3, heads: 1, damage: 45 }, { target: 1900, life: 1, hitGroup: 1, count: 2, spared: 2 }],
  };
  const launched = { number: 65535, shot: 79, shooter: 1, weapon: 2, viewRequested: 66_100_000, viewGranted: 66_100_000, verdict: 3 };
  const detonated = {
    ...hit, number: 0, shot: 79, weapon: 2, hit: { kind: 1 }, life: 0, viewRequested: 66_900_000, viewGranted: 66_900_000,
    victims: [{ target: 3, life: 9, hitGroup: 1, count: 1, damage: 80 }, { target: 1, life: 4, hitGroup: 3, count: 1, damage: 20 }],
  };
  const refused = { number: 1, shot: 2 ** 32 - 1, shooter: 1, viewRequested: 66_950_000, viewGranted: 0, reason: 10 };
  server("notices of all kinds", {
    tick: 4020, part: { last: true },
    notices: {
      triggers: [
        { mover: 2, entries: [{ age: 70_500, waypoint: 2 }] },
        { mover: 1000, start: { age: 61_000_000, progress: 600_000, waypoint: 1 }, entries: [{ age: 800_000 }, { age: 45_000 }, { age: -2_000_000, waypoint: 4096 }] },
      ],
      receipts: [pellets, launched, detonated, refused],
      shotsSeen: [
        { number: 7, shooter: 2, weapon: 1, from: [64, 96, 0], to: [640, 96, 0], pellets: [[640, 100, 3], [600, 90, -3]] },
        { number: 8, shooter: 1000, weapon: 2, detonation: true, to: [1, 2, 3], ago: 33 },
      ],
      damage: [{ number: 1, shooter: 2, weapon: 1, hitGroup: 2, damage: 60, from: [64, 96, 0], ago: 180 }],
    },
  });
  const player = { id: 3, at: 66_900_000, position: [1.25, 0, -9.1], velocity: [0, 0, -6], yaw: 1.5, pitch: -0.1, strideDistance: 12.5, stance: [1 / 3, 0, 0], mode: 1, userData: 2, life: 9 };
  const crate = { id: 130, at: 66_900_000, kind: 3, up: [0, -1, 0], rotation: [0, 0, 0, 1], asleep: true };
  stream("requestShotDebug", "client", { kind: 7, shot: 79 });
  stream("optOut", "client", { kind: 10, off: 1 });
  stream("shotDebug", "server", { kind: 8, shot: 79, judged: { receipt: { ...detonated, number: undefined }, eye: [1, 1.6, 2], platformTime: 67_000_000, samples: [player, crate] } });
  stream("shotDebug of a forgotten shot", "server", { kind: 8, shot: 2 });
  for (const cause of [0, 1, 2, 3, 4]) {
    server(`a correction of cause ${cause}`, { tick: 1, received, verdict: { move: 2 ** 32 - 1, correction: { cause, teleports: 255, epoch: 64, state: { x: -1, v: 4000 } } }, part: { last: true } });
  }
  return list;
}
