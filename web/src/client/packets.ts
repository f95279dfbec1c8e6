// Blocks of packets and events: one after the other, each behind a header.
import { EVENT_HEADER, OUTBOX_HEADER } from "./layout";

/** Calls visit with each packet of an outbox: its channel and the range of its bytes. Stops at a
 * truncated packet. */
export function eachPacket(outbox: Uint8Array, visit: (channel: number, from: number, to: number) => void): void {
  let at = 0;
  while (at + OUTBOX_HEADER <= outbox.length) {
    const length = byteAt(outbox, at) | (byteAt(outbox, at + 1) << 8);
    const from = at + OUTBOX_HEADER;
    if (from + length > outbox.length) return;
    visit(byteAt(outbox, at + 2), from, from + length);
    at = from + length;
  }
}

/** Calls visit with each event of a block: its kind and a reader of its body. Stops at a
 * truncated event. */
export function eachEvent(block: Uint8Array, visit: (kind: number, body: Reader) => void): void {
  let at = 0;
  while (at + EVENT_HEADER <= block.length) {
    const length = byteAt(block, at) | (byteAt(block, at + 1) << 8);
    const from = at + EVENT_HEADER;
    if (from + length > block.length) return;
    visit(byteAt(block, at + 2), new Reader(block.subarray(from, from + length)));
    at = from + length;
  }
}

function byteAt(bytes: Uint8Array, at: number): number {
  return bytes[at] ?? 0;
}

const utf8 = new TextDecoder();

/** Reads little-endian fields one after the other. Throws past the end. */
export class Reader {
  private at = 0;
  private readonly view: DataView;

  constructor(private readonly bytes: Uint8Array) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  u8(): number {
    return this.view.getUint8(this.step(1));
  }

  u16(): number {
    return this.view.getUint16(this.step(2), true);
  }

  u32(): number {
    return this.view.getUint32(this.step(4), true);
  }

  f32(): number {
    return this.view.getFloat32(this.step(4), true);
  }

  vector(): [number, number, number] {
    return [this.f32(), this.f32(), this.f32()];
  }

  /** Reads a one-byte length, then UTF-8. */
  string(): string {
    const length = this.u8();
    const from = this.step(length);
    if (this.at > this.bytes.length) throw new RangeError("packets: string past the end of its event");
    return utf8.decode(this.bytes.subarray(from, from + length));
  }

  private step(size: number): number {
    const from = this.at;
    this.at += size;
    return from;
  }
}

/** Writes strings, each preceded by its length in one byte; strings longer than 255 bytes are cut
 * between characters. Returns the total length. */
export function writeStrings(into: Uint8Array, strings: readonly string[]): number {
  const encoder = new TextEncoder();
  let at = 0;
  for (const text of strings) {
    const { written } = encoder.encodeInto(text, into.subarray(at + 1, at + 256));
    into[at] = written;
    at += 1 + written;
  }
  return at;
}
