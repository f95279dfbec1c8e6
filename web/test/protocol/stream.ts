/** The stream messages of docs/protocol.md, section 3. */
import { Bits, demand, isSet, type Fields } from "./bits";
import { receipt } from "./notices";

export const kinds = ["", "hello", "welcome", "refused", "game", "leave", "delay", "requestShotDebug", "shotDebug", "queued", "optOut"];

export function streamMessage(b: Bits, v: Fields): void {
  b.uint(v, "kind", 8);
  const body: Record<string, () => void> = { hello, welcome, refused, game, leave, delay, requestShotDebug, shotDebug, queued, optOut };
  const pack = body[kinds[v["kind"]] ?? ""];
  demand(pack !== undefined, "an unknown kind");
  pack!();
  b.end();

  function hello(): void {
    b.uint(v, "magic", 32);
    demand(v["magic"] === 0x42535445, "not a Backstep client");
    b.uint(v, "version", 16);
    b.uint(v, "format", 32);
    b.text(v, "match", 200);
    b.text(v, "name", 96);
    b.key(v, "key");
    b.text(v, "token", 2048);
    b.text(v, "options", 256);
  }
  function welcome(): void {
    if (b.flag("some seats", v["seats"] !== undefined)) b.ranged(v, "seats", 129, 1000);
    b.ranged(v, "player", 1, v["seats"] ?? 128);
    b.key(v, "key");
    b.ranged(v, "tickRate", 1, 1000);
    b.ranged(v, "snapshotRate", 1, v["tickRate"]);
    b.text(v, "level", 200);
    b.bool(v, "playersBlock");
    b.bool(v, "lagCompensationOptOut");
    b.mask(v, "seed", 64);
    b.bytesOf(v, "matchInfo", 4096);
    b.bytesOf(v, "weapons", 4096);
  }
  function queued(): void {
    b.ranged(v, "place", 1, 1024);
  }
  function refused(): void {
    b.text(v, "reason", 200);
  }
  function game(): void {
    b.bytesOf(v, "body", 4096);
  }
  function leave(): void {}
  function delay(): void {
    b.ranged(v, "milliseconds", 0, 250);
  }
  function optOut(): void {
    b.bool(v, "off");
  }
  function requestShotDebug(): void {
    b.uint(v, "shot", 32);
  }
  function shotDebug(): void {
    b.uint(v, "shot", 32);
    if (!b.some(v, "judged")) return;
    const e = v["judged"];
    e.receipt ??= {};
    receipt(b, e.receipt);
    b.vec64(e, "eye");
    b.varint(e, "platformTime");
    let last = 0;
    for (const s of b.list(e, "samples", 0, 8)) {
      exact(b, s);
      demand(s["id"] > last, "ids do not ascend");
      last = s["id"];
    }
  }
}

/** A sample without loss. */
function exact(b: Bits, s: Fields): void {
  b.id(s, "id", 1);
  b.varint(s, "at");
  b.vec64(s, "position");
  b.vec64(s, "velocity");
  b.vec64(s, "baseVelocity");
  b.float64(s, "yaw");
  b.float64(s, "pitch");
  b.float64(s, "strideDistance");
  b.vec64(s, "stance");
  b.uint(s, "mode", 8);
  b.uint(s, "kind", 8);
  b.uint(s, "clip", 8);
  b.varint(s, "clipAt");
  b.uint(s, "userData", 16);
  b.bool(s, "crouched");
  b.bool(s, "dead");
  b.uint(s, "life", 8);
  b.uint(s, "teleport", 8);
  b.rareVec64(s, "up");
  const turned = (): boolean => isSet([s["rotation"], s["angularVelocity"], s["asleep"]]);
  if (!b.flag("body", turned())) return;
  b.vec64(s, "rotation", 4);
  b.vec64(s, "angularVelocity");
  b.bool(s, "asleep");
  demand(turned(), "a longer form");
}
