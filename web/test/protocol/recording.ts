/** The recorded sessions of testdata/conformance: every packet with what its reader knows. */
import { Bits, mod, unhex, type Fields, type Note } from "./bits";
import { clientDatagram, isSent, serverDatagram, UnknownBaseline, type ClientContext, type ServerContext } from "./datagrams";
import type { Used } from "./part";
import { streamMessage } from "./stream";

/** A message, what it says, and what its reader must know. */
export interface Vector {
  name: string;
  from: "client" | "server";
  channel: number; // 0 datagram, 1 stream
  context?: Fields;
  fields: Fields;
  bytes: string;
}

/** Packs the fields of a vector in either direction. */
export function pack(b: Bits, v: Omit<Vector, "bytes">, used?: Used): void {
  if (v.channel === 1) streamMessage(b, v.fields);
  else if (v.from === "client") clientDatagram(b, v.fields, { newestTick: 0, lastMove: 0, ...v.context } as ClientContext);
  else serverDatagram(b, v.fields, { sequence: 0, snapshots: [], ...v.context } as unknown as ServerContext, used);
}

/** A packet of a recording as it was sent. */
export interface Sent extends Vector { line: number; notes: Note[] }

/** Reads every packet that was sent in a recording. */
export function* packets(log: Fields[]): Generator<Sent> {
  const config = log[0]!["config"];
  const match = { game: config.game, playersBlock: config.playersBlock, tickRate: config.tickRate, snapshotRate: config.snapshotRate };
  const peers = new Map<number, Peer>();
  const peer = (n: number): Peer => {
    if (!peers.has(n)) peers.set(n, { sequence: 0, lastMove: 0, moves: new Map(), snapshots: [], open: new Map() });
    return peers.get(n)!;
  };
  const parts = new Map<number, Fields>(); // a server's datagrams, by packet
  let [newestTick, now] = [0, 0];
  for (const [i, e] of log.entries()) {
    const client = Number(/^client (\d+)/.exec(e["end"])?.[1] ?? 0);
    if (e["do"] === "tick") {
      now = Math.floor(e["at"] / 40);
      const tick = Math.round((e["at"] * match.tickRate) / 1e6);
      if (isSent(tick, match)) newestTick = tick;
    }
    if (e["do"] === "receive" && client > 0 && parts.has(e["packet"])) arrived(peer(client), parts.get(e["packet"])!);
    if (e["do"] !== "send") continue;
    const ends = peer(client || e["peer"]);
    const bytes = unhex(e["bytes"]);
    const v: Omit<Vector, "bytes"> = { name: `packet ${e["packet"]}`, from: client > 0 ? "client" : "server", channel: e["channel"] ?? 0, fields: {} };
    let b = new Bits(bytes);
    if (v.channel === 1) {
      pack(b, v);
    } else if (v.from === "client") {
      ends.sequence++;
      v.context = { ...match, newestTick, lastMove: ends.lastMove, now };
      try {
        pack(b, v);
      } catch (error) {
        if (!(error instanceof UnknownBaseline) || !ends.moves.has(error.low)) throw error;
        v.context["baseline"] = ends.moves.get(error.low);
        v.fields = {};
        pack((b = new Bits(bytes)), v);
      }
      for (const m of v.fields["moves"]?.list ?? []) {
        ends.moves.set(mod(m.number, 1024), m);
        ends.lastMove = Math.max(ends.lastMove, m.number);
      }
    } else {
      const snapshots = new Map<number, Fields[]>(); // that the datagram refers to
      v.context = { game: match.game, tickRate: match.tickRate, sequence: ends.sequence, snapshots: ends.snapshots };
      pack(b, v, (tick, entity) => snapshots.set(tick, [...(snapshots.get(tick) ?? []), ...(entity ? [{ ...entity, keyframes: [] }] : [])]));
      v.context["snapshots"] = [...snapshots].sort(([x], [y]) => x - y).map(([tick, entities]) => ({ tick, entities }));
      parts.set(e["packet"], v.fields);
    }
    yield { ...v, bytes: e["bytes"], line: i + 1, notes: b.notes };
  }
}

/** What both ends know of a connection. */
interface Peer {
  sequence: number;
  lastMove: number;
  moves: Map<number, Fields>; // by low bits
  snapshots: { tick: number; entities: Fields[] }[]; // that the client has, oldest first
  open: Map<number, Map<number, Fields>>; // parts by tick and number
}

/** Notes that a client has a part, and the snapshot if that is whole. */
function arrived(p: Peer, datagram: Fields): void {
  const tick: number = datagram["tick"];
  if (p.snapshots.some((s) => s.tick === tick)) return;
  const open = p.open.get(tick) ?? new Map<number, Fields>();
  p.open.set(tick, open.set(datagram["part"].number ?? 0, datagram["part"]));
  const ordered = [...open].sort(([x], [y]) => x - y).map(([, part]) => part);
  if (!ordered.at(-1)!["last"] || ordered.length !== (ordered.at(-1)!["number"] ?? 0) + 1) return;
  p.snapshots.push({ tick, entities: ordered.flatMap((part) => part["entities"]) });
  p.snapshots.sort((x, y) => x.tick - y.tick);
}
