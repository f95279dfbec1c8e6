// Levels with a single spawn point, so that a test knows where players start.
import { readFileSync, writeFileSync } from "node:fs";

const JSON_CHUNK = 0x4e4f534a;

/** Copies a .glb with only the named spawn point, moved by metres (x, y, z) in its
 * parent. */
export function keepSpawn(from, to, name, by = [0, 0, 0]) {
  const file = readFileSync(from);
  const length = file.readUInt32LE(12);
  if (file.readUInt32LE(16) !== JSON_CHUNK) throw new Error(`e2e: ${from} does not begin with a JSON chunk`);
  const document = JSON.parse(file.toString("utf8", 20, 20 + length));
  let kept = 0;
  for (const node of document.nodes) {
    const extras = node.extras?.backstep;
    if (!extras?.spawn) continue;
    if (node.name === name) {
      kept++;
      node.translation = by.map((d, i) => d + (node.translation?.[i] ?? 0));
    } else delete node.extras;
  }
  if (kept !== 1) throw new Error(`e2e: ${from} has ${kept} spawn points named ${name}, want 1`);
  let json = Buffer.from(JSON.stringify(document));
  json = Buffer.concat([json, Buffer.alloc((4 - (json.length % 4)) % 4, " ")]);
  const rest = file.subarray(20 + length);
  const head = Buffer.from(file.subarray(0, 20));
  head.writeUInt32LE(20 + json.length + rest.length, 8);
  head.writeUInt32LE(json.length, 12);
  writeFileSync(to, Buffer.concat([head, json, rest]));
}
